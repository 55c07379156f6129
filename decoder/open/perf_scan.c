/* perf_scan.c - the walk over all records that opening a file ends with.
 *
 * SPDX-License-Identifier: MIT
 *
 * It proves the chain of records sound, lays them onto the tape in perf's order and
 * takes in those that describe the recording: all of a pipe's header, and names, ids
 * and the like anywhere.
 *
 *     file   | COMM | COMPRESSED: MMAP2 SAMPLE SAM | COMPRESSED: PLE EXIT | ROUND |
 *     tape   | COMM | MMAP2 | SAMPLE | SAMPLE | EXIT | ROUND |
 *     runs   1      2                                3
 *
 * A directory has several sources.  perf reads about 2 MB of one, then goes on to the
 * next, so that records of about the same time come together.
 *
 * A bad record ends its source, unless the index of the trace tells where it goes on.
 */
#include "decoder/open/perf_scan.h"

#include "decoder/base/diag.h"
#include "decoder/file/perf_feat.h"
#include "decoder/open/perf_keep.h"
#include "decoder/open/perf_learn.h"
#include "decoder/open/perf_resume.h"
#include "decoder/open/perf_unpack.h"
#include "decoder/record/perf_turn.h"

enum { TURN_BYTES = 2 << 20 };

/* --- One source ------------------------------------------------------------------- */

struct scan {
    struct perf_file *f;
    struct pts_diag *why;
    uint32_t source;
    struct pts_bytes at; /* what is left of it */
    struct unpack unpack;
    struct perf_resume resume;
    struct keep_look *look; /* of all sources */
    bool done;
    struct perf_passed passed;
};

/* Where in the file the records go on behind the bad one that is next, or 0. */
static uint64_t scan_beyond(struct scan *s)
{
    uint64_t here = (uint64_t)(s->at.ptr - s->f->source.at[s->source].ptr);
    return s->source == 0 ? perf_resume_at(&s->resume, s->f, here + 1) : 0;
}

static void scan_skip(struct scan *s, uint64_t to)
{
    struct perf_file *f = s->f;
    const struct perf_source *src = &f->source.at[s->source];
    uint64_t here = (uint64_t)(s->at.ptr - src->ptr);
    if (!(f->damage.odd & PERF_ODD_GAP)) {
        f->damage.gap = (struct perf_shown){src->path, here};
        f->damage.again = to;
    }
    f->damage.odd |= PERF_ODD_GAP;
    s->at.ptr = src->ptr + to;
    s->at.len = to < src->end ? (size_t)(src->end - to) : 0;
}

/* The source has a bad record: the rest of it, or up to the next one that is sure to be
 * sound, is left alone. */
static pts_status scan_stop(struct scan *s, enum perf_oddity odd)
{
    struct perf_file *f = s->f;
    uint64_t to = odd == PERF_ODD_CUT && s->at.len ? scan_beyond(s) : 0;
    if (to) {
        scan_skip(s, to);
        return PTS_OK;
    }
    if (!(f->damage.odd & (PERF_ODD_LESS - PERF_ODD_GAP))) {
        const struct perf_source *src = &f->source.at[s->source];
        f->damage.bad =
            (struct perf_shown){src->path, (uint64_t)(s->at.ptr - src->ptr)};
    }
    f->damage.odd |= odd;
    s->done = true;
    return PTS_OK;
}

static pts_status scan_no_memory(struct scan *s, pts_status st)
{
    return diag_set(s->why, st, UINT64_MAX, "%s: no room for its records", s->f->path);
}

/* A size in the header that is too small ends the records, but cuts no payload: that is
 * told by its own record. */
static void scan_reach(const struct scan *s, struct perf_rec *r)
{
    uint64_t most = s->at.len + s->f->source.at[s->source].behind - r->size;
    uint64_t claim = perf_rec_claim(r);
    r->payload = claim < most ? claim : most;
}

/* A payload that claims more than there is, though records follow that are sure: it ends where
 * they begin.  PTS_E_RANGE: that is within the record itself. */
