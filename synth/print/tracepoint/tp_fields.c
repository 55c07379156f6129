/* tp_fields.c - the fields of a tracepoint's samples.
 *
 * SPDX-License-Identifier: MIT
 *
 * A format declares each as C would, and says where it is:
 *
 *     field:__data_loc char[] name;   offset:8;   size:4;   signed:1;
 *           |--- front ---|   |- back, as in "char comm[16]"
 *
 * perf takes what it knows of a type from words anywhere in the declaration: one with
 * "char" and "[" in it is a string, one with "long" as wide as the kernel's.
 */
#include "synth/print/tracepoint/tp_fields.h"

#include "decoder/base/arena.h"
#include "decoder/file/trace_field.h"
#include "synth/plan/number.h"

#include <string.h>

static bool has(struct pts_bytes text, const char *word)
{
    return text.len && memmem(text.ptr, text.len, word, strlen(word));
}

static bool begins(struct pts_bytes text, const char *word)
{
    size_t n = strlen(word);
    return text.len >= n && memcmp(text.ptr, word, n) == 0;
}

/* The declaration but for the name: "char [16]", "__data_loc char[] ". */
struct decl_type {
    struct pts_bytes front, back;
};

static struct decl_type type_of(const struct trace_field *f)
{
    const uint8_t *end = f->decl.ptr + f->decl.len, *name = f->name.ptr;
    const uint8_t *behind = name + f->name.len;

    return (struct decl_type){
        {f->decl.ptr, (size_t)(name - f->decl.ptr)},
        {behind,      (size_t)(end - behind)      }
    };
}

static bool type_has(const struct decl_type *t, const char *word)
{
    return has(t->front, word) || has(t->back, word);
}

/* The size of "char" in "__data_loc char[] name". */
static uint32_t element_before(struct pts_bytes front)
{
    static const struct {
        const char *name;
        uint32_t size;
    } table[] = {
        {"u8[",   1},
        {"u16[",  2},
        {"u32[",  4},
        {"u64[",  8},
        {"s8[",   1},
        {"s16[",  2},
        {"s32[",  4},
        {"s64[",  8},
        {"char[", 1}
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        size_t n = strlen(table[i].name);
        const uint8_t *at =
            front.len ? memmem(front.ptr, front.len, table[i].name, n) : NULL;
        /* A word of its own: "u8[" is also the end of "__u8[". */
        if (at && (at == front.ptr || at[-1] == ' '))
            return table[i].size;
    }
    return 0;
}

/* The number between the brackets; 0: a name, or none. */
static uint64_t array_length(struct arena *arena, const struct decl_type *t)
{
    struct pts_bytes part = has(t->back, "[") ? t->back : t->front;
    const uint8_t *at = part.len ? memchr(part.ptr, '[', part.len) : NULL;
    const char *end;

    if (!at)
        return 0;
    const char *text = arena_strndup(arena, (const char *)at + 1,
                                     (size_t)(part.ptr + part.len - at - 1));
    return text ? read_number(text, &end, 0) : 0;
}

static uint32_t element_size(const struct tp_event *e, const struct tp_field *f,
                             const struct decl_type *t)
{
    uint64_t n = f->array ? array_length(e->arena, t) : 0;

    if (!f->array)
        return f->size;
    if (n)
        return (uint32_t)(f->size / n);
    if (f->dynamic)
        return has(t->front, "[") ? element_before(t->front) : 0;
    return f->string ? 1 : f->wide ? e->long_size : 0;
}

static bool add_field(struct tp_event *e, const struct trace_field *f)
{
    struct decl_type t = type_of(f);
    struct tp_field *to = &e->field[e->fields++];
    bool array = type_has(&t, "[");

    *to = (struct tp_field){
        .offset = f->offset,
        .size = f->size,
        .array = array,
        .pointer = type_has(&t, "*"),
        .string =
            array && (type_has(&t, "char") || type_has(&t, "u8") || type_has(&t, "s8")),
        .relative = begins(t.front, "__rel_loc"),
        .dynamic = begins(t.front, "__rel_loc") || begins(t.front, "__data_loc"),
        .wide = type_has(&t, "long"),
        .is_signed = f->is_signed};
    uint64_t end = (uint64_t)f->offset + f->size;
    e->least = end > e->least ? end : e->least;
    to->name = arena_strndup(e->arena, (const char *)f->name.ptr, f->name.len);
    to->element = element_size(e, to, &t);
    return to->name != NULL;
}

static size_t count_fields(const struct trace_format *format)
{
    struct trace_fields all = trace_fields_of(format);
    struct trace_field f;
    size_t n = 0;

    while (trace_field_next(&all, &f))
        n++;
    return n;
}

pts_status tp_fields_read(struct tp_event *e, const struct trace_format *format,
                          struct pts_bytes *print)
{
    struct trace_fields all = trace_fields_of(format);
    struct trace_field f;
    /* Counted first: pointers to fields are kept, so the array must not move. */
    size_t n = count_fields(format);

    e->field = arena_alloc(e->arena, (n + 1) * sizeof(*e->field));
    if (!e->field)
        return PTS_E_NOMEM;
    while (trace_field_next(&all, &f)) {
        if (!add_field(e, &f))
            return PTS_E_NOMEM;
        if (!f.own)
            e->common = e->fields;
    }
    *print = all.print;
    return all.damaged ? PTS_E_FORMAT : PTS_OK;
}
