/* tp_text.c - what %s shows of a tracepoint's sample.
 *
 * SPDX-License-Identifier: MIT
 *
 * An argument knows itself what text it is:
 *
 *     "text"              as it stands
 *     REC->field          its bytes up to a NUL; of a field as wide as a pointer, the
 *                         string of the kernel that is there, if it was recorded
 *     __get_str(field)    from the offset that the field holds, up to a NUL
 *     __get_bitmask()     words in hex
 *     __print_flags()     the names of its bits, and what is left of them in hex
 *     __print_symbolic()  the name of its value, or that in hex
 *     __print_hex(), __print_array()    byte by byte, number by number
 *     c ? x : y           that of x or y
 *
 * Anything else has none, and perf prints nothing.
 */
#include "synth/print/tracepoint/tp_text.h"

#include "decoder/base/digits.h"

void tp_put_0x(struct text *t, uint64_t v)
{
    char buf[24];
    text_put(t, buf, (size_t)(put_0x(buf, v) - buf));
}

static void put_padded(struct text *t, const struct tp_padding *pad, const char *s,
                       size_t n)
{
    size_t fill = pad->width > 0 && (size_t)pad->width > n ? (size_t)pad->width - n : 0;

    if (!pad->left)
        text_spaces(t, fill);
    text_put(t, s, n);
    if (pad->left)
        text_spaces(t, fill);
}

static void put_string(struct text *t, const struct tp_padding *pad, const char *s,
                       size_t len)
{
    size_t n = pad->precision >= 0 && (size_t)pad->precision < len
                   ? (size_t)pad->precision
                   : len;
    put_padded(t, pad, s, n);
}

/* Up to a NUL. */
static void put_bytes(struct text *t, const struct tp_padding *pad, struct pts_bytes b)
{
    const char *s = b.ptr ? (const char *)b.ptr : "";
    put_string(t, pad, s, strnlen(s, b.len));
}

static const char *string_at(const struct tp_names *names, uint64_t addr)
{
    size_t from = 0, to = names->strings;

    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (names->string[mid].addr == addr)
            return names->string[mid].text;
        if (names->string[mid].addr < addr)
            from = mid + 1;
        else
            to = mid;
    }
    return NULL;
}

/* A field as wide as a pointer is one, to a string of the kernel. */
static void put_field_string(struct tp_printing *p, const struct tp_padding *pad,
                             const struct tp_field *f)
{
    if (!f->array && f->size == p->rec.event->long_size) {
        uint64_t addr = tp_number(&p->rec, f->offset, f->size);
        const char *text = string_at(p->names, addr);
        if (text)
            text_str(p->t, text);
        else
            text_hex(p->t, addr, 0);
        return;
    }
    struct pts_bytes b = tp_bytes(&p->rec, f->offset, f->size ? f->size : UINT32_MAX);
    put_bytes(p->t, pad, b);
}

/* The text may go on behind the length that was recorded: perf looks for its NUL. */
static void put_dynamic_string(struct tp_printing *p, const struct tp_padding *pad,
                               const struct tp_field *f)
{
    uint64_t off = tp_number(&p->rec, f->offset, 4) & 0xffff;

    if (f->relative)
        off += (uint64_t)f->offset + f->size;
    struct pts_bytes b = tp_bytes(&p->rec, off, UINT32_MAX);
    put_bytes(p->t, pad, b);
}

/* Names in the order of the list, each bit once.  A name whose value perf could not
 * read (-1) stands for no bit at all. */
static void put_flags(struct tp_printing *p, const struct tp_padding *pad,
                      const struct tp_node *n)
{
    uint64_t v = tp_eval(&p->rec, n->a);
    bool some = false;

    for (const struct tp_flag *f = n->flags; f; f = f->next) {
        if (!v && f->value < 0) {
            put_string(p->t, pad, f->text, strlen(f->text));
            break;
        }
        if (f->value <= 0 || (v & (uint64_t)f->value) != (uint64_t)f->value)
            continue;
        if (some && n->text)
            text_str(p->t, n->text);
        put_string(p->t, pad, f->text, strlen(f->text));
        some = true;
        v &= ~(uint64_t)f->value;
    }
    if (!v)
        return;
    if (some && n->text)
        text_str(p->t, n->text);
    tp_put_0x(p->t, v);
}

