/* to_postgres.c - rows into a new PostgreSQL database.
 *
 * SPDX-License-Identifier: MIT
 *
 * Rows of many tables come mixed, and a connection takes one table at a time (COPY): so each has
 * a connection of its own.  A row there, all numbers with their highest byte first:
 *
 *     | 16: fields | 32: bytes | value | 32: bytes | value ...
 */
#include "synth/export/database.h"

#include "decoder/base/arena.h"
#include "decoder/base/diag.h"
#include "synth/export/postgres.h"
#include "synth/export/utf8.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 63, BUFFER = 1 << 16 };

struct copy {
    struct postgres *to; /* NULL: no row came so far */
    struct text buf;
};

struct to_postgres {
    struct database_ask ask;
    struct postgres *server, *db; /* the database "postgres", and the new one */
    struct copy copy[SQL_TABLES];
    uint64_t rows[SQL_TABLES];     /* besides those of what is not known */
    struct text text;              /* of the statement on its way */
    char temp[NAME_MAX_BYTES + 1]; /* "": there is none */
};

static const struct sql_dialect dialect = {
    .type = {[SQL_BIGINT] = "bigint",
             [SQL_INTEGER] = "integer",
             [SQL_BOOLEAN] = "boolean",
             [SQL_FLAG] = "boolean",
             [SQL_TEXT] = "varchar"},
    .transaction = "transaction",
    .hex = "to_hex(",
    .ipc = "CASE WHEN cyc_count=0 THEN CAST(0 AS NUMERIC(20,2)) ELSE"
           " CAST(CAST(insn_count AS FLOAT)/cyc_count AS NUMERIC(20,2)) END",
    .no = "FALSE",
    .as_text = "::varchar",
#define PADDED(width, column, name) "FORMAT('%" width "s'," column ") AS " name ","
#define WHETHER(table, column)                                                         \
    "CASE WHEN " table "." column " THEN 'True' WHEN NOT " table "." column            \
    " THEN 'False' END AS " column ","
    .power_events = "SELECT s.id,s.time,s.cpu,e.name AS event," PADDED("6", "cbr.cbr",
                                                                       "cbr")
        PADDED("6", "cbr.mhz", "mhz") PADDED(
            "5", "cbr.percent",
            "percent") "to_hex(mwait.hints) AS hints_hex,to_hex(mwait.extensions) AS "
                       "extensions_hex," PADDED("3", "pwre.cstate", "cstate") PADDED(
                           "3", "pwre.subcstate", "subcstate") WHETHER("pwre", "hw")
                           WHETHER("exstop", "exact_ip") PADDED(
                               "3", "pwrx.deepest_cstate", "deepest_cstate")
                               PADDED("3", "pwrx.last_cstate",
                                      "last_cstate") "CASE pwrx.wake_reason WHEN 1 "
                                                     "THEN 'Interrupt' WHEN 2 THEN "
                                                     "'Timer Deadline'"
                                                     " WHEN 4 THEN 'Monitored "
                                                     "Address' WHEN 8 THEN 'HW'"
                                                     " ELSE "
                                                     "FORMAT('%2s',pwrx.wake_reason) "
                                                     "END AS wake_reason"
                                                     " FROM cbr FULL JOIN mwait ON "
                                                     "mwait.id=cbr.id FULL JOIN pwre "
                                                     "ON pwre.id=cbr.id"
                                                     " FULL JOIN exstop ON "
                                                     "exstop.id=cbr.id FULL JOIN pwrx "
                                                     "ON pwrx.id=cbr.id"
                                                     " JOIN samples s"
                                                     " ON "
                                                     "s.id=coalesce(cbr.id,mwait.id,"
                                                     "pwre.id,exstop.id,pwrx.id)"
                                                     " JOIN selected_events e ON "
                                                     "e.id=s.evsel_id ORDER BY s.id",
#undef PADDED
#undef WHETHER
};

/* What a column refers to. */
struct key {
    enum sql_table_id of;
    const char *name, *column, *table;
};

