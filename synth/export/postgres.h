/* postgres.h - a connection to a PostgreSQL server.
 *
 * SPDX-License-Identifier: MIT
 *
 * Which server, and as whom, say the variables of its own programs: PGHOST, PGPORT, PGUSER ...
 */
#ifndef PTS_SYNTH_EXPORT_POSTGRES_H
#define PTS_SYNTH_EXPORT_POSTGRES_H

#include <ptscript/status.h>
#include <stdbool.h>
#include <stddef.h>

struct postgres;

/* PTS_E_UNSUPPORTED: there is no libpq, when this was built or now. */
pts_status postgres_connect(const char *database, struct postgres **out,
                            struct pts_diag *why);
/* Statements whose rows nobody looks at; *rows (may be NULL): how many there are. */
pts_status postgres_do(struct postgres *p, const char *sql, int *rows,
                       struct pts_diag *why);
/* Bytes of a COPY that a statement began. */
pts_status postgres_put(struct postgres *p, const char *bytes, size_t n,
                        struct pts_diag *why);
pts_status postgres_put_end(struct postgres *p, struct pts_diag *why);
void postgres_close(struct postgres *p); /* NULL is fine */

#endif
