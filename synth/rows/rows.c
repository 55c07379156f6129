/* rows.c - samples as data for programs: the sink behind ptscript/sample.h.
 *
 * SPDX-License-Identifier: MIT
 *
 * A batch of rows is a few arrays: the rows themselves, and what is of any length
 * (chains, branches, raw data) in an array for all, to which rows have index and count:
 *
 *     row    [chain 0, 3][chain 3, 2][chain 5, 0]...
 *     chain  [a b c d e] ...
 *
 * Indexes, since the arrays move while they grow.  Names are numbers of strings
 * (strings.h), which live as long as the stream, so a program may compare and keep
 * them.
 */
#include "synth/rows/rows.h"

#include "decoder/base/bytes.h"
#include "decoder/file/perf_feat.h"
#include "synth/plan/made.h"
#include "synth/sample/callchain.h"

#include <string.h>

/* --- Room ------------------------------------------------------------------------- */

/* The arrays keep their room for the next batch; strings and places stay. */
void rows_empty(struct rows *r)
{
    r->row.len = 0;
    r->chain.len = 0;
    r->branch.len = 0;
    r->raw.len = 0;
    r->record.len = 0;
}

void rows_batch(const struct rows *r, struct pts_batch *out)
{
    out->rows = r->row.at;
    out->n = r->row.len;
    /* A program built with an older, shorter row steps by this and not by its own
     * size. */
    out->row_size = sizeof(*r->row.at);
    out->chain = r->chain.at;
    out->chain_n = r->chain.len;
    out->branches = r->branch.at;
    out->branches_n = r->branch.len;
    out->raw = r->raw.at;
    out->raw_n = r->raw.len;
    out->records = r->record.at;
    out->records_n = r->record.len;
}

void rows_free(struct rows *r)
{
    places_free(r->places);
    resolve_free(r->resolve);
    strings_free(&r->strings);
    VEC_FREE(&r->row);
    VEC_FREE(&r->chain);
    VEC_FREE(&r->branch);
    VEC_FREE(&r->raw);
    VEC_FREE(&r->record);
    VEC_FREE(&r->inlined);
    VEC_FREE(&r->source);
}

/* --- Stacks and bytes ------------------------------------------------------------- */

/* False: the chain is to end here, as the text's would (--stop-bt). */
static bool goes_on(const struct rows *r, const struct who *w, uint8_t mode,
                    uint64_t ip)
{
    const struct plan *p = r->scene.plan;

    return !p->opt.stop_bt ||
           !names_have(&p->sel.stop_bt, place_at(r->places, w, mode, ip)->sym);
}

/* The frames that the text shows; words that name a context are none. */
static void add_frames(struct rows *r, const struct sample *s)
{
    const struct sample_stacks *st = s->stacks;
    uint64_t most = st->whole ? UINT64_MAX : plan_max_stack(r->scene.plan);
    uint32_t words = st->chain ? callchain_sound(st->chain, st->chain_len, most) : 0;
    uint8_t mode = PTS_MODE_USER;
    bool on = true;

    for (uint32_t i = 0; on && i < words; i++) {
        uint64_t ip = st->chain[i];
        if (ip >= PTS_CONTEXT_MAX) {
            mode = callchain_mode(ip);
            continue;
        }
        r->chain.at[r->chain.len++] = ip;
        on = goes_on(r, &s->who, mode, ip);
    }
    for (uint32_t i = 0; on && i < st->unwound_len; i++) {
        if (!st->unwound[i])
            continue;
        r->chain.at[r->chain.len++] = st->unwound[i];
        on = goes_on(r, &s->who, PTS_MODE_USER, st->unwound[i]);
    }
}

static pts_status take_chain(struct rows *r, struct pts_row *row,
                             const struct sample *s)
{
    size_t most = (size_t)s->stacks->chain_len + s->stacks->unwound_len;

    if (!r->scene.plan->chains_shown)
        return PTS_OK;
    if (!VEC_ROOM(&r->chain, most))
        return PTS_E_NOMEM;
    row->chain = (uint32_t)r->chain.len;
    add_frames(r, s);
    row->chain_n = (uint32_t)r->chain.len - row->chain;
    return PTS_OK;
}

static pts_status take_branches(struct rows *r, struct pts_row *row,
                                const struct sample_stacks *s)
{
    if (!VEC_ROOM(&r->branch, s->branch_count))
        return PTS_E_NOMEM;
    row->branches = (uint32_t)r->branch.len;
    row->branches_n = s->branch_count;
    /* memcpy must not see NULL, even for nothing. */
    if (s->branch_count)
        memcpy(r->branch.at + r->branch.len, s->branches,
               s->branch_count * sizeof(*s->branches));
    r->branch.len += s->branch_count;
    return PTS_OK;
}

