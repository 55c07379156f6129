/* test_container.c - records that are packed, in several files, or come through a pipe.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/open/perf_open.h"
#include "decoder/record/perf_order.h"
#include "decoder/record/record.h"
#include "decoder/open/perf_unpack.h"
#include "tests/lib/mkdata.h"
#include "tests/lib/mkzstd.h"
#include "tests/lib/open_bytes.h"
#include "tests/lib/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct mkdata m;
static const uint8_t comm_body[16] = {10,  0,   0, 0, 11, 0, 0, 0,
                                      'l', 's', 0, 0, 0,  0, 0, 0};

/* --- The tape
 * ---------------------------------------------------------------------------- */

static struct perf_run run_of(uint64_t at, uint64_t len, const uint8_t *p,
                              uint64_t shown)
{
    return (struct perf_run){.at = at, .len = len, .ptr = p, .shown = shown};
}

T(tape_joins_neighbours)
{
    static const uint8_t bytes[64];
    struct perf_tape t = {0};
    struct perf_run r = run_of(100, 16, bytes, 100);
    EQ(tape_end(&t, 100), 100);
    CHECK(!tape_find(&t, 100));
    EQ(tape_put(&t, &r), PTS_OK);
    r = run_of(116, 8, bytes + 16, 116);
    EQ(tape_put(&t, &r), PTS_OK);
    EQ(t.run.len, 1);
    r = run_of(124, 8, bytes + 32, 132);
    EQ(tape_put(&t, &r), PTS_OK);
    r = run_of(132, 8, bytes + 40, 132);
    r.unpacked = true;
    EQ(tape_put(&t, &r), PTS_OK);
    r = run_of(140, 8, bytes + 48, 132);
    r.unpacked = true;
    EQ(tape_put(&t, &r), PTS_OK);
    EQ(t.run.len, 3);
    EQ(tape_end(&t, 100), 148);
    CHECK(!tape_find(&t, 99) && !tape_find(&t, 148) && !tape_find(&t, UINT64_MAX));
    for (uint64_t at = 100; at < 148; at++) {
        const struct perf_run *hit = tape_find(&t, at);
        CHECK(hit && hit->at <= at && at - hit->at < hit->len);
    }
    tape_free(&t);
}

/* With a table of lanes as by halving, whatever the lengths are. */
T(tape_of_many_runs)
{
    static const uint8_t bytes[1];
    struct perf_tape t = {0};
    uint64_t at = 1000, seed = 1;

    for (unsigned i = 0; i < 3000; i++) {
        seed = seed * 6364136223846793005 + 1442695040888963407;
        uint64_t len = 8 + (seed >> 40) % (i % 7 ? 200 : 100000);
        struct perf_run r = run_of(at, len, bytes, at);
        r.payload = bytes;
        EQ(tape_put(&t, &r), PTS_OK);
        at += len;
    }
    EQ(t.run.len, 3000);
    EQ(tape_index(&t), PTS_OK);
    CHECK(t.lane.len > 1 && t.lane.len <= 2 * t.run.len + 1);
    for (unsigned i = 0; i < 3000; i++) {
        const struct perf_run *run = &t.run.at[i];
        CHECK(tape_find(&t, run->at) == run);
        CHECK(tape_find(&t, run->at + run->len - 1) == run);
        CHECK(tape_find(&t, run->at + run->len / 2) == run);
    }
    CHECK(!tape_find(&t, 999) && !tape_find(&t, at) && !tape_find(&t, at + 100000) &&
          !tape_find(&t, UINT64_MAX));
    tape_free(&t);
}

T(tape_joins_nothing_to_a_cut_payload)
{
    static const uint8_t bytes[64];
    struct perf_tape t = {0};
    struct perf_run r = run_of(100, 16, bytes, 100);
    EQ(tape_put(&t, &r), PTS_OK);
    r = run_of(116, 8, bytes + 16, 116);
    r.cut = true;
    EQ(tape_put(&t, &r), PTS_OK);
    r = run_of(124, 8, bytes + 24, 124);
    EQ(tape_put(&t, &r), PTS_OK);
    EQ(t.run.len, 2);
    EQ(tape_find(&t, 116)->len, 24);
    EQ(tape_find(&t, 124)->len, 8);
    tape_free(&t);
}

