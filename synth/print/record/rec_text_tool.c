/* rec_text_tool.c - perf's own records in its words, as only the dump shows them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Many of them perf 6.1 knows and does nothing with, which it says: ": unhandled!".
 */
#include "decoder/aux/auxtrace.h"
#include "synth/print/record/rec_text.h"
#include "synth/print/record/rec_words.h"

/* Text that a record may end without a zero. */
static void text_span(struct text *t, struct pts_bytes s)
{
    text_put(t, (const char *)s.ptr, strnlen((const char *)s.ptr, s.len));
}

static void text_newline(struct text *t, const struct record *r)
{
    (void)r;
    text_char(t, '\n');
}

/* What perf 6.1 says of a record that it knows and does nothing with. */
static void text_unhandled(struct text *t, const struct record *r)
{
    (void)r;
    text_str(t, ": unhandled!\n");
}

/* As signed and unsigned as perf prints them, which pts_id_at would not keep. */
static void text_id_index(struct text *t, const struct record *r)
{
    const struct pts_id_index *x = &r->u.id_index;
    label_dec(t, " nr: ", x->count);
    text_char(t, '\n');
    for (uint64_t i = 0; i < x->count; i++) {
        const uint8_t *p = x->at + PERF_ID_BYTES * i;
        label_dec(t, " ... id: ", rd_u64(p));
        label_dec(t, "  idx: ", rd_u64(p + 8));
        label_int(t, "  cpu: ", (int64_t)rd_u64(p + 16));
        label_int(t, "  tid: ", (int64_t)rd_u64(p + 24));
        if (x->guests) {
            p = x->guests + PERF_ID_GUEST_BYTES * i;
            label_int(t, "  machine_pid: ", (int64_t)rd_u64(p));
            label_dec(t, "  vcpu: ", rd_u64(p + 8));
        }
        text_char(t, '\n');
    }
}

static void text_info_words(struct text *t, const struct pts_words *priv,
                            const struct aux_info *info)
{
    static const char *const labels[] = {
        "  PMU Type            ", "  Time Shift          ", "  Time Muliplier      ",
        "  Time Zero           ", "  Cap Time Zero       ", "  TSC bit             ",
        "  NoRETComp bit       ", "  Have sched_switch   ", "  Snapshot mode       ",
        "  Per-cpu maps        ", "  MTC bit             ", "  MTC freq bits       ",
        "  TSC:CTC numerator   ", "  TSC:CTC denominator ", "  CYC bit             ",
        "  Max non-turbo ratio ", "  Filter string len.  "};
    /* Words that are printed in hex, the others in decimal: signed up to 9 but for the
     * three of the clock. */
    enum { HEX = 1 << 5 | 1 << 6 | 1 << 10 | 1 << 11 | 1 << 14 };
    unsigned most = AUX_INFO_FILTER_LEN + 1;
    unsigned words = info->words < most ? info->words : most;
    /* Older recordings end in front of the words about MTC, whatever else stands
     * there. */
    if (!info->has_mtc && words > AUX_INFO_MTC)
        words = AUX_INFO_MTC;
    for (unsigned i = 0; i < words; i++) {
        uint64_t v = pts_word(priv, i);
        if (HEX >> i & 1)
            label_hex_alt(t, labels[i], v);
        else if (i < AUX_INFO_MIN && !(i >= 1 && i <= 3))
            label_int(t, labels[i], (int64_t)v);
        else
            label_dec(t, labels[i], v);
        text_char(t, '\n');
    }
}

static void text_auxtrace_info(struct text *t, const struct record *r)
{
    struct aux_info info;
    label_dec(t, " type: ", r->u.auxtrace_info.type);
    text_char(t, '\n');
    /* The words of other tracers (ARM, s390) mean other things. */
    if (aux_info_read(r, &info, NULL) != PTS_OK || info.type != PTS_AUXTRACE_INTEL_PT)
        return;
    text_info_words(t, &r->u.auxtrace_info.priv, &info);
    if (info.has_filter_len) {
        label_str(t, "  Filter string       ", info.filter);
        text_char(t, '\n');
    }
    if (info.has_event_trace) {
        label_dec(t, "  Cap Event Trace     ", info.event_trace != 0);
        text_char(t, '\n');
    }
}