static pts_status take_raw(struct rows *r, struct pts_row *row, struct raw_bytes raw)
{
    if (!VEC_ROOM(&r->raw, raw.len))
        return PTS_E_NOMEM;
    row->raw = (uint32_t)r->raw.len;
    row->raw_n = raw.len;
    memcpy(r->raw.at + r->raw.len, raw.ptr, raw.len);
    r->raw.len += raw.len;
    return PTS_OK;
}

static pts_status take_stacks(struct rows *r, struct pts_row *row,
                              const struct sample *s)
{
    pts_status st = PTS_OK;

    if (s->stacks && r->want & PTS_WANT_CHAIN)
        st = take_chain(r, row, s);
    if (st == PTS_OK && s->stacks && s->stacks->branches && r->want & PTS_WANT_BRANCHES)
        st = take_branches(r, row, s->stacks);
    if (st == PTS_OK && s->raw.len && r->want & PTS_WANT_RAW)
        st = take_raw(r, row, s->raw);
    return st;
}

/* --- Samples ---------------------------------------------------------------------- */

/* The value of a made event's packet; its raw data are flags and then that. */
static void take_payload(struct pts_row *row, const struct evl_event *e,
                         struct raw_bytes raw)
{
    enum { FLAGS = 4, LEAST = 12 };
    enum made_event kind =
        e->attr.type == PTS_TYPE_SYNTH ? made_of_config(e->attr.config) : MADE_EVENTS;

    /* These two have no single value: theirs is in the raw data, if those are
     * wanted. */
    if (kind == MADE_EVENTS || kind == MADE_EVT || kind == MADE_IFLAG ||
        raw.len < LEAST)
        return;
    row->payload = rd_u64(raw.ptr + FLAGS);
    row->valid |= PTS_VALID_PAYLOAD;
}

/* Zero is a good address and a good time, so a bit says whether a member was
 * recorded. */
/* Where the decoder saw none, what the code has there, as in the text. */
static void take_insn(const struct rows *r, struct pts_row *row, const struct sample *s)
{
    const struct lookup *look = resolve_lookup(r->resolve);
    uint8_t code[16];

    memcpy(row->insn, s->insn, s->insn_len);
    if (s->insn_len || !s->ip || !r->native)
        return;
    row->insn_len = (uint8_t)look->insn(look->ctx, &s->who, s->ip, code);
    memcpy(row->insn, code, row->insn_len);
}

static uint32_t valid_of(const struct sample *s, const struct evl_event *e)
{
    uint64_t type = e->attr.sample_type;

    return (type & PTS_SAMPLE_TIME ? PTS_VALID_TIME : 0u) |
           (type & PTS_SAMPLE_CPU && s->who.cpu >= 0 ? PTS_VALID_CPU : 0u) |
           (type & PTS_SAMPLE_IP ? PTS_VALID_IP : 0u) |
           (type & PTS_SAMPLE_ADDR ? PTS_VALID_ADDR : 0u) |
           (type & PTS_SAMPLE_TID && s->who.tid >= 0 ? PTS_VALID_TID : 0u) |
           (s->cyc_cnt && s->insn_cnt ? PTS_VALID_IPC : 0u);
}

static pts_status add_sample(struct rows *r, const struct sample *s)
{
    const struct evl_event *e = &r->scene.plan->evl.ev.at[s->event];
    struct pts_row *row = VEC_PUSH(&r->row);

    if (!row)
        return PTS_E_NOMEM;
    *row = (struct pts_row){.time = s->time,
                            .ip = s->ip,
                            .addr = s->addr,
                            .period = s->period,
                            .insn_cnt = s->insn_cnt,
                            .cyc_cnt = s->cyc_cnt,
                            .pid = s->who.pid,
                            .tid = s->who.tid,
                            .cpu = s->who.cpu,
                            .type = PTS_ROW_SAMPLE,
                            .flags = s->flags,
                            .event = s->event,
                            .insn_len = s->insn_len,
                            .valid = valid_of(s, e),
                            .thread = s->who.thread,
                            .epoch = s->who.epoch,
                            .mode = s->cpumode | s->who.guest << ROW_GUEST_SHIFT};
    if (r->want & PTS_WANT_INSN)
        take_insn(r, row, s);
    take_payload(row, e, s->raw);
    pts_status st = rows_name(r, row, s, e->addr_is_code);
    return st == PTS_OK ? take_stacks(r, row, s) : st;
}

/* --- Errors and records ----------------------------------------------------------- */

