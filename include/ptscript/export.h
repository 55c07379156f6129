/* export.h - a recording as tables of a database.
 *
 * SPDX-License-Identifier: MIT
 *
 * The tables are those of perf's export-to-sqlite.py, row for row and with the same ids, so
 * that programs written for these can use them: exported-sql-viewer.py.
 */
#ifndef PTSCRIPT_EXPORT_H
#define PTSCRIPT_EXPORT_H

#include <ptscript/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Start from PTS_EXPORT_OPTS_INIT.  All is lent during the call. */
struct pts_export_opts {
    size_t size;
    const struct pts_option
        *options; /* as of ptscript/export.def: "to", "columns", "itrace" ... */
    size_t option_count;
    int replace; /* what has the name gives way; else PTS_E_IO */
    /* Asked now and then; not 0: the call ends with PTS_E_CANCELLED.  NULL: nobody asks. */
    int (*cancelled)(void *ctx);
    void *cancelled_ctx;
};
#define PTS_EXPORT_OPTS_INIT                                                           \
    {                                                                                  \
        sizeof(struct pts_export_opts), 0, 0, 0, 0, 0                                  \
    }

/* Reads all of the recording and makes the database `name`, a file, which gets its name
 * when it is whole; nothing is there after a failure.  Warnings are messages of the session.
 * PTS_E_USAGE: what is wrong with the options.  PTS_E_IO: it cannot be written, or is there.
 * PTS_E_UNSUPPORTED: a kind of database that this library was built without. */
PTS_API PTS_MUST_USE pts_status pts_export(pts_session *s, const char *name,
                                           const struct pts_export_opts *opts,
                                           struct pts_diag *why);

#ifdef __cplusplus
}
#endif
#endif