static pts_status scan_shorten(struct scan *s, struct perf_rec *r)
{
    uint64_t here = (uint64_t)(s->at.ptr - s->f->source.at[s->source].ptr);
    uint64_t to = perf_rec_claim(r) > r->payload ? scan_beyond(s) : 0;

    if (!to)
        return PTS_OK;
    if (to < here + r->size)
        return PTS_E_RANGE;
    r->payload = to - here - r->size;
    return PTS_OK;
}

/* The record at the front of `bytes`. */
static pts_status scan_parse(struct scan *s, struct pts_bytes bytes, bool unpacked,
                             struct perf_rec *r)
{
    const struct perf_file *f = s->f;
    const struct input *in = s->source ? &f->source.at[s->source].in : &f->in;
    const struct pts_bytes seen = {
        unpacked ? bytes.ptr : perf_keep_look(f, in, bytes, s->look), bytes.len};
    pts_status st = perf_rec_parse(seen, f->data.end, unpacked, r);

    if (st == PTS_OK)
        r->behind = bytes.ptr + r->size;
    return st;
}

/* The record at the front of `bytes` onto the tape, unless it only packs others, or is
 * a SAMPLE beside a bare trace: of what event is not known.  PTS_E_RANGE: there is no
 * whole one. */
static pts_status scan_put(struct scan *s, struct pts_bytes bytes,
                           const struct perf_run *like, struct perf_rec *r)
{
    struct perf_file *f = s->f;
    if (f->foreign) /* the bytes are ours to write: see input_own, or the spool's */
        perf_turn_early((uint8_t *)(uintptr_t)bytes.ptr, bytes.len);
    pts_status st = scan_parse(s, bytes, like->unpacked, r);
    if (st != PTS_OK || (perf_rec_is_packed(r) && !like->unpacked) ||
        (f->raw && r->type == PTS_RECORD_SAMPLE))
        return st;
    if (!like->unpacked) {
        scan_reach(s, r);
        st = scan_shorten(s, r);
    }
    if (st != PTS_OK)
        return st;
    struct perf_run run = *like;
    run.at = f->data.end;
    run.ptr = bytes.ptr;
    run.len = r->size + r->payload;
    run.cut = perf_rec_claim(r) > r->payload;
    st = perf_keep(f, r, &run);
    if (st == PTS_OK)
        st = tape_put(&f->data.tape, &run);
    if (st != PTS_OK)
        return scan_no_memory(s, st);
    f->data.count++;
    f->data.samples |= r->type == PTS_RECORD_SAMPLE;
    f->data.end += run.len;
    return perf_learn(f, r, s->why);
}

/* Whether a whole record is at the front of the unpacked bytes. */
static bool scan_has_one(const struct perf_file *f, struct pts_bytes bytes)
{
    if (bytes.len < PERF_REC_HEADER)
        return false;
    uint16_t size = rd_u16(bytes.ptr + 6);
    return (f->foreign ? __builtin_bswap16(size) : size) <= bytes.len;
}

/* All whole records at the front of the unpacked bytes. */
static pts_status scan_unpacked(struct scan *s, struct pts_bytes bytes, uint64_t shown,
                                size_t *used)
{
    const struct perf_run like = {
        .source = s->source, .shown = shown, .unpacked = true};
    const struct perf_file *f = s->f;
    pts_status st = PTS_OK;
    *used = 0;
    while (st == PTS_OK && scan_has_one(f, bytes)) {
        struct perf_rec r;
        st = scan_put(s, bytes, &like, &r);
        if (st != PTS_OK)
            break;
        bytes.ptr += r.size;
        bytes.len -= r.size;
        *used += r.size;
    }
    return st == PTS_E_RANGE ? scan_stop(s, PERF_ODD_CUT) : st;
}

/* Packing cuts records anywhere: what is there of the last one waits for the next
 * COMPRESSED record. */
