/* out_synth.h - texts of flags and of made events' payloads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_LINE_OUT_SYNTH_H
#define PTS_SYNTH_PRINT_LINE_OUT_SYNTH_H

#include "synth/print/text.h"
#include "synth/sample/sample.h"

#include <stdint.h>

/* A letter for each flag; and what they say together: a name and marks, 21 wide, or letters. */
enum { OUT_FLAGS_NAME = 40 };
void out_flags_letters(uint32_t flags, char buf[OUT_FLAGS_NAME]);
void out_flags_name(uint32_t flags, char buf[OUT_FLAGS_NAME]);
/* The flags column: "  %-21s ". */
void out_flags(struct text *t, uint32_t flags);
/* The synth column of an event of type PTS_TYPE_SYNTH with this config; nothing when the
 * payload is too short. */
void out_synth(struct text *t, uint64_t config, struct raw_bytes raw);

#endif
