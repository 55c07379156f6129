/* test_swap.c - turning records of the other byte order around.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/open/perf_open.h"
#include "decoder/file/perf_file.h"
#include "decoder/record/perf_rec.h"
#include "decoder/record/perf_swap.h"
#include "tests/lib/mkdata.h"
#include "tests/lib/open_bytes.h"
#include "tests/lib/t.h"

static uint8_t rec[4096];
static size_t len;

static void be(uint64_t v, unsigned bytes)
{
    while (bytes--)
        rec[len++] = (uint8_t)(v >> (8 * bytes));
}

static void begin(uint32_t type, uint16_t size)
{
    len = 0;
    be(type, 4);
    be(2, 2);
    be(size, 2);
}

/* What a big-endian machine would have written, and what it means. */
T(sample_of_everything)
{
    static const struct pts_attr attr = {
        .sample_type = PTS_SAMPLE_IDENTIFIER | PTS_SAMPLE_IP | PTS_SAMPLE_TID |
                       PTS_SAMPLE_CPU | PTS_SAMPLE_READ | PTS_SAMPLE_CALLCHAIN |
                       PTS_SAMPLE_RAW | PTS_SAMPLE_BRANCH_STACK | PTS_SAMPLE_REGS_USER |
                       PTS_SAMPLE_STACK_USER | PTS_SAMPLE_WEIGHT_STRUCT |
                       PTS_SAMPLE_AUX,
        .read_format = PTS_READ_GROUP | PTS_READ_ID | PTS_READ_TIME_ENABLED,
        .branch_sample_type = PTS_BRANCH_HW_INDEX | PTS_BRANCH_COUNTERS,
        .sample_regs_user = 5};
    begin(PTS_RECORD_SAMPLE, 0);
    be(7, 8);        /* id */
    be(0x401000, 8); /* ip */
    be(10, 4);
    be(11, 4);
    be(3, 4); /* cpu */
    be(0, 4);
    be(1, 8); /* read: nr, enabled, value, id */
    be(50, 8);
    be(99, 8);
    be(7, 8);
    be(2, 8); /* chain */
    be(0x1111, 8);
    be(0x2222, 8);
    be(4, 4); /* raw */
    memcpy(rec + len, "rawb", 4);
    len += 4;
    be(1, 8); /* branches: nr, hw_idx, from, to, flags, counter */
    be(9, 8);
    be(0x10, 8);
    be(0x20, 8);
    /* mispred, in_tx, 300 cycles, type 5; from the other end */
    be(UINT64_C(1) << 63 | UINT64_C(1) << 61 | UINT64_C(300) << 44 | UINT64_C(5) << 40,
       8);
    be(0x77, 8);
    be(2, 8); /* registers */
    be(0xaaaa, 8);
    be(0xbbbb, 8);
    be(8, 8); /* stack */
    memcpy(rec + len, "stackbyt", 8);
    len += 8;
    be(5, 8);
    be(1, 2); /* weight3, ins_lat, weight */
    be(2, 2);
    be(3, 4);
    be(8, 8); /* aux */
    memcpy(rec + len, "auxbytes", 8);
    len += 8;
    rec[6] = (uint8_t)(len >> 8);
    rec[7] = (uint8_t)len;
    swap_header(rec);
    EQ(rd_u16(rec + 6), len);
    EQ(rd_u16(rec + 4), 2);
    EQ(rd_u32(rec), PTS_RECORD_SAMPLE);
    swap_kernel(rec, len, &attr, 0);
    EQ(rd_u64(rec + 8), 7);
    EQ(rd_u64(rec + 16), 0x401000);
    EQ(rd_u32(rec + 24), 10);
    EQ(rd_u32(rec + 28), 11);
    EQ(rd_u32(rec + 32), 3);
    EQ(rd_u64(rec + 40), 1);
    EQ(rd_u64(rec + 48), 50);
    EQ(rd_u64(rec + 64), 7);
    EQ(rd_u64(rec + 88), 0x2222);
    EQ(rd_u32(rec + 96), 4);
    EQ(memcmp(rec + 100, "rawb", 4), 0);
    EQ(rd_u64(rec + 112), 9);
    EQ(rd_u64(rec + 136), 1 | 1 << 2 | 300 << 4 | 5 << 20);
    EQ(rd_u64(rec + 144), 0x77);
    EQ(rd_u64(rec + 152), 2);
    EQ(rd_u64(rec + 168), 0xbbbb);
    EQ(memcmp(rec + 184, "stackbyt", 8), 0);
    EQ(rd_u64(rec + 192), 5);
    EQ(rd_u32(rec + 200), 3);
    EQ(rd_u16(rec + 204), 2);
    EQ(rd_u16(rec + 206), 1);
    EQ(memcmp(rec + 216, "auxbytes", 8), 0);
}

