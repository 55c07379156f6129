/* config.h - perf's configuration: who asks for which key.
 *
 * SPDX-License-Identifier: MIT
 *
 * /etc/perfconfig and ~/.perfconfig, or the one file that PERF_CONFIG names.  The
 * library is given all of it (struct pts_open_opts) and knows what of it is about
 * decoding; commands ask for what is about them.
 */
#ifndef PTS_CLI_CONFIG_H
#define PTS_CLI_CONFIG_H

#include "config_file.h"

#include <ptscript/session.h>

enum { CONFIG_SETTINGS_MAX = 256 }; /* more than perf has keys */

/* Zero-initialise. */
struct config {
    size_t count;
    struct pts_option list[CONFIG_SETTINGS_MAX]; /* {"section.name", value} in the order
                                                    in which perf goes through them */
    char key[CONFIG_SETTINGS_MAX][CONFIG_KEY_MAX];
    char value[CONFIG_SETTINGS_MAX][CONFIG_VALUE_MAX];
};

/* Reads what there is and checks what perf checks for all commands, with its words.
 * Returns the exit status to end with, 0 to go on. */
int config_load(struct config *c);

/* What perf checks of the settings for one command. */
void config_check_command(const struct config *c, const char *command);

/* The value of "section.name", NULL without. */
const char *config_get(const struct config *c, const char *key);

#endif
