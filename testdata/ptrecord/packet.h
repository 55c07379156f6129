/* packet.h - the bytes of each Intel PT packet (SDM volume 3, "Trace Packets and Data
 * Types").
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_PACKET_H
#define PTRECORD_PACKET_H

#include "testdata/ptrecord/buf.h"

#include <stdbool.h>

enum pkt_ip { PKT_TIP = 0x0d, PKT_PGE = 0x11, PKT_PGD = 0x01, PKT_FUP = 0x1d };

/* IPBytes: what of the IP is sent. */
enum pkt_ipbytes {
    IP_NONE = 0,
    IP_16 = 1,
    IP_32 = 2,
    IP_48_SEXT = 3,
    IP_48 = 4,
    IP_FULL = 6
};

enum { PKT_SHORT_TNT = 6, PKT_LONG_TNT = 47 };

/* BITS: N bits, the oldest branch in the highest of them; 1 is taken. */
void pkt_tnt(struct buf *b, uint64_t bits, unsigned n);
void pkt_ip(struct buf *b, enum pkt_ip kind, enum pkt_ipbytes form, uint64_t ip);

void pkt_psb(struct buf *b);
void pkt_psbend(struct buf *b);
void pkt_ovf(struct buf *b);
void pkt_pad(struct buf *b);
void pkt_mode_exec(struct buf *b, bool is64, bool iflag);
void pkt_mode_tsx(struct buf *b, bool in_tx, bool aborted);

void pkt_tsc(struct buf *b, uint64_t tsc);
void pkt_tma(struct buf *b, uint16_t ctc, uint16_t fast);
void pkt_mtc(struct buf *b, uint8_t ctc);
void pkt_cyc(struct buf *b, uint64_t cycles);
void pkt_cbr(struct buf *b, uint8_t ratio);

void pkt_ptw(struct buf *b, uint64_t payload, bool is64, bool fup_follows);
void pkt_mwait(struct buf *b, uint8_t hints, uint8_t ext);
void pkt_pwre(struct buf *b, unsigned state, unsigned sub_state, bool hw);
void pkt_exstop(struct buf *b, bool fup_follows);
void pkt_pwrx(struct buf *b, unsigned last, unsigned deepest, unsigned wake);
void pkt_cfe(struct buf *b, unsigned type, uint8_t vector, bool fup_follows);
void pkt_evd(struct buf *b, unsigned type, uint64_t payload);
/* Blocks of PEBS: items of 8 bytes, or of 4 with FOUR. */
void pkt_bbp(struct buf *b, unsigned type, bool four);
void pkt_bip(struct buf *b, unsigned id, uint64_t value, bool four);
void pkt_bep(struct buf *b, bool fup_follows);

#endif
