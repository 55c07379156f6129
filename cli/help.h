/* help.h - what there is: the text of --help, and lists for shells.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_HELP_H
#define PTS_CLI_HELP_H

#include "commands.h"

#include <stdio.h>

void help_print(FILE *to, const struct command *command);

/* Names, with a space behind each. */
void help_list_commands(FILE *to);
void help_list_options(FILE *to, const struct command *command);

#endif
