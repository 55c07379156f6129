/* enc.h - one PT unit: what is executed goes in, packets come out.
 *
 * SPDX-License-Identifier: MIT
 *
 * TraceEn: the kernel has switched the unit on (enc_start, enc_stop).
 * PacketEn: in user space, branches are traced (enc_pge to enc_pgd or enc_async).
 *
 * Every call is made with the clock of the CPU that the unit belongs to at the time.
 */
#ifndef PTRECORD_ENC_H
#define PTRECORD_ENC_H

#include "testdata/ptrecord/buf.h"
#include "testdata/ptrecord/clock.h"
#include "testdata/ptrecord/lbr.h"
#include "testdata/ptrecord/packet.h"
#include "testdata/ptrecord/rec_conf.h"
#include "testdata/ptrecord/rng.h"

enum { ENC_STACK = 64, ENC_WAITING = 3 };

struct enc {
    const struct rec_conf *conf;
    const struct clock_model *model;
    struct rng *rng;
    struct buf out;     /* packets that perf has not yet fetched */
    uint64_t out_start; /* offset of out.data[0] in the whole stream */

    bool on, enabled; /* TraceEn, PacketEn (ContextEn without branch packets) */
    bool is64, mode_sent, in_tx;
    bool lost;   /* packets are lost: the internal buffer has overflowed ... */
    bool full;   /* ... or there is no room in memory, which ends with TraceEn */
    uint64_t ip; /* the next instruction, at the latest branch */
    uint64_t last_ip;
    uint64_t psb_at; /* offset of the last PSB */
    bool psb_seen;

    /* Branches not yet sent: bits of TNT, and TIPs that wait behind them. */
    uint64_t tnt;
    unsigned tnt_n, tnt_room;
    uint64_t tip[ENC_WAITING + 1];
    unsigned tip_n;
    uint64_t branch_cyc; /* the cycle of the last of them */

    /* Return addresses of calls, a ring: the oldest is lost when it is full. */
    uint64_t stack[ENC_STACK];
    unsigned stack_top, stack_n;

    uint64_t cyc_sent; /* the cycle up to which CYC packets have counted */
    uint64_t mtc_next; /* CTC of the next MTC, and the cycle in which it is reached */
    uint64_t mtc_cyc;
};

void enc_init(struct enc *e, const struct rec_conf *conf, const struct clock_model *m,
              struct rng *rng);
void enc_free(struct enc *e);
/* Offset of the next packet in the stream. */
uint64_t enc_offset(const struct enc *e);
/* The first LEN bytes of OUT have been fetched. */
void enc_drop(struct enc *e, size_t len);

/* --- TraceEn, time --- */

void enc_start(struct enc *e, const struct clock *c);
void enc_stop(struct enc *e, const struct clock *c);
/* Off and on again, as around the kernel's handling of a full buffer. */
void enc_restart(struct enc *e, const struct clock *c);
/* Time went on to C: MTC packets that fell due. */
void enc_time(struct enc *e, const struct clock *c);
/* The core runs at another ratio from now on. */
void enc_cbr(struct enc *e, const struct clock *c);

/* --- PacketEn --- */

void enc_pge(struct enc *e, const struct clock *c, uint64_t ip);
void enc_pgd(struct enc *e, const struct clock *c);
/* An interrupt or fault at IP that leaves user space. */
void enc_async(struct enc *e, const struct clock *c, uint64_t ip);

/* --- branches; TO is where execution goes on --- */

void enc_direct(struct enc *e, uint64_t to);
void enc_call(struct enc *e, uint64_t next);
void enc_cond(struct enc *e, const struct clock *c, bool taken, uint64_t to);
void enc_indirect(struct enc *e, const struct clock *c, uint64_t to);
void enc_ret(struct enc *e, const struct clock *c, uint64_t to);

/* --- enc_event.c: other things that packets tell; all in user space but enc_idle ---
 */

void enc_ptwrite(struct enc *e, const struct clock *c, uint64_t ip, uint64_t payload,
                 bool is64);
void enc_tx_begin(struct enc *e, const struct clock *c, uint64_t ip);
void enc_tx_commit(struct enc *e, const struct clock *c, uint64_t ip);
void enc_tx_abort(struct enc *e, const struct clock *c, uint64_t ip, uint64_t to);
/* UMWAIT or TPAUSE just before the next instruction: asleep in C0.1 or C0.2. */
void enc_user_wait(struct enc *e, const struct clock *c);
/* The core stops for a change of its speed. */
void enc_stall(struct enc *e, const struct clock *c);
/* The hardware sends an idle core to sleep and wakes it up. */
void enc_idle(struct enc *e, const struct clock *c);
/* Event trace: an interrupt or exception comes at IP, or the kernel returns from one.
 */
void enc_cfe_interrupt(struct enc *e, const struct clock *c, uint8_t vector,
                       uint64_t ip);
void enc_cfe_page_fault(struct enc *e, const struct clock *c, uint64_t addr,
                        uint64_t ip);
void enc_cfe_iret(struct enc *e, const struct clock *c);
/* enc_pebs.c: a PEBS record for the next instruction; L: the latest branches. */
void enc_pebs(struct enc *e, const struct clock *c, const struct lbr *l);
/* The internal buffer overflows; until enc_found packets are lost. */
void enc_lose(struct enc *e);
void enc_found(struct enc *e, const struct clock *c);
/* No room in memory: packets are lost until the trace is started again. */
void enc_fill(struct enc *e);

/* --- for enc_event.c --- */

/* Sends the branches that were kept back. */
void enc_flush(struct enc *e);
/* The same, then a CYC when it is due: what comes before most packets. */
void enc_before(struct enc *e, const struct clock *c);
void enc_ip(struct enc *e, enum pkt_ip kind, uint64_t ip);
void enc_tsc(struct enc *e, const struct clock *c);

#endif
