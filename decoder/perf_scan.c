/* perf_scan.c - the walk over all records that opening a file ends with.
 *
 * SPDX-License-Identifier: MIT
 *
 * It proves the chain of records sound up to data_end and takes in those that describe
 * the recording: all of a pipe's header, and names, ids and the like anywhere.
 */
#include "decoder/diag.h"
#include "decoder/perf_rec.h"
#include "decoder/perf_tool.h"

static pts_status scan_attr(struct perf_file *f, const struct perf_rec *r,
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
    struct span ids = {p + size, (n - size) & ~(size_t)7};
    return perf_file_add_event(f, p, size, ids, r->off, why);
}

static void scan_feature(struct perf_file *f, const struct perf_rec *r)
{
    struct reader body = perf_rec_body(r);
    uint64_t feat = reader_u64(&body);
    if (body.bad || feat >= PERF_FEAT_LIMIT)
        return;
    f->feature[feat] = (struct span){body.at, reader_left(&body)};
}

static void scan_update(struct perf_file *f, const struct perf_rec *r)
{
    struct perf_update u;
    if (perf_rec_update(r, &u) != PTS_OK || u.type != PERF_UPDATE_NAME)
        return;
    for (size_t i = 0; i < f->id.len; i++) {
        if (f->id.at[i].id != u.id)
            continue;
        size_t n = strnlen((const char *)u.data.ptr, u.data.len);
        f->evsel.at[f->id.at[i].evsel].name =
            arena_strndup(&f->arena, (const char *)u.data.ptr, n);
        return;
    }
}

static pts_status scan_one(struct perf_file *f, const struct perf_rec *r,
                           struct pts_diag *why)
{
    switch (r->type) {
    case PERF_REC_HEADER_ATTR:
        return scan_attr(f, r, why);
    case PERF_REC_FEATURE:
        scan_feature(f, r);
        break;
    case PERF_REC_EVENT_UPDATE:
        scan_update(f, r);
        break;
    case PERF_REC_ID_INDEX:
        if (!VEC_ROOM(&f->id_index, 1))
            return diag_set(why, PTS_E_NOMEM, r->off, "out of memory");
        f->id_index.at[f->id_index.len++] = r->off;
        break;
    case PERF_REC_AUXTRACE_INFO:
        if (!f->info_off)
            f->info_off = r->off;
        break;
    case PERF_REC_COMPRESSED:
    case PERF_REC_COMPRESSED2:
        return diag_set(why, PTS_E_UNSUPPORTED, r->off,
                        "%s: compressed records are not supported", f->path);
    }
    return PTS_OK;
}

pts_status perf_scan(struct perf_file *f, struct pts_diag *why)
{
    uint64_t off = f->data_off;
    struct perf_rec r;
    pts_status st;
    while ((st = perf_rec_header(f, off, f->data_end, &r)) == PTS_OK) {
        uint64_t claim =
            r.type == PERF_REC_AUXTRACE && r.size >= 16 ? rd_u64(r.ptr + 8) : 0;
        if (claim > r.payload)
            f->odd |= PERF_ODD_CUT;
        st = scan_one(f, &r, why);
        if (st != PTS_OK)
            return st;
        f->rec_count++;
        off = perf_rec_next(&r);
    }
    if (st == PTS_E_RANGE)
        f->odd |= PERF_ODD_CUT;
    f->data_end = off;
    return PTS_OK;
}

void perf_file_apply_id_index(struct perf_file *f)
{
    for (size_t i = 0; i < f->id_index.len; i++) {
        struct perf_rec r;
        struct perf_id_index index;
        if (perf_rec_header(f, f->id_index.at[i], f->data_end, &r) != PTS_OK ||
            perf_rec_id_index(&r, &index) != PTS_OK)
            continue;
        for (uint64_t k = 0; k < index.count; k++) {
            struct perf_id e = perf_id_index_at(&index, k);
            struct perf_id *known = (struct perf_id *)(uintptr_t)perf_file_id(f, e.id);
            if (!known)
                continue;
            e.evsel = known->evsel;
            *known = e;
        }
    }
}
