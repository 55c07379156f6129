/* script.h - the text of perf script: what its files share.
 *
 * SPDX-License-Identifier: MIT
 *
 * Everything that perf script writes to its standard output is made here, from batches
 * and from what the file says of itself; the folders beside this one have the parts.
 *
 *     script_output.c    options, checks, the output's sink
 *       item: sample     out_perf           its line
 *             error      rec_text_error     " instruction trace error type 1 ..."
 *             record     script_records.c   --show-*-events; FEATURE: script_features.c
 *             any        script_dump.c      -D
 */
#ifndef PTS_SYNTH_PRINT_SCRIPT_SCRIPT_H
#define PTS_SYNTH_PRINT_SCRIPT_SCRIPT_H

#include "synth/plan/fields.h"
#include "synth/print/dump/out_dump.h"
#include "synth/print/line/out_perf.h"
#include "synth/print/output/output.h"
#include "synth/print/record/stat_table.h"
#include "synth/print/script/event_files.h"
#include "synth/print/script/press.h"
#include "synth/print/tracepoint/tracepoint.h"

struct script {
    struct output_from from;
    struct options opt;
    struct text *text;
    struct fields fields; /* checks drop what cannot be printed */
    struct fields_check check;
    bool feature_seen[PTS_FEAT_END]; /* those that were records so far */

    struct scene scene; /* from here on after begin */
    struct resolve *resolve;
    struct places *places;
    struct tracepoints *tracepoints;
    struct out_perf *lines;
    struct press *press;     /* NULL: all lines are made one after the other */
    struct stat_table *stat; /* NULL: no record of perf stat yet */
    struct dump dump;
    struct event_files files; /* --per-event-dump */
    bool dumps;               /* script_dumps */
    uint64_t printed;         /* what --limit counts */
    bool in_trace;            /* some of its packets have been printed */
    uint32_t epoch;           /* of the record on its way */
};

/* --- script_checks.c: which fields can be printed --- */

void script_checks_init(struct script *s);
/* Whether check_file will refuse the recording for the texts of its tracepoints. */
bool script_lacks_formats(const struct script *s);
struct wants script_wants(struct script *s);

/* --- script_features.c: what a recording says of itself --- */

/* The block of --header, in front of all else. */
void script_header(struct script *s);
/* Whether FEATURE records are printed. */
bool script_shows_features(const struct script *s);
/* The text of a FEATURE record. */
void script_feature(struct script *s, const struct record *rec);

/* --- script_records.c: the lines of --show-*-events, and of perf stat --- */

/* Whether records of a type have a line in this run. */
bool script_shows(const struct script *s, uint32_t type);
void script_show(struct script *s, const struct record *rec);
pts_status script_stat(struct script *s, const struct record *rec);
/* What the texts of records only mention. */
struct rec_names script_names(struct script *s);

/* --- script_press.c: lines by several at once --- */

/* The functions of a sink for those who help. */
bool script_parts(void *script);
pts_status script_employ(void *script, struct crew *crew);
size_t script_room(void *script);
pts_status script_keep(void *script, struct batch *b);
pts_status script_rest(void *script);

/* --- script_output.c --- */

/* Makes what prints the lines of samples. */
pts_status script_lines_new(struct script *s, struct places *places,
                            struct out_perf **out);
/* Appends the text of an item, or its first part; *done: all of it. */
pts_status script_put(struct script *s, const struct item *item, bool *done);

/* --- script_dump.c: -D --- */

static inline bool script_dumps(const struct script *s)
{
    return s->opt.dump || s->opt.dump_unsorted;
}

void script_dump_begin(struct script *s);
void script_dump_record(struct script *s, uint64_t off);
void script_dump_trace(struct script *s, uint64_t off);
/* The records in front of the one at `shown`, which perf cannot use. */
void script_before(void *script, const struct perf_order *order, uint64_t shown);
/* In front of the line of a sample. */
void script_dump_sample(struct script *s, const struct sample *sample);

#endif
