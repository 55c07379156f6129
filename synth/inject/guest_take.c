/* guest_take.c - what a guest recorded, as far as it matters to its host.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/inject/guest.h"

#include "decoder/base/diag.h"
#include "decoder/file/perf_feat.h"
#include "decoder/record/record.h"
#include "synth/plan/number.h"

#include <stdlib.h>
#include <string.h>

/* --- Options ----------------------------------------------------------------------- */

/* One of the words between commas, and the next; NULL: there is none. */
static const char *word_next(const char *at)
{
    const char *comma = at ? strchr(at, ',') : NULL;

    return comma ? comma + 1 : NULL;
}

pts_status guest_args_read(const char *value, struct guest_args *out,
                           struct pts_diag *why)
{
    struct guest_args a = {.given = true, .scale = 1};
    const char *end;
    const char *pid = word_next(value), *offset = word_next(pid),
               *scale = word_next(offset);
    size_t n = value ? strcspn(value, ",") : 0;

    if (pid)
        a.pid = (uint32_t)read_number(pid, &end, 0);
    if (offset)
        a.offset = read_number(offset, &end, 0);
    if (scale)
        a.scale = strtod(scale, NULL);
    if (!a.pid || a.scale == 0 || n >= sizeof(a.file))
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        "--guest-data option requires guest perf.data file name, guest "
                        "machine PID, and "
                        "optionally guest timestamp offset, and guest timestamp scale "
                        "factor, separated by "
                        "commas.");
    memcpy(a.file, value, n);
    *out = a;
    return PTS_OK;
}

/* --- Records ----------------------------------------------------------------------- */

static bool wants_record(void *ctx, uint32_t type)
{
    (void)ctx;
    switch (type) {
    case PTS_RECORD_MMAP:
    case PTS_RECORD_MMAP2:
    case PTS_RECORD_COMM:
    case PTS_RECORD_FORK:
    case PTS_RECORD_EXIT:
    case PTS_RECORD_LOST:
    case PTS_RECORD_SWITCH:
    case PTS_RECORD_SWITCH_CPU_WIDE:
    case PTS_RECORD_KSYMBOL:
    case PTS_RECORD_TEXT_POKE:
    case PTS_RECORD_ID_INDEX:
    case PTS_RECORD_BUILD_ID:
    case PTS_RECORD_TIME_CONV:
        return true;
    default:
        return false;
    }
}

static uint32_t of_class(void *ctx, enum out_class class)
{
    (void)ctx, (void)class;
    return 0;
}

static struct guest_id *id_get(struct guest *g, uint64_t id)
{
    uint32_t at = idmap_get(&g->by_id, id);

    if (at != IDMAP_NONE)
        return &g->id.at[at];
    struct guest_id *new = VEC_PUSH(&g->id);
    if (!new || !idmap_set(&g->by_id, id, (uint32_t)g->id.len - 1))
        return NULL;
    *new = (struct guest_id){.id = id, .event = PTS_NO_EVENT};
    return new;
}

/* Counters that no index tells of are those of processor 0. */
static pts_status take_index(struct guest *g, const struct pts_id_index *x)
{
    for (uint64_t i = 0; i < x->count; i++) {
        const struct pts_counter c = pts_id_at(x, i);
        struct guest_id *id = id_get(g, c.id);
        if (!id)
            return PTS_E_NOMEM;
        id->cpu = c.cpu;
    }
    return PTS_OK;
}

static bool is_module(const char *name)
{
    size_t n = strlen(name);
    const char *ext = n > 3 ? strstr(name, ".ko") : NULL;
    bool packed = ext && (!ext[3] || ext[3] == '.');

    return packed || (*name == '[' && strncmp(name, "[kernel.", 8) != 0 &&
                      strncmp(name, "[guest.kernel.", 14) != 0 &&
                      strcmp(name, "[vdso]") != 0 && strcmp(name, "[vsyscall]") != 0);
}

static pts_status take_build_id(struct guest *g, const char *name, uint16_t misc,
                                const uint8_t *id, uint8_t len)
{
    bool kernel = (misc & PTS_MISC_MODE) == PTS_MODE_KERNEL || is_module(name);
    struct put_id *new = VEC_PUSH(&g->build_id);

    if (!new)
        return PTS_E_NOMEM;
    *new = (struct put_id){.misc = kernel ? PTS_MODE_GUEST_KERNEL : PTS_MODE_GUEST_USER,
                           .pid = (int32_t)g->args->pid,
                           .id = id,
                           .len = len,
                           .name = name};
    return PTS_OK;
}

