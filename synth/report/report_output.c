/* report_output.c - the text of perf report, as an output.
 *
 * SPDX-License-Identifier: MIT
 *
 *     sample -> items: itself; its frames, where callers count; its branches
 *            -> rows of its event (hists.c)
 *     end    -> text (report_text.c)
 */
#include "decoder/base/diag.h"
#include "decoder/file/perf_feat.h"
#include "synth/print/header/feat_text.h"
#include "synth/print/output/output.h"
#include "synth/report/report_text.h"

#include <stdio.h>

struct report {
    struct output_from from;
    struct report_opts opts;
    struct text *text;
    struct scene scene; /* from here on after begin */
    struct resolve *resolve;
    struct places *places;
    struct strings strings;
    struct key_context keys;
    struct hists *hists; /* of each event */
    struct frames frames;
    struct who framed; /* whose they are */
    uint32_t *counted; /* rows that the sample on its way was counted in */
    size_t counted_cap;
    uint64_t lost;
};

/* --- Items ------------------------------------------------------------------------- */

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

/* Names that are made up are lent until the next question only. */
static bool name_thread(struct report *r, const struct who *w, struct subject *i)
{
    const struct lookup *look = resolve_lookup(r->resolve);
    bool own = w->thread >= WHO_NOBODY || w->guest;

    i->comm = look->comm(look->ctx, w);
    if (own)
        i->comm = text_kept_at(r, i->comm);
    i->last_comm = own ? i->comm : sb_comm_at(r->scene.sb, w->thread, UINT32_MAX);
    return i->comm && i->last_comm;
}

static struct spot_of spot_at(struct report *r, const struct who *w, uint8_t how,
                              uint64_t ip)
{
    struct spot_of s = {.at = *place_at(r->places, w, how, ip)};

    s.shown = place_frame_addr(&s.at);
    return s;
}

static pts_status item_of(struct report *r, const struct sample *s, struct subject *i)
{
    *i = (struct subject){.thread = s->who.thread,
                       .tid = s->who.tid,
                       .cpu = s->who.cpu,
                       .time = s->time};
    if (!name_thread(r, &s->who, i))
        return PTS_E_NOMEM;
    i->time -= i->time % r->opts.time_quantum;
    i->spot = spot_at(r, &s->who, s->cpumode, s->ip);
    i->level = level_of(s->cpumode);
    return PTS_OK;
}

static bool is_filtered(const struct report *r, const struct sample *s,
                        const struct subject *i)
{
    const struct select *sel = &r->opts.sel;

    return (select_threads(sel) &&
            !select_thread_ok(sel, s->who.pid, s->who.tid, i->comm)) ||
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
    return r->opts.chains && r->scene.plan->evl.ev.at[s->event].has_chain;
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
    i->spot.shown = f->ip;
    if (!i->spot.at.dso)
        return;
    a->cpumode = f->cpumode;
    i->level = level_of(f->cpumode);
}

/* Each frame in its row, but once only. */
static pts_status count_callers(struct report *r, const struct sample *s,
                                struct subject *i, struct amount *a, uint32_t own)
{
    struct hists *h = &r->hists[s->event];
    size_t n = 0;

    if (!vec_room((void **)&r->counted, &r->counted_cap, r->frames.len + 1,
                  sizeof(*r->counted)))
        return PTS_E_NOMEM;
    r->counted[n++] = own;
    a->self = false;
    for (size_t k = 0; k < r->frames.len; k++) {
        uint32_t row;
        frame_item(r, &r->frames.at[k], i, a);
        if (is_counted(r, h, n, i))
            continue;
        pts_status st = hists_add(h, &r->opts, &r->keys, i, a, &row);
        if (st == PTS_OK && has_chains(r, s))
            st = hists_chain(h, &r->opts, row, &r->frames, k, a->period);
        if (st < 0)
            return st;
        r->counted[n++] = row;
    }
    return PTS_OK;
}

static pts_status count_whole(struct report *r, const struct sample *s, struct subject *i)
{
    struct hists *h = &r->hists[s->event];
    struct amount a = {s->period, s->cpumode, true, is_filtered(r, s, i)};
    const struct frames_want want = {.places = r->places,
                                     .look = resolve_lookup(r->resolve),
                                     .max_stack = r->opts.max_stack,
                                     .callers_first = r->opts.chain.callers_first,
                                     .hide_unresolved = r->opts.hide_unresolved,
                                     .inlined = r->opts.inlined};
    uint32_t row;
    pts_status st = PTS_OK;

    /* What has no chain perf counts for the callers of the sample before. */
    if ((r->opts.chains || r->opts.children) && s->stacks && s->stacks->chain) {
        st = frames_take(&r->frames, &want, s);
        r->framed = s->who;
    }
    if (st == PTS_OK)
        st = hists_add(h, &r->opts, &r->keys, i, &a, &row);
    if (st == PTS_OK && has_chains(r, s))
        st = hists_chain(h, &r->opts, row, &r->frames, 0, s->period);
    if (st < 0)
        return st;
    count_sample(h, row);
    return r->opts.children ? count_callers(r, s, i, &a, row) : PTS_OK;
}

