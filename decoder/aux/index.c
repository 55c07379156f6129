/* index.c - what was found out about the trace of a recording, to be kept beside it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/aux/index.h"

#include "decoder/base/hash.h"

#include <stdlib.h>

enum { VERSION = 1, HEAD_HASHED = 4096, PIECE_HASHED = 64 };

static const uint8_t magic[INDEX_MAGIC] = {'P', 'T', 'I', 'D', 'X', '\r', '\n', 0x1a};

struct head {
    uint8_t magic[INDEX_MAGIC];
    uint64_t checksum; /* of all behind it */
    uint64_t version;
    uint64_t size, hash; /* of the recording; of its beginning */
    uint64_t pieces, psbs, queues, windows;
};
_Static_assert(sizeof(struct head) == 72, "it is written as it is");
_Static_assert(sizeof(struct index_piece) == 40, "it is written as it is");
_Static_assert(sizeof(struct pt_psb) == 16, "it is written as it is");
_Static_assert(sizeof(struct index_queue) == 88, "it is written as it is");
_Static_assert(sizeof(struct survey_window) == 48, "it is written as it is");

enum { SUMMED_FROM = INDEX_MAGIC + 8 };

void index_free(struct trace_index *x)
{
    VEC_FREE(&x->piece);
    VEC_FREE(&x->psbs.psb);
    VEC_FREE(&x->queue);
    VEC_FREE(&x->window);
}

uint64_t index_hash(const struct aux_buf *b)
{
    const uint64_t about[] = {b->off, b->len, b->reference,
                              (uint64_t)(uint32_t)b->cpu << 32 | (uint32_t)b->tid};
    size_t n = b->len < PIECE_HASHED ? b->len : PIECE_HASHED;

    return hash_bytes(hash_bytes(0, about, sizeof(about)), b->ptr, n);
}

static int piece_before(const void *a, const void *b)
{
    const struct index_piece *x = a, *y = b;
    return x->off < y->off ? -1 : x->off > y->off;
}

void index_sort(struct trace_index *x)
{
    if (x->piece.len)
        qsort(x->piece.at, x->piece.len, sizeof(*x->piece.at), piece_before);
}

const struct index_piece *index_piece_at(const struct trace_index *x, uint64_t off)
{
    const struct index_piece key = {.off = off};

    return x->piece.len
               ? bsearch(&key, x->piece.at, x->piece.len, sizeof(key), piece_before)
               : NULL;
}

const struct index_piece *index_find(const struct trace_index *x,
                                     const struct aux_buf *b)
{
    const struct index_piece *p = index_piece_at(x, b->off);

    return p && p->len == b->len && p->hash == index_hash(b) ? p : NULL;
}

static uint64_t hash_of(const struct perf_file *f)
{
    return hash_bytes(VERSION, f->in.ptr,
                      f->in.len < HEAD_HASHED ? f->in.len : HEAD_HASHED);
}

/* --- Writing ---------------------------------------------------------------------- */

static bool put(struct index_bytes *out, const void *p, size_t n)
{
    if (!VEC_ROOM(out, n))
        return false;
    if (n)
        memcpy(out->at + out->len, p, n);
    out->len += n;
    return true;
}

#define PUT(out, v) put(out, (v)->at, (v)->len * sizeof(*(v)->at))

pts_status index_write(const struct trace_index *x, const struct perf_file *f,
                       struct index_bytes *out)
{
    struct head h = {.version = VERSION,
                     .size = f->in.len,
                     .hash = hash_of(f),
                     .pieces = x->piece.len,
                     .psbs = x->psbs.psb.len,
                     .queues = x->queue.len,
                     .windows = x->window.len};

    memcpy(h.magic, magic, sizeof(magic));
    out->len = 0;
    if (!put(out, &h, sizeof(h)) || !PUT(out, &x->piece) || !PUT(out, &x->psbs.psb) ||
        !PUT(out, &x->queue) || !PUT(out, &x->window))
        return PTS_E_NOMEM;
    h.checksum = hash_bytes(0, out->at + SUMMED_FROM, out->len - SUMMED_FROM);
    memcpy(out->at, &h, sizeof(h));
    return PTS_OK;
}

/* --- Reading ---------------------------------------------------------------------- */

