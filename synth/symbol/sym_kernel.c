/* sym_kernel.c - the symbols of the kernel.
 *
 * SPDX-License-Identifier: MIT
 *
 * kallsyms lists addresses without sizes, those of modules in it:
 *
 *     ffffffff81000000 T _text
 *     ffffffffc0254000 t fat_parse	[fat]
 *
 * So a symbol ends where the next one begins, but for the last of the kernel and of each
 * module (symtree_fix_kallsyms).  Then each goes to the map that it lies in, and is filed by
 * its place in that map's file, the copy of the kernel's memory.
 */
#include "synth/symbol/sym_kernel.h"

#include "walker/code/kallsyms.h"

#include <elf.h>
#include <string.h>

/* Data is listed by perf, too; the rest (absolute, undefined ones) is not. */
static bool is_taken(const struct kallsym *k)
{
    return k->type && strchr("tTwWdDbB", k->type) && k->len && k->name[0] != '$';
}

static uint8_t bind_of(char type)
{
    if (type == 'w' || type == 'W')
        return STB_WEAK;
    return type >= 'a' ? STB_LOCAL : STB_GLOBAL;
}

static pts_status list_read(const struct image_elf *file, struct symtree *tree)
{
    struct kallsyms_iter it = kallsyms_begin(file->base, file->size);
    struct kallsym k;
    pts_status st = PTS_OK;

    while (st == PTS_OK && kallsyms_next(&it, &k)) {
        const struct sym sym = {
            .start = k.addr, .end = k.addr, .len = k.len, .bind = bind_of(k.type)};
        if (is_taken(&k))
            st = symtree_add(tree, sym, k.name);
    }
    return st;
}

/* Without the module. */
static uint32_t name_length(const char *name)
{
    return (uint32_t)strcspn(name, "\t");
}

/* Each symbol from `all` to where its map's file has it. */
static pts_status place_in_file(struct as_view *view, const struct sideband *sb,
                                const struct sb_dso *dso, const struct symtree *all,
                                struct symtree *out)
{
    pts_status st = PTS_OK;

    for (uint32_t i = symtree_first(all); st == PTS_OK && i != SYM_NONE;
         i = symtree_next(all, i)) {
        struct sym s = all->syms.at[i];
        const struct as_map *m =
            as_find(view, SB_NONE, sb_kernel(sb)->epoch, s.start, true);
        if (!m || m->dso != dso || m->identity)
            continue;
        const char *name = symtree_name(all, i);
        if (s.end > m->end)
            s.end = m->end;
        s.start = s.start - m->start + m->pgoff;
        s.end = s.end - m->start + m->pgoff;
        s.len = name_length(name);
        st = symtree_add(out, s, name);
    }
    return st;
}

static pts_status kcore_symbols(const struct sideband *sb, struct as_view *view,
                                const struct sb_dso *dso, struct symtree *out)
{
    struct image_elf file;
    struct symtree all;

    if (image_elf_open(sb_kernel(sb)->names, &file) != PTS_OK)
        return PTS_OK;
    symtree_init(&all);
    pts_status st = list_read(&file, &all);
    if (st == PTS_OK) {
        symtree_fix_kallsyms(&all);
        symtree_fix_duplicates(&all);
        st = place_in_file(view, sb, dso, &all, out);
    }
    symtree_free(&all);
    image_elf_close(&file);
    return st;
}

pts_status symtab_kernel(const struct sideband *sb, struct as_view *view,
                         const struct sb_dso *dso, struct symtab **out)
{
    const struct sym_origin from = {0};
    struct symtree tree;
    pts_status st = PTS_OK;

    symtree_init(&tree);
    if (sb_kernel(sb)->source == KERNEL_KCORE)
        st = kcore_symbols(sb, view, dso, &tree);
    if (st < 0) {
        symtree_free(&tree);
        return st;
    }
    return symtab_from(&tree, &from, out);
}
