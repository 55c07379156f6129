/* rows.h - what a recording becomes as rows of tables: the seam to whoever takes them.
 *
 * SPDX-License-Identifier: MIT
 *
 * A row is what perf 6.1 hands to a script that exports to a database: a table and a list of
 * values, in the order and with the ids of perf.  A row comes before all that refer to it.
 *
 *     run -> sink (export.h) -> row, row, row ... -> SQLite, PostgreSQL, a script's functions
 *
 * tables.def has the tables and how many values a row of each has.
 */
#ifndef PTS_SYNTH_EXPORT_ROWS_H
#define PTS_SYNTH_EXPORT_ROWS_H

#include <ptscript/status.h>
#include <stddef.h>
#include <stdint.h>

enum export_table {
#define EXPORT_TABLE(id, name, values) EXPORT_##id,
#include "synth/export/tables.def"
#undef EXPORT_TABLE
    EXPORT_TABLES
};

enum export_kind {
    EXPORT_INT,   /* addresses are negative where their highest bit is set */
    EXPORT_TEXT,  /* as the recording has it: any bytes but NUL */
    EXPORT_BYTES, /* raw data of a made sample */
    EXPORT_REAL   /* only in tables that are made of such data (sql.h) */
};

/* Lent during the call. */
struct export_value {
    enum export_kind kind;
    size_t len; /* of text and bytes */
    union {
        int64_t n;
        double real;
        const char *text; /* NUL-terminated */
        const uint8_t *bytes;
    };
};

struct export_row {
    enum export_table table;
    size_t count;
    const struct export_value *value;
};

/* Who takes rows.  A failure ends the run. */
struct export_to {
    void *ctx;
    pts_status (*row)(void *ctx, const struct export_row *row);
};

#define EXPORT_N(x)                                                                    \
    {                                                                                  \
        .kind = EXPORT_INT, .n = (int64_t)(x)                                          \
    }
#define EXPORT_S(s)                                                                    \
    {                                                                                  \
        .kind = EXPORT_TEXT, .len = strlen(s), .text = (s)                             \
    }

static inline pts_status export_put(const struct export_to *to, enum export_table table,
                                    const struct export_value *value, size_t count)
{
    return to->row(to->ctx, &(struct export_row){table, count, value});
}

/* With an array, whose values are counted. */
#define EXPORT_PUT(to, table, value)                                                   \
    export_put(to, EXPORT_##table, value, sizeof(value) / sizeof((value)[0]))

#endif
