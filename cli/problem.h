/* problem.h - what is wrong with a command line, in words.
 *
 * SPDX-License-Identifier: MIT
 *
 * The parser does not print: tests read the text, and who prints knows the usage lines.
 */
#ifndef PTS_CLI_PROBLEM_H
#define PTS_CLI_PROBLEM_H

#include <ptscript/status.h>

#include <stdbool.h>

struct problem {
    char text[PTS_DIAG_TEXT];
    char hint[PTS_DIAG_TEXT]; /* what may have been meant; "": nobody knows */
    bool of_known;            /* it is about an option that there is */
};

/* Says it, and is false, so that a taker of options can return it. */
__attribute__((format(printf, 2, 3))) bool problem_say(struct problem *p,
                                                       const char *fmt, ...);
/* Adds what may have been meant. */
__attribute__((format(printf, 2, 3))) void problem_hint(struct problem *p,
                                                        const char *fmt, ...);

#endif
