/* test_sb_sched.c - the next thread of a sched_switch sample.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/lib/t.h"
#include "walker/sb_sched.h"

static const char formats[] =
    "\x17\x08\x44tracing0.6\n"
    "name: sched_stat\nID: 300\nformat:\n\tfield:int next_pid;\toffset:4;\tsize:4;\n\n"
    "print fmt: \"\"\n"
    "name: sched_switch\nID: 314\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n\n"
    "print fmt: \"next_pid=%d\", REC->next_pid\n";

static struct sched_format parse(const char *text, size_t n)
{
    struct perf_file f = {0};
    struct perf_order order = {0};
    f.feature[PERF_FEAT_TRACING_DATA] = (struct span){(const uint8_t *)text, n};
    return sched_format_of(&f, &order);
}

T(format_is_found)
{
    struct sched_format s = parse(formats, sizeof(formats) - 1);
    CHECK(s.known);
    EQ(s.config, 314);
    EQ(s.offset, 56);
}

T(cut_format_is_not)
{
    const char *field = strstr(formats, "offset:56");
    for (size_t n = 0; n < (size_t)(field - formats) + 7; n++)
        CHECK(!parse(formats, n).known);
    CHECK(!parse(NULL, 0).known);
}

/* A SAMPLE of IDENTIFIER and RAW. */
static bool next_of(uint32_t raw_size, uint64_t config, int32_t *tid)
{
    uint8_t bytes[128] = {0};
    struct perf_evsel evsel = {
        .attr = {.type = PERF_TYPE_TRACEPOINT,
                 .config = config,
                 .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_RAW}
    };
    struct perf_file f = {
        .evsel = {&evsel, 1, 1}
    };
    struct sched_format s = {314, 56, true};
    struct perf_rec r = {.ptr = bytes,
                         .type = PERF_REC_SAMPLE,
                         .size = sizeof(bytes),
                         .body_end = sizeof(bytes)};
    int32_t next = 4711;
    memcpy(bytes + 16, &raw_size, 4);
    memcpy(bytes + 20 + 56, &next, 4);
    return sched_next_tid(&f, &s, &r, tid);
}

T(next_tid_is_read)
{
    int32_t tid = 0;
    CHECK(next_of(68, 314, &tid));
    EQ(tid, 4711);
    CHECK(next_of(60, 314, &tid));
    CHECK(!next_of(59, 314, &tid));
    CHECK(!next_of(500, 314, &tid));
    CHECK(!next_of(68, 315, &tid));
}

T_RUN(T_CASE(format_is_found), T_CASE(cut_format_is_not), T_CASE(next_tid_is_read))