static pts_status take_record(struct guest *g, uint64_t off)
{
    enum { KSYMBOL_BPF = 1 };
    struct record r;

    if (record_read(g->file, off, &r) < 0)
        return PTS_OK;
    if (record_is(&r, PTS_RECORD_ID_INDEX))
        return take_index(g, &r.u.id_index);
    if (record_is(&r, PTS_RECORD_BUILD_ID))
        return take_build_id(g, r.u.build_id.name, r.u.build_id.misc, r.u.build_id.id,
                             r.u.build_id.id_len);
    if (record_is(&r, PTS_RECORD_TIME_CONV))
        guest_note_clock(&g->clock, &r.u.time_conv);
    /* BPF programs would need their code, too. */
    if (r.head.type >= PERF_REC_USER ||
        (record_is(&r, PTS_RECORD_KSYMBOL) && r.u.ksymbol.type != 2))
        return PTS_OK;
    uint64_t *new = VEC_PUSH(&g->rec);
    if (!new)
        return PTS_E_NOMEM;
    *new = off;
    return PTS_OK;
}

static pts_status take(void *ctx, const struct batch *b, size_t from, size_t *next)
{
    pts_status st = PTS_OK;

    for (; st == PTS_OK && from < b->item.len; from++)
        if (b->item.at[from].kind == ITEM_RECORD)
            st = take_record(ctx, b->item.at[from].record);
    *next = from;
    return st;
}

static pts_status begin(void *ctx, const struct scene *scene)
{
    struct guest *g = ctx;
    struct pts_feature_iter it = perf_feature_begin(scene->file, PTS_FEAT_BUILD_ID);
    struct pts_feature_item item;
    pts_status st = PTS_OK;

    g->file = scene->file;
    while (st == PTS_OK && pts_feature_next(&it, &item) == PTS_OK)
        if (item.u.build_id.pid == -1)
            st = take_build_id(g, item.u.build_id.path, (uint16_t)item.u.build_id.misc,
                               item.u.build_id.id.ptr, (uint8_t)item.u.build_id.id.len);
    return st;
}

struct sink guest_sink(struct guest *g)
{
    return (struct sink){
        .wants = {.ctx = g, .of_class = of_class},
        .wants_record = wants_record,
        .begin = begin,
        .take = take
    };
}

/* --- Events ------------------------------------------------------------------------ */

static pts_status take_ids(struct guest *g, const struct perf_evsel *from,
                           uint32_t event)
{
    for (uint32_t i = 0; i < from->id_count; i++) {
        struct guest_id *id = id_get(g, from->ids[i]);
        uint32_t *at = VEC_PUSH(&g->order);
        if (!id || !at)
            return PTS_E_NOMEM;
        id->event = event;
        *at = (uint32_t)(id - g->id.at);
    }
    return PTS_OK;
}

static pts_status take_event(struct guest *g, const struct evl_attr *attr, uint32_t i)
{
    const struct perf_evsel *from = &g->file->evsel.at[i];
    struct pts_attr a = from->attr;
    struct evl_attr named = *attr;
    struct guest_event *e = VEC_PUSH(&g->event);

    if (!e)
        return PTS_E_NOMEM;
    a.sample_type |= PTS_SAMPLE_IDENTIFIER;
    a.flags = (a.flags | PTS_ATTR_EXCLUDE_HOST) & ~PTS_ATTR_EXCLUDE_GUEST;
    named.sample_type = a.sample_type;
    named.flags = a.flags;
    named.name = NULL; /* perf makes up a new one */
    *e = (struct guest_event){
        .sample_type = a.sample_type, .first = g->order.len, .count = from->id_count};
    attr_write(&a, e->attr);
    pts_status st = evl_add(&g->names, &named);
    if (st == PTS_OK)
        e->name = g->names.ev.at[i].name;
    return st == PTS_OK ? take_ids(g, from, i) : st;
}

pts_status guest_events(struct guest *g, const struct evl_attr *attrs)
{
    pts_status st = PTS_OK;

    for (uint32_t i = 0; st == PTS_OK && i < g->file->evsel.len; i++)
        st = take_event(g, &attrs[i], i);
    return st;
}

uint64_t guest_head_bytes(const struct guest *g)
{
    return g->event.len * (PERF_ATTR_BYTES + PERF_SECTION) + g->order.len * 8;
}

void guest_free(struct guest *g)
{
    VEC_FREE(&g->rec);
    VEC_FREE(&g->id);
    idmap_free(&g->by_id);
    VEC_FREE(&g->event);
    VEC_FREE(&g->order);
    VEC_FREE(&g->host_ids);
    evl_free(&g->names);
    VEC_FREE(&g->build_id);
    VEC_FREE(&g->cpu);
    idmap_free(&g->by_number);
    idmap_free(&g->by_tid);
}
