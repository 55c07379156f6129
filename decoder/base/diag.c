/* diag.c - filling in why a call failed.
 *
 * SPDX-License-Identifier: MIT
 *
 * The text is cut where it does not fit: a call must be able to fail without memory.
 */
#include "decoder/base/diag.h"

#include <stdarg.h>
#include <stdio.h>

pts_status diag_set(struct pts_diag *why, pts_status st, uint64_t offset,
                    const char *fmt, ...)
{
    if (!why)
        return st;
    why->status = st;
    why->queue = UINT32_MAX;
    why->offset = offset;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why->text, sizeof(why->text), fmt, ap);
    va_end(ap);
    return st;
}

const char *pts_status_name(pts_status st)
{
    switch (st) {
    case PTS_END:
        return "end";
    case PTS_OK:
        return "ok";
    case PTS_E_NOMEM:
        return "out of memory";
    case PTS_E_IO:
        return "input/output error";
    case PTS_E_FORMAT:
        return "bad format";
    case PTS_E_TRUNCATED:
        return "truncated";
    case PTS_E_RANGE:
        return "out of range";
    case PTS_E_UNSUPPORTED:
        return "not supported";
    case PTS_E_USAGE:
        return "wrong usage";
    case PTS_E_DENIED:
        return "permission denied";
    case PTS_E_MISSING:
        return "not found";
    case PTS_E_FILTER:
        return "a filter ended the run";
    case PTS_E_CANCELLED:
        return "cancelled";
    }
    return "unknown status";
}
