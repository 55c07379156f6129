/* test_rec_lies.c - records whose lengths, counts and offsets are not true.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each record is put right before a page that must not be touched, so that one byte too
 * many ends the test.  What the readers hand out must lie inside the record.
 */
#include "decoder/open/perf_open.h"
#include "decoder/record/perf_cpus.h"
#include "decoder/record/record.h"
#include "synth/print/dump/out_dump.h"
#include "tests/lib/mkdata.h"
#include "tests/lib/open_bytes.h"
#include "tests/lib/t.h"

#include <sys/mman.h>

enum { PAGE = 4096, ROOM = 16 * PAGE };

static uint8_t *fence; /* the first byte that must not be read */
static struct text out;

static void fence_build(void)
{
    if (fence)
        return;
    uint8_t *at = mmap(NULL, ROOM + PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(at != MAP_FAILED);
    EQ(mprotect(at + ROOM, PAGE, PROT_NONE), 0);
    fence = at + ROOM;
}

/* A record of the kernel without a sample id, or one of perf's, up to the fence. */
static struct perf_rec fenced(uint32_t type, uint16_t misc, const void *body, size_t n)
{
    fence_build();
    struct perf_rec r = {.ptr = fence - 8 - n,
                         .type = type,
                         .misc = misc,
                         .size = (uint16_t)(8 + n),
                         .body_end = (uint16_t)(8 + n)};
    memcpy(fence - n, body, n);
    return r;
}

/* The same, and what it says. */
static struct record read_fenced(const struct perf_file *f, uint32_t type,
                                 const void *body, size_t n)
{
    struct record r = {.head = fenced(type, 0, body, n)};
    r.how = record_body(f, &r.head, &r.u);
    return r;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Bytes as lies are made of: small numbers, huge ones, and anything. */
static void fill(uint8_t *at, size_t n, uint64_t *state)
{
    for (size_t i = 0; i < n; i += 8) {
        uint64_t pick = next_random(state), word = next_random(state) << 33 | pick;
        word = pick % 4 == 0   ? pick % 64
               : pick % 4 == 1 ? UINT64_MAX / (1 + pick % 40)
               : pick % 4 == 2 ? UINT64_MAX
                               : word;
        memcpy(at + i, &word, n - i < 8 ? n - i : 8);
    }
}

static bool inside(const struct perf_rec *r, const void *at, uint64_t n)
{
    const uint8_t *p = at, *end = r->ptr + r->size;
    return !n || (p >= r->ptr && p <= end && n <= (uint64_t)(end - p));
}

static bool words_inside(const struct perf_rec *r, const struct pts_words *w)
{
    return w->count <= UINT16_MAX && inside(r, w->at, 8 * w->count);
}

/* --- All records but samples --- */

static void check_counted(const struct record *rec)
{
    const struct perf_rec *r = &rec->head;
    const union pts_record_body *u = &rec->u;
    switch (r->type) {
    case PTS_RECORD_NAMESPACES:
        CHECK(inside(r, u->namespaces.at, u->namespaces.count * 16));
        break;
    case PTS_RECORD_TEXT_POKE:
        CHECK(inside(r, u->text_poke.bytes,
                     (uint64_t)u->text_poke.old_len + u->text_poke.new_len));
        break;
    case PTS_RECORD_ID_INDEX:
        CHECK(u->id_index.count <= UINT16_MAX);
        CHECK(inside(r, u->id_index.at, u->id_index.count * 32));
        CHECK(!u->id_index.guests ||
              inside(r, u->id_index.guests, u->id_index.count * 16));
        break;
    case PTS_RECORD_THREAD_MAP:
        CHECK(u->thread_map.count <= UINT16_MAX);
        CHECK(inside(r, u->thread_map.at, u->thread_map.count * PERF_THREAD_BYTES));
        break;
    case PTS_RECORD_STAT_CONFIG:
        CHECK(u->stat_config.count <= UINT16_MAX);
        CHECK(inside(r, u->stat_config.at, u->stat_config.count * 16));
        break;
    case PTS_RECORD_CALLCHAIN_DEFERRED:
        CHECK(words_inside(r, &u->deferred.ips));
        break;
    case PTS_RECORD_HEADER_ATTR:
        CHECK(words_inside(r, &u->attr.ids));
        break;
    case PTS_RECORD_AUXTRACE_INFO:
        CHECK(words_inside(r, &u->auxtrace_info.priv));
        break;
    case PTS_RECORD_READ:
        CHECK(words_inside(r, &u->read.values.group));
        break;
    }
}

static void check_bytes(const struct record *rec)
{
    const struct perf_rec *r = &rec->head;
    const union pts_record_body *u = &rec->u;
    switch (r->type) {
    case PTS_RECORD_EVENT_UPDATE:
        CHECK(inside(r, u->event_update.data.ptr, u->event_update.data.len));
        break;
    case PTS_RECORD_FEATURE:
        CHECK(inside(r, u->feature.data.ptr, u->feature.data.len));
        break;
    case PTS_RECORD_BPF_METADATA:
        CHECK(u->bpf_metadata.count <= UINT16_MAX);
        CHECK(inside(r, u->bpf_metadata.name.ptr, u->bpf_metadata.name.len));
        CHECK(inside(r, u->bpf_metadata.at, u->bpf_metadata.count * PERF_BPF_ENTRY));
        break;
    case PTS_RECORD_SCHEDSTAT_CPU:
    case PTS_RECORD_SCHEDSTAT_DOMAIN:
        CHECK(inside(r, u->schedstat.data.ptr, u->schedstat.data.len));
        break;
    case PTS_RECORD_AUXTRACE_ERROR:
        CHECK(inside(r, u->auxtrace_error.msg.ptr, u->auxtrace_error.msg.len));
        break;
    case PTS_RECORD_BPF_EVENT:
        CHECK(inside(r, u->bpf_event.tag, 8));
        break;
    case PTS_RECORD_COMPRESSED:
    case PTS_RECORD_COMPRESSED2:
    case PTS_RECORD_SWITCH:
    case PTS_RECORD_CPU_MAP:
        CHECK(inside(r, u->bytes.ptr, u->bytes.len));
        break;
    }
}

static void check_string(const struct perf_rec *r, const char *s)
{
    CHECK(inside(r, s, strlen(s) + 1));
}

static void check_strings(const struct record *rec)
{
    const struct perf_rec *r = &rec->head;
    const union pts_record_body *u = &rec->u;
    switch (r->type) {
    case PTS_RECORD_MMAP:
    case PTS_RECORD_MMAP2:
        check_string(r, u->mmap.name);
        CHECK(!u->mmap.build_id || inside(r, u->mmap.build_id, u->mmap.build_id_len));
        break;
    case PTS_RECORD_COMM:
        check_string(r, u->comm.comm);
        break;
    case PTS_RECORD_KSYMBOL:
        check_string(r, u->ksymbol.name);
        break;
    case PTS_RECORD_CGROUP:
        check_string(r, u->cgroup.path);
        break;
    case PTS_RECORD_BUILD_ID:
        check_string(r, u->build_id.name);
        CHECK(inside(r, u->build_id.id, u->build_id.id_len));
        break;
    }
}

/* Every reader on every length; then its text. */
T(any_body)
{
    static uint8_t body[1200];
    uint64_t state = 1;
    struct perf_evsel event = {.attr = {.read_format = 31}};
    struct perf_file f = {
        .evsel = {.at = &event, .len = 1}
    };
    const struct rec_names names = {0};
    for (uint32_t round = 0; round < 4 * 90; round++) {
        for (size_t n = 0; n < sizeof(body); n += n < 130 ? 1 : 107) {
            fill(body, n, &state);
            struct record r = {
                .head = fenced(round % 90, (uint16_t)next_random(&state), body, n)};
            r.how = record_body(&f, &r.head, &r.u);
            if (r.how == PTS_RECORD_WHOLE) {
                check_counted(&r);
                check_bytes(&r);
                check_strings(&r);
            } else {
                CHECK(r.u.bytes.ptr == fence - n && r.u.bytes.len == n);
            }
            EQ(r.how == PTS_RECORD_UNKNOWN, !pts_record_name(r.head.type));
            out.len = 0;
            rec_text_dump(&out, &f, &r, &names);
            rec_text(&out, &r, &names);
            CHECK(!out.failed);
        }
    }
}

/* Strings without an end. */
T(strings_without_end)
{
    static const uint32_t types[] = {PTS_RECORD_MMAP,   PTS_RECORD_MMAP2,
                                     PTS_RECORD_COMM,   PTS_RECORD_KSYMBOL,
                                     PTS_RECORD_CGROUP, PTS_RECORD_BUILD_ID};
    struct perf_evsel event = {0};
    struct perf_file f = {
        .evsel = {.at = &event, .len = 1}
    };
    uint8_t body[96];
    memset(body, 'x', sizeof(body));
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        EQ(read_fenced(&f, types[i], body, sizeof(body)).how, PTS_RECORD_DAMAGED);
        body[95] = 0;
        EQ(read_fenced(&f, types[i], body, sizeof(body)).how, PTS_RECORD_WHOLE);
        body[95] = 'x';
    }
}

T(cpu_maps_that_claim_more)
{
    static const uint16_t list[] = {PERF_CPUS_LIST, 9, 3, 4};
    static const uint16_t mask[] = {PERF_CPUS_MASK, 100, 4, 0x8001, 0};
    static const uint16_t range[] = {PERF_CPUS_RANGE, 0, 0, 0xffff};
    static const uint16_t back[] = {PERF_CPUS_RANGE, 1, 9, 3};
    static const uint16_t none[] = {7, 1, 1};
    static const struct {
        const uint16_t *at;
        size_t n, cpus;
    } maps[] = {
        {list,  sizeof(list),  2    },
        {mask,  sizeof(mask),  2    },
        {range, sizeof(range), 65536},
        {back,  sizeof(back),  1    },
        {none,  sizeof(none),  0    },
        {list,  1,             0    },
        {list,  2,             0    }
    };
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        struct perf_rec r = fenced(PTS_RECORD_CPU_MAP, 0, maps[i].at, maps[i].n);
        struct perf_cpus cpus = perf_cpus_of((struct pts_bytes){r.ptr + 8, maps[i].n});
        size_t n = 0;
        for (int64_t cpu; perf_cpus_next(&cpus, &cpu); n++)
            CHECK(cpu >= -1 && cpu < 1 << 16);
        EQ(n, maps[i].cpus);
    }
}

