/* database.h - a database that rows go into, whatever kind it is.
 *
 * SPDX-License-Identifier: MIT
 *
 * It is made under another name, and gets its own when it is whole.
 */
#ifndef PTS_SYNTH_EXPORT_DATABASE_H
#define PTS_SYNTH_EXPORT_DATABASE_H

#include "synth/export/sql.h"

#include <ptscript/status.h>

/* What is wanted; lent for the life of the database. */
struct database_ask {
    const char *name;
    bool replace; /* what has that name gives way; else that is a failure */
    struct sql_opts opts;
    struct pts_diag *why; /* of any failure */
};

struct database {
    struct export_to to; /* rows */
    /* All rows are there: keys, indexes, views; then it gets its name. */
    pts_status (*finish)(void *ctx);
    void (*close)(void *ctx); /* what has no name yet is gone */
};

/* Each kind fails with PTS_E_UNSUPPORTED if this library was built without it. */
pts_status sqlite_open(const struct database_ask *ask, struct database *out);
pts_status postgres_open(const struct database_ask *ask, struct database *out);

#endif
