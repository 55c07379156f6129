/* perf_tool.c - the records that perf itself writes among those of the kernel.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/perf_tool.h"

#include "decoder/perf_attr.h"

static int32_t tool_i32(struct reader *r)
{
    return (int32_t)reader_u32(r);
}

pts_status perf_rec_attr(const struct perf_rec *rec, struct pts_attr_record *out)
{
    const uint8_t *p = rec->ptr + PERF_REC_HEADER;
    size_t n = (size_t)(rec->size - PERF_REC_HEADER);
    size_t size = n >= 8 ? rd_u32(p + 4) : 0;
    if (size < PERF_ATTR_MIN || size > n)
        return PTS_E_RANGE;
    attr_read(p, size, false, &out->attr);
    out->ids = (struct pts_words){p + size, (n - size) / 8, 0};
    return PTS_OK;
}

pts_status perf_rec_auxtrace_info(const struct perf_rec *rec,
                                  struct pts_auxtrace_info *out)
{
    struct reader r = perf_rec_body(rec);
    uint32_t type = reader_u32(&r);
    reader_take(&r, 4);
    if (r.bad)
        return PTS_E_RANGE;
    out->type = type;
    out->priv = (struct pts_words){r.at, reader_left(&r) / 8, 0};
    return PTS_OK;
}

pts_status perf_rec_auxtrace(const struct perf_rec *rec, struct pts_auxtrace *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_auxtrace a = {.size = reader_u64(&r)};
    a.offset = reader_u64(&r);
    a.reference = reader_u64(&r);
    a.idx = reader_u32(&r);
    a.tid = tool_i32(&r);
    a.cpu = tool_i32(&r);
    if (r.bad)
        return PTS_E_RANGE;
    *out = a;
    return PTS_OK;
}

pts_status perf_rec_auxtrace_error(const struct perf_rec *rec,
                                   struct pts_auxtrace_error *out)
{
    enum { MSG = 64 };
    struct reader r = perf_rec_body(rec);
    struct pts_auxtrace_error e = {.type = reader_u32(&r)};
    e.code = reader_u32(&r);
    e.cpu = tool_i32(&r);
    e.pid = tool_i32(&r);
    e.tid = tool_i32(&r);
    e.fmt = reader_u32(&r);
    e.ip = reader_u64(&r);
    /* Format 0 has no time: its message begins there. */
    if (e.fmt > 0)
        e.time = reader_u64(&r);
    size_t room = reader_left(&r) < MSG ? reader_left(&r) : MSG;
    const uint8_t *msg = reader_take(&r, room);
    if (r.bad)
        return PTS_E_RANGE;
    e.msg = (struct pts_bytes){msg, strnlen((const char *)msg, room)};
    if (e.fmt > 1 && reader_left(&r) >= 8) {
        e.machine_pid = tool_i32(&r);
        e.vcpu = tool_i32(&r);
    }
    *out = e;
    return PTS_OK;
}

pts_status perf_rec_id_index(const struct perf_rec *rec, struct pts_id_index *out)
{
    enum { ENTRY = 32, GUEST = 16 };
    struct reader r = perf_rec_body(rec);
    struct pts_id_index x = {.count = reader_u64(&r)};
    if (r.bad || x.count > reader_left(&r) / ENTRY)
        return PTS_E_RANGE;
    x.at = reader_take(&r, (size_t)x.count * ENTRY);
    if (x.count && reader_left(&r) >= x.count * GUEST)
        x.guests = reader_take(&r, (size_t)x.count * GUEST);
    *out = x;
    return PTS_OK;
}

struct pts_counter pts_id_at(const struct pts_id_index *x, uint64_t i)
{
    const uint8_t *p = x->at + 32 * i;
    struct pts_counter id = {.id = rd_u64(p),
                             .idx = (int32_t)rd_u64(p + 8),
                             .cpu = (int32_t)rd_u64(p + 16),
                             .tid = (int32_t)rd_u64(p + 24),
                             .vcpu = -1};
    if (x->guests) {
        id.machine_pid = (int32_t)rd_u64(x->guests + 16 * i);
        id.vcpu = (int32_t)rd_u64(x->guests + 16 * i + 8);
    }
    return id;
}

pts_status perf_rec_time_conv(const struct perf_rec *rec, struct pts_time_conv *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_time_conv t = {.shift = reader_u64(&r)};
    t.mult = reader_u64(&r);
    t.zero = reader_u64(&r);
    if (r.bad)
        return PTS_E_RANGE;
    t.is_long = reader_left(&r) >= 18;
    if (t.is_long) {
        t.cycles = reader_u64(&r);
        t.mask = reader_u64(&r);
        const uint8_t *caps = reader_take(&r, 2);
        t.cap_zero = caps[0];
        t.cap_short = caps[1];
    }
    *out = t;
    return PTS_OK;
}

