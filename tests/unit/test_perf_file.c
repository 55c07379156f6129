/* test_perf_file.c - opening good, cut and lying files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/open/perf_open.h"
#include "decoder/aux/auxtrace.h"
#include "decoder/file/perf_feat.h"
#include "decoder/record/perf_order.h"
#include "decoder/record/record.h"
#include "tests/lib/mkdata.h"
#include "tests/lib/open_bytes.h"
#include "tests/lib/t.h"

#include <stdlib.h>
#include <unistd.h>

static struct mkdata m;

static const uint8_t comm_body[16] = {10,  0,   0, 0, 11, 0, 0, 0,
                                      'l', 's', 0, 0, 0,  0, 0, 0};
static const uint8_t psb[16] = {2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
                                2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82};
static const uint8_t arch[] = {8, 0, 0, 0, 'x', '8', '6', '_', '6', '4', 0, 0};

/* A file with two events, some records, trace and features. */
static void make_good(bool pipe)
{
    static const uint64_t info[2 + 17] = {1,     6,     31, 5, 7, 1,
                                          0x400, 0x800, 3,  0, 1, 0x200};
    static const uint64_t index[1 + 8] = {2, 100, 0, 3, UINT64_MAX, 101, 1, 3, 77};
    static uint64_t aux_index[3] = {1, 0, 48};
    mk_begin(&m, pipe);
    mk_event(&m, 6, MK_TYPE, 100);
    mk_event(&m, 1, MK_TYPE, 101);
    mk_data(&m);
    mk_own(&m, PTS_RECORD_AUXTRACE_INFO, info, 8 * 18);
    mk_own(&m, PTS_RECORD_ID_INDEX, index, sizeof(index));
    mk_rec(&m, PTS_RECORD_COMM, PTS_MISC_COMM_EXEC, comm_body, sizeof(comm_body), 5000,
           101);
    aux_index[1] = mk_auxtrace(&m, 3, 2, psb, sizeof(psb));
    mk_own(&m, PTS_RECORD_FINISHED_ROUND, NULL, 0);
    mk_feature(&m, PTS_FEAT_ARCH, arch, sizeof(arch));
    mk_feature(&m, PTS_FEAT_AUXTRACE, aux_index, sizeof(aux_index));
    mk_end(&m);
}

/* Everything a reader may do with a file that could be opened. */
static void use(const struct perf_file *f)
{
    struct pts_diag why;
    struct perf_order order;
    struct aux_queues q;
    struct record r;
    uint64_t n = 0;
    for (uint64_t off = f->data.off; off < f->data.end; n++) {
        (void)!record_read(f, off, &r);
        off = perf_rec_next(&r.head);
        CHECK(off <= f->in.len);
    }
    EQ(n, f->data.count);
    EQ(perf_order_make(f, PERF_ORDER_ROUNDS, &order, &why), PTS_OK);
    EQ(order.rec.len, n);
    perf_order_free(&order);
    if (aux_queues_make(f, &(struct aux_how){0}, &q, &why) == PTS_OK)
        aux_queues_free(&q);
    (void)perf_feat_string(f, PTS_FEAT_ARCH);
    (void)perf_file_id(f, 100);
}

static pts_status try_open(const uint8_t *p, size_t n)
{
    struct perf_file *f = NULL;
    struct pts_diag why = {0};
    pts_status st = open_bytes(p, n, &f, &why);
    if (st == PTS_OK)
        use(f);
    else
        CHECK(why.text[0] != 0 && why.status == st);
    perf_file_close(f);
    return st;
}

