/* buf.c - a growing row of bytes.
 *
 * SPDX-License-Identifier: MIT
 *
 * Numbers go in little endian whatever the host is: the file is that of an x86 machine.
 */
#include "testdata/ptrecord/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *mem_get(void *old, size_t size)
{
    void *p = realloc(old, size ? size : 1);

    if (!p) {
        fprintf(stderr, "ptrecord: out of memory\n");
        exit(1);
    }
    return p;
}

uint8_t *buf_extend(struct buf *b, size_t len)
{
    uint8_t *at;

    if (b->room - b->len < len) {
        b->room = (b->room + len) * 2;
        b->data = mem_get(b->data, b->room);
    }
    at = b->data + b->len;
    b->len += len;
    return at;
}

void buf_put(struct buf *b, const void *bytes, size_t len)
{
    if (len)
        memcpy(buf_extend(b, len), bytes, len);
}

static void put_le(struct buf *b, uint64_t v, size_t len)
{
    uint8_t *at = buf_extend(b, len);

    for (size_t i = 0; i < len; i++)
        at[i] = (uint8_t)(v >> 8 * i);
}

void buf_u16(struct buf *b, uint16_t v)
{
    put_le(b, v, 2);
}

void buf_u32(struct buf *b, uint32_t v)
{
    put_le(b, v, 4);
}

void buf_u64(struct buf *b, uint64_t v)
{
    put_le(b, v, 8);
}

void buf_str(struct buf *b, const char *s, size_t align)
{
    size_t len = strlen(s) + 1;

    buf_put(b, s, len);
    buf_zero(b, (align - len % align) % align);
}

void buf_zero(struct buf *b, size_t len)
{
    if (len)
        memset(buf_extend(b, len), 0, len);
}

void buf_shift(struct buf *b, size_t len)
{
    b->len -= len;
    if (b->len)
        memmove(b->data, b->data + len, b->len);
}

void buf_free(struct buf *b)
{
    free(b->data);
    *b = (struct buf){0};
}
