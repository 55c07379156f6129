/* test_sb_sched.c - the next thread of a sched_switch sample.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/file/trace_field.h"
#include "tests/lib/t.h"
#include "walker/sideband/sb_sched.h"

static const char stats[] =
    "name: sched_stat\nID: 300\nformat:\n\tfield:int a;\toffset:0;\tsize:4;\n\n"
    "\tfield:int next_pid;\toffset:4;\tsize:4;\n\nprint fmt: \"\"\n";
static const char switched[] =
    "name: sched_switch\nID: 314\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:__data_loc char[] what;\toffset:40;\tsize:4;\tsigned:0;\n"
    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n\n"
    "print fmt: \"next_pid=%d\", REC->next_pid\n";

/* TRACING_DATA of these two. */
static struct pts_bytes tracing_data(void)
{
    static uint8_t b[4096];
    size_t n = 0;
#define PUT(p, size)     (memcpy(b + n, p, size), n += (size))
#define PUT_NUM(type, v) PUT(&(type){v}, sizeof(type))
    PUT("\x17\x08\x44tracing0.6", 14);
    PUT("\0\x8", 2);
    PUT_NUM(uint32_t, 4096);
    PUT("header_page", 12);
    PUT_NUM(uint64_t, 3);
    PUT("abc", 3);
    PUT("header_event", 13);
    PUT_NUM(uint64_t, 0);
    PUT_NUM(uint32_t, 0); /* of ftrace */
    PUT_NUM(uint32_t, 2);
    PUT("empty", 6);
    PUT_NUM(uint32_t, 0);
    PUT("sched", 6);
    PUT_NUM(uint32_t, 2);
    PUT_NUM(uint64_t, sizeof(stats) - 1);
    PUT(stats, sizeof(stats) - 1);
    PUT_NUM(uint64_t, sizeof(switched) - 1);
    PUT(switched, sizeof(switched) - 1);
    return (struct pts_bytes){b, n};
}

static struct sched_format parse(struct pts_bytes data)
{
    struct perf_file f = {0};
    struct perf_order order = {0};
    f.feature[PTS_FEAT_TRACING_DATA] = data;
    return sched_format_of(&f, &order);
}

T(format_is_found)
{
    struct sched_format s = parse(tracing_data());
    CHECK(s.known);
    EQ(s.config, 314);
    EQ(s.offset, 56);
}

T(cut_format_is_not)
{
    struct pts_bytes data = tracing_data();
    for (size_t n = 0; n < data.len; n++)
        CHECK(!parse((struct pts_bytes){data.ptr, n}).known);
    CHECK(!parse((struct pts_bytes){NULL, 0}).known);
}

T(fields_have_names)
{
    static const char *const names[] = {"common_type", "prev_comm", "prev_pid", "what",
                                        "next_pid"};
    struct trace_format format;
    struct trace_field field;
    CHECK(!trace_find(tracing_data(), 315, &format));
    CHECK(trace_find(tracing_data(), 314, &format));
    STREQ(format.system, "sched");
    struct trace_fields all = trace_fields_of(&format);
    for (size_t i = 0; i < 5; i++) {
        CHECK(trace_field_next(&all, &field));
        EQ(field.own, i > 0);
        EQ(field.name.len, strlen(names[i]));
        CHECK(memcmp(field.name.ptr, names[i], field.name.len) == 0);
    }
    EQ(field.size, 4);
    CHECK(field.is_signed);
    CHECK(!trace_field_next(&all, &field));
    CHECK(!all.damaged);
}

/* A SAMPLE of IDENTIFIER and RAW. */
static bool next_of(uint32_t raw_size, uint64_t config, int32_t *tid)
{
    uint8_t bytes[128] = {0};
    struct perf_evsel evsel = {
        .attr = {.type = PTS_TYPE_TRACEPOINT,
                 .config = config,
                 .sample_type = PTS_SAMPLE_IDENTIFIER | PTS_SAMPLE_RAW}
    };
    struct perf_file f = {
        .evsel = {&evsel, 1, 1}
    };
    struct sched_format s = {314, 56, true};
    struct perf_rec r = {.ptr = bytes,
                         .type = PTS_RECORD_SAMPLE,
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

T_RUN(T_CASE(format_is_found), T_CASE(cut_format_is_not), T_CASE(fields_have_names),
      T_CASE(next_tid_is_read))
