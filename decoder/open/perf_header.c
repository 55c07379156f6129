/* perf_header.c - the header of a perf.data file.
 *
 * SPDX-License-Identifier: MIT
 *
 *     | header | ids | attrs | data ............. | table | feature | feature | ...
 *       104 B          ^ attr, section of its ids    ^ one section per feature bit
 *
 * A pipe-format file is a 16-byte header and records.
 */
#include "decoder/open/perf_header.h"

#include "decoder/base/diag.h"
#include "decoder/file/perf_attr.h"

#include <inttypes.h>

static bool file_has(const struct perf_file *f, uint64_t off, uint64_t n)
{
    return off <= f->in.len && n <= f->in.len - off;
}

static uint32_t file_u32(const struct perf_file *f, const uint8_t *p)
{
    return f->foreign ? __builtin_bswap32(rd_u32(p)) : rd_u32(p);
}

static uint64_t file_u64(const struct perf_file *f, const uint8_t *p)
{
    return f->foreign ? __builtin_bswap64(rd_u64(p)) : rd_u64(p);
}

/* The two words of a section: the bytes it means, ptr NULL when outside the file. */
static struct pts_bytes file_section(const struct perf_file *f, const uint8_t *p)
{
    uint64_t off = file_u64(f, p), n = file_u64(f, p + 8);
    if (!file_has(f, off, n))
        return (struct pts_bytes){0};
    return (struct pts_bytes){f->in.ptr + off, (size_t)n};
}

/* The attribute at *off, and behind it the section of its ids.  Their length is what
 * the attribute itself says: perf goes by that, not by what the header says of all. */
static pts_status file_read_attr(struct perf_file *f, uint64_t *off,
                                 struct pts_diag *why)
{
    size_t i = f->evsel.len;
    if (!file_has(f, *off, PERF_ATTR_MIN + PERF_SECTION))
        return diag_set(why, PTS_E_TRUNCATED, *off, "event %zu lies outside the file",
                        i);
    const uint8_t *p = f->in.ptr + *off;
    uint64_t size = file_u32(f, p + 4);
    if (size == 0)
        size = PERF_ATTR_MIN; /* written before the field existed */
    if (size < PERF_ATTR_MIN || !file_has(f, *off, size + PERF_SECTION))
        return diag_set(why, PTS_E_FORMAT, *off,
                        "event %zu: bad attribute size %" PRIu64, i, size);
    struct pts_bytes ids = file_section(f, p + size);
    /* All events together have no more than the file has room for. */
    if (!ids.ptr || ids.len / 8 > f->in.len / 8 - f->ids.counter.len) {
        f->damage.odd |= PERF_ODD_IDS;
        f->damage.ids = *off;
        ids = (struct pts_bytes){p, 0};
    }
    if (!attr_tail_unused(p, (size_t)size))
        return diag_set(
            why, PTS_E_FORMAT, *off,
            "event %zu uses attributes of a newer kernel (size %" PRIu64 ")", i, size);
    *off += size + PERF_SECTION;
    struct pts_attr attr;
    attr_read(p, (size_t)size, f->foreign, &attr);
    return perf_file_put_event(
        f, &attr, (struct pts_words){ids.ptr, ids.len / 8, f->foreign}, 0, why);
}

static pts_status file_read_attrs(struct perf_file *f, const uint8_t *h,
                                  struct pts_diag *why)
{
    uint64_t each = file_u64(f, h + 16), off = file_u64(f, h + 24);
    if (!each)
        f->damage.odd |= PERF_ODD_NO_ATTR;
    /* No recording has so many, and a number from a file must not keep us busy. */
    if (each < PERF_ATTR_MIN + PERF_SECTION || f->said.attrs_size / each > UINT16_MAX)
        return diag_set(why, PTS_E_FORMAT, 16, "bad attribute size %" PRIu64, each);
    pts_status st = PTS_OK;
    for (uint64_t i = 0; st == PTS_OK && i < f->said.attrs_size / each; i++)
        st = file_read_attr(f, &off, why);
    return st;
}

static bool bit_is_set(const uint8_t *bits, unsigned i)
{
    return bits[i / 8] >> (i % 8) & 1;
}

/* The bits are words of the recording machine, of 64 or 32 bits.  perf always sets that
 * of the host's name, which tells; when neither way it is there perf gives up. */
static void file_feature_bits(const struct perf_file *f, uint8_t *bits)
{
    uint8_t raw[PERF_FEATURE_BYTES];
    memcpy(raw, bits, sizeof(raw));
    for (unsigned word = 8; f->foreign && word >= 4; word /= 2) {
        for (unsigned i = 0; i < sizeof(raw); i++)
            bits[i] = raw[i / word * word + (word - 1 - i % word)];
        if (bit_is_set(bits, PTS_FEAT_HOSTNAME))
            return;
    }
    if (!f->foreign)
        return;
    memset(bits, 0, sizeof(raw));
    bits[PTS_FEAT_BUILD_ID / 8] = 1 << PTS_FEAT_BUILD_ID % 8;
}

