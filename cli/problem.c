/* problem.c - what is wrong with a command line, in words.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem.h"

#include <stdarg.h>
#include <stdio.h>

bool problem_say(struct problem *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(p->text, sizeof(p->text), fmt, ap);
    va_end(ap);
    return false;
}

void problem_hint(struct problem *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(p->hint, sizeof(p->hint), fmt, ap);
    va_end(ap);
}