static void check_good(void)
{
    struct perf_file *f = NULL;
    struct pts_diag why;
    struct aux_info info;
    struct aux_queues q;
    struct record r;
    EQ(open_bytes(m.at, m.len, &f, &why), PTS_OK);
    EQ(f->evsel.len, 2);
    EQ(f->evsel.at[0].attr.type, 6);
    EQ(f->evsel.at[1].attr.sample_type, MK_TYPE);
    EQ(f->evsel.at[1].id_bytes, MK_ID_BYTES);
    const struct pts_counter *id = perf_file_id(f, 101);
    CHECK(id && id->event == 1 && id->idx == 1 && id->cpu == 3 && id->tid == 77);
    CHECK(!perf_file_id(f, 102));
    EQ(record_read(f, f->data.info_off, &r), PTS_OK);
    EQ(aux_info_read(&r, &info, &why), PTS_OK);
    EQ(info.pmu_type, 6);
    EQ(info.conv.shift, 31);
    EQ(info.have_sched_switch, 3);
    EQ(info.mtc_bit, 0x200);
    CHECK(info.has_max_ratio && info.has_filter_len && !info.has_event_trace);
    EQ(aux_queues_make(f, &(struct aux_how){0}, &q, &why), PTS_OK);
    EQ(q.at.len, 1);
    EQ(q.at.at[0].idx, 3);
    EQ(q.at.at[0].cpu, 2);
    EQ(q.at.at[0].buf.len, 1);
    EQ(q.at.at[0].buf.at[0].len, sizeof(psb));
    EQ(memcmp(q.at.at[0].buf.at[0].ptr, psb, sizeof(psb)), 0);
    aux_queues_free(&q);
    uint64_t seen = 0;
    for (uint64_t off = f->data.off; off < f->data.end; off = perf_rec_next(&r.head)) {
        EQ(record_read(f, off, &r), PTS_OK);
        if (!record_is(&r, PTS_RECORD_COMM))
            continue;
        seen++;
        EQ(r.head.evsel, 1);
        EQ(r.head.id.pid, 10);
        EQ(r.head.id.tid, 11);
        EQ(r.head.id.time, 5000);
        EQ(r.head.id.cpu, 2);
        EQ(r.head.id.id, 101);
        STREQ(r.u.comm.comm, "ls");
        CHECK(r.u.comm.exec);
    }
    EQ(seen, 1);
    use(f);
    perf_file_close(f);
}

T(good_file)
{
    struct perf_file *f = NULL;
    struct pts_diag why;
    make_good(false);
    check_good();
    EQ(open_bytes(m.at, m.len, &f, &why), PTS_OK);
    EQ(f->damage.odd, 0);
    STREQ(perf_feat_string(f, PTS_FEAT_ARCH), "x86_64");
    perf_file_close(f);
}

T(good_pipe)
{
    make_good(true);
    check_good();
}

/* A file that ends anywhere opens with what is there or fails, and never reads on. */
T(cut_at_every_byte)
{
    for (int pipe = 0; pipe < 2; pipe++) {
        make_good(pipe);
        for (size_t n = 0; n < m.len; n++) {
            uint8_t *copy = mem_resize(NULL, n ? n : 1, 1);
            memcpy(copy, m.at, n);
            pts_status st = try_open(copy, n);
            CHECK(n >= PERF_FILE_HEADER || pipe || st < 0);
            mem_free(copy);
        }
    }
}

/* Every byte set to the values that do most harm to sizes, counts and offsets. */
T(every_byte_changed)
{
    static const uint8_t evil[] = {0, 1, 7, 8, 0x7f, 0x80, 0xff};
    for (int pipe = 0; pipe < 2; pipe++) {
        make_good(pipe);
        for (size_t i = 0; i < m.len; i++) {
            for (size_t k = 0; k < sizeof(evil); k++) {
                uint8_t was = m.at[i];
                m.at[i] = evil[k];
                try_open(m.at, m.len);
                m.at[i] = was;
            }
        }
    }
}

enum { TOLD = 1024 };

static void note(void *ctx, enum pts_message_kind kind, const char *text)
{
    char *all = ctx;
    size_t n = strlen(all);
    snprintf(all + n, TOLD - n, "%s%s", kind == PTS_MSG_NOTE ? "note: " : "", text);
}

