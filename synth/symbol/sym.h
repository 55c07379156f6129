/* sym.h - the symbol of an address.
 *
 * SPDX-License-Identifier: MIT
 *
 * Addresses are file offsets (ip - map.start + map.pgoff), except for JIT map files,
 * whose addresses are those of the process.  Tables are immutable once loaded, but for readable
 * names, which are made when they are asked for, by any thread.
 */
#ifndef PTS_SYNTH_SYMBOL_SYM_H
#define PTS_SYNTH_SYMBOL_SYM_H

#include "synth/symbol/symtree.h"
#include "walker/code/image_elf.h"

#include <ptscript/status.h>

struct symtab;

/* Where symbols came from. */
struct sym_origin {
    const char *file;    /* which gave them; NULL: none */
    bool is_elf;         /* it is an ELF file, even if that has no symbols */
    bool is_rel;         /* ... of type ET_REL: addresses are those within the map */
    bool failed;         /* reading it ended in the middle */
    uint64_t text_delta; /* ELF address - file offset, for code */
    char letter;         /* perf's, of what kind of file it is; 0: there is none */
    bool in_memory;      /* perf says addresses of memory, not those in the file */
    struct build_id
        id; /* of the dso's file, if it was recorded without one; len 0: none */
};

/* Makes a table; the tree is emptied. */
pts_status symtab_from(struct symtree *tree, const struct sym_origin *from,
                       struct symtab **out);
void symtab_free(struct symtab *t); /* NULL is fine */

/* The symbol of an address, or NULL. */
const struct sym *symtab_find(const struct symtab *t, uint64_t addr);
/* NUL-terminated, and readable if that was wanted; it stays as long as the table does. */
const char *symtab_name(const struct symtab *t, const struct sym *s);

/* The file that gave the symbols, "" when there was none: where debug information is.
 */
const char *symtab_file(const struct symtab *t);
/* The address that debug information uses for addr (as given to symtab_find) in a map
 * with this pgoff. */
uint64_t symtab_elf_addr(const struct symtab *t, uint64_t addr, uint64_t pgoff);
bool symtab_is_elf(const struct symtab *t);
const struct build_id *symtab_id(const struct symtab *t);
/* Those of its origin. */
char symtab_letter(const struct symtab *t);
bool symtab_in_memory(const struct symtab *t);
/* perf prints no symbol for the first address that is looked up in such a dso. */
bool symtab_failed(const struct symtab *t);

/* What is printed as +0x..., for addr found in a map that starts at map_start. */
static inline uint64_t sym_offset(const struct sym *s, uint64_t addr,
                                  uint64_t map_start)
{
    /* The second form, only met for empty symbols, is a slip of perf's. */
    return addr < s->end ? addr - s->start : addr - map_start - s->start;
}

#endif
