/* chain.h - call stacks and last branches of threads, as far as the trace tells them.
 *
 * SPDX-License-Identifier: MIT
 *
 * A stack belongs to a thread; the idle task has one for each cpu.
 */
#ifndef PTS_SYNTH_SAMPLE_CHAIN_H
#define PTS_SYNTH_SAMPLE_CHAIN_H

#include "decoder/base/vec.h"
#include "synth/sample/lbr.h"
#include "synth/symbol/place.h"

#include <ptscript/sample.h>
#include <ptscript/status.h>
#include <stdint.h>

struct chain_call {
    uint64_t ret; /* where the call returns to */
    bool ended;   /* the trace ended in this call */
};

struct chain_stack {
    VEC(struct chain_call) call;
    struct lbr last;
    uint32_t trace_nr;
    bool live;           /* there was a branch */
    bool filtering;      /* inside a function of --graph-function */
    size_t filter_depth; /* ... entered at this depth */
};

struct chain_list {
    struct chain_stack *at;
    size_t len, cap;
};

/* Whose stack. */
struct chain_key {
    uint32_t thread; /* UINT32_MAX: nobody's */
    int32_t cpu;
    bool idle; /* pid 0, tid 0 */
};

/* Zero-initialise but for the first three. */
struct chains {
    bool calls;               /* keep call stacks */
    uint32_t last_branches;   /* how many to keep for each thread */
    bool mispredicted;        /* as which all are kept */
    struct chain_list thread; /* by thread number */
    struct chain_list idle;   /* by cpu number */
    bool idle_live;
};

/* What a guest runs is on the stack of the thread that runs the guest, as in perf, and a thread
 * that no record has told of has the one that who.host says, or none. */
static inline struct chain_key chain_key_of(const struct who *w)
{
    if (w->guest || w->machine_pid)
        return (struct chain_key){w->host, w->cpu, false};
    if (w->thread == UINT32_MAX)
        return (struct chain_key){w->host - 1, w->cpu, false};
    return (struct chain_key){w->thread, w->cpu, w->pid == 0 && w->tid == 0};
}

struct chain_branch {
    uint64_t from, to;
    uint32_t flags; /* PTS_FLAG_* */
    uint32_t trace_nr;
    uint8_t len; /* of the instruction; 0 for async branches */
};

/* One taken branch, before its own sample is made. */
pts_status chain_step(struct chains *c, struct chain_key key,
                      const struct chain_branch *b);
/* That of a thread whose last branches go on, if it has some already, or NULL. */
static inline struct chain_stack *chain_last(struct chains *c, struct chain_key key)
{
    struct chain_stack *s =
        !key.idle && key.thread < c->thread.len ? &c->thread.at[key.thread] : NULL;

    return s && s->live && s->last.at ? s : NULL;
}

/* The thread's stack, if there is one that chain_move can be asked of, or NULL. */
struct chain_stack *chain_top(struct chains *c, struct chain_key key);
/* A call or a return that concerns the topmost entry only, as nearly all do, or another branch
 * that ends or begins no trace, as chain_step.  False: it is not such a one, nothing was done. */
static inline bool chain_move(struct chain_stack *s, const struct chain_branch *b)
{
    const size_t n = s->call.len;

    if (s->trace_nr != b->trace_nr)
        return false;
    if (b->flags & PTS_FLAG_CALL) {
        const uint64_t ret = b->from + b->len;
        if (n == s->call.cap || !b->to || ret == b->to)
            return false;
        s->call.at[n] = (struct chain_call){.ret = ret};
        s->call.len = n + 1;
    } else if (b->flags & PTS_FLAG_RETURN) {
        if (!n || s->call.at[n - 1].ret != b->to)
            return false;
        s->call.len = n - 1;
    }
    return true;
}

/* The trace begins at `to`, and goes on as it was: as chain_step. */
void chain_begin(struct chain_stack *s, uint64_t to);

/* The thread's state, or NULL when it has none. */
const struct chain_stack *chain_find(const struct chains *c, struct chain_key key);
/* Depth before the correction for returns. */
size_t chain_depth(const struct chains *c, struct chain_key key);
/* Whether the thread has a stack at all (the correction is only made then). */
bool chain_is_live(const struct chains *c, struct chain_key key);
/* The thread's state, made if it has none; NULL for nobody or without memory. */
struct chain_stack *chain_state(struct chains *c, struct chain_key key);
void chain_free(struct chains *c);

#endif
