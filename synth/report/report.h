/* report.h - the text of perf report: what its files share.
 *
 * SPDX-License-Identifier: MIT
 *
 *     report_prepare.c   options, and what is said before a run
 *     report_output.c    the sink
 *       sample           count.c          into rows, with its callers or branches
 *       end              warn.c           what is said beside the text
 *                        report_events.c  what was counted, in order
 *                        report_text.c    the rows
 *                        graph_text.c, flat_text.c    and their call chains
 */
#ifndef PTS_SYNTH_REPORT_REPORT_H
#define PTS_SYNTH_REPORT_REPORT_H

#include "synth/print/output/output.h"
#include "synth/report/key/around.h"
#include "synth/report/blocks.h"
#include "synth/report/branch_stats.h"
#include "synth/report/counters.h"
#include "synth/print/tracepoint/tracepoint.h"
#include "synth/report/memo.h"
#include "synth/report/path_sums.h"
#include "synth/report/report_text.h"
#include "synth/report/tasks.h"

/* One more than the last type that perf may count. */
enum { REPORT_TYPES = 128 };

/* What --stats counts. */
struct report_stats {
    uint64_t type[REPORT_TYPES], all;
    struct {
        uint64_t samples, lost;
    } * event;
};

struct report {
    struct output_from from;
    struct report_opts opts;
    struct text *text;
    bool feature_seen[PTS_FEAT_END]; /* of a pipe: those that were records so far */
    bool features_end;               /* ... and that no more come */
    struct scene scene;              /* from here on after begin */
    struct resolve *resolve;
    struct places *places;
    struct strings strings;
    struct lines lines;
    struct key_context keys;
    struct hists *hists;             /* of each event */
    struct report_opts *own;         /* the same; NULL: all have the same columns */
    struct tracepoints *tracepoints; /* NULL: nobody asks for them, or none is told */
    struct text traced;              /* one at a time */
    struct parents *parents;         /* NULL: nobody asks for them */
    struct parents *first;           /* of --ignore-callees; NULL: the same */
    struct subject_more more;        /* that of the sample on its way */
    struct subject_mem mem;          /* the same */
    struct spot_of from_spot;        /* the same of a branch */
    bool begun; /* a function that it has stands for the sample on its way */
    struct frames frames;
    struct frame_known *frames_known; /* NULL: chains are not long enough for it */
    struct who framed;                /* whose they are */
    struct memo_slot *memo;           /* NULL: rows depend on the moment */
    struct memo_owners owners;
    struct last_owner {
        struct who who;
        uint32_t event, number;
        uint8_t mode;
        bool known;
        const char *comm, *last_comm, *made_up; /* as in a subject */
        uint32_t named;
    } owner;
    struct paths paths;
    struct path_sums sums; /* known when all samples have come */
    struct last_chain {    /* of paths, which do not fill frames */
        struct who who;
        VEC(uint64_t) word;
        bool whole, known;
    } chain;
    uint32_t *counted; /* rows that the sample on its way was counted in */
    size_t counted_cap;
    uint64_t lost;
    struct report_stats stats;
    struct report_dump {
        struct sink sink;
        void *ctx; /* NULL: there is none */
        void (*before)(void *ctx, const struct perf_order *order, uint64_t shown);
        void (*close)(void *ctx);
    } dump;
    struct branch_stats kinds;
    struct counters counters;
    struct around around; /* what some keys ask for */
    struct blocks blocks; /* --total-cycles */
    bool any_branch;      /* ... of stacks that have all branches */
    struct tasks *tasks;  /* NULL: they are not listed */
    bool kernel_hit;      /* a sample was in the kernel's code */
};

/* What is asked for, of an event. */
static inline const struct report_opts *report_opts_of(const struct report *r,
                                                       size_t event)
{
    return r->own ? &r->own[event] : &r->opts;
}

/* report_prepare.c: all options.  PTS_END: there is nothing to run, and all has been said. */
pts_status report_prepare(struct report *r, const struct output_from *from,
                          struct pts_diag *why);
/* report_events.c: whether there is anything to show, and what it is. */
bool report_has_rows(const struct report *r);
pts_status report_put_events(struct report *r);
/* count.c: a sample, in the rows that it belongs to. */
pts_status report_count(struct report *r, const struct sample *s);
/* count_series.c */
pts_status report_count_series(struct report *r, const struct series *of);
/* path_trees.c: all have been; and, when rows are in order, their chains. */
pts_status report_counted(struct report *r);
pts_status report_chained(struct report *r);
/* groups.c: events that were counted together. */
struct report_groups {
    struct evl_groups of;
    bool forced;   /* it is one of all, which --group or --no-group made */
    bool together; /* they are shown side by side */
    uint32_t
        led; /* by an event of a trace, which perf takes out of it: 1 + that; 0: none */
};
/* Zero-initialised; give `of` back. */
pts_status report_groups(const struct report *r, struct report_groups *g);
/* --group-sort-idx: whether there are groups that it can be about. */
pts_status report_check_groups(const struct report *r, struct pts_diag *why);
/* How many are counted together with this one, if it leads them. */
uint32_t report_members(const struct report_groups *g, uint32_t event, bool *leads);
/* Of events side by side, with its end. */
void report_group_name(const struct report *r, const struct report_groups *g,
                       uint32_t leader, uint32_t members, struct text *t);
/* stats.c: records by their types, in place of rows. */
void stats_count(struct report *r, uint64_t off);
/* A sample of theirs, where a record may be several. */
void stats_sample(struct report *r, const struct sample *s);
void stats_text(struct report *r);
/* report_dump.c: -D, the text of perf script's with counts behind it. */
pts_status report_dump_open(struct report *r, const struct output_from *from,
                            struct output *out, struct pts_diag *why);
void report_dump_before(void *report, const struct perf_order *order, uint64_t shown);
/* warn.c: what perf says before it prints. */
void report_warn(const struct report *r);
/* A note where filters let no row pass: an empty report may be a slip of the pen. */
void report_note_filtered(const struct report *r);

/* --- report_features.c ------------------------------------------------------------- */

/* The header; of a pipe with --header-only all that it says. */
void report_header(struct report *r);
/* Whether features are looked at as they come, */
bool report_wants_features(const struct report *r);
/* ... each of them. */
void report_feature(struct report *r, const struct record *rec);

#endif
