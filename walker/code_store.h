/* code_store.h - the code of every dso of a recording, found when first asked for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_CODE_STORE_H
#define PTS_WALKER_CODE_STORE_H

#include "walker/block.h"
#include "walker/image.h"
#include "walker/sideband.h"

struct code_store;

/* sb and images are lent for the life of the store. */
pts_status code_store_new(const struct sideband *sb, struct image_store *images,
                          struct code_store **out);
void code_store_free(struct code_store *s); /* NULL is fine */

/* Never NULL; without bytes when there is no file.  ctx is the store (the form that
 * struct flow_images wants). */
struct code *code_store_get(void *ctx, const struct sb_dso *dso);

/* Whether there is a file, without asking for its code. */
bool code_store_has(struct code_store *s, const struct sb_dso *dso);

/* Whether somebody asked for the code of this dso and there was no file. */
bool code_store_missed(const struct code_store *s, const struct sb_dso *dso);

#endif
