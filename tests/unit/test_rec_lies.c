/* test_rec_lies.c - records whose lengths, counts and offsets are not true.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each record is put right before a page that must not be touched, so that one byte too
 * many ends the test.  What the readers hand out must lie inside the record.
 */
#include "decoder/perf_cpus.h"
#include "decoder/perf_sample.h"
#include "synth/out_dump.h"
#include "tests/lib/mkdata.h"
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

static void check_counted(const struct perf_rec *r)
{
    struct pts_namespaces ns;
    struct pts_text_poke poke;
    struct pts_id_index index;
    struct pts_thread_map threads;
    struct pts_stat_config config;
    struct pts_deferred chain;
    struct pts_event_update update;
    struct pts_feature_record feature;
    struct pts_bpf_metadata bpf;
    struct pts_schedstat sched;
    struct pts_auxtrace_error error;
    struct pts_mmap map;
    if (perf_rec_namespaces(r, &ns) == PTS_OK)
        CHECK(inside(r, ns.at, ns.count * 16));
    if (perf_rec_text_poke(r, &poke) == PTS_OK)
        CHECK(inside(r, poke.bytes, (uint64_t)poke.old_len + poke.new_len));
    if (perf_rec_id_index(r, &index) == PTS_OK) {
        CHECK(index.count <= UINT16_MAX && inside(r, index.at, index.count * 32));
        CHECK(!index.guests || inside(r, index.guests, index.count * 16));
    }
    if (perf_rec_thread_map(r, &threads) == PTS_OK)
        CHECK(threads.count <= UINT16_MAX && inside(r, threads.at, threads.count * 24));
    if (perf_rec_stat_config(r, &config) == PTS_OK)
        CHECK(config.count <= UINT16_MAX && inside(r, config.at, config.count * 16));
    if (perf_rec_deferred(r, &chain) == PTS_OK)
        CHECK(chain.ips.count <= UINT16_MAX &&
              inside(r, chain.ips.at, chain.ips.count * 8));
    if (perf_rec_update(r, &update) == PTS_OK)
        CHECK(inside(r, update.data.ptr, update.data.len));
    if (perf_rec_feature(r, &feature) == PTS_OK)
        CHECK(inside(r, feature.data.ptr, feature.data.len));
    if (perf_rec_bpf_metadata(r, &bpf) == PTS_OK)
        CHECK(bpf.count <= UINT16_MAX && inside(r, bpf.name.ptr, bpf.name.len) &&
              inside(r, bpf.at, bpf.count * PERF_BPF_ENTRY));
    if (perf_rec_schedstat(r, &sched) == PTS_OK)
        CHECK(inside(r, sched.data.ptr, sched.data.len));
    if (perf_rec_auxtrace_error(r, &error) == PTS_OK)
        CHECK(inside(r, error.msg.ptr, error.msg.len));
    if (perf_rec_mmap(r, &map) == PTS_OK)
        CHECK(inside(r, map.name, strlen(map.name) + 1) &&
              (!map.build_id || inside(r, map.build_id, map.build_id_len)));
}

static void check_strings(const struct perf_rec *r)
{
    struct pts_comm comm;
    struct pts_ksymbol ksym;
    struct pts_cgroup cgroup;
    struct pts_build_id build;
    if (perf_rec_comm(r, &comm) == PTS_OK)
        CHECK(inside(r, comm.comm, strlen(comm.comm) + 1));
    if (perf_rec_ksymbol(r, &ksym) == PTS_OK)
        CHECK(inside(r, ksym.name, strlen(ksym.name) + 1));
    if (perf_rec_cgroup(r, &cgroup) == PTS_OK)
        CHECK(inside(r, cgroup.path, strlen(cgroup.path) + 1));
    if (perf_rec_build_id(r, &build) == PTS_OK)
        CHECK(inside(r, build.id, build.id_len) &&
              inside(r, build.name, strlen(build.name) + 1));
}

