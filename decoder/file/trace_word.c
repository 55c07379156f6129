/* trace_word.c - words of the kernel's descriptions of tracepoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/file/trace_word.h"

#include <ctype.h>

static bool in_name(uint8_t c)
{
    return isalnum(c) || c == '_';
}

static enum trace_word_kind kind_of(uint8_t c)
{
    if (c == '\n')
        return WORD_NEWLINE;
    if (in_name(c))
        return WORD_NAME;
    if (!isprint(c))
        return WORD_END;
    return c && strchr("\"'(),", c) ? WORD_OTHER : WORD_SIGN;
}

struct trace_word trace_word_next(struct pts_bytes *rest)
{
    if (!rest->len)
        return (struct trace_word){.kind = WORD_END};
    const uint8_t *at = rest->ptr, *end = at + rest->len;
    while (at < end && *at != '\n' && isspace(*at))
        at++;
    struct trace_word w = {
        .kind = at < end ? kind_of(*at) : WORD_END, .text = {at, at < end}
    };
    if (w.kind == WORD_NAME)
        while (at + w.text.len < end && in_name(at[w.text.len]))
            w.text.len++;
    at += w.text.len;
    *rest = (struct pts_bytes){at, (size_t)(end - at)};
    return w;
}

bool trace_word_is(const struct trace_word *w, const char *text)
{
    size_t n = strlen(text);
    return w->text.len == n && (!n || memcmp(w->text.ptr, text, n) == 0);
}

bool trace_word_take(struct pts_bytes *rest, const char *text)
{
    struct trace_word w = trace_word_next(rest);
    return trace_word_is(&w, text);
}

static uint32_t digit(uint8_t c)
{
    return isdigit(c) ? c - 48u : isalpha(c) ? (c | 0x20u) - 87 : 36;
}

uint32_t trace_number(struct pts_bytes text)
{
    uint64_t v = 0;
    uint32_t base = 10;
    size_t i = 0;

    if (text.len > 2 && text.ptr[0] == '0' && (text.ptr[1] | 0x20) == 'x' &&
        digit(text.ptr[2]) < 16) {
        base = 16;
        i = 2;
    } else if (text.len && text.ptr[0] == '0') {
        base = 8;
    }
    for (; i < text.len && digit(text.ptr[i]) < base; i++) {
        uint32_t d = digit(text.ptr[i]);
        v = v > (UINT64_MAX - d) / base ? UINT64_MAX : v * base + d;
    }
    return (uint32_t)v;
}
