/* perf_scan.c - the walk over all records that opening a file ends with.
 *
 * SPDX-License-Identifier: MIT
 *
 * It proves the chain of records sound, lays them onto the tape in perf's order and
 * takes in those that describe the recording: all of a pipe's header, and names, ids
 * and the like anywhere.
 *
 * A directory has several sources.  perf reads about 2 MB of one, then goes on to the
 * next, so that records of about the same time come together.
 */
#include "decoder/perf_scan.h"

#include "decoder/diag.h"
#include "decoder/perf_cpus.h"
#include "decoder/perf_feat.h"
#include "decoder/perf_rec.h"
#include "decoder/perf_swap.h"
#include "decoder/perf_tool.h"
#include "decoder/perf_unpack.h"

enum { TURN_BYTES = 2 << 20 };

/* --- What records say of the recording --- */

static pts_status take_attr(struct perf_file *f, const struct perf_rec *r,
                            struct pts_diag *why)
{
    size_t n = (size_t)(r->size - PERF_REC_HEADER);
    const uint8_t *p = r->ptr + PERF_REC_HEADER;
    size_t size = n >= 8 ? rd_u32(p + 4) : 0;
    if (size < PERF_ATTR_MIN || size > n)
        return diag_set(why, PTS_E_FORMAT, r->off,
                        "bad event attributes in a HEADER_ATTR");
    if (f->evsel.len >= UINT16_MAX)
        return diag_set(why, PTS_E_FORMAT, r->off, "too many events");
    struct pts_bytes ids = {p + size, (n - size) & ~(size_t)7};
    return perf_file_add_event(f, (struct pts_bytes){p, size}, ids, false, r->off, why);
}

static void note_damage(struct perf_file *f, uint64_t off)
{
    if (off < f->damaged)
        f->damaged = off;
}

/* Groups must be of the events that have come, one behind the other. */
static bool feature_is_sound(const struct perf_file *f, uint32_t feat)
{
    struct pts_feature_iter it = perf_feature_begin(f, feat);
    struct pts_feature_item item;
    uint64_t end = 0; /* of the last group */
    pts_status st;
    while ((st = pts_feature_next(&it, &item)) == PTS_OK) {
        if (item.kind != PTS_ITEM_GROUP)
            continue;
        if (item.u.group.leader < end || item.u.group.members == 0)
            return false;
        end = (uint64_t)item.u.group.leader + item.u.group.members;
        if (end > f->evsel.len)
            return false;
    }
    return st == PTS_END || feat == PERF_FEAT_EVENT_DESC; /* perf does without names */
}

/* A section that is not what it claims stops perf in a pipe, where it reads sections
 * whether it prints them or not; but one it does not know, it passes over. */
static void take_feature(struct perf_file *f, const struct perf_rec *r)
{
    struct reader body = perf_rec_body(r);
    uint64_t feat = reader_u64(&body);
    if (body.bad)
        note_damage(f, r->off);
    if (body.bad || feat >= PERF_FEAT_LIMIT)
        return;
    f->feature[feat] = (struct pts_bytes){body.at, reader_left(&body)};
    if (feat == PERF_FEAT_EVENT_DESC)
        f->desc_off = r->off;
    if (f->pipe && !feature_is_sound(f, (uint32_t)feat))
        note_damage(f, r->off);
}

static void take_map(struct perf_file *f, const struct perf_rec *r)
{
    struct pts_thread_map threads;
    struct pts_bytes body = {r->ptr + PERF_REC_HEADER,
                             (size_t)(r->size - PERF_REC_HEADER)};
    bool good = r->type == PERF_REC_THREAD_MAP
                    ? perf_rec_thread_map(r, &threads) == PTS_OK
                    : perf_cpus_of(body).type != PERF_CPUS_TYPES;
    if (!good)
        note_damage(f, r->off);
}

