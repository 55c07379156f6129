/* script_checks.c - which fields can be printed, and what they need.
 *
 * SPDX-License-Identifier: MIT
 *
 * The plan is made by rooms that know no fields, so it asks at the points where perf
 * checks them (synth/plan/wants.h):
 *
 *     check_file     the fields of the events in the file
 *     check_event    an event that is made from the trace, or comes with a pipe
 *     check_recorded what perf would print and we cannot; then files for events
 *     check_all      the same of those that are made from the trace
 *     of_class       the fields that are left, as things that must be worked out
 */
#include "synth/print/script/script.h"

#include "decoder/base/diag.h"
#include "decoder/file/perf_feat.h"

/* Of a pipe perf does not remember which features came. */
void script_checks_init(struct script *s)
{
    const struct perf_file *f = s->from.file;
    uint64_t clockid_ns, tod_ns;

    s->fields = s->opt.text.fields;
    s->check = (struct fields_check){
        .has_auxtrace = !f->pipe && perf_feat_announced(f, PTS_FEAT_AUXTRACE),
        .has_stat = !f->pipe && perf_feat_announced(f, PTS_FEAT_STAT),
        .has_tracing = f->pipe || perf_feat_announced(f, PTS_FEAT_TRACING_DATA),
        .has_groups = perf_feat_announced(f, PTS_FEAT_GROUP_DESC),
        .has_clock = perf_feat_clock(f, &clockid_ns, &tod_ns),
    };
}

bool script_lacks_formats(const struct script *s)
{
    const struct perf_file *f = s->from.file;
    bool any = false;

    for (size_t i = 0; i < f->evsel.len; i++)
        any |= f->evsel.at[i].attr.type == PTS_TYPE_TRACEPOINT;
    return any && !s->check.has_tracing &&
           s->fields.of[CLASS_TRACEPOINT].on & F_(TRACE);
}

static uint32_t wants_of_class(void *ctx, enum out_class class)
{
    const struct script *s = ctx;
    uint64_t on = s->fields.of[class].on;

    uint32_t depth = on & F_(CALLINDENT) ? WANT_DEPTH : 0u;

    if (s->opt.dlfilter) /* which looks at what it likes; it is not shown the depth */
        return depth | WANT_CHAINS | WANT_BRANCHES | WANT_CODE | WANT_CYCLES;
    return depth | (on & F_(IP) ? WANT_CHAINS : 0u) |
           (on & F_BRSTACKS ? WANT_BRANCHES : 0u) |
           (on & (F_(INSN) | F_(DISASM)) ? WANT_CODE : 0u) |
           (on & F_(IPC) ? WANT_CYCLES : 0u);
}

/* Those of the first n events; their names are those that they have now. */
static pts_status add_files(struct script *s, const struct evlist *l, size_t n,
                            struct pts_diag *why)
{
    pts_status st = PTS_OK;

    while (st == PTS_OK && s->opt.text.per_event_dump && s->files.at.len < n)
        st = event_files_add(&s->files, s->from.file->path,
                             l->ev.at[s->files.at.len].name);
    return st < 0 ? diag_set(why, PTS_E_IO, UINT64_MAX,
                             "Couldn't create the per event dump files")
                  : PTS_OK;
}

static pts_status check_event(void *ctx, const struct evlist *l, uint32_t i,
                              bool chains, struct pts_diag *why)
{
    struct script *s = ctx;
    struct fields_check check = s->check;

    check.chains = chains;
    pts_status st = fields_check_made(&s->fields, l, i, &check, why);
    return st < 0 ? st : add_files(s, l, (size_t)i + 1, why);
}

static pts_status check_file(void *ctx, const struct evlist *l, struct pts_diag *why)
{
    struct script *s = ctx;
    struct fields_check check = s->check;

    check.chains = !s->opt.hide_call_graph;
    return fields_check_all(&s->fields, l, &check, why);
}

static pts_status check_all(void *ctx, const struct evlist *l, struct pts_diag *why)
{
    struct script *s = ctx;
    const char *word = fields_unsupported(&s->fields, l, &s->check);

    return word ? diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                           "the field %s of groups of events is not supported yet: -F "
                           "without it shows what they counted",
                           word)
                : add_files(s, l, l->ev.len, why);
}

struct wants script_wants(struct script *s)
{
    return (struct wants){.ctx = s,
                          .of_class = wants_of_class,
                          .check_event = check_event,
                          .check_file = check_file,
                          .check_recorded = check_all,
                          .check_all = check_all};
}
