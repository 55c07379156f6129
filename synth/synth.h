/* synth.h - from the events of the decoder and the samples of the file to lines of
 * text.
 *
 * SPDX-License-Identifier: MIT
 *
 * One synth is one run of perf script: the options, the events of the file and those
 * made from the trace, filters, call stacks and the state of the printer.  It must be
 * given everything in the order in which it is to be printed.
 */
#ifndef PTS_SYNTH_SYNTH_H
#define PTS_SYNTH_SYNTH_H

#include "synth/evlist.h"
#include "synth/fields.h"
#include "synth/fmt.h"
#include "synth/options.h"
#include "synth/sample.h"
#include "synth/select.h"
#include "synth/tracepoint.h"
#include "walker/flow.h"

/* What of the file matters.  All is lent: look, attrs and strings for the life of the
 * synth, the rest during the call. */
struct synth_setup {
    const struct options *options; /* copied */
    const struct evl_attr *attr;
    size_t attr_count;
    bool pipe;                 /* attrs came as records: they are checked one by one */
    struct fields_check check; /* which features the file has */
    uint32_t cpus_available;   /* NRCPUS, 0 without */
    bool native;               /* recorded on x86 (feature ARCH) */
    uint64_t clockid_ns, tod_ns;
    uint64_t first_sample, last_sample; /* feature SAMPLE_TIME, ns; 0 without */
    const uint64_t *aux; /* priv[] of an AUXTRACE_INFO of type 1; NULL: no trace */
    size_t aux_count;
    uint64_t aux_off; /* where that record is, and its size, header and all */
    uint32_t aux_size;
    uint64_t *failed_at; /* set to where perf says the record is that cannot be used */
    const char *cpuid;   /* feature CPUID; NULL without */
    const struct lookup *look;
    struct tracepoints *tracepoints;
};

/* What the decoder has to know. */
struct synth_needs {
    bool decode;           /* false: leave the trace alone */
    uint32_t events;       /* EV_*: those that lead to anything */
    uint32_t want_classes; /* of branches: as in struct flow_config */
    bool insn_bytes;       /* instruction bytes are printed */
    bool timeless;         /* ignore time: each queue by itself (spec C6.3) */
    bool approx_ipc;
    uint32_t quick; /* as in struct flow_config */
    enum flow_period period_unit;
    uint64_t period; /* ticks: not yet rounded down to a power of two */
    struct tsc_conv conv;
    uint32_t max_non_turbo, cbr_khz;
    bool cap_event_trace;
    uint32_t pt_event; /* index of the traced event; EVL_NONE: there is none */
    const struct flow_range *range; /* in ticks */
    size_t range_count;
    const struct cpu_set *cpus;
};

struct synth;

/* PTS_END: perf would end here, silently and with success (a message was sent). */
pts_status synth_new(const struct synth_setup *setup, struct synth **out,
                     struct pts_diag *why);
void synth_free(struct synth *s); /* NULL is fine */
const struct synth_needs *synth_needs(const struct synth *s);
const struct evlist *synth_evlist(const struct synth *s);
const struct options *synth_options(const struct synth *s);

/* One event of a queue and its payload.  Errors (EV_ERROR) go through here, too. */
pts_status synth_event(struct synth *s, uint32_t queue, const struct pt_event *ev,
                       struct pt_payload payload, const struct who *w, struct text *t);
/* An AUX_OUTPUT_HW_ID record: what a counter of the queue counts from here on. */
pts_status synth_counter(struct synth *s, uint32_t queue, uint64_t counter,
                         uint32_t event);
/* perf's flags of an event's branch (IPF_*): the session follows switches by them. */
uint32_t synth_flags(const struct synth *s, const struct pt_event *ev);
/* Whether perf unwinds stack dumps for what is printed. */
bool synth_unwinds(const struct synth *s);
/* Frames of a call chain: --max-stack, but g and G may ask for longer ones. */
uint64_t synth_max_stack(const struct synth *s);
/* Whether --time and -C let it pass: perf looks at these before all else. */
bool synth_sample_in_time(const struct synth *s, const struct sample *sample);
/* A sample of the file: filtered and printed. */
pts_status synth_sample(struct synth *s, const struct sample *sample, struct text *t);
/* An AUX record with the TRUNCATED flag: error 8, if errors are wanted. */
void synth_lost(struct synth *s, int32_t cpu, int32_t pid, int32_t tid,
                uint64_t time_ns, struct text *t);
/* The columns in front of a shown side-band record (its event, who, time and misc are
 * in sample); false: the record is filtered by -C. */
bool synth_record_start(struct synth *s, const struct sample *sample,
                        uint32_t record_type, struct text *t);

/* Counts of the file that lead to warnings at the end (spec E01 to E08). */
struct run_counts {
    uint64_t records; /* all, also made samples and errors */
    uint64_t lost_records, lost_samples, samples;
    uint64_t aux_records, aux_truncated, aux_partial, aux_collision;
    uint64_t unknown_records, unknown_ids, invalid_chains, unprocessable;
    uint64_t unordered, proc_map_timeouts;
    uint64_t trace_errors,
        unknown_errors; /* recorded: AUXTRACE_ERROR of type 1 and 0 */
    bool more_namespaces, fewer_namespaces; /* than perf knows: it has been said */
};
/* perf's warnings, in its order, to the message function of the options. */
void synth_finish(struct synth *s, const struct run_counts *counts);
/* How many records perf would have made up from the trace so far. */
uint64_t synth_made(const struct synth *s);

#endif
