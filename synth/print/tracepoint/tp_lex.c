/* tp_lex.c - the words of a tracepoint's print fmt.
 *
 * SPDX-License-Identifier: MIT
 *
 * Words are cut where perf's library cuts them, which knows less than C does: a number
 * is a word like a name, suffixes and all ("0x1fUL"), an operator goes by its first
 * characters alone, a byte that cannot be printed ends the text, and so does a string
 * that has no end.
 */
#include "synth/print/tracepoint/tp_lex.h"

#include <ctype.h>
#include <string.h>

static bool is_item(uint8_t c)
{
    return isalnum(c) || c == '_';
}

static bool take(struct tp_lex *l, enum tp_word kind, const uint8_t *from,
                 struct tp_token *out)
{
    out->kind = kind;
    out->text = arena_strndup(l->arena, (const char *)from, (size_t)(l->at - from));
    return out->text != NULL;
}

/* Where the string that begins at p (behind its quote) ends; l->end: nowhere. */
static const uint8_t *string_end(const struct tp_lex *l, const uint8_t *p)
{
    const uint8_t quote = p[-1];

    while (p < l->end && *p != quote)
        p += *p == '\\' && l->end - p > 1 ? 2 : 1;
    return p;
}

/* Where the next string of a row of strings begins, or NULL. */
static const uint8_t *next_string(const struct tp_lex *l)
{
    const uint8_t *p = l->at;

    while (p < l->end && isspace(*p))
        p++;
    return p < l->end && *p == '"' ? p + 1 : NULL;
}

/* Skips the row of strings whose first begins at p; false: it has no end. */
static bool skip_strings(struct tp_lex *l, const uint8_t *p)
{
    bool single = p[-1] == '\'';

    while (p) {
        p = string_end(l, p);
        l->at = p < l->end ? p + 1 : l->end;
        if (p >= l->end)
            return false;
        p = single ? NULL : next_string(l);
    }
    return true;
}

static bool take_strings(struct tp_lex *l, const uint8_t *p, struct tp_token *out)
{
    struct tp_lex part = *l;

    if (!skip_strings(l, p))
        return true;
    char *text =
        arena_alloc(l->arena, (size_t)(l->at - p)); /* room for a NUL: a quote's */
    size_t n = 0;
    if (!text)
        return false;
    out->kind = p[-1] == '"' ? TP_WORD_DQUOTE : TP_WORD_SQUOTE;
    out->text = text;
    while (p && p < l->at) {
        const uint8_t *end = string_end(&part, p);
        memcpy(text + n, p, (size_t)(end - p));
        n += (size_t)(end - p);
        part.at = end + 1;
        p = next_string(&part);
    }
    return true;
}

/* Operators of more than one character. */
static void skip_op(struct tp_lex *l, uint8_t first)
{
    uint8_t next = l->at < l->end ? *l->at : 0;

    if (strchr("-+|&<>", first) && next == first) {
        l->at++;
        if (strchr("<>", first) && l->at < l->end && *l->at == '=')
            l->at++;
    } else if ((first == '-' && next == '>') ||
               (strchr("-+|&<>!=", first) && next == '=')) {
        l->at++;
    }
}

bool tp_lex_next(struct tp_lex *l, struct tp_token *out)
{
    while (l->at < l->end && isspace(*l->at) && *l->at != '\n')
        l->at++;
    *out = (struct tp_token){TP_WORD_END, ""};
    if (l->at >= l->end)
        return true;
    const uint8_t *from = l->at++;
    if (*from == '\n')
        return take(l, TP_WORD_NEWLINE, from, out);
    if (*from == '"' || *from == '\'')
        return take_strings(l, l->at, out);
    if (is_item(*from)) {
        while (l->at < l->end && is_item(*l->at))
            l->at++;
        return take(l, TP_WORD_ITEM, from, out);
    }
    if (!isprint(*from))
        return true;
    if (strchr("(),", *from))
        return take(l, TP_WORD_DELIM, from, out);
    skip_op(l, *from);
    return take(l, TP_WORD_OP, from, out);
}

bool tp_token_is(const struct tp_token *t, enum tp_word kind, const char *text)
{
    return t->kind == kind && strcmp(t->text, text) == 0;
}
