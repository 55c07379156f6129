/* calls.c - calls and their returns, from branches.
 *
 * SPDX-License-Identifier: MIT
 *
 *     branch          stack                    rows
 *     call f     ->   main f
 *     jump to g  ->   main f g(jump)           a tail call
 *     return     ->   main                     g, then f
 *     trace end  ->   main ?(end)
 *     begin      ->   main                     ?
 */
#include "synth/export/calls.h"

#include "decoder/base/address.h"

#include <ptscript/record.h>
#include <ptscript/sample.h>

#include <stdlib.h>
#include <string.h>

/* Of a row. */
enum { NO_CALL = 1, NO_RETURN = 2, JUMP = 4 };

/* How a call ends. */
struct ending {
    uint64_t time, sample;
    bool unseen; /* nobody saw its return */
};

/* --- Stacks ----------------------------------------------------------------------- */

static uint64_t key_of(const struct calls *c, uint32_t thread, int32_t cpu)
{
    return (uint64_t)thread << 32 | (thread == c->idle && cpu > 0 ? (uint32_t)cpu : 0);
}

static pts_status stack_of(struct calls *c, const struct call_branch *b,
                           struct call_stack **out)
{
    if (!b->pid && !b->tid)
        c->idle = b->thread;
    uint64_t key = key_of(c, b->thread, b->cpu);
    uint32_t i = idmap_get(&c->of, key);

    if (i == IDMAP_NONE) {
        i = (uint32_t)c->stack.len;
        struct call_stack *s = VEC_PUSH(&c->stack);
        if (!s)
            return PTS_E_NOMEM;
        *s = (struct call_stack){.thread = b->thread,
                                 .comm = b->comm,
                                 .machine = b->machine,
                                 .tid = b->tid,
                                 .cpu = (int32_t)key};
        if (!idmap_set(&c->of, key, i))
            return PTS_E_NOMEM;
    }
    *out = &c->stack.at[i];
    return PTS_OK;
}

static struct call_open *top(const struct call_stack *s)
{
    return &s->open.at[s->open.len - 1];
}

static pts_status push(struct call_stack *s, const struct call_branch *b, uint64_t ret,
                       uint32_t path)
{
    struct call_open *o = VEC_PUSH(&s->open);

    if (!o)
        return PTS_E_NOMEM;
    *o = (struct call_open){.ret = ret,
                            .time = b->time,
                            .sample = b->sample,
                            .branches = s->branches,
                            .insns = s->insns,
                            .cycles = s->cycles,
                            .path = path};
    return PTS_OK;
}

/* Nobody saw the call. */
static pts_status push_unseen(struct call_stack *s, const struct call_branch *b,
                              uint64_t ret, uint32_t path)
{
    pts_status st = push(s, b, ret, path);

    if (st == PTS_OK)
        top(s)->no_call = true;
    return st;
}

/* Ids are given before the row of a call is complete: its children come first. */
static void give_ids(struct calls *c, struct call_open *o, struct call_open *parent)
{
    if (!o->id)
        o->id = ++c->ids;
    if (parent && !parent->id)
        parent->id = ++c->ids;
}

/* Takes the top off. */
static pts_status pop(struct calls *c, struct call_stack *s, const struct ending *e)
{
    struct call_open *o = top(s), *parent = s->open.len > 1 ? o - 1 : NULL;
    uint32_t path;
    pts_status st = call_path_id(c->paths, o->path, &path);

    s->open.len--;
    if (st < 0)
        return st;
    give_ids(c, o, parent);
    const uint32_t above = c->paths->node.at[o->path].parent;
    const struct export_value row[] = {
        EXPORT_N(o->id),
        EXPORT_N(s->thread),
        EXPORT_N(s->comm),
        EXPORT_N(path),
        EXPORT_N(o->time),
        EXPORT_N(e->time),
        EXPORT_N(s->branches - o->branches),
        EXPORT_N(o->sample),
        EXPORT_N(e->sample),
        EXPORT_N(c->paths->node.at[above].id),
        EXPORT_N((o->no_call ? NO_CALL : 0) | (e->unseen ? NO_RETURN : 0) |
                 (o->jump ? JUMP : 0)),
        EXPORT_N(parent ? parent->id : 0),
        EXPORT_N(s->insns - o->insns),
        EXPORT_N(s->cycles - o->cycles),
    };
    return EXPORT_PUT(c->to, CALL, row);
}

static struct ending ending_of(const struct call_branch *b, bool unseen)
{
    return (struct ending){b->time, b->sample, unseen};
}

