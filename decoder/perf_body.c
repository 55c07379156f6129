/* perf_body.c - what the kernel's records say, SAMPLE apart.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/perf_rec.h"

static pts_status body_end(const struct reader *r)
{
    return r->bad ? PTS_E_RANGE : PTS_OK;
}

/* The string at the end of a body; it must end there, too. */
static const char *body_str(struct reader *r)
{
    size_t n, left = reader_left(r);
    const char *s = reader_str(r, &n);
    if (n == left)
        r->bad = true;
    return s;
}

static int32_t body_i32(struct reader *r)
{
    return (int32_t)reader_u32(r);
}

static void body_mmap2(struct reader *r, const struct perf_rec *rec, struct pts_mmap *m)
{
    const uint8_t *file = reader_take(r, 24);
    m->prot = reader_u32(r);
    m->flags = reader_u32(r);
    if (!file)
        return;
    if (rec->misc & PERF_MISC_MMAP_BUILD_ID) {
        m->build_id = file + 4;
        m->build_id_len = file[0] < PERF_BUILD_ID_MAX ? file[0] : PERF_BUILD_ID_MAX;
        return;
    }
    m->maj = rd_u32(file);
    m->min = rd_u32(file + 4);
    m->ino = rd_u64(file + 8);
    m->ino_gen = rd_u64(file + 16);
}

pts_status perf_rec_mmap(const struct perf_rec *rec, struct pts_mmap *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_mmap m = {.pid = body_i32(&r)};
    m.tid = body_i32(&r);
    m.addr = reader_u64(&r);
    m.len = reader_u64(&r);
    m.pgoff = reader_u64(&r);
    if (rec->type == PERF_REC_MMAP2)
        body_mmap2(&r, rec, &m);
    m.name = body_str(&r);
    if (!r.bad)
        *out = m;
    return body_end(&r);
}

pts_status perf_rec_comm(const struct perf_rec *rec, struct pts_comm *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_comm c = {.pid = body_i32(&r)};
    c.tid = body_i32(&r);
    c.comm = body_str(&r);
    c.exec = rec->misc & PERF_MISC_COMM_EXEC;
    if (!r.bad)
        *out = c;
    return body_end(&r);
}

pts_status perf_rec_task(const struct perf_rec *rec, struct pts_task *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_task t = {.pid = body_i32(&r)};
    t.ppid = body_i32(&r);
    t.tid = body_i32(&r);
    t.ptid = body_i32(&r);
    t.time = reader_u64(&r);
    if (!r.bad)
        *out = t;
    return body_end(&r);
}

pts_status perf_rec_aux(const struct perf_rec *rec, struct pts_aux *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_aux a = {.offset = reader_u64(&r)};
    a.size = reader_u64(&r);
    a.flags = reader_u64(&r);
    if (!r.bad)
        *out = a;
    return body_end(&r);
}

pts_status perf_rec_pid_tid(const struct perf_rec *rec, struct pts_thread *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_thread t = {.pid = body_i32(&r)};
    t.tid = body_i32(&r);
    if (!r.bad)
        *out = t;
    return body_end(&r);
}

pts_status perf_rec_lost(const struct perf_rec *rec, struct pts_lost *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_lost l = {0};
    if (rec->type == PERF_REC_LOST)
        l.id = reader_u64(&r);
    l.lost = reader_u64(&r);
    if (!r.bad)
        *out = l;
    return body_end(&r);
}

pts_status perf_rec_namespaces(const struct perf_rec *rec, struct pts_namespaces *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_namespaces n = {.pid = body_i32(&r)};
    n.tid = body_i32(&r);
    n.count = reader_u64(&r);
    n.at = r.at;
    if (n.count > reader_left(&r) / 16)
        n.count = reader_left(&r) / 16;
    if (!r.bad)
        *out = n;
    return body_end(&r);
}

pts_status perf_rec_ksymbol(const struct perf_rec *rec, struct pts_ksymbol *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_ksymbol k = {.addr = reader_u64(&r)};
    k.len = reader_u32(&r);
    k.type = reader_u16(&r);
    k.flags = reader_u16(&r);
    k.name = body_str(&r);
    if (!r.bad)
        *out = k;
    return body_end(&r);
}

pts_status perf_rec_bpf(const struct perf_rec *rec, struct pts_bpf_event *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_bpf_event b = {.type = reader_u16(&r)};
    b.flags = reader_u16(&r);
    b.id = reader_u32(&r);
    b.tag = reader_take(&r, 8);
    if (!r.bad)
        *out = b;
    return body_end(&r);
}

pts_status perf_rec_cgroup(const struct perf_rec *rec, struct pts_cgroup *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_cgroup c = {.id = reader_u64(&r)};
    c.path = body_str(&r);
    if (!r.bad)
        *out = c;
    return body_end(&r);
}

pts_status perf_rec_text_poke(const struct perf_rec *rec, struct pts_text_poke *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_text_poke t = {.addr = reader_u64(&r)};
    t.old_len = reader_u16(&r);
    t.new_len = reader_u16(&r);
    t.bytes = reader_take(&r, (size_t)t.old_len + t.new_len);
    if (!r.bad)
        *out = t;
    return body_end(&r);
}

pts_status perf_rec_hw_id(const struct perf_rec *rec, uint64_t *out)
{
    struct reader r = perf_rec_body(rec);
    uint64_t hw_id = reader_u64(&r);
    if (!r.bad)
        *out = hw_id;
    return body_end(&r);
}

pts_status perf_rec_deferred(const struct perf_rec *rec, struct pts_deferred *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_deferred d = {.cookie = reader_u64(&r)};
    uint64_t n = reader_u64(&r), most = reader_left(&r) / 8;
    d.ips = (struct pts_words){r.at, n < most ? n : most, 0};
    if (!r.bad)
        *out = d;
    return body_end(&r);
}

pts_status perf_rec_throttle(const struct perf_rec *rec, struct pts_throttle *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_throttle t = {.time = reader_u64(&r)};
    t.id = reader_u64(&r);
    t.stream = reader_u64(&r);
    if (!r.bad)
        *out = t;
    return body_end(&r);
}

pts_status perf_rec_read(const struct perf_rec *rec, struct perf_read *out)
{
    /* perf looks at all words whatever read_format says, also at the sample id's. */
    struct reader r =
        reader_of(rec->ptr + PERF_REC_HEADER, (size_t)(rec->size - PERF_REC_HEADER));
    struct perf_read v = {.pid = body_i32(&r)};
    v.tid = body_i32(&r);
    for (size_t i = 0; i < 5 && reader_left(&r) >= 8; i++)
        v.words[i] = reader_u64(&r);
    if (!r.bad)
        *out = v;
    return body_end(&r);
}
