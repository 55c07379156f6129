/* tp_oper.c - the operators in a print fmt.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf's library gives operators a place in the tree as it reads them, and the output
 * depends on it where that is not C's.  So the rules are its:
 *
 *     a OP b     a tree under construction is a *slot*; OP takes what the slot holds as
 * its left side and one operand as its right, in the slot next OP2   of higher prio
 * takes the same slot, any other takes the right side's a OP (b OP2 c), OP2 of higher
 * prio     is turned into (a OP b) OP2 c c ? x : y  x may have operators, those behind
 * y take the whole
 */
#include "synth/tp_call.h"

#include <string.h>

/* -1: unknown */
static int8_t prio_of(const char *op)
{
    static const struct {
        const char *op;
        int8_t prio;
    } table[] = {
        {"~",  4 },
        {"!",  4 },
        {"*",  6 },
        {"/",  6 },
        {"%",  6 },
        {"+",  7 },
        {"-",  7 },
        {">>", 8 },
        {"<<", 8 },
        {"<",  9 },
        {">",  9 },
        {">=", 9 },
        {"<=", 9 },
        {"==", 10},
        {"!=", 10},
        {"&",  11},
        {"^",  12},
        {"|",  13},
        {"&&", 14},
        {"||", 15},
        {"?",  16},
        {"++", 3 },
        {"--", 3 }
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(op, table[i].op) == 0)
            return table[i].prio;
    return -1;
}

static bool is_binary(const char *op)
{
    return prio_of(op) > 4 && strcmp(op, "?") != 0;
}

/* The slot's content becomes the left side of the operator in its place. */
static bool put_oper(struct tp_parser *p, struct tp_node *slot)
{
    struct tp_node *left = tp_new_node(p);

    if (!left)
        return false;
    *left = *slot;
    *slot = (struct tp_node){.kind = TP_OPER, .a = left, .next = slot->next};
    left->next = NULL;
    strncpy(slot->op, p->token.text, sizeof(slot->op) - 1);
    return true;
}

/* "type *" in parentheses is no product. */
static enum tp_step pointer_type(struct tp_parser *p, struct tp_node *slot)
{
    const struct tp_node *left = slot->a;

    if (left->kind != TP_ATOM)
        return TP_FAIL;
    size_t n = strlen(left->text);
    char *text = arena_alloc(p->lex->arena, n + 3);
    if (!text) {
        p->no_memory = true;
        return TP_FAIL;
    }
    memcpy(text, left->text, n);
    memcpy(text + n, " *", 3);
    *slot = (struct tp_node){.kind = TP_ATOM, .text = text, .next = slot->next};
    return TP_DONE;
}

static enum tp_step binary(struct tp_parser *p, struct tp_node *slot)
{
    if (!put_oper(p, slot) || tp_next_item(p, TP_DONE) == TP_FAIL)
        return TP_FAIL;
    slot->prio = slot->a->kind == TP_NONE ? 0 : prio_of(slot->op);
    if (strcmp(slot->op, "*") == 0 && tp_expect(p, TP_WORD_DELIM, ")"))
        return pointer_type(p, slot);
    struct tp_wait *w = tp_push(p, TP_WAIT_RIGHT, slot);
    return w ? tp_read_into(p, &w->part) : TP_FAIL;
}

static enum tp_step condition(struct tp_parser *p, struct tp_node *slot)
{
    struct tp_wait *w;

    if (!put_oper(p, slot) || !(w = tp_push(p, TP_WAIT_THEN, slot)))
        return TP_FAIL;
    w->part = tp_new_node(p);
    if (!w->part || tp_next(p, TP_READ) == TP_FAIL)
        return TP_FAIL;
    *w->part = (struct tp_node){.kind = TP_OPER, .op = ":"};
    return tp_read_into(p, &w->part->a);
}

static enum tp_step subscript(struct tp_parser *p, struct tp_node *slot)
{
    if (!put_oper(p, slot) || !tp_push(p, TP_WAIT_INDEX, slot) ||
        tp_next(p, TP_READ) == TP_FAIL)
        return TP_FAIL;
    return tp_read_into(p, &slot->b);
}

enum tp_step tp_operator(struct tp_parser *p, struct tp_node *slot)
{
    const char *op = p->token.text;

    if (!slot)
        return TP_FAIL;
    if (strcmp(op, "?") == 0)
        return condition(p, slot);
    if (strcmp(op, "[") == 0)
        return subscript(p, slot);
    return is_binary(op) ? binary(p, slot) : TP_FAIL;
}

/* An operator stands in slot; another may follow. */
enum tp_step tp_after_operator(struct tp_parser *p, struct tp_node *slot,
                               struct tp_node *right)
{
    if (!tp_at_op(p) || strcmp(p->token.text, ":") == 0)
        return TP_DONE;
    return tp_operator(p, prio_of(p->token.text) > slot->prio ? slot : right);
}

enum tp_step tp_sign(struct tp_parser *p)
{
    struct tp_node *slot = p->slot;
    const char *op = p->token.text;

    if (op[0] == '\0' || op[1] || !strchr("~!+-", op[0]) || !put_oper(p, slot) ||
        !tp_push(p, TP_WAIT_SIGNED, slot) || tp_next(p, TP_READ) == TP_FAIL)
        return TP_FAIL;
    *slot->a = (struct tp_node){.kind = TP_NONE};
    return tp_read_into(p, &slot->b);
}

enum tp_step tp_right_side(struct tp_parser *p, const struct tp_wait *w)
{
    struct tp_node *slot = w->slot, *right = w->part;

    if (right->kind == TP_OPER && prio_of(slot->op) < prio_of(right->op)) {
        struct tp_node top = *right, *next = slot->next;
        slot->b = right->a;
        *right = *slot;
        right->next = NULL;
        *slot = top;
        slot->a = right;
        slot->next = next;
    } else {
        slot->b = right;
    }
    return tp_after_operator(p, slot, right);
}
