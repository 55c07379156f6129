/* out_kept.h - lines of which all parts are kept.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_LINE_OUT_KEPT_H
#define PTS_SYNTH_PRINT_LINE_OUT_KEPT_H

#include "synth/print/line/out_line.h"
#include "synth/sample/series.h"

/* What lines of an event are behind thread, time and event, as far as that is kept. */
enum line_shape {
    LINE_OTHER,
    LINE_IP,        /* ip and instruction, or some of these */
    LINE_IP_TARGET, /* ... and the target of a branch */
    LINE_CALL       /* flags and callindent */
};

enum line_shape kept_shape(const struct out_perf *o, const struct evl_event *e);

/* The line of a sample, of which places may have to be looked up.  False: something else is not
 * kept; then nothing is written. */
bool kept_line(struct out_perf *o, const struct sample *s, struct text *t);

/* Those of a series from number `from` on, up to the first of which that is so; how many. */
uint32_t kept_lines(struct out_perf *o, const struct series *of, uint32_t from,
                    struct text *t);

static inline struct spot_ask ask_ip(const struct sample *s, uint8_t class)
{
    return (struct spot_ask){&s->who, s->ip, s->cpumode, class};
}

/* The target may be in another mode than the branch: a syscall goes into the kernel. */
static inline struct spot_ask ask_target(const struct sample *s, uint8_t class)
{
    return (struct spot_ask){&s->who, s->addr, s->cpumode | PLACE_TARGET, class};
}

/* perf prints the target of a branch also when addr is off, as long as nobody has
 * said which columns are wanted. */
static inline bool shows_target(const struct out_perf *o, const struct evl_event *e)
{
    const struct field_class *c = &o->f->of[e->class];

    return c->on & F_(ADDR) || (e->attr.sample_type & PTS_SAMPLE_ADDR && !c->user_set);
}

#endif
