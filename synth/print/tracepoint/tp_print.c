/* tp_print.c - a tracepoint's sample as text.
 *
 * SPDX-License-Identifier: MIT
 *
 * The pieces of the format one after the other.  Numbers are printed here and not by
 * printf: a string from a file is nothing to hand to it, and perf's own way through
 * printf shows in places (cut).  A format that could not be read gives its fields one
 * by one, behind a note that says so.
 */
#include "synth/print/tracepoint/tp_print.h"

#include "synth/print/tracepoint/tp_net.h"
#include "synth/print/tracepoint/tp_text.h"

#include <ctype.h>

/* --- Conversions, as printf would --- */

/* Width and precision: from the format, or by * from an argument; both are capped, as a
 * number from a file must not make a line of gigabytes. */
static struct tp_padding padding_of(const struct tp_printing *p,
                                    const struct tp_piece *piece)
{
    enum { WIDEST = 4096 };
    struct tp_padding pad = {piece->width, piece->precision, piece->left, piece->zero};

    if (!piece->len_arg)
        return pad;
    int64_t n = (int32_t)tp_eval(&p->rec, piece->len_arg);
    n = n > WIDEST ? WIDEST : n;
    if (piece->star_width)
        pad.width = n;
    if (piece->star_precision)
        pad.precision = n;
    return pad;
}

