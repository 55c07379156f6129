/* vmlinux.h - the kernel as the file that it was linked as.
 *
 * SPDX-License-Identifier: MIT
 *
 * Its sections are mapped one by one, each where it was linked for, or moved (KASLR) by as
 * much as a symbol that the recording names.
 */
#ifndef PTS_WALKER_CODE_VMLINUX_H
#define PTS_WALKER_CODE_VMLINUX_H

#include "decoder/base/arena.h"
#include "walker/code/image.h"

struct vmlinux_section {
    const char *name;
    uint64_t addr, off, size;
    bool loaded;  /* in memory */
    bool named;   /* a symbol is in it */
    bool is_text; /* .text */
    uint32_t dso; /* for whoever maps them */
};

struct vmlinux {
    struct vmlinux_section *section; /* by number */
    size_t count;
};

/* Those of a file; *out is in the arena.  PTS_END: it has none, or no symbols. */
pts_status vmlinux_read(const struct image_elf *file, struct arena *arena,
                        struct vmlinux *out);

/* Where the .text of a file is in it, as far as it is there; false: nowhere. */
bool module_text(const struct image *im, uint64_t *off, uint64_t *size);

/* Calls fn with each function or object that has a name. */
struct vmlinux_symbol {
    const char *name;
    uint64_t addr;
    bool global;
};
typedef void vmlinux_symbol_fn(void *ctx, const struct vmlinux_symbol *s);
void vmlinux_symbols(const struct image_elf *file, vmlinux_symbol_fn *fn, void *ctx);

#endif
