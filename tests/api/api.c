/* api.c - the public interface and nothing else: what a program of somebody else sees.
 *
 * SPDX-License-Identifier: MIT
 *
 * Also compiled as C++17 (tests/lint/headers.sh).  The recordings are below the folder
 * in PTS_TESTDATA, which the build sets.
 */
#include <ptscript/packet.h>
#include <ptscript/session.h>
#include <ptscript/status.h>

#include <stdbool.h>

#include "../lib/t.h"

static const char mix[] = PTS_TESTDATA "/emu-mix/perf.data";
static const char thr[] = PTS_TESTDATA "/emu-thr/perf.data";

/* What a stream printed: how much, and a hash of it. */
struct printed {
    size_t bytes, lines;
    uint64_t hash;
    pts_status end;
};

static void printed_add(struct printed *p, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        p->hash = (p->hash ^ (unsigned char)text[i]) * 1099511628211u;
        p->lines += text[i] == '\n';
    }
    p->bytes += n;
}

/* One pull; false at the end. */
static bool printed_step(struct printed *p, pts_stream *stream)
{
    struct pts_diag why;
    const char *text;
    size_t n;
    p->end = pts_stream_next_text(stream, &text, &n, &why);
    if (p->end == PTS_OK)
        printed_add(p, text, n);
    return p->end == PTS_OK;
}

static pts_session *open_with(const char *path, const char *symfs, pts_message_fn *fn,
                              void *ctx)
{
    struct pts_open_opts opts = PTS_OPEN_OPTS_INIT;
    struct pts_diag why;
    pts_session *s = NULL;
    opts.force = 1;
    opts.symfs = symfs;
    opts.buildid_dir = PTS_TESTDATA "/symfs/.debug";
    opts.message = fn;
    opts.message_ctx = ctx;
    EQ(pts_session_open(path, &opts, &s, &why), PTS_OK);
    return s;
}

static pts_stream *stream_with(pts_session *s, const char *name, const char *value)
{
    const struct pts_option option = {name, value};
    struct pts_diag why;
    pts_stream *stream = NULL;
    EQ(pts_stream_open(s, &option, 1, &stream, &why), PTS_OK);
    return stream;
}

static struct printed drain(pts_session *s, const char *name, const char *value)
{
    struct printed p = {0, 0, 0, PTS_OK};
    pts_stream *stream = stream_with(s, name, value);
    while (stream && printed_step(&p, stream)) {
    }
    pts_stream_close(stream);
    return p;
}

/* A session gives as many streams as one likes, each the same. */
T(streams_repeat)
{
    pts_session *s = open_with(mix, PTS_TESTDATA "/symfs", NULL, NULL);
    struct printed first = drain(s, "itrace", "be"), again = drain(s, "itrace", "be");
    EQ(first.end, PTS_END);
    CHECK(first.lines > 1000);
    EQ(again.hash, first.hash);
    EQ(again.bytes, first.bytes);
    pts_session_close(s);
}

/* Two streams over two files, pulled in turn, do not disturb each other. */
T(streams_interleave)
{
    pts_session *a = open_with(mix, PTS_TESTDATA "/symfs", NULL, NULL);
    pts_session *b = open_with(thr, PTS_TESTDATA "/symfs", NULL, NULL);
    struct printed one = drain(a, "itrace", "i0ns"), two = drain(b, "itrace", "i0ns");
    struct printed p = {0, 0, 0, PTS_OK}, q = {0, 0, 0, PTS_OK};
    pts_stream *sa = stream_with(a, "itrace", "i0ns"),
               *sb = stream_with(b, "itrace", "i0ns");
    bool more = true;
    while (more) {
        bool more_a = p.end == PTS_OK && printed_step(&p, sa);
        bool more_b = q.end == PTS_OK && printed_step(&q, sb);
        more = more_a || more_b;
    }
    EQ(p.hash, one.hash);
    EQ(q.hash, two.hash);
    pts_stream_close(sa);
    pts_stream_close(sb);
    pts_session_close(a);
    pts_session_close(b);
}

T(stream_may_be_left_early)
{
    pts_session *s = open_with(mix, PTS_TESTDATA "/symfs", NULL, NULL);
    struct printed p = {0, 0, 0, PTS_OK};
    pts_stream *stream = stream_with(s, "itrace", "i0ns");
    CHECK(printed_step(&p, stream));
    pts_stream_close(stream);
    pts_session_close(s);
    pts_stream_close(NULL);
    pts_session_close(NULL);
}

T(refusals_say_why_and_leave_out_alone)
{
    pts_session *s = open_with(mix, PTS_TESTDATA "/symfs", NULL, NULL);
    const struct pts_option wrong = {"itrace", "y"}, unknown = {"no such", NULL};
    struct pts_diag why;
    pts_stream *stream = NULL;
    EQ(pts_stream_open(s, &wrong, 1, &stream, &why), PTS_E_USAGE);
    CHECK(strstr(why.text, "Instruction Tracing") != NULL);
    EQ(pts_stream_open(s, &unknown, 1, &stream, &why), PTS_E_USAGE);
    CHECK(stream == NULL);
    pts_session_close(s);
}

static void note_counted(void *ctx, enum pts_message_kind kind, const char *text)
{
    (void)text;
    *(int *)ctx += kind == PTS_MSG_NOTE;
}

