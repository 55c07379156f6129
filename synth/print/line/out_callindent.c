/* out_callindent.c - the column callindent.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/print/line/out_line.h"

#include "synth/sample/called.h"

#include <inttypes.h>
#include <stdio.h>

/* The name that is not there may be that of symbols which nobody has read yet. */
static bool is_unread(const struct out_perf *o, const struct sample *s,
                      const struct evl_event *e)
{
    bool calls = s->flags & (PTS_FLAG_CALL | PTS_FLAG_TRACE_BEGIN);
    uint8_t how = calls ? s->cpumode | PLACE_TARGET : s->cpumode;

    return (!calls || e->addr_is_code) &&
           place_at(o->spots.places, &s->who, how, calls ? s->addr : s->ip)->unread;
}

/* The name of the function that a branch calls or returns to, indented by the depth of
 * the stack.  Columns behind it would dance with each call, so the field has a width
 * that runs. */
void line_callindent(struct out_perf *o, const struct sample *s,
                     const struct evl_event *e, struct text *t)
{
    const uint64_t on = o->f->of[e->class].on;
    struct call_part head = {0}, name = {0};
    bool settled = true; /* all that was looked up was there */
    size_t before = t->len;
    uint64_t ip;

    name.from = called_function(o->spots.places, o->l, s, &ip);
    if (on & F_(DSO) && !(on & (F_(IP) | F_(ADDR)))) {
        const struct place *p = place_at(o->spots.places, &s->who, s->cpumode, s->ip);
        text_char(t, '(');
        spot_dso(&o->spots, p, t);
        text_put(t, ")\t", 2);
        head = (struct call_part){.from = p->dso, .len = t->len - before};
        settled = !p->unread;
    }
    size_t begin = t->len;
    if (name.from || ip)
        text_spaces(t, (size_t)s->depth * 4);
    size_t at = t->len;
    if (name.from)
        text_str(t, name.from);
    else if (ip)
        text_hex(t, ip, 16);
    name.len = t->len - at;
    size_t len = t->len - begin;
    out_indent_line(&o->indent, len);
    if (len < o->indent.at[0])
        text_spaces(t, o->indent.at[0] - len);
    const struct call_ends ends = call_ends_of(s, e);
    struct call_key key;
    if (t->failed || !settled || !call_key_of(&ends, &key) ||
        (ip && is_unread(o, s, e)) || call_texts_find(o->calls, &key))
        return;
    head.text = t->at + before;
    name.text = t->at + at;
    call_texts_keep(o->calls, &key, &head, &name);
}

size_t line_callindent_len(const struct out_perf *o, const struct sample *s)
{
    uint64_t ip;
    const char *name = called_function(o->spots.places, o->l, s, &ip);
    char digits[24];

    if (!name && !ip)
        return 0;
    return (size_t)s->depth * 4 +
           (name ? strlen(name)
                 : (size_t)snprintf(digits, sizeof(digits), "%16" PRIx64, ip));
}
