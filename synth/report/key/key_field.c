/* key_field.c - fields of tracepoints as keys.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/key/key_field.h"

#include "synth/print/tracepoint/tp_eval.h"
#include "synth/print/tracepoint/tp_event.h"
#include "synth/print/tracepoint/tp_print.h"

#include <stdlib.h>
#include <string.h>

/* --- Which a word means ------------------------------------------------------------ */

/* A word in its parts; the event is NULL where none is named. */
struct field_word {
    char *event, *field, *option;
};

static struct field_word split(char *text)
{
    struct field_word w = {.field = text};
    char *dot = strchr(text, '.');

    if (dot) {
        *dot = '\0';
        w.event = text;
        w.field = dot + 1;
    }
    w.option = strchr(w.field, '/');
    if (w.option)
        *w.option++ = '\0';
    return w;
}

static bool is_tracepoint(const struct evl_attr *a)
{
    return a->type == PTS_TYPE_TRACEPOINT;
}

/* %N counts from 1; a name with a colon is a whole one, else a part of one event's only.
 * attr_count: there is none. */
static size_t event_named(const struct field_keys *f, const char *name)
{
    const bool whole = strchr(name, ':') != NULL;
    size_t found = f->attr_count;

    if (*name == '%') {
        long n = strtol(name + 1, NULL, 0);
        return n > (long)f->attr_count ? f->attr_count : n > 0 ? (size_t)n - 1 : 0;
    }
    for (size_t i = 0; i < f->attr_count; i++) {
        const char *has = f->attr[i].name ? f->attr[i].name : "";
        if (whole && strcmp(has, name) == 0)
            return i;
        if (whole || !strstr(has, name))
            continue;
        if (found < f->attr_count)
            return f->attr_count;
        found = i;
    }
    return found;
}

static pts_status format_of(struct field_keys *f, size_t event, struct tp_event **out)
{
    struct tracepoint_format format;
    pts_status st = PTS_OK;

    if (!f->tracepoints)
        st = tracepoints_new(f->formats, true, &f->tracepoints);
    if (st == PTS_OK)
        st = tracepoint_format(f->tracepoints, f->attr[event].config, &format);
    if (st == PTS_OK)
        *out = format.event;
    return st;
}

static pts_status add(struct field_keys *f, size_t event, struct tp_event *format,
                      struct tp_field *field, bool raw)
{
    struct field_key *new = arena_alloc(&f->arena, sizeof(*new));
    struct field_found *slot = VEC_PUSH(&f->found);

    if (!new || !slot)
        return PTS_E_NOMEM;
    *new = (struct field_key){.format = format,
                              .field = field,
                              .event = (uint32_t)event,
                              .raw = raw,
                              .string = field->string,
                              .length = field->size};
    /* No name: no other key is meant when this one is looked at. */
    new->key = (struct key){.name = "", .title = field->name, .field = new};
    slot->key = new;
    return PTS_OK;
}

/* All of an event, or the one of this name; PTS_END: it has none. */
static pts_status add_of(struct field_keys *f, size_t event, const char *name, bool raw)
{
    struct tp_event *format;
    pts_status st = format_of(f, event, &format);

    if (st != PTS_OK)
        return st;
    if (name) {
        struct tp_field *field = tp_event_field(format, name, true);
        return field ? add(f, event, format, field, raw) : PTS_END;
    }
    for (size_t i = format->common; st == PTS_OK && i < format->fields; i++)
        st = add(f, event, format, &format->field[i], raw);
    return st;
}

/* Of all events; all: each field of them. */
static pts_status add_everywhere(struct field_keys *f, const char *name, bool raw)
{
    pts_status st = PTS_OK;

    for (size_t i = 0; st >= 0 && i < f->attr_count; i++)
        if (is_tracepoint(&f->attr[i]))
            st = add_of(f, i, name, raw);
    if (st < 0)
        return st;
    return f->found.len || !name ? PTS_OK : PTS_END;
}

static pts_status find(struct field_keys *f, char *text)
{
    const struct field_word w = split(text);
    const bool raw = f->raw || w.option;

    if (w.option && strcmp(w.option, "raw") != 0)
        return PTS_END;
    if (strcmp(w.field, "trace_fields") == 0)
        return add_everywhere(f, NULL, raw);
    if (!w.event)
        return add_everywhere(f, w.field, raw);
    size_t event = event_named(f, w.event);
    if (event == f->attr_count || !is_tracepoint(&f->attr[event]))
        return PTS_END;
    return add_of(f, event, strcmp(w.field, "*") == 0 ? NULL : w.field, raw);
}

