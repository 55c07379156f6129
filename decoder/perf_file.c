/* perf_file.c - opening a perf.data file.
 *
 * SPDX-License-Identifier: MIT
 *
 *     | header | ids | attrs | data ............. | table | feature | feature | ...
 *       104 B          ^ attr, section of its ids    ^ one section per feature bit
 *
 * A pipe-format file is a 16-byte header and records.
 */
#include "decoder/perf_file.h"

#include "decoder/diag.h"
#include "decoder/perf_attr.h"
#include "decoder/perf_feat.h"

#include <inttypes.h>
#include <stdio.h>

static bool file_has(const struct perf_file *f, uint64_t off, uint64_t n)
{
    return off <= f->in.len && n <= f->in.len - off;
}

/* The two words of a section: the bytes it means, ptr NULL when outside the file. */
static struct span file_section(const struct perf_file *f, const uint8_t *p)
{
    uint64_t off = rd_u64(p), n = rd_u64(p + 8);
    if (!file_has(f, off, n))
        return (struct span){0};
    return (struct span){f->in.ptr + off, (size_t)n};
}

pts_status perf_file_add_event(struct perf_file *f, const uint8_t *p, size_t n,
                               struct span ids, uint64_t since, struct pts_diag *why)
{
    struct pts_attr attr;
    uint64_t at = (uint64_t)(p - f->in.ptr);
    attr_read(p, n, &attr);
    if (!attr_tail_unused(p, n))
        return diag_set(why, PTS_E_UNSUPPORTED, at,
                        "event %zu uses attributes of a newer perf (size %zu)",
                        f->evsel.len, n);
    size_t count = ids.len / 8;
    uint32_t index = (uint32_t)f->evsel.len;
    if (count > f->in.len / 8 - f->id.len)
        return diag_set(why, PTS_E_FORMAT, at,
                        "event %" PRIu32 ": more ids than the file holds", index);
    uint64_t *copy = arena_alloc(&f->arena, ids.len);
    if (!copy || !VEC_ROOM(&f->evsel, 1) || !VEC_ROOM(&f->id, count))
        return diag_set(why, PTS_E_NOMEM, at, "out of memory");
    for (size_t i = 0; i < count; i++) {
        copy[i] = rd_u64(ids.ptr + 8 * i);
        f->id.at[f->id.len++] = (struct perf_id){
            .id = copy[i], .evsel = index, .idx = -1, .cpu = -1, .tid = -1, .vcpu = -1};
    }
    f->evsel.at[f->evsel.len++] = (struct perf_evsel){.attr = attr,
                                                      .ids = copy,
                                                      .id_count = (uint32_t)count,
                                                      .id_bytes = attr_id_bytes(&attr),
                                                      .since = since};
    return PTS_OK;
}

static pts_status file_read_attrs(struct perf_file *f, struct span attrs, uint64_t each,
                                  struct pts_diag *why)
{
    if (each < PERF_ATTR_MIN + PERF_SECTION || attrs.len / each > UINT16_MAX)
        return diag_set(why, PTS_E_FORMAT, 16, "bad attribute size %" PRIu64, each);
    for (size_t i = 0; i < attrs.len / each; i++) {
        const uint8_t *p = attrs.ptr + i * each;
        uint64_t size = rd_u32(p + 4);
        if (size == 0)
            size = PERF_ATTR_MIN; /* written before the field existed */
        if (size < PERF_ATTR_MIN || size > each - PERF_SECTION)
            return diag_set(why, PTS_E_FORMAT, (uint64_t)(p - f->in.ptr),
                            "event %zu: bad attribute size %" PRIu64, i, size);
        struct span ids = file_section(f, p + each - PERF_SECTION);
        if (!ids.ptr)
            return diag_set(why, PTS_E_RANGE, (uint64_t)(p - f->in.ptr),
                            "event %zu: its ids lie outside the file", i);
        pts_status st = perf_file_add_event(f, p, (size_t)size, ids, 0, why);
        if (st != PTS_OK)
            return st;
    }
    return PTS_OK;
}

