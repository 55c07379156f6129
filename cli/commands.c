/* commands.c - the list of commands.
 *
 * SPDX-License-Identifier: MIT
 *
 * commands.def is expanded once for each kind of row: the commands that are there, and
 * perf's that are not.
 */
#include "commands.h"

#include "opts.h"

#include <string.h>

#define COMMAND(id) &cmd_##id,
#define MISSING(name)
static const struct command *const commands[] = {
#include "commands.def"
    NULL,
};
#undef COMMAND
#undef MISSING

#define COMMAND(id)
#define MISSING(name) name,
static const char *const missing[] = {
#include "commands.def"
    NULL,
};
#undef COMMAND
#undef MISSING

const struct command *command_at(size_t i)
{
    return commands[i];
}

const struct command *command_find(const char *name)
{
    const struct command *const *c = commands;
    while (*c && strcmp((*c)->name, name) != 0)
        c++;
    return *c;
}

bool command_is_missing(const char *name)
{
    const char *const *m = missing;
    while (*m && strcmp(*m, name) != 0)
        m++;
    return *m != NULL;
}

bool word_input(struct cli_opts *opts, const char *word)
{
    if (opts->input)
        return problem_say(&opts->problem, "`%s': there is a file already", word);
    opts->input = word;
    return true;
}
