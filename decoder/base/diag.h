/* diag.h - filling in why a call failed.
 *
 * SPDX-License-Identifier: MIT
 *
 * Who finds the reason says it, once; callers hand the status on and leave the text
 * alone.
 */
#ifndef PTS_DECODER_BASE_DIAG_H
#define PTS_DECODER_BASE_DIAG_H

#include <ptscript/status.h>

/* Fills *why (may be NULL) and returns st, so that callers can `return diag_set(...)`.
 */
__attribute__((format(printf, 4, 5))) pts_status
diag_set(struct pts_diag *why, pts_status st, uint64_t offset, const char *fmt, ...);

#endif
