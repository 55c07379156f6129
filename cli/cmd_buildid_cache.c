/* cmd_buildid_cache.c - ptscript buildid-cache: what is kept by build id.
 *
 * SPDX-License-Identifier: MIT
 *
 * What was done is said on standard error, and only with -v; what could not be done always.
 * Neither changes the exit status: both are perf's way.
 */
#include "commands.h"
#include "cut.h"
#include "fail.h"
#include "given.h"
#include "lines.h"
#include "recording.h"
#include "store.h"
#include "visible.h"

#include <errno.h>
#include <limits.h>
#include <ptscript/buildid.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
#include <ptscript/buildid_cache.def>
    OPTIONS_END,
};

struct work {
    pts_cache *cache;
    const char *dir, *file; /* file: of the verb that is at work */
    bool verbose, all, failed;
    int process; /* whose files are meant, 0: our own */
    struct out_lines *lines;
    char hex[PTS_IMAGE_ID_TEXT];
};

/* The parts of a line to standard error, up to NULL. */
static void say(const char *part, ...)
{
    va_list ap;
    va_start(ap, part);
    for (; part; part = va_arg(ap, const char *))
        visible_say(part);
    va_end(ap);
    visible_say("\n");
}

static void say_done(const struct work *w, const char *verb, bool ok)
{
    if (w->verbose)
        say(verb, " ", w->hex, " ", w->file, ": ", ok ? "Ok" : "FAIL", NULL);
}

/* As access() has it, for the process whose file it is. */
static bool can(const struct work *w, int how)
{
    char path[PATH_MAX];
    if (!w->process)
        return access(w->file, how) == 0;
    int n = snprintf(path, sizeof(path), "/proc/%d/root/%s", w->process, w->file);
    return n > 0 && (size_t)n < sizeof(path) && access(path, how) == 0;
}

/* Why a file has no build id that could be read. */
static const char *no_id(const struct work *w)
{
    if (w->verbose)
        say("Couldn't read a build-id in ", w->file, NULL);
    return can(w, R_OK) ? "it has no build id" : strerror(errno);
}

/* --- Verbs ------------------------------------------------------------------------ */

typedef void verb_fn(struct work *w);

/* Puts in: said as `verb`, a failure as "Couldn't `word`". */
static void put(struct work *w, const char *verb, const char *word)
{
    struct pts_image_id id;
    struct pts_diag why = {.offset = UINT64_MAX};
    pts_status st = pts_cache_add(w->cache, w->file, &id, &why);
    if (st == PTS_OK) {
        pts_image_id_text(&id, w->hex);
        say_done(w, verb, true);
    } else {
        say("Couldn't ", word, " ", w->file, ": ", st == PTS_END ? no_id(w) : why.text,
            NULL);
    }
}

static void verb_add(struct work *w)
{
    put(w, "Adding", "add");
}

/* What the file is now.  False: it has no id, which was said. */
static bool file_id(struct work *w, const char *word, struct pts_image_id *id)
{
    struct pts_diag why = {.offset = UINT64_MAX};
    pts_status st = pts_cache_file_id(w->cache, w->file, id, &why);
    /* perf says no more of a file that is not there. */
    if (st == PTS_END && !can(w, F_OK) && errno == ENOENT) {
        (void)no_id(w);
        if (w->verbose)
            say(w->file, " wasn't in the cache", NULL);
        return false;
    }
    if (st != PTS_OK) {
        say("Couldn't ", word, " ", w->file, ": ", st == PTS_END ? no_id(w) : why.text,
            NULL);
        return false;
    }
    pts_image_id_text(id, w->hex);
    return true;
}

/* PTS_OK: it is out now, or was not in. */
static pts_status take_out(struct work *w, const struct pts_image_id *id)
{
    struct pts_diag why = {.offset = UINT64_MAX};
    pts_status st = pts_cache_remove(w->cache, id, &why);
    if (st < 0)
        say("Couldn't remove ", w->file, ": ", why.text, NULL);
    return st;
}

static void verb_remove(struct work *w)
{
    struct pts_image_id id;
    if (!file_id(w, "remove", &id))
        return;
    pts_status st = take_out(w, &id);
    say_done(w, "Removing", st == PTS_OK);
    if (st == PTS_END && w->verbose)
        say(w->file, " wasn't in the cache", NULL);
}

