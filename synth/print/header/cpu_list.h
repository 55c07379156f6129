/* cpu_list.h - lists of CPUs such as "0-3,8".
 *
 * SPDX-License-Identifier: MIT
 *
 * Ranges and not bits: numbers in a file may be as large as they like.
 */
#ifndef PTS_SYNTH_PRINT_HEADER_CPU_LIST_H
#define PTS_SYNTH_PRINT_HEADER_CPU_LIST_H

#include "decoder/base/vec.h"
#include "synth/print/text.h"

#include <ptscript/status.h>

struct cpu_range {
    uint32_t first, last;
};

/* Ascending, and none touches the next. */
struct cpu_list {
    VEC(struct cpu_range) at;
};

/* PTS_E_FORMAT where perf does not take the list: anything but numbers and ranges of
 * numbers, and a CPU that is named twice.  The empty list is fine. */
pts_status cpu_list_parse(struct cpu_list *l, const char *s);
void cpu_list_free(struct cpu_list *l);
/* "-1" for the empty list, as perf has it. */
void cpu_list_text(struct text *t, const struct cpu_list *l);

#endif
