/* kernel_files.c - which files hold the kernel's code and symbols.
 *
 * SPDX-License-Identifier: MIT
 *
 * The first of these that is there, as in perf 6.1:
 *
 *     the kallsyms that was given by hand, or is in the recording's own kcore_dir
 *     the vmlinux that was given by hand
 *     CACHE/.build-id/12/3456.../elf, a vmlinux by its id
 *     vmlinux in the usual places, when its id is the recorded one
 *     CACHE/[kernel.kcore]/ID/DATE/kallsyms      the first that fits the recording
 *     /proc/kallsyms, if that kernel runs here
 *     CACHE/[kernel.kallsyms]/ID/kallsyms
 *     CACHE/[kernel.kallsyms]/ID                 as perf kept it before it had folders
 *
 * With symfs only what was given by hand, and a vmlinux below it, of any id when none was recorded.  A kcore is taken from
 * beside its kallsyms, and only if the kernel and all modules are where the recording has
 * them.
 */
#include "walker/code/kernel_files.h"

#include "decoder/base/sys.h"
#include "walker/code/kallsyms.h"
#include "walker/code/kernel_running.h"
#include "walker/code/modules.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fits(int n)
{
    return n >= 0 && n < PATH_MAX;
}

/* The file called `leaf` beside path, which must end in /kallsyms. */
static bool beside(const char *path, const char *leaf, char out[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    return strcmp(name, "kallsyms") == 0 &&
           fits(snprintf(out, PATH_MAX, "%.*s%s", (int)(name - path), path, leaf));
}

/* --- Whether a kcore is that of the recording ------------------------------------- */

static bool ref_fits(const struct kallsyms *kallsyms, const struct kernel_want *want)
{
    uint64_t addr;

    return !want->ref ||
           (kallsyms_function(kallsyms, want->ref, &addr) && addr == want->ref_addr);
}

/* Whether a line is that of [name]. */
static bool is_named(const struct module_line *line, const char *name)
{
    if (line->len != strlen(name) - 2) /* without its brackets */
        return false;
    for (size_t i = 0; i < line->len; i++)
        if ((line->name[i] == '-' ? '_' : line->name[i]) != name[1 + i])
            return false;
    return true;
}

static bool module_fits(const struct image_elf *modules, const struct kernel_module *m)
{
    const char *text = (const char *)modules->base;
    struct modules_iter it = {text, text + modules->size};
    struct module_line line;

    while (modules_next(&it, &line))
        if (is_named(&line, m->name))
            return line.start == m->start;
    return false;
}

static bool modules_fit(const char *kallsyms, const struct kernel_want *want)
{
    char path[PATH_MAX];
    struct image_elf modules;
    bool fit = true;

    if (!beside(kallsyms, "modules", path))
        return false;
    if (image_elf_open(path, &modules) != PTS_OK)
        /* There may be none: then the file is empty. */
        return want->module_count == 0;
    for (size_t i = 0; fit && i < want->module_count; i++)
        fit = module_fits(&modules, &want->module[i]);
    image_elf_close(&modules);
    return fit;
}

/* Whether the kernel of this list of symbols lay in memory as the recording says. */
static bool layout_fits(const char *path, const struct kernel_want *want)
{
    struct kallsyms kallsyms;

    if (kallsyms_open(path, &kallsyms) != PTS_OK)
        return false;
    bool fit = ref_fits(&kallsyms, want);
    kallsyms_close(&kallsyms);
    return fit && modules_fit(path, want);
}

/* --- Sources ---------------------------------------------------------------------- */

/* A list of symbols, and the code beside it. */
static bool take_kallsyms(const char *path, const struct kernel_want *want,
                          struct kernel_files *out)
{
    if (!sys_is_regular(path) || !fits(snprintf(out->names, PATH_MAX, "%s", path)))
        return false;
    out->source = KERNEL_KALLSYMS;
    bool there = beside(path, "kcore", out->code) && sys_is_regular(out->code);
    if (there && layout_fits(path, want)) {
        out->source = KERNEL_KCORE;
        return true;
    }
    out->trouble = there ? KERNEL_ELSEWHERE : KERNEL_FINE;
    out->code[0] = '\0';
    return true;
}

static bool take_vmlinux(const char *path, const struct kernel_want *want,
                         struct kernel_files *out)
{
    struct image_elf file;

    out->trouble = KERNEL_NO_LINKED;
    if (image_elf_open(path, &file) != PTS_OK)
        return false;
    bool fit = file.is_elf && (!want->id.len || build_id_same(&want->id, &file.id));
    if (file.is_elf && !fit)
        out->trouble = KERNEL_OTHER_ID;
    out->found = file.id;
    image_elf_close(&file);
    if (!fit || !fits(snprintf(out->names, PATH_MAX, "%s", path)))
        return false;
    memcpy(out->code, out->names, PATH_MAX);
    out->source = KERNEL_VMLINUX;
    out->trouble = KERNEL_FINE;
    return true;
}

/* vmlinux where it usually is; %s: the release. */
static bool usual_vmlinux(const struct image_opts *opts, const struct kernel_want *want,
                          struct kernel_files *out)
{
    static const char *const fixed[] = {"vmlinux", "/boot/vmlinux"};
    static const char *const before[] = {
        "/boot/vmlinux-", "/usr/lib/debug/boot/vmlinux-", "/lib/modules/",
        "/usr/lib/debug/lib/modules/", "/usr/lib/debug/boot/vmlinux-"};
    static const char *const behind[] = {"", "", "/build/vmlinux", "/vmlinux",
                                         ".debug"};
    char name[PATH_MAX], path[PATH_MAX];
    bool has_symfs = opts->symfs && opts->symfs[0];

    /* One without an id to be compared could be any kernel's, but for one in the folder that
     * was named for this recording. */
    if (!want->id.len && !has_symfs)
        return false;
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
        if (image_path_symfs(opts, fixed[i], path) && take_vmlinux(path, want, out))
            return true;
    for (size_t i = 0; opts->release && !has_symfs && i < 5; i++)
        if (!strchr(opts->release, '/') &&
            fits(snprintf(name, sizeof(name), "%s%s%s", before[i], opts->release,
                          behind[i])) &&
            take_vmlinux(name, want, out))
            return true;
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

enum { DATES_MAX = 256, DATE_LENGTH = 16 };

/* The folders of a kernel in the cache, by date; returns how many. */
static size_t list_dates(const char *dir, char date[DATES_MAX][DATE_LENGTH + 1])
{
    DIR *list = opendir(dir);
    const struct dirent *e;
    size_t n = 0;

    /* Nobody else has this list.  NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while (list && n < DATES_MAX && (e = readdir(list)) != NULL) {
        size_t len = strlen(e->d_name);
        if (e->d_name[0] == '.' || len > DATE_LENGTH || e->d_type == DT_LNK)
            continue;
        memcpy(date[n++], e->d_name, len + 1);
    }
    if (list)
        closedir(list);
    qsort(date, n, sizeof(date[0]), by_name);
    return n;
}

static bool cached_kcore(const struct image_opts *opts, const struct kernel_want *want,
                         struct kernel_files *out)
{
    char hex[BUILD_ID_TEXT], dir[PATH_MAX], path[PATH_MAX];
    char date[DATES_MAX][DATE_LENGTH + 1];

    if (!fits(snprintf(dir, sizeof(dir), "%s/[kernel.kcore]/%s", opts->cache,
                       build_id_text(&want->id, hex))))
        return false;
    size_t n = list_dates(dir, date);
    for (size_t i = 0; i < n; i++)
        if (fits(snprintf(path, sizeof(path), "%s/%s/kallsyms", dir, date[i])) &&
            layout_fits(path, want) && take_kallsyms(path, want, out))
            return true;
    return false;
}

static bool cached_kallsyms(const struct image_opts *opts,
                            const struct kernel_want *want, struct kernel_files *out)
{
    static const char *const leaf[] = {"/kallsyms", ""};
    char hex[BUILD_ID_TEXT], path[PATH_MAX];
    struct stat st;

    for (size_t i = 0; i < sizeof(leaf) / sizeof(leaf[0]); i++) {
        if (!fits(snprintf(path, sizeof(path), "%s/[kernel.kallsyms]/%s%s", opts->cache,
                           build_id_text(&want->id, hex), leaf[i])) ||
            !sys_stat(path, &st))
            continue;
        out->has_entry = true;
        return take_kallsyms(path, want, out);
    }
    return false;
}

/* The kernel that runs here: by its build id, or where none was recorded, if the recording is
 * of this very machine. */
static bool is_running(const struct image_opts *opts, const struct kernel_want *want)
{
    if (!want->id.len)
        return opts->this_machine;
    const struct build_id id = kernel_running_id();
    return id.len && build_id_same(&want->id, &id);
}

void kernel_files_given(const char *kallsyms, const char *vmlinux,
                        const struct kernel_want *want, struct kernel_files *out)
{
    *out = (struct kernel_files){.source = KERNEL_NONE};
    if (kallsyms && !take_kallsyms(kallsyms, want, out))
        out->trouble = KERNEL_NO_LIST;
    else if (!kallsyms && vmlinux)
        take_vmlinux(vmlinux, want, out);
}

void kernel_files_find(const struct image_opts *opts, const struct kernel_want *want,
                       struct kernel_files *out)
{
    char path[PATH_MAX];

    kernel_files_given(opts->kallsyms, opts->vmlinux, want, out);
    if (opts->kallsyms || opts->vmlinux)
        return;
    if (image_path_cache(opts, &want->id, "elf", path) && take_vmlinux(path, want, out))
        return;
    if (!opts->ignore_vmlinux && usual_vmlinux(opts, want, out))
        return;
    if (opts->symfs && opts->symfs[0])
        return;
    bool running = is_running(opts, want), cached = want->id.len && opts->cache;
    if (running && layout_fits("/proc/kallsyms", want) &&
        sys_is_regular("/proc/kcore") && take_kallsyms("/proc/kallsyms", want, out) &&
        out->source == KERNEL_KCORE)
        return;
    if (cached && cached_kcore(opts, want, out))
        return;
    if (running && take_kallsyms("/proc/kallsyms", want, out))
        return;
    if (cached)
        cached_kallsyms(opts, want, out);
}
