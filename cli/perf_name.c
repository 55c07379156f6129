/* perf_name.c - called by the name of perf: its manners before the command.
 *
 * SPDX-License-Identifier: MIT
 *
 * What scripts may look at is perf's: where texts go, exit statuses, the first words of
 * messages.  The list of commands is that of ptscript.
 */
#include "perf_name.h"

#include "commands.h"
#include "fail.h"
#include "screen.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    " usage: perf [--version] [--help] [OPTIONS] COMMAND [ARGS]\n";

bool perf_named(const char *argv0)
{
    const char *slash = argv0 ? strrchr(argv0, '/') : NULL;

    return argv0 && strcmp(slash ? slash + 1 : argv0, "perf") == 0;
}

static int version(void)
{
    puts("perf version 6.1 (ptscript " PTS_VERSION ")");
    return 0;
}

static int help(int status)
{
    printf("\n%s\n This is ptscript by another name, and has these commands of perf:\n",
           usage);
    for (size_t i = 0; command_at(i); i++)
        printf("   %s\n", command_at(i)->name);
    fputs("\n See 'perf COMMAND --help' for the options of a command.\n\n", stdout);
    return status;
}

static int unknown_option(const char *option)
{
    fprintf(stderr, "Unknown option: %s\n\n Usage: %s", option,
            usage + strlen(" usage: "));
    return EXIT_USAGE;
}

static int no_directory(void)
{
    fprintf(stderr, "No directory given for --buildid-dir.\n\n Usage: %s",
            usage + strlen(" usage: "));
    return EXIT_USAGE;
}

static int unknown_command(const char *word)
{
    fprintf(stderr, "perf: '%s' is not a perf-command. See 'perf --help'.\n", word);
    if (command_is_missing(word))
        fprintf(stderr,
                "ptscript: this is ptscript by the name of perf: %s is in perf only\n",
                word);
    return 1;
}

/* perf help COMMAND is the same as the command's --help. */
static int command(int argc, char **argv)
{
    const char *word = argv[0];

    if (strcmp(word, "version") == 0)
        return version();
    if (strcmp(word, "help") == 0 && argc == 1)
        return help(0);
    if (strcmp(word, "help") == 0)
        word = argv[1];
    return command_find(word) ? PERF_GO_ON : unknown_command(word);
}

static void take_out(int *argc, char **argv, int i)
{
    memmove(argv + i, argv + i + 1, (size_t)(*argc - i) * sizeof(*argv));
    --*argc;
}

int perf_front(int *argc, char **argv)
{
    int i = 1;

    while (i < *argc) {
        const char *word = argv[i];
        if (word[0] != '-')
            return command(*argc - i, argv + i);
        if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)
            return help(0);
        if (strcmp(word, "-v") == 0 || strcmp(word, "--version") == 0)
            return version();
        if (strncmp(word, "--list-", 7) == 0)
            return PERF_GO_ON;
        if (strcmp(word, "--no-pager") == 0) {
            screen_plain();
            take_out(argc, argv, i);
        } else if (strcmp(word, "--buildid-dir") != 0) /* nor with a "=" */
            return unknown_option(word);
        else if (i + 1 == *argc)
            return no_directory();
        else
            i += 2;
    }
    return help(1);
}
