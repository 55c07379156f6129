/* delivery.h - a sample's last steps: is it wanted, how did execution get there.
 *
 * SPDX-License-Identifier: MIT
 *
 *     struct sample *s = batch_room(&d->batch);
 *     *s = ...
 *     st = deliver(d, s, SAMPLE_MADE);
 *
 * So a sample that is wanted is made where it stays.
 */
#ifndef PTS_SYNTH_SAMPLE_DELIVERY_H
#define PTS_SYNTH_SAMPLE_DELIVERY_H

#include "decoder/base/address.h"
#include "synth/sample/batch.h"
#include "synth/sample/filter.h"
#include "synth/sample/gate.h"
#include "synth/sample/in_order.h"
#include "synth/sample/on_off.h"
#include "synth/sample/stacks.h"
#include "synth/sample/stitch.h"

/* Whose stacks a sample gets. */
enum sample_kind {
    SAMPLE_BRANCH,  /* none, as in perf */
    SAMPLE_MADE,    /* its thread's */
    SAMPLE_PEBS,    /* it has them */
    SAMPLE_RECORDED /* as recorded, and its thread's */
};

struct delivery {
    const struct plan *plan;
    struct filter filter;
    struct stacks stacks;
    struct stitch stitch;
    struct batch batch;
    uint64_t passed; /* samples that the filters let pass, if there are any */
    uint64_t hidden; /* samples that they did not */
    uint64_t guests; /* samples of guests that nobody asked for */
    bool hidden_too; /* those that a filter keeps are marked and not left out */
    bool plain;      /* nothing is filtered */
    bool series;     /* the sink takes such */
    struct on_off on_off;
    struct in_order in_order;
    struct gate gate; /* empty: there is none */
    /* Who is to know of samples that bring no instruction; or NULL. */
    void (*without_insn)(void *ctx, const struct sample *s);
    void *ctx;
};

/* Both lent for the life of the result; look: for the filter (filter.h). */
pts_status delivery_init(struct delivery *d, const struct plan *plan,
                         const struct lookup *look);
void delivery_free(struct delivery *d);

/* What becomes of all samples that are made from the trace of a thread on a CPU. */
enum delivered {
    DELIVERED_ONE_BY_ONE, /* each is to be looked at */
    DELIVERED_IN_TIME,    /* those whose time is asked for are wanted */
    DELIVERED_ALL,
    DELIVERED_NONE
};
enum delivered delivery_of(const struct delivery *d, const struct who *w);

/* Puts s, which stands in the room behind the last item, into the batch if it is wanted.
 * What it points to is copied, but for its raw data. */
pts_status deliver(struct delivery *d, struct sample *s, enum sample_kind kind);

/* The same, with a short way for most samples that the decoder makes: there may be one
 * for each instruction.  deliver_branch: of a branch that knows the depth of its stack. */
static inline pts_status deliver_branch(struct delivery *d, struct sample *s)
{
    if (!d->plain || mode_is_guest(s->cpumode) || (!s->insn_len && d->without_insn))
        return deliver(d, s, SAMPLE_BRANCH);
    batch_add(&d->batch);
    return PTS_OK;
}

static inline pts_status deliver_made(struct delivery *d, struct sample *s,
                                      enum sample_kind kind)
{
    return d->stacks.plan->stack.any || kind != SAMPLE_MADE ? deliver(d, s, kind)
                                                            : deliver_branch(d, s);
}

#endif
