/* inject_header.c - what stands in front of the records and behind them.
 *
 * SPDX-License-Identifier: MIT
 *
 *     | header | ids | attrs | 0 | records | table | feature | feature | ...
 *
 * Most features are the old ones, byte for byte.  New are those that tell of events,
 * files that were hit, the command line, and where trace is.  A feature that cannot be
 * written leaves its row of the table empty: perf counts rows before.
 */
#include "synth/plan/event_bytes.h"
#include "synth/inject/inject.h"

#include "decoder/base/diag.h"
#include "decoder/file/perf_feat.h"

#include <stdlib.h>

enum { ATTR_ROOM = 8192, PAGE = 4096, AUX_GROUP = 256 };

/* --- Events ----------------------------------------------------------------------- */

/* Those of the file come first, then those that are made, or a guest's. */
static size_t events_of(const struct inject *in)
{
    return in->form.len + (in->guest && in->guest->ready ? in->guest->event.len : 0);
}

static const struct guest_event *guests(const struct inject *in, size_t i)
{
    return i < in->form.len ? NULL : &in->guest->event.at[i - in->form.len];
}

static uint32_t ids_of(const struct inject *in, size_t i, const uint64_t **ids)
{
    const struct perf_file *f = in->scene.file;
    const struct guest_event *g = guests(in, i);

    if (g) {
        *ids = g->count ? in->guest->host_ids.at + g->first : NULL;
        return (uint32_t)g->count;
    }
    *ids = i < f->evsel.len ? f->evsel.at[i].ids : &in->form.at[i].id;
    return i < f->evsel.len ? f->evsel.at[i].id_count : 1;
}

/* grown: it becomes as long as perf's, which is the case in files only. */
static void put_attr(const struct inject *in, size_t i, bool grown, struct text *t)
{
    const struct perf_file *f = in->scene.file;
    const struct plan *p = in->scene.plan;
    enum { SIZE_AT = 4, BRANCH_TYPE_AT = 72 };
    bool recorded = i < f->evsel.len;
    uint8_t bytes[PERF_ATTR_BYTES];

    if (guests(in, i)) {
        put_bytes(t, guests(in, i)->attr, PERF_ATTR_BYTES);
        return;
    }
    event_bytes(f, p, i, bytes);
    if (recorded && !grown)
        memcpy(bytes + SIZE_AT, &f->evsel.at[i].attr.size, sizeof(uint32_t));
    if (!recorded && in->opts->no_hw_idx)
        memset(bytes + BRANCH_TYPE_AT, 0, sizeof(uint64_t));
    put_bytes(t, bytes, sizeof(bytes));
}

static void put_ids(const struct inject *in, size_t i, struct text *t)
{
    const uint64_t *ids;
    uint32_t n = ids_of(in, i, &ids);

    put_bytes(t, ids, (size_t)n * 8);
}

static uint64_t id_bytes(const struct inject *in, size_t events)
{
    uint64_t n = 0;
    const uint64_t *ids;

    for (size_t i = 0; i < events; i++)
        n += ids_of(in, i, &ids);
    return n * 8;
}

uint64_t inject_head_bytes(const struct inject *in)
{
    static const uint64_t each = PERF_ATTR_BYTES + PERF_SECTION;
    size_t recorded = in->scene.file->evsel.len, all = in->form.len;
    uint64_t old = PERF_FILE_HEADER + id_bytes(in, recorded) + recorded * each;
    uint64_t now = PERF_FILE_HEADER + id_bytes(in, all) + all * each;

    if (in->guest) {
        /* perf leaves as much room as there is in front of the guest's records. */
        now = old + guest_head_bytes(in->guest);
        old += perf_file_shown(in->guest->file, in->guest->file->data.off).off;
        return ((now > old ? now : old) + PAGE - 1) / PAGE * PAGE;
    }
    if (!inject_decodes(in->opts))
        return old;
    /* perf leaves so much room, however much it takes. */
    uint64_t room = old + ATTR_ROOM;
    return ((now > room ? now : room) + PAGE - 1) / PAGE * PAGE;
}

