/* tp_eval.c - the numbers in a print fmt.
 *
 * SPDX-License-Identifier: MIT
 *
 * Trees are walked with a stack of their own: a format cannot make ours overflow.  Each
 * entry is a node and how many of its parts are done; `last` is the value of the part
 * that was done last, until in the end it is that of the whole.
 *
 * All is 64 bits without a sign, whatever the fields are: that is how perf computes,
 * and what a conversion makes of it comes later (tp_print.c).
 */
#include "synth/print/tracepoint/tp_eval.h"

#include "decoder/base/bytes.h"
#include "synth/plan/number.h"

#include <ctype.h>
#include <string.h>

enum { TP_EVAL_DEPTH = 256 }; /* deepest nesting of operators that is evaluated */

/* --- Bytes --- */

struct pts_bytes tp_bytes(const struct tp_record *r, uint64_t off, uint64_t len)
{
    if (off >= r->raw.len)
        return (struct pts_bytes){0};
    /* Offsets and sizes are the format's, the bytes are the sample's: what is not there
     * is not read, whatever the format says (I6). */
    uint64_t left = r->raw.len - off;
    return (struct pts_bytes){r->raw.ptr + off, (size_t)(len < left ? len : left)};
}

uint64_t tp_number(const struct tp_record *r, uint64_t off, uint32_t size)
{
    struct pts_bytes b = tp_bytes(r, off, size);
    bool turn = r->event->foreign;

    if (b.len != size)
        return 0;
    switch (size) {
    case 1:
        return b.ptr[0];
    case 2:
        return turn ? __builtin_bswap16(rd_u16(b.ptr)) : rd_u16(b.ptr);
    case 4:
        return turn ? __builtin_bswap32(rd_u32(b.ptr)) : rd_u32(b.ptr);
    case 8:
        return turn ? __builtin_bswap64(rd_u64(b.ptr)) : rd_u64(b.ptr);
    default:
        return 0;
    }
}

struct pts_bytes tp_field_data(const struct tp_record *r, const struct tp_field *f,
                               bool relative)
{
    if (!f->dynamic)
        return tp_bytes(r, f->offset, f->size);
    /* __data_loc: 16 bits of length, 16 bits of offset from the beginning of the
     * sample, or (__rel_loc) from behind the field. */
    uint64_t where = tp_number(r, f->offset, f->size);
    uint64_t from = relative && f->relative ? (uint64_t)f->offset + f->size : 0;
    return tp_bytes(r, from + (where & 0xffff), where >> 16 & 0xffff);
}

/* --- Trees --- */

const struct tp_node *tp_uncast(const struct tp_node *n)
{
    while (n->kind == TP_CAST)
        n = n->a;
    return n;
}

static uint64_t number_of(const char *text)
{
    const char *end;
    return read_number(text, &end, 0);
}

