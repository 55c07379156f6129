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
 * module (symtree_fix_kallsyms).  With a copy of the kernel's memory each goes to the map that
 * it lies in, and is filed by its place in that file; else to its module, if the recording
 * knows that.
 */
#include "synth/symbol/sym_kernel.h"

#include "walker/code/kallsyms.h"
#include "walker/code/kernel_extent.h"

#include <elf.h>
#include <string.h>

struct kernel_syms {
    struct symtree all; /* a list; at last each is where its dso has it */
    VEC(uint32_t) dso;  /* of each; SB_NONE: of none */
    bool any;  /* the list was not empty; what a dso took may be gone from it */
    bool core; /* there is a copy of the kernel's memory */
};

/* Room is made for that much of the list at once; most lines have a little more than LINE. */
enum { LIST_MOST = 16 << 20, LINE = 36 };

static uint8_t bind_of(char type)
{
    if (type == 'w' || type == 'W')
        return STB_WEAK;
    return type >= 'a' ? STB_LOCAL : STB_GLOBAL;
}

static pts_status list_read(const struct kallsyms *file, struct symtree *tree)
{
    struct kallsyms_iter it = kallsyms_begin(file);
    struct kallsym k;
    size_t most = file->text.len < LIST_MOST ? file->text.len : LIST_MOST;
    pts_status st = symtree_room(tree, most / LINE, most / 2) ? PTS_OK : PTS_E_NOMEM;

    while (st == PTS_OK && kallsyms_next(&it, &k)) {
        const struct sym sym = {.start = k.addr,
                                .end = k.addr,
                                .len = k.len,
                                .bind = bind_of(k.type),
                                .data = !kallsym_is_code(&k)};
        if (kallsym_is_taken(&k))
            st = symtree_add(tree, sym, k.name);
    }
    return st;
}

/* Without the module. */
static uint32_t name_length(const char *name)
{
    return (uint32_t)(strchrnul(name, '\t') - name);
}

/* --- Whose they are ---------------------------------------------------------------- */

/* By the maps that the kernel's memory was cut into, at the place in its file. */
static bool in_core(struct sym *s, struct as_view *view, const struct sideband *sb,
                    uint32_t *dso)
{
    const struct as_map *m =
        as_find(view, SB_NONE, sb_kernel(sb)->epoch, s->start, true);

    if (!m || m->identity)
        return false;
    if (s->end > m->end)
        s->end = m->end;
    s->start = s->start - m->start + m->pgoff;
    s->end = s->end - m->start + m->pgoff;
    *dso = m->dso->index;
    return true;
}

/* By the names of modules; within a module, from its start. */
static bool in_list(const struct sideband *sb, struct kernel_walk *walk, struct sym *s,
                    const char *name, uint32_t *dso)
{
    const struct sb_kernel *kernel = sb_kernel(sb);
    const struct kallsym line = {s->start, 0, name, s->len};
    uint32_t owner = kernel_owner(walk, &line, &kernel->want);

    if (owner == KERNEL_NOBODY)
        return false;
    if (owner == KERNEL_OWN) {
        s->start -= kernel->moved;
        s->end -= kernel->moved;
        *dso = kernel->dso->index;
        return true;
    }
    s->start -= kernel->want.module[owner].start;
    s->end -= kernel->want.module[owner].start;
    *dso = kernel->want.module[owner].dso;
    return true;
}

static pts_status place_all(struct kernel_syms *k, const struct sideband *sb,
                            struct as_view *view)
{
    struct kernel_walk walk = KERNEL_WALK_INIT;

    k->core = sb_kernel(sb)->source == KERNEL_KCORE;
    k->any = k->all.syms.len;
    if (!k->any)
        return PTS_OK;
    if (!VEC_ROOM(&k->dso, k->all.syms.len))
        return PTS_E_NOMEM;
    for (; k->dso.len < k->all.syms.len; k->dso.len++) {
        uint32_t *dso = &k->dso.at[k->dso.len], i = (uint32_t)k->dso.len;
        struct sym *s = &k->all.syms.at[i];
        const char *name = symtree_name(&k->all, i);
        *dso = SB_NONE;
        if (s->gone ||
            (k->core ? !in_core(s, view, sb, dso) : !in_list(sb, &walk, s, name, dso)))
            continue;
        uint32_t cut = s->len - name_length(name);
        s->len -= cut;
        s->tail = (uint16_t)(cut < UINT16_MAX ? cut : UINT16_MAX);
    }
    return PTS_OK;
}

pts_status kernel_syms_load(const struct sideband *sb, struct as_view *view,
                            struct kernel_syms **out)
{
    struct kernel_syms *k = mem_zalloc(1, sizeof(*k));
    const struct sb_kernel *kernel = sb_kernel(sb);
    struct kallsyms file;

