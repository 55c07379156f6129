/* tp_parse.c - the arguments of a print fmt.
 *
 * SPDX-License-Identifier: MIT
 *
 * Parentheses, functions and the like wait on a stack (struct wait) for what is inside:
 *
 *     READ  the token begins an operand for p->slot
 *     DONE  a slot is complete, the token is behind it; the top of the stack goes on
 */
#include "synth/tp_parse.h"

#include "synth/tp_call.h"

#include <string.h>

struct tp_node *tp_new_node(struct tp_parser *p)
{
    struct tp_node *n = arena_alloc(p->lex->arena, sizeof(*n));

    if (!n)
        p->no_memory = true;
    return n;
}

enum tp_step tp_next(struct tp_parser *p, enum tp_step then)
{
    if (tp_lex_next(p->lex, &p->token))
        return then;
    p->no_memory = true;
    return TP_FAIL;
}

enum tp_step tp_next_item(struct tp_parser *p, enum tp_step then)
{
    enum tp_step step;

    do
        step = tp_next(p, then);
    while (step != TP_FAIL && p->token.kind == TP_WORD_NEWLINE);
    return step;
}

bool tp_expect(struct tp_parser *p, enum tp_word kind, const char *text)
{
    return tp_token_is(&p->token, kind, text);
}

struct tp_wait *tp_push(struct tp_parser *p, enum tp_what what, struct tp_node *slot)
{
    if (p->depth == TP_DEPTH)
        return NULL;
    struct tp_wait *w = &p->stack[p->depth++];
    *w = (struct tp_wait){.what = what, .slot = slot};
    return w;
}

enum tp_step tp_pop(struct tp_parser *p, enum tp_step step)
{
    p->depth--;
    return step;
}

enum tp_step tp_read_into(struct tp_parser *p, struct tp_node **to)
{
    *to = p->slot = tp_new_node(p);
    return *to ? TP_READ : TP_FAIL;
}

/* --- Operands --- */

static enum tp_step field_of_record(struct tp_parser *p)
{
    if (tp_next(p, TP_DONE) == TP_FAIL || !tp_expect(p, TP_WORD_OP, "->") ||
        tp_next(p, TP_DONE) == TP_FAIL || p->token.kind != TP_WORD_ITEM)
        return TP_FAIL;
    p->slot->kind = TP_FIELD;
    p->slot->field = tp_event_field(p->event, p->token.text, true);
    return tp_next(p, TP_DONE);
}

/* Words in a row ("unsigned long") are one atom. */
static enum tp_step words(struct tp_parser *p, struct tp_node *slot, const char *first)
{
    char text[TP_TYPE_TEXT];
    size_t n = strlen(first);

    slot->kind = TP_ATOM;
    slot->text = first;
    if (p->token.kind != TP_WORD_ITEM)
        return TP_DONE;
    if (n >= sizeof(text))
        return TP_FAIL;
    memcpy(text, first, n + 1);
    while (p->token.kind == TP_WORD_ITEM) {
        size_t len = strlen(p->token.text);
        if (len + 1 >= sizeof(text) - n)
            return TP_FAIL;
        text[n++] = ' ';
        memcpy(text + n, p->token.text, len + 1);
        n += len;
        if (tp_next_item(p, TP_DONE) == TP_FAIL)
            return TP_FAIL;
    }
    slot->text = arena_strndup(p->lex->arena, text, n);
    p->no_memory |= !slot->text;
    return slot->text ? TP_DONE : TP_FAIL;
}

static enum tp_step name(struct tp_parser *p)
{
    struct tp_node *slot = p->slot;
    const char *first = p->token.text;

    if (strcmp(first, "REC") == 0)
        return field_of_record(p);
    if (tp_next_item(p, TP_DONE) == TP_FAIL)
        return TP_FAIL;
    if (tp_expect(p, TP_WORD_DELIM, "("))
        return tp_call(p, slot, first);
    return words(p, slot, first);
}

static enum tp_step operand(struct tp_parser *p)
{
    switch (p->token.kind) {
    case TP_WORD_ITEM:
        return name(p);
    case TP_WORD_DQUOTE:
    case TP_WORD_SQUOTE:
        p->slot->kind = TP_ATOM;
        p->slot->text = p->token.text;
        return tp_next_item(p, TP_DONE);
    case TP_WORD_DELIM:
        if (!tp_expect(p, TP_WORD_DELIM, "("))
            return tp_sign(p);
        return tp_push(p, TP_WAIT_PAREN, p->slot) ? tp_next(p, TP_READ) : TP_FAIL;
    case TP_WORD_OP:
        return tp_sign(p);
    case TP_WORD_END:
    case TP_WORD_NEWLINE:
        break;
    }
    return TP_FAIL;
}

