/* count.c - a sample, in the rows that it belongs to.
 *
 * SPDX-License-Identifier: MIT
 *
 *     sample -> itself
 *            -> each of its frames, where callers count, too
 *            -> each of its branches, in place of itself
 */
#include "synth/report/count.h"

char count_level(uint8_t cpumode)
{
    switch (cpumode) {
    case PTS_MODE_KERNEL:
        return 'k';
    case PTS_MODE_USER:
        return '.';
    case PTS_MODE_GUEST_KERNEL:
        return 'g';
    case PTS_MODE_GUEST_USER:
        return 'u';
    default:
        return 'H';
    }
}

static const char *text_kept_at(struct report *r, const char *s)
{
    uint32_t id = strings_of(&r->strings, s, strlen(s));
    const struct string *kept = strings_at(&r->strings, id);

    return kept ? kept->at : NULL;
}

/* As it is then. */
static const char *comm_of(const struct report *r, const struct who *w)
{
    const struct lookup *look = resolve_lookup(r->resolve);

    return look->comm(look->ctx, w);
}

/* Names that are made up are lent until the next question only. */
static bool name_thread(struct report *r, const struct who *w, struct subject *i)
{
    const bool own = w->thread >= WHO_NOBODY || w->guest;

    i->comm = own ? text_kept_at(r, comm_of(r, w))
                  : sb_comm_known(r->scene.sb, w->thread, w->epoch);
    i->last_comm = own ? i->comm : sb_comm_at(r->scene.sb, w->thread, UINT32_MAX);
    i->named = own ? 0 : sb_named_at(r->scene.sb, w->thread);
    i->made_up = own ? i->comm : sb_comm_at(r->scene.sb, w->thread, 0);
    return i->comm && i->last_comm;
}

void count_spot_names(const struct report *r, struct spot_of *s)
{
    const bool verbose = r->opts.run.verbose;

    s->dso = verbose ? s->at.dso_path : s->at.dso_short;
    s->origin = !verbose ? '\0' : s->at.sym_from ? s->at.sym_from : '!';
}

struct spot_of count_spot(struct report *r, const struct who *w, uint8_t how,
                          uint64_t ip)
{
    struct spot_of s = {.at = *place_at(r->places, w, how, ip)};

    count_spot_names(r, &s);
    s.shown = s.at.addr;
    s.asked = s.at.addr;
    return s;
}

/* By the sample's bytes; nobody's rows are different by it yet. */
pts_status count_trace_text(struct report *r, const struct tracepoint_sample *tp,
                            const char **out)
{
    r->traced.len = 0;
    tracepoint_put(r->tracepoints, resolve_lookup(r->resolve), tp, &r->traced);
    text_char(&r->traced, '\0');
    if (!r->traced.failed)
        *out = text_kept_at(r, r->traced.at);
    return *out ? PTS_OK : PTS_E_NOMEM;
}

static pts_status find_trace(struct report *r, const struct sample *s,
                             struct subject *i)
{
    const struct evl_event *e = &r->scene.plan->evl.ev.at[s->event];
    const struct tracepoint_sample tp = {
        &s->who, e->attr.config, {s->raw.ptr, s->raw.len}
    };

    if (e->attr.type != PTS_TYPE_TRACEPOINT)
        return PTS_OK;
    if (r->opts.raws)
        i->raw = tp.raw;
    return r->opts.traces ? count_trace_text(r, &tp, &i->trace) : PTS_OK;
}

static void take_more(struct report *r, const struct sample *s, struct subject *i)
{
    struct subject_more *to = &r->more;

    i->more = to;
    if (!r->opts.more)
        return;
    *to = (struct subject_more){0};
    if (s->more)
        *to = (struct subject_more){.weight = s->more->weight,
                                    .transaction = s->more->transaction,
                                    .page_size = s->more->code_page_size,
                                    .cgroup = s->more->cgroup,
                                    .latency = (uint16_t)s->more->ins_lat};
    struct pts_namespace space = around_space(&r->around, s->who.tid);
    to->cgroup_dev = space.dev;
    to->cgroup_ino = space.ino;
    to->socket = around_socket(&r->around, s->who.cpu);
}

/* perf looks for the data in the maps of the sample's mode only, and for the code in all. */
static void take_mem(struct report *r, const struct sample *s, struct subject *i)
{
    const struct who *w = &s->who;
    struct subject_mem *m = &r->mem;

    m->data = count_spot(r, w, s->cpumode, s->addr);
    m->data.shown = m->data.asked = s->addr;
    m->code = count_spot(r, w, mode_at_addr(s->ip, false), s->ip);
    m->code.shown = m->code.asked = s->ip;
    m->source = s->more ? s->more->data_src : 0;
    m->phys = s->more ? s->more->phys_addr : 0;
    m->page_size = s->more ? s->more->data_page_size : 0;
    m->pid = w->pid;
    m->cpumode = s->cpumode;
    i->mem = m;
}

