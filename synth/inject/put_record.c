/* put_record.c - samples and errors as the records that perf writes of them.
 *
 * SPDX-License-Identifier: MIT
 *
 *     | type misc size | words, in the order of the bits of sample_type ... |
 *
 * The order is the kernel's (perf_event_open(2)), but that the word of IDENTIFIER comes
 * first.  perf writes a word in front of the branches of a branch stack (hw_idx) whether
 * or not it was asked for.
 */
#include "synth/inject/put_record.h"

#include <ptscript/attr.h>

#include <string.h>

/* The size of a record has 16 bits. */
enum { STACKS_MOST = 60000 };

static void put_zeros(struct text *t, size_t n)
{
    static const char zeros[NAME_ALIGN];

    put_bytes(t, zeros, n);
}

void put_name(struct text *t, const char *name)
{
    size_t n = strlen(name);

    put_bytes(t, name, n);
    put_zeros(t, NAME_ALIGN - n % NAME_ALIGN);
}

void put_string(struct text *t, const char *s)
{
    put_u32(t, (uint32_t)(strlen(s) / NAME_ALIGN + 1) * NAME_ALIGN);
    put_name(t, s);
}

/* Where the record begins; put_end fills in its size. */
static size_t put_head(struct text *t, uint32_t type, uint16_t misc)
{
    size_t at = t->len;

    put_u32(t, type);
    put_u16(t, misc);
    put_u16(t, 0);
    return at;
}

static void put_end(struct text *t, size_t at)
{
    if (t->failed)
        return;
    uint16_t size = (uint16_t)(t->len - at);
    memcpy(t->at + at + 6, &size, sizeof(size));
}

/* --- Samples ---------------------------------------------------------------------- */

static void put_who(struct text *t, uint64_t type, const struct sample_form *form,
                    const struct sample *s)
{
    if (type & PTS_SAMPLE_TID) {
        put_u32(t, (uint32_t)s->who.pid);
        put_u32(t, (uint32_t)s->who.tid);
    }
    if (type & PTS_SAMPLE_TIME)
        put_u64(t, s->time);
    if (type & PTS_SAMPLE_ADDR)
        put_u64(t, s->addr);
    if (type & PTS_SAMPLE_ID)
        put_u64(t, form->id);
    if (type & PTS_SAMPLE_STREAM_ID)
        put_u64(t, form->id);
    if (type & PTS_SAMPLE_CPU)
        put_u64(t, (uint32_t)s->who.cpu);
    if (type & PTS_SAMPLE_PERIOD)
        put_u64(t, s->period);
}

/* No counter was read. */
static void put_read(struct text *t, const struct sample_form *form)
{
    static const uint64_t words[] = {PTS_READ_TIME_ENABLED, PTS_READ_TIME_RUNNING};
    static const uint64_t of_value[] = {PTS_READ_ID, PTS_READ_LOST};
    bool group = form->read_format & PTS_READ_GROUP;

    put_u64(t, 0); /* the value, or how many there are */
    for (size_t i = 0; i < 2; i++)
        if (form->read_format & words[i])
            put_u64(t, 0);
    for (size_t i = 0; !group && i < 2; i++)
        if (form->read_format & of_value[i])
            put_u64(t, 0);
}

static void put_chain(struct text *t, const struct sample_stacks *st)
{
    uint32_t n = st && st->chain ? st->chain_len : 0;

    n = n < STACKS_MOST / 8 ? n : STACKS_MOST / 8;
    put_u64(t, n);
    put_bytes(t, n ? st->chain : NULL, (size_t)n * 8);
}

static void put_branches(struct text *t, const struct sample_stacks *st, bool hw_idx,
                         size_t used)
{
    uint32_t n = st && st->branches ? st->branch_count : 0;
    uint32_t most = used < STACKS_MOST ? (uint32_t)(STACKS_MOST - used) / 24 : 0;

    _Static_assert(sizeof(*st->branches) == 24, "as in a record");
    n = n < most ? n : most;
    put_u64(t, n);
    if (hw_idx)
        put_u64(t, 0);
    put_bytes(t, n ? st->branches : NULL, (size_t)n * 24);
}

static void put_raw(struct text *t, const struct raw_bytes *raw)
{
    put_u32(t, raw->len);
    put_bytes(t, raw->ptr, raw->len);
}

static void put_regs(struct text *t, const struct pts_regs *r)
{
    put_u64(t, r ? r->abi : 0);
    for (uint64_t i = 0; r && r->abi && i < r->val.count; i++)
        put_u64(t, pts_word(&r->val, i));
}

