/* sym.h - the symbol of an address.
 *
 * SPDX-License-Identifier: MIT
 *
 * Addresses are file offsets (ip - map.start + map.pgoff), except for JIT map files,
 * whose addresses are those of the process.  Tables are immutable once loaded.
 */
#ifndef PTS_SYNTH_SYM_H
#define PTS_SYNTH_SYM_H

#include "synth/symtree.h"
#include "walker/image_find.h"

#include <ptscript/status.h>

struct sym_opts {
    struct image_opts files;
    bool demangle;
    bool params; /* C++ names with their parameters (perf script -v) */
    bool force;  /* take JIT map files of other users */
};

/* A dso as recorded; the kernel is not looked up here. */
struct sym_want {
    const char *name;   /* long name; /tmp/perf-PID.map is a JIT map file */
    struct build_id id; /* len 0: unknown */
};

struct symtab;

/* Loads the symbols of a dso.  A dso without any gets an empty table. */
pts_status symtab_load(const struct sym_opts *opts, const struct sym_want *want,
                       struct symtab **out);
/* Makes a table of symbols collected otherwise; the tree is emptied. */
pts_status symtab_from(struct symtree *tree, struct symtab **out);
void symtab_free(struct symtab *t); /* NULL is fine */

/* The symbol of an address, or NULL. */
const struct sym *symtab_find(const struct symtab *t, uint64_t addr);
/* NUL-terminated; s->len is its length. */
const char *symtab_name(const struct symtab *t, const struct sym *s);
size_t symtab_count(const struct symtab *t);

/* The file that gave the symbols, "" when there was none: where debug information is.
 */
const char *symtab_file(const struct symtab *t);
/* The address that debug information uses for addr (as given to symtab_find) in a map
 * with this pgoff. */
uint64_t symtab_elf_addr(const struct symtab *t, uint64_t addr, uint64_t pgoff);
/* Whether it was made from an ELF file, even if that has no symbols. */
bool symtab_is_elf(const struct symtab *t);
/* Reading the file ended in the middle: perf prints no symbol for the first address
 * that is looked up in such a dso. */
bool symtab_failed(const struct symtab *t);

/* What is printed as +0x..., for addr found in a map that starts at map_start. */
static inline uint64_t sym_offset(const struct sym *s, uint64_t addr,
                                  uint64_t map_start)
{
    /* The second form, only met for empty symbols, is a slip of perf's. */
    return addr < s->end ? addr - s->start : addr - map_start - s->start;
}

#endif
