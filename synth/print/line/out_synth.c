/* out_synth.c - texts of flags and of made events' payloads.
 *
 * SPDX-License-Identifier: MIT
 *
 * Payloads are read from the bytes that perf would store, so that an event made here
 * and one read back from a file that perf inject wrote print alike.
 */
#include "synth/print/line/out_synth.h"

#include "decoder/base/bytes.h"
#include "decoder/pt/event.h"
#include "synth/plan/made.h"

#include <ptscript/sample.h>

#include <stdio.h>
#include <stdlib.h>

enum { FLAGS_WIDTH = 21, SYNTH_WIDTH = 34 };

/* --- Flags --- */

static const struct {
    uint32_t flags;
    const char *name;
} kinds[] = {
    {PTS_FLAG_BRANCH | PTS_FLAG_CALL,                                       "call"   },
    {PTS_FLAG_BRANCH | PTS_FLAG_RETURN,                                     "return" },
    {PTS_FLAG_BRANCH | PTS_FLAG_COND,                                       "jcc"    },
    {PTS_FLAG_BRANCH,                                                       "jmp"    },
    {PTS_FLAG_BRANCH | PTS_FLAG_CALL | PTS_FLAG_INTERRUPT,                  "int"    },
    {PTS_FLAG_BRANCH | PTS_FLAG_RETURN | PTS_FLAG_INTERRUPT,                "iret"   },
    {PTS_FLAG_BRANCH | PTS_FLAG_CALL | PTS_FLAG_SYSCALL,                    "syscall"},
    {PTS_FLAG_BRANCH | PTS_FLAG_RETURN | PTS_FLAG_SYSCALL,                  "sysret" },
    {PTS_FLAG_BRANCH | PTS_FLAG_ASYNC,                                      "async"  },
    {PTS_FLAG_BRANCH | PTS_FLAG_CALL | PTS_FLAG_ASYNC | PTS_FLAG_INTERRUPT, "hw int" },
    {PTS_FLAG_BRANCH | PTS_FLAG_TX_ABORT,                                   "tx abrt"},
    {PTS_FLAG_BRANCH | PTS_FLAG_TRACE_BEGIN,                                "tr strt"},
    {PTS_FLAG_BRANCH | PTS_FLAG_TRACE_END,                                  "tr end" },
    {PTS_FLAG_BRANCH | PTS_FLAG_CALL | PTS_FLAG_VM_ENTRY,                   "vmentry"},
    {PTS_FLAG_BRANCH | PTS_FLAG_CALL | PTS_FLAG_VM_EXIT,                    "vmexit" },
};

/* Equal, not "contains": an additional bit makes it another kind, or one without a
 * name. */
static const char *kind_name(uint32_t flags)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].flags == flags)
            return kinds[i].name;
    return NULL;
}

/* A letter for each bit, from bit 0 on; bits that perf 6.1 has no letter for are
 * '?'. */
void out_flags_letters(uint32_t flags, char buf[OUT_FLAGS_NAME])
{
    static const char letters[] = "bcrosyiABExghDt";
    size_t n = 0;

    for (unsigned i = 0; i < 32; i++)
        if (flags & 1u << i)
            buf[n++] = i < sizeof(letters) - 1 ? letters[i] : '?';
    buf[n] = '\0';
}

/* A combination that has a name is that name, with the begin or end of the trace in
 * front of it; any other one shows its letters. */
void out_flags_name(uint32_t flags, char buf[OUT_FLAGS_NAME])
{
    static const uint32_t marks =
        PTS_FLAG_IN_TX | PTS_FLAG_INTR_OFF | PTS_FLAG_INTR_TOGGLE;
    uint32_t kind = flags & ~marks;
    char mark[8] = "";
    /* The marks say in what state the branch was, not which kind it is: they stand
     * apart. */
    const char *name = kind_name(kind);

    if (flags & marks)
        snprintf(mark, sizeof(mark), "(%s%s%s)", flags & PTS_FLAG_IN_TX ? "x" : "",
                 flags & PTS_FLAG_INTR_OFF ? "D" : "",
                 flags & PTS_FLAG_INTR_TOGGLE ? "t" : "");
    if (name)
        snprintf(buf, OUT_FLAGS_NAME, "%-15s%6s", name, mark);
    else if (kind & PTS_FLAG_TRACE_BEGIN &&
             (name = kind_name(kind & ~(uint32_t)PTS_FLAG_TRACE_BEGIN)) != NULL)
        snprintf(buf, OUT_FLAGS_NAME, "tr strt %-7s%6s", name, mark);
    else if (kind & PTS_FLAG_TRACE_END &&
             (name = kind_name(kind & ~(uint32_t)PTS_FLAG_TRACE_END)) != NULL)
        snprintf(buf, OUT_FLAGS_NAME, "tr end  %-7s%6s", name, mark);
    else
        out_flags_letters(flags, buf);
}

