/* scripted_sample.c - a sample as a script gets it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/scripting/scripted.h"

#include "synth/plan/event_bytes.h"
#include "synth/print/line/out_cols.h"
#include "synth/print/line/out_synth.h"
#include "synth/sample/callchain.h"

#include <stdio.h>

/* --- Places ----------------------------------------------------------------------- */

static struct pts_spot spot_of(const struct place *p)
{
    struct pts_spot spot = {.dso = p->dso,
                            .dso_path = p->dso_path,
                            .build_id = p->build_id,
                            .build_id_len = p->build_id_len,
                            .map_start = p->map_start,
                            .map_end = p->map_end};

    if (!p->sym)
        return spot;
    spot.binding = p->sym_bind;
    spot.symbol = p->sym;
    spot.symbol_offset = p->sym_off;
    spot.symbol_start = p->sym_start;
    spot.symbol_end = p->sym_end;
    return spot;
}

static struct pts_spot spot_at(struct scripted *s, const struct who *who, uint8_t how,
                               uint64_t ip)
{
    return spot_of(place_at(s->places, who, how, ip));
}

/* --- Stacks ----------------------------------------------------------------------- */

static bool add_frame(struct scripted *s, const struct who *who, uint8_t mode,
                      uint64_t ip, const struct place_inlined *f)
{
    struct pts_script_frame *to = VEC_PUSH(&s->frame);

    if (to)
        *to = (struct pts_script_frame){.ip = ip,
                                        .at = spot_at(s, who, mode, ip),
                                        .inlined = f ? f->name : NULL,
                                        .source = f ? f->srcline : NULL};
    return to != NULL;
}

/* Only what was unwound has inlined functions, as in the text. */
static bool add_unwound(struct scripted *s, const struct who *who, uint64_t ip)
{
    const struct lookup *look = resolve_lookup(s->resolve);
    const struct place_query q = {who, ip, PTS_MODE_USER};
    const struct place_inlined *f = NULL;
    size_t n = 0;

    if (s->scene.plan->opt.text.inline_names &&
        place_at(s->places, who, PTS_MODE_USER, ip)->sym &&
        look->inlined(look->ctx, &q, &f, &n) < 0)
        return false;
    bool ok = n || add_frame(s, who, PTS_MODE_USER, ip, NULL);
    bool back = s->scene.plan->callers_first;
    for (size_t i = 0; ok && i < n; i++)
        ok = add_frame(s, who, PTS_MODE_USER, ip, &f[back ? n - 1 - i : i]);
    return ok;
}

static pts_status take_callers(struct scripted *s, const struct sample *sample,
                               uint64_t most)
{
    const struct sample_stacks *st = sample->stacks;
    uint32_t words =
        st->chain ? callchain_sound(st->chain, st->chain_len, UINT64_MAX) : 0;
    struct callchain_back b = callchain_back(st->chain, words, most);
    uint64_t ip;
    uint8_t mode;
    bool ok = true;

    for (uint32_t i = st->unwound_len; ok && i-- > 0;)
        ok = !st->unwound[i] || add_unwound(s, &sample->who, st->unwound[i]);
    while (ok && callchain_back_next(&b, &ip, &mode))
        ok = add_frame(s, &sample->who, mode, ip, NULL);
    return ok ? PTS_OK : PTS_E_NOMEM;
}

static pts_status take_chain(struct scripted *s, const struct sample *sample)
{
    const struct sample_stacks *st = sample->stacks;
    uint64_t most = st->whole ? UINT64_MAX : plan_max_stack(s->scene.plan);
    if (s->scene.plan->callers_first)
        return take_callers(s, sample, most);
    uint32_t words = st->chain ? callchain_sound(st->chain, st->chain_len, most) : 0;
    uint8_t mode = PTS_MODE_USER;
    bool ok = true;

    for (uint32_t i = 0; ok && i < words; i++) {
        uint64_t ip = st->chain[i];
        if (ip >= PTS_CONTEXT_MAX)
            mode = callchain_mode(ip);
        else
            ok = add_frame(s, &sample->who, mode, ip, NULL);
    }
    for (uint32_t i = 0; ok && i < st->unwound_len; i++)
        ok = !st->unwound[i] || add_unwound(s, &sample->who, st->unwound[i]);
    return ok ? PTS_OK : PTS_E_NOMEM;
}

