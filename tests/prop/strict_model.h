/* strict_model.h - a processor that runs random code and traces itself.
 *
 * SPDX-License-Identifier: MIT
 *
 * Random code runs at random; packets are written as the manual says that a processor writes
 * them (Intel SDM 3, chapter on Intel PT), and the instructions that they tell of are
 * noted: what a decoder has to find.  Time stands between any two packets; what is lost in
 * an overflow is not noted.
 */
#ifndef PTS_TESTS_PROP_STRICT_MODEL_H
#define PTS_TESTS_PROP_STRICT_MODEL_H

#include "decoder/pt/strict.h"
#include "tests/prop/chance.h"
#include "walker/code/ild.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { BASE = 0x401000, CODE = 1024, TRACE = 6000, TOLD = 20000, RETS = 64 };

/* --- The processor ---------------------------------------------------------------- */

/* What a trace has that libipt 2.0.5 reads otherwise than the manual says
 * (docs/strict.md). */
enum {
    HAS_EVENTS =
        1, /* event trace, which it does not know; errata of other processors */
    HAS_MISMATCH =
        2, /* a return elsewhere than its call came from, and compressed ones */
    HAS_LOST_TNT =
        4,           /* an overflow without a FUP, and outcomes of branches behind it */
    HAS_PIP_PGD = 8, /* a TIP.PGD behind a PIP that is not of the same instruction */
    LIBIPT_DIFFERS = 15
};

enum { CERTAIN, MAYBE_FIRST, MAYBE };

struct model {
    /* as it is set up */
    const char *cpuid;
    uint32_t errata;
    bool compress, events, fup_on_ptw, filtered, timed;

    /* code */
    uint8_t code[CODE];
    uint16_t insn[CODE]; /* where instructions begin */
    uint32_t insns;

    /* as it runs */
    uint64_t ip;
    bool on;       /* it is traced */
    bool lost;     /* where it is cannot be known */
    bool lost_tnt; /* ... nor which outcomes are for what is behind the next TIP */
    bool tx;
    uint64_t rets[RETS];
    uint32_t ret_count;
    uint32_t quiet; /* branches since a packet */
    uint32_t has;   /* HAS_* */
    bool pip;       /* no branch since the last PIP */

    /* its trace */
    uint8_t trace[TRACE + 200];
    size_t len;
    uint64_t last_ip, tnt;
    bool whole; /* the next address is not compressed: an overflow */
    uint32_t tnt_count;
    uint64_t told[TOLD]; /* instructions, and how many of them packets have told */
    uint16_t at[TOLD];   /* where the trace was then */
    uint8_t maybe[TOLD]; /* nothing tells of it: a decoder may know it or not */
    uint32_t ran, known;
};

/* libipt takes these for errors where the processor does not have the erratum; so they are
 * tried on others only in traces that it cannot read anyway. */
static bool has_erratum(const struct model *m, uint32_t erratum)
{
    return m->errata & erratum || m->events;
}

/* Address filter: the first three quarters are traced. */
static bool is_traced(const struct model *m, uint64_t ip)
{
    return !m->filtered || ip < BASE + CODE / 4 * 3;
}

/* --- Code --- */

static unsigned insn_branch(uint8_t *p)
{
    static const char *const rare[] = {"\x0f\x05", "\x48\xcf", "\x0f\x01\xc2",
                                       "\x0f\x01\xc3"};
    uint32_t rel = below(CODE);

    switch (below(10)) {
    case 0:
    case 1:
    case 2:
    case 3:
        p[0] = one_in(10) ? 0xe2 : (uint8_t)(0x70 + below(16));
        return 2;
    case 4:
        p[0] = 0xeb;
        return 2;
    case 5:
    case 6:
        p[0] = one_in(3) ? 0xe9 : 0xe8;
        memcpy(p + 1, &rel, 4);
        return 5;
    case 7:
        p[0] = 0xc3;
        return 1;
    case 8:
        memcpy(p, one_in(2) ? "\xff\xe0" : "\xff\xd0", 2);
        return 2;
    default: {
        const char *one = rare[below(4)];
        memcpy(p, one, strlen(one));
        return (unsigned)strlen(one);
    }
    }
}