static void text_auxtrace(struct text *t, const struct record *r)
{
    const struct pts_auxtrace *a = &r->u.auxtrace;
    label_hex_alt(t, " size: ", a->size);
    label_hex_alt(t, "  offset: ", a->offset);
    label_hex_alt(t, "  ref: ", a->reference);
    label_dec(t, "  idx: ", a->idx);
    label_int(t, "  tid: ", a->tid);
    label_int(t, "  cpu: ", a->cpu);
    text_char(t, '\n');
}

void rec_text_error(struct text *t, const struct pts_auxtrace_error *e)
{
    enum { NS_PER_SEC = 1000000000 };
    text_str(t, e->type == PTS_AUXTRACE_ERROR_TRACE ? " instruction trace"
                                                    : " unknown AUX");
    text_fmt(t, " error type %u time ", e->type);
    text_dec(t, e->fmt ? e->time / NS_PER_SEC : 0, 0);
    /* Format 0 knew no time; perf shows an unknown one as a bare 0. */
    if (e->fmt && e->time) {
        text_char(t, '.');
        text_int0(t, (int64_t)(e->time % NS_PER_SEC), 9);
    }
    if (e->fmt >= 2 && e->machine_pid)
        text_fmt(t, " machine_pid %d vcpu %d", e->machine_pid, e->vcpu);
    text_fmt(t, " cpu %d pid %d tid %d ip ", e->cpu, e->pid, e->tid);
    text_hex_alt(t, e->ip);
    text_fmt(t, " code %u: ", e->code);
    text_span(t, e->msg);
    text_char(t, '\n');
}

static void text_auxtrace_error(struct text *t, const struct record *r)
{
    rec_text_error(t, &r->u.auxtrace_error);
}

static void text_thread_map(struct text *t, const struct record *r)
{
    const struct pts_thread_map *m = &r->u.thread_map;
    label_dec(t, " nr: ", m->count);
    text_str(t, m->count > 1 ? " threads: " : " thread: ");
    for (uint64_t i = 0; i < m->count; i++)
        label_int(t, i ? ", " : "", pts_thread_map_at(m, i).pid);
    text_char(t, '\n');
}

static void text_cpu_map(struct text *t, const struct record *r)
{
    text_str(t, ": ");
    rec_text_cpus(t, r->u.bytes);
}

static void text_update(struct text *t, const struct record *r)
{
    const struct pts_event_update *u = &r->u.event_update;
    double scale = 0;
    label_dec(t, "\n... id:    ", u->id);
    switch (u->type) {
    case PTS_UPDATE_SCALE:
        if (u->data.len >= sizeof(scale))
            /* Copied, since data of a record need not be aligned for a double. */
            memcpy(&scale, u->data.ptr, sizeof(scale));
        text_fmt(t, "\n... scale: %f\n", scale);
        break;
    case PTS_UPDATE_UNIT:
    case PTS_UPDATE_NAME:
        text_str(t, u->type == PTS_UPDATE_UNIT ? "\n... unit:  " : "\n... name:  ");
        text_span(t, u->data);
        text_char(t, '\n');
        break;
    case PTS_UPDATE_CPUS:
        text_str(t, "\n... ");
        rec_text_cpus(t, u->data);
        break;
    default:
        text_str(t, "\n... unknown type\n");
    }
}

static void text_bpf_metadata(struct text *t, const struct record *r)
{
    const struct pts_bpf_metadata *m = &r->u.bpf_metadata;
    text_str(t, " prog ");
    text_span(t, m->name);
    text_char(t, '\n');
    for (uint64_t i = 0; i < m->count; i++) {
        const uint8_t *key = m->at + PERF_BPF_ENTRY * i;
        text_fmt(t, "  entry %d: %20.*s = ", (int)i, PERF_BPF_KEY, (const char *)key);
        text_span(t, (struct pts_bytes){key + PERF_BPF_KEY, PERF_BPF_VALUE});
        text_char(t, '\n');
    }
}