void out_flags(struct text *t, uint32_t flags)
{
    char buf[OUT_FLAGS_NAME];

    out_flags_name(flags, buf);
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

/* A number in a row's text: {at.bit+width:how}. */
struct number {
    unsigned at, bit, width;
    char how; /* s u x, # for 0x */
};

/* The one that s begins with, a brace; returns what is behind it. */
static const char *number_read(const char *s, struct number *n)
{
    char *end;

    n->at = (unsigned)strtoul(s + 1, &end, 10);
    n->bit = (unsigned)strtoul(end + 1, &end, 10);
    n->width = (unsigned)strtoul(end + 1, &end, 10);
    n->how = end[1];
    return end + strcspn(end, "}") + 1;
}

/* Wide fields are read as 8 bytes, others as 4: the bytes behind a payload's last word
 * need not be there, and least_bytes has only asked for these. */
static uint64_t number_of(const struct number *n, const uint8_t *p)
{
    uint64_t v = n->width > 32 ? rd_u64(p + n->at) : rd_u32(p + n->at);

    return v >> n->bit & (UINT64_MAX >> (64 - n->width));
}

static void put_number(struct text *t, const struct number *n, const uint8_t *p)
{
    uint64_t v = number_of(n, p);
    char str[9];

    if (n->how == 's') {
        payload_text(v, str);
        text_str(t, str);
    } else if (n->how == '#') {
        text_fmt(t, "%#llx", (unsigned long long)v);
    } else {
        text_fmt(t, n->how == 'x' ? "%llx" : "%llu", (unsigned long long)v);
    }
}

/* What the row says, with the numbers filled in. */
static void put_plain(struct text *t, const char *form, const uint8_t *p)
{
    struct number n;

    while (*form) {
        size_t len = strcspn(form, "{");
        text_put(t, form, len);
        form += len;
        if (!*form)
            return;
        form = number_read(form, &n);
        put_number(t, &n, p);
    }
}

static void put_cbr(struct text *t, const uint8_t *p, size_t len)
{
    (void)len;
    uint32_t cbr = p[0], max = p[2], khz = rd_u32(p + 4);

    /* Rounded to MHz, and below to percent of the highest non-turbo ratio, where it is
     * known. */
    text_fmt(t, " cbr: %2u freq: %4u MHz ", cbr, (khz + 500) / 1000);
    if (max)
        text_fmt(t, "(%3u%%) ", (5 + 1000 * cbr / max) / 10);
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
    /* The count is the file's: no more than the bytes that are there (I6). */
    for (uint32_t i = 0; i < count && 4 + 16 * (i + 1) <= len; i++) {
        const uint8_t *e = p + 4 + 16 * i;
        unsigned kind = e[0] & 0x3f;
        if (evd[kind])
            text_fmt(t, " %s: %#llx", evd[kind], (unsigned long long)rd_u64(e + 8));
        else
            text_fmt(t, " EVD_%u: %#llx", kind, (unsigned long long)rd_u64(e + 8));
    }
}

static void put_iflag(struct text *t, const uint8_t *p, size_t len)
{
    (void)len;
    uint32_t v = rd_u32(p);

    text_fmt(t, " IFLAG: %d->%d %s branch", !(v & 1), (int)(v & 1),
             v & 2 ? "via" : "non");
}

/* Those that a row's text cannot say, and how many bytes they take at least. */
struct own_text {
    void (*put)(struct text *t, const uint8_t *p, size_t len);
    uint32_t least;
};

/* clang-format off */
static const struct own_text own[MADE_EVENTS] = {
    [MADE_CBR]   = {put_cbr, 12},
    [MADE_EVT]   = {put_evt, 4},
    [MADE_IFLAG] = {put_iflag, 12},
};
/* clang-format on */

/* A payload that is cut short prints nothing, so that nobody reads behind it. */
static uint32_t least_bytes(enum made_event kind)
{
    if (own[kind].put)
        return own[kind].least;
    return made_row(kind)->event & EV_WITH_PAYLOAD ? 12 : 4;
}

void out_synth(struct text *t, uint64_t config, struct raw_bytes raw)
{
    enum made_event kind = made_of_config(config);
    size_t before = t->len;

    if (kind == MADE_EVENTS || raw.len < least_bytes(kind))
        return;
    if (own[kind].put)
        own[kind].put(t, raw.ptr, raw.len);
    else
        put_plain(t, made_row(kind)->text, raw.ptr);
    /* Padded, since the columns behind (ip, sym) shall stand below each other. */
    size_t n = t->len - before;
    if (n && n < SYNTH_WIDTH)
        text_spaces(t, SYNTH_WIDTH - n);
}