static unsigned insn_random(uint8_t *p)
{
    static const char *const others[] = {
        "\x90",         "\x48\x89\xc3", "\xf3\x0f\xae\xe0",
        "\xfb",         "\x9d",         "\x0f\x22\xd8",
        "\x0f\x01\xc9", "\x0f\x01\xd5", "\x48\x81\xc3\x11\x22\x33\x44",
        "\x90",         "\x90"};
    if (one_in(3))
        return insn_branch(p);
    const char *one = others[below(sizeof(others) / sizeof(others[0]))];
    memcpy(p, one, strlen(one));
    return (unsigned)strlen(one);
}

static uint64_t somewhere(const struct model *m)
{
    return BASE + m->insn[below(m->insns)];
}

static uint64_t somewhere_traced(const struct model *m)
{
    uint64_t ip;
    do
        ip = somewhere(m);
    while (!is_traced(m, ip));
    return ip;
}

static uint64_t somewhere_behind(const struct model *m, uint32_t at)
{
    uint32_t i = 0;
    while (i + 1 < m->insns && m->insn[i] <= at)
        i++;
    return BASE + m->insn[i + below(m->insns - i)];
}

/* Direct branches go to instructions, and those that are always taken go forward: in a loop
 * without a packet nobody can tell how often it was gone through. */
static void aim(struct model *m, uint32_t at)
{
    struct ild insn = ild_decode(m->code + at, CODE - at, ILD_64);
    uint64_t next = BASE + at + insn.len;
    bool cond = insn.branch == BRANCH_COND;
    int64_t rel = (int64_t)(somewhere_behind(m, at) - next);

    if (!cond && insn.branch != BRANCH_DIRECT)
        return;
    if (insn.len == 2) {
        for (int n = 0; n < 20 && (rel < -128 || rel > 127); n++)
            rel = (int64_t)((cond ? somewhere(m) : somewhere_behind(m, at)) - next);
        m->code[at + 1] = rel < -128 || rel > 127 ? 0 : (uint8_t)rel;
    } else {
        int32_t r = (int32_t)rel;
        memcpy(m->code + at + 1, &r, 4);
    }
}

/* Nothing runs in a straight line out of the code, or out of the filter's region. */
static void code_random(struct model *m)
{
    uint32_t at = 0, edge = CODE / 4 * 3;

    memset(m->code, 0x90, CODE);
    m->insns = 0;
    while (at < CODE - 2) {
        bool wall = (at < edge && at + 16 > edge) || at > CODE - 16;
        m->insn[m->insns++] = (uint16_t)at;
        if (wall) {
            memcpy(m->code + at, "\xff\xe0", 2);
            at = at < edge ? edge : CODE;
        } else {
            at += insn_random(m->code + at);
        }
    }
    for (uint32_t i = 0; i < m->insns; i++)
        aim(m, m->insn[i]);
}

/* --- Packets --- */

static void put(struct model *m, const void *bytes, size_t n)
{
    memcpy(m->trace + m->len, bytes, n);
    m->len += n;
}

static void put_u64(struct model *m, uint64_t v, size_t n)
{
    put(m, &v, n);
}

static void put_tnt(struct model *m)
{
    uint64_t bits = UINT64_C(1) << m->tnt_count | m->tnt;

    if (!m->tnt_count)
        return;
    if (m->tnt_count <= 6)
        put_u64(m, bits << 1, 1);
    else
        put_u64(m, bits << 16 | 0xa302, 8);
    m->tnt = m->tnt_count = 0;
    m->pip = false;
}

