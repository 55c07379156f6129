/* code_pools.h - the legs that several code stores of a recording have in common.
 *
 * SPDX-License-Identifier: MIT
 *
 * Threads that help to follow a trace walk through much the same code: what one has found out about
 * it the others need not find out again.
 */
#ifndef PTS_WALKER_FLOW_CODE_POOLS_H
#define PTS_WALKER_FLOW_CODE_POOLS_H

#include "walker/code/block.h"

#include <ptscript/status.h>

struct code_pools;

/* For so many images. */
pts_status code_pools_new(uint32_t images, struct code_pools **out);
void code_pools_free(struct code_pools *p); /* NULL is fine */

/* That of an image of which a store has c; by any thread.  NULL: another store takes other bytes of
 * it for the code, or there is no memory. */
struct code_pool *code_pools_get(struct code_pools *p, uint32_t image,
                                 const struct code *c);

#endif
