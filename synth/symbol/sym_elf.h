/* sym_elf.h - the symbols of an ELF file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SYMBOL_SYM_ELF_H
#define PTS_SYNTH_SYMBOL_SYM_ELF_H

#include "synth/symbol/sym_want.h"
#include "synth/symbol/symtree.h"

struct sym_elf;

/* PTS_END: not an ELF file, or not the one with this build id (len 0: any). */
pts_status sym_elf_open(const char *path, const struct build_id *id,
                        struct sym_elf **out);
/* The same for a file that is open; it is closed with the result, or at once. */
pts_status sym_elf_of(struct image_elf *file, const struct build_id *id,
                      struct sym_elf **out);
void sym_elf_close(struct sym_elf *e); /* NULL is fine */
bool sym_elf_has_symtab(const struct sym_elf *e);
bool sym_elf_has_dynsym(const struct sym_elf *e);
uint16_t sym_elf_type(const struct sym_elf *e);       /* ET_* */
uint64_t sym_elf_text_delta(const struct sym_elf *e); /* .text: address - offset */
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
pts_status sym_elf_read(const struct sym_elf *syms, const struct sym_elf *runtime,
                        const struct sym_opts *opts, struct symtree *tree);

#endif
