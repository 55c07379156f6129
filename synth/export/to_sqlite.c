/* to_sqlite.c - rows into a new SQLite database, by libsqlite3.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nobody else knows of the file while it is written, and one that is not finished is removed: so
 * there is no journal, nothing is synced, and all is one transaction.
 *
 * Rows of numbers, which are nearly all, go in by many at a time: a statement costs as much as
 * three rows in it.
 *
 * The library is loaded when somebody asks for it, and every other run starts without.
 */
#include "synth/export/database.h"

#include "decoder/base/diag.h"

#ifdef PTS_HAVE_SQLITE

#include "decoder/base/arena.h"
#include "decoder/base/sys.h"
#include "synth/export/held_file.h"
#include "synth/export/utf8.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libsqlite3.so.0"

enum { MANY = 16 };

/* Its functions, once it is loaded. */
static struct {
    __typeof__(sqlite3_errcode) *code;
    __typeof__(sqlite3_errmsg) *error;
    __typeof__(sqlite3_exec) *exec;
    __typeof__(sqlite3_prepare_v2) *prepare;
    __typeof__(sqlite3_bind_text64) *bind_text;
    __typeof__(sqlite3_bind_int64) *bind_int;
    __typeof__(sqlite3_bind_double) *bind_real;
    __typeof__(sqlite3_step) *step;
    __typeof__(sqlite3_reset) *reset;
    __typeof__(sqlite3_open_v2) *open;
    __typeof__(sqlite3_finalize) *finalize;
    __typeof__(sqlite3_close) *close;
    bool there;
} lib;

static void load(void)
{
    static const struct sys_wanted wanted[] = {
        {"sqlite3_errcode",     &lib.code     },
        {"sqlite3_errmsg",      &lib.error    },
        {"sqlite3_exec",        &lib.exec     },
        {"sqlite3_prepare_v2",  &lib.prepare  },
        {"sqlite3_bind_text64", &lib.bind_text},
        {"sqlite3_bind_int64",  &lib.bind_int },
        {"sqlite3_bind_double", &lib.bind_real},
        {"sqlite3_step",        &lib.step     },
        {"sqlite3_reset",       &lib.reset    },
        {"sqlite3_open_v2",     &lib.open     },
        {"sqlite3_finalize",    &lib.finalize },
        {"sqlite3_close",       &lib.close    },
    };

    lib.there = sys_library(LIBRARY, wanted, sizeof(wanted) / sizeof(wanted[0]));
}

static bool is_there(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    return pthread_once(&once, load) == 0 && lib.there;
}

/* Rows on their way. */
struct waiting {
    struct export_value *value; /* MANY rows, or NULL: none came yet */
    size_t rows, count;         /* of values in each */
    sqlite3_stmt *insert;       /* of MANY rows */
};

struct to_sqlite {
    struct database_ask ask;
    sqlite3 *db;
    sqlite3_stmt *insert[SQL_TABLES];
    struct waiting wait[SQL_TABLES];
    uint64_t rows[SQL_TABLES]; /* besides those of what is not known */
    struct text text;          /* of the statement on its way, or a name */
    struct held_file file;
};