static pts_status pop_all(struct calls *c, struct call_stack *s)
{
    const struct ending e = {.time = s->last_time, .unseen = true};
    pts_status st = PTS_OK;

    while (st == PTS_OK && s->open.len)
        st = pop(c, s, &e);
    return st;
}

/* --- Returns ---------------------------------------------------------------------- */

static const struct path_node *node_of(const struct calls *c, uint32_t path)
{
    return &c->paths->node.at[path];
}

static bool runs_kernel(const struct calls *c, const struct call_stack *s)
{
    return s->open.len && node_of(c, top(s)->path)->in_kernel;
}

static pts_status pop_kernel(struct calls *c, struct call_stack *s,
                             const struct call_branch *b)
{
    const struct ending e = ending_of(b, true);
    pts_status st = PTS_OK;

    while (st == PTS_OK && runs_kernel(c, s))
        st = pop(c, s, &e);
    return st;
}

/* How many of the stack there are up to the call that returns to addr; 0: none. */
static size_t match(const struct call_stack *s, uint64_t addr)
{
    size_t i = s->open.len;

    while (i && (s->open.at[i - 1].ret != addr || s->open.at[i - 1].jump))
        i--;
    return i;
}

/* A return to where a call is waiting for it.  PTS_END: there is none. */
static pts_status pop_to(struct calls *c, struct call_stack *s,
                         const struct call_branch *b)
{
    const struct ending seen = ending_of(b, false), unseen = ending_of(b, true);

    if (s->open.len == 1 && node_of(c, top(s)->path)->symbol == b->from.symbol)
        return pop(c, s, &seen);
    size_t depth = match(s, b->to.addr);
    pts_status st = depth ? PTS_OK : PTS_END;
    while (st == PTS_OK && s->open.len > depth)
        st = pop(c, s, &unseen);
    return st == PTS_OK ? pop(c, s, &seen) : st;
}

static pts_status find(struct calls *c, uint32_t parent, const struct call_place *at,
                       uint32_t *path)
{
    return call_path_find(c->paths, parent, (struct path_place){at->symbol, at->addr},
                          path);
}

/* Into the caller of what was first on the stack; or a return that is a jump. */
static pts_status return_from_top(struct calls *c, struct call_stack *s,
                                  const struct call_branch *b)
{
    const struct ending seen = ending_of(b, false);
    uint32_t path;
    pts_status st = s->open.len == 1 ? pop(c, s, &seen) : PTS_OK;
    bool empty = !s->open.len;

    if (st == PTS_OK)
        st = find(c, empty ? PATH_ROOT : top(s)->path, &b->to, &path);
    if (st == PTS_OK)
        st = push_unseen(s, b, empty ? b->to.addr : 0, path);
    if (st == PTS_OK && !empty)
        top(s)->jump = true;
    return st;
}

/* From a function whose call nobody saw, to a caller that is not on the stack, either. */
static pts_status return_between(struct calls *c, struct call_stack *s,
                                 const struct call_branch *b, uint32_t parent)
{
    const struct ending seen = ending_of(b, false);
    uint32_t to, from;
    pts_status st = find(c, parent, &b->to, &to);

    if (st == PTS_OK)
        st = push_unseen(s, b, b->to.addr, to);
    if (st == PTS_OK)
        st = find(c, to, &b->from, &from);
    if (st == PTS_OK)
        st = push_unseen(s, b, b->from.addr, from);
    return st == PTS_OK ? pop(c, s, &seen) : st;
}

/* A return that no call is waiting for. */
static pts_status return_unseen(struct calls *c, struct call_stack *s,
                                const struct call_branch *b)
{
    bool leaves = in_kernel(b->from.addr) && !in_kernel(b->to.addr);
    uint32_t path;
    pts_status st = PTS_OK;

    if (leaves || (runs_kernel(c, s) && !in_kernel(b->from.addr)))
        st = pop_kernel(c, s, b);
    if (st < 0)
        return st;
    if (leaves && !s->open.len) {
        st = find(c, PATH_ROOT, &b->to, &path);
        return st == PTS_OK ? push_unseen(s, b, 0, path) : st;
    }
    uint32_t parent = s->open.len ? top(s)->path : PATH_ROOT;
    return node_of(c, parent)->symbol == b->from.symbol
               ? return_from_top(c, s, b)
               : return_between(c, s, b, parent);
}

