/* out_synth.c - texts of flags and of made events' payloads.
 *
 * SPDX-License-Identifier: MIT
 *
 * Payloads are read from the bytes that perf would store, so that an event made here
 * and one read back from a file that perf inject wrote print alike.
 */
#include "synth/out_synth.h"

#include "decoder/bytes.h"
#include "synth/evlist.h"
#include "synth/ipflags.h"

#include <stdio.h>

enum { FLAGS_WIDTH = 21, SYNTH_WIDTH = 34 };

/* --- Flags --- */

static const struct {
    uint32_t flags;
    const char *name;
} kinds[] = {
    {IPF_BRANCH | IPF_CALL,                             "call"   },
    {IPF_BRANCH | IPF_RETURN,                           "return" },
    {IPF_BRANCH | IPF_COND,                             "jcc"    },
    {IPF_BRANCH,                                        "jmp"    },
    {IPF_BRANCH | IPF_CALL | IPF_INTERRUPT,             "int"    },
    {IPF_BRANCH | IPF_RETURN | IPF_INTERRUPT,           "iret"   },
    {IPF_BRANCH | IPF_CALL | IPF_SYSCALL,               "syscall"},
    {IPF_BRANCH | IPF_RETURN | IPF_SYSCALL,             "sysret" },
    {IPF_BRANCH | IPF_ASYNC,                            "async"  },
    {IPF_BRANCH | IPF_CALL | IPF_ASYNC | IPF_INTERRUPT, "hw int" },
    {IPF_BRANCH | IPF_TX_ABORT,                         "tx abrt"},
    {IPF_BRANCH | IPF_TRACE_BEGIN,                      "tr strt"},
    {IPF_BRANCH | IPF_TRACE_END,                        "tr end" },
    {IPF_BRANCH | IPF_CALL | IPF_VM_ENTRY,              "vmentry"},
    {IPF_BRANCH | IPF_CALL | IPF_VM_EXIT,               "vmexit" },
};

static const char *kind_name(uint32_t flags)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].flags == flags)
            return kinds[i].name;
    return NULL;
}

static void flags_letters(uint32_t flags, char *buf)
{
    static const char letters[] = "bcrosyiABExghDt";
    size_t n = 0;

    for (unsigned i = 0; i < 32; i++)
        if (flags & 1u << i)
            buf[n++] = i < sizeof(letters) - 1 ? letters[i] : '?';
    buf[n] = '\0';
}

void out_flags(struct text *t, uint32_t flags)
{
    static const uint32_t marks = IPF_IN_TX | IPF_INTR_OFF | IPF_INTR_TOGGLE;
    uint32_t kind = flags & ~marks;
    char mark[8] = "", buf[40];
    const char *name = kind_name(kind);

    if (flags & marks)
        snprintf(mark, sizeof(mark), "(%s%s%s)", flags & IPF_IN_TX ? "x" : "",
                 flags & IPF_INTR_OFF ? "D" : "", flags & IPF_INTR_TOGGLE ? "t" : "");
    if (name)
        snprintf(buf, sizeof(buf), "%-15s%6s", name, mark);
    else if (kind & IPF_TRACE_BEGIN &&
             (name = kind_name(kind & ~(uint32_t)IPF_TRACE_BEGIN)) != NULL)
        snprintf(buf, sizeof(buf), "tr strt %-7s%6s", name, mark);
    else if (kind & IPF_TRACE_END &&
             (name = kind_name(kind & ~(uint32_t)IPF_TRACE_END)) != NULL)
        snprintf(buf, sizeof(buf), "tr end  %-7s%6s", name, mark);
    else
        flags_letters(flags, buf);
    text_put(t, "  ", 2);
    text_strl(t, buf, FLAGS_WIDTH);
    text_char(t, ' ');
}

/* --- Payloads --- */

/* The payload as text when it is printable characters and then zeros, else "". */
static void payload_text(uint64_t v, char buf[9])
{
    size_t n = 0;

    memcpy(buf, &v, 8);
    buf[8] = '\0';
    while (n < 8 && buf[n] >= ' ' && buf[n] <= '~')
        n++;
    if (n < 8 && v >> 8 * n)
        buf[0] = '\0';
}

static void put_ptwrite(struct text *t, const uint8_t *p)
{
    uint64_t v = rd_u64(p + 4);
    char str[9];

    payload_text(v, str);
    text_fmt(t, " IP: %u payload: %#llx %s ", rd_u32(p) & 1, (unsigned long long)v,
             str);
}

static void put_mwait(struct text *t, const uint8_t *p)
{
    text_fmt(t, " hints: %#x extensions: %#x ", rd_u32(p + 4) & 0xff,
             rd_u32(p + 8) & 3);
}

static void put_pwre(struct text *t, const uint8_t *p)
{
    uint32_t v = rd_u32(p + 4);

    text_fmt(t, " hw: %u cstate: %u sub-cstate: %u ", v >> 7 & 1, v >> 12 & 15,
             v >> 8 & 15);
}