static void text_time_conv(struct text *t, const struct record *r)
{
    const struct pts_time_conv *c = &r->u.time_conv;
    label_dec(t, "\n... Time Shift      ", c->shift);
    label_dec(t, "\n... Time Muliplier  ", c->mult);
    label_dec(t, "\n... Time Zero       ", c->zero);
    /* Added later: whether a record has them is told by its size. */
    if (c->is_long) {
        label_dec(t, "\n... Time Cycles     ", c->cycles);
        label_hex_alt(t, "\n... Time Mask       ", c->mask);
        label_int(t, "\n... Cap Time Zero   ", c->cap_zero);
        label_int(t, "\n... Cap Time Short  ", c->cap_short);
    }
    text_str(t, "\n: unhandled!\n");
}

/* --- Those of perf stat ------------------------------------------------------------- */

/* In an order of perf's own, also what was not recorded. */
static void text_stat_config(struct text *t, const struct pts_stat_config *c)
{
    enum { AGGREGATION, INTERVAL, SCALE, TERMS, WORD = 8 };
    int value[TERMS] = {0};

    for (uint64_t i = 0; i < c->count; i++) {
        const uint8_t *at = c->at + 2 * WORD * i;
        uint64_t tag = rd_u64(at);
        if (tag < TERMS)
            value[tag] = (int)rd_u64(at + WORD);
    }
    text_fmt(t, "\n... aggr_mode %d\n... scale     %d\n... interval  %u\n",
             value[AGGREGATION], value[SCALE], (unsigned)value[INTERVAL]);
}

static void text_stat(struct text *t, const struct pts_stat *v)
{
    text_fmt(t, "\n... id %llu, cpu %d, thread %d\n", (unsigned long long)v->id, v->cpu,
             (int)v->thread);
    text_fmt(t, "... value %llu, enabled %llu, running %llu\n",
             (unsigned long long)v->value, (unsigned long long)v->enabled,
             (unsigned long long)v->running);
}

void rec_text_stat(struct text *t, const struct record *r)
{
    if (record_is(r, PTS_RECORD_STAT_CONFIG))
        text_stat_config(t, &r->u.stat_config);
    else if (record_is(r, PTS_RECORD_STAT))
        text_stat(t, &r->u.stat);
    else if (record_is(r, PTS_RECORD_STAT_ROUND))
        text_fmt(t, "\n... time %llu, type %s\n",
                 (unsigned long long)r->u.stat_round.time,
                 r->u.stat_round.type == 0 ? "INTERVAL" : "FINAL");
}

const struct rec_words *rec_words_tool(uint32_t type)
{
    /* clang-format off */
    static const struct rec_words words[] = {
        [PTS_RECORD_FINISHED_ROUND] = {text_newline},
        [PTS_RECORD_ID_INDEX]       = {text_id_index},
        [PTS_RECORD_AUXTRACE_INFO]  = {text_auxtrace_info},
        [PTS_RECORD_AUXTRACE]       = {text_auxtrace},
        [PTS_RECORD_AUXTRACE_ERROR] = {text_auxtrace_error},
        [PTS_RECORD_THREAD_MAP]     = {text_thread_map},
        [PTS_RECORD_CPU_MAP]        = {text_cpu_map},
        [PTS_RECORD_EVENT_UPDATE]   = {text_update},
        [PTS_RECORD_TIME_CONV]      = {text_time_conv},
        [PTS_RECORD_FINISHED_INIT]  = {text_unhandled},
        [PTS_RECORD_BPF_METADATA]   = {text_bpf_metadata},
    };
    /* clang-format on */
    return &RECORD_ROW(words, type);
}
