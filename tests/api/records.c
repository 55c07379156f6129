/* records.c - the public reader of records and nothing else.
 *
 * SPDX-License-Identifier: MIT
 *
 * Also compiled as C++17 (tests/lint/headers.sh).
 */
#include <ptscript/records.h>

#include <stdlib.h>

#include "../lib/t.h"

static const char mix[] = PTS_TESTDATA "/emu-mix/perf.data";

/* --- Calls of the allocator ------------------------------------------------------ */

static unsigned long allocations;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__cplusplus)
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

void *malloc(size_t n)
{
    allocations++;
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    allocations++;
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    allocations++;
    return __libc_realloc(p, n);
}
#endif

/* --- Helpers --------------------------------------------------------------------- */

/* What came, in order: how much of it, and a hash. */
struct seen {
    uint64_t records, payload, hash;
};

static void hash_add(struct seen *s, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        s->hash = (s->hash ^ ((const unsigned char *)p)[i]) * 1099511628211u;
}

static void seen_add(struct seen *s, const struct pts_record *r)
{
    if (r->type == PTS_RECORD_PAYLOAD) {
        s->payload += r->u.bytes.len;
        return;
    }
    s->records++;
    s->payload += r->payload.len;
    hash_add(s, r->bytes.ptr, r->bytes.len);
    hash_add(s, &r->event, sizeof(r->event));
    hash_add(s, &r->id.time, sizeof(r->id.time));
    hash_add(s, &r->how, sizeof(r->how));
}

static pts_records *opened(const char *path, int order)
{
    struct pts_records_opts opts = PTS_RECORDS_OPTS_INIT;
    struct pts_diag why;
    pts_records *rs = NULL;
    opts.force = 1;
    opts.order = order;
    EQ(pts_records_open(path, &opts, &rs, &why), PTS_OK);
    return rs;
}

static struct seen read_all(pts_records *rs)
{
    struct seen s = {0, 0, 0};
    struct pts_record r;
    while (pts_records_next(rs, &r) == PTS_OK)
        seen_add(&s, &r);
    return s;
}

static pts_records *for_bytes(int foreign)
{
    struct pts_records_opts opts = PTS_RECORDS_OPTS_INIT;
    struct pts_diag why;
    pts_records *rs = NULL;
    opts.foreign = foreign;
    EQ(pts_records_new(&opts, &rs, &why), PTS_OK);
    return rs;
}

/* A whole file in memory, and where things are in it. */
struct bytes {
    unsigned char at[1 << 20];
    size_t len;
};
static struct bytes file;

static uint64_t word(size_t at)
{
    uint64_t v;
    memcpy(&v, file.at + at, sizeof(v));
    return v;
}

static void file_load(const char *path)
{
    FILE *f = fopen(path, "rb");
    file.len = f ? fread(file.at, 1, sizeof(file.at), f) : 0;
    CHECK(file.len > 104 && file.len < sizeof(file.at));
    if (f)
        fclose(f);
}

/* Tells rs of the events of the file, from the bytes of its header. */
static void add_events(pts_records *rs)
{
    size_t each = word(16), at = word(24), end = at + word(32);
    struct pts_diag why;
    for (; at < end; at += each) {
        uint64_t ids[64];
        size_t ids_at = word(at + each - 16), n = word(at + each - 8) / 8;
        CHECK(n <= 64);
        memcpy(ids, file.at + ids_at, n * 8);
        EQ(pts_records_add_event(rs, file.at + at, each - 16, ids, n, &why), PTS_OK);
    }
}

/* --- Files ----------------------------------------------------------------------- */

T(both_orders_have_the_same_records)
{
    pts_records *rs = opened(mix, PTS_ORDER_STORED);
    struct seen stored = read_all(rs), again, by_time;
    struct pts_records_facts facts;
    struct pts_diag why;
    struct pts_record r;
    uint64_t last = 0;
    facts.size = sizeof(facts);
    CHECK(stored.records > 20 && stored.payload > 1000);
    pts_records_facts(rs, &facts);
    EQ(facts.records, stored.records);
    EQ(facts.damaged, 0);
    EQ(facts.cut, 0);
    EQ(pts_records_next(rs, &r), PTS_END);
    EQ(pts_records_rewind(rs, PTS_ORDER_STORED, &why), PTS_OK);
    again = read_all(rs);
    EQ(again.hash, stored.hash);
    EQ(pts_records_rewind(rs, PTS_ORDER_TIME, &why), PTS_OK);
    by_time = read_all(rs);
    EQ(by_time.records, stored.records);
    EQ(by_time.payload, stored.payload);
    EQ(pts_records_rewind(rs, PTS_ORDER_TIME, &why), PTS_OK);
    while (pts_records_next(rs, &r) == PTS_OK) {
        if (!(r.id.has & PTS_SAMPLE_TIME) || r.id.time == 0)
            continue;
        CHECK(r.id.time >= last);
        last = r.id.time;
    }
    EQ(pts_records_rewind(rs, 7, &why), PTS_E_USAGE);
    pts_records_close(rs);
    pts_records_close(NULL);
}