/* --- Features --------------------------------------------------------------------- */

static void put_events(const struct inject *in, struct text *t)
{
    const struct evlist *l = &in->scene.plan->evl;
    size_t count = in->pipe ? in->scene.file->evsel.len : events_of(in);
    const uint64_t *ids;

    put_u32(t, (uint32_t)count);
    put_u32(t, PERF_ATTR_BYTES);
    for (size_t i = 0; i < count; i++) {
        put_attr(in, i, !in->pipe, t);
        put_u32(t, ids_of(in, i, &ids));
        put_string(t, guests(in, i) ? guests(in, i)->name : l->ev.at[i].name);
        put_ids(in, i, t);
    }
}

static void put_words(const struct inject *in, struct text *t)
{
    put_u32(t, (uint32_t)in->opts->words);
    for (size_t i = 0; i < in->opts->words; i++)
        put_string(t, in->opts->word[i]);
}

/* In groups, of which the last may be shorter. */
static void put_aux_index(const struct inject *in, struct text *t)
{
    put_u64(t, in->aux.len);
    for (size_t i = 0; i < in->aux.len; i++) {
        put_u64(t, in->aux.at[i].off);
        put_u64(t, in->aux.at[i].size);
    }
}

/* A trace that was looked at leads no group in perf: the next event does. */
static bool is_led_by_trace(const struct inject *in, uint32_t leader)
{
    const struct plan *p = in->scene.plan;

    return inject_decodes(in->opts) && p->has_trace && leader < p->evl.ev.len &&
           p->evl.ev.at[leader].attr.type == p->trace_type;
}

/* perf writes those that it takes for groups: not of one event.  Their number stays. */
static void put_groups(const struct inject *in, struct text *t)
{
    struct pts_feature_iter it =
        perf_feature_begin(in->scene.file, PTS_FEAT_GROUP_DESC);
    struct pts_feature_item item;
    size_t at = t->len;
    uint32_t n = 0;

    put_u32(t, 0);
    for (; pts_feature_next(&it, &item) == PTS_OK; n++) {
        uint32_t out = is_led_by_trace(in, item.u.group.leader) ? 1 : 0;
        if (item.u.group.members < 2 + out)
            continue;
        put_string(t, item.u.group.name);
        put_u32(t, item.u.group.leader + out);
        put_u32(t, item.u.group.members - out);
    }
    if (!t->failed && t->at)
        memcpy(t->at + at, &n, sizeof(n));
}

/* --- Build ids -------------------------------------------------------------------- */

/* perf takes all for hit where a trace has not been looked at. */
static bool hits_all(const struct inject *in)
{
    return in->had_aux && !in->opts->trace;
}

static const char *name_of(const struct sb_dso *d)
{
    return *d->path ? d->path : d->long_name;
}

static int by_name(const void *a, const void *b)
{
    const struct sb_dso *x = *(const struct sb_dso *const *)a;
    const struct sb_dso *y = *(const struct sb_dso *const *)b;
    int order = strcmp(name_of(x), name_of(y));

    return order ? order : x->index < y->index ? -1 : 1;
}

/* The dsos of the side-band: there may be many, and as many ids in the header. */
struct named {
    const struct sb_dso **at; /* by name */
    size_t count;
    bool *done; /* by index: written, or left out */
};

static bool named_make(struct named *n, const struct sideband *sb)
{
    n->count = sb_dso_count(sb);
    n->at = mem_zalloc(n->count + 1, sizeof(void *));
    n->done = mem_zalloc(n->count + 1, sizeof(*n->done));
    if (!n->at || !n->done)
        return false;
    for (uint32_t i = 0; i < n->count; i++)
        n->at[i] = sb_dso_at(sb, i);
    qsort(n->at, n->count, sizeof(void *), by_name);
    return true;
}

static void named_free(struct named *n)
{
    mem_free(n->at);
    mem_free(n->done);
}

