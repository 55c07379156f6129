/* called.h - the function that a branch calls or returns from.
 *
 * SPDX-License-Identifier: MIT
 *
 * callindent prints its name and --graph-function chooses by it:
 *
 *     a call, or the trace begins     what lies at the target
 *     a return, or the trace ends     what lies where the branch came from
 *     any other branch                nothing
 */
#ifndef PTS_SYNTH_SAMPLE_CALLED_H
#define PTS_SYNTH_SAMPLE_CALLED_H

#include "synth/plan/evlist.h"
#include "synth/sample/sample.h"
#include "synth/symbol/places.h"

/* Its name, lent for the life of the session; NULL without a symbol.  *ip: the address
 * to show then, 0 for nothing. */
const char *called_function(struct places *places, const struct evlist *l,
                            const struct sample *s, uint64_t *ip);

#endif
