/* script_press.c - lines by several at once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/print/script/script.h"

static pts_status new_printer(void *ctx, struct places *places, struct out_perf **out)
{
    return script_lines_new(ctx, places, out);
}

/* Appended where the texts of batches are put together. */
static pts_status put_in_turn(void *ctx, const struct item *item)
{
    struct script *s = ctx;
    bool done = true;

    return script_put(s, item, &done);
}

/* What is counted, or goes elsewhere, is printed in order. */
bool script_parts(void *script)
{
    const struct script *s = script;

    return !s->dumps && !s->files.at.len && !s->from.scripted && !s->opt.text.limit &&
           out_perf_parts(s->lines);
}

pts_status script_employ(void *script, struct crew *crew)
{
    struct script *s = script;
    const struct press_conf conf = {.crew = crew,
                                    .places = s->scene.places,
                                    .lines = s->lines,
                                    .ctx = s,
                                    .printer = new_printer,
                                    .in_turn = put_in_turn};

    return press_new(&conf, &s->press);
}

/* The first lines settle how wide columns are. */
size_t script_room(void *script)
{
    const struct script *s = script;

    return s->press && s->printed ? PRESS_ITEMS : 0;
}

pts_status script_keep(void *script, struct batch *b)
{
    struct script *s = script;
    pts_status st = press_is_full(s->press) ? press_take(s->press, s->text) : PTS_OK;
    const struct out_settled settled = out_perf_settled(s->lines);

    if (st >= 0)
        press_give(s->press, b, &settled);
    return st;
}

pts_status script_rest(void *script)
{
    struct script *s = script;

    return s->press ? press_take(s->press, s->text) : PTS_END;
}
