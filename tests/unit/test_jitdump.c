/* test_jitdump.c - code made at run time: what a dump says, and what it may not.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/jitdump.h"

#include "tests/lib/t.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 1024 };

/* A dump being written. */
struct out {
    uint8_t at[ROOM];
    size_t len;
    bool foreign;
};

static void put(struct out *o, const void *p, size_t n)
{
    memcpy(o->at + o->len, p, n);
    o->len += n;
}

static void put32(struct out *o, uint32_t v)
{
    v = o->foreign ? __builtin_bswap32(v) : v;
    put(o, &v, sizeof(v));
}

static void put64(struct out *o, uint64_t v)
{
    v = o->foreign ? __builtin_bswap64(v) : v;
    put(o, &v, sizeof(v));
}

static struct out header(bool foreign)
{
    struct out o = {.foreign = foreign};
    put32(&o, 0x4a695444);
    put32(&o, 1);
    put32(&o, 40);
    put32(&o, 62);
    put32(&o, 0);
    put32(&o, 7);
    put64(&o, 55);
    put64(&o, 1);
    return o;
}

static void head(struct out *o, uint32_t kind, size_t body, uint64_t time)
{
    put32(o, kind);
    put32(o, (uint32_t)(16 + body));
    put64(o, time);
}

static void put_load(struct out *o, uint64_t time, uint64_t addr, uint64_t size,
                     uint64_t index)
{
    head(o, 0, 40 + 2 + 3, time);
    put32(o, 7);
    put32(o, 8);
    put64(o, addr);
    put64(o, addr);
    put64(o, size);
    put64(o, index);
    put(o, "f", 2);
    put(o, "\x90\x90\xc3", 3);
}

static void put_move(struct out *o, uint64_t time, uint64_t to, uint64_t size,
                     uint64_t index)
{
    head(o, 1, 48, time);
    put32(o, 7);
    put32(o, 8);
    put64(o, to);
    put64(o, 0x1000);
    put64(o, to);
    put64(o, size);
    put64(o, index);
}

static void put_lines(struct out *o)
{
    head(o, 2, 16 + 16 + 5 + 16 + 2, 1);
    put64(o, 0x1000);
    put64(o, 2);
    put64(o, 0x1000);
    put32(o, 3);
    put32(o, 0);
    put(o, "a.js", 5);
    put64(o, 0x1002);
    put32(o, 9);
    put32(o, 0);
    put(o, "\xff", 2);
}

/* Its bytes alone, so that reads behind them are seen; lent until the next call. */
static pts_status read_out(const struct out *o, size_t len, struct jitdump *d)
{
    static uint8_t *copy;
    free(copy);
    copy = malloc(len + !len);
    memcpy(copy, o->at, len);
    return jitdump_read((struct pts_bytes){copy, len}, d);
}

static void both_orders(bool foreign)
{
    struct out o = header(foreign);
    struct jitdump d;
    const char *file = "";
    uint32_t line = 0;

    put_lines(&o);
    put_load(&o, 10, 0x1000, 3, 4);
    put_load(&o, 11, 0x2000, 3, 5);
    put_move(&o, 12, 0x3000, 3, 4);
    head(&o, 3, 0, 13);
    head(&o, 4, 0, 14);
    put_load(&o, 15, 0x1000, 2, 6);
    EQ(read_out(&o, o.len, &d), PTS_OK);
    EQ(d.ticks, true);
    EQ(d.begun, 55);
    EQ(d.pid, 7);
    EQ(d.code_count, 3);
    EQ(d.event_count, 4);
    EQ(d.event[2].addr, 0x3000);
    EQ(d.event[2].code, 0);
    EQ(d.event[2].time, 12);
    EQ(d.event[0].tid, 8);
    EQ(d.code[2].index, 6);
    EQ(d.odd.bad + d.odd.lost + d.odd.cut, 0);
    STREQ(d.code[0].name, "f");
    EQ(d.code[0].bytes[2], 0xc3);
    EQ(jit_line(&d.code[0], 1, &file, &line), true);
    EQ(line, 3);
    EQ(jit_line(&d.code[0], 2, &file, &line), true);
    EQ(line, 9);
    STREQ(file, "a.js");
    EQ(jit_line(&d.code[1], 0, &file, &line), false);
    jitdump_free(&d);
}

