/* tp_oper.c - the operators in a print fmt.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf's library gives operators a place in the tree as it reads them, and the output
 * depends on it where that is not C's.  So the rules are its:
 *
 *     read             what the slot holds then
 *
 *     a                a
 *     a OP             OP(a, .): what was there is the left side; the right side is
 *                      one operand, in a slot of its own
 *     a OP b OP2       OP2(OP(a, b), .) if OP2 has the higher prio: it binds looser
 *                      OP(a, OP2(b, .)) if not: so a - b - c is a - (b - c)
 *     a OP (b OP2 c)   OP2(OP(a, b), c) if OP2 has the higher prio: perf forgets the
 *                      parentheses
 *     -a OP            OP(-a, .)
 *     a[i] OP          OP(a[i], .)
 *     c ? x : y OP     OP(c ? x : y, .), but x may have operators of its own
 */
#include "synth/print/tracepoint/tp_oper.h"

#include <string.h>

/* What goes on when an operand is complete. */
static tp_resume right_side, then_side, else_side, index_end, signed_end;

/* -1: unknown */
static int8_t prio_of(const char *op)
{
    /* clang-format off */
    static const struct {
        const char *op;
        int8_t prio;
    } table[] = {
        {"++", 3}, {"--", 3},
        {"~", 4},  {"!", 4},
        {"*", 6},  {"/", 6},  {"%", 6},
        {"+", 7},  {"-", 7},
        {">>", 8}, {"<<", 8},
        {"<", 9},  {">", 9},  {"<=", 9}, {">=", 9},
        {"==", 10}, {"!=", 10},
        {"&", 11},
        {"^", 12},
        {"|", 13},
        {"&&", 14},
        {"||", 15},
        {"?", 16},
    };
    /* clang-format on */

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
static bool put_oper(struct tp_reader *r, struct tp_node *slot)
{
    struct tp_node *left = tp_new_node(r);

    if (!left)
        return false;
    *left = *slot;
    *slot = (struct tp_node){.kind = TP_OPER, .a = left, .next = slot->next};
    left->next = NULL;
    strncpy(slot->op, r->token.text, sizeof(slot->op) - 1);
    return true;
}

/* --- An operator behind an operand --- */

/* "type *" in parentheses is no product. */
static enum tp_step pointer_type(struct tp_reader *r, struct tp_node *slot)
{
    const struct tp_node *left = slot->a;

    if (left->kind != TP_ATOM)
        return TP_FAIL;
    size_t n = strlen(left->text);
    char *text = arena_alloc(r->lex->arena, n + 3);
    if (!tp_have(r, text))
        return TP_FAIL;
    memcpy(text, left->text, n);
    memcpy(text + n, " *", 3);
    *slot = (struct tp_node){.kind = TP_ATOM, .text = text, .next = slot->next};
    return TP_DONE;
}

static enum tp_step binary(struct tp_reader *r, struct tp_node *slot)
{
    if (!put_oper(r, slot) || tp_next_item(r, TP_DONE) == TP_FAIL)
        return TP_FAIL;
    slot->prio = slot->a->kind == TP_NONE ? 0 : prio_of(slot->op);
    if (strcmp(slot->op, "*") == 0 && tp_expect(r, TP_WORD_DELIM, ")"))
        return pointer_type(r, slot);
    struct tp_wait *w = tp_push(r, right_side, slot);
    return w ? tp_read_into(r, &w->part) : TP_FAIL;
}

static enum tp_step condition(struct tp_reader *r, struct tp_node *slot)
{
    struct tp_wait *w;

    if (!put_oper(r, slot) || !(w = tp_push(r, then_side, slot)))
        return TP_FAIL;
    w->part = tp_new_node(r);
    if (!w->part || tp_next(r, TP_READ) == TP_FAIL)
        return TP_FAIL;
    *w->part = (struct tp_node){.kind = TP_OPER, .op = ":"};
    return tp_read_into(r, &w->part->a);
}

static enum tp_step subscript(struct tp_reader *r, struct tp_node *slot)
{
    if (!put_oper(r, slot) || !tp_push(r, index_end, slot) ||
        tp_next(r, TP_READ) == TP_FAIL)
        return TP_FAIL;
    return tp_read_into(r, &slot->b);
}

enum tp_step tp_operator(struct tp_reader *r, struct tp_node *slot)
{
    const char *op = r->token.text;

    if (!slot)
        return TP_FAIL;
    if (strcmp(op, "?") == 0)
        return condition(r, slot);
    if (strcmp(op, "[") == 0)
        return subscript(r, slot);
    return is_binary(op) ? binary(r, slot) : TP_FAIL;
}

/* An operator stands in slot, right is its right side (or NULL); another may follow. */
static enum tp_step after_operator(struct tp_reader *r, struct tp_node *slot,
                                   struct tp_node *right)
{
    if (!tp_at_op(r) || strcmp(r->token.text, ":") == 0)
        return TP_DONE;
    return tp_operator(r, prio_of(r->token.text) > slot->prio ? slot : right);
}

/* --- Its operands are complete --- */

/* The right side is an operator of higher prio: that becomes the root.
 *
 *     slot OP          OP2
 *         / \         /   \
 *        a  OP2  ->  OP    c
 *          / \      / \
 *         b   c    a   b        */
static void turn(struct tp_node *slot, struct tp_node *right)
{
    struct tp_node top = *right, *next = slot->next;

    slot->b = right->a;
    *right = *slot;
    right->next = NULL;
    *slot = top;
    slot->a = right;
    slot->next = next;
}

static enum tp_step right_side(struct tp_reader *r, struct tp_wait *w)
{
    struct tp_node *slot = w->slot, *right = w->part;

    tp_pop(r);
    if (right->kind == TP_OPER && prio_of(slot->op) < prio_of(right->op))
        turn(slot, right);
    else
        slot->b = right;
    return after_operator(r, slot, right);
}

/* At the ":", or at an operator in front of it. */
static enum tp_step then_side(struct tp_reader *r, struct tp_wait *w)
{
    if (tp_at_op(r) && strcmp(r->token.text, ":") != 0)
        return tp_operator(r, w->part->a);
    if (!tp_expect(r, TP_WORD_OP, ":") || tp_next(r, TP_READ) == TP_FAIL)
        return TP_FAIL;
    w->resume = else_side;
    return tp_read_into(r, &w->part->b);
}

static enum tp_step else_side(struct tp_reader *r, struct tp_wait *w)
{
    struct tp_node *slot = w->slot;

    slot->b = w->part;
    tp_pop(r);
    return after_operator(r, slot, NULL);
}

static enum tp_step index_end(struct tp_reader *r, struct tp_wait *w)
{
    struct tp_node *slot = w->slot;

    tp_pop(r);
    if (!tp_expect(r, TP_WORD_OP, "]") || tp_next_item(r, TP_DONE) == TP_FAIL)
        return TP_FAIL;
    return after_operator(r, slot, NULL);
}

/* --- Signs --- */

/* An operator with nothing on its left. */
enum tp_step tp_sign(struct tp_reader *r)
{
    struct tp_node *slot = r->slot;
    const char *op = r->token.text;

    if (op[0] == '\0' || op[1] || !strchr("~!+-", op[0]) || !put_oper(r, slot) ||
        !tp_push(r, signed_end, slot) || tp_next(r, TP_READ) == TP_FAIL)
        return TP_FAIL;
    *slot->a = (struct tp_node){.kind = TP_NONE};
    return tp_read_into(r, &slot->b);
}

static enum tp_step signed_end(struct tp_reader *r, struct tp_wait *w)
{
    struct tp_node *slot = w->slot;

    tp_pop(r);
    return after_operator(r, slot, slot->b);
}
