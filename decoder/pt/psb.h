/* psb.h - finding PSB packets by their bytes.
 *
 * SPDX-License-Identifier: MIT
 *
 * It is the one packet that can be found by its bytes alone: nothing else looks like
 * it, at whatever byte one begins.  Everything that has lost its way begins again
 * there.
 */
#ifndef PTS_DECODER_PT_PSB_H
#define PTS_DECODER_PT_PSB_H

#include <stdbool.h>
#include <stdint.h>

enum { PSB_BYTES = 16 };

/* 02 82, eight times (SDM, definition of PSB). */
extern const uint8_t psb_pattern[PSB_BYTES];

/* The first PSB in [at, end), or NULL. */
const uint8_t *psb_find(const uint8_t *at, const uint8_t *end);
/* The same, and of bytes that look like one at two places the last: a CYC and a TNT before it can look like its
 * beginning. */
const uint8_t *psb_find_last(const uint8_t *at, const uint8_t *end);

#endif
