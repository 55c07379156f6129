/* tp_reader.h - the state of reading an argument: a word, a slot, and what waits.
 *
 * SPDX-License-Identifier: MIT
 *
 * A format may nest as deep as it likes, so nothing here calls itself.  What is not
 * complete yet waits on a stack, with the step that goes on when its inside has been
 * read.  A driver (tp_parse.c) takes one step after the other, by what the last one
 * says:
 *
 *     TP_READ  the word begins an operand: it is read into the slot
 *     TP_DONE  an operand is complete, the word is the one behind it: the top of the
 *              stack goes on; when nothing waits, the argument is complete
 *     TP_FAIL  perf cannot read this either, or there is no memory
 *
 * For "(a + b)":
 *
 *     word   step                                stack
 *     (      READ: parentheses wait              paren
 *     a      READ: a name, complete              paren
 *     +      DONE: paren sees an operator        paren, right_side
 *     b      READ: a name, complete              paren, right_side
 *     )      DONE: right_side has its operand    paren
 *     )      DONE: paren sees its end            -
 *
 * A step is a function.  Those of operators are in tp_oper.c, those of calls in
 * tp_call.c; none of them knows the driver, nor the others' steps.
 */
#ifndef PTS_SYNTH_PRINT_TRACEPOINT_TP_READER_H
#define PTS_SYNTH_PRINT_TRACEPOINT_TP_READER_H

#include "synth/print/tracepoint/tp_event.h"
#include "synth/print/tracepoint/tp_lex.h"

enum { TP_DEPTH = 64 }; /* deepest nesting of what waits */

enum tp_step { TP_FAIL, TP_READ, TP_DONE };

struct tp_reader;
struct tp_wait;

/* What w, the top of the stack, was waiting for is complete.  It stays on the stack
 * unless the step pops it. */
typedef enum tp_step tp_resume(struct tp_reader *r, struct tp_wait *w);

struct tp_wait {
    tp_resume *resume;
    struct tp_node *slot;  /* what is being made */
    struct tp_node *part;  /* of it, when that is not in its place yet */
    struct tp_flag **last; /* where the next {value, "text"} is linked */
};

struct tp_reader {
    const struct tp_event *event;
    struct tp_lex *lex;
    struct tp_token token; /* the word */
    struct tp_node *slot;  /* of the operand to read next */
    struct tp_wait stack[TP_DEPTH];
    size_t depth;
    bool no_memory;
};

/* The next word; `then` unless there is no memory.  item: line ends are passed over. */
enum tp_step tp_next(struct tp_reader *r, enum tp_step then);
enum tp_step tp_next_item(struct tp_reader *r, enum tp_step then);
/* Whether the word is this one. */
bool tp_expect(const struct tp_reader *r, enum tp_word kind, const char *text);
static inline bool tp_at_op(const struct tp_reader *r)
{
    return r->token.kind == TP_WORD_OP;
}

/* NULL: nested too deep. */
struct tp_wait *tp_push(struct tp_reader *r, tp_resume *resume, struct tp_node *slot);
/* What was the top. */
struct tp_wait tp_pop(struct tp_reader *r);

/* NULL, or false, without memory, which is noted. */
struct tp_node *tp_new_node(struct tp_reader *r);
bool tp_have(struct tp_reader *r, const void *made);
/* READ of an operand into a new slot. */
enum tp_step tp_read_into(struct tp_reader *r, struct tp_node **to);

#endif
