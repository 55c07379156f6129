/* tp_call.c - the functions in a print fmt.
 *
 * SPDX-License-Identifier: MIT
 *
 * Those of the kernel that perf knows; any other fails the format.  Three shapes, with
 * the steps that go on after each part (tp_reader.h):
 *
 *     NAME(field)
 *
 *     __print_hex(data, count)            data -> count
 *     __print_array(data, count, size)    data -> count -> end
 *     __builtin_expect(condition, n)      likely: the call stands for the condition
 *
 *     __print_flags(v, "|", {1, "a"}, {2, "b"})
 *     __print_symbolic(v, {1, "a"}, {2, "b"})
 *
 *         looked_up -> value -> text -.
 *                        ^            |   "," and "{"
 *                        '------------'   or ")": the end
 */
#include "synth/print/tracepoint/tp_call.h"

#include "synth/print/tracepoint/tp_eval.h"
#include "synth/print/tracepoint/tp_oper.h"

#include <string.h>

/* What goes on when a part is complete. */
static tp_resume looked_up, value, value_end, text, data, count, end, likely;

/* NAME(field): the word behind "(" is the name of a field, and ")" follows. */
static enum tp_step call_field(struct tp_reader *r, struct tp_node *slot,
                               enum tp_kind kind)
{
    bool dynamic = kind == TP_DYNAMIC || kind == TP_DYNAMIC_LEN;

    if (tp_next(r, TP_DONE) == TP_FAIL || r->token.kind != TP_WORD_ITEM)
        return TP_FAIL;
    slot->kind = (uint8_t)kind;
    slot->field = tp_event_field(r->event, r->token.text, !dynamic);
    if (dynamic && !slot->field)
        return TP_FAIL;
    if (tp_next(r, TP_DONE) == TP_FAIL || !tp_expect(r, TP_WORD_DELIM, ")"))
        return TP_FAIL;
    if (kind != TP_DYNAMIC)
        return tp_next(r, TP_DONE);
    enum tp_step step = tp_next_item(r, TP_DONE);
    return tp_expect(r, TP_WORD_OP, "[") ? TP_FAIL : step; /* perf cannot, either */
}

/* NAME(expression, ...): the first goes into the slot's a, or into the slot itself. */
static enum tp_step call_parts(struct tp_reader *r, struct tp_node *slot,
                               enum tp_kind kind, tp_resume *first)
{
    if (!tp_push(r, first, slot) || tp_next(r, TP_READ) == TP_FAIL)
        return TP_FAIL;
    if (first == likely) {
        r->slot = slot;
        return TP_READ;
    }
    slot->kind = (uint8_t)kind;
    return tp_read_into(r, &slot->a);
}

enum tp_step tp_call(struct tp_reader *r, struct tp_node *slot, const char *name)
{
    static const struct {
        const char *name;
        enum tp_kind kind;
        tp_resume *first; /* NULL: the name of a field */
    } table[] = {
        {"__print_flags",               TP_FLAGS,       looked_up},
        {"__print_symbolic",            TP_SYMBOLIC,    looked_up},
        {"__print_hex",                 TP_HEX,         data     },
        {"__print_hex_str",             TP_HEX_STR,     data     },
        {"__print_array",               TP_INTS,        data     },
        {"__get_str",                   TP_STRING,      NULL     },
        {"__get_rel_str",               TP_STRING,      NULL     },
        {"__get_bitmask",               TP_BITMASK,     NULL     },
        {"__get_rel_bitmask",           TP_BITMASK,     NULL     },
        {"__get_dynamic_array",         TP_DYNAMIC,     NULL     },
        {"__get_rel_dynamic_array",     TP_DYNAMIC,     NULL     },
        {"__get_dynamic_array_len",     TP_DYNAMIC_LEN, NULL     },
        {"__get_rel_dynamic_array_len", TP_DYNAMIC_LEN, NULL     },
        {"__builtin_expect",            TP_NONE,        likely   },
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(name, table[i].name) == 0)
            return table[i].first ? call_parts(r, slot, table[i].kind, table[i].first)
                                  : call_field(r, slot, table[i].kind);
    return TP_FAIL;
}