/* clang-format off */
static const struct key keys[] = {
    {SQL_THREADS,          "machinefk",          "machine_id",          "machines"       },
    {SQL_THREADS,          "processfk",          "process_id",          "threads"        },
    {SQL_COMMS,            "threadfk",           "c_thread_id",         "threads"        },
    {SQL_COMM_THREADS,     "commfk",             "comm_id",             "comms"          },
    {SQL_COMM_THREADS,     "threadfk",           "thread_id",           "threads"        },
    {SQL_DSOS,             "machinefk",          "machine_id",          "machines"       },
    {SQL_SYMBOLS,          "dsofk",              "dso_id",              "dsos"           },
    {SQL_SAMPLES,          "evselfk",            "evsel_id",            "selected_events"},
    {SQL_SAMPLES,          "machinefk",          "machine_id",          "machines"       },
    {SQL_SAMPLES,          "threadfk",           "thread_id",           "threads"        },
    {SQL_SAMPLES,          "commfk",             "comm_id",             "comms"          },
    {SQL_SAMPLES,          "dsofk",              "dso_id",              "dsos"           },
    {SQL_SAMPLES,          "symbolfk",           "symbol_id",           "symbols"        },
    {SQL_SAMPLES,          "todsofk",            "to_dso_id",           "dsos"           },
    {SQL_SAMPLES,          "tosymbolfk",         "to_symbol_id",        "symbols"        },
    {SQL_CALL_PATHS,       "parentfk",           "parent_id",           "call_paths"     },
    {SQL_CALL_PATHS,       "symbolfk",           "symbol_id",           "symbols"        },
    {SQL_CALLS_TABLE,      "threadfk",           "thread_id",           "threads"        },
    {SQL_CALLS_TABLE,      "commfk",             "comm_id",             "comms"          },
    {SQL_CALLS_TABLE,      "call_pathfk",        "call_path_id",        "call_paths"     },
    {SQL_CALLS_TABLE,      "callfk",             "call_id",             "samples"        },
    {SQL_CALLS_TABLE,      "returnfk",           "return_id",           "samples"        },
    {SQL_CALLS_TABLE,      "parent_call_pathfk", "parent_call_path_id", "call_paths"     },
    {SQL_PTWRITE,          "idfk",               "id",                  "samples"        },
    {SQL_CBR,              "idfk",               "id",                  "samples"        },
    {SQL_MWAIT,            "idfk",               "id",                  "samples"        },
    {SQL_PWRE,             "idfk",               "id",                  "samples"        },
    {SQL_EXSTOP,           "idfk",               "id",                  "samples"        },
    {SQL_PWRX,             "idfk",               "id",                  "samples"        },
    {SQL_CONTEXT_SWITCHES, "machinefk",          "machine_id",          "machines"       },
    {SQL_CONTEXT_SWITCHES, "toutfk",             "thread_out_id",       "threads"        },
    {SQL_CONTEXT_SWITCHES, "tinfk",              "thread_in_id",        "threads"        },
    {SQL_CONTEXT_SWITCHES, "coutfk",             "comm_out_id",         "comms"          },
    {SQL_CONTEXT_SWITCHES, "cinfk",              "comm_in_id",          "comms"          },
};
/* clang-format on */

/* --- Statements ------------------------------------------------------------------- */

/* What p->text has, which is empty afterwards. */
static pts_status execute(struct to_postgres *p, struct postgres *to, int *rows)
{
    text_char(&p->text, '\0');
    pts_status st = p->text.failed ? PTS_E_NOMEM
                    : !*p->text.at ? PTS_OK
                                   : postgres_do(to, p->text.at, rows, p->ask.why);
    p->text.len = 0;
    return st;
}

static pts_status say(struct to_postgres *p, const char *sql)
{
    text_str(&p->text, sql);
    return execute(p, p->db, NULL);
}

/* A name between quotes, in which a quote is two. */
static void put_quoted(struct text *t, const char *name, char quote)
{
    text_char(t, quote);
    for (; *name; name++) {
        if (*name == quote)
            text_char(t, quote);
        text_char(t, *name);
    }
    text_char(t, quote);
}

static pts_status create_tables(struct to_postgres *p)
{
    pts_status st = PTS_OK;

    for (size_t i = 0; i < SQL_TABLES && st == PTS_OK; i++) {
        enum sql_table_id t = (enum sql_table_id)i;
        if (sql_has_table(t, &p->ask.opts))
            sql_create_table(&p->text, t, &p->ask.opts, &dialect);
        st = execute(p, p->db, NULL);
    }
    return st;
}

/* --- Rows ------------------------------------------------------------------------- */

static void put_u16(struct text *t, uint16_t n)
{
    n = htobe16(n);
    text_put(t, (const char *)&n, sizeof(n));
}

static void put_u32(struct text *t, uint32_t n)
{
    n = htobe32(n);
    text_put(t, (const char *)&n, sizeof(n));
}

static void put_u64(struct text *t, uint64_t n)
{
    n = htobe64(n);
    text_put(t, (const char *)&n, sizeof(n));
}

/* Cut where the column ends; its length goes in front when it is known. */
static void put_text(struct text *t, const struct export_value *v, size_t most)
{
    size_t at = t->len;

    put_u32(t, 0);
    utf8_put_some(t, v->text, v->len, most);
    if (t->failed)
        return;
    uint32_t len = htobe32((uint32_t)(t->len - at - sizeof(len)));
    memcpy(t->at + at, &len, sizeof(len));
}

