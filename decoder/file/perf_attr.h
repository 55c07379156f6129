/* perf_attr.h - reading the kernel's perf_event_attr.
 *
 * SPDX-License-Identifier: MIT
 *
 * The struct has grown with the kernel.  A recording has the length that its kernel
 * knew; members that it lacks are zero, which the kernel has made sure means "as
 * before".
 */
#ifndef PTS_DECODER_FILE_PERF_ATTR_H
#define PTS_DECODER_FILE_PERF_ATTR_H

#include <ptscript/attr.h>
#include <stdbool.h>
#include <stddef.h>

/* The n bytes at p; members that lie beyond are zero.  foreign: of the other byte
 * order. */
void attr_read(const uint8_t *p, size_t n, bool foreign, struct pts_attr *out);
/* The same as PERF_ATTR_BYTES bytes, those of perf 6.1: what came later is left out, and
 * what is shorter becomes as long. */
void attr_write(const struct pts_attr *a, uint8_t *to);
/* A byte of the flags in the other byte order.  They are bit-fields of one bit: where
 * one order has the first of them in the lowest bit, the other has it in the highest of
 * the same byte. */
uint8_t attr_mirror(uint8_t byte);
/* Whether all bytes behind the members known here are zero. */
bool attr_tail_unused(const uint8_t *p, size_t n);

/* Bytes of the sample id that follows other records than SAMPLE. */
uint8_t attr_id_bytes(const struct pts_attr *a);
/* Word of the id from the front of a SAMPLE, and from the end of another record; -1
 * when there is none. */
int8_t attr_id_pos(uint64_t sample_type);
int8_t attr_is_pos(uint64_t sample_type);

#endif
