/* key_call.c - what a key says, be it one that all samples have or a field of a tracepoint.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/key_field.h"

uint32_t key_words(const struct key *k, struct key_context *c, const struct subject *i,
                   uint64_t *word)
{
    return k->field ? field_words(k->field, c, i, word) : k->words(c, i, word);
}

int64_t key_compare(const struct key *k, const struct key_context *c,
                    const struct subject *a, const struct subject *b)
{
    return k->field ? field_compare(k->field, c, a, b) : k->compare(c, a, b);
}

int64_t key_rank(const struct key *k, const struct key_context *c,
                 const struct subject *a, const struct subject *b)
{
    return k->rank ? k->rank(a, b) : key_compare(k, c, a, b);
}

void key_cell(const struct key *k, const struct key_context *c, const struct subject *i,
              size_t width, struct text *t)
{
    if (k->field)
        field_cell(k->field, i, width, t);
    else
        k->cell(c, i, width, t);
}
