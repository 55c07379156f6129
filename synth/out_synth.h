/* out_synth.h - texts of flags and of made events' payloads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_OUT_SYNTH_H
#define PTS_SYNTH_OUT_SYNTH_H

#include "synth/fmt.h"
#include "synth/sample.h"

#include <stdint.h>

/* The flags column: "  %-21s " (spec A5.4). */
void out_flags(struct text *t, uint32_t flags);
/* The synth column of an event with this config (enum synth_config); nothing when the
 * payload is too short (spec A5.5). */
void out_synth(struct text *t, uint64_t config, struct raw_bytes raw);
/* perf's text of a fault (enum pt_fault). */
const char *out_fault_text(uint32_t code);

#endif
