/* feat_machine.h - what a header says of the machine: its name, CPUs, memory, PMUs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_HEADER_FEAT_MACHINE_H
#define PTS_SYNTH_PRINT_HEADER_FEAT_MACHINE_H

#include "synth/print/header/feat_parts.h"

feat_fn feat_hostname, feat_osrelease, feat_arch, feat_nrcpus, feat_cpudesc, feat_cpuid,
    feat_total_mem, feat_cpu_topology, feat_numa_topology, feat_pmu_mappings,
    feat_cache, feat_mem_topology, feat_cpu_pmu_caps, feat_pmu_caps,
    feat_hybrid_topology;

#endif