/* The first one that is called so. */
static const struct sb_dso *named_find(const struct named *n, const char *name)
{
    size_t from = 0, to = n->count;

    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (strcmp(name_of(n->at[mid]), name) < 0)
            from = mid + 1;
        else
            to = mid;
    }
    return from < n->count && strcmp(name_of(n->at[from]), name) == 0 ? n->at[from]
                                                                      : NULL;
}

/* guests: only theirs, which perf has behind the host's. */
static void put_header_ids(const struct inject *in, struct text *t, bool guests,
                           struct named *n)
{
    struct pts_feature_iter it = perf_feature_begin(in->scene.file, PTS_FEAT_BUILD_ID);
    struct pts_feature_item item;

    while (pts_feature_next(&it, &item) == PTS_OK) {
        const char *path = item.u.build_id.path;
        bool guest = item.u.build_id.pid != -1;
        const struct sb_dso *d = guest ? NULL : named_find(n, path);
        if (guest != guests)
            continue;
        bool vdso = strcmp(path, "[vdso]") == 0;
        if (d && n->done[d->index])
            continue;
        if (d)
            n->done[d->index] = true;
        if (!vdso && !hits_all(in) && !(d && in->hits.hit[d->index]))
            continue;
        const struct hits_known *known = d ? hits_knows(&in->hits, d) : NULL;
        const struct put_id id = {.misc = item.u.build_id.misc & PTS_MISC_MODE,
                                  .pid = item.u.build_id.pid,
                                  .id = known ? known->id : item.u.build_id.id.ptr,
                                  .len = known ? known->len
                                               : (uint8_t)item.u.build_id.id.len,
                                  .name = path};
        put_build_id(t, &id);
    }
}

/* Without a mode of its own perf does not look at maps, and so knows no more than the header
 * has. */
static bool is_listed(const struct inject *in, const struct sb_dso *d)
{
    return in->looks && !in->hits.left[d->index] && d->kind != DSO_KSYMBOL &&
           d->kind != DSO_JIT &&
           (in->hits.hit[d->index] || hits_all(in) || d->kind == DSO_VDSO);
}

/* Files that were made of jitdumps, as far as they come behind that of the first `dsos`. */
static void put_ids_made(const struct inject *in, struct text *t, uint32_t dsos,
                         size_t *next)
{
    const struct jit *j = &in->jit;

    for (; *next < j->made.len && j->made.at[*next].after < dsos; ++*next) {
        const struct jit_made *m = &j->made.at[*next];
        const struct put_id id = {.misc = PTS_MODE_USER,
                                  .pid = -1,
                                  .id = m->id,
                                  .len = JIT_ELF_ID,
                                  .name = m->name};
        put_build_id(t, &id);
    }
}

/* PTS_END: there is none. */
static pts_status put_ids_hit(const struct inject *in, struct text *t)
{
    size_t before = t->len;
    struct named n = {0};
    uint8_t keep[20];
    struct put_id id;
    size_t made = 0;
    bool ok = named_make(&n, in->scene.sb);

    if (ok)
        put_header_ids(in, t, false, &n);
    for (uint32_t i = 0; ok && i < n.count; i++) {
        const struct sb_dso *d = sb_dso_at(in->scene.sb, i);
        if (!n.done[i] && is_listed(in, d) && hits_id(&in->hits, d, 0, &id, keep))
            put_build_id(t, &id);
        put_ids_made(in, t, i + 1, &made);
    }
    if (ok)
        put_ids_made(in, t, UINT32_MAX, &made);
    if (ok)
        put_header_ids(in, t, true, &n);
    if (ok && in->guest)
        guest_put_build_ids(in->guest, hits_all(in), t);
    named_free(&n);
    return !ok ? PTS_E_NOMEM : t->len > before ? PTS_OK : PTS_END;
}

/* --- All of it -------------------------------------------------------------------- */