/* The sections that the header's bits announce stand in a table behind the data. */
static void file_read_features(struct perf_file *f, const uint8_t *bits)
{
    uint64_t at = f->data_off + f->data_size;
    for (unsigned i = 0; i < PERF_FEAT_LIMIT; i++) {
        if (!(bits[i / 8] >> (i % 8) & 1))
            continue;
        if (!file_has(f, at, PERF_SECTION)) {
            f->odd |= PERF_ODD_FEATURE;
            return;
        }
        f->feature[i] = file_section(f, f->in.ptr + at);
        if (!f->feature[i].ptr)
            f->odd |= PERF_ODD_FEATURE;
        at += PERF_SECTION;
    }
}

static pts_status file_read_header(struct perf_file *f, struct pts_diag *why)
{
    const uint8_t *h = f->in.ptr;
    uint64_t size = f->in.len >= 16 ? rd_u64(h + 8) : 0;
    if (size != PERF_FILE_HEADER && size != PERF_FILE_HEADER_OLD)
        return diag_set(why, PTS_E_FORMAT, 8, "%s: bad header size %" PRIu64, f->path,
                        size);
    if (f->in.len < size)
        return diag_set(why, PTS_E_TRUNCATED, f->in.len, "%s ends inside its header",
                        f->path);
    f->data_off = rd_u64(h + 40);
    f->data_size = rd_u64(h + 48);
    f->attrs_size = rd_u64(h + 32);
    if (f->data_off < PERF_PIPE_HEADER || f->data_off > f->in.len)
        return diag_set(why, PTS_E_RANGE, 40, "%s: its data lies outside the file",
                        f->path);
    struct span attrs = file_section(f, h + 24);
    if (!attrs.ptr)
        return diag_set(why, PTS_E_RANGE, 24, "%s: its attributes lie outside the file",
                        f->path);
    f->data_end = f->data_off + f->data_size;
    if (f->data_size == 0) {
        /* perf record was killed: everything to the end is data. */
        f->odd |= PERF_ODD_NO_SIZE;
        f->data_end = f->in.len;
    } else if (f->data_size > f->in.len - f->data_off) {
        f->odd |= PERF_ODD_CUT;
        f->data_end = f->in.len;
    } else if (size == PERF_FILE_HEADER) {
        file_read_features(f, h + PERF_FILE_HEADER_OLD);
    }
    return file_read_attrs(f, attrs, rd_u64(h + 16), why);
}

static pts_status file_read_any(struct perf_file *f, struct pts_diag *why)
{
    if (f->in.len == 0)
        return diag_set(why, PTS_E_FORMAT, 0, "zero-sized data (%s), nothing to do!",
                        f->path);
    uint64_t magic = f->in.len >= PERF_PIPE_HEADER ? rd_u64(f->in.ptr) : 0;
    if (magic == PERF_MAGIC_SWAP)
        return diag_set(
            why, PTS_E_UNSUPPORTED, 0,
            "%s: recorded on a machine of the other endianness, which is not "
            "supported",
            f->path);
    if (magic == PERF_MAGIC_V1)
        return diag_set(why, PTS_E_UNSUPPORTED, 0,
                        "%s: version 1 of the perf.data format is not supported",
                        f->path);
    if (magic != PERF_MAGIC)
        return diag_set(why, PTS_E_FORMAT, 0, "%s: not a perf.data file", f->path);
    if (rd_u64(f->in.ptr + 8) != PERF_PIPE_HEADER)
        return file_read_header(f, why);
    f->pipe = true;
    f->odd |= PERF_ODD_PIPE;
    f->data_off = PERF_PIPE_HEADER;
    f->data_end = f->in.len;
    return PTS_OK;
}

/* A directory's main file whose data is in data.0, data.1 ... beside it. */
static pts_status file_check_dir(struct perf_file *f, struct pts_diag *why)
{
    const struct span *dir = &f->feature[PERF_FEAT_DIR_FORMAT];
    if (dir->len >= 8 && rd_u64(dir->ptr) != 0)
        return diag_set(
            why, PTS_E_UNSUPPORTED, UINT64_MAX,
            "%s: perf.data directories with several data files are not supported",
            f->path);
    return PTS_OK;
}

