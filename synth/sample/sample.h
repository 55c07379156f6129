/* sample.h - one sample, recorded or made from the trace.
 *
 * SPDX-License-Identifier: MIT
 *
 * A sample is data: who, when, where and what, but no names.  Whoever gets it looks up
 * what lies at its addresses if it needs that, by `who`, which says whose addresses they
 * are and at which point of the recording.
 */
#ifndef PTS_SYNTH_SAMPLE_SAMPLE_H
#define PTS_SYNTH_SAMPLE_SAMPLE_H

#include "decoder/record/record.h"
#include "synth/sample/lbr.h"
#include "synth/symbol/place.h"

/* Payload of made events, byte for byte as perf stores it in raw data. */
struct raw_bytes {
    const uint8_t *ptr;
    uint32_t len;
};

/* What few samples have. */
struct sample_more {
    uint64_t weight, ins_lat, phys_addr, data_page_size, code_page_size;
    uint64_t data_src;
    uint64_t id, stream_id; /* of recorded samples; all ones: not recorded */
    uint64_t transaction, cgroup;
    struct pts_sample_read read; /* of counters */
    struct pts_regs iregs, uregs;
};

/* How execution got there. */
struct sample_stacks {
    const uint64_t *chain;             /* as in callchain.h; NULL: none */
    const struct pts_branch *branches; /* newest first; NULL: none */
    const uint64_t *unwound; /* addresses in user space, behind the chain; NULL: none */
    const struct pts_branch *below; /* of before, the end of the chain (stitch.h) */
    uint32_t chain_len, branch_count, unwound_len, below_len;
    uint64_t hw_index; /* if has_hw_index: which register had the newest branch */
    bool has_hw_index;
    bool whole; /* the chain is from the branches: --max-stack does not shorten it */
    bool early; /* delivered before any of the trace was decoded */
};

/* What is pointed to is the batch's (batch.h) or the recording's. */
struct sample {
    struct who who;
    uint64_t ip, addr, time, period; /* time in ns; 0: none */
    uint64_t insn_cnt, cyc_cnt;
    uint32_t event;    /* index in the evlist */
    uint32_t flags;    /* PTS_FLAG_* */
    uint32_t depth;    /* of the thread's call stack, corrected for returns */
    uint32_t trace_nr; /* changes when the trace was not continuous; 0: not told */
    uint16_t misc;     /* of the record's header; 0 for made samples */
    uint8_t cpumode;
    bool hidden;   /* a filter keeps it; only the dump says that it was there */
    bool recorded; /* not made from the trace */
    bool untimed;  /* recorded, and without a time */
    struct raw_bytes raw;
    const struct sample_more *more;     /* NULL: none */
    const struct sample_stacks *stacks; /* NULL: none */
    uint8_t insn_len;                   /* 0: no instruction */
    uint8_t insn[15];                   /* its bytes, if somebody wants them */
};

/* The start of a sample: what the sample id of a record says of who, where and when. */
static inline struct sample sample_of_record(const struct record *rec, uint32_t epoch)
{
    const struct pts_sample_id *id = &rec->head.id;

    return (struct sample){
        .who = {.pid = id->pid,
                .tid = id->tid,
                .cpu = (int32_t)id->cpu,
                .thread = UINT32_MAX, /* to be looked up */
                .epoch = epoch,
                .space = epoch,
                .kernel_space = epoch},
        .time = id->time == UINT64_MAX ? 0 : id->time,
        .event = rec->head.evsel,
        .misc = rec->head.misc,
        .cpumode = rec->head.misc & PTS_MISC_MODE,
        .recorded = true,
        .untimed = id->time == UINT64_MAX,
    };
}

/* Its place among others.  One that was recorded without a time is behind all of them
 * for perf, one that was made without is nowhere. */
static inline uint64_t sample_when(const struct sample *s)
{
    return s->untimed ? UINT64_MAX : s->time;
}

#endif
