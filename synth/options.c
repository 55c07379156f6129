/* options.c - the options of a run.
 *
 * SPDX-License-Identifier: MIT
 *
 * A table says what each of perf's options does to struct options; "no-" in front of
 * one takes it back where perf can.
 */
#include "synth/options.h"

#include "decoder/diag.h"

#include <stddef.h>
#include <string.h>

enum { CALL_TRACE_DSO_WIDTH = 50, DEFAULT_MAX_STACK = 127 };

enum argument { NONE, MAY, MUST };

static pts_status option_itrace(struct options *o, const char *value,
                                struct pts_diag *why)
{
    return itrace_parse(&o->itrace, value, why);
}

static pts_status option_fields(struct options *o, const char *value,
                                struct pts_diag *why)
{
    return fields_parse(&o->fields, value, o->message, o->message_ctx, why);
}

/* Options that stand for others: fields, then letters, then nanoseconds. */
static pts_status preset(struct options *o, const char *fields, const char *letters,
                         struct pts_diag *why)
{
    pts_status st = option_fields(o, fields, why);

    if (st == PTS_OK)
        st = option_itrace(o, letters, why);
    o->ns |= st == PTS_OK;
    return st;
}

static pts_status option_insn_trace(struct options *o, const char *value,
                                    struct pts_diag *why)
{
    /* perf 6.1 takes the word, and then fails on a field that it does not have. */
    if (value && strcmp(value, "disasm") == 0)
        return preset(o, "+disasm,-event,-period", "i0nse", why);
    if (value && *value && strcmp(value, "raw") != 0)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX, "Only accept raw|disasm");
    return preset(o, "+insn,-event,-period", "i0nse", why);
}

static pts_status option_call_trace(struct options *o, const char *value,
                                    struct pts_diag *why)
{
    (void)value;
    o->pad_dso = CALL_TRACE_DSO_WIDTH;
    return preset(o, "-ip,-addr,-event,-period,+callindent", "cewp", why);
}

static pts_status option_call_ret_trace(struct options *o, const char *value,
                                        struct pts_diag *why)
{
    (void)value;
    return preset(o, "-ip,-addr,-event,-period,+callindent,+flags", "crewp", why);
}

typedef pts_status option_fn(struct options *o, const char *value,
                             struct pts_diag *why);

enum kind {
    KIND_FLAG,
    KIND_STRING,
    KIND_NUMBER,
    KIND_CALL,
    KIND_ELSEWHERE,
    KIND_NOT_YET
};

static const struct row {
    const char *word;
    uint8_t kind;
    uint8_t argument;
    size_t at; /* in struct options */
    option_fn *call;
} rows[] = {
#define FLAG(word, member)                                                             \
    {word, KIND_FLAG, NONE, offsetof(struct options, member), NULL},
#define STRING(word, member)                                                           \
    {word, KIND_STRING, MUST, offsetof(struct options, member), NULL},
#define NUMBER(word, member)                                                           \
    {word, KIND_NUMBER, MUST, offsetof(struct options, member), NULL},
#define CALL(word, function, argument) {word, KIND_CALL, argument, 0, function},
#define ELSEWHERE(word)                {word, KIND_ELSEWHERE, MAY, 0, NULL},
#define NOT_YET(word)                  {word, KIND_NOT_YET, MAY, 0, NULL},
#include "synth/options.def"
#undef FLAG
#undef STRING
#undef NUMBER
#undef CALL
#undef ELSEWHERE
#undef NOT_YET
};

static const struct row *row_find(const char *word)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].word, word) == 0)
            return &rows[i];
    return NULL;
}

static pts_status number_parse(const struct row *r, const char *s, int64_t *out,
                               struct pts_diag *why)
{
    const char *digits = s ? s : "";
    bool minus = *digits == '-';
    int64_t v = 0;

    digits += minus;
    const char *p = digits;
    for (; *p >= '0' && *p <= '9' && v < INT32_MAX; p++)
        v = v * 10 + (*p - '0');
    if (*p || p == digits)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        " Error: option `%s' expects a numerical value", r->word);
    *out = minus ? -v : v;
    return PTS_OK;
}

static pts_status row_apply(const struct row *r, struct options *o, const char *value,
                            struct pts_diag *why)
{
    void *member = (char *)o + r->at;

    if (r->argument == MUST && !value)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        " Error: option `%s' requires a value", r->word);
    if (r->argument == NONE && value)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        " Error: option `%s' takes no value", r->word);
    switch ((enum kind)r->kind) {
    case KIND_FLAG:
        *(bool *)member = true;
        break;
    case KIND_STRING:
        *(const char **)member = value;
        break;
    case KIND_NUMBER:
        return number_parse(r, value, member, why);
    case KIND_CALL:
        return r->call(o, value, why);
    case KIND_ELSEWHERE:
        break;
    case KIND_NOT_YET:
        return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX, "--%s is not supported yet",
                        r->word);
    }
    return PTS_OK;
}

/* "no-WORD" */
static pts_status row_undo(const struct row *r, struct options *o, struct pts_diag *why)
{
    void *member = (char *)o + r->at;

    if (r->kind == KIND_FLAG) {
        *(bool *)member = false;
    } else if (r->kind == KIND_STRING) {
        *(const char **)member = NULL;
    } else if (r->kind == KIND_NUMBER) {
        *(int64_t *)member = 0;
    } else if (r->call == option_itrace) {
        o->itrace.set = true;
        o->itrace.dont_decode = true;
    } else if (r->kind != KIND_ELSEWHERE) {
        return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX, "--no-%s is not supported",
                        r->word);
    }
    return PTS_OK;
}

void options_init(struct options *o, pts_message_fn *message, void *message_ctx)
{
    *o = (struct options){.demangle = true,
                          .inline_names = true,
                          .max_stack = DEFAULT_MAX_STACK,
                          .message = message,
                          .message_ctx = message_ctx};
    fields_init(&o->fields);
}

pts_status options_parse(struct options *o, const struct pts_option *list, size_t count,
                         struct pts_diag *why)
{
    for (size_t i = 0; i < count; i++) {
        const char *word = list[i].name;
        const struct row *r = row_find(word), *undo = NULL;
        if (!r && strncmp(word, "no-", 3) == 0)
            undo = row_find(word + 3);
        if (!r && !undo)
            return diag_set(why, PTS_E_USAGE, UINT64_MAX, " Error: unknown option `%s'",
                            word);
        pts_status st =
            r ? row_apply(r, o, list[i].value, why) : row_undo(undo, o, why);
        if (st != PTS_OK)
            return st;
    }
    if (o->reltime && o->deltatime)
        return diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                        "reltime and deltatime - the two don't get along well. Please "
                        "limit to --reltime or --deltatime.");
    return PTS_OK;
}