pts_status perf_rec_update(const struct perf_rec *rec, struct pts_event_update *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_event_update u = {.type = reader_u64(&r)};
    u.id = reader_u64(&r);
    if (r.bad)
        return PTS_E_RANGE;
    u.data = (struct pts_bytes){r.at, reader_left(&r)};
    *out = u;
    return PTS_OK;
}

pts_status perf_rec_build_id(const struct perf_rec *rec, struct pts_build_id *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_build_id b = {.pid = tool_i32(&r), .misc = rec->misc};
    const uint8_t *id = reader_take(&r, 24);
    size_t n = 0, left = reader_left(&r);
    const char *name = reader_str(&r, &n);
    if (r.bad || n == left)
        return PTS_E_RANGE;
    b.id = id;
    b.id_len = PERF_BUILD_ID_MAX;
    if (rec->misc & PERF_MISC_BUILD_ID_SIZE && id[20] < PERF_BUILD_ID_MAX)
        b.id_len = id[20];
    b.name = name;
    *out = b;
    return PTS_OK;
}

pts_status perf_rec_thread_map(const struct perf_rec *rec, struct pts_thread_map *out)
{
    struct reader r = perf_rec_body(rec);
    uint64_t count = reader_u64(&r);
    if (r.bad || count > reader_left(&r) / PERF_THREAD_BYTES)
        return PTS_E_RANGE;
    *out = (struct pts_thread_map){count, r.at};
    return PTS_OK;
}

/* As many items of `size` bytes as there are, if the record claims more. */
static uint64_t tool_cap(const struct reader *r, uint64_t count, size_t size)
{
    uint64_t room = reader_left(r) / size;
    return count < room ? count : room;
}

pts_status perf_rec_stat_config(const struct perf_rec *rec, struct pts_stat_config *out)
{
    struct reader r = perf_rec_body(rec);
    uint64_t count = reader_u64(&r);
    if (r.bad)
        return PTS_E_RANGE;
    *out = (struct pts_stat_config){tool_cap(&r, count, 16), r.at};
    return PTS_OK;
}

pts_status perf_rec_stat(const struct perf_rec *rec, struct pts_stat *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_stat s = {.id = reader_u64(&r)};
    s.cpu = tool_i32(&r);
    s.thread = reader_u32(&r);
    s.value = reader_u64(&r);
    s.enabled = reader_u64(&r);
    s.running = reader_u64(&r);
    if (r.bad)
        return PTS_E_RANGE;
    *out = s;
    return PTS_OK;
}

pts_status perf_rec_stat_round(const struct perf_rec *rec, struct pts_stat_round *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_stat_round s = {.type = reader_u64(&r)};
    s.time = reader_u64(&r);
    if (r.bad)
        return PTS_E_RANGE;
    *out = s;
    return PTS_OK;
}

pts_status perf_rec_feature(const struct perf_rec *rec, struct pts_feature_record *out)
{
    struct reader r = perf_rec_body(rec);
    uint64_t number = reader_u64(&r);
    if (r.bad)
        return PTS_E_RANGE;
    *out = (struct pts_feature_record){
        number, {r.at, reader_left(&r)}
    };
    return PTS_OK;
}

pts_status perf_rec_bpf_metadata(const struct perf_rec *rec,
                                 struct pts_bpf_metadata *out)
{
    struct reader r = perf_rec_body(rec);
    const uint8_t *name = reader_take(&r, PERF_BPF_NAME);
    uint64_t count = reader_u64(&r);
    if (r.bad)
        return PTS_E_RANGE;
    size_t n = strnlen((const char *)name, PERF_BPF_NAME);
    *out = (struct pts_bpf_metadata){
        {name, n},
        tool_cap(&r, count, PERF_BPF_ENTRY), r.at
    };
    return PTS_OK;
}

pts_status perf_rec_schedstat(const struct perf_rec *rec, struct pts_schedstat *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_schedstat s = {.time = reader_u64(&r)};
    s.cpu = reader_u32(&r);
    s.version = reader_u16(&r);
    uint16_t domain = reader_u16(&r);
    if (r.bad)
        return PTS_E_RANGE;
    s.domain = rec->type == PERF_REC_SCHEDSTAT_DOMAIN ? domain : 0;
    s.data = (struct pts_bytes){r.at, reader_left(&r)};
    *out = s;
    return PTS_OK;
}