/* Padding and time, which may stand between any two packets. */
static void between(struct model *m)
{
    while (one_in(m->timed ? 3 : 8)) {
        switch (below(m->timed ? 5 : 1)) {
        case 0:
            put_u64(m, 0, 1 + below(3));
            break;
        case 1:
            put_u64(m, 3 | below(31) << 3, 1);
            break;
        case 2: /* a longer CYC, whose second byte is not that of an OVF */
            put_u64(m, 7 | (2 + 2 * below(8)) << 8 | 1 << 12, 2);
            break;
        case 3:
            put_u64(m, 0x59 | below(256) << 8, 2);
            break;
        case 4:
            put_u64(m, 0x0302 | (10 + below(20)) << 16, 4);
            break;
        }
    }
}

/* The packets from here on are told of all that ran. */
static void known(struct model *m)
{
    if (!m->lost)
        m->known = m->ran;
    m->quiet = 0;
}

static bool ip_fits(unsigned code, uint64_t ip, uint64_t last)
{
    switch (code) {
    case 1:
        return ip >> 16 == last >> 16;
    case 2:
        return ip >> 32 == last >> 32;
    case 3:
        return (uint64_t)((int64_t)(ip << 16) >> 16) == ip;
    case 4:
        return ip >> 48 == last >> 48;
    default:
        return code == 6;
    }
}

/* A FUP or a TIP of any kind. */
static void put_ip(struct model *m, uint8_t op, uint64_t ip)
{
    static const uint8_t bytes[] = {0, 2, 4, 6, 6, 0, 8};
    unsigned code;

    do
        code = m->whole ? 3 + 3 * below(2) : one_in(2) ? 1 : 1 + below(6);
    while (!ip_fits(code, ip, m->last_ip));
    m->whole = false;
    put_tnt(m);
    m->pip = false;
    put_u64(m, op | code << 5, 1);
    put_u64(m, ip, bytes[code]);
    m->last_ip = ip;
}

enum { FUP = 0x1d, TIP = 0x0d, PGE = 0x11, PGD = 0x01 };

/* A packet that is followed by the FUP it is bound to. */
static void put_bound(struct model *m, const char *bytes, size_t n, uint64_t ip)
{
    put_tnt(m);
    put(m, bytes, n);
    between(m);
    put_ip(m, FUP, ip);
}

static void put_psb(struct model *m, uint64_t ip)
{
    put_tnt(m);
    for (int i = 0; i < 8; i++)
        put(m, "\x02\x82", 2);
    m->last_ip = 0;
    if (m->timed) {
        put_u64(m, 0x19 | (uint64_t)m->len << 16, 8);
        put_u64(m, 0x0302 | 20 << 16, 4);
    }
    put(m, "\x99\x01", 2);
    if (m->tx)
        put(m, "\x99\x21", 2);
    if (ip)
        put_ip(m, FUP, ip);
    put(m, "\x02\x23", 2);
    m->ret_count = 0;
}

/* --- What happens between instructions --- */

static void trace_off(struct model *m)
{
    m->on = false;
    m->lost = false;
    m->tx = false;
    m->ret_count = 0;
}

/* Tracing is off; time passes, and it goes on elsewhere. */
static void trace_on(struct model *m)
{
    between(m);
    if (one_in(6))
        put_psb(m, 0);
    between(m);
    m->ip = somewhere_traced(m);
    if (has_erratum(m, ERRATUM_BDM70) && !m->whole &&
        one_in(4)) { /* a PSB+ has the address already */
        put_psb(m, m->ip);
        m->whole = true; /* libipt leaves its FUP out of its count of addresses */
        between(m);
    }
    put(m, "\x99\x01", one_in(2) ? 2 : 0);
    put_ip(m, PGE, m->ip);
    m->on = true;
    m->lost = false;
    known(m);
}

/* Events of the processor that come with an interrupt. */
static void event_of_interrupt(struct model *m)
{
    if (!m->events || !one_in(2))
        return;
    put_tnt(m);
    if (one_in(2)) {
        put(m, "\x02\x53\x00", 3); /* EVD: page fault's address */
        put_u64(m, 0x1234, 8);
    }
    put(m, "\x02\x13\x01\x0e", 4);
}