T(events_counters_and_features)
{
    pts_records *rs = opened(mix, PTS_ORDER_STORED);
    struct pts_event_info e;
    struct pts_counter c;
    struct pts_feature_iter it;
    struct pts_feature_item item;
    size_t n = pts_records_event_count(rs);
    CHECK(n >= 2);
    for (size_t i = 0; i < n; i++) {
        EQ(pts_records_event(rs, i, &e), PTS_OK);
        CHECK(e.attr->size >= 64);
        for (size_t k = 0; k < e.id_count; k++) {
            EQ(pts_records_counter(rs, e.ids[k], &c), PTS_OK);
            EQ(c.event, i);
        }
    }
    EQ(pts_records_event(rs, n, &e), PTS_END);
    EQ(pts_records_counter(rs, 0x123456789, &c), PTS_END);
    EQ(pts_records_feature(rs, PTS_FEAT_ARCH, &it), PTS_OK);
    EQ(pts_feature_next(&it, &item), PTS_OK);
    STREQ(item.u.text, "x86_64");
    EQ(pts_records_feature(rs, PTS_FEAT_END, &it), PTS_END);
    EQ(pts_records_feature(rs, 200, &it), PTS_END);
    pts_records_close(rs);
}

T(missing_and_strange_files)
{
    struct pts_diag why;
    pts_records *rs = NULL;
    EQ(pts_records_open("/no/such/file", NULL, &rs, &why), PTS_E_IO);
    CHECK(strstr(why.text, "/no/such/file") != NULL);
    EQ(pts_records_open("/etc/passwd", NULL, &rs, &why), PTS_E_FORMAT);
    CHECK(rs == NULL);
}

T(no_record_is_allocated)
{
    pts_records *rs = opened(mix, PTS_ORDER_TIME);
    unsigned long before = allocations;
    struct seen s = read_all(rs);
    EQ(allocations, before);
    CHECK(s.records > 20);
    pts_records_close(rs);

    struct pts_record r;
    struct pts_diag why;
    file_load(mix);
    rs = for_bytes(0);
    add_events(rs);
    const void *at = file.at + word(40);
    size_t n = word(48);
    before = allocations;
    while (pts_records_feed(rs, &at, &n, &r, &why) == PTS_OK)
        continue;
    EQ(allocations, before);
    EQ(n, 0);
    pts_records_close(rs);
}

/* --- Visiting -------------------------------------------------------------------- */

static int count_comm(void *ctx, const struct pts_record *r, const struct pts_comm *c)
{
    CHECK(r->type == PTS_RECORD_COMM && c == &r->u.comm && *c->comm);
    return ++*(int *)ctx == 2;
}

static int count_mmap(void *ctx, const struct pts_record *r, const struct pts_mmap *m)
{
    (void)r;
    CHECK(m->len > 0);
    *(int *)ctx += 1000;
    return 0;
}

T(visitors_are_called_and_may_stop)
{
    pts_records *rs = opened(mix, PTS_ORDER_STORED);
    struct pts_visitor v;
    struct pts_diag why;
    int n = 0;
    memset(&v, 0, sizeof(v));
    v.size = sizeof(v);
    v.ctx = &n;
    v.mmap2 = count_mmap;
    EQ(pts_records_visit(rs, &v), PTS_OK);
    CHECK(n >= 1000);
    EQ(pts_records_rewind(rs, PTS_ORDER_STORED, &why), PTS_OK);
    /* a caller who knew fewer types */
    v.size = offsetof(struct pts_visitor, mmap2);
    n = 0;
    EQ(pts_records_visit(rs, &v), PTS_OK);
    EQ(n, 0);
    EQ(pts_records_rewind(rs, PTS_ORDER_STORED, &why), PTS_OK);
    v.size = sizeof(v);
    v.mmap2 = NULL;
    v.comm = count_comm;
    n = 1;
    EQ(pts_records_visit(rs, &v), PTS_E_CANCELLED);
    EQ(n, 2);
    pts_records_close(rs);
}

/* --- Bytes ----------------------------------------------------------------------- */

