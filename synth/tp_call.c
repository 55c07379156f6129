/* tp_call.c - the functions in a print fmt.
 *
 * SPDX-License-Identifier: MIT
 *
 * Those of the kernel that perf knows; any other fails the format.
 */
#include "synth/tp_call.h"

#include "synth/tp_eval.h"

#include <string.h>

/* NAME(field): the word behind "(" is the name of a field, and ")" follows. */
static enum tp_step call_field(struct tp_parser *p, struct tp_node *slot,
                               enum tp_kind kind)
{
    bool dynamic = kind == TP_DYNAMIC || kind == TP_DYNAMIC_LEN;

    if (tp_next(p, TP_DONE) == TP_FAIL || p->token.kind != TP_WORD_ITEM)
        return TP_FAIL;
    slot->kind = (uint8_t)kind;
    slot->field = tp_event_field(p->event, p->token.text, !dynamic);
    if (dynamic && !slot->field)
        return TP_FAIL;
    if (tp_next(p, TP_DONE) == TP_FAIL || !tp_expect(p, TP_WORD_DELIM, ")"))
        return TP_FAIL;
    if (kind != TP_DYNAMIC)
        return tp_next(p, TP_DONE);
    enum tp_step step = tp_next_item(p, TP_DONE);
    return tp_expect(p, TP_WORD_OP, "[") ? TP_FAIL : step; /* perf cannot, either */
}

/* NAME(expression, ...): the first goes into the slot's a, or into the slot itself. */
static enum tp_step call_parts(struct tp_parser *p, struct tp_node *slot,
                               enum tp_kind kind, enum tp_call_part part)
{
    struct tp_wait *w = tp_push(p, TP_WAIT_CALL, slot);

    if (!w || tp_next(p, TP_READ) == TP_FAIL)
        return TP_FAIL;
    w->call = part;
    if (part == TP_CALL_LIKELY) {
        p->slot = slot;
        return TP_READ;
    }
    slot->kind = (uint8_t)kind;
    return tp_read_into(p, &slot->a);
}

enum tp_step tp_call(struct tp_parser *p, struct tp_node *slot, const char *name)
{
    static const struct {
        const char *name;
        enum tp_kind kind;
        enum tp_call_part first; /* TP_CALL_TEXT: the name of a field */
    } table[] = {
        {"__print_flags",               TP_FLAGS,       TP_CALL_LOOKED_UP},
        {"__print_symbolic",            TP_SYMBOLIC,    TP_CALL_LOOKED_UP},
        {"__print_hex",                 TP_HEX,         TP_CALL_DATA     },
        {"__print_hex_str",             TP_HEX_STR,     TP_CALL_DATA     },
        {"__print_array",               TP_INTS,        TP_CALL_DATA     },
        {"__get_str",                   TP_STRING,      TP_CALL_TEXT     },
        {"__get_rel_str",               TP_STRING,      TP_CALL_TEXT     },
        {"__get_bitmask",               TP_BITMASK,     TP_CALL_TEXT     },
        {"__get_rel_bitmask",           TP_BITMASK,     TP_CALL_TEXT     },
        {"__get_dynamic_array",         TP_DYNAMIC,     TP_CALL_TEXT     },
        {"__get_rel_dynamic_array",     TP_DYNAMIC,     TP_CALL_TEXT     },
        {"__get_dynamic_array_len",     TP_DYNAMIC_LEN, TP_CALL_TEXT     },
        {"__get_rel_dynamic_array_len", TP_DYNAMIC_LEN, TP_CALL_TEXT     },
        {"__builtin_expect",            TP_NONE,        TP_CALL_LIKELY   },
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(name, table[i].name) == 0)
            return table[i].first == TP_CALL_TEXT
                       ? call_field(p, slot, table[i].kind)
                       : call_parts(p, slot, table[i].kind, table[i].first);
    return TP_FAIL;
}

/* --- Lists of {value, "text"} --- */

/* In front of a "{", or of the ")" behind the last and a stray comma. */
static enum tp_step next_flag(struct tp_parser *p, struct tp_wait *w)
{
    if (tp_expect(p, TP_WORD_DELIM, ",")) {
        if (tp_next_item(p, TP_READ) == TP_FAIL)
            return TP_FAIL;
        if (tp_expect(p, TP_WORD_OP, "{")) {
            w->call = TP_CALL_VALUE;
            return tp_next(p, TP_READ) == TP_FAIL ? TP_FAIL : tp_read_into(p, &w->part);
        }
    }
    if (!tp_expect(p, TP_WORD_DELIM, ")"))
        return TP_FAIL;
    return tp_pop(p, tp_next_item(p, TP_DONE));
}

