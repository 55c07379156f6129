/* out_cols.c - the rarer columns of a line; none of them has a memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/out_cols.h"

#include <stdio.h>
#include <time.h>

void out_misc(struct text *t, uint16_t misc, uint32_t record_type)
{
    enum { MMAP = 1, COMM = 3, MMAP2 = 10, SWITCH = 14, SWITCH_CPU_WIDE = 15 };
    static const uint16_t mark = 1u << 13, preempt = 1u << 14;
    char buf[16];
    size_t n = 0;

    /* perf tests the modes as if they were bits. */
    for (unsigned mode = CPUMODE_KERNEL; mode <= CPUMODE_GUEST_USER; mode++)
        if ((misc & mode) == mode)
            buf[n++] = "KUHGg"[mode - CPUMODE_KERNEL];
    if (misc & mark) {
        if (record_type == MMAP || record_type == MMAP2)
            buf[n++] = 'M';
        if (record_type == COMM)
            buf[n++] = 'E';
        if (record_type == SWITCH || record_type == SWITCH_CPU_WIDE) {
            buf[n++] = 'S';
            if (misc & preempt)
                buf[n++] = 'p';
        }
    }
    text_put(t, buf, n);
    text_spaces(t, n < 6 ? 6 - n : 1);
}

void out_tod(struct text *t, const struct out_opts *opts, uint64_t ns)
{
    uint64_t tod = opts->tod_ns + (ns - opts->clockid_ns);
    time_t sec = (time_t)(tod / 1000000000);
    unsigned long frac = (unsigned long)(tod % 1000000000);
    struct tm tm;
    char date[64];

    if (!localtime_r(&sec, &tm) || !strftime(date, sizeof(date), "%F %H:%M:%S", &tm)) {
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

void out_regs(struct text *t, const struct sample_regs *r, uint64_t mask)
{
    size_t n = 0;
    char buf[8];

    if (!r->reg)
        return;
    text_fmt(t, " ABI:%llu ", (unsigned long long)r->abi);
    for (unsigned i = 0; i < 64; i++)
        if (mask & 1ull << i)
            text_fmt(t, "%5s:0x%llx ", reg_name(i, buf),
                     (unsigned long long)r->reg[n++]);
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