static void put_number(struct text *t, enum sql_type type, int64_t n)
{
    if (type == SQL_BOOLEAN || type == SQL_FLAG) {
        put_u32(t, 1);
        text_char(t, n != 0);
    } else if (type == SQL_INTEGER) {
        put_u32(t, sizeof(uint32_t));
        put_u32(t, (uint32_t)n);
    } else {
        put_u32(t, sizeof(uint64_t));
        put_u64(t, (uint64_t)n);
    }
}

static void put_value(struct text *t, const struct sql_table *table,
                      const struct sql_column *c, const struct export_value *v)
{
    if (v->kind == EXPORT_TEXT)
        put_text(t, v, c->len);
    else
        put_number(t, c->type == SQL_ID ? table->id : c->type,
                   v->kind == EXPORT_REAL ? (int64_t)v->real : v->n);
}

static pts_status flush(struct to_postgres *p, struct copy *c)
{
    pts_status st = c->buf.failed
                        ? PTS_E_NOMEM
                        : postgres_put(c->to, c->buf.at, c->buf.len, p->ask.why);
    c->buf.len = 0;
    return st;
}

static pts_status begin_copy(struct to_postgres *p, enum sql_table_id t)
{
    static const char head[19] = "PGCOPY\n\377\r\n"; /* then zeros */
    struct copy *c = &p->copy[t];
    pts_status st = postgres_connect(p->temp, &c->to, p->ask.why);

    if (st < 0)
        return st;
    text_fmt(&p->text, "COPY %s FROM STDIN WITH (FORMAT binary)", sql_tables[t].name);
    text_put(&c->buf, head, sizeof(head));
    return execute(p, c->to, NULL);
}

static pts_status insert(struct to_postgres *p, const struct sql_row *row)
{
    const struct sql_table *table = &sql_tables[row->table];
    struct copy *c = &p->copy[row->table];
    const struct sql_column *column = table->column;
    pts_status st = c->to ? PTS_OK : begin_copy(p, row->table);

    if (st < 0)
        return st;
    put_u16(&c->buf, (uint16_t)row->count);
    for (size_t i = 0; i < row->count; i++, column++) {
        while (column->all && p->ask.opts.branches)
            column++;
        put_value(&c->buf, table, column, &row->value[i]);
    }
    return c->buf.len < BUFFER && !c->buf.failed ? PTS_OK : flush(p, c);
}

static pts_status take_row(void *ctx, const struct export_row *row)
{
    struct to_postgres *p = ctx;
    struct sql_row r;

    if (!sql_row_of(row, &p->ask.opts, &r))
        return PTS_OK;
    p->rows[r.table]++;
    return insert(p, &r);
}

static pts_status insert_unknown(struct to_postgres *p)
{
    struct sql_row r;
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && sql_unknown(i, &p->ask.opts, &r); i++)
        st = insert(p, &r);
    return st;
}

static pts_status end_copies(struct to_postgres *p)
{
    static const char tail[2] = "\377\377";
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < SQL_TABLES; i++) {
        struct copy *c = &p->copy[i];
        if (!c->to)
            continue;
        text_put(&c->buf, tail, sizeof(tail));
        st = flush(p, c);
        if (st == PTS_OK)
            st = postgres_put_end(c->to, p->ask.why);
    }
    return st;
}

/* --- Begin ------------------------------------------------------------------------ */

static pts_status refuse_name(const struct to_postgres *p, const char *what)
{
    return diag_set(p->ask.why, PTS_E_IO, UINT64_MAX, "%s: %s", p->ask.name, what);
}

static pts_status check_name(struct to_postgres *p)
{
    int found = 0;

    if (!*p->ask.name || strlen(p->ask.name) > NAME_MAX_BYTES)
        return refuse_name(p, "the name of a database has 1 to 63 bytes");
    text_str(&p->text, "SELECT 1 FROM pg_database WHERE datname=");
    put_quoted(&p->text, p->ask.name, '\'');
    pts_status st = execute(p, p->server, &found);
    return st == PTS_OK && found && !p->ask.replace
               ? refuse_name(p, "already exists (--overwrite replaces it)")
               : st;
}

static pts_status create(struct to_postgres *p)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(p->temp, sizeof(p->temp), "ptscript_unfinished_%d_%lld_%ld", (int)getpid(),
             (long long)now.tv_sec, now.tv_nsec);
    text_fmt(&p->text, "CREATE DATABASE %s", p->temp);
    pts_status st = execute(p, p->server, NULL);
    if (st < 0)
        p->temp[0] = '\0';
    return st;
}

