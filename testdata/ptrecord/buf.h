/* buf.h - a growing row of bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_BUF_H
#define PTRECORD_BUF_H

#include <stddef.h>
#include <stdint.h>

struct buf {
    uint8_t *data;
    size_t len, room;
};

/* Memory or the end of the program: ptrecord has no use for half a recording. */
void *mem_get(void *old, size_t size);

/* LEN bytes at the end, to be filled by the caller. */
uint8_t *buf_extend(struct buf *b, size_t len);
void buf_put(struct buf *b, const void *bytes, size_t len);
void buf_u16(struct buf *b, uint16_t v);
void buf_u32(struct buf *b, uint32_t v);
void buf_u64(struct buf *b, uint64_t v);
/* S with its zero, filled up with zeros to a multiple of ALIGN. */
void buf_str(struct buf *b, const char *s, size_t align);
void buf_zero(struct buf *b, size_t len);
/* Drops the first LEN bytes. */
void buf_shift(struct buf *b, size_t len);
void buf_free(struct buf *b);

#endif