pts_status count_item(struct report *r, const struct sample *s, struct subject *i)
{
    *i = (struct subject){.thread = s->who.thread,
                          .tid = s->who.tid,
                          .cpu = s->who.cpu,
                          .time = s->time,
                          .from = &subject_nowhere};
    r->keys.epoch = s->who.epoch;
    if (is_last_owner(&r->owner, s)) {
        i->comm = r->owner.comm;
        i->last_comm = r->owner.last_comm;
        i->made_up = r->owner.made_up;
        i->named = r->owner.named;
    } else if (!name_thread(r, &s->who, i)) {
        return PTS_E_NOMEM;
    }
    if (s->recorded &&
        !(r->scene.plan->evl.ev.at[s->event].attr.sample_type & PTS_SAMPLE_TIME))
        i->time = UINT64_MAX;
    i->time -= i->time % r->opts.time_quantum;
    take_more(r, s, i);
    i->spot = count_spot(r, &s->who, s->cpumode, s->ip);
    i->level = count_level(
        plan_leaves_out(r->scene.plan, s->cpumode) ? PTS_MODE_HYPERVISOR : s->cpumode);
    r->kernel_hit |= i->spot.at.kernel;
    if (r->opts.mem_mode)
        take_mem(r, s, i);
    return r->opts.traces || r->opts.raws ? find_trace(r, s, i) : PTS_OK;
}

uint8_t count_filters(const struct report *r, const struct sample *s,
                      const struct subject *i)
{
    const struct select *sel = &r->opts.sel;
    unsigned mask = 0;

    if (r->opts.exclude_other && !i->parent)
        mask |= FILTER_PARENT;
    if (r->opts.by_socket && i->more->socket != r->opts.socket)
        mask |= FILTER_SOCKET;
    if (plan_leaves_out(r->scene.plan, s->cpumode)) /* it counts, and no row shows it */
        mask |= FILTER_GUEST;
    if (r->begun) /* of the function in the sample's place perf does not ask */
        return (uint8_t)mask;
    if (select_threads(sel) &&
        !select_thread_ok(sel, s->who.pid, s->who.tid, comm_of(r, &s->who)))
        mask |= FILTER_THREAD;
    if (sel->dsos.on && !select_dso_ok(sel, &i->spot.at))
        mask |= FILTER_DSO;
    if (sel->symbols.on && !select_symbol_ok(sel, &i->spot.at))
        mask |= FILTER_SYMBOL;
    return (uint8_t)mask;
}

bool count_has_chains(const struct report *r, uint32_t event)
{
    return r->opts.chains && (r->opts.hops || r->opts.ref_chains ||
                              r->scene.plan->evl.ev.at[event].has_chain);
}

pts_status count_lines(struct report *r, const struct sample *s, struct subject *i)
{
    const bool begun = r->begun;
    const struct place_query q = {&s->who, i->spot.at.ip,
                                  begun ? r->frames.at[0].cpumode : s->cpumode};

    if (!r->opts.srclines && !r->opts.srcfiles)
        return PTS_OK;
    struct line_text text = {0};
    pts_status st = lines_sample(&r->lines, &q, &i->spot.at, &text);
    i->srcline = text.line;
    i->srcfile = text.file;
    return st;
}

pts_status count_lines_beside(struct report *r, const struct place_query *q,
                              struct subject *i)
{
    if (!r->opts.srclines && !r->opts.srcfiles)
        return PTS_OK;
    struct line_text text = {0};
    pts_status st = lines_beside(&r->lines, q, &i->spot.at, &text);
    i->srcline = text.line;
    i->srcfile = text.file;
    return st;
}

/* --- Frames ------------------------------------------------------------------------ */

static struct frames_want frames_wanted(struct report *r)
{
    return (struct frames_want){.places = r->places,
                                .known = r->frames_known,
                                .look = resolve_lookup(r->resolve),
                                .lines = &r->lines,
                                .parents = r->parents,
                                .first = r->first,
                                .max_stack = r->opts.max_stack,
                                .key = r->opts.chain.key,
                                .history = r->opts.history || r->opts.chain.branches,
                                .hops = r->opts.hops,
                                .callers_first = r->opts.chain.callers_first,
                                .hide_unresolved = r->opts.hide_unresolved,
                                .inlined = r->opts.inlined};
}

/* The frames of the last sample that had a chain. */
static pts_status frames_again(struct report *r)
{
    const struct frames_want want = frames_wanted(r);
    const struct last_chain *c = &r->chain;
    const struct sample_stacks stacks = {
        .chain = c->word.at, .chain_len = (uint32_t)c->word.len, .whole = c->whole};
    const struct sample last = {.who = c->who, .stacks = &stacks};

    if (!c->known || !c->word.len)
        return PTS_OK;
    r->chain.known = false;
    r->framed = c->who;
    return frames_take(&r->frames, &want, &last);
}

static bool has_chain(const struct sample *s)
{
    return s->stacks && s->stacks->chain;
}

/* The function with which the frames of a sample begin stands for it. */
static void begin_there(struct report *r, const struct sample *s, struct subject *i)
{
    const struct frame *f = &r->frames.at[0];

    i->spot = count_spot(r, &s->who, f->cpumode, f->ip);
    i->level = count_level(f->cpumode);
}

