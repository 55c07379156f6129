/* tp_reader.c - the state of reading an argument: a word, a slot, and what waits.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/print/tracepoint/tp_reader.h"

enum tp_step tp_next(struct tp_reader *r, enum tp_step then)
{
    if (tp_lex_next(r->lex, &r->token))
        return then;
    r->no_memory = true;
    return TP_FAIL;
}

enum tp_step tp_next_item(struct tp_reader *r, enum tp_step then)
{
    enum tp_step step;

    do
        step = tp_next(r, then);
    while (step != TP_FAIL && r->token.kind == TP_WORD_NEWLINE);
    return step;
}

bool tp_expect(const struct tp_reader *r, enum tp_word kind, const char *text)
{
    return tp_token_is(&r->token, kind, text);
}

struct tp_wait *tp_push(struct tp_reader *r, tp_resume *resume, struct tp_node *slot)
{
    if (r->depth == TP_DEPTH)
        return NULL;
    struct tp_wait *w = &r->stack[r->depth++];
    *w = (struct tp_wait){.resume = resume, .slot = slot};
    return w;
}

struct tp_wait tp_pop(struct tp_reader *r)
{
    return r->stack[--r->depth];
}

/* Lack of memory is told from a format that cannot be read: the latter is printed all
 * the same, field by field. */
bool tp_have(struct tp_reader *r, const void *made)
{
    r->no_memory |= !made;
    return made != NULL;
}

struct tp_node *tp_new_node(struct tp_reader *r)
{
    struct tp_node *n = arena_alloc(r->lex->arena, sizeof(*n));

    return tp_have(r, n) ? n : NULL;
}

enum tp_step tp_read_into(struct tp_reader *r, struct tp_node **to)
{
    *to = r->slot = tp_new_node(r);
    return *to ? TP_READ : TP_FAIL;
}
