/* key_spot.c - what keys of places have in common, be they of a sample or of a branch.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/key/key_parts.h"

#include <string.h>

int64_t spot_dso_order(const struct spot_of *a, const struct spot_of *b)
{
    if (a->dso == b->dso)
        return 0;
    return a->dso && b->dso ? strcmp(a->dso, b->dso) : by_presence(b->dso, a->dso);
}

/* Addresses want room, unless columns are not to be looked at. */
uint32_t spot_dso_width(const struct key_context *c, const struct spot_of *s)
{
    uint32_t n = s->dso ? (uint32_t)strlen(s->dso) : 0;

    return !s->at.sym && n < ADDRESS_DIGITS && !c->narrow ? ADDRESS_DIGITS : n;
}

void spot_dso_put(const struct spot_of *s, struct text *t)
{
    text_str(t, s->dso ? s->dso : "[unknown]");
}

uint32_t spot_sym_words(const struct spot_of *s, uint64_t address, uint64_t *word)
{
    word[0] = s->at.sym ? s->at.sym_start : address;
    word[1] = s->at.sym ? s->at.sym_end : 0;
    word[2] = s->at.sym != NULL;
    return 3;
}

int64_t spot_sym_order(const struct spot_of *a, const struct spot_of *b)
{
    if (!a->at.sym || !b->at.sym)
        return by_presence(a->at.sym, b->at.sym);
    int c = a->inlined || b->inlined ? strcmp(a->at.sym, b->at.sym) : 0;
    if (c || ((a->inlined || b->inlined) && a->at.sym_start <= b->at.sym_end &&
              a->at.sym_end >= b->at.sym_start))
        return c;
    return a->at.sym_start != b->at.sym_start
               ? by_number(a->at.sym_start, b->at.sym_start)
               : by_number(a->at.sym_end, b->at.sym_end);
}

int64_t spot_compare(const struct key_context *c, const struct subject *a,
                     const struct subject *b)
{
    if (!a->spot.at.sym && !b->spot.at.sym)
        return by_number(a->spot.shown, b->spot.shown);
    int64_t dso = c->by_dso ? 0 : spot_dso_order(&b->spot, &a->spot);
    return dso ? dso : spot_sym_order(&a->spot, &b->spot);
}

void spot_sym_put(const struct spot_of *s, char level, uint64_t address, size_t width,
                  struct text *t)
{
    enum { LEVEL = 4 };
    size_t n = s->at.sym ? strlen(s->at.sym) : 0,
           room = width >= LEVEL ? width - LEVEL : SIZE_MAX; /* of less none is given */

    text_char(t, '[');
    text_char(t, level);
    text_str(t, "] ");
    if (s->at.sym && s->at.sym_data) {
        text_put(t, s->at.sym, n);
        text_fmt(t, "+0x%llx", (unsigned long long)(s->asked - s->at.sym_ip));
        return;
    }
    if (s->at.sym) {
        text_put(t, s->at.sym, n < room ? n : room);
        text_str(t, s->inlined ? " (inlined)" : "");
        return;
    }
    if (address)
        text_str(t, "0x");
    text_fmt(t, "%016llx", (unsigned long long)address);
}

uint32_t spot_sym_width(const struct spot_of *s)
{
    return s->at.sym ? (uint32_t)strlen(s->at.sym) + s->at.sym_tail + 4
                     : ADDRESS_DIGITS + 6;
}

/* What --verbose puts in front of a symbol: an address, where symbols came from. */
enum { ORIGIN_ADDRESS = 18, ORIGIN_WIDTH = ORIGIN_ADDRESS + 3 };

void spot_full_put(const struct spot_of *s, char level, uint64_t address, size_t width,
                   struct text *t)
{
    const struct place *p = &s->at;
    const size_t from = t->len;

    if (s->origin) {
        text_hex_alt(t, p->in_memory ? p->ip + address - p->addr : address);
        if (t->len - from < ORIGIN_ADDRESS)
            text_spaces(t, ORIGIN_ADDRESS - (t->len - from));
        text_char(t, ' ');
        text_char(t, s->origin);
        text_char(t, ' ');
        width -= width < t->len - from ? width : t->len - from;
    }
    spot_sym_put(s, level, address, width, t);
}

/* perf makes no room for it where there is no symbol. */
uint32_t spot_full_width(const struct spot_of *s)
{
    return spot_sym_width(s) + (s->origin && s->at.sym ? ORIGIN_WIDTH : 0);
}

uint32_t spot_words(struct key_context *c, const struct subject *i, uint64_t *word)
{
    uint32_t n = spot_sym_words(&i->spot, i->spot.shown, word);

    word[3] = 0;
    return i->spot.at.sym && !c->by_dso && !word_of(c, i->spot.dso, &word[3]) ? 0
                                                                              : n + 1;
}

uint32_t key_ipc_words(struct key_context *c, const struct subject *i, uint64_t *word)
{
    *word = 0;
    return c->by_symbol ? 1 : spot_words(c, i, word);
}

uint32_t key_no_width(const struct key_context *c, const struct subject *i)
{
    (void)c, (void)i;
    return 0;
}
