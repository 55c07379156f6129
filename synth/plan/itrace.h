/* itrace.h - what --itrace asks for.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each letter is a row of itrace.def and has a bit, so that a set of them is one word.
 * Who cares about a letter asks for its bit; only the parser knows what it is called.
 */
#ifndef PTS_SYNTH_PLAN_ITRACE_H
#define PTS_SYNTH_PLAN_ITRACE_H

#include <ptscript/status.h>
#include <stdbool.h>
#include <stdint.h>

/* One bit per letter (itrace.what). */
enum itrace_letter {
#define ITRACE(letter, name, argument, help) ITRACE_BIT_##name,
#include <ptscript/itrace.def>
#undef ITRACE
    ITRACE_BITS
};
#define ITRACE_ON(name) (1u << ITRACE_BIT_##name)

/* Longest call chain and branch stack. */
enum { ITRACE_SIZE_MAX = 1024 };

enum itrace_unit { ITRACE_UNIT_INSNS, ITRACE_UNIT_TICKS, ITRACE_UNIT_NS };

/* Zero-initialise; the letters of several options add up, but the period of
 * instructions is that of the last one, as in perf. */
struct itrace {
    bool set;         /* something was said: no defaults */
    bool asked;       /* by --itrace, or options that stand for it */
    bool dont_decode; /* --no-itrace */
    uint32_t what;    /* ITRACE_ON(...) */
    enum itrace_unit unit;
    uint64_t period;
    uint64_t skip;
    uint32_t callchain_size, brstack_size, quick;
    uint32_t error_plus, error_minus, log_plus, log_minus; /* bit 0: a ... bit 25: z */
};
#define ITRACE_FLAG(c) (1u << ((c) - 'a'))

static inline bool itrace_on(const struct itrace *it, uint32_t bits)
{
    return (it->what & bits) != 0;
}

/* One --itrace option.  str NULL: without a value.  PTS_E_USAGE with perf's text. */
pts_status itrace_parse(struct itrace *it, const char *str, struct pts_diag *why);
/* What perf script does when nothing was said: samples of all kinds but instructions, of
 * branches only calls, and errors; no stacks. */
void itrace_default(struct itrace *it);
/* Instructions by time in place of calls, as other commands of perf do. */
void itrace_instructions(struct itrace *it);

#endif
