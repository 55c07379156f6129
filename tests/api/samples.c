/* samples.c - streams of rows: what they hold, what they refuse, and several at once.
 *
 * SPDX-License-Identifier: MIT
 */
#include <ptscript/records.h>
#include <ptscript/sample.h>

#include <pthread.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "../lib/t.h"

static const char mix[] = PTS_TESTDATA "/emu-mix/perf.data";
static const char thr[] = PTS_TESTDATA "/emu-thr/perf.data";

static pts_session *opened(const char *path)
{
    struct pts_open_opts opts = PTS_OPEN_OPTS_INIT;
    struct pts_diag why;
    pts_session *s = NULL;
    opts.force = 1;
    opts.symfs = PTS_TESTDATA "/symfs";
    opts.buildid_dir = PTS_TESTDATA "/symfs/.debug";
    EQ(pts_session_open(path, &opts, &s, &why), PTS_OK);
    return s;
}

static const struct pts_option be = {"itrace", "beG"};

static struct pts_samples_opts asked(const struct pts_option *option, uint32_t want)
{
    struct pts_samples_opts opts = PTS_SAMPLES_OPTS_INIT;
    opts.options = option;
    opts.option_count = 1;
    opts.want = want;
    return opts;
}

static pts_stream *rows_of(pts_session *s, const struct pts_samples_opts *opts)
{
    struct pts_diag why;
    pts_stream *st = NULL;
    EQ(pts_samples_open(s, opts, &st, &why), PTS_OK);
    return st;
}

static uint64_t hash_of(uint64_t h, const void *p, size_t n)
{
    const unsigned char *c = (const unsigned char *)p;
    for (size_t i = 0; i < n; i++)
        h = (h ^ c[i]) * 1099511628211u;
    return h;
}

/* A stream read to its end. */
struct sum {
    size_t rows, samples, errors, records, lines;
    uint64_t row_hash, text_hash;
    pts_status end;
};

static void add_row(struct sum *s, const struct pts_batch *b, const struct pts_row *r)
{
    s->rows++;
    s->samples += r->type == PTS_ROW_SAMPLE;
    s->errors += r->type == PTS_ROW_ERROR;
    s->records += r->type == PTS_ROW_RECORD;
    s->row_hash = hash_of(s->row_hash, r, offsetof(struct pts_row, chain));
    CHECK(r->chain_n <= b->chain_n && r->chain <= b->chain_n - r->chain_n);
    CHECK(r->record <= b->records_n);
    if (r->type == PTS_ROW_RECORD) {
        uint64_t has = b->records[r->record - 1].id.has;
        EQ((r->valid & PTS_VALID_TID) != 0, (has & PTS_SAMPLE_TID) != 0);
        EQ((r->valid & PTS_VALID_CPU) != 0, (has & PTS_SAMPLE_CPU) != 0);
        CHECK(r->valid & PTS_VALID_TID || (r->pid == -1 && r->tid == -1));
    }
    s->row_hash = hash_of(s->row_hash, b->chain + r->chain, 8 * (size_t)r->chain_n);
}

static struct sum drained(pts_stream *st)
{
    struct pts_batch b = PTS_BATCH_INIT;
    struct pts_diag why;
    struct sum s;
    memset(&s, 0, sizeof(s));
    while ((s.end = pts_stream_next_batch(st, &b, &why)) == PTS_OK) {
        EQ(b.row_size, sizeof(struct pts_row));
        for (size_t i = 0; i < b.n; i++)
            add_row(&s, &b, &b.rows[i]);
        s.text_hash = hash_of(s.text_hash, b.text, b.text_n);
        for (size_t i = 0; i < b.text_n; i++)
            s.lines += b.text[i] == '\n';
    }
    pts_stream_close(st);
    return s;
}

enum { ALL = PTS_WANT_RAW * 2 - 1 };

/* A file that cannot be opened now is not one that is missing. */
T(refused_files_end_the_stream)
{
    pts_session *s = opened(mix);
    struct pts_samples_opts opts = asked(&be, ALL);
    struct pts_batch b = PTS_BATCH_INIT;
    struct pts_diag why;
    pts_stream *st = NULL;
    struct rlimit usual, none;
    getrlimit(RLIMIT_NOFILE, &usual);
    none = usual;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &none);
    pts_status rc = pts_samples_open(s, &opts, &st, &why);
    while (rc == PTS_OK)
        rc = pts_stream_next_batch(st, &b, &why);
    setrlimit(RLIMIT_NOFILE, &usual);
    EQ(rc, PTS_E_IO);
    CHECK(strstr(why.text, "Too many open files") != NULL);
    if (st)
        EQ(pts_stream_next_batch(st, &b, &why), PTS_E_IO);
    pts_stream_close(st);
    struct sum again = drained(rows_of(s, &opts));
    EQ(again.end, PTS_END);
    EQ(again.errors, 0);
    pts_session_close(s);
}

