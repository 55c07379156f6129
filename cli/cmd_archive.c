/* cmd_archive.c - ptscript archive: what a recording needs of the build-id cache.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commands.h"
#include "cut.h"
#include "fail.h"
#include "lines.h"
#include "recording.h"
#include "store.h"
#include "visible.h"

#include <ptscript/buildid.h>
#include <stdio.h>
#include <string.h>

static const struct option options[] = {
#include <ptscript/archive.def>
    OPTIONS_END,
};

/* The first word is the recording; perf's script looks at no other, and says nothing. */
static bool word_archive(struct cli_opts *opts, const char *word)
{
    if (!opts->input) {
        opts->input = word;
        return true;
    }
    visible_say("ptscript: ");
    visible_say(word);
    visible_say(": not looked at, as archive takes one file, the first\n");
    return true;
}

static void say_left_out(void *ctx, const struct pts_dso *dso)
{
    size_t *count = ctx;
    (*count)++;
    visible_say("ptscript: ");
    visible_say(dso->path);
    visible_say(": not in the build-id cache, so not in the archive\n");
}

/* perf archive's words. */
static void say_made(struct out_lines *l, const char *path)
{
    const char *const part[] = {
        "Now please run:\n\n$ tar xvf ", path,
        " -C ~/.debug\n\nwherever you need to run 'perf report' on."};
    for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
        lines_put(l, part[i]);
    lines_end(l);
}

static int make(struct out_lines *l, const struct recording *r, const pts_dsos *list)
{
    char path[PATH_MAX];
    struct pts_diag why = {.offset = UINT64_MAX};
    size_t left_out = 0;
    pts_cache *c = NULL;
    int n = snprintf(path, sizeof(path), "%s.tar.bz2", r->path);
    if (n < 0 || (size_t)n >= sizeof(path))
        return fail_usage("  Error: ", "the name of the recording is too long");
    int rc = cache_open(r->buildid_dir, NULL, NULL, 0, &c);
    if (rc)
        return rc;
    if (pts_cache_archive(c, list, path, say_left_out, &left_out, &why) < 0)
        rc = fail_call(path, &why);
    else
        say_made(l, path);
    if (!rc && left_out)
        visible_say("ptscript: buildid-list --store puts files into the cache\n");
    pts_cache_close(c);
    return rc;
}

static bool has_ids(const pts_dsos *list)
{
    const struct pts_dso *dso;
    for (size_t i = 0; (dso = pts_dsos_at(list, i)) != NULL; i++)
        if (dso->id.len)
            return true;
    return false;
}

/* perf's script asks perf buildid-list, and takes no answer for an empty one. */
static int say_no_ids(struct out_lines *l)
{
    lines_put(l, "perf archive: no build-ids found");
    lines_end(l);
    return 1;
}

static int run(const struct cli_opts *opts)
{
    static struct out_lines lines;
    struct recording r = {0};
    struct pts_diag why = {.offset = UINT64_MAX};
    pts_dsos *list = NULL;

    cut_watch();
    /* The name of what comes through a pipe is nobody's. */
    if (opts->input && strcmp(opts->input, "-") == 0)
        return fail_usage("  Error: ", "archive needs the name of a file");
    int rc = recording_open(&r, opts);
    if (rc && r.status < 0 && r.status != PTS_E_NOMEM)
        rc = say_no_ids(&lines);
    if (rc)
        return lines_close(&lines, rc);
    if (pts_dsos_open(r.session, PTS_DSOS_HIT, &list, &why) < 0)
        rc = fail_call(r.path, &why);
    else if (has_ids(list))
        rc = make(&lines, &r, list);
    else
        rc = say_no_ids(&lines);
    pts_dsos_close(list);
    recording_close(&r);
    return lines_close(&lines, rc);
}

const struct command cmd_archive = {
    .name = "archive",
    .usage =
        "Usage: ptscript archive [OPTION]... [FILE]\n"
        "Makes FILE.tar.bz2 of what the build-id cache has of the recording FILE,\n"
        "to be unpacked into the cache of another machine.\n",
    .input = "perf.data",
    .options = options,
    .word = word_archive,
    .run = run,
};