/* --- The spool
 * --------------------------------------------------------------------------- */

T(spool_keeps_its_bytes)
{
    struct spool s = {.dir = "/tmp"};
    uint8_t *first = spool_room(&s, 100);
    CHECK(first == spool_room(&s, 50));
    memset(first, 7, 100);
    spool_take(&s, 100);
    /* beyond what may stay in memory */
    s.held = SPOOL_MEMORY;
    for (int i = 0; i < 3; i++) {
        uint8_t *p = spool_room(&s, 2 << 20);
        CHECK(p && p != first);
        memset(p, i, 2 << 20);
        spool_take(&s, 2 << 20);
    }
    CHECK(s.block.at[s.block.len - 1].mapped);
    EQ(first[99], 7);
    spool_free(&s);
}

/* --- Room in front of a file -------------------------------------------------------
 */

/* From a file, and from a pipe, which is kept in memory. */
T(input_behind_room)
{
    enum { ROOM = 5000, N = 3 << 20 };
    static uint8_t want[N], got[N];
    char path[] = "/tmp/ptscript-room-XXXXXX";
    int fd = mkstemp(path);
    for (size_t i = 0; i < N; i++)
        want[i] = (uint8_t)(i * 7 + i / 256);
    CHECK(fd >= 0 && write(fd, want, N) == N);
    const struct input_how how = {.room = ROOM};
    struct input in;
    struct pts_diag why;
    EQ(input_open(path, &how, &in, &why), PTS_OK);
    CHECK(in.mapped && in.room >= ROOM && in.len == N);
    memset((uint8_t *)(uintptr_t)in.ptr - ROOM, 9, ROOM);
    memcpy(got, in.ptr, N);
    EQ(memcmp(got, want, N), 0);
    input_close(&in);
    close(fd);
    unlink(path);

    int ends[2];
    CHECK(pipe(ends) == 0 && write(ends[1], want, 4096) == 4096);
    close(ends[1]);
    snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
    EQ(input_open(path, &how, &in, &why), PTS_OK);
    CHECK(in.owned && in.room >= ROOM && in.len == 4096);
    memset((uint8_t *)(uintptr_t)in.ptr - ROOM, 9, ROOM);
    EQ(memcmp(in.ptr, want, 4096), 0);
    input_close(&in);
    close(ends[0]);
}

T(spool_without_a_place)
{
    struct spool s = {.dir = "/nonexistent", .held = SPOOL_MEMORY};
    struct pts_diag why = {0};
    CHECK(!spool_room(&s, 1));
    EQ(spool_file("/nonexistent", &why), -1);
    STREQ(why.text, "cannot make a temporary file in /nonexistent: No such file or "
                    "directory");
    spool_free(&s);
}

/* --- Packed records
 * ---------------------------------------------------------------------- */

/* A pipe whose records at `from` to `to` are replaced by COMPRESSED ones with `piece`
 * bytes each of a stored frame. */
static struct mkdata packed;

static void pack(size_t from, size_t to, size_t piece, bool words)
{
    static uint8_t frame[MK_CAP + 16];
    size_t n = zstd_stored(frame, m.at + from, to - from);
    packed = m;
    packed.len = from;
    for (size_t i = 0; i < n; i += piece) {
        size_t part = n - i < piece ? n - i : piece;
        if (words) {
            mk_head(&packed, PTS_RECORD_COMPRESSED2, 0, 16 + ((part + 7) & ~(size_t)7));
            mk_u64(&packed, part);
            mk_put(&packed, frame + i, part);
            mk_put(&packed, "\0\0\0\0\0\0\0", -part & 7);
        } else {
            mk_head(&packed, PTS_RECORD_COMPRESSED, 0, 8 + part);
            mk_put(&packed, frame + i, part);
        }
    }
}

