/* enc.h - one PT unit: what is executed goes in, packets come out.
 *
 * SPDX-License-Identifier: MIT
 *
 * TraceEn: the kernel has switched the unit on (enc_start, enc_stop).
 * PacketEn: in user space, branches are traced (enc_pge to enc_pgd or enc_async).
 */
#ifndef PTRECORD_ENC_H
#define PTRECORD_ENC_H

#include "testdata/ptrecord/buf.h"
#include "testdata/ptrecord/clock.h"
#include "testdata/ptrecord/rec_conf.h"
#include "testdata/ptrecord/rng.h"

enum { ENC_STACK = 64, ENC_WAITING = 3 };

struct enc {
    const struct rec_conf *conf;
    const struct clock_model *model;
    struct rng *rng;
    struct buf out;     /* packets that perf has not yet fetched */
    uint64_t out_start; /* offset of out.data[0] in the whole stream */

    bool on, enabled; /* TraceEn, PacketEn */
    bool is64, mode_sent, in_tx;
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

/* TraceEn: C is the clock of the CPU the unit belongs to from now on. */
void enc_start(struct enc *e, const struct clock *c);
void enc_stop(struct enc *e, const struct clock *c);
/* Off and on again, as around the kernel's handling of a full buffer. */
void enc_restart(struct enc *e, const struct clock *c);

/* Time went on from where it was to C: MTC packets that fell due. */
void enc_time(struct enc *e, const struct clock *c);
/* The core runs at another ratio from now on. */
void enc_cbr(struct enc *e, const struct clock *c);
void enc_pge(struct enc *e, const struct clock *c, uint64_t ip);
void enc_pgd(struct enc *e, const struct clock *c);
/* An interrupt or fault at IP that leaves user space. */
void enc_async(struct enc *e, const struct clock *c, uint64_t ip);

/* Branches; TO is where execution goes on. */
void enc_cond(struct enc *e, const struct clock *c, bool taken, uint64_t to);
void enc_call(struct enc *e, uint64_t next);
void enc_indirect(struct enc *e, const struct clock *c, uint64_t to);
void enc_ret(struct enc *e, const struct clock *c, uint64_t to);

/* Offset of the next packet in the stream. */
uint64_t enc_offset(const struct enc *e);
/* The first LEN bytes of OUT have been fetched. */
void enc_drop(struct enc *e, size_t len);

#endif
