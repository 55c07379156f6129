/* scripted.c - a script's run: it starts, gets what there is, and ends.
 *
 * SPDX-License-Identifier: MIT
 *
 * The file of the script is run before the plan is made, since it may ask for letters of
 * --itrace; and so, as in perf, before most mistakes in options are found.  Its end comes
 * however the run ends, unless it ended that itself.
 */
#include "synth/scripting/scripted.h"

#include "decoder/file/perf_feat.h"

pts_status scripted_begin(struct scripted *s, const struct pts_script_call *call,
                          struct pts_diag *why)
{
    const struct pts_language *l = s->language;

    s->host = scripted_host(s);
    int ended = l->start(call, &s->host, &s->script, s->status);
    if (!ended)
        ended = l->begin(s->script, s->status);
    s->late = true;
    scripted_rows_init(s);
    if (ended)
        *why = (struct pts_diag){.status = PTS_E_CANCELLED, .offset = UINT64_MAX};
    return scripted_called(s, ended);
}

void scripted_free(struct scripted *s)
{
    if (s->script && !s->over)
        (void)s->language->end(s->script, s->status);
    if (s->script)
        s->language->close(s->script);
    export_free(&s->exporter);
    tracepoints_free(s->tracepoints);
    places_free(s->places);
    resolve_free(s->resolve);
    text_free(&s->text);
    text_free(&s->source);
    VEC_FREE(&s->event);
    VEC_FREE(&s->frame);
    VEC_FREE(&s->branch);
    VEC_FREE(&s->field);
    VEC_FREE(&s->value);
    VEC_FREE(&s->names);
    arena_free(&s->arena);
}

/* --- The sink --------------------------------------------------------------------- */

static uint32_t wants_of_class(void *ctx, enum out_class class)
{
    (void)ctx, (void)class;
    return WANT_CHAINS | WANT_BRANCHES | WANT_CYCLES | WANT_CODE;
}

static bool wants_record(void *ctx, uint32_t type)
{
    (void)ctx;
    return scripted_wants(type);
}

/* One after the other: what the script does with a sample may matter for what comes next
 * (scene.looked).  */
static uint64_t left(void *ctx)
{
    const struct scripted *s = ctx;
    uint64_t limit = s->options.text.limit;

    return !limit || s->given < limit;
}

static pts_status begin(void *ctx, const struct scene *scene)
{
    struct scripted *s = ctx;

    s->scene = *scene;
    s->native = perf_feat_x86(scene->file);
    pts_status st = resolve_new(scene->places, &s->resolve);
    if (st == PTS_OK)
        st = places_new(resolve_lookup(s->resolve), &s->places);
    return st == PTS_OK ? tracepoints_new(perf_order_tracing(scene->file, scene->order),
                                          false, &s->tracepoints)
                        : st;
}

static pts_status take_error(struct scripted *s, const struct pts_auxtrace_error *e)
{
    const struct pts_language *l = s->language;

    struct pts_auxtrace_error one = *e;

    if (!l->error)
        return PTS_OK;
    one.vcpu = e->machine_pid ? e->vcpu : 0;
    return scripted_called(s, l->error(s->script, &one, PTS_MODE_UNKNOWN, s->status));
}

static pts_status take_item(struct scripted *s, const struct item *item)
{
    switch (item->kind) {
    case ITEM_SAMPLE:
        return item->sample.hidden ? PTS_OK : scripted_sample(s, &item->sample);
    case ITEM_ERROR:
        return take_error(s, item->error);
    case ITEM_RECORD:
        return scripted_record(s, item);
    case ITEM_SERIES: /* not asked for */
    case ITEM_TRACE:
    case ITEM_TEXT: /* what filters and the log print is of the text */
        return PTS_OK;
    }
    return PTS_OK;
}

static pts_status take(void *ctx, const struct batch *b, size_t from, size_t *next)
{
    struct scripted *s = ctx;
    pts_status st = PTS_OK;

    for (*next = from; st == PTS_OK && *next < b->item.len;)
        st = take_item(s, &b->item.at[(*next)++]);
    s->given += *next - from;
    s->now = NULL;
    return st;
}

struct sink scripted_sink(struct scripted *s)
{
    return (struct sink){
        .wants = {.ctx = s, .of_class = wants_of_class},
        .wants_record = wants_record,
        .begin = begin,
        .take = take,
        .left = left
    };
}
