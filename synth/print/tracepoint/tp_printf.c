/* tp_printf.c - the printf string of a print fmt.
 *
 * SPDX-License-Identifier: MIT
 *
 *     comm=%s ip=%pS n=%-*d\n      is five pieces:
 *     |----||||--||-||||-|||
 *      text  s text pS ...          a conversion takes the next argument, a * one more
 *
 * Unknown conversions are text; arguments that nothing takes are not printed.
 */
#include "synth/print/tracepoint/tp_printf.h"

#include "decoder/base/arena.h"

#include <string.h>

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
        /* h counts down, so one number says char, short, int, long and long long. */
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
pts_status tp_printf_read(struct tp_event *e, const char *s, struct tp_node *args)
{
    struct printf_reader r = {e, args};
    size_t most = 1;
    pts_status st = PTS_OK;

    for (const char *p = s; *p; p++)
        /* Each % begins a conversion and ends a text. */
        most += 2 * (size_t)(*p == '%');
    e->piece = arena_alloc(e->arena, (most + 1) * sizeof(*e->piece));
    if (!e->piece)
        return PTS_E_NOMEM;
    while (st == PTS_OK && *s)
        st = *s == '%' && s[1] != '%' ? read_conversion(&r, &s) : read_text(&r, &s);
    return st;
}
