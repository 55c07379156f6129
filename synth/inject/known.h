/* known.h - build ids that were given by hand: --known-build-ids.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_INJECT_KNOWN_H
#define PTS_SYNTH_INJECT_KNOWN_H

#include "decoder/base/diag.h"
#include "synth/plan/select.h"

struct known_id {
    const char *text; /* the whole item */
    const char *path;
    uint8_t id[20], len;
};

/* Zero-initialise; give back with known_free. */
struct known_ids {
    struct select lists;
    struct name_list items;
    VEC(struct known_id) id;
};

/* "ID PATH,ID PATH", or the lines of a file ("file://PATH"); what is none is passed over, as by
 * perf.  PTS_E_FORMAT: that file cannot be read. */
pts_status known_read(struct known_ids *k, const char *list, struct pts_diag *why);
/* That of a path, or NULL. */
const struct known_id *known_find(const struct known_ids *k, const char *path);
void known_free(struct known_ids *k);

#endif