/* --- Samples --- */

static void check_sample(const struct record *rec)
{
    const struct perf_rec *r = &rec->head;
    const struct pts_sample *s = &rec->u.sample;
    CHECK(words_inside(r, &s->callchain));
    CHECK(words_inside(r, &s->read.group));
    CHECK(words_inside(r, &s->user.val));
    CHECK(words_inside(r, &s->intr.val));
    CHECK(words_inside(r, &s->branch_counters));
    CHECK(inside(r, s->raw.ptr, s->raw.len));
    CHECK(inside(r, s->stack.ptr, s->stack.len));
    CHECK(inside(r, s->aux.ptr, s->aux.len));
    CHECK(s->branch_count <= UINT16_MAX &&
          inside(r, s->branches, s->branch_count * PERF_BRANCH_BYTES));
    for (uint64_t i = 0; i < s->read.count && s->type & PTS_SAMPLE_READ; i++)
        pts_value_at(&s->read, i);
}

/* An event with any of the fields, and samples of any bytes and length for it. */
T(any_sample)
{
    static uint8_t body[2048];
    uint64_t state = 7;
    struct perf_evsel event = {0};
    struct perf_file f = {
        .evsel = {.at = &event, .len = 1}
    };
    for (int round = 0; round < 20000; round++) {
        size_t n = next_random(&state) % (round % 8 ? 300 : sizeof(body));
        event.attr = (struct pts_attr){
            .sample_type = next_random(&state) & ((1u << 25) - 1),
            .read_format = next_random(&state) & 31,
            .sample_regs_user = next_random(&state) & next_random(&state),
            .sample_regs_intr = next_random(&state) & 0xff,
            .branch_sample_type = next_random(&state) << 10};
        fill(body, n, &state);
        struct record r = read_fenced(&f, PTS_RECORD_SAMPLE, body, n);
        if (r.how != PTS_RECORD_WHOLE)
            continue;
        check_sample(&r);
        out.len = 0;
        dump_sample(&out, &f, &r);
        CHECK(!out.failed);
    }
}

