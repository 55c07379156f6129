/* perf_header.c - the header of a perf.data file.
 *
 * SPDX-License-Identifier: MIT
 *
 *     | header | ids | attrs | data ............. | table | feature | feature | ...
 *       104 B          ^ attr, section of its ids    ^ one section per feature bit
 *
 * A pipe-format file is a 16-byte header and records.
 */
#include "decoder/perf_header.h"

#include "decoder/diag.h"

#include <inttypes.h>

static bool file_has(const struct perf_file *f, uint64_t off, uint64_t n)
{
    return off <= f->in.len && n <= f->in.len - off;
}

/* The two words of a section: the bytes it means, ptr NULL when outside the file. */
static struct pts_bytes file_section(const struct perf_file *f, const uint8_t *p)
{
    uint64_t off = rd_u64(p), n = rd_u64(p + 8);
    if (!file_has(f, off, n))
        return (struct pts_bytes){0};
    return (struct pts_bytes){f->in.ptr + off, (size_t)n};
}

static pts_status file_read_attrs(struct perf_file *f, struct pts_bytes attrs,
                                  uint64_t each, struct pts_diag *why)
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
        struct pts_bytes ids = file_section(f, p + each - PERF_SECTION);
        if (!ids.ptr)
            return diag_set(why, PTS_E_FORMAT, (uint64_t)(p - f->in.ptr),
                            "event %zu: its ids lie outside the file", i);
        if (ids.len / 8 > f->in.len / 8 - f->id.len)
            return diag_set(why, PTS_E_FORMAT, (uint64_t)(p - f->in.ptr),
                            "event %zu: more ids than the file holds", i);
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
    memcpy(f->announced, bits, PERF_FEATURE_BYTES);
    for (unsigned i = 0; i < PERF_FEAT_LIMIT; i++) {
        if (!(bits[i / 8] >> (i % 8) & 1))
            continue;
        if (!file_has(f, at, PERF_SECTION)) {
            f->odd |= PERF_ODD_FEATURE;
            f->no_table = true;
            return;
        }
        f->feature[i] = file_section(f, f->in.ptr + at);
        if (!f->feature[i].ptr)
            f->odd |= PERF_ODD_FEATURE;
        at += PERF_SECTION;
    }
}

/* Its own records, from data_off to end.  In a pipe perf does not count the header. */
static pts_status file_add_source(struct perf_file *f, uint64_t end,
                                  struct pts_diag *why)
{
    struct perf_source *src = VEC_PUSH(&f->source);
    if (!src)
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    *src = (struct perf_source){.path = f->pipe ? "pipe" : f->path,
                                .ptr = f->in.ptr,
                                .from = f->data_off,
                                .end = end,
                                .uncounted = f->pipe ? PERF_PIPE_HEADER : 0};
    return PTS_OK;
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
        return diag_set(why, PTS_E_FORMAT, 40, "%s: its data lies outside the file",
                        f->path);
    struct pts_bytes attrs = file_section(f, h + 24);
    if (!attrs.ptr)
        return diag_set(why, PTS_E_FORMAT, 24,
                        "%s: its attributes lie outside the file", f->path);
    uint64_t end = f->data_off + f->data_size;
    if (f->data_size == 0) {
        /* perf record was killed: everything to the end is data. */
        f->odd |= PERF_ODD_NO_SIZE;
        end = f->in.len;
    } else if (f->data_size > f->in.len - f->data_off) {
        f->odd |= PERF_ODD_CUT;
        f->bad = (struct perf_place){f->path, f->in.len};
        end = f->in.len;
    }
    if (size == PERF_FILE_HEADER)
        file_read_features(f, h + PERF_FILE_HEADER_OLD);
    pts_status st = file_read_attrs(f, attrs, rd_u64(h + 16), why);
    return st == PTS_OK ? file_add_source(f, end, why) : st;
}

pts_status perf_header_read(struct perf_file *f, struct pts_diag *why)
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
    return file_add_source(f, f->in.len, why);
}