static pts_status add_error(struct rows *r, const struct pts_auxtrace_error *e)
{
    struct pts_row *row = VEC_PUSH(&r->row);
    size_t n = strnlen((const char *)e->msg.ptr, e->msg.len);

    if (!row)
        return PTS_E_NOMEM;
    *row = (struct pts_row){.time = e->time,
                            .ip = e->ip,
                            .payload = e->code,
                            .pid = e->pid,
                            .tid = e->tid,
                            .cpu = e->cpu,
                            .type = PTS_ROW_ERROR,
                            .flags = e->type,
                            .event = PTS_NO_EVENT,
                            .thread = SB_NONE,
                            .mode = PTS_MODE_USER};
    row->valid = (e->time ? PTS_VALID_TIME : 0u) | (e->cpu >= 0 ? PTS_VALID_CPU : 0u) |
                 (e->ip ? PTS_VALID_IP : 0u) | (e->tid >= 0 ? PTS_VALID_TID : 0u) |
                 PTS_VALID_PAYLOAD;
    /* An error has no symbol: its text has that place. */
    row->sym = strings_of(&r->strings, (const char *)e->msg.ptr, n);
    return row->sym ? PTS_OK : PTS_E_NOMEM;
}

static pts_status add_record(struct rows *r, const struct item *item)
{
    const struct perf_file *f = r->scene.file;
    const struct perf_shown place = perf_file_shown(f, item->record);
    struct record rec;

    /* One that cannot be read is no row: only a dump shows such. */
    if (record_read(f, item->record, &rec) < 0)
        return PTS_OK;
    if (rec.head.id.has & PTS_SAMPLE_CPU &&
        cpus_skip(&r->scene.plan->sel.cpus, (int32_t)rec.head.id.cpu))
        return PTS_OK; /* as the text of --show-*-events */
    struct pts_record *out = VEC_PUSH(&r->record);
    struct pts_row *row = VEC_PUSH(&r->row);
    if (!out || !row)
        return PTS_E_NOMEM;
    record_public(&rec, &place, out);
    const struct pts_sample_id *id = &out->id;
    *row = (struct pts_row){.time = id->has & PTS_SAMPLE_TIME ? id->time : 0,
                            .pid = id->has & PTS_SAMPLE_TID ? id->pid : -1,
                            .tid = id->has & PTS_SAMPLE_TID ? id->tid : -1,
                            .cpu = id->has & PTS_SAMPLE_CPU ? (int32_t)id->cpu : -1,
                            .type = PTS_ROW_RECORD,
                            .event = out->event,
                            .record = (uint32_t)r->record.len,
                            .epoch = item->epoch,
                            .thread = SB_NONE};
    row->valid = (id->has & PTS_SAMPLE_TIME ? PTS_VALID_TIME : 0u) |
                 (id->has & PTS_SAMPLE_CPU ? PTS_VALID_CPU : 0u) |
                 (id->has & PTS_SAMPLE_TID ? PTS_VALID_TID : 0u);
    return PTS_OK;
}

/* --- The sink --------------------------------------------------------------------- */

static uint32_t wants_of_class(void *ctx, enum out_class class)
{
    const struct rows *r = ctx;

    (void)class; /* rows of all kinds have the same members */
    return (r->want & PTS_WANT_CHAIN ? WANT_CHAINS : 0u) |
           (r->want & PTS_WANT_BRANCHES ? WANT_BRANCHES : 0u) |
           (r->want & PTS_WANT_INSN ? WANT_CODE : 0u) | WANT_CYCLES;
}

static bool wants_record(void *ctx, uint32_t type)
{
    const struct rows *r = ctx;

    (void)type;
    return r->records;
}

static pts_status begin(void *ctx, const struct scene *scene)
{
    struct rows *r = ctx;

    /* Only now is it known what there is to resolve with: the plan has been made. */
    r->scene = *scene;
    r->native = perf_feat_x86(scene->file);
    pts_status st = resolve_new(scene->places, &r->resolve);
    return st == PTS_OK ? places_new(resolve_lookup(r->resolve), &r->places) : st;
}

static pts_status add_item(struct rows *r, const struct item *item)
{
    switch (item->kind) {
    case ITEM_SAMPLE:
        return item->sample.hidden ? PTS_OK : add_sample(r, &item->sample);
    case ITEM_ERROR:
        return add_error(r, item->error);
    case ITEM_RECORD: /* somebody else may want some that are not wanted here */
        return r->records ? add_record(r, item) : PTS_OK;
    case ITEM_SERIES: /* not asked for */
    case ITEM_TRACE:
    case ITEM_TEXT:
        return PTS_OK;
    }
    return PTS_OK;
}

static pts_status take(void *ctx, const struct batch *b, size_t from, size_t *next)
{
    struct rows *r = ctx;
    pts_status st = PTS_OK;

    /* Full in the middle of a batch: *next says where to go on when the rows were
     * taken. */
    for (*next = from; st == PTS_OK && *next < b->item.len && !rows_full(r);)
        st = add_item(r, &b->item.at[(*next)++]);
    return st;
}

struct sink rows_sink(struct rows *r)
{
    return (struct sink){
        .wants = {.ctx = r, .of_class = wants_of_class},
        .wants_record = wants_record,
        .begin = begin,
        .take = take
    };
}
