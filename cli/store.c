/* store.c - the build-id cache of a command, and --store.
 *
 * SPDX-License-Identifier: MIT
 *
 * Servers are asked when the command line says so, or when somebody who stores files has
 * DEBUGINFOD_URLS set; nothing else here uses a network.  The library takes their names
 * from the environment, where libdebuginfod looks for them.
 */
#include "store.h"

#include "fail.h"
#include "visible.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *env(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* --- Progress, on a terminal ------------------------------------------------------ */

static bool showing;

static void progress_clear(void)
{
    if (showing)
        fputs("\r\033[K", stderr);
    showing = false;
}

static int progress_show(void *ctx, const char *path, uint64_t done, uint64_t total)
{
    static uint64_t last;
    char text[80];
    (void)ctx;
    uint64_t mb = done >> 20;
    if (showing && mb == last)
        return 0;
    last = mb;
    fputs("\r\033[Kfetching ", stderr);
    visible_say(path);
    snprintf(text, sizeof(text), total ? ": %llu of %llu MB" : " ...",
             (unsigned long long)mb, (unsigned long long)(total >> 20));
    fputs(text, stderr);
    showing = true;
    return 0;
}

/* --- The cache -------------------------------------------------------------------- */

int cache_open(const char *dir, const char *symfs, const char *urls, int process,
               pts_cache **out)
{
    struct pts_cache_opts opts = PTS_CACHE_OPTS_INIT;
    struct pts_diag why = {.offset = UINT64_MAX};
    opts.symfs = symfs;
    opts.process = process;
    opts.fetch = urls != NULL;
    if (urls && *urls && setenv("DEBUGINFOD_URLS", urls, 1) != 0)
        return EXIT_FATAL;
    if (env("DEBUGINFOD_MAXSIZE"))
        opts.most = strtoull(env("DEBUGINFOD_MAXSIZE"), NULL, 10);
    if (env("DEBUGINFOD_TIMEOUT"))
        opts.seconds = (unsigned)strtoul(env("DEBUGINFOD_TIMEOUT"), NULL, 10);
    if (isatty(STDERR_FILENO))
        opts.progress = progress_show;
    return pts_cache_open(dir, &opts, out, &why) < 0
               ? fail_options(why.status, dir, &why)
               : 0;
}

/* NULL: no server is to be asked.  The one place that decides it. */
static const char *servers(const struct cli_opts *opts)
{
    if (opts->debuginfod || opts->no_debuginfod)
        return opts->debuginfod;
    const char *key = config_get(opts->config, "buildid-cache.debuginfod");
    if (key && strcmp(key, "system") != 0)
        return key;
    if (!key && !env("DEBUGINFOD_URLS"))
        return NULL;
    if (pts_cache_can_fetch())
        return "";
    visible_say(
        "ptscript: libdebuginfod is not there, so DEBUGINFOD_URLS is of no use\n");
    return NULL;
}

/* --- All files of a recording ----------------------------------------------------- */

static void say_line(struct out_lines *l, const char *how, const char *hex,
                     const char *path)
{
    const char *const part[] = {how, " ", hex, " ", path};
    for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
        if (l)
            lines_put(l, part[i]);
        else
            visible_say(part[i]);
    }
    if (l)
        lines_end(l);
    else
        visible_say("\n");
}

static int store_one(pts_cache *c, const struct pts_dso *dso, struct out_lines *l)
{
    struct pts_diag why = {.offset = UINT64_MAX};
    char hex[PTS_IMAGE_ID_TEXT];
    pts_status st = pts_cache_store(c, dso, &why);
    progress_clear();
    say_line(l, st < 0 ? "FAIL" : "OK", pts_image_id_text(&dso->id, hex), dso->path);
    if (st >= 0)
        return 0;
    visible_say("ptscript: ");
    visible_say(dso->path);
    visible_say(": ");
    visible_say(why.text);
    visible_say("\n");
    return EXIT_NOT_STORED;
}

int store_recording(struct recording *r, const struct cli_opts *opts,
                    struct out_lines *l)
{
    char buf[PATH_MAX];
    struct pts_diag why = {.offset = UINT64_MAX};
    const char *dir = recording_buildid_dir(opts, buf, sizeof(buf));
    const struct pts_dso *dso;
    pts_dsos *list = NULL;
    pts_cache *c = NULL;

    /* Where files are looked for later. */
    if (opts->symfs) {
        int n = snprintf(buf, sizeof(buf), "%s/.debug", opts->symfs);
        if (n < 0 || (size_t)n >= sizeof(buf))
            return fail_usage("  Error: ", "--symfs is too long");
        dir = buf;
    }
    int rc = cache_open(dir, opts->symfs, servers(opts), 0, &c);
    if (rc)
        return rc;
    if (pts_dsos_open(r->session, PTS_DSOS_ALL, &list, &why) < 0) {
        rc = fail_call(r->path, &why);
    } else {
        for (size_t i = 0; (dso = pts_dsos_at(list, i)) != NULL; i++)
            if (store_one(c, dso, l))
                rc = EXIT_NOT_STORED;
    }
    pts_dsos_close(list);
    pts_cache_close(c);
    return rc;
}
