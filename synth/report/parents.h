/* parents.h - which symbols are parents (--parent).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_REPORT_PARENTS_H
#define PTS_SYNTH_REPORT_PARENTS_H

#include "decoder/base/idmap.h"

#include <ptscript/status.h>

struct parents;

/* An extended regular expression; NULL: perf's own.  PTS_E_FORMAT: it is none, *why says
 * why. */
pts_status parents_new(const char *pattern, struct parents **out, struct pts_diag *why);
void parents_free(struct parents *p); /* NULL is fine */
/* sym stays where it is for the life of p. */
bool parents_have(struct parents *p, const char *sym);

#endif
