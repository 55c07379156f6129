/* sym_load.c - the symbols of a dso are loaded: which files, and what of them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Two files take part, and each candidate (sym_file.c) is offered to both slots until
 * both are filled:
 *
 *     syms      has the names: the first with a .symtab, often a debug file
 *     runtime   is like what was mapped: the first with a .dynsym
 *
 * A file alone fills both.  So a stripped program gives the names of its .dynsym
 * (docs/symbols.md).
 */
#include "synth/symbol/sym_load.h"

#include "decoder/base/arena.h"
#include "synth/symbol/demangle.h"
#include "synth/symbol/sym_elf.h"
#include "synth/symbol/sym_file.h"
#include "synth/symbol/sym_map.h"
#include "walker/sideband/sideband.h"

#include <elf.h>
#include <string.h>

struct elf_pair {
    struct sym_elf *syms, *runtime;
    char syms_path[PATH_MAX], runtime_path[PATH_MAX];
    bool found, is_rel;
    enum sym_candidate from; /* where the names are */
    uint64_t text_delta;
};

static void pair_close(struct elf_pair *pair)
{
    if (pair->runtime != pair->syms)
        sym_elf_close(pair->runtime);
    sym_elf_close(pair->syms);
}

/* Uses a candidate for what is still missing; it is closed when it is of no use. */
static void pair_offer(struct elf_pair *pair, struct sym_elf *e, const char *path,
                       enum sym_candidate which)
{
    bool used = false;
    if (!pair->syms && (!pair->runtime || sym_elf_has_symtab(e)))
        pair->from = which;
    if (!pair->syms && sym_elf_has_symtab(e)) {
        pair->syms = e;
        memcpy(pair->syms_path, path, strlen(path) + 1);
        used = true;
    }
    if (!pair->runtime && sym_elf_has_dynsym(e)) {
        pair->runtime = e;
        memcpy(pair->runtime_path, path, strlen(path) + 1);
        used = true;
    }
    if (!used)
        sym_elf_close(e);
}

static pts_status pair_open(const struct sym_opts *opts, const struct sym_want *want,
                            struct elf_pair *pair)
{
    for (int i = 0; i < CANDIDATES; i++) {
        char path[PATH_MAX];
        struct sym_elf *e;
        if (!sym_file_path(opts, want, (enum sym_candidate)i, path))
            continue;
        pts_status st = sym_elf_open(path, &want->id, &e);
        if (st < 0)
            return st;
        if (st == PTS_END)
            continue;
        pair_offer(pair, e, path, (enum sym_candidate)i);
        if (pair->syms && pair->runtime)
            break;
    }
    if (!pair->syms)
        pair->syms = pair->runtime;
    if (!pair->runtime)
        pair->runtime = pair->syms;
    return pair->syms ? PTS_OK : PTS_END;
}

/* A dso without a build id gets that of its own file - but only if the recorded path is
 * a file of this machine too, as perf looks for it without symfs. */
static struct build_id own_id(const struct sym_opts *opts, const struct sym_want *want)
{
    char path[PATH_MAX];
    struct image_elf file;
    struct build_id id = want->id;
    if (id.len == 0 && sym_is_file(want->name) &&
        image_path_symfs(&opts->files, want->name, path) &&
        image_elf_open(path, &file) == PTS_OK) {
        id = file.id;
        image_elf_close(&file);
    }
    return id;
}

static pts_status elf_load(const struct sym_opts *opts, const struct sym_want *want,
                           struct symtree *tree, struct elf_pair *pair)
{
    pts_status st = pair_open(opts, want, pair);
    pair->found = st == PTS_OK;
    if (pair->found) {
        uint16_t type = sym_elf_type(pair->runtime);
        bool moved = type == ET_EXEC || type == ET_DYN || type == ET_REL;
        pair->is_rel = moved && sym_elf_type(pair->syms) == ET_REL;
        pair->text_delta = moved ? sym_elf_text_delta(pair->runtime) : 0;
        st = sym_elf_read(pair->syms, pair->runtime, opts, tree);
    }
    pair_close(pair);
    return st == PTS_END ? PTS_OK : st;
}

/* perf counts functions made at run time as files, which perf inject makes of them. */
static char letter_of(const struct sym_want *want, const struct elf_pair *pair,
                      bool any)
{
    if (want->jit)
        return sym_file_letter(CANDIDATE_FILE);
    if (sym_is_map(want->name))
        return any ? 'j' : '\0';
    return pair->found ? sym_file_letter(pair->from) : '\0';
}

/* The function is the dso. */
static pts_status jit_load(const struct sym_opts *opts, const struct jit_code *jit,
                           struct symtree *tree)
{
    char *nice = opts->demangle ? demangle(jit->name, opts->params) : NULL;
    const char *name = nice ? nice : jit->name;
    const struct sym sym = {.start = SB_JIT_OFF,
                            .end = SB_JIT_OFF + jit->size,
                            .len = sym_len(strlen(name)),
                            .bind = STB_GLOBAL};
    pts_status st = symtree_add(tree, sym, name);

    mem_free(nice);
    return st;
}

pts_status symtab_load(const struct sym_opts *opts, const struct sym_want *want,
                       struct symtab **out)
{
    struct elf_pair pair = {0};
    const struct sym_want full = {.name = want->name, .id = own_id(opts, want)};
    struct symtree tree;
    symtree_init(&tree);
    pts_status st = want->jit                ? jit_load(opts, want->jit, &tree)
                    : sym_is_map(want->name) ? sym_map_read(opts, want->name, &tree)
                                             : elf_load(opts, &full, &tree, &pair);
    if (st < 0 && st != PTS_E_FORMAT) {
        symtree_free(&tree);
        return st;
    }
    const struct sym_origin from = {.file = pair.found ? pair.syms_path : NULL,
                                    .is_elf = pair.found || want->jit,
                                    .is_rel = pair.is_rel,
                                    .failed = st == PTS_E_FORMAT,
                                    .text_delta = pair.text_delta,
                                    .letter = letter_of(want, &pair, tree.syms.len),
                                    .id = full.id};
    return symtab_from(&tree, &from, out);
}

pts_status symtab_files(const struct sym_opts *opts, const struct sym_want *want,
                        struct build_id *id, char syms[PATH_MAX],
                        char runtime[PATH_MAX])
{
    struct elf_pair pair = {0};
    const struct sym_want full = {.name = want->name, .id = own_id(opts, want)};
    pts_status st = pair_open(opts, &full, &pair);
    const char *one = pair.syms_path[0] ? pair.syms_path : pair.runtime_path;
    const char *other = pair.runtime_path[0] ? pair.runtime_path : pair.syms_path;

    if (st == PTS_OK) {
        *id = full.id;
        memcpy(syms, one, strlen(one) + 1);
        memcpy(runtime, other, strlen(other) + 1);
    }
    pair_close(&pair);
    return st;
}