static pts_status scan_packed(struct scan *s, const struct perf_rec *packed,
                              uint64_t shown)
{
    struct perf_file *f = s->f;
    struct pts_bytes bytes;
    pts_status st = unpack_begin(&s->unpack, perf_rec_packed_data(packed));
    f->data.packed++;
    while (st == PTS_OK &&
           (st = unpack_next(&s->unpack, &f->spool, &bytes)) == PTS_OK) {
        size_t used;
        st = scan_unpacked(s, bytes, shown, &used);
        if (st != PTS_OK || s->done)
            return st;
        unpack_used(&s->unpack, &f->spool, used);
    }
    if (st == PTS_E_FORMAT)
        return scan_stop(s, PERF_ODD_PACKED);
    if (st == PTS_E_RANGE)
        return scan_stop(s, PERF_ODD_SWOLLEN);
    return st == PTS_END ? PTS_OK : scan_no_memory(s, st);
}

/* The next record of the source.  *turn counts its bytes. */
static pts_status scan_next(struct scan *s, uint64_t *turn)
{
    const struct perf_source *src = &s->f->source.at[s->source];
    const uint64_t shown = perf_source_shown(src, s->at.ptr);
    const struct perf_run like = {.source = s->source, .shown = shown};
    struct perf_rec r;
    if (!s->at.len) {
        s->done = true;
        return s->unpack.rest.len ? scan_stop(s, PERF_ODD_CUT) : PTS_OK;
    }
    pts_status st = scan_put(s, s->at, &like, &r);
    if (st == PTS_E_RANGE)
        return scan_stop(s, PERF_ODD_CUT);
    if (st == PTS_OK && perf_rec_is_packed(&r))
        st = scan_packed(s, &r, shown);
    if (st == PTS_OK && perf_rec_claim(&r) > r.payload)
        return scan_stop(s, PERF_ODD_CUT);
    uint64_t all = r.size + r.payload;
    s->at.ptr += all;
    s->at.len -= all < s->at.len ? (size_t)all : s->at.len;
    *turn += all;
    perf_rec_passed(s->f, &s->passed, &r);
    return st;
}

/* --- All sources ------------------------------------------------------------------ */

static void scan_begin(struct perf_file *f, uint32_t i, struct keep_look *look,
                       struct scan *s, struct pts_diag *why)
{
    const struct perf_source *src = &f->source.at[i];
    *s = (struct scan){
        .f = f,
        .why = why,
        .source = i,
        .at = {src->ptr + src->from, (size_t)(src->end - src->from)},
        .resume = perf_resume_of(f),
        .look = look
    };
}

/* Until the source is done, or has had its turn. */
static pts_status scan_turn(struct scan *s)
{
    uint64_t turn = 0;
    pts_status st = PTS_OK;
    while (st == PTS_OK && !s->done && turn < TURN_BYTES)
        st = scan_next(s, &turn);
    return st;
}

pts_status perf_scan(struct perf_file *f, struct pts_diag *why)
{
    struct scan *scans = mem_zalloc(f->source.len, sizeof(*scans));
    struct keep_look *look = mem_zalloc(1, sizeof(*look));
    size_t left = f->source.len;
    pts_status st = PTS_OK;
    if (!scans || !look) {
        mem_free(scans);
        mem_free(look);
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    }
    for (uint32_t i = 0; i < f->source.len; i++)
        scan_begin(f, i, look, &scans[i], why);
    f->data.end = f->data.off;
    while (st == PTS_OK && left) {
        left = 0;
        for (size_t i = 0; st == PTS_OK && i < f->source.len; i++) {
            if (!scans[i].done)
                st = scan_turn(&scans[i]);
            left += !scans[i].done;
        }
    }
    for (size_t i = 0; i < f->source.len; i++)
        unpack_free(&scans[i].unpack);
    mem_free(look);
    mem_free(scans);
    if (st == PTS_OK && tape_index(&f->data.tape) < 0)
        st = diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    return st;
}

void perf_scan_kernel(struct perf_file *f)
{
    struct perf_rec r;
    for (uint64_t off = f->data.off; off < f->data.end; off = perf_rec_next(&r)) {
        if (perf_rec_header(f, off, &r) != PTS_OK)
            return;
        perf_turn_late(f, &r);
    }
}