/* Only these types cut a number, and none extends its sign. */
static uint64_t cast(uint64_t v, const char *type, size_t n)
{
    static const struct {
        const char *name;
        unsigned bytes;
    } table[] = {
        {"u8",             1},
        {"s8",             1},
        {"char",           1},
        {"unsigned char",  1},
        {"u16",            2},
        {"s16",            2},
        {"short",          2},
        {"unsigned short", 2},
        {"u32",            4},
        {"s32",            4},
        {"int",            4},
        {"unsigned int",   4}
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (n == strlen(table[i].name) && memcmp(type, table[i].name, n) == 0)
            return v & UINT64_MAX >> (64 - 8 * table[i].bytes);
    return v;
}

/* "u8 *" without its " *" */
static uint64_t cast_element(uint64_t v, const char *type)
{
    size_t n = strlen(type);
    return n < 2 || type[n - 1] != '*' ? v : cast(v, type, n - 2);
}

/* a[i] of a field or a dynamic array.  A cast of a cuts the value, but the elements
 * stay as wide as the field says. */
static uint64_t element(const struct tp_record *r, const struct tp_node *n, uint64_t i)
{
    const struct tp_node *array = tp_uncast(n->a);
    const struct tp_field *f = array->field;
    uint64_t off, v;

    if (array->kind == TP_DYNAMIC) {
        /* perf counts bytes here, whatever the size of an element */
        off = (tp_number(r, f->offset, f->size) & 0xffff) + i;
        v = tp_number(r, off, f->element ? f->element : r->event->long_size);
    } else if (array->kind == TP_FIELD && f) {
        v = tp_number(r, f->offset + i * f->element, f->element);
    } else {
        return 0;
    }
    return n->a->kind == TP_CAST ? cast_element(v, n->a->text) : v;
}

static uint64_t leaf(const struct tp_record *r, const struct tp_node *n)
{
    const struct tp_field *f = n->field;

    switch (n->kind) {
    case TP_ATOM:
        return number_of(n->text);
    case TP_FIELD:
        return f ? tp_number(r, f->offset, f->size) : 0;
    case TP_DYNAMIC_LEN:
        return tp_number(r, f->offset, f->size) >> 16;
    case TP_DYNAMIC: /* perf: an address of its own */
        return tp_number(r, f->offset, f->size) & 0xffff;
    default:
        return 0;
    }
}

/* C leaves shifts by 64 and more open; perf's come out as those of x86. */
static uint64_t shift(char op, uint64_t v, uint64_t by)
{
    return op == '<' ? v << (by & 63) : v >> (by & 63);
}

static uint64_t compute(const char *op, uint64_t a, uint64_t b)
{
    switch (op[0]) {
    case '!':
        return op[1] ? a != b : !b;
    case '~':
        return ~b;
    case '|':
        return op[1] ? a || b : a | b;
    case '&':
        return op[1] ? a && b : a & b;
    case '<':
        return op[1] == '<' ? shift('<', a, b) : op[1] ? a <= b : a < b;
    case '>':
        return op[1] == '>' ? shift('>', a, b) : op[1] ? a >= b : a > b;
    case '=':
        return a == b;
    case '-':
        return a - b;
    case '+':
        return a + b;
    case '*':
        return a * b;
    case '/':
        return b ? a / b : 0;
    case '%':
        return b ? a % b : 0;
    default:
        return 0; /* ^ too: perf does not know it here */
    }
}

/* A node whose parts are being evaluated. */
struct pending {
    const struct tp_node *n;
    uint64_t first;
    unsigned done; /* parts */
};

static bool is_op(const struct tp_node *n, char op)
{
    return n->kind == TP_OPER && n->op[0] == op && !n->op[1];
}

/* What to evaluate next for it, NULL: it can be computed.
 *
 *     a OP b       a, then b          (type)a    a
 *     c ? x : y    c, then x or y     a[i]       i: what a is, element() knows
 *
 * Of ?: one side is evaluated, of && both. */
static const struct tp_node *next_part(struct pending *at, uint64_t last)
{
    const struct tp_node *n = at->n;
    unsigned done = at->done++;

    if (n->kind == TP_CAST)
        return done ? NULL : n->a;
    if (n->kind != TP_OPER)
        return NULL;
    if (is_op(n, '['))
        return done ? NULL : n->b;
    /* The two sides hang below a node of their own, n->b. */
    if (is_op(n, '?') && done == 1)
        return last ? n->b->a : n->b->b;
    if (done == 1)
        at->first = last;
    return done == 0 ? n->a : done == 1 ? n->b : NULL;
}

static uint64_t finish(const struct tp_record *r, const struct pending *at,
                       uint64_t last)
{
    const struct tp_node *n = at->n;

    if (n->kind == TP_CAST)
        return cast(last, n->text, strlen(n->text));
    if (n->kind != TP_OPER)
        return leaf(r, n);
    if (is_op(n, '['))
        return element(r, n, last);
    return is_op(n, '?') ? last : compute(n->op, at->first, last);
}

/* What nests deeper than the stack counts as 0. */
uint64_t tp_eval(const struct tp_record *r, const struct tp_node *n)
{
    struct pending stack[TP_EVAL_DEPTH];
    size_t depth = 0;
    uint64_t last = 0;

    stack[depth++] = (struct pending){.n = n};
    while (depth) {
        struct pending *at = &stack[depth - 1];
        const struct tp_node *part = next_part(at, last);
        if (!part) {
            last = finish(r, at, last);
            depth--;
        } else if (depth < TP_EVAL_DEPTH) {
            stack[depth++] = (struct pending){.n = part};
        } else {
            last = 0;
        }
    }
    return last;
}

/* --- Values in lists --- */

/* Names that the kernel leaves in its formats. */
static int64_t value_of(const char *text)
{
    static const struct {
        const char *name;
        int64_t value;
    } table[] = {
        {"HI_SOFTIRQ",        0},
        {"TIMER_SOFTIRQ",     1},
        {"NET_TX_SOFTIRQ",    2},
        {"NET_RX_SOFTIRQ",    3},
        {"BLOCK_SOFTIRQ",     4},
        {"IRQ_POLL_SOFTIRQ",  5},
        {"TASKLET_SOFTIRQ",   6},
        {"SCHED_SOFTIRQ",     7},
        {"HRTIMER_SOFTIRQ",   8},
        {"RCU_SOFTIRQ",       9},
        {"HRTIMER_NORESTART", 0},
        {"HRTIMER_RESTART",   1},
    };

    if (isdigit((unsigned char)text[0]))
        return (int64_t)number_of(text);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(text, table[i].name) == 0)
            return table[i].value;
    return -1;
}

/* Whether perf can compute it without a sample. */
static bool is_constant(const struct tp_node *top)
{
    const struct tp_node *stack[TP_EVAL_DEPTH];
    size_t depth = 0;

    stack[depth++] = top;
    while (depth) {
        const struct tp_node *n = stack[--depth];
        bool sign = n->kind == TP_OPER && n->a->kind == TP_NONE;
        if (n->kind == TP_ATOM)
            continue;
        if ((n->kind != TP_CAST && n->kind != TP_OPER) || depth + 2 > TP_EVAL_DEPTH)
            return false;
        if (n->kind == TP_OPER && !strchr(sign ? "-+~" : "|&<>=!-+", n->op[0]))
            return false;
        if (!sign)
            stack[depth++] = n->a;
        if (n->kind == TP_OPER)
            stack[depth++] = n->b;
    }
    return true;
}

bool tp_eval_flag(const struct tp_node *n, int64_t *out)
{
    static const struct tp_event nothing;
    /* Nothing to read from, as nothing is read: only constants come here. */
    const struct tp_record none = {.event = &nothing};

    n = tp_uncast(n);
    if (n->kind == TP_ATOM) {
        *out = value_of(n->text);
        return true;
    }
    if (n->kind != TP_OPER || !is_constant(n))
        return false;
    int64_t v = (int64_t)tp_eval(&none, n);
    *out = v < 0 ? -1 : v;
    return true;
}
