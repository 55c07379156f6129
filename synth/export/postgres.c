/* postgres.c - a connection to a PostgreSQL server, by libpq.
 *
 * SPDX-License-Identifier: MIT
 *
 * The library brings others for encryption and log-ins along, so it is loaded when somebody
 * asks for it, and every other run starts without.
 */
#include "synth/export/postgres.h"

#include "decoder/base/diag.h"
#include "decoder/base/sys.h"

#ifdef PTS_HAVE_POSTGRES

#include "decoder/base/arena.h"

#include <libpq-fe.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

struct postgres {
    PGconn *conn;
};

/* Its functions, once it is loaded. */
static struct {
    __typeof__(PQconnectdbParams) *connect;
    __typeof__(PQstatus) *status;
    __typeof__(PQerrorMessage) *error;
    __typeof__(PQexec) *exec;
    __typeof__(PQresultStatus) *result;
    __typeof__(PQntuples) *rows;
    __typeof__(PQclear) *clear;
    __typeof__(PQputCopyData) *put;
    __typeof__(PQputCopyEnd) *put_end;
    __typeof__(PQgetResult) *next;
    __typeof__(PQfinish) *finish;
    bool there;
} lib;

static void load(void)
{
    static const struct sys_wanted wanted[] = {
        {"PQconnectdbParams", &lib.connect},
        {"PQstatus",          &lib.status },
        {"PQerrorMessage",    &lib.error  },
        {"PQexec",            &lib.exec   },
        {"PQresultStatus",    &lib.result },
        {"PQntuples",         &lib.rows   },
        {"PQclear",           &lib.clear  },
        {"PQputCopyData",     &lib.put    },
        {"PQputCopyEnd",      &lib.put_end},
        {"PQgetResult",       &lib.next   },
        {"PQfinish",          &lib.finish },
    };

    lib.there = sys_library("libpq.so.5", wanted, sizeof(wanted) / sizeof(wanted[0]));
}

static bool is_there(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    return pthread_once(&once, load) == 0 && lib.there;
}

/* Its messages end in a line end. */
static pts_status failed(const struct postgres *p, struct pts_diag *why)
{
    const char *text = lib.error(p->conn);
    size_t n = strcspn(text, "\n");

    return diag_set(why, PTS_E_IO, UINT64_MAX, "PostgreSQL: %.*s",
                    n < 200 ? (int)n : 200, text);
}

pts_status postgres_connect(const char *database, struct postgres **out,
                            struct pts_diag *why)
{
    const char *const key[] = {"dbname", "client_encoding", "options", NULL};
    const char *const value[] = {database, "UTF8", "-c client_min_messages=warning",
                                 NULL};

    if (!is_there())
        return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                        "export --to postgres: libpq.so.5 is not there");
    struct postgres *p = mem_zalloc(1, sizeof(*p));
    if (!p)
        return PTS_E_NOMEM;
    p->conn = lib.connect(key, value, 0);
    if (!p->conn || lib.status(p->conn) != CONNECTION_OK) {
        pts_status st = p->conn ? failed(p, why) : PTS_E_NOMEM;
        postgres_close(p);
        return st;
    }
    *out = p;
    return PTS_OK;
}

void postgres_close(struct postgres *p)
{
    if (!p)
        return;
    if (p->conn)
        lib.finish(p->conn);
    mem_free(p);
}

pts_status postgres_do(struct postgres *p, const char *sql, int *rows,
                       struct pts_diag *why)
{
    PGresult *r = lib.exec(p->conn, sql);
    ExecStatusType is = lib.result(r);
    bool fine = is == PGRES_COMMAND_OK || is == PGRES_TUPLES_OK || is == PGRES_COPY_IN;
    pts_status st = fine ? PTS_OK : failed(p, why);

    if (fine && rows)
        *rows = lib.rows(r);
    lib.clear(r);
    return st;
}

pts_status postgres_put(struct postgres *p, const char *bytes, size_t n,
                        struct pts_diag *why)
{
    while (n) {
        int part = n < INT_MAX ? (int)n : INT_MAX;
        if (lib.put(p->conn, bytes, part) != 1)
            return failed(p, why);
        bytes += part;
        n -= (size_t)part;
    }
    return PTS_OK;
}

/* What was wrong with a row is only told now. */
pts_status postgres_put_end(struct postgres *p, struct pts_diag *why)
{
    if (lib.put_end(p->conn, NULL) != 1)
        return failed(p, why);
    PGresult *r = lib.next(p->conn);
    pts_status st = lib.result(r) == PGRES_COMMAND_OK ? PTS_OK : failed(p, why);
    lib.clear(r);
    return st;
}

#else

pts_status postgres_connect(const char *database, struct postgres **out,
                            struct pts_diag *why)
{
    (void)database, (void)out;
    return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                    "export --to postgres: built without libpq");
}

pts_status postgres_do(struct postgres *p, const char *sql, int *rows,
                       struct pts_diag *why)
{
    (void)p, (void)sql, (void)rows, (void)why;
    return PTS_E_UNSUPPORTED;
}

pts_status postgres_put(struct postgres *p, const char *bytes, size_t n,
                        struct pts_diag *why)
{
    (void)p, (void)bytes, (void)n, (void)why;
    return PTS_E_UNSUPPORTED;
}

pts_status postgres_put_end(struct postgres *p, struct pts_diag *why)
{
    (void)p, (void)why;
    return PTS_E_UNSUPPORTED;
}

void postgres_close(struct postgres *p)
{
    (void)p;
}

#endif
