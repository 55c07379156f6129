/* count.c - a sample, in the rows that it belongs to.
 *
 * SPDX-License-Identifier: MIT
 *
 *     sample -> itself
 *            -> each of its frames, where callers count, too
 *            -> each of its branches, in place of itself
 */
#include "synth/report/report.h"

static char level_of(uint8_t cpumode)
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
    bool own = w->thread >= WHO_NOBODY || w->guest;

    i->comm = own ? text_kept_at(r, comm_of(r, w))
                  : sb_comm_known(r->scene.sb, w->thread, w->epoch);
    i->last_comm = own ? i->comm : sb_comm_at(r->scene.sb, w->thread, UINT32_MAX);
    i->comm_key = own || r->opts.collapses ? i->comm : comm_of(r, w);
    return i->comm && i->last_comm;
}

static struct spot_of spot_at(struct report *r, const struct who *w, uint8_t how,
                              uint64_t ip)
{
    struct spot_of s = {.at = *place_at(r->places, w, how, ip)};

    s.shown = place_frame_addr(&s.at);
    s.asked = s.at.addr;
    return s;
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
    r->traced.len = 0;
    tracepoint_put(r->tracepoints, resolve_lookup(r->resolve), &tp, &r->traced);
    text_char(&r->traced, '\0');
    if (!r->traced.failed)
        i->trace = text_kept_at(r, r->traced.at);
    return i->trace ? PTS_OK : PTS_E_NOMEM;
}

static pts_status item_of(struct report *r, const struct sample *s, struct subject *i)
{
    *i = (struct subject){
        .thread = s->who.thread, .tid = s->who.tid, .cpu = s->who.cpu, .time = s->time};
    if (!name_thread(r, &s->who, i))
        return PTS_E_NOMEM;
    i->time -= i->time % r->opts.time_quantum;
    i->spot = spot_at(r, &s->who, s->cpumode, s->ip);
    i->level = level_of(s->cpumode);
    r->kernel_hit |= i->spot.at.kernel;
    return r->opts.traces ? find_trace(r, s, i) : PTS_OK;
}

static bool is_filtered(const struct report *r, const struct sample *s,
                        const struct subject *i)
{
    const struct select *sel = &r->opts.sel;

    return (r->opts.exclude_other && !i->parent) ||
           (select_threads(sel) &&
            !select_thread_ok(sel, s->who.pid, s->who.tid, comm_of(r, &s->who))) ||
           (select_places(sel) && !select_place_ok(sel, &i->spot.at));
}

/* --- Counting ---------------------------------------------------------------------- */

static void count_sample(struct hists *h, uint32_t row)
{
    h->samples++;
    h->samples_shown += !h->entry.at[row].filtered;
}

/* Whether rows of its event have chains. */
static bool has_chains(const struct report *r, const struct sample *s)
{
    return r->opts.chains &&
           (r->opts.hops || r->scene.plan->evl.ev.at[s->event].has_chain);
}

static bool is_counted(const struct report *r, const struct hists *h, size_t n,
                       const struct subject *item)
{
    for (size_t i = 0; i < n; i++)
        if (hists_is(h, &r->opts, &r->keys, r->counted[i], item))
            return true;
    return false;
}

/* A frame, as an item.  Where there is no symbol the address is not that within the file,
 * unlike that of a sample; where there is no map perf takes the mode of the frame before. */
static void frame_item(struct report *r, const struct frame *f, struct subject *i,
                       struct amount *a)
{
    i->spot = spot_at(r, &r->framed, f->cpumode, f->ip);
    i->spot.shown = i->spot.asked = f->ip;
    i->spot.absolute = true;
    i->spot.at.sym = f->sym;
    i->spot.inlined = f->inlined;
    i->srcline = f->srcline ? f->srcline : "??:0"; /* without a map there is no line */
    if (!i->spot.at.dso)
        return;
    a->cpumode = f->cpumode;
    i->level = level_of(f->cpumode);
}

static struct memo_key memo_key_of(const struct sample *s, const struct who *w,
                                   const struct subject *i)
{
    return (struct memo_key){.comm = i->comm_key,
                             .space = w->epoch,
                             .thread = w->thread,
                             .guest = w->guest,
                             .event = s->event,
                             .level = (uint8_t)i->level};
}