T(trailer_of_an_event)
{
    static const struct pts_attr attr = {.sample_type = MK_TYPE};
    begin(PTS_RECORD_COMM, 56);
    be(10, 4);
    be(11, 4);
    memcpy(rec + len, "ls\0\0\0\0\0", 8);
    len += 8;
    be(10, 4);
    be(11, 4);
    be(1000, 8);
    be(2, 4);
    be(0, 4);
    be(7, 8);
    swap_header(rec);
    swap_kernel(rec, len, &attr, MK_ID_BYTES);
    EQ(rd_u32(rec + 12), 11);
    STREQ((char *)rec + 16, "ls");
    EQ(rd_u32(rec + 28), 11);
    EQ(rd_u64(rec + 32), 1000);
    EQ(rd_u32(rec + 40), 2);
    EQ(rd_u64(rec + 48), 7);
    /* perf turns the halves of a word with it */
    swap_as_perf(rec, len, &attr, MK_ID_BYTES);
    EQ(rd_u32(rec + 12), 11);
    EQ(rd_u32(rec + 24), 11);
    EQ(rd_u32(rec + 44), 2);
}

static uint64_t seed = 1;

static uint64_t next(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return seed >> 20;
}

/* Any bytes of any type and any event: nothing outside the record is touched. */
T(records_that_lie)
{
    enum { GUARD = 0xa5 };
    for (int i = 0; i < 200000; i++) {
        size_t size = PERF_REC_HEADER + next() % 300;
        struct pts_attr attr = {.sample_type = next() & 0x1ffffff,
                                .read_format = next() & 31,
                                .branch_sample_type = next() << 17 & 0xe0000,
                                .sample_regs_user = next()};
        uint32_t type = (uint32_t)(next() % 90);
        memset(rec, GUARD, sizeof(rec));
        for (size_t k = 8; k < size; k++)
            rec[k] = (uint8_t)(next() % 3 ? 0 : next());
        memcpy(rec, &type, 4);
        memset(rec + 4, (int)next(), 2);
        size_t id_bytes = next() % 8 * 8;
        if (type < PERF_REC_USER)
            swap_kernel(rec, size, next() % 4 ? &attr : NULL, id_bytes);
        else
            swap_own(rec, size);
        swap_as_perf(rec, size, next() % 4 ? &attr : NULL, id_bytes);
        EQ(rec[size], GUARD);
        EQ(rec[size + 40], GUARD);
    }
}

/* A file whose every number is the wrong way round opens as its twin does. */
T(whole_files_that_lie)
{
    static struct mkdata m;
    static const uint8_t body[16] = {0, 0, 0, 10, 0, 0, 0, 11, 'l', 's'};
    mk_begin(&m, true);
    memcpy(m.at, "2ELIFREP", 8);
    memcpy(m.at + 8, "\0\0\0\0\0\0\0\20", 8);
    for (int i = 0; i < 4; i++) {
        mk_put(&m, "\0\0\0\3\0\0\0\30", 8);
        mk_put(&m, body, 16);
    }
    for (size_t cut = 16; cut <= m.len; cut++) {
        struct perf_file *f = NULL;
        struct pts_diag why;
        EQ(open_bytes(m.at, cut, &f, &why), PTS_OK);
        CHECK(f->foreign && f->pipe);
        EQ(f->data.count, (cut - 16) / 24);
        perf_file_close(f);
    }
}

T_RUN(T_CASE(sample_of_everything), T_CASE(trailer_of_an_event),
      T_CASE(records_that_lie), T_CASE(whole_files_that_lie))