static pts_status begin(struct to_postgres *p)
{
    pts_status st = postgres_connect("postgres", &p->server, p->ask.why);

    if (st == PTS_OK)
        st = check_name(p);
    if (st == PTS_OK)
        st = create(p);
    if (st == PTS_OK)
        st = postgres_connect(p->temp, &p->db, p->ask.why);
    if (st == PTS_OK)
        st = create_tables(p);
    return st == PTS_OK ? insert_unknown(p) : st;
}

/* --- End -------------------------------------------------------------------------- */

static bool stays(const struct to_postgres *p, size_t table)
{
    enum sql_table_id t = (enum sql_table_id)table;

    return sql_has_table(t, &p->ask.opts) && sql_stays(t, p->rows);
}

static pts_status add_keys(struct to_postgres *p)
{
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < SQL_TABLES; i++) {
        if (!sql_has_table((enum sql_table_id)i, &p->ask.opts))
            continue;
        text_fmt(&p->text,
                 stays(p, i) ? "ALTER TABLE %s ADD PRIMARY KEY (id)" : "DROP TABLE %s",
                 sql_tables[i].name);
        st = execute(p, p->db, NULL);
    }
    for (size_t i = 0; st == PTS_OK && i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct key *k = &keys[i];
        if (stays(p, k->of))
            text_fmt(&p->text,
                     "ALTER TABLE %s ADD CONSTRAINT %s FOREIGN KEY (%s) REFERENCES %s "
                     "(id)",
                     sql_tables[k->of].name, k->name, k->column, k->table);
        st = execute(p, p->db, NULL);
    }
    return st;
}

static pts_status index_calls(struct to_postgres *p)
{
    return say(p, "CREATE INDEX pcpid_idx ON calls (parent_call_path_id);"
                  "CREATE INDEX pid_idx ON calls (parent_id);"
                  "ALTER TABLE comms ADD has_calls boolean;"
                  "UPDATE comms SET has_calls=TRUE WHERE id IN"
                  " (SELECT comm_id FROM calls)");
}

static pts_status create_views(struct to_postgres *p)
{
    pts_status st = PTS_OK;

    for (size_t i = 0;
         st == PTS_OK && sql_create_view(&p->text, i, p->rows, &p->ask.opts, &dialect);
         i++)
        st = execute(p, p->db, NULL);
    return st;
}

static void disconnect(struct to_postgres *p)
{
    for (size_t i = 0; i < SQL_TABLES; i++) {
        postgres_close(p->copy[i].to);
        text_free(&p->copy[i].buf);
        p->copy[i].to = NULL;
    }
    postgres_close(p->db);
    p->db = NULL;
}

static pts_status take_name(struct to_postgres *p)
{
    pts_status st = PTS_OK;

    disconnect(p);
    if (p->ask.replace) {
        text_str(&p->text, "DROP DATABASE IF EXISTS ");
        put_quoted(&p->text, p->ask.name, '"');
        st = execute(p, p->server, NULL);
    }
    if (st == PTS_OK) {
        text_fmt(&p->text, "ALTER DATABASE %s RENAME TO ", p->temp);
        put_quoted(&p->text, p->ask.name, '"');
        st = execute(p, p->server, NULL);
    }
    if (st == PTS_OK)
        p->temp[0] = '\0';
    return st;
}

static pts_status finish(void *ctx)
{
    struct to_postgres *p = ctx;
    pts_status st = end_copies(p);

    if (st == PTS_OK)
        st = add_keys(p);
    if (st == PTS_OK && p->ask.opts.calls)
        st = index_calls(p);
    if (st == PTS_OK)
        st = create_views(p);
    return st == PTS_OK ? take_name(p) : st;
}

/* A failure on the way out says nothing new. */
static void drop(struct to_postgres *p)
{
    p->ask.why = NULL;
    text_free(&p->text);
    text_fmt(&p->text, "DROP DATABASE IF EXISTS %s", p->temp);
    (void)execute(p, p->server, NULL);
}

static void close_it(void *ctx)
{
    struct to_postgres *p = ctx;

    disconnect(p);
    if (p->temp[0])
        drop(p);
    postgres_close(p->server);
    text_free(&p->text);
    mem_free(p);
}

pts_status postgres_open(const struct database_ask *ask, struct database *out)
{
    struct to_postgres *p = mem_zalloc(1, sizeof(*p));

    if (!p)
        return PTS_E_NOMEM;
    p->ask = *ask;
    pts_status st = begin(p);
    if (st == PTS_OK)
        *out = (struct database){
            {p, take_row},
            finish, close_it
        };
    else
        close_it(p);
    return st;
}
