/* psb.h - finding PSB packets by their bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_DECODER_PSB_H
#define PTS_DECODER_PSB_H

#include <stdbool.h>
#include <stdint.h>

enum { PSB_BYTES = 16 };

/* 02 82, eight times (SDM 33.4.2.17). */
extern const uint8_t psb_pattern[PSB_BYTES];

/* The first PSB in [at, end), or NULL. */
const uint8_t *psb_find(const uint8_t *at, const uint8_t *end);

/* The TSC packet of the PSB+ that begins at psb, NULL when it has none.  *tsc: its
 * payload of 56 bits. */
const uint8_t *psb_tsc(const uint8_t *psb, const uint8_t *end, uint64_t *tsc);

#endif
