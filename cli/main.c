/* main.c - ptscript: what the command line wants, done by its command.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nothing here, in the parser or in the help knows a command by name: see commands.h.
 */
#include "fail.h"
#include "help.h"
#include "opts.h"
#include "perf_name.h"
#include "screen.h"

#include <errno.h>
#include <stdio.h>

/* A text that could not be written is not what was asked for. */
static int printed(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    return fail_write(errno);
}

int main(int argc, char **argv)
{
    static struct cli_opts opts;
    static struct config config;
    int status = perf_named(argv[0]) ? perf_front(&argc, argv) : PERF_GO_ON;
    if (status != PERF_GO_ON)
        return printed(status);
    status = config_load(&config);
    if (status)
        return status;
    enum cli_want want = cli_parse(argc, argv, &opts);
    opts.config = &config;
    if (opts.named)
        fail_in(opts.command->name);
    if (opts.named || want == CLI_RUN || want == CLI_LIST)
        config_check_command(&config, opts.command->name);
    switch (want) {
    case CLI_USAGE:
        fail_usage(opts.problem.of_known ? " Error: " : "  Error: ", opts.problem.text);
        if (*opts.problem.hint)
            fprintf(stderr, "ptscript: %s\n", opts.problem.hint);
        return EXIT_USAGE;
    case CLI_HELP:
        help_print(stdout, opts.command);
        return printed(0);
    case CLI_VERSION:
        puts("ptscript " PTS_VERSION);
        return printed(0);
    case CLI_LIST_COMMANDS:
        if (!opts.named) /* a command has none of its own */
            help_list_commands(stdout);
        putchar('\n');
        return printed(opts.named ? EXIT_LISTED : 0);
    case CLI_LIST_OPTIONS:
        help_list_options(stdout, opts.command);
        putchar('\n');
        return printed(opts.named ? EXIT_LISTED : 0);
    case CLI_LIST:
    case CLI_RUN:
        break;
    }
    status = opts.command->run(&opts);
    screen_close();
    return status;
}
