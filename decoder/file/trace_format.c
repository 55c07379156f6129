/* trace_format.c - the kernel's descriptions of tracepoints, in TRACING_DATA.
 *
 * SPDX-License-Identifier: MIT
 *
 *     magic, version, byte order, size of long | u32 page size
 *     "header_page", {u64 size, text} | "header_event", {u64 size, text}
 *     u32 count, {u64 size, text} ...                      the system "ftrace"
 *     u32 systems, {name, u32 count, {u64 size, text} ...} ...
 *     u32 size, kallsyms | u32 size, strings | u64 size, comms
 */
#include "decoder/file/trace_format.h"

static const char magic[] = "\x17\x08\x44tracing";

static uint32_t trace_u32(struct trace_iter *it)
{
    uint32_t v = reader_u32(&it->r);
    return it->foreign ? __builtin_bswap32(v) : v;
}

static const char *trace_str(struct trace_iter *it)
{
    size_t n, left = reader_left(&it->r);
    const char *s = reader_str(&it->r, &n);
    /* Without a NUL it is no string but the end of the data. */
    if (n == left)
        it->r.bad = true;
    return it->r.bad ? "" : s;
}

/* {u64 size, bytes} */
static struct pts_bytes trace_text(struct trace_iter *it)
{
    uint64_t n = reader_u64(&it->r);
    n = it->foreign ? __builtin_bswap64(n) : n;
    if (n > reader_left(&it->r))
        it->r.bad = true;
    const uint8_t *p = reader_take(&it->r, (size_t)n);
    return (struct pts_bytes){p, p ? (size_t)n : 0};
}

static bool host_is_big(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 0;
}

struct trace_iter trace_begin(struct pts_bytes data)
{
    struct trace_iter it = {.r = reader_of(data.ptr, data.len), .system = "ftrace"};
    const uint8_t *p = reader_take(&it.r, sizeof(magic) - 1);
    if (!p || memcmp(p, magic, sizeof(magic) - 1) != 0) {
        it.r.bad = true;
        return it;
    }
    trace_str(&it);
    const uint8_t *how = reader_take(&it.r, 2);
    it.big_endian = how && how[0] != 0;
    /* The formats may be of another byte order than the file says: they say it
     * themselves. */
    it.foreign = it.big_endian != host_is_big();
    it.long_size = how ? how[1] : 0;
    trace_u32(&it);
    for (int i = 0; i < 2; i++) {
        trace_str(&it);
        trace_text(&it);
    }
    it.events = trace_u32(&it);
    it.systems = UINT32_MAX; /* their number comes behind the events of ftrace */
    return it;
}

/* Goes on to the next event of a system that has any. */
static bool trace_advance(struct trace_iter *it)
{
    while (it->events == 0 && !it->r.bad) {
        if (it->systems == UINT32_MAX)
            it->systems = trace_u32(it);
        if (it->systems == 0 || it->r.bad)
            return false;
        it->systems--;
        it->system = trace_str(it);
        it->events = trace_u32(it);
    }
    it->events--;
    return !it->r.bad;
}

/* What follows `key` in text, or an empty span. */
static struct pts_bytes after(struct pts_bytes text, const char *key)
{
    size_t n = strlen(key);
    const uint8_t *p = text.len ? memmem(text.ptr, text.len, key, n) : NULL;
    if (!p)
        return (struct pts_bytes){0};
    return (struct pts_bytes){p + n, text.len - (size_t)(p - text.ptr) - n};
}

static struct pts_bytes before(struct pts_bytes text, const char *key)
{
    const uint8_t *p = text.len ? memmem(text.ptr, text.len, key, strlen(key)) : NULL;
    return p ? (struct pts_bytes){text.ptr, (size_t)(p - text.ptr)} : text;
}

/* The decimal number that text begins with; false when there is none or a huge one. */
static bool number(struct pts_bytes text, uint32_t *out)
{
    uint32_t v = 0;
    size_t i = 0;
    for (; i < text.len && i < 9 && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++)
        v = v * 10 + (uint32_t)(text.ptr[i] - '0');
    *out = v;
    return i > 0 && i < 9;
}

bool trace_next(struct trace_iter *it, struct trace_format *out)
{
    while (trace_advance(it)) {
        struct pts_bytes text = trace_text(it);
        struct trace_format f = {.system = it->system};
        /*     name: sched_switch
         *     ID: 318
         *     format:
         *             field:unsigned short common_type; offset:0; size:2; signed:0;
         *             (blank line)
         *             field:char prev_comm[16]; offset:8; size:16; signed:0;
         *     print fmt: "prev_comm=%s ...", REC->prev_comm, ...
         */
        f.name = before(after(text, "name: "), "\n");
        struct pts_bytes fields = before(after(text, "\nformat:\n"), "\nprint fmt:");
        f.common = before(fields, "\n\n");
        f.fields = after(fields, "\n\n");
        f.print = after(text, "\nprint fmt: ");
        if (it->r.bad)
            return false;
        if (f.name.len == 0 || !number(after(text, "\nID: "), &f.id))
            continue;
        *out = f;
        return true;
    }
    return false;
}

bool trace_find(struct pts_bytes data, uint64_t config, struct trace_format *out)
{
    struct trace_iter it = trace_begin(data);
    struct trace_format f;
    while (trace_next(&it, &f)) {
        if (f.id != config)
            continue;
        *out = f;
        return true;
    }
    return false;
}

/* The strings that formats refer to by address come behind all formats. */
struct pts_bytes trace_strings(struct pts_bytes data)
{
    struct trace_iter it = trace_begin(data);

    while (trace_advance(&it))
        trace_text(&it);
    reader_take(&it.r, trace_u32(&it)); /* kallsyms */
    uint32_t n = trace_u32(&it);
    const uint8_t *p = reader_take(&it.r, n);
    return (struct pts_bytes){p, p ? n : 0};
}

static bool is_word(uint8_t c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

/* The name in a declaration such as "char prev_comm[16]": its last word, but for the
 * size of an array, which ends the declaration if there is one. */
static struct pts_bytes declared(struct pts_bytes decl)
{
    size_t end = decl.len;
    if (end && decl.ptr[end - 1] == ']')
        while (end && decl.ptr[end - 1] != '[')
            end--;
    while (end && !is_word(decl.ptr[end - 1]))
        end--;
    size_t begin = end;
    while (begin && is_word(decl.ptr[begin - 1]))
        begin--;
    return (struct pts_bytes){decl.ptr + begin, end - begin};
}

bool trace_field_next(struct pts_bytes *fields, struct trace_field *out)
{
    struct pts_bytes rest = after(*fields, "field:");
    if (!rest.ptr)
        return false;
    struct pts_bytes line = before(rest, "\n");
    uint32_t is_signed = 0;
    *out = (struct trace_field){.decl = before(line, ";")};
    out->name = declared(out->decl);
    number(after(line, "offset:"), &out->offset);
    number(after(line, "size:"), &out->size);
    number(after(line, "signed:"), &is_signed);
    out->is_signed = is_signed;
    *fields = (struct pts_bytes){line.ptr + line.len, rest.len - line.len};
    return true;
}