/* A FUP that is the first packet behind an overflow would be taken for its own. */
static void put_pip_if_lost(struct model *m)
{
    put_tnt(m);
    if (m->lost)
        put_u64(m, UINT64_C(0x4302) | (uint64_t)below(16) << 21, 8);
}

static void interrupt(struct model *m)
{
    put_pip_if_lost(m);
    event_of_interrupt(m);
    put_ip(m, FUP, m->ip);
    if (m->lost)
        m->ret_count = 0;
    m->lost = false;
    known(m);
    between(m);
    if (one_in(6))
        put_u64(m, UINT64_C(0x4302) | (uint64_t)below(16) << 21, 8); /* PIP */
    if (one_in(6))
        put(m, "\x99\x01", 2);
    if (one_in(3) && !(m->errata & ERRATUM_SKD022)) { /* it might be a VM entry's */
        put_u64(m, PGD, 1);
        trace_off(m);
        return;
    }
    m->ip = somewhere_traced(m);
    put_ip(m, TIP, m->ip);
}

/* Erratum SKD010: nothing says that the trace goes on. */
static void overflow_alone(struct model *m)
{
    m->ip = somewhere_traced(m);
    m->lost = true;
    m->lost_tnt = false;
}

/* What was not told may be lost, or be known all the same. */
static void lose(struct model *m)
{
    for (uint32_t i = m->known; i < m->ran; i++)
        m->maybe[i] = i == m->known ? MAYBE_FIRST : MAYBE;
    m->known = m->ran;
}

static void overflow(struct model *m)
{
    put_tnt(m);
    /* Erratum SKD007: it cuts a CYC off. */
    if (m->errata & ERRATUM_SKD007 && one_in(3))
        put_u64(m, 7 | below(31) << 3, 1);
    put(m, "\x02\xf3", 2);
    m->whole = true;
    lose(m);
    m->tx = false;
    m->ret_count = 0;
    between(m);
    if (one_in(6)) {
        if (has_erratum(m, ERRATUM_APL11) && one_in(2))
            put_u64(m, PGD, 1);
        trace_off(m);
        return;
    }
    if (has_erratum(m, ERRATUM_SKD010) && one_in(6)) {
        overflow_alone(m);
        return;
    }
    m->ip = somewhere_traced(m);
    put_ip(m, FUP, m->ip);
    m->lost = false;
    known(m);
}

/* While tracing is off (erratum APL12: a FUP behind it). */
static void overflow_off(struct model *m)
{
    put(m, "\x02\xf3", 2);
    m->whole = true;
    if (m->errata & ERRATUM_APL12 && one_in(2))
        put_ip(m, FUP, somewhere(m));
    m->whole = true; /* libipt leaves that FUP out of its count of addresses */
}

/* A transaction fails.  Erratum BDM64: the branch before it has a wrong target. */
static void tx_abort(struct model *m)
{
    m->tx = false;
    put_tnt(m);
    put(m, "\x99\x22", 2);
    put_ip(m, FUP, m->ip);
    known(m);
    between(m);
    m->ip = somewhere_traced(m);
    put_ip(m, TIP, m->ip);
}

/* --- Instructions --- */

static void ran(struct model *m)
{
    if (m->lost || m->ran == TOLD)
        return;
    m->at[m->ran] = (uint16_t)m->len;
    m->maybe[m->ran] = CERTAIN;
    m->told[m->ran++] = m->ip;
}

/* A branch leaves the filtered region: the address is that of its target. */
static bool leaves(struct model *m, uint64_t to)
{
    if (is_traced(m, to))
        return false;
    put_ip(m, PGD, to);
    known(m);
    m->whole = m->lost; /* libipt leaves that TIP.PGD out of its count of addresses */
    trace_off(m);
    return true;
}

static void called(struct model *m, uint64_t ret)
{
    if (m->ret_count == RETS) {
        memmove(m->rets, m->rets + 1, (RETS - 1) * sizeof(m->rets[0]));
        m->ret_count--;
    }
    m->rets[m->ret_count++] = ret;
}

