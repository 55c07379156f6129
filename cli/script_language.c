/* script_language.c - the languages of scripts: objects that are loaded when one is run.
 *
 * SPDX-License-Identifier: MIT
 *
 * So the program itself needs no Python.  An object is looked for where it is installed,
 * seen from the program, then where it is built:
 *
 *     PREFIX/bin/ptscript   PREFIX/lib/.../ptscript/python.so
 *     build/dev/ptscript    build/dev/lib/ptscript/python.so
 */
#include "script_language.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The folder of this program; false: the system does not say.  In a root without /proc it
 * still says by which path it was asked for it. */
static bool own_folder(char buf[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", buf, PATH_MAX - 1);
    const char *asked =
        (const char *)getauxval(AT_EXECFN); // NOLINT(performance-no-int-to-ptr)

    buf[n > 0 ? n : 0] = '\0';
    if (n <= 0 && (!asked || !realpath(asked, buf)))
        return false;
    char *slash = strrchr(buf, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

static bool find(const char *name, char buf[PATH_MAX])
{
    static const char *const folders[] = {PTS_LANGUAGES, "lib/ptscript"};
    char own[PATH_MAX];

    for (size_t i = 0; own_folder(own) && i < 2; i++) {
        int n = snprintf(buf, PATH_MAX, "%s/%s/%s.so", own, folders[i], name);
        if (n > 0 && n < PATH_MAX && access(buf, R_OK) == 0)
            return true;
    }
    return false;
}

const struct pts_language *script_language(const char *name)
{
    char path[PATH_MAX];

    if (!find(name, path)) {
        fprintf(
            stderr,
            "ptscript: scripts need %s.so, which is not installed (or Python was not "
            "there when ptscript was built)\n",
            name);
        return NULL;
    }
    /* Its own modules, which are objects, too, look for its functions among all. */
    void *object = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    const struct pts_language *language = object ? dlsym(object, "pts_language") : NULL;
    if (!language)
        fprintf(stderr, "ptscript: %s\n", dlerror());
    return language;
}
