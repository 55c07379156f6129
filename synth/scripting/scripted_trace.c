/* scripted_trace.c - the sample of a tracepoint as a script gets it: field by field.
 *
 * SPDX-License-Identifier: MIT
 *
 * What the values of a field are called stands in the print fmt of the format, in calls of
 * __print_flags and __print_symbolic; these are looked for once for each tracepoint.
 */
#include "synth/scripting/scripted.h"

#include "synth/print/tracepoint/tp_eval.h"

#include <ctype.h>

/* --- Fields ----------------------------------------------------------------------- */

/* A text up to its end, which must be there. */
static bool is_text(struct pts_bytes b)
{
    if (!b.len || b.ptr[b.len - 1])
        return false;
    for (size_t i = 0; b.ptr[i]; i++)
        if (!isprint(b.ptr[i]) && !isspace(b.ptr[i]))
            return false;
    return true;
}

/* One that was no text once is bytes from then on, as in perf. */
static void take_array(const struct tp_record *r, struct tp_field *f,
                       struct pts_script_field *to)
{
    to->bytes = tp_field_data(r, f, true);
    if (f->string && is_text(to->bytes)) {
        to->kind = PTS_FIELD_STRING;
        to->bytes.len = strlen((const char *)to->bytes.ptr);
        return;
    }
    to->kind = PTS_FIELD_BYTES;
    f->string = false;
}

static pts_status take_fields(struct scripted *s, const struct tp_event *e,
                              const struct tp_record *r)
{
    s->field.len = 0;
    for (size_t i = 0; i < e->fields; i++) {
        struct tp_field *f = &e->field[i];
        struct pts_script_field *to = VEC_PUSH(&s->field);
        if (!to)
            return PTS_E_NOMEM;
        *to = (struct pts_script_field){.name = f->name, .is_signed = f->is_signed};
        if (f->array)
            take_array(r, f, to);
        else
            to->number = tp_number(r, f->offset, f->size);
    }
    return PTS_OK;
}

static uint64_t number_of(const struct tp_record *r, const char *name)
{
    const struct tp_field *f = tp_event_field(r->event, name, true);

    return f ? tp_number(r, f->offset, f->size) : 0;
}

/* --- Names of values -------------------------------------------------------------- */

enum { NAMES_DEPTH = 64 };

typedef VEC(struct pts_script_name) name_list;

static bool add_name(name_list *l, struct pts_script_name name)
{
    struct pts_script_name *to = VEC_PUSH(l);

    if (to)
        *to = name;
    return to != NULL;
}

static bool add_values(name_list *l, const struct tp_node *n, const char *field)
{
    bool flags = n->kind == TP_FLAGS;
    const char *between = flags ? n->text ? n->text : "" : NULL;
    bool ok = add_name(l, (struct pts_script_name){.field = field, .between = between});

    for (const struct tp_flag *f = n->flags; ok && f; f = f->next)
        ok = add_name(l, (struct pts_script_name){
                             .field = field,
                             .between = between,
                             .text = f->text,
                             .value = f->value < 0 ? 0 : (uint64_t)f->value});
    return ok;
}

/* perf goes through all that an argument is made of, and takes any number or text for what
 * the last field that it met is called when it is 0.  As it does: scripts see it. */
struct naming {
    name_list list;
    const char *field; /* NULL: none was met */
};

static bool name_node(struct naming *w, const struct tp_node *n)
{
    const struct pts_script_name zero = {
        .field = w->field, .between = "", .text = n->text};

    if (n->kind == TP_FIELD && n->field)
        w->field = n->field->name;
    if (!w->field)
        return true;
    if (n->kind == TP_FLAGS || n->kind == TP_SYMBOLIC)
        return add_values(&w->list, n, w->field);
    return n->kind != TP_ATOM || !n->text || !zero.field || add_name(&w->list, zero);
}

static bool has_parts(const struct tp_node *n)
{
    return n->kind == TP_OPER || n->kind == TP_CAST || n->kind == TP_FLAGS ||
           n->kind == TP_SYMBOLIC || n->kind == TP_HEX || n->kind == TP_HEX_STR ||
           n->kind == TP_INTS;
}

