/* test_stream.c - packets across the buffers of a queue.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/pt/psb.h"
#include "decoder/pt/stream.h"
#include "tests/lib/t.h"

#define BUF(bytes, cont)                                                               \
    {                                                                                  \
        .ptr = bytes, .len = sizeof(bytes), .consecutive = cont                        \
    }

static const uint8_t tnt_mtc[] = {0x06, 0, 0, 0x59, 7, 0};
static const uint8_t cut[] = {0x04, 0x59};
static const uint8_t ovf[] = {0x02, 0xf3};

T(packets_go_on_in_the_next_buffer_without_pads)
{
    const struct pt_buf bufs[] = {BUF(tnt_mtc, false), BUF(ovf, true)};
    struct pt_stream s;
    stream_init(&s, bufs, 2);
    EQ(stream_next(&s), STREAM_BREAK);
    EQ(stream_next(&s), STREAM_PKT);
    EQ(s.pkt.kind, PTS_PKT_TNT);
    EQ(stream_next(&s), STREAM_PKT);
    EQ(s.pkt.kind, PTS_PKT_MTC);
    EQ(s.pos, 3);
    EQ(s.prev, PTS_PKT_TNT);
    EQ(stream_next(&s), STREAM_PKT);
    EQ(s.pkt.kind, PTS_PKT_OVF);
    EQ(s.pos, 6);
    stream_unget(&s);
    EQ(stream_next(&s), STREAM_PKT);
    EQ(s.pkt.kind, PTS_PKT_OVF);
    EQ(stream_next(&s), STREAM_END);
    EQ(stream_next(&s), STREAM_END);
}

T(a_packet_cut_by_the_end_of_its_buffer_is_bad)
{
    const struct pt_buf bufs[] = {BUF(cut, false), BUF(ovf, true)};
    struct pt_stream s;
    stream_init(&s, bufs, 2);
    EQ(stream_next(&s), STREAM_BREAK);
    EQ(stream_next(&s), STREAM_PKT);
    EQ(stream_next(&s), STREAM_BAD);
    EQ(stream_next(&s), STREAM_PKT);
    EQ(s.pkt.kind, PTS_PKT_OVF);
}

T(a_psb_is_found_across_buffers)
{
    uint8_t bytes[40] = {0x06, 0x99};
    memcpy(bytes + 5, psb_pattern, PSB_BYTES);
    for (size_t at = 1; at < 30; at++) {
        const struct pt_buf bufs[] = {
            {.ptr = bytes,               .len = at          },
            { .ptr = bytes + at, .len = sizeof(bytes) - at, .consecutive = true}
        };
        struct pt_stream s;
        stream_init(&s, bufs, 2);
        EQ(stream_find_psb(&s), STREAM_BREAK);
        EQ(stream_find_psb(&s), STREAM_PKT);
        EQ(s.pkt.kind, PTS_PKT_PSB);
        EQ(stream_next(&s), STREAM_END);
        EQ(s.pos, sizeof(bytes));
    }
}

T(moving_keeps_the_count_of_bytes)
{
    const struct pt_buf bufs[] = {BUF(tnt_mtc, false), BUF(tnt_mtc, true),
                                  BUF(ovf, true)};
    struct pt_stream s;
    stream_init(&s, bufs, 3);
    EQ(stream_next(&s), STREAM_BREAK);
    EQ(stream_next(&s), STREAM_PKT);
    stream_move(&s, 0, 3);
    EQ(s.pos, 3);
    stream_move(&s, 2, 0);
    EQ(s.pos, 12);
    EQ(stream_next(&s), STREAM_PKT);
    EQ(s.pkt.kind, PTS_PKT_OVF);
}

T_RUN(T_CASE(packets_go_on_in_the_next_buffer_without_pads),
      T_CASE(a_packet_cut_by_the_end_of_its_buffer_is_bad),
      T_CASE(a_psb_is_found_across_buffers), T_CASE(moving_keeps_the_count_of_bytes))
