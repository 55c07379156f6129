/* list_options.c - the options of a list of events, from their table.
 *
 * SPDX-License-Identifier: MIT
 *
 * The rows are those that the program reads and explains (evlist.def); here each
 * becomes a member of struct list_opts.
 */
#include "synth/plan/list_options.h"

#define OPTIONS struct list_opts
#include "synth/plan/option_rows.h"

#include "decoder/base/diag.h"

static const struct option_row rows[] = {
#include <ptscript/evlist.def>
    OPTION_ROWS_END,
};

pts_status list_options(struct list_opts *o, const struct pts_option *options,
                        size_t count, struct pts_diag *why)
{
    pts_status st = option_rows_take(rows, o, options, count, why);

    if (st == PTS_OK && o->group && (o->verbose || o->freq))
        return diag_set(
            why, PTS_E_USAGE, UINT64_MAX,
            "  Error: --group option is not compatible with other options\n");
    return st;
}