static void bit(struct model *m, bool taken)
{
    m->tnt = m->tnt << 1 | taken;
    m->lost_tnt = true;
    m->has |= m->lost ? HAS_LOST_TNT : 0;
    known(m);
    if (++m->tnt_count == 47 || one_in(m->tnt_count < 6 ? 20 : 6))
        put_tnt(m);
}

static void tip(struct model *m, uint64_t to)
{
    bool wrong = m->tx && m->errata & ERRATUM_BDM64 && one_in(3);

    put_ip(m, TIP, wrong ? to + CODE * 4 : to);
    if (m->lost && !m->lost_tnt) { /* its address says where it is */
        m->lost = false;
        m->ret_count = 0;
    }
    known(m);
    m->ip = to;
    if (wrong)
        tx_abort(m);
}

static void run_return(struct model *m)
{
    uint64_t to = somewhere(m);
    bool same = m->ret_count && !one_in(300);

    if (m->ret_count) {
        uint64_t top = m->rets[--m->ret_count];
        if (same)
            to = top;
        m->has |= same || !m->compress ? 0 : HAS_MISMATCH;
        same = to == top;
    }
    if (leaves(m, to))
        return;
    if (same && m->compress && !m->lost) {
        bit(m, true);
        m->ip = to;
        return;
    }
    m->has |= same && m->compress ? HAS_MISMATCH : 0;
    tip(m, to);
}

/* A far transfer may go where nothing is traced; its TIP.PGD has no address then. */
static void run_far(struct model *m, const struct ild *insn)
{
    if (!one_in(m->pip ? 50 : 3)) {
        if (m->events && insn->cls == INSN_IRET)
            put_tnt(m), put(m, "\x02\x13\x02\x00", 4); /* CFE without an address */
        tip(m, somewhere_traced(m));
        return;
    }
    put_pip_if_lost(m);
    m->has |= m->pip ? HAS_PIP_PGD : 0;
    if (insn->cls == INSN_VMENTRY && m->errata & ERRATUM_SKD022 && !m->lost)
        put_ip(m, FUP, m->ip);
    put_u64(m, PGD, 1);
    known(m);
    trace_off(m);
}

static void run_indirect(struct model *m, const struct ild *insn)
{
    uint64_t to = somewhere(m);

    if (insn->cls == INSN_RET) {
        run_return(m);
    } else if (insn->cls == INSN_CALL || insn->cls == INSN_JMP) {
        if (insn->cls == INSN_CALL)
            called(m, m->ip + insn->len);
        if (!leaves(m, to))
            tip(m, to);
    } else {
        run_far(m, insn);
    }
}

static void run_branch(struct model *m, const struct ild *insn)
{
    uint64_t next = m->ip + insn->len, to = next + (uint64_t)(int64_t)insn->rel;
    bool taken = one_in(2);

    ran(m);
    switch (insn->branch) {
    case BRANCH_COND:
        if (!leaves(m, taken ? to : next)) {
            bit(m, taken);
            m->ip = taken ? to : next;
        }
        break;
    case BRANCH_DIRECT:
        m->quiet++;
        if (insn->cls == INSN_CALL && insn->rel)
            called(m, next);
        if (!leaves(m, to))
            m->ip = to;
        break;
    default:
        run_indirect(m, insn);
        break;
    }
}

/* The interrupt flag changes, and now and then an interrupt waited for just that. */
static void run_popf(struct model *m)
{
    m->ip++;
    if (!m->events)
        return;
    put_bound(m, one_in(2) ? "\x99\x05" : "\x99\x01", 2, m->ip);
    known(m);
    if (one_in(2))
        interrupt(m);
}

/* Where tracing goes by address space it may end here; else a PIP says what it is now. */
static void run_mov_cr3(struct model *m)
{
    ran(m);
    put_tnt(m);
    m->ip += 3;
    if (!one_in(m->pip ? 50 : 2) || m->lost) {
        m->pip = true;
        put_u64(m, UINT64_C(0x4302) | (uint64_t)below(16) << 21, 8);
        known(m);
        return;
    }
    put_u64(m, PGD, 1);
    m->has |= m->pip ? HAS_PIP_PGD : 0;
    known(m);
    trace_off(m);
}

