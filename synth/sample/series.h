/* series.h - samples that follow each other and have nearly all in common.
 *
 * SPDX-License-Identifier: MIT
 *
 *     form     who, event, period ...
 *     briefs   [ip addr time flags depth insn] [ip addr time ...] ...
 *
 * Of a trace's branches or instructions most are such, and moving them from who makes them to who
 * prints them is a good part of the work: so only what differs is moved.
 */
#ifndef PTS_SYNTH_SAMPLE_SERIES_H
#define PTS_SYNTH_SAMPLE_SERIES_H

#include "decoder/base/address.h"
#include "synth/sample/sample.h"

#include <string.h>

/* As in a sample. */
struct brief {
    uint64_t ip, addr, time;
    uint32_t flags, depth;
    uint8_t insn_len, insn[15];
};
_Static_assert(sizeof(struct brief) == 48, "as there are so many");

/* Of the host, not hidden, made from the trace; without counts of cycles, as sinks that take
 * series show none. */
struct series {
    struct sample form;
    struct brief *at;
    uint32_t count;
};

/* Makes the form, or the sample before, that of b. */
static inline void series_sample(struct sample *s, const struct brief *b)
{
    s->ip = b->ip;
    s->addr = b->addr;
    s->time = b->time;
    s->flags = b->flags;
    s->depth = b->depth;
    s->cpumode = mode_at_addr(b->ip, false);
    s->insn_len = b->insn_len;
    memcpy(s->insn, b->insn, sizeof(s->insn));
}

#endif