/* A sample of one field, which begins with a count. */
struct counted {
    uint64_t type, read_format, branch_type;
    size_t words;   /* of the body */
    uint64_t count; /* the largest that fits */
};

T(every_count_lies)
{
    static const struct counted all[] = {
        {PTS_SAMPLE_CALLCHAIN,    0,                            0,                   5, 4 },
        {PTS_SAMPLE_READ,         PTS_READ_GROUP,               0,                   5, 4 },
        {PTS_SAMPLE_READ,         PTS_READ_GROUP | PTS_READ_ID, 0,                   9, 4 },
        {PTS_SAMPLE_READ,         31,                           0,                   9, 2 },
        {PTS_SAMPLE_BRANCH_STACK, 0,                            0,                   7, 2 },
        {PTS_SAMPLE_BRANCH_STACK, 0,                            PTS_BRANCH_HW_INDEX, 8, 2 },
        {PTS_SAMPLE_BRANCH_STACK, 0,                            PTS_BRANCH_COUNTERS, 9, 2 },
        {PTS_SAMPLE_AUX,          0,                            0,                   4, 24},
        {PTS_SAMPLE_STACK_USER,   0,                            0,                   5, 24},
    };
    static const uint64_t lies[] = {1u << 16,
                                    1u << 31,
                                    UINT64_C(1) << 32,
                                    UINT64_MAX / 24 + 1,
                                    UINT64_MAX / 16 + 1,
                                    UINT64_MAX / 8 + 1,
                                    INT64_MAX,
                                    UINT64_MAX - 7,
                                    UINT64_MAX};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const struct counted *c = &all[i];
        struct perf_evsel event = {
            .attr = {.sample_type = c->type,
                     .read_format = c->read_format,
                     .branch_sample_type = c->branch_type}
        };
        struct perf_file f = {
            .evsel = {.at = &event, .len = 1}
        };
        uint64_t body[16] = {c->count};
        struct record r = read_fenced(&f, PTS_RECORD_SAMPLE, body, 8 * c->words);
        EQ(r.how, PTS_RECORD_WHOLE);
        check_sample(&r);
        body[0] = c->count + 1;
        r = read_fenced(&f, PTS_RECORD_SAMPLE, body, 8 * c->words);
        EQ(r.how, PTS_RECORD_DAMAGED);
        for (size_t k = 0; k < sizeof(lies) / sizeof(lies[0]); k++) {
            body[0] = lies[k];
            r = read_fenced(&f, PTS_RECORD_SAMPLE, body, 8 * c->words);
            EQ(r.how, PTS_RECORD_DAMAGED);
        }
    }
}

