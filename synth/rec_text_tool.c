/* rec_text_tool.c - perf's own records in its words, as only the dump shows them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/auxtrace.h"
#include "decoder/perf_cpus.h"
#include "synth/rec_text.h"

static void text_span(struct text *t, struct pts_bytes s)
{
    text_put(t, (const char *)s.ptr, strnlen((const char *)s.ptr, s.len));
}

/* A run of CPUs on its way into a list such as "0-3,5". */
struct cpu_list {
    struct text *t;
    bool any, open;
    int64_t first, last;
};

static void cpus_close(struct cpu_list *l)
{
    if (!l->open)
        return;
    if (l->any)
        text_char(l->t, ',');
    text_int(l->t, l->first, 0);
    if (l->last != l->first) {
        text_char(l->t, '-');
        text_int(l->t, l->last, 0);
    }
    l->any = true;
    l->open = false;
}

static void cpus_add(struct cpu_list *l, int64_t cpu)
{
    if (l->open && cpu == l->last + 1) {
        l->last = cpu;
        return;
    }
    cpus_close(l);
    l->first = l->last = cpu;
    l->open = true;
}

void rec_text_cpus(struct text *t, struct pts_bytes map)
{
    struct cpu_list l = {.t = t};
    struct perf_cpus cpus = perf_cpus_of(map);
    int64_t cpu;

    if (cpus.type == PERF_CPUS_TYPES)
        text_str(t, "failed to get cpumap from event");
    while (perf_cpus_next(&cpus, &cpu))
        cpus_add(&l, cpu);
    cpus_close(&l);
    if (!l.any && cpus.type != PERF_CPUS_TYPES)
        text_char(t, '0');
    text_char(t, '\n');
}

static void text_id_index(struct text *t, const struct perf_rec *r)
{
    struct pts_id_index x;
    if (perf_rec_id_index(r, &x) != PTS_OK)
        return;
    text_str(t, " nr: ");
    text_dec(t, x.count, 0);
    text_char(t, '\n');
    for (uint64_t i = 0; i < x.count; i++) {
        const uint8_t *p = x.at + 32 * i;
        text_str(t, " ... id: ");
        text_dec(t, rd_u64(p), 0);
        text_str(t, "  idx: ");
        text_dec(t, rd_u64(p + 8), 0);
        text_str(t, "  cpu: ");
        text_int(t, (int64_t)rd_u64(p + 16), 0);
        text_str(t, "  tid: ");
        text_int(t, (int64_t)rd_u64(p + 24), 0);
        if (x.guests) {
            text_str(t, "  machine_pid: ");
            text_int(t, (int64_t)rd_u64(x.guests + 16 * i), 0);
            text_str(t, "  vcpu: ");
            text_dec(t, rd_u64(x.guests + 16 * i + 8), 0);
        }
        text_char(t, '\n');
    }
}

/* Word i of AUXTRACE_INFO, counted behind its type. */
static uint64_t info_word(const struct perf_rec *r, unsigned i)
{
    return rd_u64(r->ptr + 16 + 8 * i);
}

static void text_auxtrace_info(struct text *t, const struct perf_rec *r)
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
    struct aux_info info;
    text_str(t, " type: ");
    text_dec(t, rd_u32(r->ptr + 8), 0);
    text_char(t, '\n');
    if (aux_info_read(r, &info, NULL) != PTS_OK || info.type != PERF_AUXTRACE_INTEL_PT)
        return;
    unsigned words =
        info.words > AUX_INFO_FILTER_LEN ? AUX_INFO_FILTER_LEN + 1 : info.words;
    for (unsigned i = 0; i < words; i++) {
        if (i >= AUX_INFO_MTC && !info.has_mtc)
            break;
        uint64_t v = info_word(r, i);
        text_str(t, labels[i]);
        if (HEX >> i & 1)
            text_hex_alt(t, v);
        else if (i < AUX_INFO_MIN && !(i >= 1 && i <= 3))
            text_int(t, (int64_t)v, 0);
        else
            text_dec(t, v, 0);
        text_char(t, '\n');
    }
    if (info.has_filter_len) {
        text_str(t, "  Filter string       ");
        text_str(t, info.filter);
        text_char(t, '\n');
    }
    if (info.has_event_trace) {
        text_str(t, "  Cap Event Trace     ");
        text_dec(t, info.event_trace != 0, 0);
        text_char(t, '\n');
    }
}

static void text_auxtrace(struct text *t, const struct perf_rec *r)
{
    struct pts_auxtrace a;
    if (perf_rec_auxtrace(r, &a) != PTS_OK)
        return;
    text_str(t, " size: ");
    text_hex_alt(t, a.size);
    text_str(t, "  offset: ");
    text_hex_alt(t, a.offset);
    text_str(t, "  ref: ");
    text_hex_alt(t, a.reference);
    text_str(t, "  idx: ");
    text_dec(t, a.idx, 0);
    text_str(t, "  tid: ");
    text_int(t, a.tid, 0);
    text_str(t, "  cpu: ");
    text_int(t, a.cpu, 0);
    text_char(t, '\n');
}

