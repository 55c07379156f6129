/* options.c - the options of a run.
 *
 * SPDX-License-Identifier: MIT
 *
 * Most of them are said in their rows (option_rows.h); here is what takes more than a
 * member: lists in a syntax of their own, and options that stand for several others.
 */
#include "synth/plan/options.h"

#define OPTIONS struct options
#include "synth/plan/option_rows.h"

#include "decoder/base/diag.h"

#include <string.h>

enum { CALL_TRACE_DSO_WIDTH = 50, DEFAULT_MAX_STACK = 127 };

static pts_status option_itrace(void *options, const char *value, struct pts_diag *why)
{
    struct options *o = options;
    return itrace_parse(&o->itrace, value, why);
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
    return fields_parse(&o->text.fields, value, o->message, o->message_ctx, why);
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

static const struct option_row rows[] = {
#include <ptscript/script.def>
    OPTION_ROWS_END,
};

void options_init(struct options *o, pts_message_fn *message, void *message_ctx)
{
    *o = (struct options){.demangle = true,
                          .text.inline_names = true,
                          .max_stack = DEFAULT_MAX_STACK,
                          .message = message,
                          .message_ctx = message_ctx};
    fields_init(&o->text.fields);
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
