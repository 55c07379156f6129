/* help.c - what there is, from the tables that the parser reads.
 *
 * SPDX-License-Identifier: MIT
 *
 * What an option's row says of who takes it is also what its line says: no help text
 * marks an option as missing by hand, so none can be wrong about it.
 */
#include "help.h"

static void option_line(FILE *to, const struct option *o)
{
    char left[64], letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof(letter), "-%c, ", o->letter);
    const char *before = " ", *behind = "";
    if (!*o->arg_name) {
        before = "";
    } else if (o->argument == ARGUMENT_MAYBE) {
        before = "[=";
        behind = "]";
    } else if (o->argument == ARGUMENT_NEXT) {
        before = " [";
        behind = "]";
    }
    snprintf(left, sizeof(left), "  %s--%s%s%s%s", letter, o->name, before, o->arg_name,
             behind);
    fprintf(to, "%-36s %s%s\n", left, o->help,
            o->taker == TAKE_NOT_YET ? " (not yet)" : "");
}

/* For those who know the first command only. */
static void others_line(FILE *to)
{
    fputs("\nOther commands:", to);
    for (size_t i = 1; command_at(i); i++)
        fprintf(to, "%s ptscript %s (see ptscript %s --help)", i > 1 ? "," : "",
                command_at(i)->name, command_at(i)->name);
    fputs(".\n", to);
}

void help_print(FILE *to, const struct command *command)
{
    fprintf(to, "%s\n", command->usage);
    for (const struct option *o = command->options; o->name; o++)
        option_line(to, o);
    if (command->explain)
        command->explain(to);
    if (command == command_at(0))
        others_line(to);
    fputs("\nAn option this version cannot honour is refused, never ignored.\n", to);
}

void help_list_commands(FILE *to)
{
    for (size_t i = 0; command_at(i); i++)
        fprintf(to, "%s ", command_at(i)->name);
}

void help_list_options(FILE *to, const struct command *command)
{
    for (const struct option *o = command->options; o->name; o++)
        fprintf(to, "--%s ", o->name);
}
