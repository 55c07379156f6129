/* rec_conf.h - the options of the recorder side of ptrecord.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_REC_CONF_H
#define PTRECORD_REC_CONF_H

#include <stdbool.h>
#include <stdint.h>

enum rec_mode { REC_PER_CPU, REC_PER_THREAD };
/* psb_period as perf chooses it: 3, in samples 0. */
enum { REC_PSB_DEFAULT = 16 };

/* One chance in N per opportunity; 0: never. */
struct rec_faults {
    uint32_t overflow; /* OVF with packets really lost */
    uint32_t truncate; /* AUX record with the truncated flag, bytes really lost */
    uint32_t lost;     /* LOST record instead of records of context switches */
};

struct rec_conf {
    const char *output;
    enum rec_mode mode;
    uint32_t cpus; /* simulated */
    uint64_t seed;
    uint32_t repeat; /* the same run as this many later processes; 1: once */
    bool tsc, mtc, cyc, noretcomp, ptw, fup_on_ptw, pwr_evt, event, pebs, branch;
    bool pebs_xmm, pebs_lbr; /* what PEBS records hold besides the usual */
    uint32_t mtc_period;     /* 0..15 */
    uint32_t cyc_thresh;     /* 0..15 */
    uint32_t psb_period;     /* n of 2^(11+n) bytes */
    bool snapshot, aux_sample, build_ids;
    uint32_t aux_bytes; /* of the buffer that snapshots are taken of, or of the piece of
                           trace in a sample; 0: 16 KiB, 4 KiB */
    bool own_switches;  /* SWITCH records of the program's threads, as an unprivileged
                           user gets them, not SWITCH_CPU_WIDE */
    bool untimed;       /* records without time, as of --per-thread without -T */
    struct rec_faults faults;
};

#endif
