/* out_cols.c - the rarer columns of a line; none of them has a memory.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each is called with what it shows and appends it; widths and odd cases are perf's.
 * Which column follows which is the affair of out_perf.c.
 */
#include "synth/print/line/out_cols.h"

#include "decoder/base/refused.h"

#include <stdio.h>
#include <time.h>

void out_misc(struct text *t, uint16_t misc, uint32_t record_type)
{
    static const uint16_t mark = 1u << 13; /* another thing in each type of record */
    char buf[16];
    size_t n = 0;

    /* perf tests the modes as if they were bits. */
    for (unsigned mode = PTS_MODE_KERNEL; mode <= PTS_MODE_GUEST_USER; mode++)
        if ((misc & mode) == mode)
            buf[n++] = "KUHGg"[mode - PTS_MODE_KERNEL];
    if (misc & mark) {
        if (record_type == PTS_RECORD_MMAP || record_type == PTS_RECORD_MMAP2)
            buf[n++] = 'M';
        if (record_type == PTS_RECORD_COMM)
            buf[n++] = 'E';
        if (record_type == PTS_RECORD_SWITCH ||
            record_type == PTS_RECORD_SWITCH_CPU_WIDE) {
            buf[n++] = 'S';
            if (misc & PTS_MISC_SWITCH_PREEMPT)
                buf[n++] = 'p';
        }
    }
    text_put(t, buf, n);
    text_spaces(t, n < 6 ? 6 - n : 1);
}

void out_tod(struct text *t, const struct out_opts *opts, uint64_t ns)
{
    /* The recording has one moment in both clocks.  Samples before it make the
     * difference negative, which wraps and comes out right. */
    uint64_t tod = opts->tod_ns + (ns - opts->clockid_ns);
    time_t sec = (time_t)(tod / 1000000000);
    unsigned long frac = (unsigned long)(tod % 1000000000);
    struct tm tm;
    char date[64];

    if (!opts->has_clock) {
        text_str(t, "disabled ");
        return;
    }
    refused_watch();
    bool told =
        localtime_r(&sec, &tm) && strftime(date, sizeof(date), "%F %H:%M:%S", &tm);
    refused_watched(NULL);
    if (!told) {
        text_str(t, "failed ");
        return;
    }
    if (opts->ns)
        text_fmt(t, "%s.%09lu ", date, frac);
    else
        text_fmt(t, "%s.%06lu ", date, frac / 1000);
}

void out_ipc(struct text *t, const struct sample *s)
{
    /* Most branches have no CYC packet behind them, and perf leaves the column out
     * then. */
    if (!s->cyc_cnt || !s->insn_cnt)
        return;
    uint32_t ipc = (uint32_t)(s->insn_cnt * 100 / s->cyc_cnt); /* 32 bit, as in perf */
    text_put(t, " \t IPC: ", 8);
    text_dec(t, ipc / 100, 0);
    text_char(t, '.');
    text_char(t, (char)('0' + ipc % 100 / 10));
    text_char(t, (char)('0' + ipc % 10));
    text_put(t, " (", 2);
    text_dec(t, s->insn_cnt, 0);
    text_char(t, '/');
    text_dec(t, s->cyc_cnt, 0);
    text_put(t, ") ", 2);
}

/* By bit of the sample's register mask.  The vector registers from bit 32 take two bits
 * each, which are 64-bit halves; both have the same name. */
static const char *const reg_names[] = {
    "AX", "BX", "CX", "DX", "SI", "DI", "BP",  "SP",  "IP",  "FLAGS", "CS",  "SS",
    "DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13",   "R14", "R15",
};

static const char *reg_name(unsigned bit, char buf[8])
{
    if (bit < sizeof(reg_names) / sizeof(reg_names[0]))
        return reg_names[bit];
    if (bit < 32)
        return "unknown";
    snprintf(buf, 8, "XMM%u", (bit - 32) / 2 % 16);
    return buf;
}

