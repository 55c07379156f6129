/* cmd_inject.c - ptscript inject: a recording with samples in place of its trace.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commands.h"
#include "cut.h"
#include "fail.h"
#include "opts.h"
#include "recording.h"

#include <ptscript/inject.h>

#include <stdint.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
#include <ptscript/inject.def>
    OPTIONS_END,
};

/* Words that are no options perf only answers with its usage. */
static bool word_refuse(struct cli_opts *opts, const char *word)
{
    return problem_say(&opts->problem,
                       "`%s': inject takes no words, -i names the recording", word);
}

/* What the header of the new recording is to say: the program's path, and its words from the
 * command on. */
struct words {
    const char *at[CLI_OPTIONS_MAX];
    char self[PATH_MAX];
    size_t count;
};

static void words_find(struct words *w, const struct cli_opts *opts)
{
    ssize_t n = readlink("/proc/self/exe", w->self, sizeof(w->self) - 1);

    w->self[n > 0 ? n : 0] = '\0';
    w->at[w->count++] = w->self;
    int i = 1;
    while (i < opts->argc && strcmp(opts->argv[i], "inject") != 0)
        i++;
    for (; i < opts->argc && w->count < CLI_OPTIONS_MAX; i++)
        w->at[w->count++] = opts->argv[i];
}

static int run(const struct cli_opts *opts)
{
    static struct words words;
    struct recording r = {0};
    struct pts_diag why = {.offset = UINT64_MAX};
    struct pts_inject_opts o = PTS_INJECT_OPTS_INIT;

    cut_watch();
    int rc = recording_open(&r, opts);
    if (!rc) {
        words_find(&words, opts);
        o.options = opts->list;
        o.option_count = opts->count;
        o.words = words.at;
        o.word_count = words.count;
        pts_status st =
            pts_inject(r.session, opts->output ? opts->output : "-", &o, &why);
        rc = st < 0 ? fail_options(st, r.path, &why) : 0;
    }
    recording_close(&r);
    return rc;
}

const struct command cmd_inject = {
    .name = "inject",
    .usage = "Usage: ptscript inject [OPTION]... -i FILE -o NEW\n"
             "Writes the recording FILE anew: with --itrace its trace is decoded, and\n"
             "samples stand in its place, for programs that know no trace.\n",
    .options = options,
    .input = "-",
    .word = word_refuse,
    .checked = "inject",
    .run = run,
};
