/* perf_tool.c - what the records say that perf itself writes among those of the kernel.
 *
 * SPDX-License-Identifier: MIT
 *
 * Layouts: perf.data-file-format.txt of perf, and its sources for what is newer.  These
 * records have no sample id, and grew from version to version: what an older one lacks
 * at its end is no damage.
 */
#include "decoder/record/body.h"

#include "decoder/file/perf_attr.h"

/* Records without a struct, most of which say all by their type. */
void read_bytes(struct body *b, union pts_record_body *u)
{
    u->bytes = perf_rec_is_packed(b->rec) ? perf_rec_packed_data(b->rec) : body_rest(b);
}

/* The second word of the attributes says how long they are. */
void read_attr(struct body *b, union pts_record_body *u)
{
    struct pts_attr_record *a = &u->attr;
    const uint8_t *p = b->r.at;
    size_t left = body_left(b), size = left >= 8 ? rd_u32(p + 4) : 0;
    if (size < PERF_ATTR_MIN || !reader_take(&b->r, size)) {
        b->r.bad = true;
        return;
    }
    attr_read(p, size, false, &a->attr);
    a->ids = body_words(b, body_left(b) / 8);
}

void read_build_id(struct body *b, union pts_record_body *u)
{
    enum { ID = 24, SIZE_AT = 20 };
    struct pts_build_id *out = &u->build_id;
    out->pid = body_i32(b);
    out->misc = b->rec->misc;
    const uint8_t *id = reader_take(&b->r, ID);
    out->id = id;
    out->id_len = PTS_BUILD_ID_MAX;
    if (id && out->misc & PTS_MISC_BUILD_ID_SIZE && id[SIZE_AT] < PTS_BUILD_ID_MAX)
        out->id_len = id[SIZE_AT];
    out->name = body_str(b);
}

void read_id_index(struct body *b, union pts_record_body *u)
{
    struct pts_id_index *x = &u->id_index;
    x->count = body_u64(b);
    x->at = body_many(b, x->count, PERF_ID_BYTES);
    x->guests = NULL;
    /* Newer versions of perf put machine and vcpu behind all entries. */
    if (x->at && x->count && body_left(b) / PERF_ID_GUEST_BYTES >= x->count)
        x->guests = body_many(b, x->count, PERF_ID_GUEST_BYTES);
}

void read_auxtrace_info(struct body *b, union pts_record_body *u)
{
    struct pts_auxtrace_info *info = &u->auxtrace_info;
    info->type = body_u32(b);
    body_u32(b); /* unused */
    info->priv = body_words(b, body_left(b) / 8);
}

void read_auxtrace(struct body *b, union pts_record_body *u)
{
    struct pts_auxtrace *a = &u->auxtrace;
    a->size = body_u64(b);
    a->offset = body_u64(b);
    a->reference = body_u64(b);
    a->idx = body_u32(b);
    a->tid = body_i32(b);
    a->cpu = body_i32(b);
}

void read_auxtrace_error(struct body *b, union pts_record_body *u)
{
    struct pts_auxtrace_error *e = &u->auxtrace_error;
    e->type = body_u32(b);
    e->code = body_u32(b);
    e->cpu = body_i32(b);
    e->pid = body_i32(b);
    e->tid = body_i32(b);
    e->fmt = body_u32(b);
    e->ip = body_u64(b);
    e->time = e->fmt > 0 ? body_u64(b) : 0; /* format 0 has its message there */
    size_t left = body_left(b);
    e->msg = body_bytes(b, left < PERF_AUX_ERROR_TEXT ? left : PERF_AUX_ERROR_TEXT);
    if (e->msg.ptr)
        e->msg.len = strnlen((const char *)e->msg.ptr, e->msg.len);
    bool guest = e->fmt > 1 && body_left(b) >= 8;
    e->machine_pid = guest ? body_i32(b) : 0;
    e->vcpu = guest ? body_i32(b) : 0;
}

void read_thread_map(struct body *b, union pts_record_body *u)
{
    struct pts_thread_map *m = &u->thread_map;
    m->count = body_u64(b);
    m->at = body_many(b, m->count, PERF_THREAD_BYTES);
}

void read_stat_config(struct body *b, union pts_record_body *u)
{
    enum { TAG_AND_VALUE = 16 };
    uint64_t count = body_u64(b);
    u->stat_config =
        (struct pts_stat_config){body_cap(b, count, TAG_AND_VALUE), b->r.at};
}

void read_stat(struct body *b, union pts_record_body *u)
{
    struct pts_stat *s = &u->stat;
    s->id = body_u64(b);
    s->cpu = body_i32(b);
    s->thread = body_u32(b);
    s->value = body_u64(b);
    s->enabled = body_u64(b);
    s->running = body_u64(b);
}

void read_stat_round(struct body *b, union pts_record_body *u)
{
    u->stat_round.type = body_u64(b);
    u->stat_round.time = body_u64(b);
}

void read_event_update(struct body *b, union pts_record_body *u)
{
    struct pts_event_update *e = &u->event_update;
    e->type = body_u64(b);
    e->id = body_u64(b);
    e->data = body_rest(b);
}

void read_time_conv(struct body *b, union pts_record_body *u)
{
    struct pts_time_conv *t = &u->time_conv;
    *t = (struct pts_time_conv){.shift = body_u64(b)};
    t->mult = body_u64(b);
    t->zero = body_u64(b);
    t->is_long = body_left(b) > 0; /* then all of it must be there */
    if (!t->is_long)
        return;
    t->cycles = body_u64(b);
    t->mask = body_u64(b);
    uint16_t caps = body_u16(b);
    t->cap_zero = (uint8_t)caps;
    t->cap_short = (uint8_t)(caps >> 8);
}

void read_feature(struct body *b, union pts_record_body *u)
{
    u->feature.number = body_u64(b);
    u->feature.data = body_rest(b);
}

void read_bpf_metadata(struct body *b, union pts_record_body *u)
{
    struct pts_bpf_metadata *m = &u->bpf_metadata;
    m->name = body_bytes(b, PERF_BPF_NAME);
    if (m->name.ptr)
        m->name.len = strnlen((const char *)m->name.ptr, m->name.len);
    uint64_t count = body_u64(b);
    m->count = body_cap(b, count, PERF_BPF_ENTRY);
    m->at = b->r.at;
}

/* A CPU has what the domain's number is in the other as unused bytes. */
void read_schedstat(struct body *b, union pts_record_body *u)
{
    struct pts_schedstat *s = &u->schedstat;
    s->time = body_u64(b);
    s->cpu = body_u32(b);
    s->version = body_u16(b);
    uint16_t domain = body_u16(b);
    s->domain = b->rec->type == PTS_RECORD_SCHEDSTAT_DOMAIN ? domain : 0;
    s->data = body_rest(b);
}