static void verb_update(struct work *w)
{
    struct pts_image_id id;
    if (file_id(w, "update", &id) && take_out(w, &id) >= 0)
        put(w, "Updating", "update");
}

static void purge_one(void *ctx, const struct pts_cached *entry)
{
    struct work *w = ctx;
    if (w->failed)
        return;
    pts_image_id_text(&entry->id, w->hex);
    w->failed = take_out(w, &entry->id) != PTS_OK;
    say_done(w, "Removing", !w->failed);
}

static void verb_purge(struct work *w)
{
    struct pts_diag why = {.offset = UINT64_MAX};
    w->failed = false;
    pts_status st = pts_cache_builds(w->cache, w->file, purge_one, w, &why);
    if (w->verbose)
        say("Purging ", w->file, ": ", st == PTS_OK && !w->failed ? "Ok" : "FAIL",
            NULL);
    if (st < 0)
        say("Couldn't remove ", w->file, ": ", why.text, NULL);
    else if ((st == PTS_END || w->failed) && w->verbose)
        say(w->file, " wasn't in the cache", NULL);
}

static void purge_listed(void *ctx, const struct pts_cached *entry)
{
    struct work *w = ctx;
    bool ok;
    w->file = entry->path;
    ok = take_out(w, &entry->id) == PTS_OK;
    w->failed |= !ok;
    if (w->verbose)
        say("Removing ", entry->path, " (", pts_image_id_text(&entry->id, w->hex),
            "): ", ok ? "Ok" : "FAIL", NULL);
}

static void purge_all(struct work *w)
{
    struct pts_diag why = {.offset = UINT64_MAX};
    w->failed = false;
    if (pts_cache_list(w->cache, purge_listed, w, &why) < 0) {
        say("Couldn't remove some caches. Error: ", why.text, ".", NULL);
        w->failed = true;
    }
    if (w->verbose)
        say("Purged all: ", w->failed ? "FAIL" : "Ok", NULL);
}

static void add_kcore(struct work *w, const char *file, bool again)
{
    char at[PATH_MAX];
    struct pts_diag why = {.offset = UINT64_MAX};
    pts_status st = pts_cache_add_kcore(w->cache, file, again, at, sizeof(at), &why);
    if (st < 0)
        say("Couldn't add ", file, ": ", why.text, NULL);
    else if (w->verbose)
        say(st == PTS_END ? "same kcore found in "
                          : "kcore added to build-id cache directory ",
            at, NULL);
}

/* Calls fn with each of a list, in order and once, as perf keeps them. */
static void each(struct work *w, const struct pts_option *list, verb_fn *fn)
{
    char before[PATH_MAX] = "", file[PATH_MAX];
    for (bool found = list != NULL; found;) {
        found = false;
        for (const char *p = list->value; *p;) {
            size_t n = strcspn(p, ",");
            char one[PATH_MAX];
            if (n > 0 && n < sizeof(one)) {
                memcpy(one, p, n);
                one[n] = '\0';
                if (strcmp(one, before) > 0 && (!found || strcmp(one, file) < 0)) {
                    memcpy(file, one, n + 1);
                    found = true;
                }
            }
            p += n + (p[n] == ',');
        }
        if (!found)
            break;
        w->file = file;
        fn(w);
        w->file = NULL;
        memcpy(before, file, sizeof(before));
    }
}

/* --- Lists ------------------------------------------------------------------------ */

static void line_put(struct out_lines *l, const struct pts_image_id *id,
                     const char *path)
{
    char hex[PTS_IMAGE_ID_TEXT];
    lines_put(l, pts_image_id_text(id, hex));
    lines_put(l, " ");
    lines_put(l, path);
    lines_end(l);
}

static void list_one(void *ctx, const struct pts_cached *entry)
{
    const struct work *w = ctx;
    if (entry->here || w->all)
        line_put(w->lines, &entry->id, entry->path);
}

static int list(struct work *w)
{
    struct pts_diag why = {.offset = UINT64_MAX};
    return pts_cache_list(w->cache, list_one, w, &why) < 0 ? fail_call(w->dir, &why)
                                                           : 0;
}

static void list_missing(struct work *w, const pts_dsos *known)
{
    const struct pts_dso *dso;
    for (size_t i = 0; (dso = pts_dsos_at(known, i)) != NULL; i++) {
        struct pts_diag why = {.offset = UINT64_MAX};
        pts_status st = dso->id.len ? pts_cache_has(w->cache, dso, &why) : PTS_OK;
        if (st == PTS_END)
            line_put(w->lines, &dso->id, dso->path);
        else if (st < 0)
            say("Problems with ", why.text, NULL);
    }
}

