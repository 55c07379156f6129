/* event.h - what packets tell of execution, besides where it went.
 *
 * SPDX-License-Identifier: MIT
 *
 * More than one thing may be observed at one instruction (a set of EV_*); each may have a
 * payload.  The decoder fills in what packets say, the walker adds branches, instructions
 * and faults, and synth turns each into a sample, in a fixed order.
 */
#ifndef PTS_DECODER_PT_EVENT_H
#define PTS_DECODER_PT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum pt_event_nr {
#define PT_EVENT(name, marks) EV_NR_##name,
#include "decoder/pt/events.def"
#undef PT_EVENT
    EV_COUNT
};

enum pt_event_bit {
#define PT_EVENT(name, marks) EV_##name = 1u << EV_NR_##name,
#include "decoder/pt/events.def"
#undef PT_EVENT
    EV_NONE = 0
};

/* Sets of them by their marks. */
enum pt_event_set {
#define PT_EVENT(name, marks) | ((marks)&1 ? EV_##name : 0)
#define PAYLOAD               1
#define TELLS_IP              0
    EV_WITH_PAYLOAD = 0
#include "decoder/pt/events.def"
    ,
#undef PAYLOAD
#undef TELLS_IP
#define PAYLOAD  0
#define TELLS_IP 1
    EV_TELLING_IP = 0
#include "decoder/pt/events.def"
#undef PAYLOAD
#undef TELLS_IP
#undef PT_EVENT
};

/* Circumstances (pt_event.flags). */
enum {
    EVF_IN_TX = 1u << 0,
    EVF_TX_ABORT = 1u << 1,
    EVF_ASYNC = 1u << 2,
    EVF_FUP_IP = 1u << 3,  /* the ip came with the packet, it is exact */
    EVF_IPC = 1u << 4,     /* ncyc is exact here: IPC may be computed */
    EVF_FROM_NR = 1u << 5, /* `from` ran in VMX non-root operation */
    EVF_TO_NR = 1u << 6,
    EVF_FROM_IF = 1u << 7, /* interrupt flag before */
    EVF_TO_IF = 1u << 8    /* interrupt flag after */
};

/* Event data packets (EVD) that came before a CFE. */
enum { EVD_MAX = 64 };
struct pt_evd {
    uint32_t count;
    uint8_t type[EVD_MAX];
    uint64_t payload[EVD_MAX];
};

/* Payloads of the rarer events. */
struct pt_extra {
    uint64_t value[EV_COUNT]; /* by EV_NR_*: of the packet, for EV_WITH_PAYLOAD */
    uint8_t cfe_type, cfe_vector;
    struct pt_evd evd; /* of the CFE */
    uint32_t block;    /* 1 + index into the batch's blocks; 0 none */
};

/* --- PEBS records ---------------------------------------------------------------- */

/* Groups of a PEBS record, and the items of the first three. */
enum block_group {
    BLOCK_GPRS,
    BLOCK_BASIC,
    BLOCK_MEMORY,
    BLOCK_LBR0, /* from, to, info of one branch, then of the next */
    BLOCK_LBR1,
    BLOCK_LBR2,
    BLOCK_XMM, /* low half of XMM0, high half, then XMM1 ... */
    BLOCK_GROUPS
};
enum { BLOCK_ITEMS = 32 };
enum block_gpr {
    GPR_FLAGS,
    GPR_IP,
    GPR_AX,
    GPR_CX,
    GPR_DX,
    GPR_BX,
    GPR_SP,
    GPR_BP,
    GPR_SI,
    GPR_DI,
    GPR_R8, /* to R15 */
    GPR_COUNT = GPR_R8 + 8
};
enum block_basic { BASIC_IP, BASIC_COUNTERS, BASIC_TSC };
enum block_memory { MEMORY_ADDR, MEMORY_SOURCE, MEMORY_LATENCY, MEMORY_TSX };

struct pt_block {
    uint32_t has[BLOCK_GROUPS]; /* a bit for each item that is there */
    bool narrow;                /* registers are those of 32-bit code */
    uint64_t item[BLOCK_GROUPS][BLOCK_ITEMS];
};

#endif