/* Every reader on every length, whatever the type of the record; then its text. */
T(any_body)
{
    static uint8_t body[1200];
    uint64_t state = 1;
    struct perf_evsel event = {.attr = {.read_format = 31}};
    struct perf_file f = {
        .evsel = {.at = &event, .len = 1}
    };
    const struct rec_names names = {0};
    for (uint32_t type = 0; type < 90; type++) {
        for (size_t n = 0; n < sizeof(body); n += n < 130 ? 1 : 107) {
            fill(body, n, &state);
            struct perf_rec r = fenced(type, (uint16_t)next_random(&state), body, n);
            check_counted(&r);
            check_strings(&r);
            out.len = 0;
            rec_text_dump(&out, &f, &r, &names, true);
            rec_text(&out, &r, &names);
            CHECK(!out.failed);
        }
    }
}

/* Strings without an end. */
T(strings_without_end)
{
    uint8_t body[96];
    union {
        struct pts_mmap mmap;
        struct pts_comm comm;
        struct pts_ksymbol ksym;
        struct pts_cgroup cgroup;
        struct pts_build_id build;
    } got;
    memset(body, 'x', sizeof(body));
    struct perf_rec r = fenced(PERF_REC_MMAP, 0, body, sizeof(body));
    EQ(perf_rec_mmap(&r, &got.mmap), PTS_E_RANGE);
    EQ(perf_rec_comm(&r, &got.comm), PTS_E_RANGE);
    EQ(perf_rec_ksymbol(&r, &got.ksym), PTS_E_RANGE);
    EQ(perf_rec_cgroup(&r, &got.cgroup), PTS_E_RANGE);
    EQ(perf_rec_build_id(&r, &got.build), PTS_E_RANGE);
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
        struct perf_rec r = fenced(PERF_REC_CPU_MAP, 0, maps[i].at, maps[i].n);
        struct perf_cpus cpus = perf_cpus_of((struct pts_bytes){r.ptr + 8, maps[i].n});
        size_t n = 0;
        for (int64_t cpu; perf_cpus_next(&cpus, &cpu); n++)
            CHECK(cpu >= -1 && cpu < 1 << 16);
        EQ(n, maps[i].cpus);
    }
}

/* --- Samples --- */

static void check_sample(const struct perf_rec *r, const struct pts_sample *s)
{
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
    for (uint64_t i = 0; i < s->read.count && s->type & PERF_SAMPLE_READ; i++)
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
        struct pts_sample s;
        fill(body, n, &state);
        struct perf_rec r = fenced(PERF_REC_SAMPLE, 0, body, n);
        if (perf_rec_sample(&f, &r, &s) != PTS_OK)
            continue;
        check_sample(&r, &s);
        out.len = 0;
        dump_sample(&out, &f, &r, &s);
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
        {PERF_SAMPLE_CALLCHAIN,    0,                              0,                    5, 4 },
        {PERF_SAMPLE_READ,         PERF_READ_GROUP,                0,                    5, 4 },
        {PERF_SAMPLE_READ,         PERF_READ_GROUP | PERF_READ_ID, 0,                    9, 4 },
        {PERF_SAMPLE_READ,         31,                             0,                    9, 2 },
        {PERF_SAMPLE_BRANCH_STACK, 0,                              0,                    7, 2 },
        {PERF_SAMPLE_BRANCH_STACK, 0,                              PERF_BRANCH_HW_INDEX, 8, 2 },
        {PERF_SAMPLE_BRANCH_STACK, 0,                              PERF_BRANCH_COUNTERS, 9, 2 },
        {PERF_SAMPLE_AUX,          0,                              0,                    4, 24},
        {PERF_SAMPLE_STACK_USER,   0,                              0,                    5, 24},
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
        uint64_t body[16] = {0};
        struct pts_sample s;
        body[0] = c->count;
        struct perf_rec r = fenced(PERF_REC_SAMPLE, 0, body, 8 * c->words);
        EQ(perf_rec_sample(&f, &r, &s), PTS_OK);
        check_sample(&r, &s);
        body[0] = c->count + 1;
        r = fenced(PERF_REC_SAMPLE, 0, body, 8 * c->words);
        EQ(perf_rec_sample(&f, &r, &s), PTS_E_RANGE);
        for (size_t k = 0; k < sizeof(lies) / sizeof(lies[0]); k++) {
            body[0] = lies[k];
            r = fenced(PERF_REC_SAMPLE, 0, body, 8 * c->words);
            EQ(perf_rec_sample(&f, &r, &s), PTS_E_RANGE);
        }
    }
}

