/* tp_event.h - what a tracepoint's format is, once it was read.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf prints what the kernel would have printed, from the print fmt of the format: a
 * printf string and expressions over the fields of the sample.
 *
 *     print fmt: "comm=%s n=%d", REC->comm, REC->n + 1
 *                 |              |
 *                 |              '- tp_lex (words), tp_parse: a tree for each argument
 *                 '- tp_printf: pieces, text or a conversion with its argument
 *
 *     bytes of a sample -> tp_eval: numbers; tp_print, tp_text, tp_net: text
 *
 * Trees are what perf's parser makes of the text, not what C would (tp_oper.c).
 */
#ifndef PTS_SYNTH_PRINT_TRACEPOINT_TP_EVENT_H
#define PTS_SYNTH_PRINT_TRACEPOINT_TP_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A field of the sample's bytes.  Dynamic: it holds size << 16 | offset of the data,
 * the offset counted from the beginning or (relative) from the end of the field. */
struct tp_field {
    const char *name;
    uint32_t offset, size, element; /* element: size of one of an array */
    bool array, pointer, string, dynamic, relative, wide, is_signed; /* wide: a long */
};

/* The numbers are printed where an argument is of the wrong kind. */
enum tp_kind {
    TP_NONE = 0, /* the left side of a sign */
    TP_ATOM = 1, /* a number, a string or the name of a type */
    TP_FIELD = 2,
    TP_FLAGS = 3,
    TP_SYMBOLIC = 4,
    TP_HEX = 5,
    TP_INTS = 6, /* __print_array */
    TP_CAST = 7,
    TP_STRING = 8,
    TP_DYNAMIC = 10,
    TP_OPER = 11,
    TP_BITMASK = 13,
    TP_DYNAMIC_LEN = 14,
    TP_HEX_STR = 15
};

/* {value, "text"} */
struct tp_flag {
    int64_t value; /* negative: not a number */
    const char *text;
    struct tp_flag *next;
};

/* What a and b are:
 *
 *     OPER     sides; of c ? x : y the condition and an OPER of x and y
 *     [        the array and the index
 *     CAST     a is cast to the type `text`
 *     FLAGS, SYMBOLIC    a is what is looked up
 *     HEX, HEX_STR, INTS  a is the data, b its size or count, c the size of one
 */
struct tp_node {
    uint8_t kind; /* enum tp_kind */
    int8_t prio;  /* of an OPER: the higher, the nearer to the root */
    char op[4];
    const char *text;       /* ATOM, CAST; between the names of FLAGS, or NULL */
    struct tp_field *field; /* FIELD, STRING, BITMASK, DYNAMIC*; NULL: there is none */
    struct tp_node *a, *b, *c;
    struct tp_flag *flags;
    struct tp_node *next; /* argument */
};

/* A conversion, or text. */
struct tp_piece {
    char conv;                     /* d i u x X o s p; 0: text */
    const char *text;              /* for p: what follows it, as in %pI4 */
    struct tp_node *arg, *len_arg; /* len_arg: in the place of a * */
    int16_t width, precision;      /* -1: none */
    bool left, zero, alt, star_width, star_precision;
    bool is_size; /* z */
    int8_t longs; /* -2 char, -1 short, 0 int, 1 and 2 long */
};

struct tp_event {
    struct arena *arena; /* all of it lives there */
    uint64_t id;
    bool failed; /* print the fields one by one */
    bool foreign, big_endian;
    uint8_t long_size;
    struct tp_field *field; /* the common ones first */
    size_t common, fields;
    uint64_t least; /* bytes of a sample, but for the data of dynamic fields */
    struct tp_piece *piece;
    size_t pieces;
};

/* By name, NULL if there is none; any: also one of those that all events have. */
struct tp_field *tp_event_field(const struct tp_event *e, const char *name, bool any);

#endif
