/* feat_bpf.h - the BPF programs that were loaded while a recording was made.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_HEADER_FEAT_BPF_H
#define PTS_SYNTH_PRINT_HEADER_FEAT_BPF_H

#include "synth/print/header/feat_parts.h"

feat_fn feat_bpf_prog_info, feat_bpf_btf;

#endif
