/* script_find.h - scripts by name: where perf's are, and what they are called with.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_SCRIPT_FIND_H
#define PTS_CLI_SCRIPT_FIND_H

#include "problem.h"

#include <limits.h>
#include <stdbool.h>

/* What -s names: [LANGUAGE:]FILE. */
struct script_spec {
    const char *file;
    bool is_perl;
};
/* False: *p says what is wrong with it. */
bool script_spec_read(const char *text, struct script_spec *out, struct problem *p);

/* Whether a language is called so. */
bool script_language_is(const char *name, bool *is_perl);

/* FILE as it is, or among perf's scripts; as it is if it is nowhere.  buf may be used. */
const char *script_find(const struct script_spec *spec, char buf[PATH_MAX]);
/* Whether a word is the name of a file that is there, and a script's. */
bool script_is(const char *word);
/* perf's command NAME-report or NAME-record for a script of its own; false: none. */
bool script_wrapper(const char *name, const char *verb, char buf[PATH_MAX]);

/* Where perf's scripts are: in PERF_EXEC_PATH, which is set if it was not. */
const char *script_exec_path(void);
/* Prints those that have a NAME-report; the exit status. */
int script_list(void);
/* Prints what languages -s takes. */
void script_languages(void);

#endif
