/* report_options.h - what a report is to show.
 *
 * SPDX-License-Identifier: MIT
 *
 *     options          -> struct report_opts    as they were given
 *     report_set_up    -> modes, columns        what they mean for this recording
 */
#ifndef PTS_SYNTH_REPORT_REPORT_OPTIONS_H
#define PTS_SYNTH_REPORT_REPORT_OPTIONS_H

#include "synth/plan/event_attr.h"
#include "synth/plan/options.h"
#include "synth/plan/select.h"
#include "synth/report/frames.h"
#include "synth/report/key/key_field.h"

enum chain_mode { CHAIN_GRAPH, CHAIN_FRACTAL, CHAIN_FLAT, CHAIN_FOLDED, CHAIN_NONE };
enum chain_value { CHAIN_PERCENT, CHAIN_PERIOD, CHAIN_COUNT };

struct chain_opts {
    enum chain_mode mode;
    enum chain_value value;
    enum frame_key key;
    bool asked; /* -g was given, */
    bool alone; /* ... without words */
    bool callers_first, order_set;
    bool branches; /* among the frames */
    double min_percent;
    uint32_t most; /* entries of a level that are printed */
};

/* Without its fraction, for any number that a user may think of: those that do not fit become
 * what an x86-64 makes of them. */
static inline uint64_t chain_whole(double number)
{
    const double half = 0x1p63;

    if (!(number >= -half)) /* nor is "nan" */
        return UINT64_C(1) << 63;
    if (number < half)
        return (uint64_t)(int64_t)number;
    return number < 2 * half ? (uint64_t)number : 0;
}

/* What a chain must weigh to be shown, of a total. */
static inline uint64_t chain_least_of(const struct chain_opts *c, uint64_t total)
{
    return chain_whole((double)total * (c->min_percent / 100.0));
}

enum column_kind {
    COLUMN_CHILDREN,
    COLUMN_OVERHEAD,
    COLUMN_SYS,
    COLUMN_US,
    COLUMN_GUEST_SYS,
    COLUMN_GUEST_US,
    COLUMN_SAMPLES,
    COLUMN_PERIOD,
    COLUMN_KEY
};

struct column {
    enum column_kind kind;
    const struct key *key; /* of COLUMN_KEY */
    uint32_t at;           /* among all, shown or not */
    uint32_t level; /* keys of --sort within braces have the same one; see below */
};

/* Events of a group. */
enum report_group { REPORT_AS_RECORDED, REPORT_APART, REPORT_TOGETHER };

#define TREE_FRONT   UINT32_MAX
#define TREE_NO_ROWS (UINT32_MAX - 1)

enum { COLUMNS_MAX = KEYS_MAX + 12, WIDTHS_MAX = COLUMNS_MAX };

/* What --sort and --fields ask for, of all events together. */
struct column_lists {
    VEC(struct column) sort, field;
    bool has_fields; /* of tracepoints */
};

/* Strings are the caller's, but for those in sel. */
struct report_opts {
    struct options run;
    struct chain_opts chain;
    enum report_group group;
    bool group_asked; /* by an option, for or against it */
    bool threads;     /* counters of threads, behind all */
    const char *pretty;
    const char *sort, *fields, *separator, *dsos, *comms, *symbols, *pids, *tids, *cpu,
        *default_sort, *parent, *symbol_filter;
    int64_t group_sort; /* by which event of a group; below 1: by the one that leads */
    const char *ignore_callees; /* functions at which chains begin */
    bool exclude_other;         /* only rows with a parent */
    bool quiet, stdio, header, header_only, show_info, ns, inlined, skip_empty;
    bool show_samples, show_modes, show_period, hide_unresolved, relative;
    bool total_cycles; /* blocks by their cycles, where branches are counted */
    /* Of perf's screen, and of code that is shown there: a text has nothing of it. */
    bool of_screen;
    const char *annotation, *prefix, *prefix_strip;
    int64_t kept_samples;
    bool disable_order; /* of a dump */
    bool mem_mode;      /* accesses to memory, by what they cost */
    bool
        ref_chains; /* events without call chains show those that callers were counted by */
    bool raw_trace; /* fields of tracepoints as they are */
    bool colour;    /* of percentages */
    bool stats, tasks, mmaps, hierarchy, history, no_branches, branch_asked;
    double percent_limit;
    int64_t socket;          /* only rows of this one; below 0: of all */
    pts_message_fn *message; /* of errors; run.message: also of warnings */
    uint64_t time_quantum;   /* ns */
    uint32_t width[WIDTHS_MAX], width_count;

