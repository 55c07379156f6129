/* sql.h - tables and views of a database, for any kind of it.
 *
 * SPDX-License-Identifier: MIT
 *
 * They are those of perf's export-to-sqlite.py and export-to-postgresql.py, so that programs
 * written for these, such as exported-sql-viewer.py, can use them.  What differs between
 * the kinds of databases is in a struct sql_dialect.
 */
#ifndef PTS_SYNTH_EXPORT_SQL_H
#define PTS_SYNTH_EXPORT_SQL_H

#include "synth/export/rows.h"
#include "synth/print/text.h"

#include <stdbool.h>

enum sql_type { SQL_ID, SQL_BIGINT, SQL_INTEGER, SQL_BOOLEAN, SQL_FLAG, SQL_TEXT };

struct sql_column {
    const char *name;
    enum sql_type type;
    uint16_t len; /* of text: how many characters */
    bool all;     /* only among "all" columns */
};

enum sql_when { SQL_ALWAYS, SQL_PATHS, SQL_CALLS, SQL_IF_USED };

struct sql_table {
    const char *name;
    enum sql_when when;
    enum sql_type id; /* of its first column */
    const struct sql_column *column;
    size_t count;
};

/* In the order in which they are made. */
enum sql_table_id {
    SQL_SELECTED_EVENTS,
    SQL_MACHINES,
    SQL_THREADS,
    SQL_COMMS,
    SQL_COMM_THREADS,
    SQL_DSOS,
    SQL_SYMBOLS,
    SQL_BRANCH_TYPES,
    SQL_SAMPLES,
    SQL_CALL_PATHS,
    SQL_CALLS_TABLE,
    SQL_PTWRITE,
    SQL_CBR,
    SQL_MWAIT,
    SQL_PWRE,
    SQL_EXSTOP,
    SQL_PWRX,
    SQL_CONTEXT_SWITCHES,
    SQL_TABLES
};
extern const struct sql_table sql_tables[SQL_TABLES];

/* What was asked for. */
struct sql_opts {
    bool branches; /* without the columns that branches do not need */
    bool calls, callchains;
};

enum { SQL_COLUMNS_MAX = 25 };

/* A row of a table, as many values as it has columns. */
struct sql_row {
    enum sql_table_id table;
    size_t count;
    const struct export_value *value; /* lent, or `own` */
    struct export_value own[SQL_COLUMNS_MAX];
};

/* False: no table takes such a row. */
bool sql_row_of(const struct export_row *row, const struct sql_opts *o,
                struct sql_row *out);
/* Rows that stand for what is not known, number i of them; false: there are no more. */
bool sql_unknown(size_t i, const struct sql_opts *o, struct sql_row *out);

/* Whether a table is among those asked for. */
bool sql_has_table(enum sql_table_id t, const struct sql_opts *o);
/* Whether it stays, by how many rows each got: some are only kept with rows, those of power
 * events together. */
bool sql_stays(enum sql_table_id t, const uint64_t rows[SQL_TABLES]);

/* How a kind of database writes it. */
struct sql_dialect {
    /* Of a column; that of text is followed by "(N)".  SQL_ID: all that is said of it; NULL: it is
     * a number like others, and never missing. */
    const char *type[SQL_TEXT + 1];
    const char *transaction;  /* the name of that column */
    const char *hex;          /* begins a call that makes hexadecimal digits */
    const char *ipc;          /* instructions per cycle of the columns of those names */
    const char *no;           /* a boolean that is not */
    const char *as_text;      /* follows a number that stands among texts */
    const char *power_events; /* that view */
};

/* Append one statement, without its end. */
void sql_create_table(struct text *t, enum sql_table_id id, const struct sql_opts *o,
                      const struct sql_dialect *d);
/* Views: number i; false: there are no more.  Nothing is appended for one whose tables are not
 * there. */
bool sql_create_view(struct text *t, size_t i, const uint64_t rows[SQL_TABLES],
                     const struct sql_opts *o, const struct sql_dialect *d);

#endif
