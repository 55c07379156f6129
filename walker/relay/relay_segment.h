/* relay_segment.h - a segment of a queue, followed ahead of its turn.
 *
 * SPDX-License-Identifier: MIT
 *
 * What it tells is in pieces, which are divided by gaps: within one it is not known at which
 * times another queue could come in between (gaps.h), so it is told as a whole or not at all.
 * Where they come in between all the time, times are told as they would be in the queue's turn.
 */
#ifndef PTS_WALKER_RELAY_RELAY_SEGMENT_H
#define PTS_WALKER_RELAY_RELAY_SEGMENT_H

#include "walker/flow/marks.h"
#include "walker/relay/relay_conf.h"
#include "walker/relay/relay_cut.h"

struct asked_dso {
    const struct sb_dso *dso;
};

/* How far it was told: the next event, as index into a part, and of all; and where that piece ends. */
struct told_part {
    uint32_t part, at, events, until;
};

/* Zero-initialise, and set the first three groups. */
struct segment {
    struct crew_task task; /* the first member; its run is segment_follow */

    const struct relay_conf *conf;
    uint32_t dsos;
    uint8_t *missing,
        *missing_before; /* as in struct flow_queue, now and at the guess */
    uint8_t *is_asked;   /* whether they are in asked */

    struct cut from, to; /* to: not any, the end of the trace */
    struct flow_known known;
    const struct flow *
        before; /* not NULL: who begins it guesses nothing, as `guess` is the truth, at which that flow ended */
    bool
        starts; /* it is the beginning of the queue, where there is nothing to guess either */
    bool
        all_times; /* are told, as others come in between all the time: it is one piece */

    struct flow *flow; /* NULL: not followed */
    struct carry guess, last;
    struct marks *marks; /* kept on the way; NULL: none are wanted */
    bool guessed;        /* ... and all that came behind is told */
    bool carries;        /* last: what it knows at its end; else the trace ends there */
    VEC(struct asked_dso) asked;      /* whose code was walked behind the guess */
    const struct flow_images *images; /* of who follows it */
    uint32_t piece;                   /* the next to be told */
    struct told_part told;
};

void segment_follow(struct crew_task *task, uint32_t who);
/* Whether who begins it knows what is true there. */
static inline bool segment_knows(const struct segment *s)
{
    return s->before || s->starts;
}
/* All that was found out is forgotten. */
void segment_clear(struct segment *s);
/* All was told, and its flow goes to who goes on from there. */
struct flow *segment_leave(struct segment *s);

/* Whether what it told is true, but for counts, where the truth is this. */
bool segment_is_true(const struct segment *s, const struct carry *truth,
                     const uint8_t *missing, const struct carry_use *use);
/* Counts go on from the truth: once, before anything is told. */
void segment_counted(struct segment *s, const struct carry *truth);
/* What was kept on the way goes to those of the queue: behind segment_counted. */
void segment_marks(const struct segment *s, const struct carry *truth,
                   struct marks *to);

/* The next piece in this turn, part by part.  PTS_OK: there are events in out, or none as the piece is empty, or only
 * the time at which it begins, before which others come; PTS_END: there are no more; PTS_E_UNSUPPORTED: others may come
 * in the middle of it. */
pts_status segment_tell(struct segment *s, const struct relay_turn *turn,
                        struct pt_event *time, struct event_batch *out);
/* How many events were told so far that say more than a time. */
uint32_t segment_told(const struct segment *s);

#endif
