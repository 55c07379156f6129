/* resolve.h - what lies at an address: dso, symbol, instruction, source line.
 *
 * SPDX-License-Identifier: MIT
 *
 * The answers that struct lookup (synth/place.h) wants, from the side-band and the
 * files.
 */
#ifndef PTS_SYNTH_RESOLVE_H
#define PTS_SYNTH_RESOLVE_H

#include "synth/place.h"
#include "synth/sym.h"
#include "walker/code_store.h"
#include "walker/sideband.h"

struct resolve;

struct resolve_opts {
    struct sym_opts syms;
    bool full_source_path;
};

/* All lent for the life of the result; opts is copied. */
pts_status resolve_new(const struct sideband *sb, struct code_store *codes,
                       const struct resolve_opts *opts, struct resolve **out);
void resolve_free(struct resolve *r); /* NULL is fine */

/* Its ctx is r. */
const struct lookup *resolve_lookup(struct resolve *r);

#endif