static void run_ptwrite(struct model *m)
{
    put_tnt(m);
    if (m->fup_on_ptw) {
        put_bound(m, "\x02\x92\x11\x22\x33\x44", 6, m->ip);
        known(m);
        ran(m);
    } else {
        put(m, "\x02\x12\x11\x22\x33\x44", 6);
        ran(m);
        known(m);
    }
    m->ip += 4;
}

/* MWAIT is bound to the FUP of the EXSTOP that follows; the PWRE may come before it. */
static void run_mwait(struct model *m)
{
    put_tnt(m);
    put(m, "\x02\xc2\x07\x00\x00\x00\x00\x00\x00\x00", 10);
    between(m);
    if (one_in(4)) { /* it comes to nothing */
        overflow(m);
        return;
    }
    if (one_in(2))
        put(m, "\x02\x22\x00\x10", 4);
    put_bound(m, "\x02\xe2", 2, m->ip);
    known(m);
    between(m);
    if (one_in(2))
        put(m, "\x02\xa2\x11\x01\x00\x00\x00", 7);
    ran(m);
    m->ip += 3;
}

/* xend stands for all that begins or commits a transaction. */
static void run_tx(struct model *m)
{
    ran(m);
    m->ip += 3;
    m->tx = !m->tx;
    put_bound(m, m->tx ? "\x99\x21" : "\x99\x20", 2, m->ip);
    known(m);
}

static void run_insn(struct model *m)
{
    const uint8_t *p = m->code + (m->ip - BASE);
    struct ild insn = ild_decode(p, CODE - (size_t)(m->ip - BASE), ILD_64);

    if (insn.branch != BRANCH_NONE) {
        run_branch(m, &insn);
    } else if (m->lost ||
               (p[0] != 0x0f && p[0] != 0xf3 && p[0] != 0xfb && p[0] != 0x9d)) {
        ran(m);
        m->ip += insn.len;
    } else if (insn.special == INSN_PTWRITE) {
        run_ptwrite(m);
    } else if (p[0] == 0x0f && p[1] == 0x22) {
        run_mov_cr3(m);
    } else if (p[0] == 0x0f && p[2] == 0xc9) {
        run_mwait(m);
    } else if (p[0] == 0x0f) {
        run_tx(m);
    } else {
        ran(m);
        run_popf(m);
    }
}

static void step(struct model *m)
{
    between(m);
    if (!m->on) {
        if (one_in(6))
            overflow_off(m);
        trace_on(m);
        return;
    }
    if (!m->lost && m->tx && one_in(12))
        tx_abort(m);
    else if (one_in(50) || m->quiet > 20)
        interrupt(m);
    else if (one_in(150))
        overflow(m);
    else if (one_in(100)) {
        put_psb(m, m->ip);
        m->lost = false;
        known(m);
    } else
        run_insn(m);
}

static void model_random(struct model *m, bool events)
{
    static const char *const cpus[] = {NULL, "GenuineIntel,6,61,4",
                                       "GenuineIntel,6,78,3", "GenuineIntel,6,92,9",
                                       "GenuineIntel,6,126,5"};

    memset(m, 0, sizeof(*m));
    m->cpuid = cpus[below(5)];
    m->errata = pt_errata_of(m->cpuid);
    m->compress = one_in(2);
    m->events = events;
    m->has = events ? HAS_EVENTS : 0;
    m->fup_on_ptw = one_in(2);
    m->filtered = one_in(2);
    m->timed = one_in(2);
    code_random(m);
    m->on = one_in(2);
    m->ip = somewhere_traced(m);
    put_psb(m, m->on ? m->ip : 0);
    for (int n = 0; n < 3000 && m->len < TRACE - 200 && m->ran < TOLD - 10; n++)
        step(m);
    put_tnt(m);
    lose(m);
}

#endif