T(a_stream_in_pieces_of_any_size)
{
    static const size_t sizes[] = {1, 3, 8, 100, 4096, 1 << 20};
    pts_records *rs = opened(mix, PTS_ORDER_STORED);
    struct seen want = read_all(rs);
    pts_records_close(rs);
    file_load(mix);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct seen s = {0, 0, 0};
        struct pts_diag why;
        struct pts_record r;
        rs = for_bytes(0);
        add_events(rs);
        for (size_t at = word(40), end = at + word(48); at < end;) {
            size_t left = end - at, n = left < sizes[i] ? left : sizes[i];
            const void *p = file.at + at;
            at += n;
            while (pts_records_feed(rs, &p, &n, &r, &why) == PTS_OK)
                seen_add(&s, &r);
            EQ(n, 0);
        }
        EQ(s.records, want.records);
        EQ(s.payload, want.payload);
        EQ(s.hash, want.hash);
        pts_records_close(rs);
    }
}

T(records_one_by_one)
{
    pts_records *rs = opened(mix, PTS_ORDER_STORED);
    struct seen want = read_all(rs), s = {0, 0, 0};
    pts_records_close(rs);
    file_load(mix);
    rs = for_bytes(0);
    add_events(rs);
    for (size_t at = word(40), end = at + word(48); at < end;) {
        struct pts_record r;
        struct pts_diag why;
        EQ(pts_record_parse(rs, file.at + at, 7, &r, &why), PTS_E_TRUNCATED);
        EQ(pts_record_parse(rs, file.at + at, end - at, &r, &why), PTS_OK);
        EQ(r.payload.len, r.payload_size);
        seen_add(&s, &r);
        at += r.bytes.len + r.payload_size;
    }
    EQ(s.records, want.records);
    EQ(s.hash, want.hash);
    pts_records_close(rs);
}

/* A COMM in both byte orders, as a kernel of either writes it. */
struct comm {
    uint32_t type;
    uint16_t misc, size;
    uint32_t pid, tid;
    char name[8];
    uint64_t time, id; /* behind it: TIME, IDENTIFIER */
};

static struct comm comm_of(int foreign)
{
    struct comm c = {PTS_RECORD_COMM, 0, sizeof(c), 77, 78, "name", 5000, 9};
    if (foreign) {
        c.type = __builtin_bswap32(c.type);
        c.size = __builtin_bswap16(c.size);
        c.pid = __builtin_bswap32(c.pid);
        c.tid = __builtin_bswap32(c.tid);
        c.time = __builtin_bswap64(c.time);
        c.id = __builtin_bswap64(c.id);
    }
    return c;
}

/* perf_event_attr of 64 bytes: sample_type at 24, flags at 40. */
static void attr_of(int foreign, unsigned char attr[64])
{
    uint32_t size = 64;
    uint64_t type = PTS_SAMPLE_TIME | PTS_SAMPLE_IDENTIFIER, flags;
    memset(attr, 0, 64);
    /* a bit field begins at the lowest bit in one order, at the highest in the other */
    flags = foreign ? UINT64_C(1) << 45 : PTS_ATTR_SAMPLE_ID_ALL;
    if (foreign) {
        size = __builtin_bswap32(size);
        type = __builtin_bswap64(type);
        flags = __builtin_bswap64(flags);
    }
    memcpy(attr + 4, &size, 4);
    memcpy(attr + 24, &type, 8);
    memcpy(attr + 40, &flags, 8);
}

T(either_byte_order)
{
    for (int foreign = 0; foreign < 2; foreign++) {
        const uint64_t id = 9;
        unsigned char attr[64];
        struct comm c = comm_of(foreign);
        struct pts_record r;
        struct pts_diag why;
        pts_records *rs = for_bytes(foreign);
        attr_of(foreign, attr);
        EQ(pts_records_add_event(rs, attr, sizeof(attr), &id, 1, &why), PTS_OK);
        for (int fed = 0; fed < 2; fed++) {
            const void *p = &c;
            size_t n = sizeof(c);
            if (fed)
                EQ(pts_records_feed(rs, &p, &n, &r, &why), PTS_OK);
            else
                EQ(pts_record_parse(rs, p, n, &r, &why), PTS_OK);
            EQ(r.type, PTS_RECORD_COMM);
            EQ(r.how, PTS_RECORD_WHOLE);
            EQ(r.event, 0);
            EQ(r.u.comm.pid, 77);
            EQ(r.u.comm.tid, 78);
            STREQ(r.u.comm.comm, "name");
            EQ(r.id.time, 5000);
            EQ(r.id.id, 9);
            EQ(r.id.has, PTS_SAMPLE_TIME | PTS_SAMPLE_ID);
        }
        pts_records_close(rs);
    }
}

