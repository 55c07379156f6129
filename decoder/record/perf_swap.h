/* perf_swap.h - records of a machine of the other byte order.
 *
 * SPDX-License-Identifier: MIT
 *
 * They are turned into records of this machine in place, once, where they enter; all
 * that comes after sees only those.
 */
#ifndef PTS_DECODER_RECORD_PERF_SWAP_H
#define PTS_DECODER_RECORD_PERF_SWAP_H

#include <ptscript/attr.h>

#include <stddef.h>
#include <stdint.h>

/* The 8 bytes that every record begins with. */
void swap_header(uint8_t *rec);

/* One of perf's own records whose header is turned already and whose `size` bytes are
 * all there. */
void swap_own(uint8_t *rec, size_t size);

/* The same for one of the kernel.  attr: its event, NULL when that is not known;
 * id_bytes: of the sample id at its end, unless it is a SAMPLE. */
void swap_kernel(uint8_t *rec, size_t size, const struct pts_attr *attr,
                 size_t id_bytes);

/* From a record that was turned by one of the above to what perf 6.1 makes of it and
 * dumps: it turns most words as if they had 64 bits, and forgets some. */
void swap_as_perf(uint8_t *rec, size_t size, const struct pts_attr *attr,
                  size_t id_bytes);

#endif
