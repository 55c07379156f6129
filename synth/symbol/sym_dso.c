/* sym_dso.c - the symbols of a dso, whatever it is: a program, the kernel, a module.
 *
 * SPDX-License-Identifier: MIT
 *
 *     a program          its files                     sym_load
 *     the kernel         its vmlinux, or kallsyms      sym_vmlinux, sym_kernel
 *     a module           its file, or kallsyms         the same
 */
#include "synth/symbol/sym_dso.h"

#include "synth/symbol/sym_kernel.h"
#include "synth/symbol/sym_load.h"
#include "synth/symbol/sym_vmlinux.h"

/* The tree becomes a table, if it could be read. */
static pts_status finish(pts_status st, struct symtree *tree,
                         const struct sym_origin *from, struct symtab **out)
{
    if (st == PTS_OK)
        return symtab_from(tree, from, out);
    symtree_free(tree);
    return st;
}

static pts_status of_vmlinux(const struct sym_sources *from, const struct sb_dso *dso,
                             struct symtab **out)
{
    const struct sb_kernel *k = sb_kernel(from->sb);
    struct sym_origin origin = {.file = k->names,
                                .is_elf = true,
                                .letter = dso->machine ? 'V' : 'v',
                                .in_memory = k->dso == dso};
    struct symtree tree;

    for (size_t i = 0; i < k->vmlinux.count; i++) {
        const struct vmlinux_section *s = &k->vmlinux.section[i];
        if (s->dso == dso->index)
            origin.text_delta = s->addr - s->off;
    }
    symtree_init(&tree);
    pts_status st =
        sym_vmlinux_read(k->code, &k->vmlinux, dso->index, &from->opts, &tree);
    return finish(st, &tree, &origin, out);
}

/* PTS_END: there is no file of this module. */
static pts_status of_module(const struct sym_sources *from, const struct sb_dso *dso,
                            struct symtab **out)
{
    const struct image *file = code_store_image(from->codes, dso);
    struct symtree tree;

    if (!file)
        return PTS_END;
    const struct sym_origin origin = {.file = file->path,
                                      .is_elf = true,
                                      .is_rel = true,
                                      .letter = kernel_module_letter(dso),
                                      .in_memory = true};
    symtree_init(&tree);
    return finish(sym_module_read(file, &from->opts, &tree), &tree, &origin, out);
}

/* A program whose file is in the file system of a guest: there all else of it is, too. */
static struct sym_opts opts_of(const struct sym_sources *from, const struct sb_dso *dso)
{
    struct sym_opts opts = from->opts;
    const char *mount = sb_root(from->sb);
    const struct image_opts root = {.symfs = mount};
    const struct image *file =
        mount && dso->kind == DSO_FILE ? code_store_image(from->codes, dso) : NULL;

    if (file && image_path_told(&root, file->path) != file->path)
        opts.files.symfs = mount;
    return opts;
}

pts_status sym_dso_load(struct sym_sources *from, struct as_view *view,
                        const struct sb_dso *dso, struct symtab **out)
{
    const struct sym_want want = {.name = dso->long_name,
                                  .id = build_id_of(dso->build_id, dso->build_id_len),
                                  .jit = dso->jit};
    const struct sym_opts opts = opts_of(from, dso);
    pts_status st = PTS_END;

    if (dso->kind != DSO_KERNEL && dso->kind != DSO_MODULE)
        return symtab_load(&opts, &want, out);
    if (dso->kind == DSO_MODULE)
        st = of_module(from, dso, out);
    else if (sb_kernel(from->sb)->source == KERNEL_VMLINUX)
        st = of_vmlinux(from, dso, out);
    if (st != PTS_END)
        return st;
    st = from->kernel ? PTS_OK : kernel_syms_load(from->sb, view, &from->kernel);
    return st < 0 ? st : kernel_syms_of(from->kernel, dso, out);
}
