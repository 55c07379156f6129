/* options.c - the options of a run.
 *
 * SPDX-License-Identifier: MIT
 *
 * Most of them are said in their rows (option_rows.h); here is what takes more than a
 * member: lists in a syntax of their own, and options that stand for several others.
 */
#include "synth/plan/options.h"

#include "decoder/base/sys.h"

#define OPTIONS struct options
#include "synth/plan/option_rows.h"

#include "decoder/base/diag.h"
#include "synth/plan/hints.h"
#include "synth/plan/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CALL_TRACE_DSO_WIDTH = 50, DEFAULT_MAX_STACK = 127, JOBS_MAX = 1024 };

static pts_status option_itrace(void *options, const char *value, struct pts_diag *why)
{
    struct options *o = options;
    pts_status st = itrace_parse(&o->itrace, value, why);

    if (st == PTS_E_USAGE)
        hint_give(HINT_LETTERS, o->message, o->message_ctx);
    return st;
}

static pts_status option_no_itrace(void *options, const char *value,
                                   struct pts_diag *why)
{
    struct options *o = options;
    (void)value, (void)why;
    o->itrace.set = true;
    o->itrace.dont_decode = true;
    return PTS_OK;
}

static pts_status option_fields(void *options, const char *value, struct pts_diag *why)
{
    struct options *o = options;
    pts_status st =
        fields_parse(&o->text.fields, value, o->message, o->message_ctx, why);

    if (st == PTS_E_USAGE)
        hint_give(HINT_FIELDS, o->message, o->message_ctx);
    return st;
}

/* Options that stand for others: fields, then letters, then nanoseconds. */
static pts_status preset(struct options *o, const char *fields, const char *letters,
                         struct pts_diag *why)
{
    pts_status st = option_fields(o, fields, why);

    if (st == PTS_OK)
        st = option_itrace(o, letters, why);
    o->text.ns |= st == PTS_OK;
    return st;
}

static pts_status option_insn_trace(void *options, const char *value,
                                    struct pts_diag *why)
{
    /* perf 6.1 takes the word, and then fails on a field that it does not have. */
    if (value && strcmp(value, "disasm") == 0)
        return preset(options, "+disasm,-event,-period", "i0nse", why);
    if (value && *value && strcmp(value, "raw") != 0)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX, "Only accept raw|disasm");
    return preset(options, "+insn,-event,-period", "i0nse", why);
}

static pts_status option_call_trace(void *options, const char *value,
                                    struct pts_diag *why)
{
    struct options *o = options;
    (void)value;
    o->text.pad_dso = CALL_TRACE_DSO_WIDTH;
    return preset(o, "-ip,-addr,-event,-period,+callindent", "cewp", why);
}

static pts_status option_call_ret_trace(void *options, const char *value,
                                        struct pts_diag *why)
{
    (void)value;
    return preset(options, "-ip,-addr,-event,-period,+callindent,+flags", "crewp", why);
}

static pts_status option_limit(void *options, const char *value, struct pts_diag *why)
{
    struct options *o = options;
    const char *end = value;
    uint64_t n = *value >= '0' && *value <= '9' ? read_number(value, &end, 10) : 0;

    if (!n || *end)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        " Error: option `limit' expects a number from 1 on");
    o->text.limit = n;
    return PTS_OK;
}

static pts_status option_no_limit(void *options, const char *value,
                                  struct pts_diag *why)
{
    struct options *o = options;
    (void)value, (void)why;
    o->text.limit = 0;
    return PTS_OK;
}

static pts_status option_dlarg(void *options, const char *value, struct pts_diag *why)
{
    struct options *o = options;
    const char **arg = VEC_PUSH(&o->dlarg);

    if (!arg)
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    *arg = value;
    return PTS_OK;
}

/* 0: one for each processor that is there for this process. */
static pts_status option_jobs(void *options, const char *value, struct pts_diag *why)
{
    struct options *o = options;
    char *end;

    errno = 0;
    unsigned long n = strtoul(value, &end, 10);
    if (errno || end == value || *end || *value == '-' || n > JOBS_MAX)
        return diag_set(
            why, PTS_E_USAGE, UINT64_MAX,
            " Error: option `jobs' expects a number of threads from 1 to %d, "
            "or 0 for as many as there are processors",
            JOBS_MAX);
    if (!n)
        n = sys_cpus();
    o->jobs = n < JOBS_MAX ? (uint32_t)n : JOBS_MAX;
    return PTS_OK;
}

static const struct option_row rows[] = {
#include <ptscript/script.def>
    OPTION_ROWS_END,
};

void options_init(struct options *o, pts_message_fn *message, void *message_ctx)
{
    *o = (struct options){.demangle = true,
                          .text.inline_names = true,
                          .max_stack = DEFAULT_MAX_STACK,
                          .jobs = 1,
                          .message = message,
                          .message_ctx = message_ctx};
    fields_init(&o->text.fields);
}

void options_free(struct options *o)
{
    VEC_FREE(&o->dlarg);
}

pts_status options_parse(struct options *o, const struct pts_option *list, size_t count,
                         struct pts_diag *why)
{
    pts_status st = option_rows_take(rows, o, list, count, why);

    if (st == PTS_OK && o->reltime && o->text.deltatime)
        return diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                        "reltime and deltatime - the two don't get along well. Please "
                        "limit to --reltime or --deltatime.");
    return st;
}

pts_status options_without_text(const struct pts_option *list, size_t count,
                                struct pts_diag *why)
{
    return option_rows_no_printer(rows, list, count, why);
}