T(options_are_checked_without_a_recording)
{
    const struct pts_option good = {"itrace", "be"}, wrong = {"itrace", "!"};
    struct pts_diag why;
    int notes = 0;
    EQ(pts_options_check("script", &good, 1, note_counted, &notes, &why), PTS_OK);
    EQ(notes, 0);
    EQ(pts_options_check("script", &wrong, 1, note_counted, &notes, &why), PTS_E_USAGE);
    EQ(notes, 1);
    EQ(pts_options_check("inject", &wrong, 1, NULL, NULL, &why), PTS_E_USAGE);
    CHECK(strstr(why.text, "Instruction Tracing") != NULL);
    EQ(pts_options_check("report", &good, 1, NULL, NULL, &why), PTS_E_USAGE);
}

T(missing_file_is_named)
{
    struct pts_open_opts opts = PTS_OPEN_OPTS_INIT;
    struct pts_diag why;
    pts_session *s = NULL;
    EQ(pts_session_open("/no/such/file", &opts, &s, &why), PTS_E_IO);
    CHECK(s == NULL);
    CHECK(strstr(why.text, "/no/such/file") != NULL);
    CHECK(strcmp(pts_status_name(why.status), pts_status_name(PTS_E_IO)) == 0);
}

static void count_notes(void *ctx, enum pts_message_kind kind, const char *text)
{
    if (kind == PTS_MSG_NOTE && strstr(text, "libc.so.6"))
        ++*(int *)ctx;
}

T(missing_code_is_told_by_a_message)
{
    int notes = 0;
    pts_session *s = open_with(mix, PTS_TESTDATA "/no-such-symfs", count_notes, &notes);
    EQ(drain(s, "itrace", "be").end, PTS_END);
    EQ(notes, 1);
    pts_session_close(s);
}

T(packets_one_by_one)
{
    static const uint8_t bytes[] = {
        0xff, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
        0x02, 0x82, 0x02, 0x82, 0x02, 0x23, 0x2d, 0x34, 0x12, 0x0e, 0x19, 0x01};
    static const char *const texts[] = {"PSB", "PSBEND", "TIP 0x1234", "TNT TT (2)"};
    struct pts_pkt_cursor c = pts_pkt_cursor_of(bytes, sizeof(bytes));
    struct pts_pkt pkt;
    char text[PTS_PKT_TEXT_MAX];
    EQ(pts_pkt_sync(&c), PTS_OK);
    EQ(c.at - bytes, 1);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        EQ(pts_pkt_next(&c, &pkt), PTS_OK);
        EQ(pts_pkt_text(&pkt, text, sizeof(text)), strlen(texts[i]));
        STREQ(text, texts[i]);
    }
    EQ(pts_pkt_next(&c, &pkt), PTS_END); /* a TSC without its end */
    EQ(c.end - c.at, 2);
}

/* What a watcher sees, and when it says stop. */
struct watched {
    unsigned calls, until; /* 0: it never does */
    uint64_t done;
    bool backwards;
};

static int watcher(void *ctx, const pts_stream *stream)
{
    struct watched *w = (struct watched *)ctx;
    struct pts_progress p = PTS_PROGRESS_INIT;
    pts_stream_progress(stream, &p);
    w->backwards |= p.done < w->done || p.done > p.all || !p.in_trace;
    w->done = p.done;
    return ++w->calls == w->until;
}

static struct printed watch(pts_session *s, struct watched *w, struct pts_progress *end)
{
    const struct pts_option options[] = {
        {"itrace", "b"}
    };
    struct printed p;
    struct pts_diag why;
    pts_stream *stream = NULL;
    memset(&p, 0, sizeof(p));
    EQ(pts_stream_open(s, options, 1, &stream, &why), PTS_OK);
    pts_stream_watch(stream, watcher, w);
    while (printed_step(&p, stream))
        ;
    pts_stream_progress(stream, end);
    pts_stream_close(stream);
    return p;
}

T(who_watches_may_stop)
{
    pts_session *s = open_with(mix, PTS_TESTDATA "/symfs", NULL, NULL);
    struct pts_progress end = PTS_PROGRESS_INIT, cut = PTS_PROGRESS_INIT;
    struct watched all, some, none;
    memset(&all, 0, sizeof(all));
    none = some = all;
    some.until = 5;
    none.until = 1;
    struct printed whole = watch(s, &all, &end);
    EQ(whole.end, PTS_END);
    CHECK(all.calls > some.until && !all.backwards);
    CHECK(end.all && end.done == end.all && end.time_ns);
    CHECK(end.given >= whole.lines); /* of some records nothing is printed */
    struct printed part = watch(s, &some, &cut);
    EQ(part.end, PTS_E_CANCELLED);
    EQ(some.calls >= some.until, true);
    CHECK(part.lines && part.lines < whole.lines && part.lines <= cut.given);
    CHECK(cut.done <= end.done && cut.time_ns <= end.time_ns);
    part = watch(s, &none, &cut);
    EQ(part.end, PTS_E_CANCELLED);
    EQ(part.bytes, 0);
    /* Another run of the session knows nothing of it. */
    EQ(drain(s, "itrace", "b").hash, whole.hash);
    pts_session_close(s);
}

T_RUN(T_CASE(streams_repeat), T_CASE(streams_interleave),
      T_CASE(stream_may_be_left_early), T_CASE(refusals_say_why_and_leave_out_alone),
      T_CASE(missing_file_is_named), T_CASE(options_are_checked_without_a_recording),
      T_CASE(missing_code_is_told_by_a_message), T_CASE(packets_one_by_one),
      T_CASE(who_watches_may_stop))
