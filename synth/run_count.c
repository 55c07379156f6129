/* run_count.c - what of a recording's records leads to warnings, mostly at the end.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/run.h"

static void count_aux(struct run_counts *c, const struct perf_rec *rec)
{
    struct pts_aux aux;

    c->aux_records++;
    if (perf_rec_aux(rec, &aux) < 0)
        return;
    c->aux_truncated += (aux.flags & PERF_AUX_TRUNCATED) != 0;
    c->aux_partial += (aux.flags & PERF_AUX_PARTIAL) != 0;
    c->aux_collision += (aux.flags & PERF_AUX_COLLISION) != 0;
}

static void count_lost(struct run_counts *c, const struct perf_rec *rec)
{
    struct pts_lost lost;

    if (perf_rec_lost(rec, &lost) < 0)
        return;
    if (rec->type == PERF_REC_LOST)
        c->lost_records++;
    else
        c->lost_samples += lost.lost;
}

static void count_error(struct run_counts *c, const struct perf_rec *rec)
{
    struct pts_auxtrace_error e;

    if (perf_rec_auxtrace_error(rec, &e) < 0)
        return;
    c->unknown_errors += e.type == 0;
    c->trace_errors += e.type == 1;
}

static void warn_namespaces(struct pts_stream *r, const struct perf_rec *rec)
{
    enum { KNOWN = 7 };
    struct run_counts *c = &r->counts;
    struct pts_namespaces ns;

    if (perf_rec_namespaces(rec, &ns) < 0)
        return;
    if (ns.count > KNOWN && !c->more_namespaces)
        session_message(r->session, PTS_MSG_WARNING,
                        "\nWARNING: kernel seems to support more namespaces than perf "
                        "tool.\nTry updating the perf tool..\n\n");
    if (ns.count < KNOWN && !c->fewer_namespaces)
        session_message(
            r->session, PTS_MSG_WARNING,
            "\nWARNING: perf tool seems to support more namespaces than the "
            "kernel.\nTry updating the kernel..\n\n");
    c->more_namespaces |= ns.count > KNOWN;
    c->fewer_namespaces |= ns.count < KNOWN;
}

void run_count(struct pts_stream *r, const struct perf_rec *rec)
{
    struct run_counts *c = &r->counts;

    c->records++;
    switch (rec->type) {
    case PERF_REC_SAMPLE:
        c->samples++;
        c->unknown_ids += rec->evsel == PERF_NO_EVSEL;
        break;
    case PERF_REC_AUX:
        count_aux(c, rec);
        break;
    case PERF_REC_LOST:
    case PERF_REC_LOST_SAMPLES:
        count_lost(c, rec);
        break;
    case PERF_REC_AUXTRACE_ERROR:
        count_error(c, rec);
        break;
    case PERF_REC_NAMESPACES:
        warn_namespaces(r, rec);
        break;
    case PERF_REC_MMAP:
    case PERF_REC_MMAP2:
        c->proc_map_timeouts += (rec->misc & PERF_MISC_PARSE_TIMEOUT) != 0;
        break;
    default:
        c->unknown_records +=
            rec->type > PERF_REC_CALLCHAIN_DEFERRED &&
            (rec->type < PERF_REC_USER || rec->type > PERF_REC_SCHEDSTAT_DOMAIN);
        break;
    }
}