/* --- All -------------------------------------------------------------------------- */

static int check(const struct cli_opts *opts)
{
    static const char *const verbs[] = {"add",     "remove", "purge", "purge-all",
                                        "missing", "update", "kcore"};
    bool some = false, listed = is_given(opts, "list");
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
        some |= is_given(opts, verbs[i]);
    if (listed && some)
        return fail_usage("  Error: ", "-l is exclusive.");
    return listed || some ? 0 : fail_usage("  Error: ", "say what is to be done");
}

/* Whose files are meant.  Returns an exit status: there is no such process, or it is not
 * ours. */
static int find_process(struct work *w, const struct pts_option *target)
{
    char path[40];
    long pid = target ? strtol(target->value, NULL, 0) : 0;
    if (!target)
        return 0;
    if (pid <= 0 || pid > INT_MAX)
        return fail_usage("  Error: ", "--target-ns takes the number of a process");
    w->process = (int)pid;
    snprintf(path, sizeof(path), "/proc/%ld/root/.", pid);
    if (access(path, X_OK) == 0)
        return 0;
    say("--target-ns=", target->value, ": ", strerror(errno), NULL);
    return EXIT_FATAL;
}

static void work_through(struct work *w, const struct cli_opts *opts,
                         const pts_dsos *known)
{
    each(w, given(opts, "add"), verb_add);
    each(w, given(opts, "remove"), verb_remove);
    each(w, given(opts, "purge"), verb_purge);
    if (is_given(opts, "purge-all"))
        purge_all(w);
    if (known)
        list_missing(w, known);
    each(w, given(opts, "update"), verb_update);
    if (is_given(opts, "kcore"))
        add_kcore(w, given(opts, "kcore")->value, opts->force);
}

/* What --missing is about is opened first: without it nothing is done. */
static int with_recording(struct work *w, const struct cli_opts *opts)
{
    struct cli_opts own = *opts;
    struct recording r = {0};
    struct pts_diag why = {.offset = UINT64_MAX};
    pts_dsos *known = NULL;
    own.input = given(opts, "missing")->value;
    int rc = recording_open(&r, &own);
    if (rc)
        return rc;
    int which = PTS_DSOS_ALL | (w->verbose ? PTS_DSOS_TELL : 0);
    if (pts_dsos_open(r.session, which, &known, &why) < 0)
        rc = fail_call(r.path, &why);
    else
        work_through(w, opts, known);
    pts_dsos_close(known);
    recording_close(&r);
    return rc;
}

/* With -v the first that perf says, whatever it is about to do. */
static void say_servers(const struct pts_option *urls)
{
    const char *value = !urls         ? ""
                        : urls->value ? urls->value
                                      : getenv("DEBUGINFOD_URLS");
    say("DEBUGINFOD_URLS=", value ? value : "(null)", NULL);
}

static int run(const struct cli_opts *opts)
{
    static struct out_lines lines;
    char buf[PATH_MAX];
    struct work w = {.lines = &lines,
                     .dir = recording_buildid_dir(opts, buf, sizeof(buf)),
                     .verbose = is_given(opts, "verbose"),
                     .all = is_given(opts, "all")};
    const struct pts_option *urls = given(opts, "debuginfod");

    cut_watch();
    int rc = check(opts);
    if (!rc)
        rc = find_process(&w, given(opts, "target-ns"));
    if (rc)
        return rc;
    if (w.verbose)
        say_servers(urls);
    rc = cache_open(w.dir, NULL,
                    !urls         ? NULL
                    : urls->value ? urls->value
                                  : "",
                    w.process, &w.cache);
    if (rc)
        return rc;
    if (is_given(opts, "list"))
        rc = list(&w);
    else if (given(opts, "missing"))
        rc = with_recording(&w, opts);
    else
        work_through(&w, opts, NULL);
    pts_cache_close(w.cache);
    return lines_close(&lines, rc);
}

const struct command cmd_buildid_cache = {
    .name = "buildid-cache",
    .usage = "Usage: ptscript buildid-cache OPTION...\n"
             "Keeps programs and libraries by their build ids, as perf buildid-cache "
             "does.\n",
    .options = options,
    .run = run,
};
