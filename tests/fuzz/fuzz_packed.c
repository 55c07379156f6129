/* fuzz_packed.c - any records, once as they are and once inside COMPRESSED records.
 *
 * SPDX-License-Identifier: MIT
 *
 * Both must hold the same records, as files and as streams.  The first byte says how
 * the packed stream is cut; the rest is a pipe without its header.  A second run takes
 * the bytes as packed data.
 */
#include "decoder/record/perf_rec.h"
#include "tests/lib/mkzstd.h"
#include "tests/lib/open_bytes.h"

#include <ptscript/records.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 1 << 16 };

struct buffer {
    uint8_t at[4 * MOST];
    size_t len;
};

static void put(struct buffer *b, const void *p, size_t n)
{
    memcpy(b->at + b->len, p, n);
    b->len += n;
}

static void begin(struct buffer *b)
{
    static const uint64_t head[] = {PERF_MAGIC, PERF_PIPE_HEADER};
    b->len = 0;
    put(b, head, sizeof(head));
}

static void put_packed(struct buffer *b, const uint8_t *p, size_t n, size_t piece)
{
    for (size_t i = 0; i < n; i += piece) {
        size_t part = n - i < piece ? n - i : piece;
        const struct {
            uint32_t type;
            uint16_t misc, size;
        } head = {PTS_RECORD_COMPRESSED, 0, (uint16_t)(8 + part)};
        put(b, &head, sizeof(head));
        put(b, p + i, part);
    }
}

static struct perf_file *open_it(const struct buffer *b)
{
    struct perf_file *f = NULL;
    struct pts_diag why;
    return open_bytes(b->at, b->len, &f, &why) == PTS_OK ? f : NULL;
}

/* What has a payload cannot be packed, and what is packed twice stays so. */
static bool is_special(const struct perf_rec *r)
{
    return r->type == PTS_RECORD_AUXTRACE || r->type == PTS_RECORD_TRACING_DATA ||
           perf_rec_is_packed(r);
}

static bool any_special(const struct perf_file *f)
{
    struct perf_rec r;
    for (uint64_t off = f->data.off; off < f->data.end; off = perf_rec_next(&r)) {
        if (perf_rec_header(f, off, &r) != PTS_OK)
            abort();
        if (is_special(&r))
            return true;
    }
    return f->data.packed > 0;
}

static void same_records(const struct perf_file *a, const struct perf_file *b)
{
    uint64_t off = a->data.off;
    struct perf_rec x, y;
    if (a->data.count != b->data.count || a->data.end != b->data.end)
        abort();
    for (; off < a->data.end; off = perf_rec_next(&x)) {
        pts_status st = perf_rec_at(a, off, &x);
        if (perf_rec_at(b, off, &y) != st || x.size != y.size || x.evsel != y.evsel ||
            memcmp(x.ptr, y.ptr, x.size) != 0)
            abort();
    }
}

/* What a stream delivers until it ends or is lost, one after the other. */
static void streamed(const struct buffer *from, struct buffer *to)
{
    struct pts_diag why;
    struct pts_record r;
    pts_records *rs = NULL;
    const void *p = from->at;
    size_t n = from->len;
    to->len = 0;
    if (pts_records_new(NULL, &rs, &why) != PTS_OK)
        return;
    while (pts_records_feed(rs, &p, &n, &r, &why) == PTS_OK)
        put(to, r.bytes.ptr, r.bytes.len);
    pts_records_close(rs);
}

static void same_streams(const struct buffer *plain, const struct buffer *packed)
{
    static struct buffer a, b;
    streamed(plain, &a);
    streamed(packed, &b);
    if (a.len != b.len || memcmp(a.at, b.at, a.len) != 0)
        abort();
}

static void compare(const uint8_t *data, size_t n, size_t piece)
{
    static struct buffer plain, packed;
    static uint8_t frame[MOST + 16];
    begin(&plain);
    put(&plain, data, n);
    begin(&packed);
    put_packed(&packed, frame, zstd_stored(frame, data, n), piece);
    struct perf_file *a = open_it(&plain), *b = open_it(&packed);
    if (a && !any_special(a)) {
        if (!b)
            abort();
        same_records(a, b);
        same_streams(&plain, &packed);
    }
    perf_file_close(a);
    perf_file_close(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct buffer packed;
    if (n < 1 || n > MOST)
        return 0;
    compare(data + 1, n - 1, 3 + data[0]);
    begin(&packed);
    put_packed(&packed, data + 1, n - 1, 3 + data[0]);
    perf_file_close(open_it(&packed));
    return 0;
}
