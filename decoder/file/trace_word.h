/* trace_word.h - words of the kernel's descriptions of tracepoints.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_DECODER_FILE_TRACE_WORD_H
#define PTS_DECODER_FILE_TRACE_WORD_H

#include "decoder/base/bytes.h"

enum trace_word_kind {
    WORD_END, /* also a byte that is no text */
    WORD_NEWLINE,
    WORD_NAME, /* or a number */
    WORD_SIGN, /* one of ; : * [ and others */
    WORD_OTHER /* what no field has */
};

struct trace_word {
    enum trace_word_kind kind;
    struct pts_bytes text;
};

/* Takes the next word off *rest; blanks are none. */
struct trace_word trace_word_next(struct pts_bytes *rest);
bool trace_word_is(const struct trace_word *w, const char *text);
/* Takes a word; whether it was this one. */
bool trace_word_take(struct pts_bytes *rest, const char *text);
/* As strtoul has it: octal behind a 0, hexadecimal behind 0x, up to where there is no
 * digit any more. */
uint32_t trace_number(struct pts_bytes text);

#endif