static pts_status take_branches(struct scripted *s, const struct sample *sample)
{
    const struct sample_stacks *st = sample->stacks;
    uint8_t how = sample->cpumode | PLACE_TARGET;

    for (uint32_t i = 0; st->branches && i < st->branch_count; i++) {
        const struct pts_branch *b = &st->branches[i];
        struct pts_script_branch *to = VEC_PUSH(&s->branch);
        if (!to)
            return PTS_E_NOMEM;
        to->branch = *b;
        to->from = spot_at(s, &sample->who, how, b->from);
        to->to = spot_at(s, &sample->who, how, b->to);
    }
    return PTS_OK;
}

static pts_status take_stacks(struct scripted *s, const struct sample *sample,
                              struct pts_script_sample *out)
{
    pts_status st = PTS_OK;

    s->frame.len = 0;
    s->branch.len = 0;
    if (!sample->stacks)
        return PTS_OK;
    if (s->scene.plan->chains_shown)
        st = take_chain(s, sample);
    if (st == PTS_OK)
        st = take_branches(s, sample);
    out->frames = s->frame.at;
    out->frame_count = s->frame.len;
    out->branches = s->branch.at;
    out->branch_count = s->branch.len;
    return st;
}

/* --- Texts ------------------------------------------------------------------------ */

struct span {
    size_t from, to;
};

static struct pts_bytes bytes_of(const struct text *t, struct span s)
{
    return (struct pts_bytes){(const uint8_t *)t->at + s.from, s.to - s.from};
}

/* perf's buffer for either kind of registers has room for those of the first kind. */
static struct span regs_put(struct text *t, const struct pts_regs *regs,
                            const struct script_event *e)
{
    enum { EACH = 28 };
    size_t from = t->len;
    size_t room = (size_t)__builtin_popcountll(e->regs_intr) * EACH;

    out_reg_values(t, regs);
    if (t->len - from >= room)
        t->len = from + (room ? room - 1 : 0);
    return (struct span){from, t->len};
}

/* One buffer for all, which moves while it grows. */
static pts_status take_texts(struct scripted *s, struct pts_script_sample *out,
                             const struct sample_more *more,
                             const struct script_event *e)
{
    enum { DECODE_MAX = 98 }; /* of perf's buffer */
    static const struct pts_regs none;
    struct text *t = &s->text;
    struct span letters, flags, data;
    char name[OUT_FLAGS_NAME];

    t->len = 0;
    out_flags_letters(out->flags, name);
    text_str(t, name);
    letters = (struct span){0, t->len};
    out_flags_name(out->flags, name);
    text_str(t, name);
    flags = (struct span){letters.to, t->len};
    out_data_src_words(t, out->data_src);
    if (t->len - flags.to > DECODE_MAX)
        t->len = flags.to + DECODE_MAX;
    data = (struct span){flags.to, t->len};
    const struct span iregs = regs_put(t, more ? &more->iregs : &none, e);
    const struct span uregs = regs_put(t, more ? &more->uregs : &none, e);
    if (t->failed)
        return PTS_E_NOMEM;
    out->flags_letters = bytes_of(t, letters);
    out->flags_text = bytes_of(t, flags);
    out->data_src_text = bytes_of(t, data);
    out->iregs_text = bytes_of(t, iregs);
    out->uregs_text = bytes_of(t, uregs);
    return PTS_OK;
}

/* --- The sample ------------------------------------------------------------------- */

enum { ATTR_SIZE_AT = 4 };

/* What its event tells; NULL: no memory. */
static const struct script_event *event_of(struct scripted *s, uint32_t i)
{
    while (s->event.len <= i) {
        struct script_event_at *e = VEC_PUSH(&s->event);
        if (!e)
            return NULL;
        e->event = NULL;
    }
    if (s->event.at[i].event)
        return s->event.at[i].event;
    const struct perf_file *f = s->scene.file;
    bool recorded = i < f->evsel.len;
    const struct pts_attr *a =
        &f->evsel.at[recorded ? i : s->scene.plan->made.traced].attr;
    struct script_event *e = arena_alloc(&s->arena, sizeof(*e));
    if (!e)
        return NULL;
    event_bytes(f, s->scene.plan, i, e->attr);
    if (recorded) /* as long as it was */
        memcpy(e->attr + ATTR_SIZE_AT, &a->size, sizeof(a->size));
    e->read_format = a->read_format;
    e->regs_intr = recorded ? a->sample_regs_intr : 0;
    s->event.at[i].event = e;
    return e;
}

