/* feat_text.h - the header of a recording as perf prints it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_HEADER_FEAT_TEXT_H
#define PTS_SYNTH_PRINT_HEADER_FEAT_TEXT_H

#include "synth/print/header/feat_parts.h"

/* The lines of feature `id`, which holds these bytes; the long ones only say that they
 * are there unless `full`.  PTS_E_RANGE when the bytes are not what they claim (the
 * lines are those of an empty feature then), PTS_E_UNSUPPORTED for a version not known.
 */
pts_status feat_text(struct text *t, const struct feat_env *env, uint32_t id,
                     struct pts_bytes bytes, bool full);
/* The block of --header. */
void head_text(struct text *t, const struct feat_env *env, bool full);

#endif