/* Raw data has a size of 32 bits; registers a mask in the attributes. */
T(raw_and_registers)
{
    struct perf_evsel event = {.attr = {.sample_type = PTS_SAMPLE_RAW}};
    struct perf_file f = {
        .evsel = {.at = &event, .len = 1}
    };
    uint32_t raw[4] = {12, 1, 2, 3};
    uint64_t regs[3] = {2, 5, 6};
    struct record r = read_fenced(&f, PTS_RECORD_SAMPLE, raw, sizeof(raw));
    EQ(r.how, PTS_RECORD_WHOLE);
    EQ(r.u.sample.raw.len, 12);
    raw[0] = 13;
    EQ(read_fenced(&f, PTS_RECORD_SAMPLE, raw, sizeof(raw)).how, PTS_RECORD_DAMAGED);
    raw[0] = UINT32_MAX;
    EQ(read_fenced(&f, PTS_RECORD_SAMPLE, raw, sizeof(raw)).how, PTS_RECORD_DAMAGED);
    event.attr.sample_type = PTS_SAMPLE_REGS_USER;
    event.attr.sample_regs_user = 0x8000000000000001u;
    r = read_fenced(&f, PTS_RECORD_SAMPLE, regs, sizeof(regs));
    EQ(r.how, PTS_RECORD_WHOLE);
    EQ(pts_word(&r.u.sample.user.val, 1), 6);
    event.attr.sample_regs_user = 7;
    EQ(read_fenced(&f, PTS_RECORD_SAMPLE, regs, sizeof(regs)).how, PTS_RECORD_DAMAGED);
    regs[0] = 0; /* no registers: nothing follows */
    r = read_fenced(&f, PTS_RECORD_SAMPLE, regs, sizeof(regs));
    EQ(r.how, PTS_RECORD_WHOLE);
    EQ(r.u.sample.user.val.count, 0);
}

