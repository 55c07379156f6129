/* fuzz_tar.c - any bytes as heads of an archive, and heads that are written and read back.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/base/tar.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool cond)
{
    if (!cond)
        abort();
}

/* The input as a name: what is written says so when it is read. */
static void round_trip(const uint8_t *data, size_t size)
{
    static struct tar_member in, out;
    static uint8_t head[TAR_HEAD_MAX];
    size_t n = size < TAR_NAME - 1 ? size : TAR_NAME - 1;

    memcpy(in.name, data, n);
    in.name[n] = '\0';
    in.size = size * UINT64_C(0x123456789);
    in.mtime = (int64_t)size;
    size_t len = tar_head(&in, head);
    if (!in.name[0]) {
        require(!len);
        return;
    }
    require(len && len % TAR_BLOCK == 0 && len <= TAR_HEAD_MAX);
    require(tar_read(head, &out) == PTS_OK);
    if (out.type == TAR_PAX) {
        uint64_t pax = out.size;
        require(tar_read(head + len - TAR_BLOCK, &out) == PTS_OK);
        require(tar_read_pax((struct pts_bytes){head + TAR_BLOCK, (size_t)pax}, &out));
    }
    require(out.type == TAR_FILE && out.size == in.size && out.mtime == in.mtime);
    require(strcmp(out.name, in.name) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tar_member m;
    uint8_t *copy =
        malloc(size ? size : 1); /* of the exact size: reads behind are seen */

    require(copy != NULL);
    memcpy(copy, data, size);
    if (size >= TAR_BLOCK && tar_read(copy, &m) == PTS_OK)
        require(strlen(m.name) < TAR_NAME);
    if (tar_read_pax((struct pts_bytes){copy, size}, &m))
        require(strlen(m.name) < TAR_NAME);
    round_trip(copy, size);
    free(copy);
    return 0;
}
