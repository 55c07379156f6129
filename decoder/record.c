/* record.c - a record as the public interface gives it (ptscript/record.h).
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/record.h"

#include "decoder/perf_cpus.h"
#include "decoder/perf_sample.h"
#include "decoder/perf_tool.h"

const char *pts_record_name(uint32_t type)
{
    switch (type) {
#define PTS_RECORD(name, number, callback, member, body, word, source)                 \
    case number:                                                                       \
        return word;
#include <ptscript/records.def>
#undef PTS_RECORD
    }
    return NULL;
}

struct pts_thread_name pts_thread_map_at(const struct pts_thread_map *m, uint64_t i)
{
    const uint8_t *p = m->at + PERF_THREAD_BYTES * i;
    struct pts_thread_name t = {.pid = (int32_t)rd_u64(p)};
    memcpy(t.comm, p + 8, sizeof(t.comm) - 1);
    return t;
}

size_t pts_cpu_map_each(struct pts_bytes map, void (*each)(void *ctx, int32_t cpu),
                        void *ctx)
{
    struct perf_cpus c = perf_cpus_of(map);
    int64_t cpu;
    size_t n = 0;
    for (; perf_cpus_next(&c, &cpu); n++)
        each(ctx, (int32_t)cpu);
    return n;
}

static pts_status kernel_body(const struct perf_file *f, const struct perf_rec *r,
                              struct pts_record *out)
{
    bool by_event = r->type == PTS_RECORD_SAMPLE || r->type == PTS_RECORD_READ;
    if (by_event && r->evsel == PERF_NO_EVSEL)
        return PTS_E_RANGE;
    switch (r->type) {
    case PTS_RECORD_MMAP:
    case PTS_RECORD_MMAP2:
        return perf_rec_mmap(r, &out->u.mmap);
    case PTS_RECORD_LOST:
    case PTS_RECORD_LOST_SAMPLES:
        return perf_rec_lost(r, &out->u.lost);
    case PTS_RECORD_COMM:
        return perf_rec_comm(r, &out->u.comm);
    case PTS_RECORD_FORK:
    case PTS_RECORD_EXIT:
        return perf_rec_task(r, &out->u.task);
    case PTS_RECORD_THROTTLE:
    case PTS_RECORD_UNTHROTTLE:
        return perf_rec_throttle(r, &out->u.throttle);
    case PTS_RECORD_READ:
        return perf_rec_read_values(f, r, &out->u.read);
    case PTS_RECORD_SAMPLE:
        return perf_rec_sample(f, r, &out->u.sample);
    case PTS_RECORD_AUX:
        return perf_rec_aux(r, &out->u.aux);
    case PTS_RECORD_ITRACE_START:
    case PTS_RECORD_SWITCH_CPU_WIDE:
        return perf_rec_pid_tid(r, &out->u.thread);
    case PTS_RECORD_SWITCH:
        return PTS_OK;
    case PTS_RECORD_NAMESPACES:
        return perf_rec_namespaces(r, &out->u.namespaces);
    case PTS_RECORD_KSYMBOL:
        return perf_rec_ksymbol(r, &out->u.ksymbol);
    case PTS_RECORD_BPF_EVENT:
        return perf_rec_bpf(r, &out->u.bpf_event);
    case PTS_RECORD_CGROUP:
        return perf_rec_cgroup(r, &out->u.cgroup);
    case PTS_RECORD_TEXT_POKE:
        return perf_rec_text_poke(r, &out->u.text_poke);
    case PTS_RECORD_AUX_OUTPUT_HW_ID:
        return perf_rec_hw_id(r, &out->u.hw_id.hw_id);
    case PTS_RECORD_CALLCHAIN_DEFERRED:
        return perf_rec_deferred(r, &out->u.deferred);
    }
    return PTS_END;
}

static pts_status tool_body(const struct perf_rec *r, struct pts_record *out)
{
    switch (r->type) {
    case PTS_RECORD_HEADER_ATTR:
        return perf_rec_attr(r, &out->u.attr);
    case PTS_RECORD_BUILD_ID:
        return perf_rec_build_id(r, &out->u.build_id);
    case PTS_RECORD_ID_INDEX:
        return perf_rec_id_index(r, &out->u.id_index);
    case PTS_RECORD_AUXTRACE_INFO:
        return perf_rec_auxtrace_info(r, &out->u.auxtrace_info);
    case PTS_RECORD_AUXTRACE:
        return perf_rec_auxtrace(r, &out->u.auxtrace);
    case PTS_RECORD_AUXTRACE_ERROR:
        return perf_rec_auxtrace_error(r, &out->u.auxtrace_error);
    case PTS_RECORD_THREAD_MAP:
        return perf_rec_thread_map(r, &out->u.thread_map);
    case PTS_RECORD_STAT_CONFIG:
        return perf_rec_stat_config(r, &out->u.stat_config);
    case PTS_RECORD_STAT:
        return perf_rec_stat(r, &out->u.stat);
    case PTS_RECORD_STAT_ROUND:
        return perf_rec_stat_round(r, &out->u.stat_round);
    case PTS_RECORD_EVENT_UPDATE:
        return perf_rec_update(r, &out->u.event_update);
    case PTS_RECORD_TIME_CONV:
        return perf_rec_time_conv(r, &out->u.time_conv);
    case PTS_RECORD_FEATURE:
        return perf_rec_feature(r, &out->u.feature);
    case PTS_RECORD_BPF_METADATA:
        return perf_rec_bpf_metadata(r, &out->u.bpf_metadata);
    case PTS_RECORD_SCHEDSTAT_CPU:
    case PTS_RECORD_SCHEDSTAT_DOMAIN:
        return perf_rec_schedstat(r, &out->u.schedstat);
    case PTS_RECORD_COMPRESSED:
    case PTS_RECORD_COMPRESSED2:
        out->u.bytes = perf_rec_packed_data(r);
        return PTS_OK;
    case PTS_RECORD_EVENT_TYPE:
    case PTS_RECORD_TRACING_DATA:
    case PTS_RECORD_FINISHED_ROUND:
    case PTS_RECORD_CPU_MAP:
    case PTS_RECORD_FINISHED_INIT:
        return PTS_OK;
    }
    return PTS_END;
}

void record_fill(const struct perf_file *f, const struct perf_rec *r, pts_status st,
                 const struct perf_place *place, struct pts_record *out)
{
    struct pts_bytes body = {r->ptr + PERF_REC_HEADER,
                             (size_t)(r->body_end - PERF_REC_HEADER)};
    *out = (struct pts_record){
        .type = r->type,
        .misc = r->misc,
        .size = r->size,
        .event = r->evsel,
        .file = place->path,
        .offset = place->off,
        .bytes = {r->ptr,           r->size           },
        .payload = {r->ptr + r->size, (size_t)r->payload},
        .payload_size = perf_rec_claim(r),
        .id = r->id
    };
    out->u.bytes = body;
    if (st == PTS_OK)
        st = r->type < PERF_REC_USER ? kernel_body(f, r, out) : tool_body(r, out);
    out->how = st == PTS_OK    ? PTS_RECORD_WHOLE
               : st == PTS_END ? PTS_RECORD_UNKNOWN
                               : PTS_RECORD_DAMAGED;
}

int pts_record_visit(const struct pts_visitor *v, const struct pts_record *r)
{
    struct pts_visitor all = {0};
    memcpy(&all, v, v->size < sizeof(all) ? v->size : sizeof(all));
    if (r->how != PTS_RECORD_WHOLE)
        return all.other ? all.other(all.ctx, r) : 0;
    switch (r->type) {
#define PTS_RECORD(name, number, callback, member, body, word, source)                 \
    case number:                                                                       \
        return all.callback ? all.callback(all.ctx, r, &r->u.member) : 0;
#include <ptscript/records.def>
#undef PTS_RECORD
    }
    return 0;
}
