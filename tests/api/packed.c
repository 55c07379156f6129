/* packed.c - compressed records in a stream, through the public reader alone.
 *
 * SPDX-License-Identifier: MIT
 *
 * Also compiled as C++17 (tests/lint/headers.sh).
 */
#include <ptscript/records.h>

#include <stdlib.h>

#include "../lib/t.h"

enum { ROOM = 256, FRAME = 6, BLOCK = 3 };

static unsigned char stream[ROOM];
static size_t used;

static void put(const void *p, size_t n)
{
    CHECK(used + n <= ROOM);
    memcpy(stream + used, p, n);
    used += n;
}

static void put_head(uint32_t type, size_t size)
{
    uint16_t rest[2] = {0, (uint16_t)size};
    put(&type, 4);
    put(rest, 4);
}

/* A COMPRESSED record with a zstd frame (RFC 8878) that holds n bytes as they are. */
static void put_packed(const void *p, size_t n)
{
    static const unsigned char frame[FRAME] = {0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3};
    unsigned char block[BLOCK] = {(unsigned char)(1 | n << 3), (unsigned char)(n >> 5),
                                  0};
    put_head(PTS_RECORD_COMPRESSED, 8 + FRAME + BLOCK + n);
    put(frame, FRAME);
    put(block, BLOCK);
    put(p, n);
}

static pts_records *reader(void)
{
    struct pts_diag why;
    pts_records *rs = NULL;
    EQ(pts_records_new(NULL, &rs, &why), PTS_OK);
    used = 0;
    return rs;
}

static const unsigned char round_[8] = {PTS_RECORD_FINISHED_ROUND, 0, 0, 0, 0, 0, 8, 0};
static const unsigned char error_[16] = {
    PTS_RECORD_FINISHED_INIT, 0, 0, 0, 0, 0, 16, 0};

/* One record in two of them, another behind it; each stands where it was packed. */
T(records_come_out_whole)
{
    pts_records *rs = reader();
    unsigned char all[24];
    struct pts_diag why;
    struct pts_record r;
    memcpy(all, error_, 16);
    memcpy(all + 16, round_, 8);
    put_packed(all, 11);
    size_t second = used;
    put_packed(all + 11, 13);
    put(round_, 8);
    const void *p = stream;
    size_t n = used;
    EQ(pts_records_feed(rs, &p, &n, &r, &why), PTS_OK);
    EQ(r.type, PTS_RECORD_FINISHED_INIT);
    EQ(r.offset, second);
    EQ(r.size, 16);
    EQ(pts_records_feed(rs, &p, &n, &r, &why), PTS_OK);
    EQ(r.type, PTS_RECORD_FINISHED_ROUND);
    EQ(r.offset, second);
    EQ(pts_records_feed(rs, &p, &n, &r, &why), PTS_OK);
    EQ(r.type, PTS_RECORD_FINISHED_ROUND);
    EQ(r.offset, used - 8);
    EQ(pts_records_feed(rs, &p, &n, &r, &why), PTS_END);
    EQ(n, 0);
    pts_records_close(rs);
}

/* Trace is never packed: a record that claims some has none. */
T(no_payload_inside)
{
    pts_records *rs = reader();
    unsigned char aux[48] = {PTS_RECORD_AUXTRACE, 0, 0, 0, 0, 0, 48, 0, 200};
    struct pts_diag why;
    struct pts_record r;
    put_packed(aux, sizeof(aux));
    put(round_, 8);
    const void *p = stream;
    size_t n = used;
    EQ(pts_records_feed(rs, &p, &n, &r, &why), PTS_OK);
    EQ(r.type, PTS_RECORD_AUXTRACE);
    EQ(r.payload_size, 0);
    EQ(r.payload.len, 0);
    EQ(pts_records_feed(rs, &p, &n, &r, &why), PTS_OK);
    EQ(r.type, PTS_RECORD_FINISHED_ROUND);
    pts_records_close(rs);
}

static void expect_lost(pts_records *rs)
{
    struct pts_diag why;
    struct pts_record r;
    const void *p = stream;
    size_t n = used;
    EQ(pts_records_feed(rs, &p, &n, &r, &why), PTS_E_FORMAT);
    CHECK(strstr(why.text, "cannot be unpacked"));
    EQ(pts_records_feed(rs, &p, &n, &r, &why), PTS_E_FORMAT);
    pts_records_close(rs);
}

T(what_is_not_zstd)
{
    pts_records *rs = reader();
    put_head(PTS_RECORD_COMPRESSED, 8 + 8);
    put("nothing.", 8);
    expect_lost(rs);
}

T(no_record_inside)
{
    static const unsigned char bad[8] = {1, 0, 0, 0, 0, 0, 7, 0};
    pts_records *rs = reader();
    put_packed(bad, sizeof(bad));
    expect_lost(rs);
}

/* A size that lies is capped by the record; less than a frame is waited for. */
T(sizes_that_lie)
{
    pts_records *rs = reader();
    uint64_t claim = UINT64_MAX;
    struct pts_diag why;
    struct pts_record r;
    put_head(PTS_RECORD_COMPRESSED2, 16 + 4);
    put(&claim, 8);
    put("\x28\xb5\x2f\xfd", 4);
    put_head(PTS_RECORD_COMPRESSED2, 8 + 4);
    put("\0\0\0\0", 4);
    const void *p = stream;
    size_t n = used;
    EQ(pts_records_feed(rs, &p, &n, &r, &why), PTS_END);
    EQ(n, 0);
    pts_records_close(rs);
}

/* One by one they are delivered as they are. */
T(parsed_alone)
{
    pts_records *rs = reader();
    struct pts_diag why;
    struct pts_record r;
    put_packed(round_, 8);
    EQ(pts_record_parse(rs, stream, used, &r, &why), PTS_OK);
    EQ(r.type, PTS_RECORD_COMPRESSED);
    EQ(r.u.bytes.len, FRAME + BLOCK + 8);
    pts_records_close(rs);
}

T_RUN(T_CASE(records_come_out_whole), T_CASE(no_payload_inside),
      T_CASE(what_is_not_zstd), T_CASE(no_record_inside), T_CASE(sizes_that_lie),
      T_CASE(parsed_alone))