void out_reg_values(struct text *t, const struct pts_regs *r)
{
    size_t n = 0;
    char buf[8];

    if (!r->val.at)
        return;
    /* Values are packed: only registers in the mask have one, in the order of bits. */
    for (unsigned i = 0; i < 64; i++)
        if (r->mask & 1ull << i)
            text_fmt(t, "%5s:0x%llx ", reg_name(i, buf),
                     (unsigned long long)pts_word(&r->val, n++));
}

void out_regs(struct text *t, const struct pts_regs *r)
{
    if (!r->val.at)
        return;
    text_fmt(t, " ABI:%llu ", (unsigned long long)r->abi);
    out_reg_values(t, r);
}

/* The last unit may have four digits. */
void out_page_size(struct text *t, uint64_t size)
{
    unsigned unit = 0;

    text_char(t, ' ');
    if (!size) {
        text_str(t, "N/A");
        return;
    }
    for (; size / 1024 > 1 && unit < 3; unit++)
        size /= 1024;
    text_dec(t, size, 0);
    text_char(t, "BKMG"[unit]);
}

static bool is_printable(uint8_t c)
{
    return (c >= 0x20 && c < 0x7f) || c >= 0xa0; /* perf's idea: Latin-1 */
}

static void bpf_line(struct text *t, const uint8_t *at, size_t n, size_t off)
{
    /* A hex dump line as perf's, with the heading in front of the first one only:
     *
     *      BPF output: 0000: 48 65 6c 6c 6f 00 00 00  Hello...
     */
    enum { WIDTH = 8 };

    text_strw(t, off ? "" : "BPF output:", 17);
    text_fmt(t, " %04zx:", off);
    for (size_t i = 0; i < WIDTH; i++) {
        if (i < n) {
            text_char(t, ' ');
            text_byte(t, at[i]);
        } else {
            text_spaces(t, 3);
        }
    }
    text_spaces(t, 2);
    for (size_t i = 0; i < WIDTH; i++)
        text_char(t, i >= n ? ' ' : is_printable(at[i]) ? (char)at[i] : '.');
    text_char(t, '\n');
}

void out_bpf(struct text *t, struct raw_bytes raw)
{
    size_t len = 0, i;

    text_char(t, '\n');
    for (size_t off = 0; off < raw.len; off += 8)
        bpf_line(t, raw.ptr + off, raw.len - off < 8 ? raw.len - off : 8, off);
    /* A string, then at least one zero and only zeros, is shown once more as a
     * string. */
    while (len < raw.len && is_printable(raw.ptr[len]))
        len++;
    for (i = len; i < raw.len && !raw.ptr[i];)
        i++;
    if (len == raw.len || i < raw.len) /* not a string and zeros after it */
        return;
    text_strw(t, "BPF string:", 17);
    text_put(t, " \"", 2);
    text_put(t, (const char *)raw.ptr, len);
    text_put(t, "\"\n", 2);
}

void out_srcline(struct text *t, const struct lookup *look, const struct place_query *q,
                 const char *before)
{
    const char *line;
    size_t n = 0;

    /* Only lack of memory is a failure; a place without debug data has an empty
     * line. */
    if (look->srcline && look->srcline(look->ctx, q, &line, &n) < 0)
        t->failed = true;
    if (n) {
        text_str(t, before);
        text_put(t, line, n);
    }
}

void out_srccode(struct text *t, const struct lookup *look, const struct place_query *q)
{
    const char *code = "";
    size_t n = 0;

    if (look->srccode && look->srccode(look->ctx, q, &code, &n) < 0)
        t->failed = true;
    if (n) {
        text_put(t, code, n);
        text_char(t, '\n');
    }
}

void out_disasm(struct text *t, const struct lookup *look, const struct place_query *q,
                const struct place_insn *insn)
{
    const char *code = "";
    size_t n = 0;

    if (look->disasm && look->disasm(look->ctx, q, insn, &code, &n) < 0)
        t->failed = true;
    text_put(t, code, n);
}
