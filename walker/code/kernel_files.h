/* kernel_files.h - which files hold the kernel's code and symbols.
 *
 * SPDX-License-Identifier: MIT
 *
 * The kernel that was recorded is rarely a file.  `perf record --kcore` copies its code from
 * memory (kcore), its list of symbols (kallsyms) and where its modules were (modules) into a
 * folder; the build-id cache may have such a folder, too, or the list of symbols alone; and
 * there may be the file that the kernel was linked as (vmlinux).
 */
#ifndef PTS_WALKER_CODE_KERNEL_FILES_H
#define PTS_WALKER_CODE_KERNEL_FILES_H

#include "walker/code/image_find.h"

/* A module and where the recording has it. */
struct kernel_module {
    const char *name; /* in brackets */
    uint64_t start;
    uint32_t dso; /* its number in the side-band */
};

/* The kernel as recorded. */
struct kernel_want {
    struct build_id id; /* len 0: unknown */
    const char *ref;    /* a symbol, and where it was; NULL: not told */
    uint64_t ref_addr;
    const struct kernel_module *module;
    size_t module_count;
};

enum kernel_source {
    KERNEL_NONE,
    KERNEL_KALLSYMS, /* names, no code */
    KERNEL_KCORE,
    KERNEL_VMLINUX
};

/* Why a file that was given, or lies beside the recording, is of no use. */
enum kernel_trouble {
    KERNEL_FINE,
    KERNEL_NO_LIST,   /* kallsyms: no symbols, or all addresses are zero */
    KERNEL_NO_LINKED, /* vmlinux: no ELF file with sections */
    KERNEL_OTHER_ID,  /* vmlinux: of another build */
    KERNEL_NO_REF,    /* the symbol that the recording goes by is not in it */
    KERNEL_ELSEWHERE, /* kcore: the kernel or a module was not where the recording has it */
    KERNEL_NO_CORE, /* kcore: nothing of the memory is in it */
    KERNEL_CUT_CORE /* kcore: it ends within the memory, and is used as far as it goes */
};

struct kernel_files {
    enum kernel_source source;
    enum kernel_trouble trouble;
    struct build_id found; /* of KERNEL_OTHER_ID */
    bool has_entry;       /* something of its build id is in the cache, of use or not */
    char names[PATH_MAX]; /* kallsyms, or the vmlinux */
    char code[PATH_MAX];  /* kcore, or the vmlinux; "" without code */
};

/* Those given by hand, either or NULL: the symbols, and what lies beside them; or the file that
 * the kernel was linked as. */
void kernel_files_given(const char *kallsyms, const char *vmlinux,
                        const struct kernel_want *want, struct kernel_files *out);

/* Finds them, in perf's order. */
void kernel_files_find(const struct image_opts *opts, const struct kernel_want *want,
                       struct kernel_files *out);

#endif