static void take_update(struct perf_file *f, const struct perf_rec *r)
{
    struct pts_event_update u;
    if (perf_rec_update(r, &u) != PTS_OK || u.type != PERF_UPDATE_NAME)
        return;
    for (size_t i = 0; i < f->id.len; i++) {
        if (f->id.at[i].id != u.id)
            continue;
        size_t n = strnlen((const char *)u.data.ptr, u.data.len);
        f->evsel.at[f->id.at[i].event].name =
            arena_strndup(&f->arena, (const char *)u.data.ptr, n);
        return;
    }
}

static pts_status take_one(struct perf_file *f, const struct perf_rec *r,
                           struct pts_diag *why)
{
    if (r->type >= PERF_REC_IMPOSSIBLE)
        note_damage(f, r->off);
    if (f->raw && r->type != PERF_REC_AUXTRACE_INFO)
        return PTS_OK; /* all is known already */
    switch (r->type) {
    case PERF_REC_HEADER_ATTR:
        return take_attr(f, r, why);
    case PERF_REC_FEATURE:
        take_feature(f, r);
        break;
    case PERF_REC_EVENT_UPDATE:
        take_update(f, r);
        break;
    case PERF_REC_ID_INDEX:
        if (!VEC_ROOM(&f->id_index, 1))
            return diag_set(why, PTS_E_NOMEM, r->off, "out of memory");
        f->id_index.at[f->id_index.len++] = r->off;
        break;
    case PERF_REC_THREAD_MAP:
    case PERF_REC_CPU_MAP:
        take_map(f, r);
        break;
    case PERF_REC_AUXTRACE_INFO:
        if (!f->info_off)
            f->info_off = r->off;
        if (r->size < 16 || rd_u32(r->ptr + 8) >= PERF_AUXTRACE_IMPOSSIBLE)
            note_damage(f, r->off);
        break;
    }
    return PTS_OK;
}

/* --- One source --- */

struct scan {
    struct perf_file *f;
    struct pts_diag *why;
    uint32_t source;
    struct pts_bytes at; /* what is left of it */
    struct unpack unpack;
    bool done;
};

/* The source has a bad record: the rest of it is left alone. */
static pts_status scan_stop(struct scan *s, enum perf_oddity odd)
{
    struct perf_file *f = s->f;
    if (!(f->odd & (PERF_ODD_CUT | PERF_ODD_PACKED))) {
        const struct perf_source *src = &f->source.at[s->source];
        f->bad = (struct perf_place){src->path, (uint64_t)(s->at.ptr - src->ptr)};
    }
    f->odd |= odd;
    s->done = true;
    return PTS_OK;
}

static pts_status scan_no_memory(struct scan *s, pts_status st)
{
    return diag_set(s->why, st, UINT64_MAX, "%s: no room for its records", s->f->path);
}

/* The record that begins here, as this machine would have it, but for the bodies of the
 * kernel's: see perf_scan_kernel.  The bytes are ours to write (input_own, or spool).
 */
static void scan_native(const struct perf_file *f, struct pts_bytes bytes)
{
    uint8_t *p = (uint8_t *)(uintptr_t)bytes.ptr;
    if (!f->foreign || bytes.len < PERF_REC_HEADER)
        return;
    swap_header(p);
    size_t size = rd_u16(p + 6);
    if (rd_u32(p) >= PERF_REC_USER && size >= PERF_REC_HEADER && size <= bytes.len)
        swap_own(p, size);
}

/* The record at the front of `bytes` onto the tape, unless it only packs others, or is
 * a SAMPLE beside a bare trace: of what event is not known.  PTS_E_RANGE: there is no
 * whole one. */
