/* counts.c - what of a recording's records leads to warnings, mostly at the end.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf counts all events that it handles, and speaks of those that point to a loss when
 * it is done.  A type has a row in the table at the end; one that no table of ours
 * knows is counted as unknown.
 */
#include "synth/run/counts.h"

#include "decoder/aux/auxtrace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void count_trace(struct run_counts *c, const struct record *rec)
{
    if (c->trace_at == NO_TRACE)
        c->trace_at = rec->head.off;
}

static void count_sample(struct run_counts *c, const struct record *rec)
{
    c->samples++;
    c->aux_samples += aux_is_in(rec);
    c->unknown_ids += rec->head.evsel == PTS_NO_EVENT;
}

static void count_aux(struct run_counts *c, const struct record *rec)
{
    c->aux_records++;
    if (rec->how != PTS_RECORD_WHOLE)
        return;
    /* One record may have several of these flags, and counts for each. */
    uint64_t flags = rec->u.aux.flags;
    c->aux_truncated += (flags & PTS_AUX_TRUNCATED) != 0;
    c->aux_partial += (flags & PTS_AUX_PARTIAL) != 0;
    c->aux_collision += (flags & PTS_AUX_COLLISION) != 0;
}

static void count_lost(struct run_counts *c, const struct record *rec)
{
    c->lost_records += rec->how == PTS_RECORD_WHOLE;
}

static void count_lost_samples(struct run_counts *c, const struct record *rec)
{
    if (rec->how == PTS_RECORD_WHOLE)
        c->lost_samples += rec->u.lost.lost;
}

static void count_error(struct run_counts *c, const struct record *rec)
{
    if (rec->how != PTS_RECORD_WHOLE)
        return;
    uint32_t type = rec->u.auxtrace_error.type;
    c->unknown_errors += type == PTS_AUXTRACE_ERROR_UNKNOWN;
    c->trace_errors += type == PTS_AUXTRACE_ERROR_TRACE;
}

static void count_mmap(struct run_counts *c, const struct record *rec)
{
    c->proc_map_timeouts += (rec->head.misc & PTS_MISC_MAPS_TIMEOUT) != 0;
}

/* Said at once, and once. */
static void warn_namespaces(struct run_counts *c, uint64_t count, const struct plan *p)
{
    enum { KNOWN = 7 };

    if (count > KNOWN && !c->more_namespaces)
        plan_warn(p, "\nWARNING: kernel seems to support more namespaces than perf "
                     "tool.\nTry updating the perf tool..\n\n");
    if (count < KNOWN && !c->fewer_namespaces)
        plan_warn(p, "\nWARNING: perf tool seems to support more namespaces than the "
                     "kernel.\nTry updating the kernel..\n\n");
    c->more_namespaces |= count > KNOWN;
    c->fewer_namespaces |= count < KNOWN;
}

typedef void count_fn(struct run_counts *c, const struct record *rec);

/* clang-format off */
static count_fn *const counters[] = {
    [PTS_RECORD_MMAP]           = count_mmap,
    [PTS_RECORD_LOST]           = count_lost,
    [PTS_RECORD_SAMPLE]         = count_sample,
    [PTS_RECORD_MMAP2]          = count_mmap,
    [PTS_RECORD_AUX]            = count_aux,
    [PTS_RECORD_AUXTRACE]       = count_trace,
    [PTS_RECORD_LOST_SAMPLES]   = count_lost_samples,
    [PTS_RECORD_AUXTRACE_ERROR] = count_error,
};
/* clang-format on */

void counts_add(struct run_counts *c, const struct record *rec, const struct plan *p)
{
    count_fn *count = RECORD_ROW(counters, rec->head.type);

    c->records++;
    if (count)
        count(c, rec);
    if (record_is(rec, PTS_RECORD_NAMESPACES))
        warn_namespaces(c, rec->u.namespaces.count, p);
    if (rec->how == PTS_RECORD_DAMAGED && !c->cut++)
        c->cut_at = rec->head.off;
    /* Type 0 is no type at all; perf is silent about it. */
    c->unknown_records += rec->how == PTS_RECORD_UNKNOWN && rec->head.type != 0;
}

/* --- At the end ------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void warn(const struct plan *p,
                                                       const char *fmt, ...)
{
    /* The longest text below fits. */
    char text[640] = "Warning:\n";
    size_t n = strlen(text);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text + n, sizeof(text) - n, fmt, ap);
    va_end(ap);
    plan_warn(p, text);
}

static void warn_lost(const struct plan *p, const struct run_counts *c)
{
    if (c->lost_records)
        warn(p, "Processed %d events and lost %d chunks!\n\nCheck IO/CPU overload!\n\n",
             (int)c->records, (int)c->lost_records);
    double seen = (double)c->samples, lost = (double)c->lost_samples;
    /* perf finds up to a twentieth not worth a warning. */
    if (c->lost_samples && lost / (seen + lost) > 0.05)
        warn(p, "Processed %llu samples and lost %3.2f%%!\n\n",
             (unsigned long long)c->samples + c->lost_samples,
             lost / (seen + lost) * 100.0);
}

static void warn_aux(const struct plan *p, const struct run_counts *c)
{
    unsigned records = (unsigned)c->aux_records;

    if (c->aux_truncated)
        warn(p, "AUX data lost %llu times out of %u!\n\n",
             (unsigned long long)c->aux_truncated, records);
    if (c->aux_partial)
        warn(p,
             "AUX data had gaps in it %llu times out of %u!\n\n"
             "Are you running a KVM guest in the background?\n\n",
             (unsigned long long)c->aux_partial, records);
    if (c->aux_collision)
        warn(p, "AUX data detected collision  %llu times out of %u!\n\n",
             (unsigned long long)c->aux_collision, records);
}

static void warn_unknown(const struct plan *p, const struct run_counts *c)
{
    if (c->unknown_records)
        warn(p,
             "Found %u unknown events!\n\n"
             "Is this an older tool processing a perf.data file generated by a more "
             "recent "
             "tool?\n\nIf that is not the case, consider reporting to "
             "linux-kernel@vger.kernel.org.\n\n",
             (unsigned)c->unknown_records);
    if (c->unknown_ids)
        warn(p, "%u samples with id not present in the header\n",
             (unsigned)c->unknown_ids);
    if (c->unprocessable)
        warn(p,
             "%u unprocessable samples recorded.\n"
             "Do you have a KVM guest running and not using 'perf kvm'?\n",
             (unsigned)c->unprocessable);
}

/* The order is perf's, as are the words with their misprints and line ends. */
void counts_warn(const struct run_counts *c, const struct plan *p)
{
    if (p->opt.unwarned)
        return;
    if (!p->opt.unseen) { /* perf says nothing of records that it only passes on */
        warn_lost(p, c);
        warn_aux(p, c);
    }
    warn_unknown(p, c);
    if (c->unordered)
        warn(p, "%u out of order events recorded.\n", (unsigned)c->unordered);
    if (c->unknown_errors)
        warn(p, "%u unknown AUX errors\n", (unsigned)c->unknown_errors);
    if (c->trace_errors)
        warn(p, "%u instruction trace errors\n", (unsigned)c->trace_errors);
    if (c->proc_map_timeouts)
        warn(p,
             "%d map information files for pre-existing threads were\n"
             "not processed, if there are samples for addresses they\n"
             "will not be resolved, you may find out which are these\n"
             "threads by running with -v and redirecting the output\n"
             "to a file.\n"
             "The time limit to process proc map is too short?\n"
             "Increase it by --proc-map-timeout\n",
             (int)c->proc_map_timeouts);
}
