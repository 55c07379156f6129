/* code_pools.c - the legs that several code stores of a recording have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/flow/code_pools.h"

#include "decoder/base/arena.h"

/* By image, made when the first store comes upon it. */
struct code_pools {
    pthread_mutex_t lock;
    uint32_t count;
    struct code_pool **at;
};

pts_status code_pools_new(uint32_t images, struct code_pools **out)
{
    struct code_pools *p = mem_zalloc(1, sizeof(*p));

    if (!p)
        return PTS_E_NOMEM;
    p->count = images;
    p->at = mem_zalloc((size_t)images + 1, sizeof(struct code_pool *));
    if (!p->at) {
        mem_free(p);
        return PTS_E_NOMEM;
    }
    pthread_mutex_init(&p->lock, NULL);
    *out = p;
    return PTS_OK;
}

void code_pools_free(struct code_pools *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->count; i++)
        code_pool_free(p->at[i]);
    pthread_mutex_destroy(&p->lock);
    mem_free(p->at);
    mem_free(p);
}

struct code_pool *code_pools_get(struct code_pools *p, uint32_t image,
                                 const struct code *c)
{
    if (image >= p->count)
        return NULL;
    pthread_mutex_lock(&p->lock);
    if (!p->at[image])
        p->at[image] = code_pool_new(c);
    struct code_pool *pool = p->at[image];
    pthread_mutex_unlock(&p->lock);
    return pool && pool->code.bytes == c->bytes && pool->code.size == c->size ? pool
                                                                              : NULL;
}