/* The parts of a node come before itself, the left one first. */
static bool name_argument(struct naming *w, const struct tp_node *top)
{
    struct {
        const struct tp_node *node;
        bool parts_done;
    } stack[NAMES_DEPTH];
    size_t n = 0;
    bool ok = true;

    stack[n].node = top;
    stack[n++].parts_done = false;
    while (ok && n) {
        const struct tp_node *at = stack[n - 1].node;
        const struct tp_node *const part[] = {at->c, at->b, at->a};
        if (stack[n - 1].parts_done || !has_parts(at)) {
            ok = name_node(w, at);
            n--;
            continue;
        }
        stack[n - 1].parts_done = true;
        for (size_t i = 0; i < 3; i++)
            if (part[i] && n < NAMES_DEPTH) {
                stack[n].node = part[i];
                stack[n++].parts_done = false;
            }
    }
    return ok;
}

static pts_status names_read(struct scripted *s, const struct tp_event *e,
                             struct script_names *out)
{
    struct naming w = {.field = s->named};
    bool ok = true;

    for (size_t i = 0; ok && i < e->pieces; i++) {
        const struct tp_piece *p = &e->piece[i];
        ok = (!p->len_arg || name_argument(&w, p->len_arg)) &&
             (!p->arg || name_argument(&w, p->arg));
    }
    s->named = w.field;
    size_t n = ok ? w.list.len : 0;
    struct pts_script_name *kept = n ? arena_alloc(&s->arena, n * sizeof(*kept)) : NULL;
    if (kept)
        memcpy(kept, w.list.at, n * sizeof(*kept));
    *out = (struct script_names){e->id, kept, n};
    ok = ok && (kept || !n);
    VEC_FREE(&w.list);
    return ok ? PTS_OK : PTS_E_NOMEM;
}

static const struct script_names *names_of(struct scripted *s, const struct tp_event *e)
{
    for (size_t i = 0; i < s->names.len; i++)
        if (s->names.at[i].id == e->id)
            return &s->names.at[i];
    if (!VEC_ROOM(&s->names, 1) ||
        names_read(s, e, &s->names.at[s->names.len]) != PTS_OK)
        return NULL;
    return &s->names.at[s->names.len++];
}

/* --- The tracepoint --------------------------------------------------------------- */

static pts_status event_of(struct scripted *s, const struct sample *sample,
                           struct tracepoint_format *out)
{
    uint64_t id = s->scene.plan->evl.ev.at[sample->event].attr.config;

    return tracepoint_format(s->tracepoints, id, out);
}

pts_status scripted_trace(struct scripted *s, const struct sample *sample,
                          struct pts_script_tracepoint *out, bool *is_one)
{
    struct tracepoint_format format;
    pts_status st = event_of(s, sample, &format);

    if (st != PTS_OK)
        return st < 0 ? st : PTS_OK;
    const struct tp_record r = {
        format.event, {sample->raw.ptr, sample->raw.len}
    };
    const struct script_names *names = names_of(s, format.event);
    st = names ? take_fields(s, format.event, &r) : PTS_E_NOMEM;
    if (st < 0)
        return st;
    *out = (struct pts_script_tracepoint){.system = format.system,
                                          .name = format.name,
                                          .id = format.event->id,
                                          .common_pid =
                                              (int32_t)number_of(&r, "common_pid"),
                                          .fields = s->field.at,
                                          .field_count = s->field.len,
                                          .common_count = format.event->common,
                                          .names = names->at,
                                          .name_count = names->n};
    *is_one = true;
    return PTS_OK;
}

uint64_t scripted_common(struct scripted *s, const struct sample *sample,
                         const char *name)
{
    struct tracepoint_format format;

    if (s->scene.plan->evl.ev.at[sample->event].class != CLASS_TRACEPOINT ||
        event_of(s, sample, &format) != PTS_OK)
        return 0;
    const struct tp_record r = {
        format.event, {sample->raw.ptr, sample->raw.len}
    };
    return number_of(&r, name);
}
