/* tp_lex.h - the words of a tracepoint's print fmt.
 *
 * SPDX-License-Identifier: MIT
 *
 * The text is C as the kernel's preprocessor left it:
 *
 *     "comm=%s prio=%d", REC->comm, REC->prio
 */
#ifndef PTS_SYNTH_PRINT_TRACEPOINT_TP_LEX_H
#define PTS_SYNTH_PRINT_TRACEPOINT_TP_LEX_H

#include "decoder/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum tp_word {
    TP_WORD_END, /* of the text, also in the middle of a string */
    TP_WORD_NEWLINE,
    TP_WORD_OP,
    TP_WORD_DELIM,  /* one of ( ) , */
    TP_WORD_ITEM,   /* a name or a number */
    TP_WORD_DQUOTE, /* "a" "b" is one, without the quotes, escapes as they stand */
    TP_WORD_SQUOTE
};

struct tp_token {
    enum tp_word kind;
    const char *text; /* NUL-terminated, in the arena */
};

struct tp_lex {
    const uint8_t *at, *end;
    struct arena *arena;
};

/* The next word; false when there is no memory. */
bool tp_lex_next(struct tp_lex *l, struct tp_token *out);

bool tp_token_is(const struct tp_token *t, enum tp_word kind, const char *text);

/* What may stand behind a cast. */
static inline bool tp_token_is_value(const struct tp_token *t)
{
    return t->kind >= TP_WORD_ITEM;
}

#endif
