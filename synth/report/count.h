/* count.h - what the files that count samples share.
 *
 * SPDX-License-Identifier: MIT
 *
 *     count.c             a sample, in its row
 *       count_known.c     ... that others were counted in before
 *       count_series.c    ... each of a series
 *       count_paths.c     ... with callers that have been counted before
 *       count_callers.c   ... with any callers
 *       count_branches.c  its branches, in place of itself
 */
#ifndef PTS_SYNTH_REPORT_COUNT_H
#define PTS_SYNTH_REPORT_COUNT_H

#include "synth/report/report.h"

char count_level(uint8_t cpumode);
/* The text of a tracepoint's sample, kept. */
pts_status count_trace_text(struct report *r, const struct tracepoint_sample *tp,
                            const char **out);
/* Whether samples are remembered: they have neither callers nor branches. */
bool count_is_plain(const struct report *r);
/* What is counted of a sample, but for its lines, parents and branches. */
pts_status count_item(struct report *r, const struct sample *s, struct subject *i);
/* What rows call the file of a place. */
void count_spot_names(const struct report *r, struct spot_of *s);
struct spot_of count_spot(struct report *r, const struct who *w, uint8_t how,
                          uint64_t ip);
/* Why it is not shown: enum row_filter. */
uint8_t count_filters(const struct report *r, const struct sample *s,
                      const struct subject *i);
/* Whether rows of its event have chains. */
bool count_has_chains(const struct report *r, uint32_t event);
/* The frames of a sample, if it has some: r->frames. */
pts_status count_frames(struct report *r, const struct sample *s, struct subject *i);
/* The source line of a sample, if it is asked for. */
pts_status count_lines(struct report *r, const struct sample *s, struct subject *i);
/* The same of an item whose address is not that within the file. */
pts_status count_lines_beside(struct report *r, const struct place_query *q,
                              struct subject *i);
static inline bool is_last_owner(const struct last_owner *l, const struct sample *s)
{
    const struct who *a = &l->who, *b = &s->who;

    return l->known && a->thread == b->thread && a->epoch == b->epoch &&
           a->tid == b->tid && a->pid == b->pid && a->guest == b->guest &&
           a->host == b->host && l->event == s->event && l->mode == s->cpumode;
}

uint32_t count_new_owner(struct report *r, const struct sample *s);
/* Its owner in the memo; IDMAP_NONE: no memory. */
static inline uint32_t count_owner(struct report *r, const struct sample *s)
{
    return is_last_owner(&r->owner, s) ? r->owner.number : count_new_owner(r, s);
}

/* --- count_known.c ----------------------------------------------------------------- */

/* Samples in a row. */
void count_in_row(struct report *r, uint32_t event, uint32_t row,
                  const struct amount *a);
/* What a slot has not told its row.  Somebody else may take it then. */
void count_later(struct report *r, struct memo_slot *slot);
/* All have come: rows get what is kept beside them. */
void count_known_end(struct report *r);

/* --- count_callers.c --------------------------------------------------------------- */

/* Words of a chain name the host's modes: of a guest's thread they mean the guest's. */
uint8_t count_frame_mode(const struct who *w, uint8_t cpumode);
/* A frame as an item.  Where there is no symbol the address is not that within the file,
 * unlike that of a sample; where there is no map perf takes the mode of the frame before,
 * which is in *mode. */
pts_status count_frame_item(struct report *r, const struct frame *f, struct subject *i,
                            uint8_t *mode);
/* Each frame in its row, but once only. */
pts_status count_callers(struct report *r, const struct sample *s, struct subject *i,
                         uint32_t own, uint8_t filtered);

/* --- count_paths.c ----------------------------------------------------------------- */

/* Whether the callers of a sample can be counted here: nothing but where they are matters. */
bool count_by_paths(const struct report *r, const struct sample *s);
/* The sample, and its callers. */
pts_status count_paths(struct report *r, const struct sample *s);

/* --- count_branches.c -------------------------------------------------------------- */

/* Whether it is a branch that is a sample of its own. */
bool count_is_branch(const struct report *r, const struct sample *s);
pts_status count_branches(struct report *r, const struct sample *s, struct subject *i);
/* A branch that is a sample of its own and was counted before, in the same row; false:
 * it is another one. */
bool count_known_branch(struct report *r, const struct sample *s);

/* --- path_trees.c ------------------------------------------------------------------ */

/* Where perf may miss a row that is there, nothing is remembered from now on: it looks each
 * time. */
pts_status count_refresh(struct report *r, uint32_t event);

#endif