static void put_exstop(struct text *t, const uint8_t *p)
{
    text_fmt(t, " IP: %u ", rd_u32(p) & 1);
}

static void put_pwrx(struct text *t, const uint8_t *p)
{
    uint32_t v = rd_u32(p + 4);

    text_fmt(t, " deepest cstate: %u last cstate: %u wake reason: %#x ", v & 15,
             v >> 4 & 15, v >> 8 & 15);
}

static void put_cbr(struct text *t, const uint8_t *p)
{
    uint32_t cbr = p[0], max = p[2], khz = rd_u32(p + 4);

    text_fmt(t, " cbr: %2u freq: %4u MHz ", cbr, (khz + 500) / 1000);
    if (max)
        text_fmt(t, "(%3u%%) ", (5 + 1000 * cbr / max) / 10);
}

static void put_psb(struct text *t, const uint8_t *p)
{
    text_fmt(t, " psb offs: %#llx", (unsigned long long)rd_u64(p + 4));
}

static void put_evt(struct text *t, const uint8_t *p, size_t len)
{
    static const char *const cfe[32] = {NULL,     "INTR",        "IRET",    "SMI",
                                        "RSM",    "SIPI",        "INIT",    "VMENTRY",
                                        "VMEXIT", "VMEXIT_INTR", "SHUTDOWN"};
    static const char *const evd[64] = {"PFA", "VMXQ", "VMXR"};
    uint32_t v = rd_u32(p), type = v & 31, count = v >> 16;

    if (cfe[type])
        text_fmt(t, " cfe: %s", cfe[type]);
    else
        text_fmt(t, " cfe: %u", type);
    text_fmt(t, " IP: %d vector: %u", (int)(v >> 7 & 1), v >> 8 & 0xff);
    for (uint32_t i = 0; i < count && 4 + 16 * (i + 1) <= len; i++) {
        const uint8_t *e = p + 4 + 16 * i;
        unsigned kind = e[0] & 0x3f;
        if (evd[kind])
            text_fmt(t, " %s: %#llx", evd[kind], (unsigned long long)rd_u64(e + 8));
        else
            text_fmt(t, " EVD_%u: %#llx", kind, (unsigned long long)rd_u64(e + 8));
    }
}

static void put_iflag(struct text *t, const uint8_t *p)
{
    uint32_t v = rd_u32(p);

    text_fmt(t, " IFLAG: %d->%d %s branch", !(v & 1), (int)(v & 1),
             v & 2 ? "via" : "non");
}

static void put_payload(struct text *t, uint64_t config, struct raw_bytes raw)
{
    switch ((enum synth_config)config) {
    case SYNTH_PTWRITE:
        put_ptwrite(t, raw.ptr);
        break;
    case SYNTH_MWAIT:
        put_mwait(t, raw.ptr);
        break;
    case SYNTH_PWRE:
        put_pwre(t, raw.ptr);
        break;
    case SYNTH_EXSTOP:
        put_exstop(t, raw.ptr);
        break;
    case SYNTH_PWRX:
        put_pwrx(t, raw.ptr);
        break;
    case SYNTH_CBR:
        put_cbr(t, raw.ptr);
        break;
    case SYNTH_PSB:
        put_psb(t, raw.ptr);
        break;
    case SYNTH_EVT:
        put_evt(t, raw.ptr, raw.len);
        break;
    case SYNTH_IFLAG:
        put_iflag(t, raw.ptr);
        break;
    }
}

void out_synth(struct text *t, uint64_t config, struct raw_bytes raw)
{
    static const uint8_t least[] = {
        [SYNTH_PTWRITE] = 12, [SYNTH_MWAIT] = 12, [SYNTH_PWRE] = 12,
        [SYNTH_EXSTOP] = 4,   [SYNTH_PWRX] = 12,  [SYNTH_CBR] = 12,
        [SYNTH_PSB] = 12,     [SYNTH_EVT] = 4,    [SYNTH_IFLAG] = 12,
    };
    size_t before = t->len;

    if (config >= sizeof(least) || raw.len < least[config])
        return;
    put_payload(t, config, raw);
    size_t n = t->len - before;
    if (n && n < SYNTH_WIDTH)
        text_spaces(t, SYNTH_WIDTH - n);
}

/* --- Errors --- */

const char *out_fault_text(uint32_t code)
{
    static const char *const texts[] = {
        "",
        "Memory allocation failed",
        "Internal error",
        "Bad packet",
        "No more data",
        "Failed to get instruction",
        "Trace doesn't match instruction",
        "Overflow packet",
        "Lost trace data",
        "Unknown error!",
        "Never-ending loop (refer perf config intel-pt.max-loops)",
        "Broken emulated ptwrite",
    };

    return code < sizeof(texts) / sizeof(texts[0]) ? texts[code] : "Unknown error!";
}