/* Raw data has a size of 32 bits; registers a mask in the attributes. */
T(raw_and_registers)
{
    struct perf_evsel event = {.attr = {.sample_type = PERF_SAMPLE_RAW}};
    struct perf_file f = {
        .evsel = {.at = &event, .len = 1}
    };
    uint32_t raw[4] = {12, 1, 2, 3};
    uint64_t regs[3] = {2, 5, 6};
    struct pts_sample s;
    struct perf_rec r = fenced(PERF_REC_SAMPLE, 0, raw, sizeof(raw));
    EQ(perf_rec_sample(&f, &r, &s), PTS_OK);
    EQ(s.raw.len, 12);
    raw[0] = 13;
    r = fenced(PERF_REC_SAMPLE, 0, raw, sizeof(raw));
    EQ(perf_rec_sample(&f, &r, &s), PTS_E_RANGE);
    raw[0] = UINT32_MAX;
    r = fenced(PERF_REC_SAMPLE, 0, raw, sizeof(raw));
    EQ(perf_rec_sample(&f, &r, &s), PTS_E_RANGE);
    event.attr.sample_type = PERF_SAMPLE_REGS_USER;
    event.attr.sample_regs_user = 0x8000000000000001u;
    r = fenced(PERF_REC_SAMPLE, 0, regs, sizeof(regs));
    EQ(perf_rec_sample(&f, &r, &s), PTS_OK);
    EQ(pts_word(&s.user.val, 1), 6);
    event.attr.sample_regs_user = 7;
    EQ(perf_rec_sample(&f, &r, &s), PTS_E_RANGE);
    regs[0] = 0; /* no registers: nothing follows */
    r = fenced(PERF_REC_SAMPLE, 0, regs, sizeof(regs));
    EQ(perf_rec_sample(&f, &r, &s), PTS_OK);
    EQ(s.user.val.count, 0);
}

/* More of a user stack in use than was saved. */
T(user_stack_in_use)
{
    struct perf_evsel event = {.attr = {.sample_type = PERF_SAMPLE_STACK_USER}};
    struct perf_file f = {
        .evsel = {.at = &event, .len = 1}
    };
    uint64_t body[4] = {16, 1, 2, UINT64_MAX};
    struct pts_sample s;
    struct perf_rec r = fenced(PERF_REC_SAMPLE, 0, body, sizeof(body));
    EQ(perf_rec_sample(&f, &r, &s), PTS_OK);
    EQ(s.stack.len, 16);
    EQ(s.stack_size, 16);
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
        mk_rec(&m, PERF_REC_SWITCH, 0, NULL, 0, 10, 100);
        uint64_t off = mk_rec(&m, PERF_REC_SWITCH, 0, NULL, 0, 20, 100);
        memcpy(m.at + off + 6, &sizes[i], 2);
        mk_end(&m);
        EQ(perf_file_open_bytes(m.at, m.len, &f, &why), PTS_OK);
        EQ(f->rec_count, 1);
        EQ(f->data_end, off);
        CHECK(f->odd & PERF_ODD_CUT);
        EQ(perf_rec_at(f, f->data_off, &r), PTS_OK);
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
        EQ(perf_file_open_bytes(m.at, m.len, &f, &why), PTS_OK);
        EQ(perf_rec_at(f, off, &r), PTS_OK);
        EQ(r.payload, 8);
        CHECK(f->odd & PERF_ODD_CUT);
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
    uint64_t other = mk_own(&m, PERF_REC_SWITCH, id, 16);
    uint64_t sample = mk_own(&m, PERF_REC_SAMPLE, id, 16);
    mk_end(&m);
    EQ(perf_file_open_bytes(m.at, m.len, &f, &why), PTS_OK);
    EQ(perf_rec_at(f, other, &r), PTS_E_RANGE);
    EQ(perf_rec_at(f, sample, &r), PTS_E_RANGE);
    perf_file_close(f);
}

T_RUN(T_CASE(any_body), T_CASE(strings_without_end), T_CASE(cpu_maps_that_claim_more),
      T_CASE(any_sample), T_CASE(every_count_lies), T_CASE(raw_and_registers),
      T_CASE(user_stack_in_use), T_CASE(sizes_in_headers), T_CASE(payload_claims_more),
      T_CASE(short_sample_id))
