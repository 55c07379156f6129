/* fault.h - faults of a trace in perf's words.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SAMPLE_FAULT_H
#define PTS_SYNTH_SAMPLE_FAULT_H

#include <stdint.h>

/* Of a fault (enum pt_fault). */
const char *fault_text(uint32_t code);

#endif