/* PTS_END: it cannot be written. */
static pts_status put_feature(const struct inject *in, unsigned feat, struct text *t)
{
    const struct pts_bytes *old = &in->scene.file->feature[feat];

    switch (feat) {
    case PTS_FEAT_BUILD_ID:
        return put_ids_hit(in, t);
    case PTS_FEAT_CMDLINE:
        put_words(in, t);
        break;
    case PTS_FEAT_EVENT_DESC:
        put_events(in, t);
        break;
    case PTS_FEAT_AUXTRACE:
        put_aux_index(in, t);
        break;
    case PTS_FEAT_GROUP_DESC:
        put_groups(in, t);
        break;
    default:
        put_bytes(t, old->ptr, old->len);
    }
    return PTS_OK;
}

static bool has_feature(const struct inject *in, unsigned feat)
{
    bool trace = in->opts->trace;

    if (feat == PTS_FEAT_AUXTRACE && trace)
        return false;
    if (feat == PTS_FEAT_BRANCH_STACK && trace && in->opts->branch_stacks)
        return true;
    const struct perf_file *f = in->scene.file;
    return (f->feature[feat].ptr && perf_feat_announced(f, feat)) ||
           (feat == PTS_FEAT_BUILD_ID &&
            (in->opts->build_ids || (in->guest && in->guest->ready)));
}

struct tail {
    struct text table, sections;
    uint8_t bits[PERF_FEATURE_BYTES];
};

static pts_status make_tail(const struct inject *in, struct tail *tail)
{
    uint64_t rows = 0, at = out_at(in->out);
    bool left = false; /* the last one cannot be written: perf says where it would be */

    for (unsigned i = 0; i < PTS_FEAT_END; i++)
        rows += has_feature(in, i);
    at += rows * PERF_SECTION;
    for (unsigned i = 0; i < PTS_FEAT_END; i++) {
        size_t from = tail->sections.len;
        if (!has_feature(in, i))
            continue;
        pts_status st = put_feature(in, i, &tail->sections);
        if (st < 0)
            return st;
        left = st == PTS_END;
        if (left)
            continue;
        tail->bits[i / 8] |= (uint8_t)(1u << i % 8);
        put_u64(&tail->table, at + from);
        put_u64(&tail->table, tail->sections.len - from);
    }
    if (left)
        put_u64(&tail->table, at + tail->sections.len);
    while (!tail->table.failed && tail->table.len < rows * PERF_SECTION)
        put_u64(&tail->table, 0);
    return tail->table.failed || tail->sections.failed ? PTS_E_NOMEM : PTS_OK;
}

/* The front: a header, all ids, all attributes. */
static void put_front(const struct inject *in, uint64_t data_size, const uint8_t *bits)
{
    struct text *t = &in->out->buf;
    size_t events = events_of(in);
    uint64_t ids = PERF_FILE_HEADER;
    const uint64_t *at;

    put_u64(t, PERF_MAGIC);
    put_u64(t, PERF_FILE_HEADER);
    put_u64(t, PERF_ATTR_BYTES + PERF_SECTION);
    put_u64(t, PERF_FILE_HEADER + id_bytes(in, events));
    put_u64(t, events * (PERF_ATTR_BYTES + PERF_SECTION));
    put_u64(t, in->data_at);
    put_u64(t, data_size);
    put_u64(t, 0); /* event types: of old */
    put_u64(t, 0);
    put_bytes(t, bits, PERF_FEATURE_BYTES);
    for (size_t i = 0; i < events; i++)
        put_ids(in, i, t);
    for (size_t i = 0; i < events; i++) {
        uint64_t n = ids_of(in, i, &at);
        put_attr(in, i, true, t);
        put_u64(t, ids);
        put_u64(t, n * 8);
        ids += n * 8;
    }
}

pts_status inject_header(struct inject *in)
{
    struct tail tail = {0};
    uint64_t data_size = out_at(in->out) - in->data_at;
    pts_status st = make_tail(in, &tail);

    if (st == PTS_OK) {
        put_bytes(&in->out->buf, tail.table.at, tail.table.len);
        put_bytes(&in->out->buf, tail.sections.at, tail.sections.len);
        st = out_seek(in->out, 0, in->why);
    }
    if (st == PTS_OK)
        put_front(in, data_size, tail.bits);
    text_free(&tail.table);
    text_free(&tail.sections);
    return st;
}