T(cut_data_is_told)
{
    char told[TOLD] = "";
    struct perf_file *f = NULL;
    struct pts_diag why;
    make_good(false);
    uint64_t none = 0;
    memcpy(m.at + 48, &none, 8);
    EQ(open_bytes(m.at, m.len - 100, &f, &why), PTS_OK);
    CHECK(f->damage.odd & PERF_ODD_NO_SIZE && f->damage.odd & PERF_ODD_CUT);
    perf_file_report(f, false, note, told);
    CHECK(strstr(told, "WARNING: The memory file's data size field is 0 which is "
                       "unexpected.\nWas the 'perf record' command properly "
                       "terminated?\n"));
    told[0] = '\0';
    perf_file_report(f, true, note, told);
    CHECK(!strstr(told, "WARNING"));
    perf_file_close(f);
    make_good(true);
    EQ(open_bytes(m.at, m.len - 9, &f, &why), PTS_OK);
    CHECK(f->damage.odd & PERF_ODD_PIPE && f->damage.odd & PERF_ODD_CUT);
    EQ(f->data.end, m.len - 9);
    perf_file_warn_pipe(f, note, told);
    CHECK(strstr(told, "WARNING: Intel PT with pipe mode is not recommended.\n"));
    told[0] = '\0';
    perf_file_report(f, false, note, told);
    CHECK(!strstr(told, "pipe mode"));
    perf_file_close(f);
}

static void expect_text(size_t n, pts_status want, const char *text)
{
    struct perf_file *f = NULL;
    struct pts_diag why = {0};
    EQ(open_bytes(m.at, n, &f, &why), want);
    CHECK(strstr(why.text, text));
    perf_file_close(f);
}

T(refusals_are_told)
{
    make_good(false);
    expect_text(0, PTS_E_FORMAT, "zero-sized");
    memcpy(m.at, "2ELIFREP", 8); /* but its numbers are not */
    expect_text(m.len, PTS_E_FORMAT, "bad header size");
    memcpy(m.at, "PERFFILE", 8); /* which knew no attributes of 128 bytes */
    expect_text(m.len, PTS_E_FORMAT, "not a perf.data file");
    memcpy(m.at, "\177ELF....", 8);
    expect_text(m.len, PTS_E_FORMAT, "not a perf.data file");
    mk_begin(&m, false);
    mk_event(&m, 6, PTS_SAMPLE_IP | PTS_SAMPLE_ID, 100);
    mk_event(&m, 6, PTS_SAMPLE_TID | PTS_SAMPLE_TIME | PTS_SAMPLE_ID, 101);
    mk_data(&m);
    mk_end(&m);
    expect_text(m.len, PTS_E_FORMAT, "non matching sample_type");
}

/* Older attributes are shorter, newer ones longer. */
T(attr_sizes)
{
    static const uint32_t sizes[] = {64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 160};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct perf_file *f = NULL;
        struct pts_diag why;
        mk_begin(&m, true);
        mk_head(&m, PTS_RECORD_HEADER_ATTR, 0, 8 + sizes[i] + 16);
        size_t attr = m.len;
        memset(m.at + attr, 0, sizes[i]);
        m.len += sizes[i];
        memcpy(m.at + attr + 4, &sizes[i], 4);
        m.at[attr + 8] = 0x55;
        m.at[attr + 64] = sizes[i] > 64 ? 0x66 : 0;
        mk_u64(&m, 41);
        mk_u64(&m, 42);
        EQ(open_bytes(m.at, m.len, &f, &why), PTS_OK);
        EQ(f->evsel.len, 1);
        EQ(f->evsel.at[0].attr.config, 0x55);
        EQ(f->evsel.at[0].attr.config2, sizes[i] > 64 ? 0x66 : 0);
        EQ(f->evsel.at[0].id_count, 2);
        CHECK(perf_file_id(f, 41) && perf_file_id(f, 42));
        perf_file_close(f);
    }
}

