/* packet.c - the bytes of each Intel PT packet.
 *
 * SPDX-License-Identifier: MIT
 *
 * Written from the packet tables of the SDM and from nothing else: a mistake shared
 * with the decoder that is tested on these bytes would go unseen.
 */
#include "testdata/ptrecord/packet.h"

/* Most packets: the byte 02, an opcode, LEN bytes of payload. */
static void ext(struct buf *b, uint8_t opcode, uint64_t payload, size_t len)
{
    uint8_t *at = buf_extend(b, 2 + len);

    at[0] = 0x02;
    at[1] = opcode;
    for (size_t i = 0; i < len; i++)
        at[2 + i] = (uint8_t)(payload >> 8 * i);
}

static void one(struct buf *b, uint8_t first, uint64_t payload, size_t len)
{
    uint8_t *at = buf_extend(b, 1 + len);

    at[0] = first;
    for (size_t i = 0; i < len; i++)
        at[1 + i] = (uint8_t)(payload >> 8 * i);
}

void pkt_tnt(struct buf *b, uint64_t bits, unsigned n)
{
    uint64_t with_stop = bits | 1ULL << n;

    if (n <= PKT_SHORT_TNT)
        one(b, (uint8_t)(with_stop << 1), 0, 0);
    else
        ext(b, 0xa3, with_stop, 6);
}

void pkt_ip(struct buf *b, enum pkt_ip kind, enum pkt_ipbytes form, uint64_t ip)
{
    static const uint8_t size[] = {[IP_NONE] = 0,    [IP_16] = 2, [IP_32] = 4,
                                   [IP_48_SEXT] = 6, [IP_48] = 6, [IP_FULL] = 8};

    one(b, (uint8_t)(kind | form << 5), ip, size[form]);
}

void pkt_psb(struct buf *b)
{
    for (int i = 0; i < 8; i++)
        ext(b, 0x82, 0, 0);
}

void pkt_psbend(struct buf *b)
{
    ext(b, 0x23, 0, 0);
}

void pkt_ovf(struct buf *b)
{
    ext(b, 0xf3, 0, 0);
}

void pkt_pad(struct buf *b)
{
    one(b, 0, 0, 0);
}

void pkt_mode_exec(struct buf *b, bool is64, bool iflag)
{
    one(b, 0x99, (is64 ? 1u : 2u) | (unsigned)iflag << 2, 1);
}

void pkt_mode_tsx(struct buf *b, bool in_tx, bool aborted)
{
    one(b, 0x99, 0x20u | in_tx | (unsigned)aborted << 1, 1);
}

void pkt_tsc(struct buf *b, uint64_t tsc)
{
    one(b, 0x19, tsc, 7);
}

void pkt_tma(struct buf *b, uint16_t ctc, uint16_t fast)
{
    ext(b, 0x73, ctc | (uint64_t)(fast & 0x1ff) << 24, 5);
}

void pkt_mtc(struct buf *b, uint8_t ctc)
{
    one(b, 0x59, ctc, 1);
}

void pkt_cyc(struct buf *b, uint64_t cycles)
{
    bool more = cycles > 31;

    one(b, (uint8_t)((cycles & 31) << 3 | (unsigned)more << 2 | 3), 0, 0);
    for (cycles >>= 5; more; cycles >>= 7) {
        more = cycles > 127;
        one(b, (uint8_t)((cycles & 127) << 1 | more), 0, 0);
    }
}

void pkt_cbr(struct buf *b, uint8_t ratio)
{
    ext(b, 0x03, ratio, 2);
}

void pkt_ptw(struct buf *b, uint64_t payload, bool is64, bool fup_follows)
{
    ext(b, (uint8_t)(0x12 | (unsigned)is64 << 5 | (unsigned)fup_follows << 7), payload,
        is64 ? 8 : 4);
}

void pkt_mwait(struct buf *b, uint8_t hints, uint8_t extensions)
{
    ext(b, 0xc2, hints | (uint64_t)(extensions & 3) << 32, 8);
}

void pkt_pwre(struct buf *b, unsigned state, unsigned sub_state, bool hw)
{
    ext(b, 0x22, (unsigned)hw << 7 | (sub_state & 15) << 8 | (state & 15) << 12, 2);
}

void pkt_exstop(struct buf *b, bool fup_follows)
{
    ext(b, fup_follows ? 0xe2 : 0x62, 0, 0);
}

void pkt_pwrx(struct buf *b, unsigned last, unsigned deepest, unsigned wake)
{
    ext(b, 0xa2, (deepest & 15) | (last & 15) << 4 | (wake & 15) << 8, 5);
}

void pkt_cfe(struct buf *b, unsigned type, uint8_t vector, bool fup_follows)
{
    ext(b, 0x13, (type & 31) | (unsigned)fup_follows << 7 | (unsigned)vector << 8, 2);
}

void pkt_evd(struct buf *b, unsigned type, uint64_t payload)
{
    ext(b, 0x53, type & 63, 1);
    buf_u64(b, payload);
}

void pkt_bbp(struct buf *b, unsigned type, bool four)
{
    ext(b, 0x63, (type & 31) | (unsigned)four << 7, 1);
}

void pkt_bip(struct buf *b, unsigned id, uint64_t value, bool four)
{
    one(b, (uint8_t)(id << 3 | 4), value, four ? 4 : 8);
}

void pkt_bep(struct buf *b, bool fup_follows)
{
    ext(b, fup_follows ? 0xb3 : 0x33, 0, 0);
}
