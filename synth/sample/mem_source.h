/* mem_source.h - where data came from, as processors put it into their PEBS records.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SAMPLE_MEM_SOURCE_H
#define PTS_SYNTH_SAMPLE_MEM_SOURCE_H

#include "synth/plan/evlist.h"

/* How the word is encoded. */
enum mem_format { MEM_UNKNOWN, MEM_GRACEMONT, MEM_CRESTMONT };

/* Of the records of an event on the processor that feature CPUID names; NULL: on none
 * that is known. */
enum mem_format mem_format_of(const char *cpuid, const struct evl_attr *a);

/* As PTS_SAMPLE_DATA_SRC.  MEM_UNKNOWN: all of it "not available". */
uint64_t mem_source(enum mem_format format, uint64_t word);

#endif