static const struct sql_dialect dialect = {
    .type = {[SQL_ID] = "integer NOT NULL PRIMARY KEY",
             [SQL_BIGINT] = "bigint",
             [SQL_INTEGER] = "integer",
             [SQL_BOOLEAN] = "boolean",
             [SQL_FLAG] = "integer",
             [SQL_TEXT] = "varchar"},
    .transaction = "transaction_", /* the other is a word of the language */
    .hex = "printf('%x',",
    .ipc = "CASE WHEN cyc_count=0 THEN 0.0"
           " ELSE ROUND(CAST(insn_count AS FLOAT)/cyc_count,2) END",
    .no = "0",
    .as_text = "",
#define OF(table, value, name)                                                         \
    "CASE WHEN e.name='" table "' THEN (SELECT " value " FROM " table                  \
    " WHERE id=s.id) ELSE '' END AS " name
    .power_events =
        "SELECT s.id,time,cpu,e.name AS event," OF("cbr", "cbr", "cbr") "," OF("cbr", "mhz", "mhz") "," OF("cbr", "percent", "percent") "," OF("mwait", "$Xhints)", "hints_hex") "," OF(
            "mwait", "$Xextensions)",
            "extensions_hex") "," OF("pwre", "cstate",
                                     "cstate") "," OF("pwre", "subcstate",
                                                      "subcstate") "," OF("pwre", "hw",
                                                                          "hw") "," OF("exs"
                                                                                       "to"
                                                                                       "p",
                                                                                       "exa"
                                                                                       "ct_"
                                                                                       "ip",
                                                                                       "exa"
                                                                                       "ct_"
                                                                                       "ip") "," OF("pwrx",
                                                                                                    "deepest_cstate",
                                                                                                    "deepest_cstate") "," OF("pwrx",
                                                                                                                             "last_cstate",
                                                                                                                             "last_cstate") "," OF("pwrx",
                                                                                                                                                   "CASE wake_reason WHEN 1 THEN 'Interrupt' WHEN 2 THEN 'Timer Deadline'"
                                                                                                                                                   " WHEN 4 THEN 'Monitored Address' WHEN 8 THEN 'HW' ELSE wake_reason END",
                                                                                                                                                   "wake_reason") " FROM samples s JOIN selected_events e ON e.id=s.evsel_id"
                                                                                                                                                                  " WHERE e.name IN ('cbr','mwait','exstop','pwre','pwrx')",
#undef OF
};

/* --- Statements ------------------------------------------------------------------- */

static pts_status failed(const struct to_sqlite *s)
{
    int code = s->db ? lib.code(s->db) : SQLITE_NOMEM;

    return diag_set(s->ask.why, code == SQLITE_NOMEM ? PTS_E_NOMEM : PTS_E_IO,
                    UINT64_MAX, "%s: %s", s->ask.name,
                    s->db ? lib.error(s->db) : "out of memory");
}

static pts_status execute(struct to_sqlite *s, const char *sql)
{
    return lib.exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? PTS_OK : failed(s);
}

/* What s->text has, which is empty afterwards. */
static pts_status execute_text(struct to_sqlite *s)
{
    text_char(&s->text, '\0');
    pts_status st = s->text.failed ? PTS_E_NOMEM
                    : !*s->text.at ? PTS_OK
                                   : execute(s, s->text.at);
    s->text.len = 0;
    return st;
}

static pts_status create_tables(struct to_sqlite *s)
{
    pts_status st = PTS_OK;

    for (size_t i = 0; i < SQL_TABLES && st == PTS_OK; i++) {
        enum sql_table_id t = (enum sql_table_id)i;
        if (!sql_has_table(t, &s->ask.opts))
            continue;
        sql_create_table(&s->text, t, &s->ask.opts, &dialect);
        st = execute_text(s);
    }
    return st;
}

static pts_status prepare(struct to_sqlite *s, const struct sql_row *row, size_t rows,
                          sqlite3_stmt **out)
{
    if (*out)
        return PTS_OK;
    text_fmt(&s->text, "INSERT INTO %s VALUES", sql_tables[row->table].name);
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < row->count; k++)
            text_str(&s->text, k ? ",?" : i ? ",(?" : "(?");
        text_str(&s->text, ")");
    }
    text_char(&s->text, '\0');
    pts_status st = s->text.failed ? PTS_E_NOMEM : PTS_OK;
    if (st == PTS_OK && lib.prepare(s->db, s->text.at, -1, out, NULL) != SQLITE_OK)
        st = failed(s);
    s->text.len = 0;
    return st;
}

/* --- Rows ------------------------------------------------------------------------- */

static int bind_text(struct to_sqlite *s, sqlite3_stmt *to, int at,
                     const struct export_value *v)
{
    if (utf8_is(v->text, v->len))
        return lib.bind_text(to, at, v->text, v->len, SQLITE_STATIC, SQLITE_UTF8);
    s->text.len = 0;
    utf8_put(&s->text, v->text, v->len);
    int rc = s->text.failed ? SQLITE_NOMEM
                            : lib.bind_text(to, at, s->text.at, s->text.len,
                                            SQLITE_TRANSIENT, SQLITE_UTF8);
    s->text.len = 0;
    return rc;
}