/* --- A pipe ----------------------------------------------------------------------- */

/* Its length is known at the end, and is one of whole words. */
static void put_as_record(struct text *t, size_t at, uint32_t type)
{
    while (!t->failed && (t->len - at) % 8)
        text_put(t, "", 1);
    if (t->failed)
        return;
    const uint16_t head[] = {(uint16_t)type, 0, 0, (uint16_t)(t->len - at)};
    memcpy(t->at + at, head, sizeof(head));
}

static void put_attr_record(const struct inject *in, size_t i)
{
    struct text *t = &in->out->buf;
    size_t at = t->len;

    put_u64(t, 0);
    put_attr(in, i, false, t);
    put_ids(in, i, t);
    put_as_record(t, at, PTS_RECORD_HEADER_ATTR);
}

void inject_pipe_made(struct inject *in)
{
    for (size_t i = in->scene.file->evsel.len; i < in->form.len; i++)
        put_attr_record(in, i);
}

/* Those that perf has in pipes. */
static bool is_in_pipe(unsigned feat)
{
    return feat >= PTS_FEAT_HOSTNAME && feat <= PTS_FEAT_PMU_CAPS &&
           feat != PTS_FEAT_BRANCH_STACK && feat != PTS_FEAT_AUXTRACE &&
           feat != PTS_FEAT_STAT && feat != PTS_FEAT_CACHE &&
           feat != PTS_FEAT_DIR_FORMAT && feat != PTS_FEAT_CLOCK_DATA;
}

/* PTS_E_RANGE: too long for a record. */
static pts_status put_feature_record(const struct inject *in, unsigned feat)
{
    struct text *t = &in->out->buf;
    size_t at = t->len;

    put_u64(t, 0);
    put_u64(t, feat);
    if (feat <= PTS_FEAT_PMU_CAPS) {
        pts_status st = put_feature(in, feat, t);
        if (st < 0)
            return st;
    }
    if (t->len - at > PERF_REC_MAX - 7) {
        t->len = at;
        return PTS_OK; /* perf leaves it out, too */
    }
    put_as_record(t, at, PTS_RECORD_FEATURE);
    return PTS_OK;
}

/* Formats of tracepoints: what a record of them claims comes behind it.  Where perf record
 * has them in a pipe. */
static void put_formats(const struct inject *in)
{
    const struct pts_bytes *f = &in->scene.file->feature[PTS_FEAT_TRACING_DATA];
    struct text *t = &in->out->buf;
    enum { HEAD = 16 };

    if (!f->len || f->len > UINT32_MAX - 7)
        return;
    size_t whole = (f->len + 7) / 8 * 8;
    put_u64(t, PTS_RECORD_TRACING_DATA | (uint64_t)HEAD << 48);
    put_u64(t, whole);
    put_bytes(t, f->ptr, f->len);
    put_bytes(t, (const uint8_t[8]){0}, whole - f->len);
}

/* The events that are made come later, also in the list of them.  Of what came through a pipe
 * all of this is among the records. */
pts_status inject_pipe_front(struct inject *in)
{
    struct text *t = &in->out->buf;
    pts_status st = PTS_OK;

    put_u64(t, PERF_MAGIC);
    put_u64(t, PERF_PIPE_HEADER);
    if (in->scene.file->pipe)
        return t->failed ? PTS_E_NOMEM : PTS_OK;
    for (size_t i = 0; i < in->scene.file->evsel.len; i++)
        put_attr_record(in, i);
    for (unsigned i = 0; st == PTS_OK && i <= PTS_FEAT_PMU_CAPS; i++)
        if (is_in_pipe(i) && in->scene.file->feature[i].ptr)
            st = put_feature_record(in, i);
    if (st == PTS_OK)
        st = put_feature_record(in, PTS_FEAT_PMU_CAPS + 1); /* the last */
    if (st == PTS_OK)
        put_formats(in);
    return st == PTS_OK && t->failed ? PTS_E_NOMEM : st;
}