pts_status field_keys_find(struct field_keys *f, const char *word, size_t n)
{
    char *text = arena_alloc(&f->arena, n + 1);

    f->found.len = 0;
    if (!text)
        return PTS_E_NOMEM;
    memcpy(text, word, n);
    text[n] = '\0';
    return find(f, text);
}

void field_keys_free(struct field_keys *f)
{
    tracepoints_free(f->tracepoints);
    VEC_FREE(&f->found);
    arena_free(&f->arena);
}

bool field_key_same(const struct field_key *a, const struct field_key *b)
{
    return a && b && a->field == b->field;
}

bool field_key_varies(const struct field_key *f)
{
    return f->field->dynamic;
}

/* --- Rows -------------------------------------------------------------------------- */

/* Where the bytes of a row's value are: offset and size. */
struct span {
    uint64_t off, size;
};

static struct span span_of(const struct field_key *f, const struct subject *i)
{
    const struct tp_field *d = f->field;
    const struct tp_record rec = {f->format, i->raw};

    if (!d->dynamic)
        return (struct span){d->offset, d->size};
    uint64_t word = tp_number(&rec, d->offset, d->size);
    uint64_t base = d->relative ? (uint64_t)d->offset + d->size : 0;
    return (struct span){base + (word & 0xffff), word >> 16 & 0xffff};
}

/* What is not there counts as 0. */
static uint8_t byte_at(const struct subject *i, uint64_t off)
{
    return off < i->raw.len ? i->raw.ptr[off] : 0;
}

uint32_t field_words(const struct field_key *f, struct key_context *c,
                     const struct subject *i, uint64_t *word)
{
    const struct span s = span_of(f, i);
    struct text padded = {0};

    for (uint64_t k = 0; k < s.size; k++)
        text_char(&padded, (char)byte_at(i, s.off + k));
    *word = padded.failed
                ? 0
                : strings_of(c->strings, padded.at ? padded.at : "", padded.len);
    text_free(&padded);
    return *word ? 1 : 0;
}

/* By the bytes, where those of the first are. */
int64_t field_compare(struct field_key *f, const struct key_context *c,
                      const struct subject *a, const struct subject *b)
{
    const struct span s = span_of(f, a);
    int64_t order = 0;

    if (f->field->dynamic && !c->still && s.size > f->length)
        f->length = (uint32_t)s.size;
    for (uint64_t k = 0; !order && k < s.size; k++)
        order = (int64_t)byte_at(a, s.off + k) - byte_at(b, s.off + k);
    return order;
}

/* --- Columns ----------------------------------------------------------------------- */

/* What stands behind the field's name and a sign in the text of a sample: perf looks for a word
 * that begins with that name.  A word that is no longer than the name takes all that follows,
 * but counts for no length.  False: there is no such word. */
static bool value_in_text(const struct field_key *f, const char *text,
                          struct pts_bytes *out)
{
    const char *name = f->field->name;
    const size_t n = strlen(name);

    for (const char *at = text; at && *at;) {
        const char *end = at + strcspn(at, " ");
        if (strncmp(at, name, n) == 0) {
            const char *from = at + n + 1;
            size_t len = from <= end ? (size_t)(end - from) : *end ? SIZE_MAX : 0;
            *out = (struct pts_bytes){
                (const uint8_t *)(*end || from <= end ? from : end), len};
            return true;
        }
        at = *end ? end + 1 : NULL;
    }
    return false;
}

void field_key_measure(struct field_key *f, const struct subject *i)
{
    struct pts_bytes value;

    if (f->raw || !i->trace || !value_in_text(f, i->trace, &value))
        return;
    if (value.len > f->length && value.len <= UINT32_MAX)
        f->length = (uint32_t)value.len;
}

uint32_t field_width(const struct field_key *f, bool texts)
{
    const struct tp_field *d = f->field;
    const uint32_t name = (uint32_t)strlen(d->name), hex = d->size * 2 + 2;
    uint32_t width = f->length > name ? f->length : name;

    const bool string = texts ? d->string : f->string;

    return !string && hex > width ? hex : width;
}

/* In the right of its column, and cut to it. */
void field_cell(const struct field_key *f, const struct subject *i, size_t width,
                struct text *t)
{
    struct pts_bytes value;
    struct text text = {0};

    if (!f->raw && i->trace && value_in_text(f, i->trace, &value)) {
        size_t n = strnlen((const char *)value.ptr, value.len);
        text_put(&text, (const char *)value.ptr, n);
    } else {
        tp_put_one(&text, f->format, f->field, i->raw);
    }
    text_char(&text, '\0');
    if (text.failed) {
        t->failed = true;
    } else {
        size_t n = strnlen(text.at, width);
        text_spaces(t, width - n);
        text_put(t, text.at, n);
    }
    text_free(&text);
}
