/* script_language.h - the languages of scripts: objects that are loaded when one is run.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_SCRIPT_LANGUAGE_H
#define PTS_CLI_SCRIPT_LANGUAGE_H

#include <ptscript/language.h>

/* By the name of its object, which stays loaded; NULL: there is none, which has been said. */
const struct pts_language *script_language(const char *name);

#endif