T(reads_both_byte_orders)
{
    both_orders(false);
    both_orders(true);
}

/* What is wrong is passed over, and counted. */
T(records_that_lie)
{
    struct out o = header(false);
    struct jitdump d;

    put_load(&o, 1, 0x1000, 4, 1);         /* more code than the record has */
    put_load(&o, 1, 0x1000, 0, 1);         /* none */
    put_load(&o, 1, UINT64_MAX - 1, 3, 1); /* beyond the last address */
    put_load(&o, 1, 0x1000, UINT64_MAX, 1);
    put_move(&o, 1, 0x3000, 3, 9); /* of what was never loaded */
    put_load(&o, 2, 0x1000, 3, 1);
    put_move(&o, 3, 0x3000, 4, 1); /* more than there is */
    head(&o, 77, 0, 4);            /* of no known kind */
    head(&o, 0, 8, 4);             /* too short for its kind */
    put64(&o, 0);
    EQ(read_out(&o, o.len, &d), PTS_OK);
    EQ(d.code_count, 1);
    EQ(d.event_count, 1);
    EQ(d.odd.bad, 6);
    EQ(d.odd.lost, 1);
    EQ(d.odd.cut, false);
    jitdump_free(&d);
    head(&o, 0, 1000, 5); /* ends beyond the file */
    EQ(read_out(&o, o.len, &d), PTS_OK);
    EQ(d.odd.cut, true);
    jitdump_free(&d);
}

T(any_end)
{
    struct out o = header(false);

    put_lines(&o);
    put_load(&o, 10, 0x1000, 3, 4);
    for (size_t n = 0; n <= o.len; n++) {
        struct jitdump d = {0};
        pts_status st = read_out(&o, n, &d);
        EQ(st, n < 40 ? PTS_E_FORMAT : PTS_OK);
        if (st == PTS_OK)
            EQ(d.code_count, n == o.len);
        jitdump_free(&d);
    }
    o.at[4] = 2; /* version */
    struct jitdump d;
    EQ(read_out(&o, o.len, &d), PTS_E_UNSUPPORTED);
    o.at[4] = 1;
    o.at[32] = 3; /* flags */
    EQ(read_out(&o, o.len, &d), PTS_E_UNSUPPORTED);
}

T(names_of_dumps)
{
    EQ(jitdump_is("/x/jit-7.dump", 7), true);
    EQ(jitdump_is("jit-7.dump", 7), true);
    EQ(jitdump_is("/x/jit-7.dump", 8), false);
    EQ(jitdump_is("/x/jit-7.dump.1", 7), false);
    EQ(jitdump_is("/x/ajit-7.dump", 7), false);
    EQ(jitdump_is("/x/jit--7.dump", 7), false);
    EQ(jitdump_is("/x/jit-7.dump/y", 7), false);
    EQ(jitdump_is("jit-18446744073709551623.dump", 7), false);
}

T(files_that_are_not_opened)
{
    char dir[] = "/tmp/pts-jit-XXXXXX", file[64], link[64];
    struct jit_file f = {.dev = 0};

    CHECK(mkdtemp(dir));
    snprintf(file, sizeof(file), "%s/jit-1.dump", dir);
    snprintf(link, sizeof(link), "%s/jit-2.dump", dir);
    EQ(jit_file_open(file, false, &f), JIT_MISSING);
    FILE *out = fopen(file, "w");
    CHECK(out);
    if (out) {
        fputs("text", out);
        fclose(out);
    }
    EQ(jit_file_open(file, false, &f), JIT_FOUND);
    EQ(f.bytes.len, 4);
    jit_file_close(&f);
    EQ(symlink(file, link), 0);
    EQ(jit_file_open(link, false, &f), JIT_FOREIGN);
    EQ(jit_file_open(dir, true, &f), JIT_FOREIGN);
    unlink(link);
    EQ(mkfifo(link, 0600), 0);
    EQ(jit_file_open(link, true, &f), JIT_FOREIGN);
    unlink(link);
    unlink(file);
    rmdir(dir);
}

T_RUN(T_CASE(reads_both_byte_orders), T_CASE(records_that_lie), T_CASE(any_end),
      T_CASE(names_of_dumps), T_CASE(files_that_are_not_opened))