bool index_is(const uint8_t *bytes, size_t n)
{
    return n >= sizeof(magic) && memcmp(bytes, magic, sizeof(magic)) == 0;
}

/* What is behind the head is as long as it says. */
static bool sizes_fit(const struct head *h, size_t n)
{
    const uint64_t parts[][2] = {
        {h->pieces,  sizeof(struct index_piece)  },
        {h->psbs,    sizeof(struct pt_psb)       },
        {h->queues,  sizeof(struct index_queue)  },
        {h->windows, sizeof(struct survey_window)},
    };
    uint64_t left = n - sizeof(*h);

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i][0] > left / parts[i][1])
            return false;
        left -= parts[i][0] * parts[i][1];
    }
    return !left;
}

static const char *head_fault(const struct head *h, const uint8_t *bytes, size_t n,
                              const struct perf_file *f)
{
    if (h->version != VERSION)
        return "it is of another version of ptscript";
    if (!sizes_fit(h, n) ||
        h->checksum != hash_bytes(0, bytes + SUMMED_FROM, n - SUMMED_FROM))
        return "it is damaged";
    if (h->size != f->in.len || h->hash != hash_of(f))
        return "it is of another recording, or of an older state of this one";
    return NULL;
}

static bool take(struct reader *r, void *to, size_t n)
{
    const uint8_t *p = reader_take(r, n);

    if (p && n)
        memcpy(to, p, n);
    return p;
}

#define TAKE(r, v, n)                                                                  \
    (VEC_ROOM(v, n) && ((v)->len = (n), take(r, (v)->at, (n) * sizeof(*(v)->at))))

static bool take_all(const struct head *h, struct reader *r, struct trace_index *x)
{
    return TAKE(r, &x->piece, h->pieces) && TAKE(r, &x->psbs.psb, h->psbs) &&
           TAKE(r, &x->queue, h->queues) && TAKE(r, &x->window, h->windows);
}

static bool piece_is_sound(const struct trace_index *x, const struct index_piece *p)
{
    uint64_t after = 0; /* no PSB before it */

    if (p->count == INDEX_UNLISTED)
        return true;
    if (p->first > x->psbs.psb.len || p->count > x->psbs.psb.len - p->first)
        return false;
    for (uint64_t i = 0; i < p->count; i++) {
        uint64_t off = x->psbs.psb.at[p->first + i].off;
        if (off < after || off >= p->len)
            return false;
        after = off + 1;
    }
    return true;
}

/* A checksum is no proof: who wrote the file may have meant to lie. */
static bool is_sound(const struct trace_index *x)
{
    uint64_t listed = 0; /* each PSB is of one piece */

    for (size_t i = 0; i < x->piece.len; i++) {
        const struct index_piece *p = &x->piece.at[i];
        if ((i && p->off <= x->piece.at[i - 1].off) || !piece_is_sound(x, p))
            return false;
        listed += p->count == INDEX_UNLISTED ? 0 : p->count;
        if (listed > x->psbs.psb.len)
            return false;
    }
    for (size_t i = 0; i < x->queue.len; i++) {
        const struct index_queue *q = &x->queue.at[i];
        if (q->first > x->window.len || q->count > x->window.len - q->first)
            return false;
    }
    for (size_t i = 0; i < x->window.len; i++)
        if (x->window.at[i].end >= SURVEY_ENDS)
            return false;
    return true;
}

pts_status index_read(const uint8_t *bytes, size_t n, const struct perf_file *f,
                      struct trace_index *out, const char **why)
{
    struct trace_index x = {0};
    struct reader r = reader_of(bytes, n);
    struct head h;

    *why = "it is no index";
    if (!index_is(bytes, n))
        return PTS_E_FORMAT;
    *why = "it is damaged";
    if (!take(&r, &h, sizeof(h)))
        return PTS_E_FORMAT;
    const char *fault = head_fault(&h, bytes, n, f);
    if (fault) {
        *why = fault;
        return PTS_E_FORMAT;
    }
    bool taken = take_all(&h, &r, &x);
    if (!taken || !is_sound(&x)) {
        index_free(&x);
        return taken ? PTS_E_FORMAT : PTS_E_NOMEM;
    }
    *out = x;
    return PTS_OK;
}
