/* dlfilter_run.c - a compiled filter: loaded, started, shown samples, stopped.
 *
 * SPDX-License-Identifier: MIT
 *
 * All that a filter may have is looked up by name, and all of it may be missing, as in
 * perf: an object that is no filter is one that keeps everything.
 */
#include "synth/dlfilter/dlfilter_priv.h"

#include "decoder/base/diag.h"
#include "decoder/base/sys.h"

#include <dlfcn.h>
#include <ptscript/dlfilter.h>
#include <string.h>

/* --- Loading ---------------------------------------------------------------------- */

static void find_all(struct dlfilter *d)
{
    (void)sys_function(d->object, "start", &d->has.start);
    (void)sys_function(d->object, "stop", &d->has.stop);
    (void)sys_function(d->object, "filter_event", &d->has.event);
    (void)sys_function(d->object, "filter_event_early", &d->has.early);
    (void)sys_function(d->object, "perf_dlfilter_fns", &d->has.functions);
    if (d->has.functions)
        dlfilter_answer(d->has.functions);
}

pts_status pts_dlfilter_describe(const char *path, pts_dlfilter_fn *told, void *ctx)
{
    struct dlfilter d = {.object = dlopen(path, RTLD_NOW)};
    const char *longer = NULL;
    dl_about_fn *about;

    if (!d.object)
        return PTS_END;
    (void)sys_function(d.object, "filter_event", &d.has.event);
    (void)sys_function(d.object, "filter_event_early", &d.has.early);
    (void)sys_function(d.object, "filter_description", &about);
    bool is_one = d.has.event || d.has.early;
    if (is_one) {
        const char *text = about ? about(&longer) : NULL;
        told(ctx, text, longer);
    }
    dlclose(d.object);
    return is_one ? PTS_OK : PTS_END;
}

/* A NULL stands behind the last. */
static pts_status take_args(struct dlfilter *d)
{
    const struct options *o = &d->scene.plan->opt;

    if (!o->dlarg.len)
        return PTS_OK;
    if (o->dlarg.len >= INT32_MAX)
        return PTS_E_RANGE;
    d->args = mem_zalloc(o->dlarg.len + 1, sizeof(*d->args));
    if (!d->args)
        return PTS_E_NOMEM;
    for (size_t i = 0; i < o->dlarg.len; i++)
        memcpy(&d->args[i], &o->dlarg.at[i], sizeof(d->args[i]));
    d->arg_count = (int)o->dlarg.len;
    return PTS_OK;
}

static pts_status object_open(const char *path, void **out, struct pts_diag *why)
{
    void *object = dlopen(path, RTLD_NOW);

    if (!object)
        return diag_set(why, PTS_E_IO, UINT64_MAX, "dlopen failed for: '%s'", path);
    *out = object;
    return PTS_OK;
}

pts_status pts_dlfilter_load(const char *path, struct pts_diag *why)
{
    void *object; /* never closed: what is loaded again is this one */

    return object_open(path, &object, why);
}

static pts_status load(struct dlfilter *d, struct pts_diag *why)
{
    pts_status st = object_open(d->scene.plan->opt.dlfilter, &d->object, why);

    if (st == PTS_OK)
        find_all(d);
    return st;
}

pts_status dlfilter_open(const struct dlfilter_scene *scene, struct dlfilter **out,
                         struct pts_diag *why)
{
    struct dlfilter *d = mem_zalloc(1, sizeof(*d));
    pts_status st = d ? PTS_OK : PTS_E_NOMEM;

    if (d) {
        d->scene = *scene;
        st = take_args(d);
    }
    if (st == PTS_OK)
        st = printed_open(&d->printed);
    if (st < 0)
        diag_set(why, st, UINT64_MAX, "out of memory");
    if (st == PTS_OK)
        st = load(d, why);
    if (st < 0) {
        dlfilter_close(d);
        return st;
    }
    *out = d;
    return PTS_OK;
}

void dlfilter_close(struct dlfilter *d)
{
    if (!d)
        return;
    if (d->started && !d->stopped && d->has.stop) {
        printed_begin(&d->printed); /* nobody is there to read it */
        (void)d->has.stop(d->data, d);
        (void)printed_end(&d->printed);
    }
    if (d->object)
        dlclose(d->object);
    printed_close(&d->printed);
    mem_free(d->line_file);
    mem_free(d->args);
    mem_free(d);
}

/* --- Calls ------------------------------------------------------------------------ */

/* What it has printed goes into the batch. */
static pts_status printed_to(struct dlfilter *d, struct batch *b)
{
    pts_status st = printed_end(&d->printed);

    if (st < 0 || !d->printed.len)
        return st;
    return batch_text(b, d->printed.text, d->printed.len);
}