static size_t digits_of(char conv, uint64_t v, char *to)
{
    char digits[24], *p = digits + sizeof(digits);
    unsigned base = conv == 'x' || conv == 'X' ? 16 : conv == 'o' ? 8 : 10;

    /* No digits for 0: put_number adds the zero that a precision of 1 asks for, and
     * "%.0d" of 0 prints nothing, as in C. */
    for (; v; v /= base)
        *--p = (conv == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[v % base];
    size_t n = (size_t)(digits + sizeof(digits) - p);
    memcpy(to, p, n);
    return n;
}

/* Cut to the type that the conversion names. */
static uint64_t cut(const struct tp_piece *piece, uint64_t v)
{
    bool is_signed = piece->conv == 'd' || piece->conv == 'i';

    if (piece->longs > 0)
        return v;
    if (piece->is_size) /* perf gives printf an int */
        return (uint32_t)v;
    if (piece->longs == -2)
        return is_signed ? (uint64_t)(int8_t)v : (uint8_t)v;
    if (piece->longs == -1)
        return is_signed ? (uint64_t)(int16_t)v : (uint16_t)v;
    return is_signed ? (uint64_t)(int32_t)v : (uint32_t)v;
}

/* | spaces | sign or 0x | zeros | digits | or, with "-", the spaces behind.  Zeros come
 * from the precision, or from "0" and the width. */
static void put_number(struct text *t, const struct tp_padding *pad,
                       const struct tp_piece *piece, uint64_t v)
{
    char prefix[3], digits[24];
    size_t before = 0;
    bool is_signed = piece->conv == 'd' || piece->conv == 'i';

    v = cut(piece, v);
    if (is_signed && (int64_t)v < 0) {
        prefix[before++] = '-';
        v = 0 - v;
    } else if (piece->alt && v && (piece->conv | 0x20) == 'x') {
        prefix[before++] = '0';
        prefix[before++] = piece->conv;
    }
    size_t n = digits_of(piece->conv, v, digits), zeros = 0;
    size_t least = pad->precision >= 0 ? (size_t)pad->precision : 1;
    /* "#" for octal is a zero in front, unless there is one. */
    if (piece->alt && piece->conv == 'o' && least <= n)
        least = n + 1;
    /* "-" and a precision each turn "0" off, as in C. */
    if (pad->zero && !pad->left && pad->precision < 0 && pad->width > 0 &&
        (size_t)pad->width > before + least)
        least = (size_t)pad->width - before;
    zeros = least > n ? least - n : 0;
    size_t len = before + zeros + n;
    size_t fill =
        pad->width > 0 && (size_t)pad->width > len ? (size_t)pad->width - len : 0;
    if (!pad->left)
        text_spaces(t, fill);
    text_put(t, prefix, before);
    for (size_t i = 0; i < zeros; i++)
        text_char(t, '0');
    text_put(t, digits, n);
    if (pad->left)
        text_spaces(t, fill);
}

/* --- Pointers --- */

/* %pF and %pS with the offset, %pf and %ps without. */
static void put_function(struct tp_printing *p, char how, uint64_t v)
{
    struct tp_function f = {0};

    if (p->names->function)
        f = p->names->function(p->names->ctx, v);
    if (!f.name) {
        tp_put_0x(p->t, v);
        return;
    }
    text_str(p->t, f.name);
    if (how == 'F' || how == 'S') {
        text_char(p->t, '+');
        tp_put_0x(p->t, v - f.start);
    }
}

static void put_pointer(struct tp_printing *p, const struct tp_piece *piece)
{
    const char how = piece->text[0];

    if (how && strchr("FfSs", how)) {
        put_function(p, how, tp_eval(&p->rec, piece->arg));
    } else if (how) {
        int64_t most = piece->len_arg ? (int32_t)tp_eval(&p->rec, piece->len_arg) : 1;
        tp_put_net(p->t, &p->rec, piece->text, most, piece->arg);
    } else {
        uint64_t v = tp_eval(&p->rec, piece->arg);
        if (v)
            tp_put_0x(p->t, v);
        else
            text_str(p->t, "(nil)");
    }
}

/* --- Fields one by one --- */

/* From there on up to a NUL, wherever that is. */
static void put_text_from(struct tp_printing *p, const uint8_t *at)
{
    size_t left = (size_t)(p->rec.raw.ptr + p->rec.raw.len - at);
    text_put(p->t, (const char *)at, strnlen((const char *)at, left));
}

static bool is_text(struct pts_bytes b)
{
    for (size_t i = 0; i < b.len && b.ptr[i]; i++)
        if (!isprint(b.ptr[i]) && !isspace(b.ptr[i]))
            return false;
    return true;
}

/* A string as long as all it ever held was printable; then bytes, for good. */
static void put_array(struct tp_printing *p, struct tp_field *f)
{
    struct pts_bytes b = tp_field_data(&p->rec, f, true);

    /* As in perf, what one sample shows is remembered with the field, for all samples
     * after it. */
    f->string = f->string && is_text(b);
    if (f->string) {
        if (b.ptr)
            put_text_from(p, b.ptr);
        return;
    }
    text_str(p->t, "ARRAY[");
    for (size_t i = 0; i < b.len; i++) {
        if (i)
            text_put(p->t, ", ", 2);
        text_byte(p->t, b.ptr[i]);
    }
    text_char(p->t, ']');
}

static void put_field(struct tp_printing *p, const struct tp_field *f)
{
    uint64_t v = tp_number(&p->rec, f->offset, f->size);

    /* perf prints what is as wide as a pointer in hex, unless it is signed and 64
     * bits. */
    if (f->pointer || (f->wide && (!f->is_signed || f->size == 4)))
        tp_put_0x(p->t, v);
    else if (!f->is_signed)
        text_dec(p->t, v, 0);
    else if (f->size == 4)
        text_int(p->t, (int32_t)v, 0);
    else if (f->size == 2)
        text_int(p->t, (int16_t)v, 2);
    else if (f->size == 1)
        text_int(p->t, (int8_t)v, 0);
    else
        text_int(p->t, (int64_t)v, 0);
}

static void put_one(struct tp_printing *p, struct tp_field *f)
{
    if (f->array)
        put_array(p, f);
    else
        put_field(p, f);
}

void tp_put_one(struct text *t, struct tp_event *e, struct tp_field *f,
                struct pts_bytes raw)
{
    const struct tp_names none = {0};
    struct tp_printing p = {
        t, {e, raw},
         &none
    };

    put_one(&p, f);
}

static void put_fields(struct tp_printing *p, struct tp_event *e)
{
    /* Fields that all tracepoints have are not repeated: they are in the line
     * already. */
    for (size_t i = e->common; i < e->fields; i++) {
        struct tp_field *f = &e->field[i];
        text_char(p->t, ' ');
        text_str(p->t, f->name);
        text_char(p->t, '=');
        put_one(p, f);
    }
}

void tp_print(struct text *t, struct tp_event *e, struct pts_bytes raw,
              const struct tp_names *names)
{
    const struct tp_record rec = {e, raw};
    struct tp_printing p = {t, rec, names};

    if (e->failed || names->raw) {
        text_str(t, names->raw ? "" : "[FAILED TO PARSE]");
        put_fields(&p, e);
        return;
    }
    for (size_t i = 0; i < e->pieces; i++) {
        const struct tp_piece *piece = &e->piece[i];
        /* Text between conversions. */
        if (!piece->conv) {
            text_str(t, piece->text);
        } else if (piece->conv == 'p') {
            put_pointer(&p, piece);
        } else {
            struct tp_padding pad = padding_of(&p, piece);
            if (piece->conv == 's')
                tp_put_text(&p, &pad, piece->arg);
            else
                put_number(t, &pad, piece, tp_eval(&p.rec, piece->arg));
        }
    }
}