/* In a file there are none behind those we know. */
T(attr_of_the_future)
{
    static const uint64_t each = 160 + 16, attrs = 104;
    make_good(false);
    memcpy(m.at + 16, &each, 8);
    memcpy(m.at + 24, &attrs, 8);
    memcpy(m.at + 32, &each, 8);
    memset(m.at + attrs, 0, each);
    m.at[attrs + 4] = 160;
    m.at[attrs + 150] = 1;
    expect_text(m.len, PTS_E_FORMAT, "newer kernel");
    m.at[attrs + 150] = 0;
    CHECK(try_open(m.at, m.len) == PTS_OK);
    /* their sections of ids may lie */
    m.at[attrs + 160 + 15] = 1;
    CHECK(try_open(m.at, m.len) == PTS_OK);
}

T(missing_file_and_directory)
{
    struct perf_file *f = NULL;
    struct pts_diag why;
    const struct perf_file_how how = {.force = false};
    EQ(perf_file_open("/nonexistent/perf.data", &how, &f, &why), PTS_E_IO);
    STREQ(why.text, "failed to open /nonexistent/perf.data: No such file or directory");
    EQ(perf_file_open("/nonexistent", &how, &f, &why), PTS_E_IO);
    EQ(perf_file_open("/proc", &how, &f, &why), PTS_E_IO);
    STREQ(why.text, "failed to open /proc/data: No such file or directory");
}

/* Opened where it can be mapped. */
static struct perf_file *open_file(void)
{
    char name[] = "/tmp/perf-file-XXXXXX";
    struct perf_file *f = NULL;
    struct pts_diag why = {0};
    const int fd = mkstemp(name);

    CHECK(fd >= 0);
    EQ(write(fd, m.at, m.len), (ssize_t)m.len);
    EQ(perf_file_open(name, &(struct perf_file_how){0}, &f, &why), PTS_OK);
    close(fd);
    unlink(name);
    return f;
}

/* Records behind the first piece of trace are looked at in copies of parts of the file, at whose ends large and
 * small ones lie. */
T(kept_records)
{
    static const uint16_t sizes[] = {8,    16,   1000, 15000, 3000, 24,  8,
                                     8000, 8200, 40,   200,   16,   5000};
    static uint8_t body[16000];
    const size_t count = sizeof(sizes) / sizeof(sizes[0]);
    uint64_t at[sizeof(sizes) / sizeof(sizes[0])];

    mk_begin(&m, false);
    mk_event(&m, 6, MK_TYPE, 100);
    mk_data(&m);
    mk_auxtrace(&m, 3, 2, psb, sizeof(psb));
    for (size_t i = 0; i < count; i++) {
        memset(body, (int)i + 1, sizeof(body));
        at[i] = mk_own(&m, PTS_RECORD_FINISHED_ROUND, body, sizes[i]);
        if (i % 4 == 2)
            mk_auxtrace(&m, 3, 2, psb, sizeof(psb));
    }
    mk_end(&m);
    struct perf_file *f = open_file();
    EQ(f->data.count, count + 1 + 3);
    EQ(f->damage.odd, 0);
    for (size_t i = 0; i < count; i++) {
        struct perf_rec r;
        EQ(perf_rec_at(f, at[i], &r), PTS_OK);
        EQ(r.size, 8 + sizes[i]);
        EQ(memcmp(r.ptr, m.at + at[i], r.size), 0);
        CHECK(r.ptr != f->in.ptr + at[i]);
    }
    for (uint64_t off = f->data.off; off < f->data.end;) {
        struct perf_rec r;
        EQ(perf_rec_header(f, off, &r), PTS_OK);
        if (r.type == PTS_RECORD_AUXTRACE) {
            CHECK(r.behind == f->in.ptr + off + r.size && r.payload == sizeof(psb));
            EQ(memcmp(r.behind, psb, sizeof(psb)), 0);
        }
        off = perf_rec_next(&r);
    }
    perf_file_close(f);
}

T_RUN(T_CASE(good_file), T_CASE(good_pipe), T_CASE(cut_at_every_byte),
      T_CASE(every_byte_changed), T_CASE(cut_data_is_told), T_CASE(refusals_are_told),
      T_CASE(attr_sizes), T_CASE(attr_of_the_future),
      T_CASE(missing_file_and_directory), T_CASE(kept_records))
