/* out_dump_sample.c - the fields of a sample, as the dump shows them.
 *
 * SPDX-License-Identifier: MIT
 *
 * What was recorded, as it was recorded, in perf's order of printing, which is not that
 * of the layout.  What a run makes of a sample, one of each counter that was read or
 * the callers in a stack dump, shows only in the sample's own line.
 */
#include "synth/print/dump/out_dump.h"

#include "decoder/base/digits.h"
#include "synth/sample/branch_flags.h"
#include "synth/sample/callchain.h"

/* "..... %2d: %016llx\n": a dump of chains consists of little else. */
static void dump_frame(struct text *t, uint64_t i, uint64_t ip)
{
    enum { LINE_MAX_BYTES = 64 };
    char *line = text_room(t, LINE_MAX_BYTES);

    if (!line)
        return;
    char *p = put_mem(line, i < 10 ? ".....  " : "..... ", i < 10 ? 7 : 6);
    p = put_hex_width(put_mem(put_dec(p, i), ": ", 2), ip, 16);
    t->len += (size_t)(put_char(p, '\n') - line);
}

static void dump_callchain(struct text *t, const struct pts_words *chain)
{
    text_fmt(t, "... FP chain: nr:%llu\n", (unsigned long long)chain->count);
    for (uint64_t i = 0; i < chain->count; i++)
        dump_frame(t, i, pts_word(chain, i));
}

/* The chain with its user part taken from the branches (callchain_by_branches). */
static void dump_lbr_chain(struct text *t, const struct pts_sample *s)
{
    const struct pts_words *chain = &s->callchain;
    uint64_t kernel = 0, n = s->branch_count;

    while (kernel < chain->count && pts_word(chain, kernel) != PTS_CONTEXT_USER)
        kernel++;
    if (kernel++ == chain->count || !n)
        return;
    unsigned long long words = kernel + n + 1;
    text_fmt(t, "... LBR call chain: nr:%llu\n", words);
    for (uint64_t i = 0; i < kernel; i++)
        dump_frame(t, i, pts_word(chain, i));
    dump_frame(t, kernel, rd_u64(s->branches + 8));
    for (uint64_t i = 0; i < n; i++)
        dump_frame(t, kernel + 1 + i, rd_u64(s->branches + PERF_BRANCH_BYTES * i));
}

static void dump_branches(struct text *t, const struct pts_sample *s)
{
    text_fmt(t, "... branch stack: nr:%llu\n", (unsigned long long)s->branch_count);
    for (uint64_t i = 0; i < s->branch_count; i++) {
        const uint8_t *p = s->branches + PERF_BRANCH_BYTES * i;
        struct branch_flags b = branch_flags(rd_u64(p + 16));
        text_fmt(t, "..... %2llu: %016llx -> %016llx %u cycles %s%s%s%s %x %s\n",
                 (unsigned long long)i, (unsigned long long)rd_u64(p),
                 (unsigned long long)rd_u64(p + 8), b.cycles, b.mispred ? "M" : " ",
                 b.predicted ? "P" : " ", b.abort ? "A" : " ", b.in_tx ? "T" : " ",
                 b.reserved, branch_type(&b));
    }
}

/* Recorded as the callers on the stack, youngest first. */
static void dump_branch_callstack(struct text *t, const struct pts_sample *s)
{
    text_fmt(t, "... branch callstack: nr:%llu\n",
             (unsigned long long)s->branch_count + 1);
    for (uint64_t i = 0; i < s->branch_count; i++) {
        const uint8_t *p = s->branches + PERF_BRANCH_BYTES * i;
        if (i == 0)
            text_fmt(t, "..... %2u: %016llx\n", 0u, (unsigned long long)rd_u64(p + 8));
        text_fmt(t, "..... %2llu: %016llx\n", (unsigned long long)i + 1,
                 (unsigned long long)rd_u64(p));
    }
}

static const char *reg_name(unsigned bit, char buf[8])
{
    static const char *const names[] = {
        "AX", "BX", "CX", "DX", "SI", "DI", "BP",  "SP",  "IP",  "FLAGS", "CS",  "SS",
        "DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13",   "R14", "R15"};
    enum { XMM0 = 32 };
    if (bit < sizeof(names) / sizeof(names[0]))
        return names[bit];
    if (bit < XMM0)
        return "unknown";
    /* Two words each. */
    unsigned n = (bit - XMM0) / 2;
    memcpy(buf, "XMM", 3);
    buf[3] = n < 10 ? (char)('0' + n) : '1';
    buf[4] = n < 10 ? '\0' : (char)('0' + n - 10);
    buf[5] = '\0';
    return buf;
}