/* perf looks in all maps in turn, so what is in none is as of the last kind. */
static struct spot_of branch_spot(struct report *r, const struct who *w, uint64_t ip)
{
    uint8_t mode = mode_at_addr(ip, false);
    struct spot_of s = {.at = *place_at(r->places, w, mode, ip)};

    s.shown = ip;
    s.level = s.at.dso ? level_of(mode) : level_of(PTS_MODE_HYPERVISOR);
    return s;
}

static pts_status count_branch(struct report *r, const struct sample *s,
                               struct subject *i, const struct pts_branch *b,
                               bool filtered)
{
    struct hists *h = &r->hists[s->event];
    const struct amount a = {1, s->cpumode, true, filtered};
    uint32_t row;

    i->from = branch_spot(r, &s->who, b->from);
    i->spot = branch_spot(r, &s->who, b->to);
    i->flags = b->flags;
    pts_status st = hists_add(h, &r->opts, &r->keys, i, &a, &row);
    if (st == PTS_OK)
        count_sample(h, row);
    return st;
}

/* A branch that is a sample of its own counts as a stack of one. */
static pts_status count_branches(struct report *r, const struct sample *s,
                                 struct subject *i)
{
    const struct sample_stacks *st = s->stacks;
    const struct pts_branch own = {s->ip, s->addr, 0};
    bool filtered = is_filtered(r, s, i);
    pts_status rc = PTS_OK;

    if (!s->recorded && r->scene.plan->evl.ev.at[s->event].is_branch)
        return itrace_on(&r->opts.run.itrace, ITRACE_ON(BRSTACK))
                   ? count_branch(r, s, i, &own, filtered)
                   : PTS_OK;
    for (uint32_t k = 0; rc == PTS_OK && st && st->branches && k < st->branch_count;
         k++)
        rc = count_branch(r, s, i, &st->branches[k], filtered);
    return rc;
}

static pts_status take_sample(struct report *r, const struct sample *s)
{
    struct subject i;

    if (s->hidden)
        return PTS_OK;
    pts_status st = item_of(r, s, &i);
    if (st < 0 || (r->opts.hide_unresolved && !i.spot.at.sym) ||
        cpus_skip(&r->opts.cpus, s->who.cpu))
        return st;
    return r->opts.branches ? count_branches(r, s, &i) : count_whole(r, s, &i);
}

/* --- The sink ---------------------------------------------------------------------- */

static uint32_t wants_of_class(void *ctx, enum out_class class)
{
    const struct report *r = ctx;

    (void)class;
    return (r->opts.chains || r->opts.children ? WANT_CHAINS : 0u) |
           (r->opts.branches ? WANT_BRANCHES : 0u);
}

static bool wants_record(void *ctx, uint32_t type)
{
    (void)ctx;
    return type == PTS_RECORD_LOST_SAMPLES;
}

static void take_record(struct report *r, uint64_t off)
{
    struct record rec;

    if (record_read(r->from.file, off, &rec) == PTS_OK &&
        record_is(&rec, PTS_RECORD_LOST_SAMPLES))
        r->lost += rec.u.lost.lost;
}

static pts_status begin(void *ctx, const struct scene *scene)
{
    struct report *r = ctx;

    r->scene = *scene;
    r->keys = (struct key_context){
        .strings = &r->strings,
        .ns = r->opts.ns,
        .narrow = r->opts.separator || r->opts.width_count || r->opts.dsos};
    for (uint32_t i = 0; i < r->opts.key_count; i++)
        r->keys.by_dso |= strcmp(r->opts.key[i]->name, "dso") == 0;
    r->hists = mem_zalloc(scene->plan->evl.ev.len + 1, sizeof(*r->hists));
    pts_status st = r->hists ? resolve_new(scene->places, &r->resolve) : PTS_E_NOMEM;
    return st == PTS_OK ? places_new(resolve_lookup(r->resolve), &r->places) : st;
}

static pts_status take(void *ctx, const struct batch *b, size_t from, size_t *next)
{
    struct report *r = ctx;
    pts_status st = PTS_OK;

    for (size_t i = from; st == PTS_OK && i < b->item.len; i++) {
        if (b->item.at[i].kind == ITEM_SAMPLE)
            st = take_sample(r, &b->item.at[i].sample);
        else if (b->item.at[i].kind == ITEM_RECORD)
            take_record(r, b->item.at[i].record);
    }
    *next = b->item.len;
    return st;
}

static bool has_rows(const struct report *r)
{
    for (size_t i = 0; i < r->scene.plan->evl.ev.len; i++)
        if (r->hists[i].entry.len)
            return true;
    return false;
}

