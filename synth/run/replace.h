/* replace.h - what a new file may take the place of.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_RUN_REPLACE_H
#define PTS_SYNTH_RUN_REPLACE_H

#include "synth/run/session.h"

/* Whether there is nothing at this path, or a file: no device, which would be gone, and not the
 * recording that is read. */
bool replace_may(const struct pts_session *s, const char *path, struct pts_diag *why);

#endif
