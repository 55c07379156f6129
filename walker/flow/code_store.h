/* code_store.h - the code of every dso of a recording, found when first asked for.
 *
 * SPDX-License-Identifier: MIT
 *
 * It stands between the side-band, which knows dsos by name and build id, and the
 * flows, which want bytes.  Whoever walks has a store of its own (I3); images are
 * shared.
 */
#ifndef PTS_WALKER_FLOW_CODE_STORE_H
#define PTS_WALKER_FLOW_CODE_STORE_H

#include "walker/code/block.h"
#include "walker/code/image.h"
#include "walker/sideband/sideband.h"

struct code_store;

/* sb and images are lent for the life of the store. */
pts_status code_store_new(const struct sideband *sb, struct image_store *images,
                          struct code_store **out);
/* Instructions are the manual's (ILD_SDM). Before anybody asks. */
void code_store_by_manual(struct code_store *s);
void code_store_free(struct code_store *s); /* NULL is fine */

/* Another one, for a thread that helps who has `of`: legs they find out together.  Made before anybody
 * walks, freed before `of`. */
pts_status code_store_helper(struct code_store *of, struct code_store **out);

/* Never NULL; without bytes when there is no file.  Of code that changed while it was
 * recorded, bytes are those of the image: read them with code_read().  ctx is the store (the form that
 * struct flow_images wants). */
struct code *code_store_get(void *ctx, const struct sb_dso *dso);

/* The same for whoever may have no reason to ask: it is not noted that somebody did. */
struct code *code_store_peek(void *ctx, const struct sb_dso *dso);

/* Its image; NULL: there is none. */
const struct image *code_store_image(struct code_store *s, const struct sb_dso *dso);

/* The symbols of a dso are about to be read, which takes memory: pages of its code need not stay. */
void code_store_let_go(struct code_store *s, const struct sb_dso *dso);

/* Whether there is a file, without asking for its code. */
bool code_store_has(struct code_store *s, const struct sb_dso *dso);

/* Whether somebody asked for the code of this dso. */
bool code_store_asked(const struct code_store *s, const struct sb_dso *dso);
/* ... and there was no file. */
bool code_store_missed(const struct code_store *s, const struct sb_dso *dso);

#endif
