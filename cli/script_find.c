/* script_find.c - scripts by name: where perf's are, and what they are called with.
 *
 * SPDX-License-Identifier: MIT
 *
 *     PERF_EXEC_PATH/scripts/LANGUAGE/NAME.py           what -s can be given
 *     PERF_EXEC_PATH/scripts/LANGUAGE/bin/NAME-record   how perf is called for it
 *                                         NAME-report
 *
 * perf goes through folders in the order in which the system lists them, and so do we.
 */
#include "script_find.h"

#include "fail.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const struct {
    const char *name;
    bool is_perl;
} languages[] = {
    {"Perl",   true },
    {"pl",     true },
    {"Python", false},
    {"py",     false},
};

enum { LANGUAGES = sizeof(languages) / sizeof(languages[0]) };

void script_languages(void)
{
    fputs("\nScripting language extensions (used in perf script -s "
          "[spec:]script.[spec]):\n\n",
          stderr);
    for (size_t i = 0; i < LANGUAGES; i++)
        fprintf(stderr, "  %-42s [%s]\n", languages[i].name,
                languages[i].is_perl ? "Perl" : "Python");
    fputc('\n', stderr);
}

/* By its n letters, in any case. */
static bool language_find(const char *name, size_t n, bool *is_perl)
{
    for (size_t i = 0; i < LANGUAGES; i++)
        if (strlen(languages[i].name) == n &&
            !strncasecmp(languages[i].name, name, n)) {
            *is_perl = languages[i].is_perl;
            return true;
        }
    return false;
}

bool script_language_is(const char *name, bool *is_perl)
{
    return language_find(name, strlen(name), is_perl);
}

bool script_spec_read(const char *text, struct script_spec *out, struct problem *p)
{
    const char *colon = strchr(text, ':'), *dot = strrchr(text, '.');

    out->file = colon ? colon + 1 : text;
    if (colon && !language_find(text, (size_t)(colon - text), &out->is_perl))
        return problem_say(p, "invalid language specifier");
    if (!colon && (!dot || !language_find(dot + 1, strlen(dot + 1), &out->is_perl)))
        return problem_say(p, "invalid script extension");
    return true;
}

bool script_is(const char *word)
{
    struct script_spec spec;
    struct problem ignored;
    char buf[PATH_MAX];

    return strrchr(word, '.') && script_spec_read(word, &spec, &ignored) &&
           access(script_find(&spec, buf), R_OK) == 0;
}

const char *script_exec_path(void)
{
    static const char *const usual[] = {"/usr/lib/perf-core", "/usr/libexec/perf-core"};
    const char *path = getenv("PERF_EXEC_PATH");

    for (size_t i = 0; (!path || !*path) && i < 2; i++)
        if (access(usual[i], F_OK) == 0 || i)
            path = usual[i];
    /* Scripts look for their modules there. */
    setenv("PERF_EXEC_PATH", path, 1);
    return path;
}

static bool join(char buf[PATH_MAX], const char *dir, const char *name)
{
    int n = snprintf(buf, PATH_MAX, "%s/scripts/%s", dir, name);

    return n > 0 && n < PATH_MAX;
}

const char *script_find(const struct script_spec *spec, char buf[PATH_MAX])
{
    static const char *const folders[] = {"perl", "python"};
    char name[PATH_MAX];

    if (access(spec->file, R_OK) == 0)
        return spec->file;
    for (size_t i = 0; i < 2; i++) {
        int n = snprintf(name, sizeof(name), "%s/%s", folders[i], spec->file);
        if (n > 0 && n < PATH_MAX && join(buf, script_exec_path(), name) &&
            access(buf, R_OK) == 0)
            return buf;
    }
    return spec->file;
}

/* --- perf's own scripts ----------------------------------------------------------- */

/* Called for each file of each language's bin; true: it was the one. */
typedef bool visit_fn(void *ctx, const char *bin, const char *file);

static bool visit_bin(const char *bin, visit_fn *visit, void *ctx)
{
    DIR *d = opendir(bin);
    const struct dirent *e;
    bool found = false;

    while (d && !found && (e = readdir(d)) != NULL)
        found = visit(ctx, bin, e->d_name);
    if (d)
        closedir(d);
    return found;
}

/* False: perf has no scripts here. */
static bool visit_all(visit_fn *visit, void *ctx, bool *found)
{
    char scripts[PATH_MAX], bin[PATH_MAX];
    DIR *d = join(scripts, script_exec_path(), "") ? opendir(scripts) : NULL;
    const struct dirent *e;

    *found = false;
    while (d && !*found && (e = readdir(d)) != NULL) {
        int n = e->d_name[0] == '.'
                    ? -1
                    : snprintf(bin, sizeof(bin), "%s%s/bin", scripts, e->d_name);
        *found = n > 0 && n < PATH_MAX && visit_bin(bin, visit, ctx);
    }
    if (d)
        closedir(d);
    return d != NULL;
}

struct wanted {
    const char *name, *verb;
    char *buf;
};

static bool is_wanted(void *ctx, const char *bin, const char *file)
{
    const struct wanted *w = ctx;
    const char *dash = strrchr(file, '-');
    size_t len = strlen(w->name);

    if (!dash || strcmp(dash + 1, w->verb) != 0 || (size_t)(dash - file) != len ||
        strncmp(file, w->name, len) != 0)
        return false;
    int n = snprintf(w->buf, PATH_MAX, "%s/%s", bin, file);
    return n > 0 && n < PATH_MAX;
}

bool script_wrapper(const char *name, const char *verb, char buf[PATH_MAX])
{
    struct wanted w = {name, verb, buf};
    bool found;

    return visit_all(is_wanted, &w, &found) && found;
}

/* --- The list of them ------------------------------------------------------------- */

enum { LINE = 256 };

/* The rest of a comment "# WORD: rest", without blanks at its ends. */
static bool comment(char *line, const char *word, char *to)
{
    char *at = line + strspn(line, " \t");
    size_t n = strlen(word);

    if (*at != '#')
        return false;
    at += 1 + strspn(at + 1, " \t");
    if (strncmp(at, word, n) != 0)
        return false;
    at += n + strspn(at + n, " \t");
    size_t len = strlen(at);
    while (len && isspace((unsigned char)at[len - 1]))
        len--;
    memcpy(to, at, len);
    to[len] = '\0';
    return true;
}

static bool list_one(void *ctx, const char *bin, const char *file)
{
    const char *dash = strrchr(file, '-');
    char path[PATH_MAX], line[LINE], about[LINE] = "", args[LINE] = "", name[2 * LINE];
    int n = snprintf(path, sizeof(path), "%s/%s", bin, file);

    (void)ctx;
    if (!dash || strcmp(dash, "-report") != 0 || n < 0 || n >= PATH_MAX)
        return false;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof(line), f))
        if (!comment(line, "description:", about))
            (void)comment(line, "args:", args);
    if (f)
        fclose(f);
    snprintf(name, sizeof(name), "%.*s%s%s", (int)(dash - file), file, *args ? " " : "",
             args);
    printf("  %-36s %s\n", name, about);
    return false;
}

int script_list(void)
{
    char scripts[PATH_MAX];
    bool found;

    if (!join(scripts, script_exec_path(), "") || access(scripts, R_OK) != 0) {
        printf("open(%s/scripts) failed.\n"
               "Check \"PERF_EXEC_PATH\" env to set scripts dir.\n",
               script_exec_path());
        return EXIT_FATAL;
    }
    puts("List of available trace scripts:");
    (void)visit_all(list_one, NULL, &found);
    return 0;
}
