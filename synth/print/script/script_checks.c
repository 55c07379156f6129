/* script_checks.c - which fields can be printed, and what they need.
 *
 * SPDX-License-Identifier: MIT
 *
 * The plan is made by rooms that know no fields, so it asks at the points where perf
 * checks them (synth/plan/wants.h):
 *
 *     check_file     the fields of the events in the file
 *     check_event    an event that is made from the trace, or comes with a pipe
 *     check_all      what perf would print and we cannot
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
        .has_auxtrace = !f->pipe && perf_feat_has(f, PTS_FEAT_AUXTRACE),
        .has_stat = !f->pipe && perf_feat_has(f, PTS_FEAT_STAT),
        .has_tracing = perf_feat_has(f, PTS_FEAT_TRACING_DATA),
        .has_groups = perf_feat_has(f, PTS_FEAT_GROUP_DESC),
        .has_clock = perf_feat_clock(f, &clockid_ns, &tod_ns),
    };
}

static uint32_t wants_of_class(void *ctx, enum out_class class)
{
    const struct script *s = ctx;
    uint64_t on = s->fields.of[class].on;

    if (s->opt.dlfilter) /* which looks at what it likes */
        return WANT_CHAINS | WANT_BRANCHES | WANT_DEPTH | WANT_CODE | WANT_CYCLES;
    return (on & F_(IP) ? WANT_CHAINS : 0u) | (on & F_BRSTACKS ? WANT_BRANCHES : 0u) |
           (on & F_(CALLINDENT) ? WANT_DEPTH : 0u) |
           (on & (F_(INSN) | F_(DISASM)) ? WANT_CODE : 0u) |
           (on & F_(IPC) ? WANT_CYCLES : 0u);
}

static pts_status check_event(void *ctx, const struct evlist *l, uint32_t i,
                              bool chains, struct pts_diag *why)
{
    struct script *s = ctx;
    struct fields_check check = s->check;

    check.chains = chains;
    return fields_check_made(&s->fields, l, i, &check, why);
}

static pts_status check_file(void *ctx, const struct evlist *l, struct pts_diag *why)
{
    struct script *s = ctx;

    return fields_check_all(&s->fields, l, &s->check, why);
}

static pts_status check_all(void *ctx, const struct evlist *l, struct pts_diag *why)
{
    const struct script *s = ctx;
    const char *word = fields_unsupported(&s->fields, l, &s->check);

    return word ? diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                           "the field %s is not supported yet", word)
                : PTS_OK;
}

struct wants script_wants(struct script *s)
{
    return (struct wants){.ctx = s,
                          .of_class = wants_of_class,
                          .check_event = check_event,
                          .check_file = check_file,
                          .check_all = check_all};
}