    if (!k)
        return PTS_E_NOMEM;
    *out = k;
    symtree_init_list(&k->all);
    if (kernel->source != KERNEL_KCORE && kernel->source != KERNEL_KALLSYMS)
        return PTS_OK;
    pts_status st = kallsyms_open(kernel->names, &file);
    if (st != PTS_OK)
        return st < 0 ? st : PTS_OK;
    st = list_read(&file, &k->all);
    kallsyms_close(&file);
    if (st != PTS_OK)
        return st;
    symtree_fit(&k->all);
    symtree_sort(&k->all);
    symtree_fix_kallsyms(&k->all);
    symtree_fix_duplicates(&k->all);
    return place_all(k, sb, view);
}

void kernel_syms_free(struct kernel_syms *k)
{
    if (!k)
        return;
    symtree_free(&k->all);
    VEC_FREE(&k->dso);
    mem_free(k);
}

char kernel_module_letter(const struct sb_dso *module)
{
    const size_t n = strlen(module->path);
    const char *end = module->path + (n > 3 ? n - 3 : 0);

    if (module->machine)
        return 'G';
    return strcmp(end, ".gz") == 0 || strcmp(end, ".xz") == 0 ? 'm' : 'K';
}

static char letter_of(const struct kernel_syms *k, const struct sb_dso *dso)
{
    if (dso->kind == DSO_MODULE)
        return kernel_module_letter(dso);
    return !k->any ? '\0' : dso->machine ? 'g' : 'k';
}

/* So many symbols of a dso, and bytes of their names. */
struct kernel_share {
    size_t count, bytes;
};

static struct kernel_share share_of(const struct kernel_syms *k, uint32_t dso)
{
    struct kernel_share s = {0};

    for (uint32_t i = 0; i < k->dso.len; i++) {
        if (k->dso.at[i] != dso)
            continue;
        s.count++;
        s.bytes += (size_t)k->all.syms.at[i].len + 1;
    }
    return s;
}

static pts_status share_copy(const struct kernel_syms *k, uint32_t dso,
                             const struct kernel_share *share, struct symtree *tree)
{
    pts_status st =
        symtree_room(tree, share->count, share->bytes) ? PTS_OK : PTS_E_NOMEM;

    for (uint32_t i = 0; st == PTS_OK && i < k->dso.len; i++)
        if (k->dso.at[i] == dso)
            st = symtree_add(tree, k->all.syms.at[i], symtree_name(&k->all, i));
    return st;
}

/* Those of other dsos, with their names, to a list of their own. */
static pts_status move_others(struct kernel_syms *k, uint32_t dso,
                              struct kernel_syms *to)
{
    pts_status st = PTS_OK;

    for (uint32_t i = 0; st == PTS_OK && i < k->dso.len; i++) {
        struct sym *s = &k->all.syms.at[i];
        if (k->dso.at[i] == dso)
            continue;
        if (k->dso.at[i] != SB_NONE) {
            st = symtree_add(&to->all, *s, symtree_name(&k->all, i));
            uint32_t *at = st == PTS_OK ? VEC_PUSH(&to->dso) : NULL;
            if (!at)
                return PTS_E_NOMEM;
            *at = k->dso.at[i];
        }
        s->gone = true;
    }
    return st;
}

/* The list itself, which keeps the few others. */
static pts_status share_take(struct kernel_syms *k, uint32_t dso, struct symtree *tree)
{
    struct kernel_syms rest = {.any = k->any, .core = k->core};

    symtree_init_list(&rest.all);
    const pts_status st = move_others(k, dso, &rest);
    for (uint32_t i = 0; i < k->dso.len; i++)
        if (k->dso.at[i] == dso) { /* in front of the name of the module */
            const struct sym *s = &k->all.syms.at[i];
            k->all.names.at[s->name + s->len] = '\0';
        }
    *tree = k->all;
    VEC_FREE(&k->dso);
    *k = rest;
    return st == PTS_OK && !symtree_unlist(tree) ? PTS_E_NOMEM : st;
}

/* Most symbols are the kernel's own: for these the list is not copied. */
pts_status kernel_syms_of(struct kernel_syms *k, const struct sb_dso *dso,
                          struct symtab **out)
{
    const struct sym_origin from = {.letter = letter_of(k, dso), .in_memory = k->core};
    const struct kernel_share share = share_of(k, dso->index);
    const bool most = share.count > k->dso.len / 2;
    struct symtree tree;

    symtree_init(&tree);
    const pts_status st = most ? share_take(k, dso->index, &tree)
                               : share_copy(k, dso->index, &share, &tree);
    if (st < 0) {
        symtree_free(&tree);
        return st;
    }
    return symtab_from(&tree, &from, out);
}
