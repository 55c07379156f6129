/* dlfilters.c - where compiled filters are, and which there are.
 *
 * SPDX-License-Identifier: MIT
 *
 * A name with a slash is a path.  Others are looked for in the working directory, then
 * where perf has its own: below PERF_EXEC_PATH, or in the folder of an installed perf.
 */
#include "dlfilters.h"

#include "fail.h"
#include "given.h"

#include <dirent.h>
#include <errno.h>
#include <ptscript/dlfilter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_WIDTH = 36, LONG_INDENT = 39 };

/* The folders of perf's own filters, one after the other; NULL: no more. */
static const char *folder(unsigned i, char *buf, size_t size)
{
    static const char *const installed[] = {"/usr/lib/perf-core",
                                            "/usr/libexec/perf-core"};
    const char *set = getenv("PERF_EXEC_PATH");
    bool is_set = set && *set;

    if (i >= (is_set ? 1u : sizeof(installed) / sizeof(installed[0])))
        return NULL;
    snprintf(buf, size, "%s/dlfilters", is_set ? set : installed[i]);
    return buf;
}

static const char *joined(char *buf, size_t size, const char *dir, const char *name)
{
    int n = snprintf(buf, size, "%s/%s", dir, name);

    return n > 0 && (size_t)n < size ? buf : NULL;
}

static const char *find(const char *name, char *buf, size_t size)
{
    char dir[PATH_MAX];
    const char *path;

    if (strchr(name, '/'))
        return name;
    /* "" is no file, though "./" is there. */
    if (access(name, R_OK) == 0 && (path = joined(buf, size, ".", name)) != NULL)
        return path;
    for (unsigned i = 0; folder(i, dir, sizeof(dir)); i++) {
        path = joined(buf, size, dir, name);
        if (path && access(path, R_OK) == 0)
            return path;
    }
    return name;
}

void dlfilters_place(struct options_list *list, char buf[PATH_MAX])
{
    for (struct pts_option *o = list->at; o < list->at + list->count; o++)
        if (strcmp(o->name, "dlfilter") == 0 && o->value)
            o->value = find(o->value, buf, PATH_MAX);
}

pts_status dlfilters_load(const struct cli_opts *opts, struct pts_diag *why)
{
    const struct pts_option *o = given(opts, "dlfilter");
    char buf[PATH_MAX];

    return o && o->value ? pts_dlfilter_load(find(o->value, buf, sizeof(buf)), why)
                         : PTS_OK;
}

/* --- The list --------------------------------------------------------------------- */

struct listed {
    const char *name;
    bool verbose;
};

/* Each line of the long text below the short one. */
static void print_longer(const char *text)
{
    while (*text) {
        int n = (int)strcspn(text, "\n");
        printf("%*s%.*s\n", LONG_INDENT, "", n, text);
        text += n + (text[n] == '\n');
    }
}

static void print_one(void *ctx, const char *description, const char *longer)
{
    const struct listed *l = ctx;

    printf("  %-*s %s\n", NAME_WIDTH, l->name, description ? description : "");
    if (l->verbose && longer)
        print_longer(longer);
}

static bool ends_so(const char *name)
{
    size_t n = strlen(name);

    return n > 3 && strcmp(name + n - 3, ".so") == 0;
}

static void list_folder(const char *dir, bool verbose)
{
    char path[PATH_MAX];
    DIR *d = opendir(dir);
    const struct dirent *e;

    /* Only this thread lists anything. */
    while (d && (e = readdir(d)) != NULL) { /* NOLINT(concurrency-mt-unsafe) */
        struct listed l = {e->d_name, verbose};
        if (ends_so(e->d_name) && joined(path, sizeof(path), dir, e->d_name))
            (void)!pts_dlfilter_describe(path, print_one, &l);
    }
    if (d)
        closedir(d);
}

int dlfilters_list(const struct cli_opts *opts)
{
    bool verbose = is_given(opts, "verbose");
    char dir[PATH_MAX];

    puts("List of available dlfilters:");
    list_folder(".", verbose);
    for (unsigned i = 0; folder(i, dir, sizeof(dir)); i++)
        list_folder(dir, verbose);
    return fflush(stdout) == 0 ? 0 : fail_write(errno);
}
