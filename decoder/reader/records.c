/* records.c - the public reader of records: files (ptscript/records.h).
 *
 * SPDX-License-Identifier: MIT
 *
 * An opened file is a perf_file, read along its tape or in perf's order.  Readers of
 * bytes that the caller gives are in records_given.c and records_feed.c.
 */
#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "decoder/file/perf_feat.h"
#include "decoder/open/perf_open.h"
#include "decoder/reader/records_priv.h"

/* --- Opening --------------------------------------------------------------------- */

struct pts_records_opts records_opts_of(const struct pts_records_opts *from)
{
    struct pts_records_opts o = PTS_RECORDS_OPTS_INIT;
    if (from)
        memcpy(&o, from, from->size < sizeof(o) ? from->size : sizeof(o));
    return o;
}

pts_status records_no_memory(struct pts_diag *why)
{
    return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
}

static void facts_of_file(const struct perf_file *f, struct pts_records_facts *facts)
{
    facts->pipe = f->pipe;
    facts->foreign = f->foreign;
    facts->no_data_size = (f->damage.odd & PERF_ODD_NO_SIZE) != 0;
    facts->cut = (f->damage.odd & PERF_ODD_LESS) != 0;
    facts->cut_offset = !facts->cut                    ? UINT64_MAX
                        : f->damage.odd & PERF_ODD_GAP ? f->damage.gap.off
                                                       : f->damage.bad.off;
}

pts_status pts_records_open(const char *path, const struct pts_records_opts *opts,
                            pts_records **out, struct pts_diag *why)
{
    struct pts_records_opts o = records_opts_of(opts);
    const struct perf_file_how how = {.force = o.force, .temp_dir = o.temp_dir};
    uint32_t mark = refused_mark(why);
    pts_records *rs = mem_zalloc(1, sizeof(*rs));
    if (!rs)
        return records_no_memory(why);
    pts_status st = perf_file_open(path, &how, &rs->file, why);
    if (st == PTS_OK)
        st = pts_records_rewind(rs, o.order, why);
    st = refused_since(mark, st, why);
    if (st != PTS_OK) {
        pts_records_close(rs);
        return st;
    }
    facts_of_file(rs->file, &rs->facts);
    *out = rs;
    return PTS_OK;
}

void pts_records_close(pts_records *rs)
{
    if (!rs)
        return;
    perf_order_free(&rs->order);
    perf_file_close(rs->file);
    mem_free(rs->hold);
    perf_zstd_free(rs->unpack.zstd);
    mem_free(rs->unpack.room);
    mem_free(rs);
}

pts_status pts_records_rewind(pts_records *rs, int order, struct pts_diag *why)
{
    if (order != PTS_ORDER_STORED && order != PTS_ORDER_TIME)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX, "there is no order %d", order);
    if (order == PTS_ORDER_TIME && !rs->order.rec.len && !rs->given) {
        uint32_t mark = refused_mark(why);
        pts_status st = perf_order_make(rs->file, PERF_ORDER_ROUNDS, &rs->order, why);
        st = refused_since(mark, st, why);
        if (st != PTS_OK)
            return st;
    }
    rs->by_time = order == PTS_ORDER_TIME;
    rs->next = 0;
    rs->off = rs->file->data.off;
    /* Counted anew with each pass. */
    rs->facts.records = rs->facts.unknown = rs->facts.damaged = 0;
    return PTS_OK;
}

/* --- Files ----------------------------------------------------------------------- */

static enum pts_record_how tell_body(const struct pts_records *rs,
                                     const struct perf_rec *r, pts_status st,
                                     union pts_record_body *u)
{
    /* A damaged record is told with its bytes, so that a program can show them. */
    const struct reader body = perf_rec_body(r);
    if (st == PTS_OK)
        return record_body(rs->file, r, u);
    u->bytes = (struct pts_bytes){body.at, reader_left(&body)};
    return PTS_RECORD_DAMAGED;
}

void records_tell(pts_records *rs, const struct perf_rec *r, pts_status st,
                  const struct perf_shown *place, struct pts_record *out)
{
    record_public_head(r, place, out);
    out->how = tell_body(rs, r, st, &out->u);
    rs->facts.records++;
    rs->facts.unknown += out->how == PTS_RECORD_UNKNOWN;
    rs->facts.damaged += out->how == PTS_RECORD_DAMAGED;
}

static bool next_place(pts_records *rs, uint64_t *off)
{
    if (rs->by_time && rs->next < rs->order.rec.len) {
        *off = rs->order.rec.at[rs->next++].off;
        return true;
    }
    *off = rs->off;
    return !rs->by_time && rs->off < rs->file->data.end;
}

pts_status pts_records_next(pts_records *rs, struct pts_record *out)
{
    struct perf_rec r;
    uint64_t off;
    if (rs->given || !next_place(rs, &off))
        return PTS_END;
    pts_status st = perf_rec_at(rs->file, off, &r);
    struct perf_shown place = perf_file_shown(rs->file, off);
    /* Known also of a record that cannot be read: its size was checked when it was
     * scanned. */
    rs->off = perf_rec_next(&r);
    records_tell(rs, &r, st, &place, out);
    return PTS_OK;
}

int pts_record_visit(const struct pts_visitor *v, const struct pts_record *r)
{
    struct pts_visitor all = {0};
    /* A visitor of an older caller is shorter, and has no callbacks for newer
     * records. */
    memcpy(&all, v, v->size < sizeof(all) ? v->size : sizeof(all));
    if (r->how != PTS_RECORD_WHOLE)
        return all.other ? all.other(all.ctx, r) : 0;
    switch (r->type) {
#define PTS_RECORD(name, number, callback, member, body, word, source)                 \
    case number:                                                                       \
        return all.callback ? all.callback(all.ctx, r, &r->u.member) : 0;
#include <ptscript/records.def>
#undef PTS_RECORD
    }
    return 0;
}

pts_status pts_records_visit(pts_records *rs, const struct pts_visitor *v)
{
    struct pts_record r;
    while (pts_records_next(rs, &r) == PTS_OK)
        if (pts_record_visit(v, &r) != 0)
            return PTS_E_CANCELLED;
    return PTS_OK;
}

/* --- What is known --------------------------------------------------------------- */

size_t pts_records_event_count(const pts_records *rs)
{
    return rs->file->evsel.len;
}

pts_status pts_records_event(const pts_records *rs, size_t i,
                             struct pts_event_info *out)
{
    if (i >= rs->file->evsel.len)
        return PTS_END;
    const struct perf_evsel *e = &rs->file->evsel.at[i];
    *out = (struct pts_event_info){&e->attr, e->name, e->ids, e->id_count};
    return PTS_OK;
}

pts_status pts_records_counter(const pts_records *rs, uint64_t id,
                               struct pts_counter *out)
{
    const struct pts_counter *c = perf_file_id(rs->file, id);
    if (!c)
        return PTS_END;
    *out = *c;
    return PTS_OK;
}

pts_status pts_records_feature(const pts_records *rs, uint32_t id,
                               struct pts_feature_iter *out)
{
    if (id >= PTS_FEAT_END || !perf_feat_has(rs->file, id))
        return PTS_END;
    *out = perf_feature_begin(rs->file, id);
    return PTS_OK;
}

void pts_records_facts(const pts_records *rs, struct pts_records_facts *out)
{
    struct pts_records_facts facts = rs->facts;
    facts.size = out->size < sizeof(facts) ? out->size : sizeof(facts);
    memcpy(out, &facts, facts.size);
}
