/* blocks_text.c - perf report --total-cycles: blocks of a program by their cycles.
 *
 * SPDX-License-Identifier: MIT
 *
 * Stacks that are made from a trace have no cycles, so that perf finds no blocks: only the
 * titles are left.
 */
#include "synth/report/report_text.h"

struct title {
    const char *text;
    size_t width;
};

static const struct title titles[] = {
    {"Sampled Cycles%",       15},
    {"Sampled Cycles",        14},
    {"Avg Cycles%",           11},
    {"Avg Cycles",            10},
    {"[Program Block Range]", 70},
    {"Shared Object",         20},
};
enum { TITLES = sizeof(titles) / sizeof(titles[0]) };

void report_blocks(const struct report_text *r, struct text *t)
{
    const char *separator = r->opts->separator;

    if (!r->opts->quiet)
        report_event_head(r, t);
    text_str(t, "# ");
    for (size_t i = 0; i < TITLES; i++) {
        text_str(t, !i ? "" : separator ? separator : "  ");
        text_strw(t, titles[i].text, titles[i].width);
    }
    if (separator) {
        text_char(t, '\n');
        return;
    }
    text_str(t, "\n# ");
    for (size_t i = 0; i < TITLES; i++) {
        text_str(t, i ? "  " : "");
        for (size_t k = 0; k < titles[i].width; k++)
            text_char(t, '.');
    }
    text_str(t, "\n#\n");
}