static int bind(struct to_sqlite *s, sqlite3_stmt *to, int at,
                const struct export_value *v)
{
    switch (v->kind) {
    case EXPORT_INT:
        return lib.bind_int(to, at, v->n);
    case EXPORT_REAL:
        return lib.bind_real(to, at, v->real);
    case EXPORT_TEXT:
        return bind_text(s, to, at, v);
    case EXPORT_BYTES:
        break;
    }
    return SQLITE_MISUSE; /* no table has such a column */
}

static pts_status put_values(struct to_sqlite *s, sqlite3_stmt *to,
                             const struct export_value *value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bind(s, to, (int)i + 1, &value[i]) != SQLITE_OK)
            return failed(s);
    if (lib.step(to) != SQLITE_DONE)
        return failed(s);
    lib.reset(to);
    return PTS_OK;
}

static pts_status insert_one(struct to_sqlite *s, const struct sql_row *row)
{
    pts_status st = prepare(s, row, 1, &s->insert[row->table]);

    return st < 0 ? st : put_values(s, s->insert[row->table], row->value, row->count);
}

/* Those that wait, fewer than MANY: row is of the same table. */
static pts_status insert_rest(struct to_sqlite *s, const struct sql_row *row)
{
    struct waiting *w = &s->wait[row->table];
    struct sql_row r = {.table = row->table, .count = row->count};
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < w->rows; i++) {
        r.value = w->value + i * row->count;
        st = insert_one(s, &r);
    }
    w->rows = 0;
    return st;
}

static pts_status insert_many(struct to_sqlite *s, const struct sql_row *row)
{
    struct waiting *w = &s->wait[row->table];
    pts_status st = prepare(s, row, MANY, &w->insert);

    w->rows = 0;
    return st < 0 ? st : put_values(s, w->insert, w->value, MANY * row->count);
}

static bool is_of_numbers(const struct sql_row *row)
{
    for (size_t i = 0; i < row->count; i++)
        if (row->value[i].kind != EXPORT_INT && row->value[i].kind != EXPORT_REAL)
            return false;
    return true;
}

/* Rows of a table stay in their order. */
static pts_status insert(struct to_sqlite *s, const struct sql_row *row)
{
    struct waiting *w = &s->wait[row->table];

    if (!is_of_numbers(row)) {
        pts_status st = insert_rest(s, row);
        return st < 0 ? st : insert_one(s, row);
    }
    if (!w->value && !(w->value = mem_zalloc(MANY * row->count, sizeof(*w->value))))
        return PTS_E_NOMEM;
    w->count = row->count;
    memcpy(w->value + w->rows++ * row->count, row->value,
           row->count * sizeof(*w->value));
    return w->rows < MANY ? PTS_OK : insert_many(s, row);
}

static pts_status insert_all_rests(struct to_sqlite *s)
{
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < SQL_TABLES; i++) {
        const struct sql_row row = {.table = (enum sql_table_id)i,
                                    .count = s->wait[i].count};
        st = insert_rest(s, &row);
    }
    return st;
}

static pts_status take_row(void *ctx, const struct export_row *row)
{
    struct to_sqlite *s = ctx;
    struct sql_row r;

    if (!sql_row_of(row, &s->ask.opts, &r))
        return PTS_OK;
    s->rows[r.table]++;
    return insert(s, &r);
}

static pts_status insert_unknown(struct to_sqlite *s)
{
    struct sql_row r;
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && sql_unknown(i, &s->ask.opts, &r); i++)
        st = insert(s, &r);
    return st;
}

/* --- Begin and end ---------------------------------------------------------------- */

static pts_status cannot(const struct to_sqlite *s)
{
    char text[100];

    return diag_set(s->ask.why, PTS_E_IO, UINT64_MAX, "%s: %s", s->ask.name,
                    strerror_r(errno, text, sizeof(text)));
}

static pts_status exists(const struct to_sqlite *s)
{
    return diag_set(s->ask.why, PTS_E_IO, UINT64_MAX,
                    "%s already exists (--overwrite replaces it)", s->ask.name);
}