/* perf's default, where a recorded sample does not say (PERF_MEM_DATA_SRC_NONE). */
static uint64_t data_src_of(const struct sample *sample, uint64_t type)
{
    const uint64_t none = 0x5080021;

    if (sample->recorded && !(type & PTS_SAMPLE_DATA_SRC))
        return none;
    return sample->more ? sample->more->data_src : 0;
}

/* All ones where a recorded sample does not say, as in perf. */
static uint64_t time_of(const struct sample *sample, uint64_t type)
{
    return sample->recorded && !(type & PTS_SAMPLE_TIME) ? UINT64_MAX : sample->time;
}

static void fill(struct pts_script_sample *out, const struct sample *sample,
                 const struct evl_event *e)
{
    const struct sample_more *more = sample->more;

    *out = (struct pts_script_sample){
        .event = e->name,
        .event_number = sample->event,
        .pid = sample->who.pid,
        .tid = sample->who.tid,
        .cpu = (uint32_t)sample->who.cpu,
        .machine_pid = sample->who.machine_pid,
        .vcpu = sample->who.vcpu,
        .ip = sample->ip,
        .time = time_of(sample, e->attr.sample_type),
        .period = sample->period,
        .addr = sample->addr,
        .insn_cnt = sample->insn_cnt,
        .cyc_cnt = sample->cyc_cnt,
        .flags = sample->flags,
        .cpumode = sample->cpumode,
        .addr_is_code = evl_has_target(e),
        .raw = {sample->raw.ptr, sample->raw.len}
    };
    out->data_src = data_src_of(sample, e->attr.sample_type);
    if (!more)
        return;
    out->phys_addr = more->phys_addr;
    out->weight = more->weight;
    out->transaction = more->transaction;
}

/* Where no counters were read, perf shows one without a value, or a group of none. */
static pts_status take_values(struct scripted *s, const struct sample *sample,
                              struct pts_script_sample *out)
{
    static const struct pts_sample_read none;
    const struct pts_sample_read *read = sample->more ? &sample->more->read : &none;
    uint64_t n = out->read_format & PTS_READ_GROUP ? read->count : 1;

    s->value.len = 0;
    if (n && !VEC_ROOM(&s->value, n))
        return PTS_E_NOMEM;
    for (uint64_t i = 0; i < n; i++)
        s->value.at[s->value.len++] = pts_value_at(read, i);
    out->enabled = read->enabled;
    out->running = read->running;
    out->values = s->value.at;
    out->value_count = s->value.len;
    return PTS_OK;
}

static void take_places(struct scripted *s, const struct sample *sample,
                        struct pts_script_sample *out)
{
    const struct lookup *look = resolve_lookup(s->resolve);

    out->comm = look->comm(look->ctx, &sample->who);
    out->at = spot_at(s, &sample->who, sample->cpumode, sample->ip);
    if (out->addr_is_code)
        out->to =
            spot_at(s, &sample->who, sample->cpumode | PLACE_TARGET, sample->addr);
}

pts_status scripted_sample(struct scripted *s, const struct sample *sample)
{
    const struct evl_event *e = &s->scene.plan->evl.ev.at[sample->event];
    const struct script_event *event;
    struct pts_script_tracepoint tracepoint;
    struct pts_script_sample out;
    bool is_one = false;

    if (s->rows && e->class != CLASS_TRACEPOINT) /* a row has it */
        return PTS_OK;
    event = event_of(s, sample->event);
    if (!event)
        return PTS_E_NOMEM;
    s->now = sample;
    fill(&out, sample, e);
    out.attr = event->attr;
    out.read_format = event->read_format;
    take_places(s, sample, &out);
    pts_status st = take_stacks(s, sample, &out);
    if (st == PTS_OK)
        st = take_values(s, sample, &out);
    if (st == PTS_OK)
        st = take_texts(s, &out, sample->more, event);
    if (st == PTS_OK && e->class == CLASS_TRACEPOINT)
        st = scripted_trace(s, sample, &tracepoint, &is_one);
    if (st < 0)
        return st;
    /* perf ends at one that the recording does not describe. */
    if (e->class == CLASS_TRACEPOINT && !is_one)
        return PTS_OK;
    out.tracepoint = is_one ? &tracepoint : NULL;
    return scripted_called(s, s->language->sample(s->script, &out, s->status));
}
