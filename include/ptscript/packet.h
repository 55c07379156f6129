/* packet.h - Intel PT packets, one at a time, straight from memory.
 *
 * SPDX-License-Identifier: MIT
 *
 *     struct pts_pkt_cursor c = pts_pkt_cursor_of(bytes, n);
 *     struct pts_pkt pkt;
 *     while (pts_pkt_next(&c, &pkt) == PTS_OK) ...
 *
 * Nothing is copied and nothing allocated; the bytes must outlive the cursor.  Bytes
 * that are no packet are delivered as PTS_PKT_BAD, one byte at a time.
 */
#ifndef PTSCRIPT_PACKET_H
#define PTSCRIPT_PACKET_H

#include <ptscript/status.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* packets.def has a row for each kind, and says what count and value are. */
enum pts_pkt_kind {
#define PTS_PACKET(name, number, word, text, marks, binding, event)                    \
    PTS_PKT_##name = (number),
#include <ptscript/packets.def>
#undef PTS_PACKET
    PTS_PKT_KINDS /* above all that are known */
};

struct pts_pkt {
    uint8_t kind;   /* enum pts_pkt_kind */
    uint8_t size;   /* bytes, 1 to 16 */
    uint16_t count; /* these three: by kind, see packets.def */
    uint32_t aux;
    uint64_t value;
};

struct pts_pkt_cursor {
    const uint8_t *at;
    const uint8_t *end;
    uint32_t ctx; /* 0 outside a block: items between BBP and BEP look like TNTs */
};

static inline struct pts_pkt_cursor pts_pkt_cursor_of(const uint8_t *bytes, size_t n)
{
    struct pts_pkt_cursor c;
    c.at = bytes;
    c.end = bytes + n;
    c.ctx = 0;
    return c;
}

/* The packet at c->at, which moves past it.  PTS_END at the end and when only the
 * beginning of a packet is left; c->at < c->end then, and stays. */
PTS_API PTS_MUST_USE pts_status pts_pkt_next(struct pts_pkt_cursor *c,
                                             struct pts_pkt *pkt);

/* Moves c->at to the first PSB at or after it.  PTS_END (c->at == c->end) when there is
 * none. */
PTS_API PTS_MUST_USE pts_status pts_pkt_sync(struct pts_pkt_cursor *c);

/* Writes the packet as text ("TIP 0x401000"), NUL-terminated and cut to fit n > 0
 * bytes; PTS_PKT_TEXT_MAX always fit.  Returns the length written, without the NUL. */
enum { PTS_PKT_TEXT_MAX = 96 };
PTS_API size_t pts_pkt_text(const struct pts_pkt *pkt, char *buf, size_t n);

#ifdef __cplusplus
}
#endif
#endif
