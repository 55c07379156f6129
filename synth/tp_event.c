/* tp_event.c - a tracepoint's format, read for printing its samples.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/tp_event.h"

#include "synth/number.h"
#include "synth/tp_parse.h"

#include <string.h>

/* --- Fields --- */

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
    to->name = arena_strndup(e->arena, (const char *)f->name.ptr, f->name.len);
    to->element = element_size(e, to, &t);
    return to->name != NULL;
}

static size_t count_fields(struct pts_bytes fields)
{
    struct trace_field f;
    size_t n = 0;

    while (trace_field_next(&fields, &f))
        n++;
    return n;
}

static pts_status read_fields(struct tp_event *e, const struct trace_format *format)
{
    struct pts_bytes common = format->common, fields = format->fields;
    struct trace_field f;
    size_t n = count_fields(common) + count_fields(fields);

    e->field = arena_alloc(e->arena, (n + 1) * sizeof(*e->field));
    if (!e->field)
        return PTS_E_NOMEM;
    while (trace_field_next(&common, &f))
        if (!add_field(e, &f))
            return PTS_E_NOMEM;
    e->common = e->fields;
    while (trace_field_next(&fields, &f))
        if (!add_field(e, &f))
            return PTS_E_NOMEM;
    return PTS_OK;
}

struct tp_field *tp_event_field(const struct tp_event *e, const char *name, bool any)
{
    for (size_t i = any ? 0 : e->common; i < e->fields; i++)
        if (strcmp(e->field[i].name, name) == 0)
            return &e->field[i];
    return NULL;
}

/* --- The printf string --- */

/* Letters that belong to %p, as in %pI4: how many follow p. */
static size_t pointer_suffix(const char *s)
{
    size_t n = 1;

    switch (s[0]) {
    case 'F':
    case 'S':
    case 'f':
    case 's':
        return 1;
    case 'M':
    case 'm':
        return strchr("RF", s[1]) && s[1] ? 2 : 1;
    case 'U':
        return strchr("LlBb", s[1]) && s[1] ? 2 : 1;
    case 'h':
        return strchr("CDN", s[1]) && s[1] ? 2 : 1;
    case 'I':
    case 'i':
        if (!s[1] || !strchr("4S6", s[1]))
            return 1;
        n = 2;
        if (s[1] == 'S')
            n += strspn(s + n, "pfs");
        if (s[1] != '6' && s[n] && strchr("hnlb", s[n]))
            n++;
        if (s[1] != '4' && s[n] == 'c')
            n++;
        return n;
    default:
        return 0;
    }
}

/* Decimal digits, -1 for none; more than a line of them are no width. */
static int16_t digits(const char **s)
{
    enum { WIDEST = 4096 };
    int v = -1;

    for (; **s >= '0' && **s <= '9'; (*s)++)
        v = v < 0 ? **s - '0' : v < WIDEST ? v * 10 + (**s - '0') : v;
    return (int16_t)(v < WIDEST ? v : WIDEST);
}

/* Flags, width and precision between % and the conversion. */
static void read_spec(struct tp_piece *p, const char *s, const char *end)
{
    p->width = p->precision = -1;
    while (s < end && strchr("#0-", *s)) {
        p->alt |= *s == '#';
        p->zero |= *s == '0';
        p->left |= *s == '-';
        s++;
    }
    p->star_width = s < end && *s == '*';
    s += p->star_width;
    p->width = digits(&s);
    if (s < end && *s == '.') {
        s++;
        p->star_precision = *s == '*';
        s += p->star_precision;
        p->precision = digits(&s);
        if (p->precision < 0)
            p->precision = 0;
    }
}

struct printf_reader {
    struct tp_event *e;
    struct tp_node *arg; /* next */
};

static bool put_text(struct tp_event *e, const char *s, size_t n)
{
    struct tp_piece *p = &e->piece[e->pieces++];

    p->text = arena_strndup(e->arena, s, n);
    return p->text != NULL;
}

/* Text up to the next conversion, without its escapes. */
static pts_status read_text(struct printf_reader *r, const char **s)
{
    static const char escapes[] = "ntr", meant[] = "\n\t\r";
    char *text = arena_alloc(r->e->arena, strlen(*s) + 1);
    size_t n = 0;
    const char *p = *s;

    if (!text)
        return PTS_E_NOMEM;
    for (; *p && (*p != '%' || p[1] == '%'); p++) {
        if (*p == '%')
            p++;
        if (*p == '\\' && p[1]) {
            const char *known = strchr(escapes, *++p);
            text[n++] = known ? meant[known - escapes] : *p;
        } else {
            text[n++] = *p;
        }
    }
    *s = p;
    return put_text(r->e, text, n) ? PTS_OK : PTS_E_NOMEM;
}