static pts_status open_temp(struct to_sqlite *s)
{
    if (!held_open(&s->file, s->ask.name))
        return cannot(s);
    /* Without locks: there is one, which where files are on a server is of the same kind. */
    return lib.open(s->file.temp, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                    "unix-none") == SQLITE_OK
               ? PTS_OK
               : failed(s);
}

static pts_status begin(struct to_sqlite *s)
{
    if (!s->ask.replace && access(s->ask.name, F_OK) == 0)
        return exists(s);
    pts_status st = open_temp(s);
    if (st == PTS_OK)
        st = execute(s, "PRAGMA page_size=32768; PRAGMA journal_mode=OFF;"
                        "PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
                        "PRAGMA temp_store=MEMORY; PRAGMA cache_size=-65536; BEGIN");
    if (st == PTS_OK)
        st = create_tables(s);
    return st == PTS_OK ? insert_unknown(s) : st;
}

static pts_status drop_unused(struct to_sqlite *s)
{
    pts_status st = PTS_OK;

    for (size_t i = 0; i < SQL_TABLES && st == PTS_OK; i++) {
        if (sql_stays((enum sql_table_id)i, s->rows))
            continue;
        text_fmt(&s->text, "DROP TABLE %s", sql_tables[i].name);
        st = execute_text(s);
    }
    return st;
}

static pts_status create_views(struct to_sqlite *s)
{
    pts_status st = PTS_OK;

    for (size_t i = 0;
         st == PTS_OK && sql_create_view(&s->text, i, s->rows, &s->ask.opts, &dialect);
         i++)
        st = execute_text(s);
    return st;
}

/* A file that came to have the name meanwhile is somebody's. */
static pts_status take_name(struct to_sqlite *s)
{
    if (held_give(&s->file, s->ask.name, s->ask.replace))
        return PTS_OK;
    return errno == EEXIST ? exists(s) : cannot(s);
}

static pts_status close_db(struct to_sqlite *s)
{
    for (size_t i = 0; i < SQL_TABLES; i++) {
        lib.finalize(s->insert[i]);
        lib.finalize(s->wait[i].insert);
        mem_free(s->wait[i].value);
    }
    memset(s->insert, 0, sizeof(s->insert));
    memset(s->wait, 0, sizeof(s->wait));
    int rc = lib.close(s->db);
    s->db = NULL;
    return rc == SQLITE_OK ? PTS_OK : PTS_E_IO;
}

static pts_status finish(void *ctx)
{
    struct to_sqlite *s = ctx;
    pts_status st = insert_all_rests(s);

    if (st == PTS_OK && s->ask.opts.calls)
        st = execute(s, "CREATE INDEX pcpid_idx ON calls(parent_call_path_id);"
                        "CREATE INDEX pid_idx ON calls(parent_id);"
                        "ALTER TABLE comms ADD has_calls boolean;"
                        "UPDATE comms SET has_calls=1 WHERE id IN"
                        " (SELECT comm_id FROM calls)");
    if (st == PTS_OK)
        st = drop_unused(s);
    if (st == PTS_OK)
        st = create_views(s);
    if (st == PTS_OK)
        st = execute(s, "COMMIT");
    if (st == PTS_OK)
        st = close_db(s);
    return st == PTS_OK ? take_name(s) : st;
}

static void close_it(void *ctx)
{
    struct to_sqlite *s = ctx;

    close_db(s);
    held_close(&s->file);
    text_free(&s->text);
    mem_free(s);
}

pts_status sqlite_open(const struct database_ask *ask, struct database *out)
{
    if (!is_there())
        return diag_set(ask->why, PTS_E_UNSUPPORTED, UINT64_MAX,
                        "export --to sqlite: " LIBRARY " is not there");
    struct to_sqlite *s = mem_zalloc(1, sizeof(*s));
    if (!s)
        return PTS_E_NOMEM;
    s->ask = *ask;
    pts_status st = begin(s);
    if (st == PTS_OK)
        *out = (struct database){
            {s, take_row},
            finish, close_it
        };
    else
        close_it(s);
    return st;
}

#else

pts_status sqlite_open(const struct database_ask *ask, struct database *out)
{
    (void)out;
    return diag_set(ask->why, PTS_E_UNSUPPORTED, UINT64_MAX,
                    "export --to sqlite: built without libsqlite3");
}

#endif
