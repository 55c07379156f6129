/* perf_file.c - opening a perf.data file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/perf_file.h"

#include "decoder/diag.h"
#include "decoder/perf_attr.h"
#include "decoder/perf_dir.h"
#include "decoder/perf_feat.h"
#include "decoder/perf_header.h"
#include "decoder/perf_scan.h"
#include "decoder/trace_format.h"

#include <stdio.h>

pts_status perf_file_put_event(struct perf_file *f, const struct pts_attr *attr,
                               struct pts_words ids, uint64_t since,
                               struct pts_diag *why)
{
    uint32_t index = (uint32_t)f->evsel.len;
    size_t count = (size_t)ids.count;
    uint64_t *copy = arena_alloc(&f->arena, count * sizeof(*copy));
    if (!copy || !VEC_ROOM(&f->evsel, 1) || !VEC_ROOM(&f->id, count))
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    for (size_t i = 0; i < count; i++) {
        copy[i] = pts_word(&ids, i);
        f->id.at[f->id.len++] = (struct pts_counter){
            .id = copy[i], .event = index, .idx = -1, .cpu = -1, .tid = -1, .vcpu = -1};
    }
    f->evsel.at[f->evsel.len++] = (struct perf_evsel){.attr = *attr,
                                                      .ids = copy,
                                                      .id_count = (uint32_t)count,
                                                      .id_bytes = attr_id_bytes(attr),
                                                      .since = since};
    return PTS_OK;
}

pts_status perf_file_add_event(struct perf_file *f, struct pts_bytes raw,
                               struct pts_bytes ids, bool foreign, uint64_t since,
                               struct pts_diag *why)
{
    struct pts_attr attr;
    attr_read(raw.ptr, raw.len, foreign, &attr);
    return perf_file_put_event(
        f, &attr, (struct pts_words){ids.ptr, ids.len / 8, foreign}, since, why);
}

/* Ids sorted for bsearch; when two events claim an id the first keeps it. */
static void file_sort_ids(struct perf_file *f)
{
    for (size_t gap = f->id.len / 2; gap > 0; gap /= 2) {
        for (size_t i = gap; i < f->id.len; i++) {
            struct pts_counter x = f->id.at[i];
            size_t j = i;
            for (; j >= gap &&
                   (f->id.at[j - gap].id > x.id || (f->id.at[j - gap].id == x.id &&
                                                    f->id.at[j - gap].event > x.event));
                 j -= gap)
                f->id.at[j] = f->id.at[j - gap];
            f->id.at[j] = x;
        }
    }
}

/* Records of several events can be told apart only if the id stands at one place, that
 * of the first event.  Like perf, this trusts events that come as records. */
static pts_status file_check_layout(struct perf_file *f, struct pts_diag *why)
{
    if (f->evsel.len == 0)
        return PTS_OK;
    const struct pts_attr *first = &f->evsel.at[0].attr;
    f->id_pos = attr_id_pos(first->sample_type);
    f->is_pos = attr_is_pos(first->sample_type);
    for (size_t i = 1; i < f->evsel.len && !f->evsel.at[i].since; i++) {
        const struct pts_attr *a = &f->evsel.at[i].attr;
        if (attr_id_pos(a->sample_type) != f->id_pos || f->id_pos < 0 ||
            attr_is_pos(a->sample_type) != f->is_pos)
            return diag_set(why, PTS_E_FORMAT, UINT64_MAX, "non matching sample_type");
        if ((a->flags ^ first->flags) & PERF_ATTR_SAMPLE_ID_ALL)
            return diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                            "non matching sample_id_all");
    }
    return PTS_OK;
}

/* In a pipe the names may come before the events: perf drops them then. */
static void file_name_events(struct perf_file *f)
{
    struct pts_feature_iter it = perf_feature_begin(f, PERF_FEAT_EVENT_DESC);
    struct pts_feature_item item;
    for (size_t i = 0; i < f->evsel.len && pts_feature_next(&it, &item) == PTS_OK;
         i++) {
        const char *name = item.u.event.name;
        if (f->pipe && f->evsel.at[i].since > f->desc_off)
            return;
        if (!f->evsel.at[i].name && *name)
            f->evsel.at[i].name = arena_strndup(&f->arena, name, strlen(name));
    }
}

