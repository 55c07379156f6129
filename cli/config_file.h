/* config_file.h - the language of perf's configuration files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_CONFIG_FILE_H
#define PTS_CLI_CONFIG_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Longer ones are mistakes to perf. */
enum { CONFIG_KEY_MAX = 256, CONFIG_VALUE_MAX = 1024 };

/* One setting: "section.name", its value.  false ends the reading. */
typedef bool config_setting_fn(void *ctx, const char *key, const char *value);

/* Hands over every setting up to the first mistake; returns the line of that, or 0. */
int config_file_read(FILE *file, config_setting_fn *setting, void *ctx);

#endif
