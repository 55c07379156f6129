/* export_options.c - the options of ptscript export, from their table.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/export/export_options.h"

#define OPTIONS struct export_given
#include "synth/plan/option_rows.h"

#include "decoder/base/diag.h"

#include <string.h>

static pts_status option_to(void *options, const char *value, struct pts_diag *why)
{
    struct export_given *g = options;

    if (strcmp(value, "sqlite") == 0)
        g->to = EXPORT_TO_SQLITE;
    else if (strcmp(value, "postgres") == 0)
        g->to = EXPORT_TO_POSTGRES;
    else
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        " Error: option `to' expects sqlite or postgres, not `%s'",
                        value);
    return PTS_OK;
}

static pts_status option_columns(void *options, const char *value, struct pts_diag *why)
{
    struct export_given *g = options;

    if (strcmp(value, "all") != 0 && strcmp(value, "branches") != 0)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        " Error: option `columns' expects all or branches, not `%s'",
                        value);
    g->what.branches = strcmp(value, "branches") == 0;
    return PTS_OK;
}

/* Those that mean the same to every run. */
static pts_status hand_on(void *options, const char *name, const char *value,
                          struct pts_diag *why)
{
    struct export_given *g = options;
    const struct pts_option o = {name, value};

    return options_parse(&g->run, &o, 1, why);
}

static pts_status option_itrace(void *options, const char *value, struct pts_diag *why)
{
    return hand_on(options, "itrace", value, why);
}

static pts_status option_no_itrace(void *options, const char *value,
                                   struct pts_diag *why)
{
    return hand_on(options, "no-itrace", value, why);
}

static pts_status option_jobs(void *options, const char *value, struct pts_diag *why)
{
    return hand_on(options, "jobs", value, why);
}

static const struct option_row rows[] = {
#include <ptscript/export.def>
    OPTION_ROWS_END,
};

pts_status export_options(struct export_given *g, const struct pts_option *options,
                          size_t count, pts_message_fn *message, void *message_ctx,
                          struct pts_diag *why)
{
    options_init(&g->run, message, message_ctx);
    pts_status st = option_rows_take(rows, g, options, count, why);
    if (st == PTS_OK && g->to == EXPORT_TO_NOTHING)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        " Error: export needs a kind of database: --to sqlite "
                        "or --to postgres");
    return st;
}