void rec_text_error(struct text *t, const struct pts_auxtrace_error *e)
{
    enum { INSTRUCTION_TRACE = 1, NS_PER_SEC = 1000000000 };
    text_str(t, e->type == INSTRUCTION_TRACE ? " instruction trace" : " unknown AUX");
    text_fmt(t, " error type %u time ", e->type);
    text_dec(t, e->fmt ? e->time / NS_PER_SEC : 0, 0);
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

static void text_auxtrace_error(struct text *t, const struct perf_rec *r)
{
    struct pts_auxtrace_error e;
    if (perf_rec_auxtrace_error(r, &e) == PTS_OK)
        rec_text_error(t, &e);
}

static void text_thread_map(struct text *t, const struct perf_rec *r)
{
    struct pts_thread_map m;
    if (perf_rec_thread_map(r, &m) != PTS_OK)
        return;
    text_str(t, " nr: ");
    text_dec(t, m.count, 0);
    text_str(t, m.count > 1 ? " threads: " : " thread: ");
    for (uint64_t i = 0; i < m.count; i++) {
        if (i)
            text_str(t, ", ");
        text_int(t, (int32_t)rd_u64(m.at + 24 * i), 0);
    }
    text_char(t, '\n');
}

static void text_cpu_map(struct text *t, const struct perf_rec *r)
{
    text_str(t, ": ");
    rec_text_cpus(t, (struct pts_bytes){r->ptr + 8, (size_t)(r->size - 8)});
}

static void text_update(struct text *t, const struct perf_rec *r)
{
    struct pts_event_update u;
    double scale = 0;
    if (perf_rec_update(r, &u) != PTS_OK)
        return;
    text_str(t, "\n... id:    ");
    text_dec(t, u.id, 0);
    switch (u.type) {
    case PERF_UPDATE_SCALE:
        if (u.data.len >= sizeof(scale))
            memcpy(&scale, u.data.ptr, sizeof(scale));
        text_fmt(t, "\n... scale: %f\n", scale);
        break;
    case PERF_UPDATE_UNIT:
    case PERF_UPDATE_NAME:
        text_str(t, u.type == PERF_UPDATE_UNIT ? "\n... unit:  " : "\n... name:  ");
        text_span(t, u.data);
        text_char(t, '\n');
        break;
    case PERF_UPDATE_CPUS:
        text_str(t, "\n... ");
        rec_text_cpus(t, u.data);
        break;
    default:
        text_str(t, "\n... unknown type\n");
    }
}

static void text_bpf_metadata(struct text *t, const struct perf_rec *r)
{
    struct pts_bpf_metadata m;
    if (perf_rec_bpf_metadata(r, &m) != PTS_OK)
        return;
    text_str(t, " prog ");
    text_span(t, m.name);
    text_char(t, '\n');
    for (uint64_t i = 0; i < m.count; i++) {
        const char *key = (const char *)m.at + PERF_BPF_ENTRY * i;
        text_fmt(t, "  entry %d: %20.*s = ", (int)i, PERF_BPF_KEY, key);
        text_span(t, (struct pts_bytes){m.at + PERF_BPF_ENTRY * i + PERF_BPF_KEY,
                                        PERF_BPF_VALUE});
        text_char(t, '\n');
    }
}

static void text_time_conv(struct text *t, const struct perf_rec *r)
{
    struct pts_time_conv c;
    if (perf_rec_time_conv(r, &c) != PTS_OK)
        return;
    text_str(t, "\n... Time Shift      ");
    text_dec(t, c.shift, 0);
    text_str(t, "\n... Time Muliplier  ");
    text_dec(t, c.mult, 0);
    text_str(t, "\n... Time Zero       ");
    text_dec(t, c.zero, 0);
    if (c.is_long) {
        text_str(t, "\n... Time Cycles     ");
        text_dec(t, c.cycles, 0);
        text_str(t, "\n... Time Mask       ");
        text_hex_alt(t, c.mask);
        text_str(t, "\n... Cap Time Zero   ");
        text_int(t, c.cap_zero, 0);
        text_str(t, "\n... Cap Time Short  ");
        text_int(t, c.cap_short, 0);
    }
    text_str(t, "\n: unhandled!\n");
}

void rec_text_tool(struct text *t, const struct perf_rec *r, bool errors)
{
    switch (r->type) {
    case PERF_REC_FINISHED_ROUND:
        text_char(t, '\n');
        break;
    case PERF_REC_ID_INDEX:
        text_id_index(t, r);
        break;
    case PERF_REC_AUXTRACE_INFO:
        if (r->size >= 16)
            text_auxtrace_info(t, r);
        break;
    case PERF_REC_AUXTRACE:
        text_auxtrace(t, r);
        break;
    case PERF_REC_AUXTRACE_ERROR:
        if (errors)
            text_auxtrace_error(t, r);
        break;
    case PERF_REC_THREAD_MAP:
        text_thread_map(t, r);
        break;
    case PERF_REC_CPU_MAP:
        text_cpu_map(t, r);
        break;
    case PERF_REC_EVENT_UPDATE:
        text_update(t, r);
        break;
    case PERF_REC_TIME_CONV:
        text_time_conv(t, r);
        break;
    case PERF_REC_BPF_METADATA:
        text_bpf_metadata(t, r);
        break;
    case PERF_REC_FINISHED_INIT:
        text_str(t, ": unhandled!\n");
        break;
    }
}