static bool is_thunk(const struct calls *c, uint32_t symbol)
{
    static const char thunk[] = "__x86_indirect_thunk_";

    return symbol &&
           strncmp(export_symbol_name(c->where, symbol), thunk, sizeof(thunk) - 1) == 0;
}

/* A thunk in place of an indirect jump calls within itself and returns to an address that it put
 * there: neither is a call or a return. */
static pts_status retpoline_return(struct calls *c, struct call_stack *s,
                                   const struct call_branch *b)
{
    uint32_t symbol = node_of(c, top(s)->path)->symbol, path;
    bool same = symbol && symbol == b->to.symbol;

    if (is_thunk(c, symbol)) {
        s->open.len--;
        symbol = node_of(c, s->open.at[s->open.len - 2].path)->symbol;
        same = symbol && symbol == b->to.symbol && b->to.off;
    }
    if (same) {
        s->open.len--;
        return PTS_OK;
    }
    pts_status st = find(c, s->open.at[s->open.len - 2].path, &b->to, &path);
    if (st == PTS_OK)
        top(s)->path = path;
    return st;
}

static pts_status take_return(struct calls *c, struct call_stack *s,
                              const struct call_branch *b, bool retpoline)
{
    if (!b->to.addr) /* out of what is traced, out of the kernel */
        return b->flags & (PTS_FLAG_SYSCALL | PTS_FLAG_INTERRUPT) ? pop_kernel(c, s, b)
                                                                  : PTS_OK;
    if (!b->from.addr)
        return PTS_OK;
    if (retpoline && s->open.len > 2 && top(s)->ret != b->to.addr)
        return retpoline_return(c, s, b);
    pts_status st = pop_to(c, s, b);
    return st == PTS_END ? return_unseen(c, s, b) : st;
}

/* --- Other branches --------------------------------------------------------------- */

static pts_status take_call(struct calls *c, struct call_stack *s,
                            const struct call_branch *b, bool retpoline)
{
    uint64_t ret = b->from.addr + b->len;
    uint32_t path;

    /* A call of the next instruction only asks where it is. */
    if (!b->from.addr || !b->to.addr || ret == b->to.addr)
        return PTS_OK;
    pts_status st = find(c, top(s)->path, &b->to, &path);
    if (st == PTS_OK)
        st = push(s, b, ret, path);
    if (st < 0)
        return st;
    top(s)->trace_end = b->flags & PTS_FLAG_TRACE_END;
    /* Into the middle of itself. */
    s->retpoline =
        !retpoline && b->to.symbol && b->from.symbol == b->to.symbol && b->to.off;
    return PTS_OK;
}

static pts_status take_begin(struct calls *c, struct call_stack *s,
                             const struct call_branch *b)
{
    const struct ending seen = ending_of(b, false);

    return s->open.len && top(s)->trace_end ? pop(c, s, &seen) : PTS_OK;
}

/* Something is called that is not traced. */
static pts_status take_end(struct calls *c, struct call_stack *s,
                           const struct call_branch *b)
{
    const struct call_place nowhere = {0};
    uint32_t path;

    if (!s->open.len || (s->open.len == 1 && s->open.at[0].sample == b->sample))
        return PTS_OK;
    pts_status st = find(c, top(s)->path, &nowhere, &path);
    if (st == PTS_OK)
        st = push(s, b, b->from.addr + b->len, path);
    if (st == PTS_OK)
        top(s)->trace_end = true;
    return st;
}

/* To the begin of another function: its call at the end of this one. */
static pts_status take_jump(struct calls *c, struct call_stack *s,
                            const struct call_branch *b)
{
    uint32_t path;

    if (b->from.symbol == b->to.symbol || !b->to.symbol || b->to.off)
        return PTS_OK;
    pts_status st = find(c, top(s)->path, &b->to, &path);
    if (st == PTS_OK)
        st = push(s, b, 0, path);
    if (st == PTS_OK)
        top(s)->jump = true;
    return st;
}

/* --- A branch --------------------------------------------------------------------- */

/* What the branch is in, or goes to, is the first on the stack. */
static pts_status take_bottom(struct calls *c, struct call_stack *s,
                              const struct call_branch *b)
{
    const struct call_place *at = b->from.addr ? &b->from : &b->to;
    uint32_t path;

    if (!at->addr)
        return PTS_OK;
    pts_status st = find(c, PATH_ROOT, at, &path);
    return st == PTS_OK ? push_unseen(s, b, at->addr, path) : st;
}