/* The text of one decode is that of a stream of its own, and so are the rows. */
T(text_and_rows_of_one_decode)
{
    pts_session *s = opened(mix);
    struct pts_samples_opts opts = asked(&be, ALL);
    struct sum rows = drained(rows_of(s, &opts));
    opts.text = 1;
    struct sum both = drained(rows_of(s, &opts));
    struct pts_diag why;
    pts_stream *text = NULL;
    uint64_t hash = 0;
    const char *p;
    size_t n;
    EQ(pts_stream_open(s, &be, 1, &text, &why), PTS_OK);
    while (pts_stream_next_text(text, &p, &n, &why) == PTS_OK)
        hash = hash_of(hash, p, n);
    pts_stream_close(text);
    EQ(rows.end, PTS_END);
    CHECK(rows.samples > 1000);
    EQ(both.row_hash, rows.row_hash);
    EQ(both.text_hash, hash);
    EQ(rows.lines, 0);
    EQ(both.lines, both.rows);
    pts_session_close(s);
}

static bool same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* What a row says of its addresses is what asking for them says. */
static void check_places(pts_stream *st, const struct pts_row *r)
{
    struct pts_place at = PTS_PLACE_INIT;
    struct pts_diag why;
    at.want_source = at.want_inlined = 1;
    EQ(pts_stream_resolve(st, r, r->ip, &at, &why), PTS_OK);
    CHECK(same(at.symbol, pts_stream_string(st, r->sym, NULL)));
    CHECK(same(at.dso, pts_stream_string(st, r->dso, NULL)));
    EQ(at.symbol_offset, r->symoff);
    CHECK(!at.inlined_n || at.inlined);
}

T(addresses_have_names)
{
    pts_session *s = opened(mix);
    const struct pts_samples_opts opts = asked(&be, PTS_WANT_SYMBOL | PTS_WANT_COMM);
    pts_stream *st = rows_of(s, &opts);
    struct pts_batch b = PTS_BATCH_INIT;
    struct pts_diag why;
    size_t named = 0, n;
    EQ(pts_stream_next_batch(st, &b, &why), PTS_OK);
    for (size_t i = 0; i < b.n; i += 7) {
        const struct pts_row *r = &b.rows[i];
        named += r->sym != 0;
        CHECK(r->comm && !r->addr_sym && !r->chain_n);
        if (r->ip)
            check_places(st, r);
    }
    CHECK(named > 0);
    CHECK(pts_stream_string(st, 0, &n) == NULL && n == 0);
    CHECK(pts_stream_string(st, UINT32_MAX, NULL) == NULL);
    pts_stream_close(st);
    pts_session_close(s);
}

/* Where the text finds an instruction in the code, rows do. */
T(instructions_that_no_packet_tells)
{
    pts_session *s = opened(mix);
    const struct pts_samples_opts opts = asked(&be, PTS_WANT_INSN | PTS_WANT_SYMBOL);
    pts_stream *st = rows_of(s, &opts);
    struct pts_batch b = PTS_BATCH_INIT;
    struct pts_diag why;
    size_t async = 0;
    while (pts_stream_next_batch(st, &b, &why) == PTS_OK)
        for (size_t i = 0; i < b.n; i++) {
            const struct pts_row *r = &b.rows[i];
            if (r->type != PTS_ROW_SAMPLE || !r->ip || !r->sym)
                continue;
            CHECK(r->insn_len > 0 && r->insn_len <= sizeof(r->insn));
            async += (r->flags & PTS_FLAG_ASYNC) != 0;
        }
    CHECK(async > 0);
    pts_stream_close(st);
    pts_session_close(s);
}

T(events_have_names)
{
    pts_session *s = opened(mix);
    const struct pts_samples_opts opts = asked(&be, 0);
    pts_stream *st = rows_of(s, &opts);
    struct pts_sample_event e = PTS_SAMPLE_EVENT_INIT;
    uint32_t i = 0, branches = 0;
    for (; pts_stream_event(st, i, &e) == PTS_OK; i++)
        branches += e.made && strncmp(e.name, "branches", 8) == 0;
    CHECK(i > 1);
    EQ(branches, 1);
    pts_stream_close(st);
    pts_session_close(s);
}

/* Every record that perf handles is a row, in its order. */
T(records_are_rows)
{
    const struct pts_option none = {"no-itrace", NULL};
    pts_session *s = opened(thr);
    struct pts_samples_opts opts = asked(&none, 0);
    opts.records = 1;
    struct sum rows = drained(rows_of(s, &opts));
    struct pts_records_opts ro = PTS_RECORDS_OPTS_INIT;
    struct pts_records *rs = NULL;
    struct pts_record r;
    struct pts_diag why;
    size_t n = 0;
    ro.force = 1;
    EQ(pts_records_open(thr, &ro, &rs, &why), PTS_OK);
    while (pts_records_next(rs, &r) == PTS_OK)
        n++;
    pts_records_close(rs);
    EQ(rows.records, n);
    EQ(rows.rows, rows.records + rows.samples);
    pts_session_close(s);
}

