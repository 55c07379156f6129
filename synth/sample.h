/* sample.h - one sample, recorded or made from the trace, on its way to be printed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SAMPLE_H
#define PTS_SYNTH_SAMPLE_H

#include "decoder/perf_sample.h"
#include "synth/lbr.h"
#include "synth/place.h"

#include <stdint.h>

/* Payload of made events, byte for byte as perf stores it in raw data (spec A5.5). */
struct raw_bytes {
    const uint8_t *ptr;
    uint32_t len;
};

/* What only recorded samples have. */
struct sample_more {
    uint64_t weight, ins_lat, phys_addr, data_page_size, code_page_size;
    uint64_t data_src;
    struct pts_regs iregs, uregs;
};

/* How execution got there. */
struct sample_stacks {
    const uint64_t *chain;              /* as in callchain.h; NULL: none */
    const struct last_branch *branches; /* newest first */
    const uint64_t *unwound; /* addresses in user space, behind the chain; NULL: none */
    uint32_t chain_len, branch_count, unwound_len;
    bool whole; /* the chain: --max-stack does not shorten it */
    bool early; /* delivered before any of the trace was decoded */
};

/* Everything pointed to is lent. */
struct sample {
    struct who who;
    uint64_t ip, addr, time, period; /* time in ns; 0: none */
    uint64_t insn_cnt, cyc_cnt;
    uint32_t event; /* index in the evlist */
    uint32_t flags; /* IPF_* */
    uint16_t misc;  /* of the record's header; 0 for made samples */
    uint8_t cpumode;
    uint8_t insn_len;
    const uint8_t *insn;
    struct raw_bytes raw;
    const struct sample_more *more;     /* NULL: none */
    const struct sample_stacks *stacks; /* NULL: none */
};

#endif