pts_status dlfilter_start(struct dlfilter *d, struct batch *b)
{
    d->started = true;
    if (!d->has.start)
        return PTS_OK;
    printed_begin(&d->printed);
    d->result = d->has.start(&d->data, d);
    pts_status st = printed_to(d, b);
    return st < 0 ? st : d->result ? PTS_E_FILTER : PTS_OK;
}

pts_status dlfilter_stop(struct dlfilter *d, struct batch *b)
{
    if (!d->started || d->stopped || !d->has.stop)
        return PTS_OK;
    d->stopped = true;
    printed_begin(&d->printed);
    (void)d->has.stop(d->data, d); /* perf does not look at it, either */
    return printed_to(d, b);
}

int dlfilter_result(const struct dlfilter *d)
{
    return d->result;
}

bool dlfilter_failed_made(const struct dlfilter *d)
{
    return d->failed_made;
}

/* Of an event that was recorded, what its attributes do not ask for is as perf leaves
 * it: ids and times of all ones. */
static void fill_ids(struct dl_sample *to, const struct sample *s,
                     const struct evl_event *e)
{
    bool named = s->recorded && s->more;

    to->id = named ? s->more->id : e->id;
    to->stream_id = named ? s->more->stream_id : e->id;
    if (s->recorded && !(e->attr.sample_type & PTS_SAMPLE_TIME))
        to->time = UINT64_MAX;
}

static void fill_more(struct dl_sample *to, const struct sample_more *m)
{
    if (!m)
        return;
    to->ins_lat = (uint16_t)m->ins_lat;
    to->weight = m->weight;
    to->transaction = m->transaction;
    to->data_src = m->data_src;
    to->phys_addr = m->phys_addr;
    to->data_page_size = m->data_page_size;
    to->code_page_size = m->code_page_size;
    to->cgroup = m->cgroup;
}

/* Letter l gives a made sample a stack of branches, be it an empty one. */
static void fill_stacks(const struct dlfilter *d, struct dl_sample *to,
                        const struct sample *from)
{
    static const struct pts_branch none[1];
    const struct sample_stacks *s = from->stacks;
    bool stacked =
        !from->recorded && itrace_on(&d->scene.plan->opt.itrace, ITRACE_ON(BRSTACK));

    if (!s)
        return;
    to->brstack_nr = s->branch_count;
    to->brstack = s->branches || !stacked ? s->branches : none;
    to->raw_callchain_nr = s->chain_len;
    to->raw_callchain = s->chain;
}

static struct dl_sample shown(const struct dlfilter *d, const struct sample *s)
{
    const struct evl_event *e = &d->scene.plan->evl.ev.at[s->event];
    struct dl_sample to = {
        .size = sizeof(to),
        .ip = s->ip,
        .pid = s->who.pid,
        .tid = s->who.tid,
        .time = s->time,
        .addr = s->addr,
        .period = s->period,
        .insn_cnt = s->insn_cnt,
        .cyc_cnt = s->cyc_cnt,
        .cpu = s->who.cpu,
        .flags = s->flags,
        .cpumode = s->cpumode,
        .addr_correlates_sym = evl_has_target(e),
        .misc = s->misc,
        .raw_size = s->raw.len,
        .raw_data = s->raw.len ? s->raw.ptr : NULL,
        .event = e->name,
        .machine_pid = s->who.machine_pid,
        .vcpu = s->recorded && !s->who.guest ? -1 : s->who.vcpu,
    };

    fill_ids(&to, s, e);
    fill_more(&to, s->more);
    fill_stacks(d, &to, s);
    return to;
}

static pts_status show(struct dlfilter *d, dl_event_fn *call, const struct sample *s,
                       struct batch *b)
{
    if (!call)
        return PTS_OK;
    const struct dl_sample to = shown(d, s);
    d->sample = s;
    printed_begin(&d->printed);
    int result = call(d->data, &to, d);
    pts_status st = printed_to(d, b);
    d->sample = NULL;
    if (st < 0)
        return st;
    if (result >= 0)
        return result ? PTS_END : PTS_OK;
    d->result = result;
    d->failed_made = !s->recorded;
    return PTS_E_FILTER;
}

static pts_status early(void *ctx, const struct sample *s, struct batch *b)
{
    struct dlfilter *d = ctx;

    return show(d, d->has.early, s, b);
}

static pts_status late(void *ctx, const struct sample *s, struct batch *b)
{
    struct dlfilter *d = ctx;

    return show(d, d->has.event, s, b);
}

struct gate dlfilter_gate(struct dlfilter *d)
{
    return (struct gate){d, early, late};
}
