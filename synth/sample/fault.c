/* fault.c - faults of a trace in perf's words.
 *
 * SPDX-License-Identifier: MIT
 *
 * By the numbers that perf gives them (enum pt_fault): a fault goes into a record as
 * number and text, so both are part of what is printed.
 */
#include "synth/sample/fault.h"

#include "walker/flow/event.h"

static const char *const texts[] = {
    [FAULT_NONE] = "",
    [FAULT_NOMEM] = "Memory allocation failed",
    [FAULT_INTERNAL] = "Internal error",
    [FAULT_BAD_PACKET] = "Bad packet",
    [FAULT_NO_DATA] = "No more data",
    [FAULT_NO_INSN] = "Failed to get instruction",
    [FAULT_MISMATCH] = "Trace doesn't match instruction",
    [FAULT_OVERFLOW] = "Overflow packet",
    [FAULT_LOST] = "Lost trace data",
    [FAULT_UNKNOWN] = "Unknown error!",
    [FAULT_LOOP] = "Never-ending loop (refer perf config intel-pt.max-loops)",
    [FAULT_PTWRITE] = "Broken emulated ptwrite",
};

const char *fault_text(uint32_t code)
{
    return code < sizeof(texts) / sizeof(texts[0]) ? texts[code] : "Unknown error!";
}
