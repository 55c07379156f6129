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

#include "decoder/file/trace_word.h"

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

/* "key: value"; behind it, blanks and lines do not matter.  What is none is passed over up
 * to the key. */
static struct pts_bytes head_line(struct pts_bytes *text, const char *key)
{
    struct trace_word w;

    do
        w = trace_word_next(text);
    while (w.kind != WORD_END && !trace_word_is(&w, key));
    if (w.kind == WORD_END || !trace_word_take(text, ":"))
        return (struct pts_bytes){0};
    w = trace_word_next(text);
    return w.kind == WORD_NAME ? w.text : (struct pts_bytes){0};
}

/* What the head says; false when it says neither what it is nor of which events.
 *
 *     name: sched_switch
 *     ID: 318
 *     format:
 *             field:unsigned short common_type; offset:0; size:2; signed:0;
 *             (blank line)
 *             field:char prev_comm[16]; offset:8; size:16; signed:0;
 *             (blank line)
 *     print fmt: "prev_comm=%s ...", REC->prev_comm, ...
 */
static bool head(struct pts_bytes text, struct trace_format *f)
{
    struct trace_word w;

    f->name = head_line(&text, "name");
    struct pts_bytes id = head_line(&text, "ID");
    if (f->name.len == 0 || id.len == 0)
        return false;
    f->id = trace_number(id);
    do
        w = trace_word_next(&text);
    while (w.kind == WORD_NEWLINE);
    if (trace_word_is(&w, "format") && trace_word_take(&text, ":") &&
        trace_word_next(&text).kind == WORD_NEWLINE)
        f->fields = text;
    return true;
}

bool trace_next(struct trace_iter *it, struct trace_format *out)
{
    while (trace_advance(it)) {
        struct pts_bytes text = trace_text(it);
        struct trace_format f = {.system = it->system};
        if (it->r.bad)
            return false;
        if (!head(text, &f))
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