static size_t make_pipe(void)
{
    mk_begin(&m, true);
    mk_event(&m, 1, MK_TYPE, 7);
    size_t from = m.len;
    for (unsigned i = 0; i < 20; i++)
        mk_rec(&m, PTS_RECORD_COMM, 0, comm_body, sizeof(comm_body), 1000 + i, 7);
    return from;
}

static void check_comms(const struct perf_file *f, unsigned n)
{
    struct record r;
    unsigned seen = 0;
    for (uint64_t off = f->data.off; off < f->data.end; off = perf_rec_next(&r.head)) {
        EQ(record_read(f, off, &r), PTS_OK);
        if (!record_is(&r, PTS_RECORD_COMM))
            continue;
        EQ(r.u.comm.tid, 11);
        EQ(r.head.id.time, 1000 + seen);
        seen++;
    }
    EQ(seen, n);
}

static struct perf_file *open_packed(void)
{
    struct perf_file *f = NULL;
    struct pts_diag why;
    EQ(open_bytes(packed.at, packed.len, &f, &why), PTS_OK);
    return f;
}

T(records_cut_anywhere)
{
    size_t from = make_pipe();
    for (size_t piece = 1; piece < 80; piece++) {
        pack(from, m.len, piece, piece % 2);
        struct perf_file *f = open_packed();
        check_comms(f, 20);
        EQ(f->damage.odd, PERF_ODD_PIPE);
        EQ(f->data.count, 21);
        perf_file_close(f);
    }
}

T(places_are_those_of_the_packed)
{
    size_t from = make_pipe();
    pack(from, m.len, 30000, false);
    struct perf_file *f = open_packed();
    struct perf_rec r;
    EQ(perf_rec_at(f, f->data.off, &r), PTS_OK);
    uint64_t off = perf_rec_next(&r);
    for (int i = 0; i < 2; i++, off = perf_rec_next(&r)) {
        struct perf_shown place = perf_file_shown(f, off);
        STREQ(place.path, "pipe");
        EQ(place.off, from - PERF_PIPE_HEADER);
        EQ(perf_rec_at(f, off, &r), PTS_OK);
    }
    CHECK(perf_file_of_shown(f, 0, &off) && off == f->data.off);
    CHECK(!perf_file_of_shown(f, from - PERF_PIPE_HEADER, &off));
    CHECK(!perf_file_of_shown(f, UINT64_MAX, &off));
    EQ(f->data.packed, 1);
    perf_file_close(f);
}

/* What was unpacked before stays; the rest of the file is left alone. */
T(bad_packed_data)
{
    size_t from = make_pipe(), half = from + 10 * 56;
    pack(from, half, 30000, false);
    size_t good = packed.len;
    mk_own(&packed, PTS_RECORD_COMPRESSED, "not zstd", 8);
    mk_rec(&packed, PTS_RECORD_COMM, 0, comm_body, sizeof(comm_body), 5, 7);
    struct perf_file *f = open_packed();
    check_comms(f, 10);
    EQ(f->damage.odd, PERF_ODD_PIPE | PERF_ODD_PACKED);
    EQ(f->damage.bad.off, good);
    perf_file_close(f);
}

T(bad_record_in_packed_data)
{
    size_t from = make_pipe();
    m.at[from + 5 * 56 + 6] = 7; /* its size */
    m.at[from + 5 * 56 + 7] = 0;
    pack(from, m.len, 100, false);
    struct perf_file *f = open_packed();
    check_comms(f, 5);
    EQ(f->damage.odd, PERF_ODD_PIPE | PERF_ODD_CUT);
    perf_file_close(f);
}