/* The sections that the header's bits announce stand in a table behind the data. */
static void file_read_features(struct perf_file *f, const uint8_t *h)
{
    uint64_t at = f->data.off + f->said.data_size;
    uint8_t *bits = f->said.announced;
    memcpy(bits, h + PERF_FILE_HEADER_OLD, PERF_FEATURE_BYTES);
    file_feature_bits(f, bits);
    for (unsigned i = 0; i < PTS_FEAT_END; i++) {
        if (!bit_is_set(bits, i))
            continue;
        if (!file_has(f, at, PERF_SECTION)) {
            f->damage.odd |= PERF_ODD_FEATURE;
            /* The table is behind the data, so a file that was cut has none.  That is
             * no reason not to read what is there. */
            f->said.no_table = true;
            return;
        }
        f->feature[i] = file_section(f, f->in.ptr + at);
        if (!f->feature[i].ptr)
            f->damage.odd |= PERF_ODD_FEATURE;
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
                                .from = f->data.off,
                                .end = end,
                                .behind = f->in.len - end,
                                .uncounted = f->pipe ? PERF_PIPE_HEADER : 0};
    return PTS_OK;
}

static pts_status file_read_header(struct perf_file *f, struct pts_diag *why)
{
    const uint8_t *h = f->in.ptr;
    uint64_t size = file_u64(f, h + 8);
    if (size != PERF_FILE_HEADER && size != PERF_FILE_HEADER_OLD)
        return diag_set(why, PTS_E_FORMAT, 8, "bad header size %" PRIu64, size);
    if (f->in.len < size)
        return diag_set(why, PTS_E_TRUNCATED, f->in.len, "ends inside its header");
    f->data.off = file_u64(f, h + 40);
    f->said.data_size = file_u64(f, h + 48);
    f->said.attrs_size = file_u64(f, h + 32);
    if (f->data.off < PERF_PIPE_HEADER || f->data.off > f->in.len)
        return diag_set(why, PTS_E_FORMAT, 40, "its data lies outside the file");
    if (!file_section(f, h + 24).ptr)
        return diag_set(why, PTS_E_FORMAT, 24, "its attributes lie outside the file");
    uint64_t end = f->data.off + f->said.data_size;
    if (f->said.data_size == 0) {
        /* perf record was killed: everything to the end is data. */
        f->damage.odd |= PERF_ODD_NO_SIZE;
        end = f->in.len;
    } else if (f->said.data_size > f->in.len - f->data.off) {
        f->damage.odd |= PERF_ODD_CUT;
        f->damage.bad = (struct perf_shown){f->path, f->in.len};
        end = f->in.len;
    }
    if (size == PERF_FILE_HEADER)
        file_read_features(f, h);
    pts_status st = file_read_attrs(f, h, why);
    return st == PTS_OK ? file_add_source(f, end, why) : st;
}

/* Version 1 does not say its byte order, but how long an attribute and the section
 * behind it are together: perf looks which order makes that one of those there were. */
static bool magic_v1(const uint8_t *bytes, bool *foreign)
{
    static const uint64_t attrs[] = {64, 72, 80, 96, 104};
    uint64_t size = rd_u64(bytes + 8), each = rd_u64(bytes + 16);
    for (size_t i = 0; i < sizeof(attrs) / sizeof(*attrs); i++) {
        *foreign = each != attrs[i] + PERF_SECTION;
        if (!*foreign || each == __builtin_bswap64(attrs[i] + PERF_SECTION))
            return true;
    }
    *foreign = false;
    return size == PERF_PIPE_HEADER;
}

bool perf_magic_read(const uint8_t *bytes, size_t n, struct perf_magic *out)
{
    uint64_t magic = n >= PERF_PIPE_HEADER ? rd_u64(bytes) : 0;
    bool first = magic == PERF_MAGIC_V1;
    *out = (struct perf_magic){first ? 1 : 2, magic == PERF_MAGIC_SWAP};
    if (first)
        return n >= PERF_PIPE_HEADER + 8 && magic_v1(bytes, &out->foreign);
    return magic == PERF_MAGIC || magic == PERF_MAGIC_SWAP;
}

pts_status perf_header_read(struct perf_file *f, struct pts_diag *why)
{
    if (f->in.len == 0 && !perf_file_is_stdin(f))
        return diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                        "zero-sized data (%s), nothing to do!", f->path);
    struct perf_magic magic;
    if (!perf_magic_read(f->in.ptr, f->in.len, &magic))
        return diag_set(why, PTS_E_FORMAT, 0, "not a perf.data file");
    f->said.version = magic.version;
    f->foreign = magic.foreign;
    /* Its records are turned around where they lie, so the mapping must be ours to
     * write. */
    if (f->foreign && !input_own(&f->in))
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    if (file_u64(f, f->in.ptr + 8) != PERF_PIPE_HEADER)
        return file_read_header(f, why);
    f->pipe = true;
    f->damage.odd |= PERF_ODD_PIPE;
    f->data.off = PERF_PIPE_HEADER;
    return file_add_source(f, f->in.len, why);
}