static void put_symbolic(struct tp_printing *p, const struct tp_padding *pad,
                         const struct tp_node *n)
{
    uint64_t v = tp_eval(&p->rec, n->a);

    for (const struct tp_flag *f = n->flags; f; f = f->next) {
        if (v != (uint64_t)f->value)
            continue;
        put_string(p->t, pad, f->text, strlen(f->text));
        return;
    }
    tp_put_0x(p->t, v);
}

/* From a field or a dynamic array on, whatever its size. */
static struct pts_bytes data_from(const struct tp_printing *p, const struct tp_node *n,
                                  uint64_t len)
{
    if (n->kind == TP_DYNAMIC)
        return tp_bytes(&p->rec, tp_eval(&p->rec, n), len);
    if (n->kind == TP_FIELD && n->field)
        return tp_bytes(&p->rec, n->field->offset, len);
    return (struct pts_bytes){0};
}

static void put_bytes_hex(struct tp_printing *p, const struct tp_node *n)
{
    int32_t len = (int32_t)tp_eval(&p->rec, n->b);
    struct pts_bytes b = data_from(p, n->a, len > 0 ? (uint64_t)len : 0);

    for (size_t i = 0; i < b.len; i++) {
        if (i && n->kind == TP_HEX)
            text_char(p->t, ' ');
        text_byte(p->t, b.ptr[i]);
    }
}

/* perf does not turn these around for files of the other byte order; here they are as
 * they were recorded. */
static void put_ints(struct tp_printing *p, const struct tp_node *n)
{
    int32_t count = (int32_t)tp_eval(&p->rec, n->b);
    int32_t size = (int32_t)tp_eval(&p->rec, n->c);
    bool known = size == 1 || size == 2 || size == 4 || size == 8;
    uint32_t step = known ? (uint32_t)size : 1;
    struct pts_bytes b = data_from(p, n->a, UINT32_MAX);
    const struct tp_record at = {p->rec.event, b};

    for (size_t i = 0; i < b.len / step && count > 0 && i < (size_t)count; i++) {
        uint64_t v = tp_number(&at, i * step, step);
        if (i)
            text_char(p->t, ' ');
        if (known)
            text_dec(p->t, v, 0);
        else
            text_fmt(p->t, "BAD SIZE:%d 0x%x", size, (unsigned)v);
        if (!known) {
            size = 1;
            known = true;
        }
    }
}

/* Words of 32 bits with commas between them, the highest first. */
static void put_bitmask(struct tp_printing *p, const struct tp_padding *pad,
                        const struct tp_field *f)
{
    struct pts_bytes b = tp_field_data(&p->rec, f, true);
    struct text mask = {0};

    for (size_t i = b.len; i > 0; i--) {
        text_byte(&mask, b.ptr[p->rec.event->big_endian ? b.len - i : i - 1]);
        if (i > 1 && (i - 1) % 4 == 0)
            text_char(&mask, ',');
    }
    p->t->failed |= mask.failed;
    put_string(p->t, pad, mask.at ? mask.at : "", mask.len);
    text_free(&mask);
}

void tp_put_text(struct tp_printing *p, const struct tp_padding *pad,
                 const struct tp_node *n)
{
    while (n->kind == TP_OPER && n->op[0] == '?')
        n = tp_eval(&p->rec, n->a) ? n->b->a : n->b->b;
    switch (n->kind) {
    case TP_ATOM:
        put_string(p->t, pad, n->text, strlen(n->text));
        break;
    case TP_FIELD:
        if (n->field)
            put_field_string(p, pad, n->field);
        break;
    case TP_STRING:
        if (n->field)
            put_dynamic_string(p, pad, n->field);
        break;
    case TP_BITMASK:
        if (n->field)
            put_bitmask(p, pad, n->field);
        break;
    case TP_FLAGS:
        put_flags(p, pad, n);
        break;
    case TP_SYMBOLIC:
        put_symbolic(p, pad, n);
        break;
    case TP_HEX:
    case TP_HEX_STR:
        put_bytes_hex(p, n);
        break;
    case TP_INTS:
        put_ints(p, n);
        break;
    default:
        break; /* perf prints nothing */
    }
}
