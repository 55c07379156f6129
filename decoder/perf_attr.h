/* perf_attr.h - reading the kernel's perf_event_attr.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_DECODER_PERF_ATTR_H
#define PTS_DECODER_PERF_ATTR_H

#include <ptscript/attr.h>
#include <stdbool.h>
#include <stddef.h>

/* The n bytes at p; members that lie beyond are zero.  foreign: of the other byte
 * order. */
void attr_read(const uint8_t *p, size_t n, bool foreign, struct pts_attr *out);
/* Whether all bytes behind the members known here are zero. */
bool attr_tail_unused(const uint8_t *p, size_t n);

/* Bytes of the sample id that follows other records than SAMPLE. */
uint8_t attr_id_bytes(const struct pts_attr *a);
/* Word of the id from the front of a SAMPLE, and from the end of another record; -1
 * when there is none. */
int8_t attr_id_pos(uint64_t sample_type);
int8_t attr_is_pos(uint64_t sample_type);

#endif