static pts_status change(struct calls *c, struct call_stack *s,
                         const struct call_branch *b)
{
    bool retpoline = s->retpoline;

    s->retpoline = false;
    if (b->flags & PTS_FLAG_CALL)
        return take_call(c, s, b, retpoline);
    if (b->flags & PTS_FLAG_RETURN)
        return take_return(c, s, b, retpoline);
    if (b->flags & PTS_FLAG_TRACE_BEGIN)
        return take_begin(c, s, b);
    if (b->flags & PTS_FLAG_TRACE_END)
        return take_end(c, s, b);
    return b->flags & PTS_FLAG_BRANCH ? take_jump(c, s, b) : PTS_OK;
}

/* Calls from before a gap do not return any more. */
pts_status calls_gap(struct calls *c, uint32_t thread, int32_t cpu, uint32_t trace_nr)
{
    uint32_t i = idmap_get(&c->of, key_of(c, thread, cpu));
    struct call_stack *s = i == IDMAP_NONE ? NULL : &c->stack.at[i];

    return s && s->trace_nr && trace_nr && s->trace_nr != trace_nr ? pop_all(c, s)
                                                                   : PTS_OK;
}

/* Nor do those of another program.  The first branch of a stack does not count as the trace that a
 * gap is in. */
static pts_status flush(struct calls *c, struct call_stack *s,
                        const struct call_branch *b)
{
    bool program = s->comm != b->comm && b->pid == b->tid;
    pts_status st = program ? pop_all(c, s) : PTS_OK;

    if (s->branches && b->trace_nr)
        s->trace_nr = b->trace_nr;
    if (program)
        s->comm = b->comm;
    return st;
}

pts_status calls_take(struct calls *c, const struct call_branch *b)
{
    struct call_stack *s;
    pts_status st = stack_of(c, b, &s);

    if (st == PTS_OK)
        st = flush(c, s, b);
    if (st == PTS_OK && !s->open.len)
        st = take_bottom(c, s, b);
    if (st < 0)
        return st;
    s->branches++;
    s->insns += b->insns;
    s->cycles += b->cycles;
    s->last_time = b->time;
    return change(c, s, b);
}

/* --- The end ---------------------------------------------------------------------- */

/* In perf's order: machines; threads as they hash by tid, then by tid; CPUs. */
static int in_order(const void *x, const void *y)
{
    enum { BUCKETS = 256 };
    const struct call_stack *a = x, *b = y;
    uint32_t hash_a = (uint32_t)a->tid % BUCKETS, hash_b = (uint32_t)b->tid % BUCKETS;

    if (a->machine != b->machine)
        return a->machine < b->machine ? -1 : 1;
    if (hash_a != hash_b)
        return hash_a < hash_b ? -1 : 1;
    if (a->tid != b->tid)
        return a->tid < b->tid ? -1 : 1;
    if (a->thread != b->thread) /* the later one lives */
        return a->thread > b->thread ? -1 : 1;
    return a->cpu < b->cpu ? -1 : 1;
}

pts_status calls_end(struct calls *c)
{
    pts_status st = PTS_OK;

    if (c->stack.len)
        qsort(c->stack.at, c->stack.len, sizeof(*c->stack.at), in_order);
    for (size_t i = 0; st == PTS_OK && i < c->stack.len; i++)
        st = pop_all(c, &c->stack.at[i]);
    return st;
}

uint32_t calls_chain(const struct calls *c, uint32_t thread, int32_t cpu, uint64_t ip,
                     uint64_t *word, uint32_t max)
{
    uint32_t i = idmap_get(&c->of, key_of(c, thread, cpu)), n = 0;
    uint64_t last = in_kernel(ip) ? PTS_CONTEXT_KERNEL : PTS_CONTEXT_USER;

    if (i == IDMAP_NONE || max < 2)
        return 0;
    word[n++] = last;
    word[n++] = ip;
    const struct call_stack *s = &c->stack.at[i];
    for (size_t k = s->open.len; k-- > 0 && n < max;) {
        uint64_t ret = s->open.at[k].ret;
        uint64_t context = in_kernel(ret) ? PTS_CONTEXT_KERNEL : PTS_CONTEXT_USER;
        if (context != last && n + 1 >= max)
            break;
        if (context != last)
            word[n++] = last = context;
        word[n++] = ret;
    }
    return n;
}

void calls_free(struct calls *c)
{
    for (size_t i = 0; i < c->stack.len; i++)
        VEC_FREE(&c->stack.at[i].open);
    VEC_FREE(&c->stack);
    idmap_free(&c->of);
}
