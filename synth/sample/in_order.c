/* in_order.c - whether samples come in the order of their times: --debug-mode.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/sample/in_order.h"

#include <stdio.h>

static void say(const struct plan *p, const char *text)
{
    if (p->opt.message)
        p->opt.message(p->opt.message_ctx, PTS_MSG_WARNING, text);
}

void in_order_look(struct in_order *o, const struct plan *p, uint64_t time)
{
    char text[100];

    if (time < o->last) {
        snprintf(text, sizeof(text), "Samples misordered, previous: %llu this: %llu\n",
                 (unsigned long long)o->last, (unsigned long long)time);
        say(p, text);
        o->bad++;
    }
    o->last = time;
}

void in_order_end(const struct in_order *o, const struct plan *p)
{
    char text[60];

    snprintf(text, sizeof(text), "Misordered timestamps: %llu\n",
             (unsigned long long)o->bad);
    say(p, text);
}
