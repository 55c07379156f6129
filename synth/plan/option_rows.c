/* option_rows.c - options into a struct, by the rows of a table.
 *
 * SPDX-License-Identifier: MIT
 *
 * What can be said in a row is done here, the same for every command: flags, strings
 * and numbers go into members, "no-" in front takes them back.  Only what needs a
 * parser of its own is a function.
 */
#include "synth/plan/option_rows.h"

#include "decoder/base/diag.h"
#include "synth/plan/number.h"

#include <stdbool.h>
#include <string.h>

static const struct option_row *row_find(const struct option_row *rows,
                                         const char *name)
{
    for (const struct option_row *r = rows; r->name; r++)
        if (strcmp(r->name, name) == 0)
            return r;
    return NULL;
}

/* As perf does by strtol: the value is that of 32 bits, and no word at all is 0. */
static pts_status number_parse(const struct option_row *r, const char *s, int64_t *out,
                               struct pts_diag *why)
{
    const char *text = s ? s : "", *end;
    bool count = r->kind == OPTION_COUNT;
    uint64_t v = read_number(text, &end, 10);

    if (count && *text == '-')
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        " Error: option `%s' expects an unsigned numerical value",
                        r->name);
    if (*end)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        " Error: option `%s' expects a numerical value", r->name);
    *out = count ? (int64_t)(uint32_t)v : (int32_t)(uint32_t)v;
    return PTS_OK;
}

static pts_status row_apply(const struct option_row *r, void *options,
                            const char *value, struct pts_diag *why)
{
    void *member = (char *)options + r->at;

    if (r->argument == OPTION_MUST && !value)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        " Error: option `%s' requires a value", r->name);
    /* A flag that may have a value (--xed) is on whatever that is, as in perf. */
    if (r->argument == OPTION_NONE && value)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        " Error: option `%s' takes no value", r->name);
    switch (r->kind) {
    case OPTION_FLAG:
        *(bool *)member = true;
        break;
    case OPTION_STRING:
        *(const char **)member = value;
        break;
    case OPTION_NUMBER:
    case OPTION_COUNT:
        return number_parse(r, value, member, why);
    case OPTION_CALL:
        return r->call(options, value, why);
    case OPTION_PASS_OVER:
        break;
    case OPTION_REFUSE:
        return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX, "--%s is not supported yet",
                        r->name);
    }
    return PTS_OK;
}

static pts_status row_undo(const struct option_row *r, void *options,
                           struct pts_diag *why)
{
    void *member = (char *)options + r->at;

    switch (r->kind) {
    case OPTION_FLAG:
        *(bool *)member = false;
        break;
    case OPTION_STRING:
        *(const char **)member = NULL;
        break;
    case OPTION_NUMBER:
    case OPTION_COUNT:
        *(int64_t *)member = 0;
        break;
    case OPTION_PASS_OVER:
        break;
    case OPTION_CALL:
        if (r->undo)
            return r->undo(options, NULL, why);
        /* fall through */
    case OPTION_REFUSE:
        return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX, "--no-%s is not supported",
                        r->name);
    }
    return PTS_OK;
}

pts_status option_rows_take(const struct option_row *rows, void *options,
                            const struct pts_option *list, size_t count,
                            struct pts_diag *why)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = list[i].name;
        const struct option_row *r = row_find(rows, name), *undo = NULL;
        if (!r && strncmp(name, "no-", 3) == 0)
            undo = row_find(rows, name + 3);
        if (!r && !undo)
            return diag_set(why, PTS_E_USAGE, UINT64_MAX, " Error: unknown option `%s'",
                            name);
        pts_status st = r ? row_apply(r, options, list[i].value, why)
                          : row_undo(undo, options, why);
        if (st != PTS_OK)
            return st;
    }
    return PTS_OK;
}

pts_status option_rows_no_printer(const struct option_row *rows,
                                  const struct pts_option *list, size_t count,
                                  struct pts_diag *why)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = list[i].name;
        const struct option_row *r = row_find(rows, name);
        if (!r && strncmp(name, "no-", 3) == 0)
            r = row_find(rows, name + 3);
        if (r && r->printer)
            return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                            "--%s is only about the text, and none is asked for", name);
    }
    return PTS_OK;
}
