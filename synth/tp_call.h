/* tp_call.h - the state of reading an argument.
 *
 * SPDX-License-Identifier: MIT
 *
 * Private to tp_parse.c (what is read next), tp_oper.c (operators) and tp_call.c
 * (functions).
 */
#ifndef PTS_SYNTH_TP_CALL_H
#define PTS_SYNTH_TP_CALL_H

#include "synth/tp_parse.h"

enum { TP_TYPE_TEXT = 128 }; /* longest name of a type */

enum tp_step { TP_FAIL, TP_READ, TP_DONE };

/* Whose inside is being read. */
enum tp_what {
    TP_WAIT_PAREN,     /* "(": operators may follow, */
    TP_WAIT_PAREN_END, /* ... and were read */
    TP_WAIT_SIGNED,
    TP_WAIT_RIGHT, /* part: the right side */
    TP_WAIT_THEN,  /* part: the ":" of a "?" */
    TP_WAIT_ELSE,
    TP_WAIT_INDEX,
    TP_WAIT_CALL
};

/* The part of a call that is being read. */
enum tp_call_part {
    TP_CALL_LOOKED_UP, /* of __print_flags and __print_symbolic */
    TP_CALL_VALUE,     /* of {value, "text"}: operators may follow, */
    TP_CALL_VALUE_END, /* ... and were read */
    TP_CALL_TEXT,
    TP_CALL_DATA, /* of __print_hex, __print_array */
    TP_CALL_COUNT,
    TP_CALL_SIZE,
    TP_CALL_LIKELY /* __builtin_expect */
};

struct tp_wait {
    enum tp_what what;
    enum tp_call_part call;
    struct tp_node *slot, *part;
    struct tp_flag **last; /* where the next {value, "text"} is linked */
};

struct tp_parser {
    const struct tp_event *event;
    struct tp_lex *lex;
    struct tp_token token;
    struct tp_node *slot; /* of the operand to read next */
    struct tp_wait stack[TP_DEPTH];
    size_t depth;
    bool no_memory;
};

/* The next word; `then` unless there is no memory.  item: line ends are passed over. */
enum tp_step tp_next(struct tp_parser *p, enum tp_step then);
enum tp_step tp_next_item(struct tp_parser *p, enum tp_step then);
/* Whether the word is this one. */
bool tp_expect(struct tp_parser *p, enum tp_word kind, const char *text);
/* NULL: nested too deep. */
struct tp_wait *tp_push(struct tp_parser *p, enum tp_what what, struct tp_node *slot);
enum tp_step tp_pop(struct tp_parser *p, enum tp_step step);
struct tp_node *tp_new_node(struct tp_parser *p);
/* READ of an operand into a new slot. */
enum tp_step tp_read_into(struct tp_parser *p, struct tp_node **to);
static inline bool tp_at_op(const struct tp_parser *p)
{
    return p->token.kind == TP_WORD_OP;
}

/* The word is an operator behind slot; NULL: perf would crash. */
enum tp_step tp_operator(struct tp_parser *p, struct tp_node *slot);
/* An operator stands in slot, right is its right side (or NULL); another may follow. */
enum tp_step tp_after_operator(struct tp_parser *p, struct tp_node *slot,
                               struct tp_node *right);
/* The right side of a TP_WAIT_RIGHT is complete. */
enum tp_step tp_right_side(struct tp_parser *p, const struct tp_wait *w);
/* The word is a sign. */
enum tp_step tp_sign(struct tp_parser *p);

/* The word is the "(" behind name. */
enum tp_step tp_call(struct tp_parser *p, struct tp_node *slot, const char *name);
enum tp_step tp_call_resume(struct tp_parser *p, struct tp_wait *w);

#endif