/* The row of a frame; HISTS_NONE: it has been counted. */
static pts_status frame_row(struct report *r, const struct sample *s,
                            const struct frame *f, struct subject *i, struct amount *a,
                            size_t n, bool filtered, uint32_t *row)
{
    struct hists *h = &r->hists[s->event];
    struct memo_key key = memo_key_of(s, &r->framed, i);

    key.ip = f->ip;
    key.mode = f->cpumode;
    struct memo_slot *slot = r->memo ? memo_at(r->memo, &key) : NULL;
    if (slot && slot->used) {
        *row = slot->row;
        i->level = (char)slot->level;
        a->cpumode = slot->mode ? slot->mode : a->cpumode;
    } else {
        frame_item(r, f, i, a);
        *row = HISTS_NONE;
        if (r->opts.by_tree && is_counted(r, h, n, i))
            return PTS_OK;
        pts_status st = hists_row(h, &r->opts, &r->keys, i, filtered, row);
        if (st < 0)
            return st;
        if (slot)
            *slot = (struct memo_slot){key, *row, i->spot.at.dso ? a->cpumode : 0,
                                       (uint8_t)i->level, true};
    }
    for (size_t k = 0; k < n; k++)
        if (r->counted[k] == *row)
            *row = HISTS_NONE;
    return PTS_OK;
}

/* Each frame in its row, but once only. */
static pts_status count_callers(struct report *r, const struct sample *s,
                                struct subject *i, uint32_t own, bool filtered)
{
    struct hists *h = &r->hists[s->event];
    struct amount a = {s->period, s->cpumode, false};
    size_t n = 0;

    if (!vec_room((void **)&r->counted, &r->counted_cap, r->frames.len + 1,
                  sizeof(*r->counted)))
        return PTS_E_NOMEM;
    /* perf forgets the time when it looks whether a frame was counted: by that key none
     * was. */
    if (!r->opts.times)
        r->counted[n++] = own;
    for (size_t k = 0; k < r->frames.len; k++) {
        uint32_t row;
        pts_status st = frame_row(r, s, &r->frames.at[k], i, &a, n, filtered, &row);
        if (st < 0)
            return st;
        if (row == HISTS_NONE)
            continue;
        hists_count(h, row, &a);
        if (has_chains(r, s))
            st = hists_chain(h, &r->opts, row, &r->frames, k, a.period);
        if (st < 0)
            return st;
        if (!r->opts.times)
            r->counted[n++] = row;
    }
    return PTS_OK;
}

static pts_status find_lines(struct report *r, const struct sample *s,
                             struct subject *i)
{
    const struct place_query q = {&s->who, s->ip, s->cpumode};
    pts_status st = lines_sample(&r->lines, &q, &i->spot.at, &i->srcline);

    return st == PTS_OK ? lines_file(&r->lines, i->srcline, &i->srcfile) : st;
}

static pts_status take_frames(struct report *r, const struct sample *s,
                              struct subject *i)
{
    const struct frames_want want = {.places = r->places,
                                     .look = resolve_lookup(r->resolve),
                                     .lines = &r->lines,
                                     .parents = r->parents,
                                     .max_stack = r->opts.max_stack,
                                     .key = r->opts.chain.key,
                                     .history = r->opts.history,
                                     .hops = r->opts.hops,
                                     .callers_first = r->opts.chain.callers_first,
                                     .hide_unresolved = r->opts.hide_unresolved,
                                     .inlined = r->opts.inlined};
    pts_status st = PTS_OK;

    /* What has no chain perf counts for the callers of the sample before. */
    if ((r->opts.chains || r->opts.children || r->parents) &&
        (r->opts.hops || (s->stacks && s->stacks->chain))) {
        st = frames_take(&r->frames, &want, s);
        r->framed = s->who;
        i->parent = r->frames.parent;
    }
    return st;
}

static pts_status count_whole(struct report *r, const struct sample *s,
                              struct subject *i, uint32_t *out)
{
    struct hists *h = &r->hists[s->event];
    const struct amount a = {s->period, s->cpumode, true};
    uint32_t row = 0;
    pts_status st = PTS_OK;

    st = take_frames(r, s, i);
    if (st == PTS_OK && (r->opts.srclines || r->opts.srcfiles))
        st = find_lines(r, s, i);
    bool filtered = is_filtered(r, s, i);
    if (st == PTS_OK)
        st = hists_row(h, &r->opts, &r->keys, i, filtered, &row);
    if (st < 0)
        return st;
    *out = row;
    hists_count(h, row, &a);
    count_sample(h, row);
    if (has_chains(r, s))
        st = hists_chain(h, &r->opts, row, &r->frames, 0, s->period);
    return st == PTS_OK && r->opts.children ? count_callers(r, s, i, row, filtered)
                                            : st;
}

/* perf looks in all maps in turn, so what is in none is as of the last kind. */
static struct spot_of branch_spot(struct report *r, const struct who *w, uint64_t ip)
{
    uint8_t mode = mode_at_addr(ip, false);
    struct spot_of s = {.at = *place_at(r->places, w, mode, ip)};