/* What only samples have that the processor took. */
static void put_more(struct text *t, uint64_t type, const struct sample_more *m)
{
    static const struct sample_more none;
    const struct sample_more *s = m ? m : &none;

    if (type & PTS_SAMPLE_REGS_USER)
        put_regs(t, &s->uregs);
    if (type & PTS_SAMPLE_STACK_USER)
        put_u64(t, 0);
    if (type & PTS_SAMPLE_WEIGHT_STRUCT)
        put_u64(t, (s->weight & UINT32_MAX) | s->ins_lat << 32);
    else if (type & PTS_SAMPLE_WEIGHT)
        put_u64(t, s->weight);
    if (type & PTS_SAMPLE_DATA_SRC)
        put_u64(t, s->data_src);
    if (type & PTS_SAMPLE_TRANSACTION)
        put_u64(t, s->transaction);
    if (type & PTS_SAMPLE_REGS_INTR)
        put_regs(t, &s->iregs);
    if (type & PTS_SAMPLE_PHYS_ADDR)
        put_u64(t, s->phys_addr);
    if (type & PTS_SAMPLE_CGROUP)
        put_u64(t, 0);
    if (type & PTS_SAMPLE_DATA_PAGE_SIZE)
        put_u64(t, s->data_page_size);
    if (type & PTS_SAMPLE_CODE_PAGE_SIZE)
        put_u64(t, s->code_page_size);
    if (type & PTS_SAMPLE_AUX)
        put_u64(t, 0);
}

void put_sample(struct text *t, const struct sample_form *form, const struct sample *s)
{
    static const uint64_t plain = PTS_SAMPLE_IDENTIFIER | PTS_SAMPLE_IP |
                                  PTS_SAMPLE_TID | PTS_SAMPLE_TIME | PTS_SAMPLE_ADDR |
                                  PTS_SAMPLE_ID | PTS_SAMPLE_STREAM_ID |
                                  PTS_SAMPLE_CPU | PTS_SAMPLE_PERIOD;
    uint64_t type = form->type;
    /* Of PEBS records, which alone have more, the processor knew the ip. */
    size_t at =
        put_head(t, PTS_RECORD_SAMPLE, s->cpumode | (s->more ? PTS_MISC_EXACT_IP : 0));

    if (type & PTS_SAMPLE_IDENTIFIER)
        put_u64(t, form->id);
    if (type & PTS_SAMPLE_IP)
        put_u64(t, s->ip);
    put_who(t, type, form, s);
    if (type & ~plain) {
        if (type & PTS_SAMPLE_READ)
            put_read(t, form);
        if (type & PTS_SAMPLE_CALLCHAIN)
            put_chain(t, s->stacks);
        if (type & PTS_SAMPLE_RAW)
            put_raw(t, &s->raw);
        if (type & PTS_SAMPLE_BRANCH_STACK)
            put_branches(t, s->stacks, !form->no_hw_idx, t->len - at);
        put_more(t, type, s->more);
    }
    put_end(t, at);
}

void put_sample_without_aux(struct text *t, const struct perf_rec *r,
                            const struct pts_bytes *aux)
{
    size_t at = t->len;
    size_t before = aux->len ? (size_t)(aux->ptr - r->ptr) : r->size;

    if (!aux->len) {
        put_bytes(t, r->ptr, r->size);
        return;
    }
    /* The word in front of the bytes is their number. */
    put_bytes(t, r->ptr, before - 8);
    put_u64(t, 0);
    put_bytes(t, r->ptr + before + aux->len, r->size - before - aux->len);
    put_end(t, at);
}

/* --- Other records ---------------------------------------------------------------- */

void put_error(struct text *t, const struct pts_auxtrace_error *e)
{
    size_t at = put_head(t, PTS_RECORD_AUXTRACE_ERROR, 0);
    size_t n =
        e->msg.len < PERF_AUX_ERROR_TEXT - 1 ? e->msg.len : PERF_AUX_ERROR_TEXT - 1;
    bool guest = e->fmt >= 2;

    put_u32(t, e->type);
    put_u32(t, e->code);
    put_u32(t, (uint32_t)e->cpu);
    put_u32(t, (uint32_t)e->pid);
    put_u32(t, (uint32_t)e->tid);
    put_u32(t, e->fmt);
    put_u64(t, e->ip);
    put_u64(t, e->time);
    put_bytes(t, e->msg.ptr, n);
    /* The text has 64 bytes, but what is behind its end is left away, unless something
     * follows. */
    put_zeros(t, guest ? PERF_AUX_ERROR_TEXT - n : 8 - n % 8);
    if (guest) {
        put_u32(t, (uint32_t)e->machine_pid);
        put_u32(t, (uint32_t)e->vcpu);
    }
    put_end(t, at);
}

void put_build_id(struct text *t, const struct put_id *b)
{
    bool item = b->type == 0; /* perf leaves the length away in records */
    size_t at = put_head(t, b->type, b->misc | (item ? PTS_MISC_BUILD_ID_SIZE : 0));
    uint8_t n = b->len < 20 ? b->len : 20;

    put_u32(t, (uint32_t)b->pid);
    put_bytes(t, b->id, n);
    put_zeros(t, 20 - (size_t)n);
    put_u32(t, item ? n : 0);
    put_name(t, b->name);
    put_end(t, at);
}