/* Ids sorted for bsearch; when two events claim an id the first keeps it. */
static void file_sort_ids(struct perf_file *f)
{
    for (size_t gap = f->id.len / 2; gap > 0; gap /= 2) {
        for (size_t i = gap; i < f->id.len; i++) {
            struct perf_id x = f->id.at[i];
            size_t j = i;
            for (; j >= gap &&
                   (f->id.at[j - gap].id > x.id || (f->id.at[j - gap].id == x.id &&
                                                    f->id.at[j - gap].evsel > x.evsel));
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
    struct perf_desc_iter it = perf_desc_first(f);
    struct perf_desc d;
    const uint8_t *told = f->feature[PERF_FEAT_EVENT_DESC].ptr;
    uint64_t told_off = told ? (uint64_t)(told - f->in.ptr) : 0;
    for (size_t i = 0; i < f->evsel.len && perf_desc_next(&it, &d); i++) {
        if (f->pipe && f->evsel.at[i].since > told_off)
            return;
        if (!f->evsel.at[i].name && d.name.len > 0)
            f->evsel.at[i].name =
                arena_strndup(&f->arena, (const char *)d.name.ptr, d.name.len);
    }
}

static pts_status file_finish(struct perf_file *f, struct perf_file **out,
                              struct pts_diag *why)
{
    pts_status st = file_read_any(f, why);
    if (st == PTS_OK)
        st = perf_scan(f, why);
    if (st == PTS_OK)
        st = file_check_layout(f, why);
    if (st == PTS_OK)
        st = file_check_dir(f, why);
    if (st != PTS_OK) {
        perf_file_close(f);
        return st;
    }
    file_sort_ids(f);
    perf_file_apply_id_index(f);
    file_name_events(f);
    *out = f;
    return PTS_OK;
}

pts_status perf_file_open(const char *path, bool force, struct perf_file **out,
                          struct pts_diag *why)
{
    struct input in;
    pts_status st = input_open(path, &in, why);
    if (st != PTS_OK)
        return st;
    if (!force && !in.trusted) {
        input_close(&in);
        return diag_set(
            why, PTS_E_DENIED, UINT64_MAX,
            "File %s not owned by current user or root (use -f to override)", path);
    }
    struct perf_file *f = mem_zalloc(1, sizeof(*f));
    if (!f) {
        input_close(&in);
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    }
    f->in = in;
    f->path = path;
    return file_finish(f, out, why);
}

pts_status perf_file_open_bytes(const uint8_t *ptr, size_t len, struct perf_file **out,
                                struct pts_diag *why)
{
    struct perf_file *f = mem_zalloc(1, sizeof(*f));
    if (!f)
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    f->in = input_of(ptr, len);
    f->path = "memory";
    return file_finish(f, out, why);
}

void perf_file_close(struct perf_file *f)
{
    if (!f)
        return;
    VEC_FREE(&f->evsel);
    VEC_FREE(&f->id);
    VEC_FREE(&f->id_index);
    arena_free(&f->arena);
    input_close(&f->in);
    mem_free(f);
}

void perf_file_report(const struct perf_file *f, bool decoding, pts_message_fn *message,
                      void *ctx)
{
    char text[512];
    if (f->odd & PERF_ODD_NO_SIZE) {
        snprintf(text, sizeof(text),
                 "WARNING: The %s file's data size field is 0 which is unexpected.\n"
                 "Was the 'perf record' command properly terminated?\n",
                 f->path);
        message(ctx, PTS_MSG_WARNING, text);
    }
    if (f->odd & PERF_ODD_PIPE && f->info_off && decoding)
        message(ctx, PTS_MSG_WARNING,
                "WARNING: Intel PT with pipe mode is not recommended.\n"
                "         The output cannot relied upon.  In particular,\n"
                "         timestamps and the order of events may be incorrect.\n");
    if (f->odd & PERF_ODD_CUT) {
        snprintf(text, sizeof(text),
                 "%s ends inside a record or has a bad one: all before offset %#" PRIx64
                 " is used",
                 f->path, f->data_end);
        message(ctx, PTS_MSG_NOTE, text);
    }
    if (f->odd & PERF_ODD_FEATURE) {
        snprintf(text, sizeof(text),
                 "%s: some facts about the recording (feature sections) are missing",
                 f->path);
        message(ctx, PTS_MSG_NOTE, text);
    }
}

const struct perf_id *perf_file_id(const struct perf_file *f, uint64_t id)
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
