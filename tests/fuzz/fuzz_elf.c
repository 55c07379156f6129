/* fuzz_elf.c - any bytes as an ELF file: headers, symbols, look-ups, debug information.
 *
 * SPDX-License-Identifier: MIT
 *
 * The input is split in two at a place its first byte gives, so that a debug file and
 * the file that was mapped may contradict each other.
 */
#include "synth/symbol/sym.h"
#include "synth/symbol/sym_elf.h"
#include "synth/symbol/sym_map.h"
#include "tests/lib/symfind.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool cond)
{
    if (!cond)
        abort();
}

/* The table answers as the tree does. */
static void check_answers(struct symtree *tree)
{
    enum { TRIES = 64 };
    uint64_t addr[TRIES];
    uint32_t want[TRIES];
    size_t n = 0;
    for (size_t i = 0; i < tree->syms.len && n + 2 <= TRIES; i++) {
        addr[n++] = tree->syms.at[i].start;
        addr[n++] = tree->syms.at[i].end;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t at = symtree_find(tree, addr[i]);
        want[i] = at == SYM_NONE ? SYM_NONE : tree->syms.at[at].name;
    }
    struct symtab *t;
    require(symtab_from(tree, &(struct sym_origin){0}, &t) == PTS_OK);
    for (size_t i = 0; i < n; i++) {
        const struct sym *s = symtab_find(t, addr[i]);
        require(s ? s->name == want[i] : want[i] == SYM_NONE);
        require(!s || s->raw || strlen(symtab_name(t, s)) <= s->len);
    }
    symtab_free(t);
}

static struct sym_elf *open_copy(const uint8_t *data, size_t n, uint8_t **copy)
{
    static const struct build_id any;
    struct image_elf file;
    struct sym_elf *e = NULL;
    *copy = malloc(n ? n : 1); /* of the exact size: reads behind it are seen */
    require(*copy != NULL);
    memcpy(*copy, data, n);
    if (image_elf_of(*copy, n, &file) != PTS_OK ||
        sym_elf_of(&file, &any, &e) != PTS_OK)
        return NULL;
    return e;
}

/* No demangling: libiberty takes exponential time for some names, and is not ours. */
static void read_symbols(struct sym_elf *syms, struct sym_elf *runtime)
{
    static const struct sym_opts opts;
    struct symtree tree;
    symtree_init(&tree);
    (void)sym_elf_read(syms, runtime, &opts, &tree);
    check_answers(&tree);
}

static void read_raw(struct sym_elf *e)
{
    struct sym_raws raws;
    struct sym_raw raw;
    if (!sym_elf_raw_open(e, &raws))
        return;
    for (size_t i = 0; sym_elf_raw(&raws, i, &raw); i++)
        (void)sym_elf_section_at(e, raw.value, strlen(raw.name) & 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    size_t cut = data[0] ? 1 + (size - 1) * data[0] / 256 : size;
    uint8_t *first, *second;
    struct sym_elf *a = open_copy(data + 1, cut - 1, &first);
    struct sym_elf *b = open_copy(data + cut, size - cut, &second);
    if (a) {
        read_symbols(a, a);
        read_raw(a);
    }
    if (a && b)
        read_symbols(a, b);
    sym_elf_close(a);
    sym_elf_close(b);
    free(first);
    free(second);

    struct symtree tree;
    symtree_init(&tree);
    require(sym_map_parse((const char *)data, size, &tree) == PTS_OK);
    check_answers(&tree);
    return 0;
}
