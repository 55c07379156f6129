/* tp_parse.c - the arguments of a print fmt.
 *
 * SPDX-License-Identifier: MIT
 *
 * The driver of the steps of tp_reader.h: it begins an operand, and when one is
 * complete lets the top of the stack go on.  An operand begins with
 *
 *     REC              REC->NAME, a field of the sample
 *     a name           a function if "(" follows (tp_call.c); else a number or a type,
 *                      of several words in a row: "unsigned long"
 *     "text", 'text'   as it stands
 *     (                a cast, if a value follows the parentheses; else just what is
 *                      in them
 *     + - ! ~          a sign (tp_oper.c)
 */
#include "synth/print/tracepoint/tp_parse.h"

#include "synth/print/tracepoint/tp_call.h"
#include "synth/print/tracepoint/tp_oper.h"
#include "synth/print/tracepoint/tp_reader.h"

#include <string.h>

enum { TYPE_TEXT = 128 }; /* longest name of a type */

/* --- Operands --- */

static enum tp_step field_of_record(struct tp_reader *r)
{
    if (tp_next(r, TP_DONE) == TP_FAIL || !tp_expect(r, TP_WORD_OP, "->") ||
        tp_next(r, TP_DONE) == TP_FAIL || r->token.kind != TP_WORD_ITEM)
        return TP_FAIL;
    r->slot->kind = TP_FIELD;
    r->slot->field = tp_event_field(r->event, r->token.text, true);
    return tp_next(r, TP_DONE);
}

/* Words in a row ("unsigned long") are one atom. */
static enum tp_step words(struct tp_reader *r, struct tp_node *slot, const char *first)
{
    char text[TYPE_TEXT];
    size_t n = strlen(first);

    slot->kind = TP_ATOM;
    slot->text = first;
    if (r->token.kind != TP_WORD_ITEM)
        return TP_DONE;
    if (n >= sizeof(text))
        return TP_FAIL;
    memcpy(text, first, n + 1);
    while (r->token.kind == TP_WORD_ITEM) {
        size_t len = strlen(r->token.text);
        if (len + 1 >= sizeof(text) - n)
            return TP_FAIL;
        text[n++] = ' ';
        memcpy(text + n, r->token.text, len + 1);
        n += len;
        if (tp_next_item(r, TP_DONE) == TP_FAIL)
            return TP_FAIL;
    }
    slot->text = arena_strndup(r->lex->arena, text, n);
    return tp_have(r, slot->text) ? TP_DONE : TP_FAIL;
}

static enum tp_step name(struct tp_reader *r)
{
    struct tp_node *slot = r->slot;
    const char *first = r->token.text;

    if (strcmp(first, "REC") == 0)
        return field_of_record(r);
    if (tp_next_item(r, TP_DONE) == TP_FAIL)
        return TP_FAIL;
    if (tp_expect(r, TP_WORD_DELIM, "("))
        return tp_call(r, slot, first);
    return words(r, slot, first);
}

/* Behind the parentheses: a value makes them a cast. */
static enum tp_step paren_end(struct tp_reader *r, struct tp_wait *w)
{
    struct tp_node *slot = w->slot;

    if (!tp_expect(r, TP_WORD_DELIM, ")") || tp_next_item(r, TP_DONE) == TP_FAIL)
        return TP_FAIL;
    tp_pop(r);
    if (!tp_token_is_value(&r->token) && !tp_expect(r, TP_WORD_DELIM, "("))
        return TP_DONE;
    if (slot->kind != TP_ATOM)
        return TP_FAIL;
    slot->kind = TP_CAST;
    return tp_read_into(r, &slot->a);
}

/* Behind the first operand in parentheses. */
static enum tp_step paren(struct tp_reader *r, struct tp_wait *w)
{
    if (!tp_at_op(r))
        return paren_end(r, w);
    w->resume = paren_end;
    return tp_operator(r, w->slot);
}

static enum tp_step operand(struct tp_reader *r)
{
    switch (r->token.kind) {
    case TP_WORD_ITEM:
        return name(r);
    case TP_WORD_DQUOTE:
    case TP_WORD_SQUOTE:
        r->slot->kind = TP_ATOM;
        r->slot->text = r->token.text;
        return tp_next_item(r, TP_DONE);
    case TP_WORD_DELIM:
        if (!tp_expect(r, TP_WORD_DELIM, "("))
            return tp_sign(r);
        return tp_push(r, paren, r->slot) ? tp_next(r, TP_READ) : TP_FAIL;
    case TP_WORD_OP:
        return tp_sign(r);
    case TP_WORD_END:
    case TP_WORD_NEWLINE:
        break;
    }
    return TP_FAIL;
}

static enum tp_step resume(struct tp_reader *r)
{
    struct tp_wait *w = &r->stack[r->depth - 1];

    return w->resume(r, w);
}

/* Goes on until the slot it began with is complete.  Every READ takes a word, and every
 * DONE takes from the stack what a READ put there, or a word. */
static bool run(struct tp_reader *r, enum tp_step step)
{
    while (step == TP_READ || (step == TP_DONE && r->depth))
        step = step == TP_READ ? operand(r) : resume(r);
    return step == TP_DONE;
}

static bool argument(struct tp_reader *r, struct tp_node **to)
{
    enum tp_step step = tp_next(r, TP_READ);

    if (step == TP_READ)
        step = tp_read_into(r, to);
    return run(r, step);
}

/* Behind an argument that ends in an operator perf takes any word for a comma. */
static bool arguments(struct tp_reader *r, struct tp_node **to)
{
    do {
        if (!argument(r, to))
            return false;
        if (tp_at_op(r)) {
            if (!run(r, tp_operator(r, *to)))
                return false;
        } else if (!tp_expect(r, TP_WORD_DELIM, ",")) {
            return true;
        }
        if (r->token.kind == TP_WORD_NEWLINE && tp_next_item(r, TP_DONE) == TP_FAIL)
            return false;
        to = &(*to)->next;
    } while (r->token.kind != TP_WORD_END);
    return true;
}

pts_status tp_parse_args(const struct tp_event *e, struct tp_lex *lex,
                         struct tp_node **args)
{
    struct tp_reader r = {.event = e, .lex = lex};

    if (arguments(&r, args))
        return PTS_OK;
    return r.no_memory ? PTS_E_NOMEM : PTS_E_FORMAT;
}
