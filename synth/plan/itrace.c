/* itrace.c - what --itrace asks for.
 *
 * SPDX-License-Identifier: MIT
 *
 * Letters follow each other without separators; blanks and commas between them are
 * skipped.  A period's unit is taken greedily: in "i10i" the second i is the unit.
 *
 *     i100us   letter, period, unit       g32   letter, size       e-o   letter, flags
 *
 * Odd cases are perf's, whose parser is one switch that moves a pointer: who knows them
 * from there must not get another trace here.
 */
#include "synth/plan/itrace.h"

#include "decoder/base/diag.h"

#include <stddef.h>

enum letter_arg { ARG_NONE, ARG_PERIOD, ARG_SIZE, ARG_NUMBER, ARG_FLAGS, ARG_COUNT };

static const struct letter {
    char letter;
    uint8_t argument;
} letters[ITRACE_BITS] = {
#define ITRACE(letter, name, argument, help) {letter, ARG_##argument},
#include <ptscript/itrace.def>
#undef ITRACE
};

enum { DEFAULT_PERIOD_NS = 100000, DEFAULT_CALLCHAIN = 16, DEFAULT_BRSTACK = 64 };

/* What is written behind --itrace= while it is read: `at` is what is left of it. */
struct spec {
    const char *at;
    bool bad;
    bool period_given, unit_given;
    bool end; /* stop here, without an error */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits, saturating as strtoull does. */
static uint64_t spec_digits(struct spec *s)
{
    uint64_t v = 0;

    for (; is_digit(*s->at); s->at++) {
        uint64_t d = (uint64_t)(*s->at - '0');
        v = v > (UINT64_MAX - d) / 10 ? UINT64_MAX : v * 10 + d;
    }
    return v;
}

static void spec_separators(struct spec *s)
{
    while (*s->at == ' ' || *s->at == ',')
        s->at++;
}

static void spec_unit(struct spec *s, struct itrace *it)
{
    uint64_t scale;

    switch (*s->at) {
    /* A period without a unit at the end of the text is taken as it is.  perf leaves its
     * loop here, so what would be done behind it is not done. */
    case '\0':
        s->end = true;
        return;
    case 'i':
        it->unit = ITRACE_UNIT_INSNS;
        break;
    case 't':
        it->unit = ITRACE_UNIT_TICKS;
        break;
    case 'm':
    case 'u':
    case 'n':
        scale = *s->at == 'm' ? 1000000 : *s->at == 'u' ? 1000 : 1;
        /* "m", "u" and "n" are nothing alone: "ms", "us", "ns". */
        if (*++s->at != 's')
            s->bad = true;
        it->period *= scale;
        it->unit = ITRACE_UNIT_NS;
        break;
    default:
        s->bad = true;
    }
    s->unit_given = true;
    if (!s->bad)
        s->at++;
}

static void spec_period(struct spec *s, struct itrace *it)
{
    spec_separators(s);
    if (!is_digit(*s->at))
        return;
    it->period = spec_digits(s);
    s->period_given = true;
    spec_separators(s);
    spec_unit(s, it);
}

static void spec_size(struct spec *s, uint32_t *size, uint32_t standard)
{
    *size = standard;
    spec_separators(s);
    if (!is_digit(*s->at))
        return;
    *size = (uint32_t)spec_digits(s);
    s->bad = *size == 0 || *size > ITRACE_SIZE_MAX;
}

/* As strtoul reads it: blanks and a sign may come first. */
static uint64_t spec_number(struct spec *s)
{
    while (*s->at == ' ' || (*s->at >= '\t' && *s->at <= '\r'))
        s->at++;
    bool minus = *s->at == '-';
    s->at += minus || *s->at == '+';
    s->bad = !is_digit(*s->at);
    uint64_t v = spec_digits(s);
    return minus ? 0 - v : v;
}

static void spec_flags(struct spec *s, uint32_t *plus, uint32_t *minus)
{
    for (;; s->at++) {
        if (*s->at == ' ')
            continue;
        if (*s->at != '+' && *s->at != '-')
            return;
        /* Each sign has one letter: "+o-l", not "+ol". */
        uint32_t *set = *s->at++ == '+' ? plus : minus;
        while (*s->at == ' ')
            s->at++;
        if (*s->at < 'a' || *s->at > 'z') {
            s->bad = true;
            return;
        }
        *set |= ITRACE_FLAG(*s->at);
    }
}

static void spec_argument(struct spec *s, struct itrace *it, size_t bit)
{
    bool chain = bit == ITRACE_BIT_CALLCHAIN || bit == ITRACE_BIT_ADD_CALLCHAIN;
    bool error = bit == ITRACE_BIT_ERRORS;

    switch (letters[bit].argument) {
    case ARG_PERIOD:
        spec_period(s, it);
        break;
    case ARG_SIZE:
        if (chain)
            spec_size(s, &it->callchain_size, DEFAULT_CALLCHAIN);
        else
            spec_size(s, &it->brstack_size, DEFAULT_BRSTACK);
        break;
    case ARG_NUMBER:
        it->skip = spec_number(s);
        break;
    case ARG_FLAGS:
        spec_flags(s, error ? &it->error_plus : &it->log_plus,
                   error ? &it->error_minus : &it->log_minus);
        break;
    case ARG_COUNT:
        /* q and qq are two modes. */
        it->quick++;
        break;
    }
}

static size_t letter_find(char c)
{
    size_t i = 0;

    while (i < ITRACE_BITS && letters[i].letter != c)
        i++;
    return i;
}

static void spec_letter(struct spec *s, struct itrace *it)
{
    size_t bit = letter_find(*s->at++);

    if (bit == ITRACE_BITS) {
        s->bad = true;
        return;
    }
    it->what |= 1u << bit;
    /* c and r only choose among branches, so they bring b with them. */
    if (bit == ITRACE_BIT_CALLS || bit == ITRACE_BIT_RETURNS)
        it->what |= ITRACE_ON(BRANCHES);
    spec_argument(s, it, bit);
}

pts_status itrace_parse(struct itrace *it, const char *str, struct pts_diag *why)
{
    struct spec s = {.at = str};

    it->set = true;
    it->asked = true;
    /* --itrace without a value is the default set. */
    if (!str) {
        itrace_default(it);
        return PTS_OK;
    }
    while (*s.at && !s.bad && !s.end) {
        if (*s.at == ' ' || *s.at == ',')
            s.at++;
        else
            spec_letter(&s, it);
    }
    if (s.bad)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        "Bad Instruction Tracing options '%s'", str);
    if (itrace_on(it, ITRACE_ON(INSTRUCTIONS))) { /* perhaps by an option before */
        if (!s.unit_given)
            it->unit = ITRACE_UNIT_NS;
        if (!s.period_given)
            it->period = DEFAULT_PERIOD_NS;
    }
    return PTS_OK;
}

/* What perf script decodes when nothing is said: nearly everything that is an event of
 * its own, but no instructions and no stacks. */
void itrace_default(struct itrace *it)
{
    it->what |= ITRACE_ON(BRANCHES) | ITRACE_ON(CALLS) | ITRACE_ON(TRANSACTIONS) |
                ITRACE_ON(PTWRITES) | ITRACE_ON(POWER) | ITRACE_ON(OTHER) |
                ITRACE_ON(INTR) | ITRACE_ON(ERRORS) | ITRACE_ON(FLC) | ITRACE_ON(LLC) |
                ITRACE_ON(TLB) | ITRACE_ON(REMOTE) | ITRACE_ON(MEM);
    it->unit = ITRACE_UNIT_INSNS;
    it->period = 1;
    it->callchain_size = DEFAULT_CALLCHAIN;
    it->brstack_size = DEFAULT_BRSTACK;
    it->skip = 0;
}

void itrace_instructions(struct itrace *it)
{
    it->what &= ~ITRACE_ON(CALLS);
    it->what |= ITRACE_ON(INSTRUCTIONS);
    it->unit = ITRACE_UNIT_NS;
    it->period = DEFAULT_PERIOD_NS;
}
