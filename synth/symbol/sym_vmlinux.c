/* sym_vmlinux.c - the symbols of the kernel in the file that it was linked as.
 *
 * SPDX-License-Identifier: MIT
 *
 * As of any ELF file, but they are filed by their sections, and their names are as they are
 * unless --demangle-kernel is given.
 */
#include "synth/symbol/sym_vmlinux.h"

#include "decoder/base/arena.h"
#include "synth/symbol/demangle.h"
#include "synth/symbol/sym_elf.h"

#include <elf.h>
#include <string.h>

static bool is_label(const struct sym_raw *s)
{
    return s->type == STT_NOTYPE && s->visibility != STV_HIDDEN &&
           s->visibility != STV_INTERNAL;
}

static bool is_taken(const struct sym_raw *s, const struct vmlinux_section *in)
{
    if (!s->name[0] || !in->loaded)
        return false;
    if (is_label(s))
        return strstr(in->name, "text") || strstr(in->name, "data");
    return s->type == STT_FUNC || s->type == STT_GNU_IFUNC || s->type == STT_OBJECT;
}

static pts_status add(const struct sym_raw *s, const struct vmlinux_section *in,
                      const struct sym_opts *opts, struct symtree *tree)
{
    char *nice = opts->demangle_kernel ? demangle(s->name, opts->params) : NULL;
    const char *name = nice ? nice : s->name;
    uint64_t start = s->value - in->addr + in->off;
    const struct sym sym = {.start = start,
                            .end = start + s->size,
                            .len = sym_len(strlen(name)),
                            .bind = s->bind,
                            .data = s->type == STT_OBJECT};
    pts_status st = symtree_add(tree, sym, name);

    mem_free(nice);
    return st;
}

pts_status sym_vmlinux_read(const struct image *file, const struct vmlinux *from,
                            uint32_t dso, const struct sym_opts *opts,
                            struct symtree *tree)
{
    static const struct build_id any;
    struct sym_elf *e;
    struct sym_raws raws;
    struct sym_raw s;
    bool text = false;

    struct image_elf bytes;
    pts_status st = image_elf_of(file->base, file->size, &bytes);
    if (st == PTS_OK)
        st = sym_elf_of(&bytes, &any, &e);
    if (st != PTS_OK)
        return st < 0 ? st : PTS_OK;
    if (!sym_elf_raw_open(e, &raws))
        raws.count = 0;
    for (size_t i = 0; st == PTS_OK && i < raws.count; i++) {
        if (!sym_elf_raw(&raws, i, &s) || s.shndx == SHN_UNDEF ||
            s.shndx >= from->count)
            continue;
        const struct vmlinux_section *in = &from->section[s.shndx];
        if (in->dso != dso || !is_taken(&s, in))
            continue;
        text |= in->is_text;
        st = add(&s, in, opts, tree);
    }
    sym_elf_close(e);
    /* perf mends only what is in .text. */
    if (st == PTS_OK && text) {
        symtree_fix_ends(tree);
        symtree_fix_duplicates(tree);
    }
    return st;
}

pts_status sym_module_read(const struct image *file, const struct sym_opts *opts,
                           struct symtree *tree)
{
    struct arena arena = {0};
    struct image_elf bytes;
    struct vmlinux v;

    pts_status st = image_elf_of(file->base, file->size, &bytes);
    if (st == PTS_OK)
        st = vmlinux_read(&bytes, &arena, &v);
    if (st == PTS_OK) {
        for (size_t i = 0; i < v.count; i++) {
            v.section[i].dso = v.section[i].is_text ? 0 : UINT32_MAX;
            v.section[i].off = 0;
        }
        st = sym_vmlinux_read(file, &v, 0, opts, tree);
    }
    arena_free(&arena);
    return st;
}