/* Tracepoints that nothing else has named are called after their formats. */
static pts_status file_name_tracepoints(struct perf_file *f)
{
    for (size_t i = 0; i < f->evsel.len; i++) {
        struct perf_evsel *e = &f->evsel.at[i];
        struct trace_format t;
        if (f->pipe || e->name || e->attr.type != PERF_TYPE_TRACEPOINT ||
            !trace_find(f->feature[PERF_FEAT_TRACING_DATA], e->attr.config, &t))
            continue;
        size_t n = strlen(t.system);
        char *name = arena_alloc(&f->arena, n + 1 + t.name.len + 1);
        if (!name)
            return PTS_E_NOMEM;
        memcpy(name, t.system, n);
        name[n] = ':';
        memcpy(name + n + 1, t.name.ptr, t.name.len);
        e->name = name;
    }
    return PTS_OK;
}

/* In perf's words; ours are in the diag. */
static void file_refused(const struct perf_file *f, const struct perf_file_how *how)
{
    char text[512];
    if (!how->message)
        return;
    if (f->odd & PERF_ODD_NO_ATTR) {
        snprintf(text, sizeof(text),
                 "ERROR: The %s file's attr size field is 0 which is unexpected.\n"
                 "Was the 'perf record' command properly terminated?\n",
                 f->path);
        how->message(how->message_ctx, PTS_MSG_WARNING, text);
    }
    how->message(how->message_ctx, PTS_MSG_WARNING,
                 "incompatible file format (rerun with -v to learn more)\n");
}

pts_status perf_file_walk(struct perf_file *f, struct pts_diag *why)
{
    pts_status st = perf_scan(f, why);
    if (st == PTS_OK)
        st = file_check_layout(f, why);
    if (st != PTS_OK)
        return st;
    file_sort_ids(f);
    if (f->foreign)
        perf_scan_kernel(f);
    perf_scan_id_index(f);
    file_name_events(f);
    st = file_name_tracepoints(f);
    return st == PTS_OK ? st : diag_set(why, st, UINT64_MAX, "out of memory");
}

static pts_status file_finish(struct perf_file *f, const struct perf_file_how *how,
                              const char *dir, struct perf_file **out,
                              struct pts_diag *why)
{
    f->damaged = UINT64_MAX;
    pts_status st = perf_header_read(f, why);
    if (st != PTS_OK && (f->in.len || perf_file_is_stdin(f)))
        file_refused(f, how);
    if (st == PTS_OK && dir)
        st = perf_dir_open(f, dir, why);
    if (st == PTS_OK)
        st = perf_file_walk(f, why);
    if (st != PTS_OK) {
        perf_file_close(f);
        return st;
    }
    *out = f;
    return PTS_OK;
}

static pts_status file_open_input(struct perf_file *f, const struct perf_file_how *how,
                                  struct pts_diag *why)
{
    pts_status st = input_open(f->path, how->temp_dir, &f->in, why);
    if (st == PTS_OK && !how->force && !f->in.trusted)
        st = diag_set(why, PTS_E_DENIED, UINT64_MAX,
                      "File %s not owned by current user or root (use -f to override)",
                      f->path);
    return st;
}

pts_status perf_file_open(const char *path, const struct perf_file_how *how,
                          struct perf_file **out, struct pts_diag *why)
{
    struct perf_file *f = mem_zalloc(1, sizeof(*f));
    const char *dir = input_is_dir(path) ? path : NULL;
    if (!f)
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    f->spool.dir = how->temp_dir;
    f->path = dir ? perf_dir_file(&f->arena, dir, "data") : path;
    pts_status st = PTS_E_NOMEM;
    if (!f->path)
        diag_set(why, st, UINT64_MAX, "no room for the name %s/data", dir);
    else
        st = file_open_input(f, how, why);
    if (st != PTS_OK) {
        perf_file_close(f);
        return st;
    }
    return file_finish(f, how, dir, out, why);
}

pts_status perf_file_open_bytes(const uint8_t *ptr, size_t len, struct perf_file **out,
                                struct pts_diag *why)
{
    static const struct perf_file_how how = {.force = true};
    struct perf_file *f = mem_zalloc(1, sizeof(*f));
    if (!f)
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    f->in = input_of(ptr, len);
    f->path = "memory";
    return file_finish(f, &how, NULL, out, why);
}

