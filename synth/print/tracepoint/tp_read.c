/* tp_read.c - a tracepoint's format is read.
 *
 * SPDX-License-Identifier: MIT
 *
 *     print fmt: "comm=%s n=%d", REC->comm, REC->n + 1
 *                '- text ------' '- tp_parse ---------'
 *                  |                  |
 *                  '--> tp_printf <---' arguments
 */
#include "synth/print/tracepoint/tp_read.h"

#include "synth/print/tracepoint/tp_fields.h"
#include "synth/print/tracepoint/tp_lex.h"
#include "synth/print/tracepoint/tp_parse.h"
#include "synth/print/tracepoint/tp_printf.h"

#include <string.h>

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

static pts_status read_print(struct tp_event *e, const struct trace_format *format,
                             struct pts_bytes print)
{
    struct tp_node *args = NULL;
    struct tp_token text, behind;
    pts_status st = PTS_OK;

    if (!print.len)
        return PTS_E_FORMAT;
    struct tp_lex lex = {print.ptr, print.ptr + print.len, e->arena};
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
    return st == PTS_OK ? tp_printf_read(e, text.text, args) : st;
}

/* A format that cannot be read is no failure: its samples show their fields one by
 * one. */
pts_status tp_read(struct arena *arena, const struct trace_iter *where,
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
    struct pts_bytes print;
    pts_status st = tp_fields_read(e, format, &print);
    if (st == PTS_OK)
        st = read_print(e, format, print);
    if (st == PTS_E_NOMEM)
        return st;
    e->failed = st != PTS_OK;
    *out = e;
    return PTS_OK;
}
