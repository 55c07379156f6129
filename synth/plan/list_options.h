/* list_options.h - the options of a list of events.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PLAN_LIST_OPTIONS_H
#define PTS_SYNTH_PLAN_LIST_OPTIONS_H

#include <ptscript/session.h>
#include <stdbool.h>

struct list_opts {
    bool verbose, freq, group, trace_fields;
};

/* As options_parse.  *o is zero before. */
pts_status list_options(struct list_opts *o, const struct pts_option *options,
                        size_t count, struct pts_diag *why);

#endif