    s.shown = ip;
    s.asked = s.at.addr;
    s.absolute = true;
    s.level = s.at.dso ? level_of(mode) : level_of(PTS_MODE_HYPERVISOR);
    return s;
}

/* perf takes each branch of a row for its first one. */
static void count_kind(struct report *r, const struct subject *i)
{
    const struct pts_branch first = {i->from.at.ip, i->spot.at.ip, i->flags};

    if (branch_kind(first.flags))
        branch_stats_count(&r->kinds, &first);
}

static pts_status count_branch(struct report *r, const struct sample *s,
                               struct subject *i, const struct pts_branch *b,
                               bool filtered)
{
    struct hists *h = &r->hists[s->event];
    const struct amount a = {1, s->cpumode, true};
    struct memo_key key = memo_key_of(s, &s->who, i);
    pts_status st = PTS_OK;
    uint32_t row = 0;

    key.ip = b->to;
    key.from = b->from;
    key.flags = b->flags;
    struct memo_slot *slot = r->memo ? memo_at(r->memo, &key) : NULL;
    if (slot && slot->used) {
        row = slot->row;
    } else {
        i->from = branch_spot(r, &s->who, b->from);
        i->spot = branch_spot(r, &s->who, b->to);
        i->flags = b->flags;
        if (r->opts.hide_unresolved && !(i->from.at.sym && i->spot.at.sym))
            return PTS_OK;
        st = hists_row(h, &r->opts, &r->keys, i, filtered, &row);
    }
    if (st < 0)
        return st;
    if (slot)
        *slot = (struct memo_slot){.key = key, .row = row, .used = true};
    hists_count(h, row, &a);
    count_sample(h, row);
    count_kind(r, &h->entry.at[row].item);
    return PTS_OK;
}

/* A branch that is a sample of its own counts as a stack of one. */
static pts_status count_branches(struct report *r, const struct sample *s,
                                 struct subject *i)
{
    const struct sample_stacks *st = s->stacks;
    const struct pts_branch own = {s->ip, s->addr, 0};
    pts_status rc = r->parents ? take_frames(r, s, i) : PTS_OK;
    bool filtered = is_filtered(r, s, i);

    if (rc < 0)
        return rc;
    if (!s->recorded && r->scene.plan->evl.ev.at[s->event].is_branch)
        return itrace_on(&r->opts.run.itrace, ITRACE_ON(BRSTACK))
                   ? count_branch(r, s, i, &own, filtered)
                   : PTS_OK;
    if (r->opts.total_cycles && st && st->branches && st->branch_count)
        r->cycles |= branch_cycles(st->branches[0].flags) != 0;
    for (uint32_t k = 0; rc == PTS_OK && st && st->branches && k < st->branch_count;
         k++)
        rc = count_branch(r, s, i, &st->branches[k], filtered);
    return rc;
}

/* Where a sample without callers and branches was counted the last time that it was met
 * between the same two records; NULL: such samples are not remembered. */
static struct memo_slot *sample_slot(const struct report *r, const struct sample *s)
{
    const struct memo_key key = {.ip = s->ip,
                                 .from = s->who.epoch,
                                 .flags = UINT64_MAX, /* of no branch */
                                 .space = s->who.epoch,
                                 .thread = s->who.thread,
                                 .guest = s->who.guest,
                                 .event = s->event,
                                 .mode = s->cpumode};
    const struct report_opts *o = &r->opts;

    return r->memo && !o->branches && !o->children && !o->chains &&
                   !o->hide_unresolved && !o->parents
               ? memo_at(r->memo, &key)
               : NULL;
}

static pts_status count_new(struct report *r, const struct sample *s, uint32_t *row)
{
    struct subject i;
    pts_status st = item_of(r, s, &i);

    *row = HISTS_NONE;
    if (st < 0 || (r->opts.hide_unresolved && !i.spot.at.sym))
        return st;
    return r->opts.branches ? count_branches(r, s, &i) : count_whole(r, s, &i, row);
}

pts_status report_count(struct report *r, const struct sample *s)
{
    const struct amount a = {s->period, s->cpumode, true};
    uint32_t row;

    if (s->hidden || cpus_skip(&r->opts.cpus, s->who.cpu))
        return PTS_OK;
    struct memo_slot *slot = sample_slot(r, s);
    if (slot && slot->used) {
        hists_count(&r->hists[s->event], slot->row, &a);
        count_sample(&r->hists[s->event], slot->row);
        return PTS_OK;
    }
    pts_status st = count_new(r, s, &row);
    if (slot && row != HISTS_NONE) {
        slot->row = row;
        slot->used = true;
    }
    return st;
}