/* A packed record that lies about its own size, or has none of its payload. */
T(packed_sizes_that_lie)
{
    size_t from = make_pipe();
    mk_auxtrace(&m, 0, 0, "", 0);
    uint64_t huge = UINT64_MAX - 8;
    memcpy(m.at + m.len - 40, &huge, 8);
    pack(from, m.len, 500, true);
    struct perf_file *f = open_packed();
    check_comms(f, 20);
    perf_file_close(f);
    pack(from, m.len - 1, 500, false);
    f = open_packed();
    check_comms(f, 20);
    EQ(f->damage.odd, PERF_ODD_PIPE | PERF_ODD_CUT);
    perf_file_close(f);
    pack(from, m.len, 500, true);
    uint64_t claim = 1 << 20;
    memcpy(packed.at + from + 8, &claim, 8);
    perf_file_close(open_packed());
    for (size_t n = from; n < packed.len; n++) {
        struct perf_file *cut = NULL;
        struct pts_diag why;
        EQ(open_bytes(packed.at, n, &cut, &why), PTS_OK);
        perf_file_close(cut);
    }
}

/* What is there up to the limit counts: records of 0x0808 bytes and type 0x08080808. */
T(more_than_there_may_be)
{
    static uint8_t frame[30000];
    mk_begin(&packed, true);
    size_t n = zstd_repeated(frame, 8, 1000); /* 100 MB */
    mk_own(&packed, PTS_RECORD_COMPRESSED, frame, n);
    mk_rec(&packed, PTS_RECORD_COMM, 0, comm_body, sizeof(comm_body), 5, 7);
    struct perf_file *f = open_packed();
    uint64_t most = UNPACK_ANYWAY + UNPACK_RATIO * n;
    EQ(f->damage.odd, PERF_ODD_PIPE | PERF_ODD_SWOLLEN);
    CHECK(f->data.end > most - (1 << 20) && f->data.end < most + (1 << 20));
    perf_file_close(f);
}

T(unpack_alone)
{
    static uint8_t frame[4000];
    struct unpack u = {0};
    struct spool spool = {0};
    struct pts_bytes bytes;
    size_t n = zstd_repeated(frame, 3, 3);
    EQ(unpack_begin(&u, (struct pts_bytes){frame, n}), PTS_OK);
    EQ(unpack_next(&u, &spool, &bytes), PTS_OK);
    unpack_used(&u, &spool, bytes.len);
    EQ(unpack_next(&u, &spool, &bytes), PTS_OK);
    unpack_used(&u, &spool, bytes.len - 5);
    EQ(unpack_begin(&u, (struct pts_bytes){frame, 0}), PTS_OK);
    EQ(unpack_next(&u, &spool, &bytes), PTS_OK); /* what is left of the frame */
    EQ(unpack_next(&u, &spool, &bytes), PTS_END);
    unpack_free(&u);
    spool_free(&spool);
}

/* --- Directories and pipes
 * --------------------------------------------------------------- */

static void put_file(const char *dir, const char *name, const void *p, size_t n)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(p, 1, n, f) == n);
    if (f)
        fclose(f);
}

static void remove_dir(const char *dir, const char *const *names)
{
    char path[256];
    for (; *names; names++) {
        snprintf(path, sizeof(path), "%s/%s", dir, *names);
        unlink(path);
    }
    rmdir(dir);
}

static void make_main(uint64_t version)
{
    static uint64_t told;
    told = version;
    mk_begin(&m, false);
    mk_event(&m, 1, MK_TYPE, 7);
    mk_data(&m);
    mk_rec(&m, PTS_RECORD_COMM, 0, comm_body, sizeof(comm_body), 1000, 7);
    mk_feature(&m, PTS_FEAT_DIR_FORMAT, &told, 8);
    mk_end(&m);
}

