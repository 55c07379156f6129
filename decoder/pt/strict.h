/* strict.h - where perf 6.1 and the processor's manual disagree.
 *
 * SPDX-License-Identifier: MIT
 *
 * Everything is decoded as perf does it, unless asked for otherwise (strict); that a trace
 * had such a place is noted in either case.
 */
#ifndef PTS_DECODER_PT_STRICT_H
#define PTS_DECODER_PT_STRICT_H

#include <stdbool.h>
#include <stdint.h>

enum pt_place_nr {
#define PT_PLACE(name, text) PLACE_NR_##name,
#include "decoder/pt/strict.def"
#undef PT_PLACE
    PLACE_COUNT
};

enum pt_place {
#define PT_PLACE(name, text) PLACE_##name = 1u << PLACE_NR_##name,
#include "decoder/pt/strict.def"
#undef PT_PLACE
    PLACE_NONE = 0
};

/* What it is, as a note says it. */
const char *pt_place_text(enum pt_place_nr nr);

/* Errata of the processor.  What the last three lead to has one meaning on every
 * processor, so decoding does not depend on them. */
enum pt_erratum {
    ERRATUM_BDM64 = 1 << 0,
    ERRATUM_SKD007 = 1 << 1,
    ERRATUM_SKD022 = 1 << 2,
    ERRATUM_APL12 = 1 << 3,
    ERRATUM_BDM70 = 1 << 4,
    ERRATUM_SKD010 = 1 << 5,
    ERRATUM_APL11 = 1 << 6
};

/* cpuid as in a recording's header, "GenuineIntel,6,78,3"; NULL: not known, no errata. */
uint32_t pt_errata_of(const char *cpuid);
/* Whether it is of family 18 or later: those have instructions (APX, AVX10.2) that perf 6.1 does not know. */
bool pt_is_later(const char *cpuid);

#endif