pts_status count_frames(struct report *r, const struct sample *s, struct subject *i)
{
    const struct frames_want want = frames_wanted(r);

    r->begun = false;
    if (!r->opts.chains && !r->opts.children && !r->parents)
        return PTS_OK;
    /* What has no chain perf counts for the callers of the sample before. */
    if (!r->opts.hops && !has_chain(s))
        return frames_again(r);
    pts_status st = frames_take(&r->frames, &want, s);
    r->framed = s->who;
    r->chain.known = false;
    i->parent = r->frames.parent;
    r->begun = st == PTS_OK && r->frames.begun;
    if (r->begun)
        begin_there(r, s, i);
    return st;
}

/* --- Samples ----------------------------------------------------------------------- */

uint32_t count_new_owner(struct report *r, const struct sample *s)
{
    const struct who *w = &s->who;
    struct subject i;

    if (!name_thread(r, w, &i))
        return IDMAP_NONE;
    /* As it is called now: what comes of its name is not known. */
    const struct memo_owner key = {.comm = w->epoch < i.named ? i.made_up : i.comm,
                                   .thread = w->thread,
                                   .guest = w->guest,
                                   .space = w->space,
                                   .kernel_space = w->kernel_space,
                                   .event = s->event,
                                   .pid = w->pid,
                                   .tid = w->tid,
                                   .mode = s->cpumode};
    uint32_t number = memo_owner(&r->owners, &key);
    if (number != IDMAP_NONE)
        r->owner = (struct last_owner){.who = *w,
                                       .event = s->event,
                                       .number = number,
                                       .mode = s->cpumode,
                                       .known = true,
                                       .comm = i.comm,
                                       .last_comm = i.last_comm,
                                       .made_up = i.made_up,
                                       .named = i.named};
    return number;
}

static pts_status count_whole(struct report *r, const struct sample *s,
                              struct subject *i, uint32_t *out)
{
    struct hists *h = &r->hists[s->event];
    struct amount a = {s->period, 1, s->cpumode, true};
    uint32_t row = 0;

    pts_status st = count_frames(r, s, i);
    if (st == PTS_OK)
        st = count_lines(r, s, i);
    uint8_t filtered = count_filters(r, s, i);
    if (st == PTS_OK)
        st = hists_row(h, report_opts_of(r, s->event), &r->keys, i, filtered, &row);
    if (st < 0)
        return st;
    *out = row;
    if (r->begun)
        a.cpumode = r->frames.at[0].cpumode;
    count_in_row(r, s->event, row, &a);
    const struct chain_add all = {&r->frames, 0, s->period, 1};
    /* That of the sample before is for callers only. */
    if (count_has_chains(r, s->event) && (r->opts.hops || has_chain(s)))
        st = hists_chain(h, &r->opts, row, &all);
    return st == PTS_OK && r->opts.children ? count_callers(r, s, i, row, filtered)
                                            : st;
}

bool count_is_plain(const struct report *r)
{
    const struct report_opts *o = &r->opts;

    return r->memo && !o->branches && !o->children && !o->chains &&
           !o->hide_unresolved && !r->parents && !r->first;
}

static pts_status count_new(struct report *r, const struct sample *s, uint32_t *row)
{
    struct subject i;
    pts_status st = count_item(r, s, &i);

    *row = HISTS_NONE;
    if (st < 0 || (r->opts.hide_unresolved && !i.spot.at.sym))
        return st;
    return r->opts.branches ? count_branches(r, s, &i) : count_whole(r, s, &i, row);
}

static pts_status count_plain(struct report *r, const struct sample *s)
{
    const struct memo_key key = {s->ip, 0, MEMO_SAMPLE, count_owner(r, s)};
    struct memo_slot *slot = memo_place(r->memo, &key);
    uint32_t row;

    if (key.owner == IDMAP_NONE)
        return PTS_E_NOMEM;
    if (memo_count(slot, &key, s->period))
        return PTS_OK;
    count_later(r, slot);
    pts_status st = count_new(r, s, &row);
    if (st == PTS_OK && row != HISTS_NONE)
        memo_at(r->memo, &key)->to = row + 1;
    return st;
}

/* An access to memory counts by what it cost. */
static pts_status count_access(struct report *r, const struct sample *s)
{
    struct sample access = *s;
    uint32_t row;

    access.period = s->more && s->more->weight ? s->more->weight : 1;
    return count_new(r, &access, &row);
}

pts_status report_count(struct report *r, const struct sample *s)
{
    uint32_t row;

    if (s->hidden || cpus_skip(&r->opts.cpus, s->who.cpu))
        return PTS_OK;
    if (r->opts.mem_mode)
        return count_access(r, s);
    pts_status st = count_refresh(r, s->event);
    if (st < 0)
        return st;
    if (count_is_plain(r))
        return count_plain(r, s);
    if (r->opts.branches && count_known_branch(r, s))
        return PTS_OK;
    return count_by_paths(r, s) ? count_paths(r, s) : count_new(r, s, &row);
}
