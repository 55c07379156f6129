/* inject_options.c - the options of perf inject, from their table.
 *
 * SPDX-License-Identifier: MIT
 *
 * Which of them decides is what the table in inject.h says: with --build-ids perf passes the
 * trace on, and --itrace only takes the list of where it is out of the header.
 */
#include "synth/inject/inject_options.h"

#define OPTIONS struct inject_given
#include "synth/plan/option_rows.h"

#include "decoder/base/diag.h"
#include "synth/plan/hints.h"

#include <string.h>

/* Without a value all kinds of samples, unlike perf script. */
static pts_status option_itrace(void *options, const char *value, struct pts_diag *why)
{
    struct inject_given *g = options;
    struct itrace *it = &g->run.itrace;
    pts_status st = itrace_parse(it, value, why);

    if (st < 0)
        hint_give(HINT_LETTERS, g->run.message, g->run.message_ctx);
    if (st == PTS_OK && !value)
        itrace_instructions(it);
    return st;
}

static pts_status option_no_itrace(void *options, const char *value,
                                   struct pts_diag *why)
{
    struct inject_given *g = options;
    (void)value, (void)why;
    g->run.itrace.set = true;
    g->run.itrace.dont_decode = true;
    return PTS_OK;
}

static pts_status option_jobs(void *options, const char *value, struct pts_diag *why)
{
    struct inject_given *o = options;
    const struct pts_option jobs = {"jobs", value};

    return options_parse(&o->run, &jobs, 1, why);
}

/* As perf takes it: "dry-run" may stand in front, and what follows is looked at when the trace
 * is. */
static pts_status option_vm_time(void *options, const char *value, struct pts_diag *why)
{
    static const char dry[] = "dry-run";
    struct inject_given *g = options;
    const char *v = value ? value + strspn(value, " \t\n\v\f\r") : NULL;

    (void)why;
    g->vm_time = true;
    if (!v)
        return PTS_OK;
    bool is_dry = strncmp(v, dry, sizeof(dry) - 1) == 0;
    g->vm_dry_run |= is_dry;
    g->vm_args = is_dry ? v + sizeof(dry) - 1 : value;
    return PTS_OK;
}

/* perf cannot take it back. */
static pts_status option_no_vm_time(void *options, const char *value,
                                    struct pts_diag *why)
{
    (void)options, (void)value, (void)why;
    return PTS_OK;
}

static pts_status option_guest_data(void *options, const char *value,
                                    struct pts_diag *why)
{
    struct inject_given *g = options;

    return guest_args_read(value, &g->guest, why);
}

static pts_status option_no_guest_data(void *options, const char *value,
                                       struct pts_diag *why)
{
    (void)options, (void)value, (void)why;
    return PTS_OK;
}

static const struct option_row rows[] = {
#include <ptscript/inject.def>
    OPTION_ROWS_END,
};

static void set_what(struct inject_given *g)
{
    const struct itrace *it = &g->run.itrace;

    g->what = (struct inject_opts){
        .build_ids = g->build_ids,
        .build_id_all = g->build_id_all,
        .sched_stat = g->sched_stat,
        .known_ids = g->build_ids && !g->build_id_all ? g->known_ids : NULL,
        .trace = it->set,
        .strip = g->strip,
        .jit = g->jit,
        .no_hw_idx = g->no_hw_idx,
        .branch_stacks = itrace_on(it, ITRACE_ON(BRSTACK) | ITRACE_ON(ADD_BRSTACK))};
}

/* As they stand when ids of all maps are written or nothing is changed, and else by time. */
static void set_run(struct inject_given *g)
{
    struct itrace *it = &g->run.itrace;
    bool decodes = inject_decodes(&g->what);
    bool in_order = g->vm_time || (g->guest.given && !g->guest_unread);
    bool as_is = !decodes && !in_order && !g->jit && !g->sched_stat &&
                 (g->build_id_all || !g->build_ids);

    /* A guest's records come in by the rounds of the host's. */
    bool guest = g->guest.given && !g->guest_unread && !g->vm_time;
    g->run.order = guest   ? PERF_ORDER_LET_GO
                   : as_is ? PERF_ORDER_FILE
                           : PERF_ORDER_TIME;
    it->dont_decode |= !decodes;
    g->run.unseen = !g->vm_time; /* which passes nothing on */
    g->run.code_stays = !g->run.strict_pt;
    g->run.records_only =
        (g->strip && decodes) || g->vm_time || guest || g->run.order == PERF_ORDER_FILE;
    if (!decodes)
        it->what &= g->vm_time ? ITRACE_ON(TIMELESS) : 0; /* which it refuses */
    /* Stacks of recorded samples are made, but perf writes the samples as they were.  That
     * call stacks are kept is to be seen in the last branches of the idle task. */
    g->run.calls_too = itrace_on(it, ITRACE_ON(ADD_CALLCHAIN));
    it->what &= ~(ITRACE_ON(ADD_CALLCHAIN) | ITRACE_ON(ADD_BRSTACK));
    it->set = true;
}

/* --- Which go together ------------------------------------------------------------- */

static void note(const struct inject_given *g, const char *text)
{
    if (g->run.message)
        g->run.message(g->run.message_ctx, PTS_MSG_NOTE, text);
}

/* perf does one thing only, and says nothing.  What is left undone is said here; samples of a
 * trace whose times change could not be put anywhere. */
static void settle_vm_time(struct inject_given *g)
{
    struct itrace *it = &g->run.itrace;

    if (g->guest.given || g->jit || (it->set && it->what))
        note(g,
             "--vm-time-correlation changes times only: nothing else that inject was "
             "asked for is done, as in perf");
    g->vm_nothing = it->set && it->dont_decode;
    it->set = false;
    g->jit = false;
}

static void settle_guest(struct inject_given *g)
{
    g->guest_unread =
        g->run.itrace.set || g->build_ids || g->build_id_all || g->sched_stat;
    if (g->guest_unread)
        note(g,
             "--guest-data has no effect beside --itrace, -b, --buildid-all and -s, as "
             "in perf: two runs of inject do both");
    else if (g->jit)
        note(g,
             "-j has no effect beside --guest-data, as in perf: two runs of inject do "
             "both");
    g->jit &= g->guest_unread;
}

pts_status inject_options(struct inject_given *g, const struct pts_option *options,
                          size_t count, pts_message_fn *message, void *message_ctx,
                          struct pts_diag *why)
{
    options_init(&g->run, message, message_ctx);
    pts_status st = option_rows_take(rows, g, options, count, why);
    if (st < 0)
        return st;
    if (g->vm_time && (g->build_ids || g->build_id_all || g->sched_stat))
        return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                        "--vm-time-correlation with -b, --buildid-all or -s is not "
                        "supported: there is no new recording for these");
    if (g->strip && !g->run.itrace.set && !g->vm_time)
        return diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                        "--strip option requires --itrace option");
    if (g->vm_time)
        settle_vm_time(g);
    else if (g->guest.given)
        settle_guest(g);
    set_what(g);
    set_run(g);
    return PTS_OK;
}
