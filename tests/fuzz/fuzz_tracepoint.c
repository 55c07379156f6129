/* fuzz_tracepoint.c - any text as a tracepoint's format, any bytes as its sample.
 *
 * SPDX-License-Identifier: MIT
 *
 *     | flags | print fmt \0 | fields \0 | sample |
 *
 * flags: 1 other byte order, 2 a long has 4 bytes, 4 an event of ftrace.
 */
#include "synth/print/tracepoint/tp_print.h"
#include "synth/print/tracepoint/tp_read.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static struct pts_bytes upto_nul(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *from = *at;
    while (*at < end && **at)
        ++*at;
    struct pts_bytes b = {from, (size_t)(*at - from)};
    *at += *at < end;
    return b;
}

static struct tp_function function(void *ctx, uint64_t addr)
{
    (void)ctx;
    return (struct tp_function){addr & 1 ? "odd" : NULL, addr - 7};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const struct tp_string known[] = {
        {16, "sixteen"  },
        {17, "seventeen"}
    };
    const struct tp_names names = {.function = function, .string = known, .strings = 2};

    if (n < 1)
        return 0;
    const uint8_t *at = data + 1, *end = data + n;
    struct trace_iter how = {.foreign = data[0] & 1,
                             .big_endian = data[0] & 1,
                             .long_size = data[0] & 2 ? 4 : 8};
    struct trace_format format = {.system = data[0] & 4 ? "ftrace" : "any"};
    struct pts_bytes print = upto_nul(&at, end), fields = upto_nul(&at, end);
    struct text whole = {0};
    text_char(&whole, '\n');
    text_put(&whole, (const char *)fields.ptr, fields.len);
    text_str(&whole, "\nprint fmt: ");
    text_put(&whole, (const char *)print.ptr, print.len);
    format.fields = (struct pts_bytes){(const uint8_t *)whole.at, whole.len};
    struct arena arena = {0};
    struct text t = {0};
    struct tp_event *e;
    if (tp_read(&arena, &how, &format, &e) != PTS_OK)
        abort();
    struct pts_bytes raw = {at, (size_t)(end - at)};
    for (int i = 0; i < 2; i++)
        tp_print(&t, e, raw, &names);
    for (size_t len = raw.len < 16 ? raw.len : 16; len > 0; len--)
        tp_print(&t, e, (struct pts_bytes){at, len}, &names);
    text_free(&t);
    text_free(&whole);
    arena_free(&arena);
    return 0;
}
