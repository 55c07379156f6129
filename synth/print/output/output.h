/* output.h - a kind of text that a recording can be given out as.
 *
 * SPDX-License-Identifier: MIT
 *
 *     outputs.def     OUTPUT("script", output_script)     a row for each
 *     output_script   options -> struct output            in a file of its own
 *     stream.c        run, sink, pieces of text           the same for all of them
 *
 * docs/add-an-output.md shows how to write one.
 */
#ifndef PTS_SYNTH_PRINT_OUTPUT_OUTPUT_H
#define PTS_SYNTH_PRINT_OUTPUT_OUTPUT_H

#include "synth/print/text.h"
#include "synth/sample/sink.h"

/* What there is when an output is opened; all but the options lent for its life. */
struct output_from {
    const struct perf_file *file;
    const struct evl_attr *attr; /* of the file's events */
    size_t attr_count;
    pts_message_fn *message; /* where warnings go */
    void *message_ctx;
    const struct pts_option *option; /* as the caller gave them, lent during the call */
    size_t option_count;
    const struct pts_option *config; /* perf's configuration */
    size_t config_count;
    bool scripted; /* samples and errors go to a script */
    bool reported; /* the dump is that of perf report */
    size_t room;   /* a sink takes no more items when there are so many bytes of text */
};

struct output {
    struct text text; /* to be appended to; it is taken away from time to time */
    void *ctx;
    /* Options of the run that is needed; NULL: all text has been appended. */
    const struct options *options;
    bool refuses; /* that run, by what the recording lacks: no script need begin */
    struct sink sink;
    /* What perf prints before it meets the record at `shown`, which it cannot use (most of
     * a pipe), and at its end: there is no run then.  May be NULL. */
    void (*before)(void *ctx, const struct perf_order *order, uint64_t shown);
    /* What the run ends with there, *why being what is wrong with that record; NULL: as it is. */
    pts_status (*refused)(void *ctx, struct pts_diag *why);
    void (*close)(void *ctx); /* also after a failure, if it was set; may be NULL */
};

/* Fills *out, which is zero and stays where it is.  PTS_E_USAGE and so on: what is wrong with the options. */
typedef pts_status output_open_fn(const struct output_from *from, struct output *out,
                                  struct pts_diag *why);

/* --- outputs.c --- */

/* The row with this name, or NULL. */
output_open_fn *output_find(const char *name);

#endif
