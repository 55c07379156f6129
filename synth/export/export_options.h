/* export_options.h - the options of ptscript export, from their table.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_EXPORT_EXPORT_OPTIONS_H
#define PTS_SYNTH_EXPORT_EXPORT_OPTIONS_H

#include "synth/export/sql.h"
#include "synth/plan/options.h"

enum export_target { EXPORT_TO_NOTHING, EXPORT_TO_SQLITE, EXPORT_TO_POSTGRES };

struct export_given {
    enum export_target to;
    struct sql_opts what;
    struct options run;
};

/* PTS_E_USAGE: what is wrong; PTS_E_UNSUPPORTED names the option. */
pts_status export_options(struct export_given *g, const struct pts_option *options,
                          size_t count, pts_message_fn *message, void *message_ctx,
                          struct pts_diag *why);

#endif
