/* config.c - perf's configuration: which files, and what they say.
 *
 * SPDX-License-Identifier: MIT
 *
 *     PERF_CONFIG             this file alone, whoever owns it; none if it is empty
 *     /etc/perfconfig         not with PERF_CONFIG_NOSYSTEM
 *     $HOME/.perfconfig       not with PERF_CONFIG_NOGLOBAL, nor if another user owns it
 *
 * A mistake ends the reading, of the file and of those behind it; what was read is used.
 */
#include "config.h"

#include "fail.h"
#include "visible.h"

#include <errno.h>
#include <limits.h>
#include <ptscript/config.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t section_len(const char *key)
{
    return strcspn(key, ".");
}

static bool one_section(const char *a, const char *b)
{
    size_t n = section_len(a);
    return n == section_len(b) && strncmp(a, b, n) == 0;
}

/* Where a key is, or belongs: behind the last of its section. */
static size_t place_of(const struct config *c, const char *key)
{
    size_t behind = c->count;
    for (size_t i = 0; i < c->count; i++) {
        if (strcmp(c->list[i].name, key) == 0)
            return i;
        if (one_section(c->list[i].name, key))
            behind = i + 1;
    }
    return behind;
}

/* Of a key that is there twice the last value counts, in the place of the first. */
static bool setting_take(void *ctx, const char *key, const char *value)
{
    struct config *c = ctx;
    size_t at = place_of(c, key), slot = c->count;
    struct pts_option *o = &c->list[at];

    if (at < c->count && strcmp(o->name, key) == 0) {
        slot = (size_t)(o->value - c->value[0]) / CONFIG_VALUE_MAX;
    } else if (c->count == CONFIG_SETTINGS_MAX) {
        fprintf(stderr,
                "ptscript: more than %d settings in perf's configuration: %s and "
                "those behind it are ignored\n",
                CONFIG_SETTINGS_MAX, key);
        return false;
    } else {
        memmove(o + 1, o, (c->count++ - at) * sizeof(*o));
        snprintf(c->key[slot], sizeof(c->key[slot]), "%s", key);
        *o = (struct pts_option){c->key[slot], c->value[slot]};
    }
    snprintf(c->value[slot], sizeof(c->value[slot]), "%s", value);
    return true;
}

/* The file, or NULL: it is not there or not for us.  What the system refuses otherwise
 * is no answer: *status is set. */
static FILE *file_open(const char *path, int *status)
{
    FILE *f = fopen(path, "re");
    if (f || errno == ENOENT || errno == ENOTDIR || errno == EACCES ||
        errno == ENAMETOOLONG)
        return f;
    fprintf(stderr, "ptscript: cannot read %s: %s\n", path, strerror(errno));
    *status = EXIT_FATAL;
    return NULL;
}

/* Reads one file.  Returns whether the next one is to be read, too. */
static bool file_read(struct config *c, const char *path, FILE *f, int *status)
{
    int line = config_file_read(f, setting_take, c);
    if (ferror(f) && errno != EISDIR) {
        fprintf(stderr, "ptscript: cannot read %s: %s\n", path, strerror(errno));
        *status = EXIT_FATAL;
    } else if (line) {
        fprintf(stderr, "bad config file line %d in %s\n", line, path);
    }
    fclose(f);
    return !line && !*status;
}

static bool file_load(struct config *c, const char *path, bool ours, int *status)
{
    struct stat sb;
    FILE *f = file_open(path, status);
    if (!f)
        return !*status;
    if (ours && fstat(fileno(f), &sb) == 0 && sb.st_uid && sb.st_uid != geteuid()) {
        fclose(f);
        fprintf(stderr, "File %s not owned by current user or root, ignoring it.",
                path);
        return true;
    }
    return file_read(c, path, f, status);
}

static bool switched_off(const char *variable)
{
    const struct pts_option o = {variable, getenv(variable)};
    return o.value && pts_config_yes(&o, visible_message, NULL);
}

static int files_load(struct config *c)
{
    const char *only = getenv("PERF_CONFIG"), *home = getenv("HOME");
    char path[PATH_MAX];
    int status = 0;
    bool go_on = true;

    if (only) {
        file_load(c, only, false, &status);
        return status;
    }
    if (!switched_off("PERF_CONFIG_NOSYSTEM"))
        go_on = file_load(c, "/etc/perfconfig", false, &status);
    if (!switched_off("PERF_CONFIG_NOGLOBAL") && go_on && home &&
        (size_t)snprintf(path, sizeof(path), "%s/.perfconfig", home) < sizeof(path))
        file_load(c, path, true, &status);
    return status;
}

int config_load(struct config *c)
{
    struct pts_diag why;
    int status = files_load(c);
    if (!status &&
        pts_config_check(c->list, c->count, visible_message, NULL, &why) != PTS_OK)
        status = EXIT_FATAL;
    return status;
}

void config_check_command(const struct config *c, const char *command)
{
    static const char *const sections[] = {"tui.", "gtk."};
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < c->count; i++)
            if (strncmp(c->list[i].name, sections[s], 4) == 0 &&
                strcmp(c->list[i].name + 4, command) == 0)
                (void)pts_config_yes(&c->list[i], visible_message, NULL);
}

const char *config_get(const struct config *c, const char *key)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->list[i].name, key) == 0)
            return c->list[i].value;
    return NULL;
}