void perf_file_close(struct perf_file *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->source.len; i++)
        input_close(&f->source.at[i].in);
    VEC_FREE(&f->source);
    VEC_FREE(&f->tape.run);
    VEC_FREE(&f->evsel);
    VEC_FREE(&f->id);
    VEC_FREE(&f->id_index);
    spool_free(&f->spool);
    arena_free(&f->arena);
    input_close(&f->in);
    mem_free(f);
}

void perf_file_report(const struct perf_file *f, pts_message_fn *message, void *ctx)
{
    char text[512];
    if (f->odd & PERF_ODD_NO_SIZE) {
        snprintf(text, sizeof(text),
                 "WARNING: The %s file's data size field is 0 which is unexpected.\n"
                 "Was the 'perf record' command properly terminated?\n",
                 f->path);
        message(ctx, PTS_MSG_WARNING, text);
    }
    if (f->odd & PERF_ODD_FEATURE) {
        snprintf(text, sizeof(text),
                 "%s: some facts about the recording (feature sections) are missing",
                 f->path);
        message(ctx, PTS_MSG_NOTE, text);
    }
}

void perf_file_warn_pipe(const struct perf_file *f, pts_message_fn *message, void *ctx)
{
    if (f->odd & PERF_ODD_PIPE && f->info_off)
        message(ctx, PTS_MSG_WARNING,
                "WARNING: Intel PT with pipe mode is not recommended.\n"
                "         The output cannot relied upon.  In particular,\n"
                "         timestamps and the order of events may be incorrect.\n");
}

const struct pts_counter *perf_file_id(const struct perf_file *f, uint64_t id)
{
    size_t lo = 0, hi = f->id.len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (f->id.at[mid].id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < f->id.len && f->id.at[lo].id == id ? &f->id.at[lo] : NULL;
}

uint64_t perf_file_sample_type(const struct perf_file *f, uint64_t off)
{
    uint64_t all = 0;
    for (size_t i = 0; i < f->evsel.len && f->evsel.at[i].since < off; i++)
        all |= f->evsel.at[i].attr.sample_type;
    return all;
}

bool perf_file_id_all(const struct perf_file *f, uint64_t off)
{
    return f->evsel.len > 0 && f->evsel.at[0].since < off &&
           f->evsel.at[0].attr.flags & PERF_ATTR_SAMPLE_ID_ALL;
}

struct perf_place perf_file_place(const struct perf_file *f, uint64_t off)
{
    const struct perf_run *run = tape_find(&f->tape, off);
    if (!run)
        return (struct perf_place){f->path, off};
    return (struct perf_place){f->source.at[run->source].path,
                               run->unpacked ? run->shown
                                             : run->shown + (off - run->at)};
}

bool perf_file_at_place(const struct perf_file *f, uint64_t shown, uint64_t *off)
{
    size_t lo = 0, hi = f->tape.run.len;
    if (f->source.len != 1)
        return false;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (f->tape.run.at[mid].shown <= shown)
            lo = mid + 1;
        else
            hi = mid;
    }
    const struct perf_run *run = lo ? &f->tape.run.at[lo - 1] : NULL;
    if (!run || run->unpacked || shown - run->shown >= run->len)
        return false;
    *off = run->at + (shown - run->shown);
    return true;
}

uint64_t perf_file_unpack_max(const struct perf_file *f)
{
    /* What the recorder packed at once, if it says so, and it can say up to 4 GiB. */
    static const uint64_t usual = 64 << 20;
    struct pts_feature_iter it = perf_feature_begin(f, PERF_FEAT_COMPRESSED);
    struct pts_feature_item item;
    bool told =
        pts_feature_next(&it, &item) == PTS_OK && item.u.compressed.mmap_len > usual;
    return told ? item.u.compressed.mmap_len : usual;
}

struct perf_file *perf_file_new(void)
{
    struct perf_file *f = mem_zalloc(1, sizeof(*f));
    if (f)
        f->damaged = UINT64_MAX;
    return f;
}

static void file_forget_last(struct perf_file *f)
{
    uint32_t last = (uint32_t)--f->evsel.len;
    size_t n = 0;
    for (size_t i = 0; i < f->id.len; i++)
        if (f->id.at[i].event != last)
            f->id.at[n++] = f->id.at[i];
    f->id.len = n;
}

pts_status perf_file_learnt(struct perf_file *f, struct pts_diag *why)
{
    pts_status st = file_check_layout(f, why);
    if (st != PTS_OK) {
        file_forget_last(f);
        return st;
    }
    file_sort_ids(f);
    return PTS_OK;
}