static pts_status scan_put(struct scan *s, struct pts_bytes bytes,
                           const struct perf_run *like, struct perf_rec *r)
{
    struct perf_file *f = s->f;
    scan_native(f, bytes);
    pts_status st = perf_rec_parse(bytes, f->data_end, like->unpacked, r);
    if (st != PTS_OK || (perf_rec_is_packed(r) && !like->unpacked) ||
        (f->raw && r->type == PERF_REC_SAMPLE))
        return st;
    struct perf_run run = *like;
    run.at = f->data_end;
    run.ptr = bytes.ptr;
    run.len = r->size + r->payload;
    st = tape_put(&f->tape, &run);
    if (st != PTS_OK)
        return scan_no_memory(s, st);
    f->rec_count++;
    f->data_end += run.len;
    return take_one(f, r, s->why);
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

static pts_status scan_packed(struct scan *s, const struct perf_rec *packed,
                              uint64_t shown)
{
    struct perf_file *f = s->f;
    uint64_t most = perf_file_unpack_max(f);
    struct pts_bytes bytes;
    pts_status st = unpack_begin(&s->unpack, perf_rec_packed_data(packed));
    f->packed_count++;
    while (st == PTS_OK &&
           (st = unpack_next(&s->unpack, &f->spool, most, &bytes)) == PTS_OK) {
        size_t used;
        st = scan_unpacked(s, bytes, shown, &used);
        if (st != PTS_OK || s->done)
            return st;
        unpack_used(&s->unpack, &f->spool, used);
    }
    if (st == PTS_E_FORMAT)
        return scan_stop(s, PERF_ODD_PACKED);
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
    s->at.ptr += r.size + r.payload;
    s->at.len -= r.size + r.payload;
    *turn += r.size + r.payload;
    return st;
}

/* --- All sources --- */

static void scan_begin(struct perf_file *f, uint32_t i, struct scan *s,
                       struct pts_diag *why)
{
    const struct perf_source *src = &f->source.at[i];
    *s = (struct scan){
        .f = f,
        .why = why,
        .source = i,
        .at = {src->ptr + src->from, (size_t)(src->end - src->from)}
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
    size_t left = f->source.len;
    pts_status st = PTS_OK;
    if (!scans)
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    for (uint32_t i = 0; i < f->source.len; i++)
        scan_begin(f, i, &scans[i], why);
    f->data_end = f->data_off;
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
    mem_free(scans);
    return st;
}

static void take_id_index(struct perf_file *f, const struct perf_rec *r)
{
    struct pts_id_index index;
    if (perf_rec_id_index(r, &index) != PTS_OK) {
        note_damage(f, r->off);
        return;
    }
    for (uint64_t k = 0; k < index.count; k++) {
        struct pts_counter e = pts_id_at(&index, k);
        struct pts_counter *known =
            (struct pts_counter *)(uintptr_t)perf_file_id(f, e.id);
        if (!known) {
            note_damage(f, r->off);
            continue;
        }
        e.event = known->event;
        *known = e;
    }
}

void perf_scan_id_index(struct perf_file *f)
{
    for (size_t i = 0; i < f->id_index.len; i++) {
        struct perf_rec r;
        if (perf_rec_header(f, f->id_index.at[i], &r) == PTS_OK)
            take_id_index(f, &r);
    }
}

void perf_scan_kernel(struct perf_file *f)
{
    struct perf_rec r;
    for (uint64_t off = f->data_off; off < f->data_end; off = perf_rec_next(&r)) {
        if (perf_rec_header(f, off, &r) != PTS_OK)
            return;
        if (r.type >= PERF_REC_USER)
            continue;
        uint32_t i = perf_rec_evsel(f, &r, true);
        const struct perf_evsel *ev = i != PERF_NO_EVSEL ? &f->evsel.at[i] : NULL;
        swap_kernel((uint8_t *)(uintptr_t)r.ptr, r.size, ev ? &ev->attr : NULL,
                    ev ? ev->id_bytes : 0);
    }
}

pts_status perf_scan_learn(struct perf_file *f, const struct perf_rec *r,
                           struct pts_diag *why)
{
    struct pts_attr_record attr;
    switch (r->type) {
    case PERF_REC_HEADER_ATTR:
        if (perf_rec_attr(r, &attr) != PTS_OK || f->evsel.len >= UINT16_MAX)
            return PTS_OK; /* damaged: the record says so itself */
        pts_status st = take_attr(f, r, why);
        return st == PTS_OK ? perf_file_learnt(f, why) : st;
    case PERF_REC_EVENT_UPDATE:
        take_update(f, r);
        break;
    case PERF_REC_ID_INDEX:
        take_id_index(f, r);
        break;
    }
    return PTS_OK;
}