static pts_status put_events(struct report *r)
{
    const struct evlist *l = &r->scene.plan->evl;
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < l->ev.len; i++) {
        struct report_text text = {.opts = &r->opts,
                                   .keys = &r->keys,
                                   .hists = &r->hists[i],
                                   .event = l->ev.at[i].name};
        if (!r->hists[i].entry.len && r->opts.skip_empty)
            continue;
        st = hists_sort(&r->hists[i], &r->opts, &r->keys);
        if (st == PTS_OK)
            st = report_event(&text, r->text);
        text_free(&text.cell);
    }
    return st;
}

static pts_status end(void *ctx)
{
    struct report *r = ctx;
    char none[300];

    if (!has_rows(r)) {
        snprintf(none, sizeof(none), "Error:\nThe %.200s data has no samples!\n",
                 r->from.file->path);
        (void)report_quit(&r->opts, none);
        return PTS_OK;
    }
    if (!r->opts.quiet)
        text_fmt(r->text, "#\n# Total Lost Samples: %llu\n#\n",
                 (unsigned long long)r->lost);
    pts_status st = put_events(r);
    if (!r->opts.quiet)
        text_str(r->text, "#\n#\n"); /* between them perf has a tip, by chance */
    return st;
}

/* --- Opening and closing ----------------------------------------------------------- */

static void close_report(void *ctx)
{
    struct report *r = ctx;

    for (size_t i = 0; r->hists && i < r->scene.plan->evl.ev.len; i++)
        hists_free(&r->hists[i]);
    mem_free(r->hists);
    mem_free(r->counted);
    VEC_FREE(&r->frames);
    places_free(r->places);
    resolve_free(r->resolve);
    strings_free(&r->strings);
    report_options_free(&r->opts);
    mem_free(r);
}

static void put_header(struct report *r)
{
    struct evlist events = {0};
    const struct feat_env env = {r->from.file, &events, NULL};

    if (evl_add_all(&events, r->from.attr, r->from.attr_count, false) < 0)
        r->text->failed = true;
    head_text(r->text, &env, r->opts.show_info);
    evl_free(&events);
}

/* Above all that takes a run. */
static void put_start(struct report *r)
{
    const struct report_opts *o = &r->opts;

    if (o->header || o->header_only)
        put_header(r);
    else if (!o->quiet)
        text_str(r->text, "# To display the perf.data header info, please use "
                          "--header/--header-only options.\n#\n");
    if (o->header_only || o->quiet)
        return;
    for (uint32_t i = 0; i < o->elided_count; i++) {
        const char *name = o->elided[i].key->name;
        const char *of = strstr(name, "comm")   ? o->sel.comms.name.at[0]
                         : strstr(name, "dso")  ? o->sel.dsos.name.at[0]
                                                : o->sel.symbols.name.at[0];
        text_fmt(r->text, "# %s: %s\n", name, of);
    }
}

static struct report_facts facts_of(const struct report *r)
{
    const struct perf_file *f = r->from.file;
    struct report_facts facts = {
        .attr = r->from.attr,
        .attr_count = r->from.attr_count,
        .pipe = f->pipe,
        .has_trace = !f->pipe && perf_feat_has(f, PTS_FEAT_AUXTRACE),
        .branch_stacks = !f->pipe && perf_feat_has(f, PTS_FEAT_BRANCH_STACK)};
    uint32_t online;

    perf_feat_nrcpus(f, &facts.cpus, &online);
    return facts;
}

/* PTS_END: there is nothing to run, and all has been said. */
static pts_status prepare(struct report *r, const struct output_from *from,
                          struct pts_diag *why)
{
    const struct report_facts facts = facts_of(r);
    pts_status st = report_options(&r->opts, from->option, from->option_count,
                                   from->message, from->message_ctx, why);

    if (st == PTS_OK)
        st = report_set_up(&r->opts, &facts, why);
    if (st != PTS_OK)
        return st;
    put_start(r);
    return r->opts.header_only ? PTS_END : report_check(&r->opts, &facts);
}

extern output_open_fn output_report; /* outputs.def */

pts_status output_report(const struct output_from *from, struct output *out,
                         struct pts_diag *why)
{
    struct report *r = mem_zalloc(1, sizeof(*r));

    if (!r)
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    r->from = *from;
    r->from.option = NULL; /* is not there any longer when this returns */
    r->text = &out->text;
    out->ctx = r;
    out->close = close_report;
    pts_status st = prepare(r, from, why);
    if (st != PTS_OK)
        return st == PTS_END ? PTS_OK : st;
    out->options = &r->opts.run;
    out->sink = (struct sink){.wants = {.ctx = r, .of_class = wants_of_class},
                              .wants_record = wants_record,
                              .begin = begin,
                              .take = take,
                              .end = end};
    return PTS_OK;
}
