/* trace_field.c - the fields in the kernel's description of a tracepoint.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/file/trace_field.h"

#include "decoder/file/trace_word.h"

/* "offset:8;", of which the name was read. */
static bool take_value(struct pts_bytes *rest, uint32_t *out)
{
    if (!trace_word_take(rest, ":"))
        return false;
    struct trace_word w = trace_word_next(rest);
    if (w.kind != WORD_NAME)
        return false;
    *out = trace_number(w.text);
    return trace_word_take(rest, ";");
}

/* Behind the [ of "comm[16];" or "__data_loc char[] name;": the word behind the ]. */
static struct trace_word take_array(struct pts_bytes *rest, struct pts_bytes *name)
{
    struct trace_word w;

    do
        w = trace_word_next(rest);
    while (w.kind != WORD_END && !trace_word_is(&w, "]"));
    if (w.kind == WORD_END)
        return w;
    w = trace_word_next(rest);
    if (w.kind != WORD_NAME)
        return w;
    *name = w.text;
    return trace_word_next(rest);
}

/* "char comm[16];": a type and a name. */
static bool take_decl(struct pts_bytes *rest, struct trace_field *out)
{
    struct pts_bytes whole = *rest;
    struct trace_word w = trace_word_next(rest);
    size_t words = 0;

    out->decl = whole;
    if (w.kind != WORD_NAME)
        return false;
    for (; w.kind == WORD_NAME || trace_word_is(&w, "*"); w = trace_word_next(rest)) {
        out->name = w.text;
        words++;
    }
    if (words > 1 && trace_word_is(&w, "["))
        w = take_array(rest, &out->name);
    if (words < 2 || !trace_word_is(&w, ";"))
        return false;
    out->decl.len = (size_t)(w.text.ptr - whole.ptr);
    return true;
}

/* All of it behind "field". */
static bool take_field(struct pts_bytes *rest, struct trace_field *out)
{
    uint32_t is_signed = 0;

    if (!trace_word_take(rest, ":") || !take_decl(rest, out) ||
        !trace_word_take(rest, "offset") || !take_value(rest, &out->offset) ||
        !trace_word_take(rest, "size") || !take_value(rest, &out->size))
        return false;
    struct trace_word w = trace_word_next(rest);
    /* Old kernels do not say it. */
    if (w.kind != WORD_NEWLINE) {
        if (!trace_word_is(&w, "signed") || !take_value(rest, &is_signed))
            return false;
        w = trace_word_next(rest);
    }
    out->is_signed = is_signed;
    return w.kind == WORD_NEWLINE;
}

struct trace_fields trace_fields_of(const struct trace_format *f)
{
    return (struct trace_fields){.rest = f->fields};
}

/* The word behind empty lines. */
static struct trace_word line_begins(struct pts_bytes *rest)
{
    struct trace_word w;

    do
        w = trace_word_next(rest);
    while (w.kind == WORD_NEWLINE);
    return w;
}

/* What stands behind the empty line that ends the fields. */
static void end(struct trace_fields *it)
{
    struct trace_word print = line_begins(&it->rest);

    it->damaged = !trace_word_is(&print, "print") ||
                  !trace_word_take(&it->rest, "fmt") ||
                  !trace_word_take(&it->rest, ":");
    if (!it->damaged)
        it->print = it->rest;
}

bool trace_field_next(struct trace_fields *it, struct trace_field *out)
{
    struct trace_word w = trace_word_next(&it->rest);

    if (w.kind == WORD_NEWLINE && !it->own) {
        it->own = true;
        w = trace_word_next(&it->rest);
    }
    struct trace_field f = {.own = it->own};
    if (trace_word_is(&w, "field") && take_field(&it->rest, &f)) {
        *out = f;
        return true;
    }
    if (w.kind == WORD_NEWLINE)
        end(it);
    else
        it->damaged = true;
    it->rest.len = 0;
    return false;
}
