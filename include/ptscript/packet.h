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

/* The numbers are part of the ABI: new ones go to the end.  A kind with _IP is the one
 * whose IP bit is set: a FUP with its address follows. */
/* clang-format off */
enum pts_pkt_kind {              /* count                    value */
    PTS_PKT_BAD = 0,             /*                          the byte */
    PTS_PKT_PAD = 1,
    PTS_PKT_TNT = 2,             /* branches, 0 to 47        bit 63 = oldest, 1 = taken */
    PTS_PKT_TIP = 3,             /* IPBytes code, 0 to 6     compressed address as sent */
    PTS_PKT_TIP_PGE = 4,         /* "                        " */
    PTS_PKT_TIP_PGD = 5,         /* "                        " */
    PTS_PKT_FUP = 6,             /* "                        " */
    PTS_PKT_CYC = 7,             /*                          cycles */
    PTS_PKT_VMCS = 8,            /*                          VMCS base >> 12 */
    PTS_PKT_TSC = 9,             /*                          TSC[55:0] */
    PTS_PKT_MTC = 10,            /*                          8 bits of CTC */
    PTS_PKT_MODE_EXEC = 11,      /* second byte (bit 2: IF)  16, 32 or 64 */
    PTS_PKT_MODE_TSX = 12,       /*                          1 = InTX, 2 = TXAbort */
    PTS_PKT_TRACESTOP = 13,
    PTS_PKT_PIP = 14,            /* NR                       CR3 >> 5, without NR */
    PTS_PKT_PSB = 15,
    PTS_PKT_PSBEND = 16,
    PTS_PKT_CBR = 17,            /* reserved byte            core:bus ratio */
    PTS_PKT_TMA = 18,            /* FastCounter              CTC[15:0] */
    PTS_PKT_OVF = 19,
    PTS_PKT_MNT = 20,            /*                          payload */
    PTS_PKT_PTWRITE = 21,        /* payload bytes, 4 or 8    payload */
    PTS_PKT_PTWRITE_IP = 22,     /* "                        " */
    PTS_PKT_EXSTOP = 23,
    PTS_PKT_EXSTOP_IP = 24,
    PTS_PKT_MWAIT = 25,          /*                          7:0 hints, 33:32 ext. */
    PTS_PKT_PWRE = 26,           /*                          7 HW, 11:8 sub C, 15:12 C */
    PTS_PKT_PWRX = 27,           /*                          3:0 deep, 7:4 last, 11:8 wake */
    PTS_PKT_BBP = 28,            /* SZ (1: 4-byte items)     block type */
    PTS_PKT_BIP = 29,            /* item id                  item */
    PTS_PKT_BEP = 30,
    PTS_PKT_BEP_IP = 31,
    PTS_PKT_CFE = 32,            /* event type               vector */
    PTS_PKT_CFE_IP = 33,         /* "                        " */
    PTS_PKT_EVD = 34,            /* data type                payload */
    PTS_PKT_TRIG = 35,           /* second byte              trigger bits; aux: ICNT */
};
/* clang-format on */

struct pts_pkt {
    uint8_t kind; /* enum pts_pkt_kind */
    uint8_t size; /* bytes, 1 to 16 */
    uint16_t count;
    uint32_t aux;
    uint64_t value;
};

struct pts_pkt_cursor {
    const uint8_t *at;
    const uint8_t *end;
    uint32_t
        ctx; /* 0 outside a block; packets of a block (BBP to BEP) look like TNTs */
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