    /* From here on by report_set_up. */
    struct field_keys fields_of; /* the tracepoints' fields that are keys */
    struct column_lists lists;
    struct select sel; /* what rows are shown */
    struct cpu_set cpus;
    uint64_t max_stack;
    bool no_chain_data;  /* -g was given */
    bool no_parent_data; /* a key asks for it */
    bool no_branch_data; /* rows of branches are wanted */
    bool no_mem_data;    /* the same of accesses to memory */
    bool bad_list; /* of --dsos and the like, which perf says behind its first lines */
    struct pts_diag list_problem;
    bool children, chains, branches;
    bool no_children; /* they were to be counted, but there are no callers */
    bool srclines, srcfiles, branch_lines, parents, traces; /* a key asks */
    bool by_trace;  /* all events are tracepoints, and nobody says what rows are by */
    bool mem_clash; /* branches are to be counted as well */
    bool mem_keys;  /* there are those of --mem-mode */
    bool more, around,
        times; /* the same: of what few samples have, of the machine; when */
    bool hops; /* branches are counted in chains, which all samples have */
    struct column column[COLUMNS_MAX], rank[COLUMNS_MAX];
    struct column elided[COLUMNS_MAX]; /* not shown, for there is only one */
    uint32_t column_count, rank_count, elided_count, column_all;
    const struct key *key[KEYS_MAX]; /* what makes rows different */
    /* --hierarchy (there `at` of a column says of which level it is): the columns of the first level stand in front of all rows (TREE_FRONT), those
     * of the others below each other.  If all are below, those of the first are also in front. */
    uint32_t key_level[KEYS_MAX];                 /* on which each of them is */
    uint32_t tree_front, tree_levels, tree_nodes; /* in front: columns; all levels */
    uint32_t key_count;
    bool
        by_dso; /* files are among the keys of --sort; for perf --fields is not enough */
    bool collapses;  /* perf goes over the rows again, as names may have changed */
    bool stats_read; /* --stats: samples may be of several events */
    bool by_socket;  /* rows of other sockets are not shown */
    bool by_parent;  /* callers are needed: the key is one of --sort */
    bool by_moment;  /* they are not the same each time for an address */
    bool is_own;     /* of one event; those of the next ones lie behind it */
    bool raws;       /* fields of tracepoints are keys */
    bool features;   /* of a pipe: printed as they come, with -q, too */
    bool dumps;      /* some samples may have stacks to unwind */
    bool by_tree;    /* their order contradicts itself (hists.h) */
    bool by_name;    /* it does once there is one of a thread that is named later */
};

/* Records are listed or counted, not samples. */
static inline bool report_is_list(const struct report_opts *o)
{
    return o->stats || o->tasks;
}

/* What of the recording matters. */
struct report_facts {
    const struct evl_attr *attr;
    size_t attr_count;
    struct pts_bytes formats;            /* of tracepoints */
    bool tracepoints;                    /* all events are */
    bool pipe, has_trace, branch_stacks; /* these two: features */
    bool traced;   /* a trace is there, also without the feature */
    uint32_t cpus; /* available */
};

/* What options begin with, but for what perf's configuration says. */
void report_defaults(struct report_opts *o, pts_message_fn *message, void *message_ctx);
/* report_config.c: the keys of a configuration that matter here. */
pts_status report_config(struct report_opts *o, const struct pts_option *settings,
                         size_t count, struct pts_diag *why);
/* As options_parse. */
pts_status report_options(struct report_opts *o, const struct pts_option *list,
                          size_t count, struct pts_diag *why);
/* report_set_up.c.  PTS_END: perf would end here with success (a message was sent). */
pts_status report_set_up(struct report_opts *o, const struct report_facts *facts,
                         struct pts_diag *why);
/* The same of what perf only finds out when it has printed the first lines. */
pts_status report_check(struct report_opts *o, const struct report_facts *facts);
/* Columns and keys of one event, where fields are keys: a copy of all options; nothing in it is
 * to be given back. */
pts_status report_own_columns(const struct report_opts *o, uint32_t event,
                              struct report_opts *own, struct pts_diag *why);
void report_options_free(struct report_opts *o);

/* --- Between its files: report_columns.c ------------------------------------------- */

/* The words of -g. */
pts_status report_chain_words(struct chain_opts *c, const char *words,
                              struct pts_diag *why);
/* Columns and keys from --sort and --fields; the same. */
pts_status report_columns(struct report_opts *o, struct pts_diag *why);
/* --mem-mode: what rows are sorted by, as perf says it. */
void report_sort_text(const struct report_opts *o, struct text *t);
/* Sends a message and ends quietly. */
pts_status report_quit(const struct report_opts *o, const char *text);
/* The i-th word for a column of numbers; NULL: there are no more. */
const char *report_number_name(size_t i);

/* --- report_usage.c ------------------------------------------------------------------ */

/* report_quit with text, the words that --sort and --fields take, and more. */
pts_status report_usage(const struct report_opts *o, bool sort, bool fields,
                        const char *text, const char *more);

#endif
