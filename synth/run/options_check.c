/* options_check.c - what is wrong with options, before there is a recording.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/base/diag.h"
#include "synth/inject/inject_options.h"
#include "synth/plan/options.h"

#include <string.h>

static pts_status script_check(const struct pts_option *list, size_t count,
                               pts_message_fn *message, void *ctx, struct pts_diag *why)
{
    struct options o;

    options_init(&o, message, ctx);
    pts_status st = options_parse(&o, list, count, why);
    options_free(&o);
    return st;
}

static pts_status inject_check(const struct pts_option *list, size_t count,
                               pts_message_fn *message, void *ctx, struct pts_diag *why)
{
    struct inject_given g = {0};

    return inject_options(&g, list, count, message, ctx, why);
}

typedef pts_status check_fn(const struct pts_option *list, size_t count,
                            pts_message_fn *message, void *ctx, struct pts_diag *why);

static check_fn *check_of(const char *command)
{
    if (strcmp(command, "script") == 0)
        return script_check;
    return strcmp(command, "inject") == 0 ? inject_check : NULL;
}

pts_status pts_options_check(const char *command, const struct pts_option *list,
                             size_t count, pts_message_fn *message, void *ctx,
                             struct pts_diag *why)
{
    check_fn *check = check_of(command);

    if (!check)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX, "no command is called `%s'",
                        command);
    return check(list, count, message, ctx, why);
}
