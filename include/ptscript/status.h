/* status.h - how calls of libptscript end.
 *
 * SPDX-License-Identifier: MIT
 *
 * Negative: the call failed and filled a pts_diag.  Zero: done.  Positive: a normal
 * outcome that is not "done", such as the end of a stream.  A fault inside a trace
 * (lost data, a bad packet, missing code) is an event of that trace, never a failed
 * call.
 */
#ifndef PTSCRIPT_STATUS_H
#define PTSCRIPT_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PTS_API      __attribute__((visibility("default")))
#define PTS_MUST_USE __attribute__((warn_unused_result))

/* The numbers are part of the ABI: new ones go to the end. */
typedef enum pts_status {
    PTS_END = 1, /* nothing more to deliver */
    PTS_OK = 0,
    PTS_E_NOMEM = -1,       /* out of memory */
    PTS_E_IO = -2,          /* the operating system refused a file operation */
    PTS_E_FORMAT = -3,      /* the file is not what its header says */
    PTS_E_TRUNCATED = -4,   /* the file ends inside something */
    PTS_E_RANGE = -5,       /* a length, count or offset points outside its container */
    PTS_E_UNSUPPORTED = -6, /* valid, but this version cannot do it */
    PTS_E_USAGE = -7,       /* an option or argument that makes no sense */
    PTS_E_DENIED = -8,      /* the file belongs to somebody else (no force given) */
    PTS_E_CANCELLED = -9,   /* the caller asked to stop */
    PTS_E_FILTER = -10,     /* a compiled filter ended the run */
    PTS_E_MISSING = -11     /* what an option names is not there */
} pts_status;

/* Bytes of a pts_diag's text: there is room for a path. */
enum { PTS_DIAG_TEXT = 4096 + 512 };

/* Why a call failed: one line of text, and where in the input. */
struct pts_diag {
    pts_status status;
    uint32_t queue;           /* AUX queue, or UINT32_MAX */
    uint64_t offset;          /* byte offset in the input file, or UINT64_MAX */
    char text[PTS_DIAG_TEXT]; /* NUL-terminated, no newline; what has no room is cut */
};

/* A short English name of a status.  Never NULL; static storage. */
PTS_API const char *pts_status_name(pts_status st);

#ifdef __cplusplus
}
#endif
#endif
