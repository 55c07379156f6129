/* hints.c - what would have been right, behind perf's word that something is wrong.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/plan/hints.h"

#include <stdio.h>

#define ITRACE(letter, name, argument, help) letter,
static const char letters[] = {
#include <ptscript/itrace.def>
    '\0'};
#undef ITRACE

#define FIELD(name, id) " " name
static const char fields[] =
#include <ptscript/fields.def>
    ;
#undef FIELD

void hint_give(enum hint hint, pts_message_fn *message, void *ctx)
{
    char text[sizeof(fields) + 200] = "";

    if (!message)
        return;
    switch (hint) {
    case HINT_LETTERS:
        snprintf(
            text, sizeof(text),
            "the letters of --itrace are %s; i, g, G, l, L and some others may have "
            "numbers (ptscript --help tells of each)",
            letters);
        break;
    case HINT_FIELDS:
        snprintf(
            text, sizeof(text),
            "the fields of -F are%s; + and - in front of one add it and take it away",
            fields);
        break;
    case HINT_TIME:
        snprintf(
            text, sizeof(text),
            "--time is START,STOP in seconds, either of which may be left out, "
            "several of them with blanks between (\"12.5,20 21,22.25\"), or a part of "
            "the whole (10%%/2, 0%%-10%%,30%%-40%%)");
        break;
    case HINT_CPU:
        snprintf(text, sizeof(text), "-C is a list of numbers and ranges: 0-3,7");
        break;
    }
    message(ctx, PTS_MSG_NOTE, text);
}