/* On to the next part behind a comma. */
static enum tp_step next_part(struct tp_reader *r, struct tp_wait *w, tp_resume *then,
                              struct tp_node **to)
{
    if (!tp_expect(r, TP_WORD_DELIM, ",") || tp_next(r, TP_READ) == TP_FAIL)
        return TP_FAIL;
    w->resume = then;
    return tp_read_into(r, to);
}

static enum tp_step end(struct tp_reader *r, struct tp_wait *w)
{
    (void)w;
    if (!tp_expect(r, TP_WORD_DELIM, ")"))
        return TP_FAIL;
    tp_pop(r);
    return tp_next_item(r, TP_DONE);
}

/* --- Lists of {value, "text"} --- */

/* In front of a "{", or of the ")" behind the last and a stray comma. */
static enum tp_step next_flag(struct tp_reader *r, struct tp_wait *w)
{
    if (tp_expect(r, TP_WORD_DELIM, ",")) {
        if (tp_next_item(r, TP_READ) == TP_FAIL)
            return TP_FAIL;
        if (tp_expect(r, TP_WORD_OP, "{")) {
            w->resume = value;
            return tp_next(r, TP_READ) == TP_FAIL ? TP_FAIL : tp_read_into(r, &w->part);
        }
    }
    return end(r, w);
}

/* The text between the names of flags, or nothing: perf lets it be missing. */
static enum tp_step separator(struct tp_reader *r, struct tp_wait *w)
{
    if (tp_next_item(r, TP_DONE) == TP_FAIL)
        return TP_FAIL;
    if (!tp_token_is_value(&r->token))
        return TP_DONE;
    w->slot->text = r->token.text;
    return tp_next_item(r, TP_DONE);
}

/* Behind what is looked up: the separator, and the list. */
static enum tp_step looked_up(struct tp_reader *r, struct tp_wait *w)
{
    if (tp_at_op(r))
        return tp_operator(r, w->slot->a);
    if (!tp_expect(r, TP_WORD_DELIM, ","))
        return TP_FAIL;
    w->last = &w->slot->flags;
    if (w->slot->kind == TP_FLAGS &&
        (separator(r, w) == TP_FAIL || !tp_expect(r, TP_WORD_DELIM, ",")))
        return TP_FAIL;
    return next_flag(r, w);
}

/* A value may have one row of operators behind it. */
static enum tp_step value(struct tp_reader *r, struct tp_wait *w)
{
    if (!tp_at_op(r))
        return value_end(r, w);
    w->resume = value_end;
    return tp_operator(r, w->part);
}

static enum tp_step value_end(struct tp_reader *r, struct tp_wait *w)
{
    struct tp_flag *flag = arena_alloc(r->lex->arena, sizeof(*flag));

    if (!tp_have(r, flag) || !tp_expect(r, TP_WORD_DELIM, ",") ||
        !tp_eval_flag(w->part, &flag->value) || tp_next(r, TP_READ) == TP_FAIL)
        return TP_FAIL;
    *w->last = flag;
    w->resume = text;
    return tp_read_into(r, &w->part);
}

static enum tp_step text(struct tp_reader *r, struct tp_wait *w)
{
    const struct tp_node *n = tp_uncast(w->part);

    if (!tp_expect(r, TP_WORD_OP, "}") || n->kind != TP_ATOM ||
        tp_next_item(r, TP_DONE) == TP_FAIL)
        return TP_FAIL;
    (*w->last)->text = n->text;
    w->last = &(*w->last)->next;
    return next_flag(r, w);
}

/* --- Others --- */

static enum tp_step data(struct tp_reader *r, struct tp_wait *w)
{
    return next_part(r, w, count, &w->slot->b);
}

static enum tp_step count(struct tp_reader *r, struct tp_wait *w)
{
    return w->slot->kind == TP_INTS ? next_part(r, w, end, &w->slot->c) : end(r, w);
}

/* Behind the condition: what is expected does not matter. */
static enum tp_step likely(struct tp_reader *r, struct tp_wait *w)
{
    if (!tp_expect(r, TP_WORD_DELIM, ",") || tp_next(r, TP_DONE) == TP_FAIL ||
        r->token.kind != TP_WORD_ITEM || tp_next(r, TP_DONE) == TP_FAIL)
        return TP_FAIL;
    return end(r, w);
}