/* --- What waits --- */

/* Behind the parenthesis: a value makes it a cast. */
static enum tp_step paren(struct tp_parser *p, struct tp_wait *w)
{
    struct tp_node *slot = w->slot;

    if (w->what == TP_WAIT_PAREN && tp_at_op(p)) {
        w->what = TP_WAIT_PAREN_END;
        return tp_operator(p, slot);
    }
    if (!tp_expect(p, TP_WORD_DELIM, ")") || tp_next_item(p, TP_DONE) == TP_FAIL)
        return TP_FAIL;
    p->depth--;
    if (!tp_token_is_value(&p->token) && !tp_expect(p, TP_WORD_DELIM, "("))
        return TP_DONE;
    if (slot->kind != TP_ATOM)
        return TP_FAIL;
    slot->kind = TP_CAST;
    return tp_read_into(p, &slot->a);
}

static enum tp_step then_side(struct tp_parser *p, struct tp_wait *w)
{
    if (tp_at_op(p) && strcmp(p->token.text, ":") != 0)
        return tp_operator(p, w->part->a);
    if (!tp_expect(p, TP_WORD_OP, ":") || tp_next(p, TP_READ) == TP_FAIL)
        return TP_FAIL;
    w->what = TP_WAIT_ELSE;
    return tp_read_into(p, &w->part->b);
}

static enum tp_step index_end(struct tp_parser *p, struct tp_node *slot)
{
    if (!tp_expect(p, TP_WORD_OP, "]") || tp_next_item(p, TP_DONE) == TP_FAIL)
        return TP_FAIL;
    return tp_after_operator(p, slot, NULL);
}

static enum tp_step resume(struct tp_parser *p)
{
    struct tp_wait *w = &p->stack[p->depth - 1];
    const struct tp_wait was = *w;

    switch (w->what) {
    case TP_WAIT_PAREN:
    case TP_WAIT_PAREN_END:
        return paren(p, w);
    case TP_WAIT_SIGNED:
        p->depth--;
        return tp_after_operator(p, was.slot, was.slot->b);
    case TP_WAIT_RIGHT:
        p->depth--;
        return tp_right_side(p, &was);
    case TP_WAIT_THEN:
        return then_side(p, w);
    case TP_WAIT_ELSE:
        p->depth--;
        was.slot->b = was.part;
        return tp_after_operator(p, was.slot, NULL);
    case TP_WAIT_INDEX:
        p->depth--;
        return index_end(p, was.slot);
    case TP_WAIT_CALL:
        return tp_call_resume(p, w);
    }
    return TP_FAIL;
}

/* Goes on until the slot it began with is complete.  Every READ takes a word, and every
 * DONE takes from the stack what a READ put there, or a word. */
static bool run(struct tp_parser *p, enum tp_step step)
{
    while (step == TP_READ || (step == TP_DONE && p->depth))
        step = step == TP_READ ? operand(p) : resume(p);
    return step == TP_DONE;
}

static bool argument(struct tp_parser *p, struct tp_node **to)
{
    enum tp_step step = tp_next(p, TP_READ);

    if (step == TP_READ)
        step = tp_read_into(p, to);
    return run(p, step);
}

/* Behind an argument that ends in an operator perf takes any word for a comma. */
static bool arguments(struct tp_parser *p, struct tp_node **to)
{
    do {
        if (!argument(p, to))
            return false;
        if (tp_at_op(p)) {
            if (!run(p, tp_operator(p, *to)))
                return false;
        } else if (!tp_expect(p, TP_WORD_DELIM, ",")) {
            return true;
        }
        if (p->token.kind == TP_WORD_NEWLINE && tp_next_item(p, TP_DONE) == TP_FAIL)
            return false;
        to = &(*to)->next;
    } while (p->token.kind != TP_WORD_END);
    return true;
}

pts_status tp_parse_args(const struct tp_event *e, struct tp_lex *lex,
                         struct tp_node **args)
{
    struct tp_parser p = {.event = e, .lex = lex};

    if (arguments(&p, args))
        return PTS_OK;
    return p.no_memory ? PTS_E_NOMEM : PTS_E_FORMAT;
}