/* perf prints what it does not know as >c<. */
static pts_status read_unknown(struct printf_reader *r, const char **s)
{
    const char text[] = {'>', **s, '<'};

    (*s)++;
    return put_text(r->e, text, sizeof(text)) ? PTS_OK : PTS_E_NOMEM;
}

static pts_status read_conversion(struct printf_reader *r, const char **s)
{
    enum { LONGEST = 30 };
    const char *from = ++*s, *p = from;
    struct tp_node *len = NULL;
    int longs = 0;

    for (; *p && strchr("#hlL.zZ0123456789-*", *p); p++) {
        longs = *p == 'L' ? 2 : longs + (*p == 'l') - (*p == 'h');
        if (*p != '*')
            continue;
        if (!r->arg || len)
            return PTS_E_FORMAT;
        len = r->arg;
        r->arg = len->next;
    }
    *s = p;
    if (!*p)
        return PTS_OK; /* and nothing is printed */
    if (!strchr("pduixXos", *p))
        return read_unknown(r, s);
    size_t suffix = *p == 'p' ? pointer_suffix(p + 1) : 0;
    if (!r->arg || longs < -2 || longs > 2 || (size_t)(p - from) + suffix >= LONGEST)
        return PTS_E_FORMAT;
    struct tp_piece *piece = &r->e->piece[r->e->pieces++];
    *piece = (struct tp_piece){
        .conv = *p, .arg = r->arg, .len_arg = len, .longs = (int8_t)longs};
    read_spec(piece, from, p);
    piece->is_size = memchr(from, 'z', (size_t)(p - from)) != NULL;
    piece->text = arena_strndup(r->e->arena, p + 1, suffix);
    r->arg = r->arg->next;
    *s = p + 1 + suffix;
    return piece->text ? PTS_OK : PTS_E_NOMEM;
}

/* At most one piece for each character. */
static pts_status read_printf(struct tp_event *e, const char *s, struct tp_node *args)
{
    struct printf_reader r = {e, args};
    size_t most = 1;
    pts_status st = PTS_OK;

    for (const char *p = s; *p; p++)
        most += 2 * (size_t)(*p == '%');
    e->piece = arena_alloc(e->arena, (most + 1) * sizeof(*e->piece));
    if (!e->piece)
        return PTS_E_NOMEM;
    while (st == PTS_OK && *s)
        st = *s == '%' && s[1] != '%' ? read_conversion(&r, &s) : read_text(&r, &s);
    return st;
}

/* --- All of it --- */

/* Old formats of ftrace have no arguments: they are the fields. */
static pts_status fields_as_args(struct tp_event *e, struct tp_node **args)
{
    for (size_t i = e->common; i < e->fields; i++) {
        struct tp_node *n = arena_alloc(e->arena, sizeof(*n));
        if (!n)
            return PTS_E_NOMEM;
        n->kind = TP_FIELD;
        n->field = &e->field[i];
        *args = n;
        args = &n->next;
    }
    return PTS_OK;
}

static pts_status read_print(struct tp_event *e, const struct trace_format *format)
{
    struct tp_node *args = NULL;
    struct tp_token text, behind;
    pts_status st = PTS_OK;

    if (!format->print.len)
        return PTS_E_FORMAT;
    struct tp_lex lex = {format->print.ptr, format->print.ptr + format->print.len,
                         e->arena};
    if (!tp_lex_next(&lex, &text))
        return PTS_E_NOMEM;
    do
        if (!tp_lex_next(&lex, &behind))
            return PTS_E_NOMEM;
    while (behind.kind == TP_WORD_NEWLINE);
    if (text.kind != TP_WORD_DQUOTE)
        return PTS_E_FORMAT;
    if (behind.kind == TP_WORD_END)
        st = strcmp(format->system, "ftrace") == 0 ? fields_as_args(e, &args) : PTS_OK;
    else if (tp_token_is(&behind, TP_WORD_DELIM, ","))
        st = tp_parse_args(e, &lex, &args);
    else
        st = PTS_E_FORMAT;
    return st == PTS_OK ? read_printf(e, text.text, args) : st;
}

pts_status tp_event_new(struct arena *arena, const struct trace_iter *where,
                        const struct trace_format *format, struct tp_event **out)
{
    struct tp_event *e = arena_alloc(arena, sizeof(*e));

    if (!e)
        return PTS_E_NOMEM;
    *e = (struct tp_event){.arena = arena,
                           .id = format->id,
                           .foreign = where->foreign,
                           .big_endian = where->big_endian,
                           .long_size = where->long_size};
    pts_status st = read_fields(e, format);
    if (st == PTS_OK)
        st = read_print(e, format);
    if (st == PTS_E_NOMEM)
        return st;
    e->failed = st != PTS_OK;
    *out = e;
    return PTS_OK;
}