T(directory_with_data_files)
{
    static const char *const names[] = {"data", "data.0", "data.empty", NULL};
    static const struct perf_file_how how = {.force = true};
    char dir[] = "/tmp/ptscript-test-XXXXXX";
    struct perf_file *f = NULL;
    struct pts_diag why;
    CHECK(mkdtemp(dir));
    make_main(1);
    put_file(dir, "data", m.at, m.len);
    EQ(perf_file_open(dir, &how, &f, &why), PTS_E_FORMAT);
    CHECK(strstr(why.text, "no data files"));
    m.len = 0;
    mk_rec(&m, PTS_RECORD_COMM, 0, comm_body, sizeof(comm_body), 1001, 7);
    mk_rec(&m, PTS_RECORD_COMM, 0, comm_body, sizeof(comm_body), 1002, 7);
    put_file(dir, "data.0", m.at, m.len);
    put_file(dir, "data.empty", "", 0);
    EQ(perf_file_open(dir, &how, &f, &why), PTS_OK);
    check_comms(f, 3);
    EQ(f->damage.odd, 0);
    struct perf_shown last = perf_file_shown(f, f->data.end - 56);
    CHECK(strstr(last.path, "/data.0"));
    EQ(last.off, 56);
    perf_file_close(f);
    put_file(dir, "data.0", m.at, m.len - 1);
    EQ(perf_file_open(dir, &how, &f, &why), PTS_OK);
    check_comms(f, 2);
    EQ(f->damage.odd, PERF_ODD_CUT);
    CHECK(strstr(f->damage.bad.path, "/data.0") && f->damage.bad.off == 56);
    perf_file_close(f);
    make_main(2);
    put_file(dir, "data", m.at, m.len);
    EQ(perf_file_open(dir, &how, &f, &why), PTS_E_FORMAT);
    CHECK(strstr(why.text, "of version 2"));
    make_main(0);
    put_file(dir, "data", m.at, m.len);
    EQ(perf_file_open(dir, &how, &f, &why), PTS_OK);
    check_comms(f, 1);
    perf_file_close(f);
    remove_dir(dir, names);
}

/* A pipe of more than stays in memory: one record that claims 70 MB of trace. */
T(long_pipe)
{
    static const struct perf_file_how kept = {.force = true, .temp_dir = NULL},
                                      spooled = {.force = true, .temp_dir = "/tmp"};
    static const char command[] = "head -c 70000000 /dev/zero >> ";
    char dir[] = "/tmp/ptscript-test-XXXXXX", path[64], line[256];
    static const char *const names[] = {"p", "fifo", NULL};
    CHECK(mkdtemp(dir));
    mk_begin(&m, true);
    mk_auxtrace(&m, 0, 0, "", 0);
    uint64_t n = 70000000;
    memcpy(m.at + m.len - 40, &n, 8);
    put_file(dir, "p", m.at, m.len);
    snprintf(line, sizeof(line), "%s%s/p", command, dir);
    EQ(system(line), 0);
    snprintf(path, sizeof(path), "%s/fifo", dir);
    EQ(mkfifo(path, 0600), 0);
    for (int i = 0; i < 2; i++) {
        struct perf_file *f = NULL;
        struct pts_diag why;
        snprintf(line, sizeof(line), "cat %s/p > %s &", dir, path);
        EQ(system(line), 0);
        EQ(perf_file_open(path, i ? &spooled : &kept, &f, &why), PTS_OK);
        EQ(f->damage.odd, PERF_ODD_PIPE);
        EQ(f->data.end, 16 + 48 + n);
        EQ(f->in.mapped, i);
        perf_file_close(f);
    }
    remove_dir(dir, names);
}

T_RUN(T_CASE(tape_joins_neighbours), T_CASE(tape_of_many_runs),
      T_CASE(tape_joins_nothing_to_a_cut_payload), T_CASE(spool_keeps_its_bytes),
      T_CASE(input_behind_room), T_CASE(spool_without_a_place),
      T_CASE(records_cut_anywhere), T_CASE(places_are_those_of_the_packed),
      T_CASE(bad_packed_data), T_CASE(bad_record_in_packed_data),
      T_CASE(packed_sizes_that_lie), T_CASE(more_than_there_may_be),
      T_CASE(unpack_alone), T_CASE(directory_with_data_files), T_CASE(long_pipe))