/* More of a user stack in use than was saved. */
T(user_stack_in_use)
{
    struct perf_evsel event = {.attr = {.sample_type = PTS_SAMPLE_STACK_USER}};
    struct perf_file f = {
        .evsel = {.at = &event, .len = 1}
    };
    uint64_t body[4] = {16, 1, 2, UINT64_MAX};
    struct record r = read_fenced(&f, PTS_RECORD_SAMPLE, body, sizeof(body));
    EQ(r.how, PTS_RECORD_WHOLE);
    EQ(r.u.sample.stack.len, 16);
    EQ(r.u.sample.stack_size, 16);
}

/* --- Records in a file --- */

/* Sizes in headers: none, too small, past the end; payloads that claim more. */
T(sizes_in_headers)
{
    static struct mkdata m;
    static const uint16_t sizes[] = {0, 1, 7, 41, 0xfff8, 0xffff};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct perf_file *f = NULL;
        struct pts_diag why;
        struct perf_rec r;
        mk_begin(&m, false);
        mk_event(&m, 1, MK_TYPE, 100);
        mk_data(&m);
        mk_rec(&m, PTS_RECORD_SWITCH, 0, NULL, 0, 10, 100);
        uint64_t off = mk_rec(&m, PTS_RECORD_SWITCH, 0, NULL, 0, 20, 100);
        memcpy(m.at + off + 6, &sizes[i], 2);
        mk_end(&m);
        EQ(open_bytes(m.at, m.len, &f, &why), PTS_OK);
        EQ(f->data.count, 1);
        EQ(f->data.end, off);
        CHECK(f->damage.odd & PERF_ODD_CUT);
        EQ(perf_rec_at(f, f->data.off, &r), PTS_OK);
        perf_file_close(f);
    }
}

T(payload_claims_more)
{
    static struct mkdata m;
    static const uint64_t claims[] = {9, 1 << 20, UINT64_C(1) << 63, UINT64_MAX};
    for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
        struct perf_file *f = NULL;
        struct pts_diag why;
        struct perf_rec r;
        mk_begin(&m, false);
        mk_event(&m, 6, MK_TYPE, 100);
        mk_data(&m);
        uint64_t off = mk_auxtrace(&m, 0, 0, "12345678", 8);
        memcpy(m.at + off + 8, &claims[i], 8);
        mk_end(&m);
        EQ(open_bytes(m.at, m.len, &f, &why), PTS_OK);
        EQ(perf_rec_at(f, off, &r), PTS_OK);
        EQ(r.payload, 8);
        CHECK(f->damage.odd & PERF_ODD_CUT);
        perf_file_close(f);
    }
}

/* A record too short for the sample id that its event promises. */
T(short_sample_id)
{
    static struct mkdata m;
    struct perf_file *f = NULL;
    struct pts_diag why;
    struct perf_rec r;
    const uint64_t id[2] = {5, 100};
    mk_begin(&m, false);
    mk_event(&m, 1, MK_TYPE, 100);
    mk_data(&m);
    uint64_t other = mk_own(&m, PTS_RECORD_SWITCH, id, 16);
    uint64_t sample = mk_own(&m, PTS_RECORD_SAMPLE, id, 16);
    mk_end(&m);
    EQ(open_bytes(m.at, m.len, &f, &why), PTS_OK);
    EQ(perf_rec_at(f, other, &r), PTS_E_RANGE);
    EQ(perf_rec_at(f, sample, &r), PTS_E_RANGE);
    perf_file_close(f);
}

T_RUN(T_CASE(any_body), T_CASE(strings_without_end), T_CASE(cpu_maps_that_claim_more),
      T_CASE(any_sample), T_CASE(every_count_lies), T_CASE(raw_and_registers),
      T_CASE(user_stack_in_use), T_CASE(sizes_in_headers), T_CASE(payload_claims_more),
      T_CASE(short_sample_id))
