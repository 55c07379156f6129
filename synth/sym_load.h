/* sym_load.h - the steps of loading symbols, between the files sym*.c only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SYM_LOAD_H
#define PTS_SYNTH_SYM_LOAD_H

#include "synth/sym.h"

/* --- sym_find.c: where symbols may be --- */

/* Places in the order of trying. */
enum sym_place {
    PLACE_DEBUGLINK,
    PLACE_CACHE,
    PLACE_CACHE_DEBUG,
    PLACE_VDSO, /* ours: [vdso]/ID/vdso of a cache without links */
    PLACE_DEBUG_SUFFIX,
    PLACE_DEBUG,
    PLACE_DEBUG_ID,
    PLACE_FILE,
    PLACE_BESIDE,
    PLACE_USR_MERGED,
    PLACE_COUNT
};
/* The path of a place; false when it does not apply.  Whether there is a file, and the
 * right one, is not looked at. */
bool sym_place_path(const struct sym_opts *opts, const struct sym_want *want,
                    enum sym_place place, char path[PATH_MAX]);
bool sym_is_file(const char *path); /* a regular one */

/* --- sym_elf.c --- */

struct sym_elf;

/* PTS_END: not an ELF file, or not the one with this build id (len 0: any). */
pts_status sym_elf_open(const char *path, const struct build_id *id,
                        struct sym_elf **out);
/* The same for bytes that outlive it. */
pts_status sym_elf_of(const void *bytes, size_t n, const struct build_id *id,
                      struct sym_elf **out);
void sym_elf_close(struct sym_elf *e); /* NULL is fine */
bool sym_elf_has_symtab(const struct sym_elf *e);
bool sym_elf_has_dynsym(const struct sym_elf *e);
uint16_t sym_elf_type(const struct sym_elf *e);       /* ET_* */
uint64_t sym_elf_text_delta(const struct sym_elf *e); /* .text: address - offset */
struct build_id sym_elf_id(const struct sym_elf *e);
/* The name in .gnu_debuglink of a file; false when there is none. */
bool sym_elf_debuglink(const char *path, char name[PATH_MAX]);

/* The allocated sections that hold an address, one after the other: the first index
 * greater than `after`, 0 when there is none. */
size_t sym_elf_section_at(const struct sym_elf *e, uint64_t addr, size_t after);

/* .symtab, or .dynsym when there is none, as it stands in the file. */
struct sym_raws {
    void *data, *names;
    size_t count;
};
struct sym_raw {
    uint64_t value, size;
    const char *name; /* lent while the file is open */
    uint16_t shndx;
    uint8_t type, bind, visibility;
};
bool sym_elf_raw_open(const struct sym_elf *e, struct sym_raws *out);
bool sym_elf_raw(const struct sym_raws *raws, size_t i, struct sym_raw *out);

/* Adds the symbols of `syms`; `runtime` (may be the same) is the file that was mapped.
 * PTS_E_FORMAT: broken, what was added until then stays. */
pts_status sym_elf_read(struct sym_elf *syms, struct sym_elf *runtime,
                        const struct sym_opts *opts, struct symtree *tree);

/* --- sym_map.c --- */

/* Whether a dso is a JIT map file.  perf goes by the name. */
bool sym_is_map(const char *name);
/* Adds the symbols of a JIT map file, to be found below symfs or in the real /tmp. */
pts_status sym_map_read(const struct sym_opts *opts, const char *name,
                        struct symtree *tree);
pts_status sym_map_parse(const char *text, size_t n, struct symtree *tree);

#endif