T(damaged_and_unknown_records_end_nothing)
{
    static const struct {
        uint32_t type;
        uint16_t misc, size;
        uint64_t body;
    } odd[] = {
        {200,               0, 16, 7}, /* of a type that nobody knows */
        {PTS_RECORD_MMAP2,  0, 16, 7}, /* too short */
        {PTS_RECORD_SAMPLE, 0, 16, 7}, /* of no event */
        {PTS_RECORD_SWITCH, 0, 8,  0}, /* fine */
    };
    static const uint32_t how[] = {PTS_RECORD_UNKNOWN, PTS_RECORD_DAMAGED,
                                   PTS_RECORD_DAMAGED, PTS_RECORD_WHOLE};
    struct pts_records_facts facts;
    struct pts_record r;
    struct pts_diag why;
    pts_records *rs = for_bytes(0);
    for (size_t i = 0; i < 4; i++) {
        EQ(pts_record_parse(rs, &odd[i], odd[i].size, &r, &why), PTS_OK);
        EQ(r.how, how[i]);
        EQ(r.u.bytes.len, odd[i].size - 8);
        CHECK(r.bytes.ptr == (const unsigned char *)&odd[i]);
    }
    facts.size = sizeof(facts);
    pts_records_facts(rs, &facts);
    EQ(facts.records, 4);
    EQ(facts.unknown, 1);
    EQ(facts.damaged, 2);
    pts_records_close(rs);
}

T(what_no_record_begins_like)
{
    static const struct {
        uint32_t type;
        uint16_t misc, size;
    } small = {1, 0, 7};
    struct pts_record r;
    struct pts_diag why;
    pts_records *rs = for_bytes(0);
    const void *p = &small;
    size_t n = sizeof(small);
    EQ(pts_record_parse(rs, p, n, &r, &why), PTS_E_FORMAT);
    EQ(pts_records_feed(rs, &p, &n, &r, &why), PTS_E_FORMAT);
    EQ(pts_records_feed(rs, &p, &n, &r, &why), PTS_E_FORMAT);
    EQ(pts_records_next(rs, &r), PTS_END);
    EQ(pts_records_add_event(rs, &small, 8, NULL, 0, &why), PTS_E_FORMAT);
    pts_records_close(rs);
    /* readers of files take no bytes */
    rs = opened(mix, PTS_ORDER_STORED);
    EQ(pts_records_feed(rs, &p, &n, &r, &why), PTS_E_USAGE);
    EQ(pts_record_parse(rs, p, n, &r, &why), PTS_E_USAGE);
    EQ(pts_records_add_event(rs, &small, 64, NULL, 0, &why), PTS_E_USAGE);
    pts_records_close(rs);
}

/* Events whose records cannot be told apart. */
T(events_that_do_not_go_together)
{
    const uint64_t one = 1, two = 2;
    unsigned char attr[64], other[64];
    struct pts_diag why;
    pts_records *rs = for_bytes(0);
    attr_of(0, attr);
    attr_of(0, other);
    other[26] = 0; /* without the IDENTIFIER */
    EQ(pts_records_add_event(rs, attr, 64, &one, 1, &why), PTS_OK);
    EQ(pts_records_add_event(rs, other, 64, &two, 1, &why), PTS_E_FORMAT);
    EQ(pts_records_event_count(rs), 1);
    EQ(pts_records_add_event(rs, attr, 64, &two, 1, &why), PTS_OK);
    EQ(pts_records_event_count(rs), 2);
    pts_records_close(rs);
}

T(names_of_types)
{
    STREQ(pts_record_name(PTS_RECORD_MMAP2), "MMAP2");
    STREQ(pts_record_name(PTS_RECORD_FINISHED_INIT), "FINISHED_INIT");
    CHECK(pts_record_name(63) == NULL);
    CHECK(pts_record_name(PTS_RECORD_PAYLOAD) == NULL);
}

T_RUN(T_CASE(both_orders_have_the_same_records), T_CASE(events_counters_and_features),
      T_CASE(missing_and_strange_files), T_CASE(no_record_is_allocated),
      T_CASE(visitors_are_called_and_may_stop), T_CASE(a_stream_in_pieces_of_any_size),
      T_CASE(records_one_by_one), T_CASE(either_byte_order),
      T_CASE(damaged_and_unknown_records_end_nothing),
      T_CASE(what_no_record_begins_like), T_CASE(events_that_do_not_go_together),
      T_CASE(names_of_types))