/* Behind what is looked up: the text between flags, and the list. */
static enum tp_step looked_up(struct tp_parser *p, struct tp_wait *w)
{
    if (p->token.kind == TP_WORD_OP)
        return tp_operator(p, w->slot->a);
    if (!tp_expect(p, TP_WORD_DELIM, ","))
        return TP_FAIL;
    w->last = &w->slot->flags;
    if (w->slot->kind == TP_FLAGS) {
        if (tp_next_item(p, TP_DONE) == TP_FAIL)
            return TP_FAIL;
        if (tp_token_is_value(&p->token)) {
            w->slot->text = p->token.text;
            if (tp_next_item(p, TP_DONE) == TP_FAIL)
                return TP_FAIL;
        }
        if (!tp_expect(p, TP_WORD_DELIM, ","))
            return TP_FAIL;
    }
    return next_flag(p, w);
}

static enum tp_step flag_value(struct tp_parser *p, struct tp_wait *w)
{
    if (w->call == TP_CALL_VALUE && p->token.kind == TP_WORD_OP) {
        w->call = TP_CALL_VALUE_END;
        return tp_operator(p, w->part);
    }
    struct tp_flag *flag = arena_alloc(p->lex->arena, sizeof(*flag));
    if (!flag) {
        p->no_memory = true;
        return TP_FAIL;
    }
    if (!tp_expect(p, TP_WORD_DELIM, ",") || !tp_eval_flag(w->part, &flag->value) ||
        tp_next(p, TP_READ) == TP_FAIL)
        return TP_FAIL;
    *w->last = flag;
    w->call = TP_CALL_TEXT;
    return tp_read_into(p, &w->part);
}

static enum tp_step flag_text(struct tp_parser *p, struct tp_wait *w)
{
    const struct tp_node *text = tp_uncast(w->part);

    if (!tp_expect(p, TP_WORD_OP, "}") || text->kind != TP_ATOM ||
        tp_next_item(p, TP_DONE) == TP_FAIL)
        return TP_FAIL;
    (*w->last)->text = text->text;
    w->last = &(*w->last)->next;
    return next_flag(p, w);
}

/* --- Others --- */

/* On to the next part behind a comma. */
static enum tp_step next_part(struct tp_parser *p, struct tp_wait *w,
                              enum tp_call_part part, struct tp_node **to)
{
    if (!tp_expect(p, TP_WORD_DELIM, ",") || tp_next(p, TP_READ) == TP_FAIL)
        return TP_FAIL;
    w->call = part;
    return tp_read_into(p, to);
}

static enum tp_step call_end(struct tp_parser *p)
{
    if (!tp_expect(p, TP_WORD_DELIM, ")"))
        return TP_FAIL;
    return tp_pop(p, tp_next_item(p, TP_DONE));
}

/* Behind the condition: what is expected does not matter. */
static enum tp_step likely(struct tp_parser *p)
{
    if (!tp_expect(p, TP_WORD_DELIM, ",") || tp_next(p, TP_DONE) == TP_FAIL ||
        p->token.kind != TP_WORD_ITEM || tp_next(p, TP_DONE) == TP_FAIL)
        return TP_FAIL;
    return call_end(p);
}

enum tp_step tp_call_resume(struct tp_parser *p, struct tp_wait *w)
{
    switch (w->call) {
    case TP_CALL_LOOKED_UP:
        return looked_up(p, w);
    case TP_CALL_VALUE:
    case TP_CALL_VALUE_END:
        return flag_value(p, w);
    case TP_CALL_TEXT:
        return flag_text(p, w);
    case TP_CALL_DATA:
        return next_part(p, w, TP_CALL_COUNT, &w->slot->b);
    case TP_CALL_COUNT:
        if (w->slot->kind == TP_INTS)
            return next_part(p, w, TP_CALL_SIZE, &w->slot->c);
        return call_end(p);
    case TP_CALL_SIZE:
        return call_end(p);
    case TP_CALL_LIKELY:
        return likely(p);
    }
    return TP_FAIL;
}