static void dump_regs(struct text *t, const char *which, const struct pts_regs *regs)
{
    static const char *const abi[] = {"none", "32-bit", "64-bit"};
    uint64_t k = 0;
    char buf[8];
    /* There were none to be recorded: a kernel thread has no user registers. */
    if (regs->abi == 0)
        return;
    text_fmt(t, "... %s regs: mask 0x%llx ABI %s\n", which,
             (unsigned long long)regs->mask,
             regs->abi < 3 ? abi[regs->abi] : "unknown");
    for (unsigned bit = 0; bit < 64; bit++) {
        if (regs->mask >> bit & 1)
            text_fmt(t, ".... %-5s 0x%016llx\n", reg_name(bit, buf),
                     (unsigned long long)pts_word(&regs->val, k++));
    }
}

static void dump_weight(struct text *t, const struct pts_sample *s)
{
    text_fmt(t, "... weight: %llu", (unsigned long long)s->weight);
    /* perf for x86 has no use for the third weight and shows zero. */
    if (s->type & PTS_SAMPLE_WEIGHT_STRUCT)
        text_fmt(t, ",0x%x,0x%x", s->ins_lat, 0u);
    text_char(t, '\n');
}

static void dump_page_size(struct text *t, const char *label, uint64_t size)
{
    unsigned unit = 0;
    text_str(t, label);
    if (size == 0) {
        text_str(t, "N/A\n");
        return;
    }
    for (; size / 1024 > 1 && unit < 3; unit++)
        size /= 1024;
    text_dec(t, size, 0);
    text_char(t, "BKMG"[unit]);
    text_char(t, '\n');
}

static void dump_read(struct text *t, const struct pts_sample_read *v)
{
    text_str(t, "... sample_read:\n");
    if (v->format & PTS_READ_TIME_ENABLED)
        text_fmt(t, "...... time enabled %016llx\n", (unsigned long long)v->enabled);
    if (v->format & PTS_READ_TIME_RUNNING)
        text_fmt(t, "...... time running %016llx\n", (unsigned long long)v->running);
    if (v->format & PTS_READ_GROUP)
        text_fmt(t, ".... group nr %llu\n", (unsigned long long)v->count);
    for (uint64_t i = 0; i < v->count; i++) {
        struct pts_value one = pts_value_at(v, i);
        text_fmt(t, "..... id %016llx, value %016llx", (unsigned long long)one.id,
                 (unsigned long long)one.value);
        if (v->format & PTS_READ_LOST)
            text_fmt(t, ", lost %llu", (unsigned long long)one.lost);
        text_char(t, '\n');
    }
}

/* What perf prints behind the stack, in an order of its own and not that of the
 * bits. */
static void dump_late(struct text *t, const struct pts_sample *s)
{
    if (s->type & (PTS_SAMPLE_WEIGHT | PTS_SAMPLE_WEIGHT_STRUCT))
        dump_weight(t, s);
    if (s->type & PTS_SAMPLE_DATA_SRC)
        text_fmt(t, " . data_src: 0x%llx\n", (unsigned long long)s->data_src);
    if (s->type & PTS_SAMPLE_PHYS_ADDR)
        text_fmt(t, " .. phys_addr: 0x%llx\n", (unsigned long long)s->phys_addr);
    if (s->type & PTS_SAMPLE_DATA_PAGE_SIZE)
        dump_page_size(t, " .. data page size: ", s->data_page_size);
    if (s->type & PTS_SAMPLE_CODE_PAGE_SIZE)
        dump_page_size(t, " .. code page size: ", s->code_page_size);
    if (s->type & PTS_SAMPLE_TRANSACTION)
        text_fmt(t, "... transaction: %llx\n", (unsigned long long)s->transaction);
    if (s->type & PTS_SAMPLE_READ)
        dump_read(t, &s->read);
}

void dump_sample(struct text *t, const struct perf_file *f, const struct record *r)
{
    const struct pts_attr *a = &f->evsel.at[r->head.evsel].attr;
    const struct pts_sample *s = &r->u.sample;
    text_fmt(t, "(IP, 0x%x): %d/%d: %#llx period: %llu addr: %#llx\n", r->head.misc,
             r->head.id.pid, r->head.id.tid, (unsigned long long)s->ip,
             (unsigned long long)s->period, (unsigned long long)s->addr);
    /* The same bytes are branches or a call stack, depending on how they were
     * recorded. */
    bool callstack = a->branch_sample_type & PTS_BRANCH_CALL_STACK;
    if (s->type & PTS_SAMPLE_CALLCHAIN && callstack)
        dump_lbr_chain(t, s);
    if (s->type & PTS_SAMPLE_CALLCHAIN)
        dump_callchain(t, &s->callchain);
    if (s->type & PTS_SAMPLE_BRANCH_STACK) {
        if (callstack)
            dump_branch_callstack(t, s);
        else
            dump_branches(t, s);
    }
    if (s->type & PTS_SAMPLE_REGS_USER)
        dump_regs(t, "user", &s->user);
    if (s->type & PTS_SAMPLE_REGS_INTR)
        dump_regs(t, "intr", &s->intr);
    if (s->type & PTS_SAMPLE_STACK_USER)
        text_fmt(t, "... ustack: size %zu, offset 0x%x\n", s->stack.len, s->stack_off);
    dump_late(t, s);
}