static size_t frames_of(pts_session *s, const struct pts_option *options, size_t count)
{
    struct pts_samples_opts opts = asked(options, PTS_WANT_CHAIN);
    opts.option_count = count;
    pts_stream *st = rows_of(s, &opts);
    struct pts_batch b = PTS_BATCH_INIT;
    struct pts_diag why;
    size_t n = 0;
    while (pts_stream_next_batch(st, &b, &why) == PTS_OK)
        n += b.chain_n;
    pts_stream_close(st);
    return n;
}

/* What options do to the chains of the text they do to those of rows. */
T(chains_as_in_the_text)
{
    const struct pts_option all[] = {
        {"itrace",          "i5usg"},
        {"stop-bt",         "main" },
        {"hide-call-graph", NULL   },
    };
    pts_session *s = opened(mix);
    size_t whole = frames_of(s, all, 1), cut = frames_of(s, all, 2);
    CHECK(cut > 0 && cut < whole);
    EQ(frames_of(s, all, 3), cut); /* which hides only those that were recorded */
    pts_session_close(s);
}

T(what_cannot_be_is_refused)
{
    pts_session *s = opened(mix);
    const struct pts_option fields = {"fields", "ip"}, back = {"no-ns", NULL};
    struct pts_samples_opts opts = asked(&fields, 0);
    struct pts_batch b = PTS_BATCH_INIT;
    struct pts_diag why;
    pts_stream *st = NULL;
    const char *text;
    size_t n;
    EQ(pts_samples_open(s, &opts, &st, &why), PTS_E_USAGE);
    STREQ(why.text, "--fields is only about the text, and none is asked for");
    opts.options = &back;
    EQ(pts_samples_open(s, &opts, &st, &why), PTS_E_USAGE);
    CHECK(st == NULL);
    opts.options = &fields;
    opts.text = 1;
    st = rows_of(s, &opts);
    EQ(pts_stream_next_text(st, &text, &n, &why), PTS_E_USAGE);
    pts_stream_close(st);
    EQ(pts_text_open(s, "script", &be, 1, &st, &why), PTS_OK);
    EQ(pts_stream_next_batch(st, &b, &why), PTS_E_USAGE);
    pts_stream_close(st);
    EQ(pts_text_open(s, "poem", &be, 1, &st, &why), PTS_E_USAGE);
    STREQ(why.text, "no output is called `poem'");
    pts_session_close(s);
}

/* A caller who was compiled when the structs were shorter. */
T(older_callers)
{
    pts_session *s = opened(mix);
    struct pts_samples_opts opts = asked(&be, 0);
    opts.size = offsetof(struct pts_samples_opts, records);
    opts.records = opts.text = 1; /* it does not know of these */
    pts_stream *st = rows_of(s, &opts);
    struct pts_batch b = PTS_BATCH_INIT;
    struct pts_diag why;
    b.size = offsetof(struct pts_batch, chain);
    b.text = "not touched";
    EQ(pts_stream_next_batch(st, &b, &why), PTS_OK);
    EQ(b.size, offsetof(struct pts_batch, chain));
    STREQ(b.text, "not touched");
    CHECK(b.n > 0 && b.rows[0].type == PTS_ROW_SAMPLE);
    pts_stream_close(st);
    pts_session_close(s);
}

/* --- Several at once --- */

struct job {
    pts_session *s;
    struct sum sum;
};

static void *run_job(void *ctx)
{
    struct job *j = (struct job *)ctx;
    const struct pts_samples_opts opts = asked(&be, ALL);
    j->sum = drained(rows_of(j->s, &opts));
    return NULL;
}

T(streams_in_threads)
{
    enum { THREADS = 3 };
    struct job job[THREADS];
    pthread_t thread[THREADS];
    pts_session *s = opened(thr);
    for (size_t i = 0; i < THREADS; i++) {
        job[i].s = s;
        EQ(pthread_create(&thread[i], NULL, run_job, &job[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (size_t i = 0; i < THREADS; i++) {
        EQ(job[i].sum.end, PTS_END);
        CHECK(job[i].sum.samples > 1000);
        EQ(job[i].sum.row_hash, job[0].sum.row_hash);
    }
    pts_session_close(s);
}

T_RUN(T_CASE(refused_files_end_the_stream), T_CASE(text_and_rows_of_one_decode),
      T_CASE(addresses_have_names), T_CASE(events_have_names), T_CASE(records_are_rows),
      T_CASE(chains_as_in_the_text), T_CASE(instructions_that_no_packet_tells),
      T_CASE(what_cannot_be_is_refused), T_CASE(older_callers),
      T_CASE(streams_in_threads))
