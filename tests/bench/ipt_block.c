/* ipt_block.c IMAGES TRACE... - bare traces through libipt's block decoder, to compare speed.
 *
 * SPDX-License-Identifier: MIT
 *
 * IMAGES lists the code: "ADDRESS OFFSET SIZE FILE" in each line, hexadecimal.  Prints how many
 * instructions, blocks and errors there were.
 */
#include <intel-pt.h>
#include <inttypes.h>

#include "tests/bench/slurp.h"

struct sums {
    uint64_t insns, blocks, errors;
};

/* Sections stay mapped: without the cache each change of section maps a file anew. */
static struct pt_image_section_cache *cache_make(void)
{
    struct pt_image_section_cache *cache = pt_iscache_alloc(NULL);
    if (!cache || pt_iscache_set_limit(cache, UINT64_C(1) << 32) < 0)
        exit(1);
    return cache;
}

static struct pt_image *image_read(const char *list,
                                   struct pt_image_section_cache *cache)
{
    struct pt_image *image = pt_image_alloc(NULL);
    FILE *f = fopen(list, "r");
    uint64_t at, off, size;
    char path[4096];
    if (!image || !f) {
        perror(list);
        exit(1);
    }
    while (fscanf(f, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %4095[^\n]", &at, &off, &size,
                  path) == 4) {
        int id = pt_iscache_add_file(cache, path, off, size, at);
        if (id < 0 || pt_image_add_cached(image, cache, id, NULL) < 0)
            fprintf(stderr, "%s: cannot be used\n", path);
    }
    fclose(f);
    return image;
}

static int events_skip(struct pt_block_decoder *d, int status)
{
    struct pt_event ev;
    while (status >= 0 && status & pts_event_pending)
        status = pt_blk_event(d, &ev, sizeof(ev));
    return status;
}

/* Up to an error. */
static int follow(struct pt_block_decoder *d, int status, struct sums *s)
{
    struct pt_block block = {0};
    for (;;) {
        status = events_skip(d, status);
        if (status < 0 || status & pts_eos)
            return status;
        status = pt_blk_next(d, &block, sizeof(block));
        s->insns += block.ninsn;
        s->blocks++;
        block.ninsn = 0;
    }
}

static void decode(const char *path, struct pt_image *image, struct sums *s)
{
    struct pt_config conf;
    size_t n;
    pt_config_init(&conf);
    conf.begin = slurp(path, &n);
    conf.end = conf.begin + n;
    struct pt_block_decoder *d = pt_blk_alloc_decoder(&conf);
    if (!d || pt_blk_set_image(d, image) < 0)
        exit(1);
    for (;;) {
        int status = pt_blk_sync_forward(d);
        if (status < 0)
            break; /* no further PSB */
        status = follow(d, status, s);
        if (status >= 0 || status == -pte_eos)
            break;
        s->errors++;
    }
    pt_blk_free_decoder(d);
    munmap(conf.begin, n);
}

int main(int argc, char **argv)
{
    struct sums s = {0};
    if (argc < 3) {
        fprintf(stderr, "usage: ipt_block IMAGES TRACE...\n");
        return 2;
    }
    struct pt_image_section_cache *cache = cache_make();
    struct pt_image *image = image_read(argv[1], cache);
    for (int i = 2; i < argc; i++)
        decode(argv[i], image, &s);
    pt_image_free(image);
    pt_iscache_free(cache);
    printf("%" PRIu64 " instructions, %" PRIu64 " blocks, %" PRIu64 " errors\n",
           s.insns, s.blocks, s.errors);
    return 0;
}
