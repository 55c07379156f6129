/* bundle_find.c - which files a recording needs.
 *
 * SPDX-License-Identifier: MIT
 *
 * A run over all of it: what the trace goes through is decoded, and what lies at the addresses of samples
 * and where the trace ends is named.  Calls are asked for, because only they bring the ends along.  Then each such dso's files are those that were used here:
 *
 *     image, from its path        symfs/PATH
 *     ... from the cache          symfs/.debug/...          as --symfs moves it
 *     symbols elsewhere           symfs/usr/lib/debug/.build-id/xx/yyyy.debug
 *     jitdumps, map files         symfs/PATH
 *     the kernel                  kernel/vmlinux, or kernel/{kallsyms,kcore,modules}
 */
#include "synth/run/bundle.h"

#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "decoder/base/sys.h"
#include "decoder/file/input.h"
#include "synth/symbol/sym_file.h"
#include "synth/symbol/sym_load.h"
#include "synth/symbol/sym_map.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Names ------------------------------------------------------------------------- */

/* FOLDER/NAME without double slashes and dots; false: it leads up, or is too long. */
static bool join(const char *folder, const char *name, char out[PATH_MAX])
{
    size_t n = strlen(folder);

    if (n >= PATH_MAX)
        return false;
    memcpy(out, folder, n);
    for (const char *part = name; *part;) {
        size_t len = strcspn(part, "/");
        bool dots = (len == 1 && *part == '.') || !len;
        if (len == 2 && memcmp(part, "..", 2) == 0)
            return false;
        if (!dots) {
            if (n + len + 2 > PATH_MAX)
                return false;
            out[n++] = '/';
            memcpy(out + n, part, len);
            n += len;
        }
        part += len + (part[len] == '/');
    }
    out[n] = '\0';
    return true;
}

pts_status bundle_add(struct bundle_files *f, const char *from, const char *folder,
                      const char *name)
{
    char to[PATH_MAX];

    if (!join(folder, name, to))
        return PTS_END;
    uint64_t key = idmap_hash(0, to, strlen(to));
    if (idmap_get(&f->names, key) != IDMAP_NONE)
        return PTS_OK;
    struct bundle_file *slot = VEC_PUSH(&f->file);
    if (!slot)
        return PTS_E_NOMEM;
    slot->from = arena_strndup(&f->arena, from, strlen(from));
    slot->to = arena_strndup(&f->arena, to, strlen(to));
    return slot->from && slot->to && idmap_set(&f->names, key, 1) ? PTS_OK
                                                                  : PTS_E_NOMEM;
}

/* What of path is behind dir, or NULL. */
static const char *below(const char *path, const char *dir)
{
    size_t n = dir ? strlen(dir) : 0;

    while (n && dir[n - 1] == '/')
        n--;
    return n && strncmp(path, dir, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/* A file under the name by which it was found. */
static pts_status add_found(struct bundle_files *f, const struct image_opts *o,
                            const char *path)
{
    const char *in_symfs = below(path, o->symfs);
    const char *in_cache = o->symfs ? NULL : below(path, o->cache);

    if (o->live_vdso && strcmp(path, o->live_vdso) == 0)
        return bundle_add(f, path, "symfs", "[vdso]");
    if (in_symfs)
        return bundle_add(f, path, "symfs", in_symfs);
    return in_cache ? bundle_add(f, path, "symfs/.debug", in_cache)
                    : bundle_add(f, path, "symfs", path);
}

/* --- Files of a dso ---------------------------------------------------------------- */

static pts_status add_symbols(struct bundle_files *f, const struct image_opts *o,
                              const struct sb_dso *dso, const char *image)
{
    const struct sym_opts opts = {.files = *o};
    const struct sym_want want = {dso->long_name,
                                  build_id_of(dso->build_id, dso->build_id_len), NULL};
    char syms[PATH_MAX], runtime[PATH_MAX], name[PATH_MAX], hex[BUILD_ID_TEXT];
    struct build_id id;
    pts_status st = symtab_files(&opts, &want, &id, syms, runtime);

    if (st != PTS_OK)
        return st == PTS_END ? PTS_OK : st;
    if (strcmp(runtime, image) != 0 && strcmp(runtime, syms) != 0)
        st = add_found(f, o, runtime);
    if (st < 0 || strcmp(syms, image) == 0)
        return st;
    build_id_text(&id, hex);
    int n = id.len
                ? snprintf(name, sizeof(name), ".build-id/%.2s/%s.debug", hex, hex + 2)
                : snprintf(name, sizeof(name), "%s.debug", dso->long_name);
    return n > 0 && n < PATH_MAX ? bundle_add(f, syms, "symfs/usr/lib/debug", name)
                                 : PTS_END;
}

static pts_status add_image(struct bundle_files *f, const struct run *r,
                            const struct sb_dso *dso)
{
    const struct image_opts *o = &r->session->files;
    const struct image *im = code_store_image(r->codes, dso);
    pts_status st = im ? add_found(f, o, im->path) : PTS_END;

    /* Symbols may be there without the image. */
    pts_status symbols = st < 0 || dso->kind == DSO_MODULE
                             ? PTS_OK
                             : add_symbols(f, o, dso, im ? im->path : "");
    f->missing += st == PTS_END;
    return symbols < 0 ? symbols : st;
}

/* The kernel that runs is no file. */
static pts_status refuse_live(struct bundle_files *f, const struct run *r,
                              const char *path)
{
    char text[PATH_MAX + 160];

    f->missing++;
    snprintf(text, sizeof(text),
             "%s: the memory of this machine is not bundled; ptscript buildid-cache -v "
             "-k /proc/kcore makes a copy, for --kallsyms COPY/kallsyms",
             path);
    session_message(r->session, PTS_MSG_NOTE, text);
    return PTS_OK;
}

/* The list of its symbols, and its code beside that, as --kallsyms wants it. */
static pts_status add_kallsyms(struct bundle_files *f, const struct sb_kernel *k)
{
    char path[PATH_MAX];
    const char *slash = strrchr(k->names, '/');
    int above = slash ? (int)(slash + 1 - k->names) : 0;
    pts_status st = bundle_add(f, k->names, "kernel", "kallsyms");

    if (st != PTS_OK || k->source != KERNEL_KCORE)
        return st;
    st = bundle_add(f, k->code->path, "kernel", "kcore");
    int n = snprintf(path, sizeof(path), "%.*smodules", above, k->names);
    /* There may have been none. */
    return st == PTS_OK && n < PATH_MAX && sys_is_regular(path)
               ? bundle_add(f, path, "kernel", "modules")
               : st;
}

/* What is in the recording's own folder is there already. */
static pts_status add_kernel(struct bundle_files *f, const struct run *r,
                             const struct sb_dso *dso)
{
    const struct sb_kernel *k = sb_kernel(sb_machine(r->session->sb, dso));

    if (k->source == KERNEL_NONE || below(k->names, r->session->path))
        return PTS_OK;
    if (k->source == KERNEL_KCORE && below(k->code->path, "/proc"))
        return refuse_live(f, r, k->code->path);
    return k->source == KERNEL_VMLINUX ? bundle_add(f, k->names, "kernel", "vmlinux")
                                       : add_kallsyms(f, k);
}

static pts_status add_map(struct bundle_files *f, const struct run *r,
                          const struct sb_dso *dso)
{
    const struct sym_opts opts = {.files = r->session->files,
                                  .force = r->session->opts.force};
    char path[PATH_MAX];

    return sym_map_path(&opts, dso->long_name, path)
               ? bundle_add(f, path, "symfs", dso->long_name)
               : PTS_OK;
}

static pts_status add_dso(struct bundle_files *f, const struct run *r,
                          const struct sb_dso *dso)
{
    pts_status st = PTS_OK;

    switch (dso->kind) {
    case DSO_FILE:
    case DSO_VDSO:
    case DSO_MODULE:
        st = add_image(f, r, dso);
        break;
    case DSO_ANON:
        st = add_map(f, r, dso);
        break;
    case DSO_KERNEL:
        st = add_kernel(f, r, dso);
        break;
    case DSO_NONE:
    case DSO_KSYMBOL:
    case DSO_JIT:
        break;
    }
    if (dso->kind != DSO_FILE && dso->kind != DSO_VDSO && dso->kind != DSO_MODULE)
        f->missing += code_store_missed(r->codes, dso);
    return st < 0 ? st : PTS_OK;
}

static pts_status add_dumps(struct bundle_files *f, const struct sb_jit *jit)
{
    pts_status st = PTS_OK;

    for (size_t i = 0; st >= 0 && i < sb_jit_count(jit); i++) {
        const struct sb_jit_note n = sb_jit_at(jit, i);
        if (n.state == SB_JIT_USED)
            st = bundle_add(f, n.path, "symfs", n.name);
        f->missing += n.state != SB_JIT_USED;
    }
    return st < 0 ? st : PTS_OK;
}

/* --- The recording ----------------------------------------------------------------- */

/* The names in a folder, lent by f. */
struct names {
    VEC(const char *) at;
};

static pts_status list_folder(struct bundle_files *f, const char *dir,
                              struct names *out)
{
    DIR *list = opendir(dir);
    const struct dirent *e;
    pts_status st = PTS_OK;

    errno = list ? 0 : errno;
    /* Nobody else has this list.  NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while (list && st == PTS_OK && (e = readdir(list)) != NULL) {
        const char *name = arena_strndup(&f->arena, e->d_name, strlen(e->d_name));
        const char **slot = name ? VEC_PUSH(&out->at) : NULL;
        st = slot ? PTS_OK : PTS_E_NOMEM;
        if (slot)
            *slot = name;
        errno = 0;
    }
    if (st == PTS_OK && errno) {
        refused_file(dir, errno);
        st = PTS_E_IO;
    }
    if (list)
        closedir(list);
    return st;
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Regular files in a folder whose names begin so. */
static pts_status add_files(struct bundle_files *f, const char *dir,
                            const struct names *names, const char *begin,
                            const char *to)
{
    char path[PATH_MAX];
    pts_status st = PTS_OK;

    for (size_t i = 0; st >= 0 && i < names->at.len; i++)
        if (begins(names->at.at[i], begin) && join(dir, names->at.at[i], path) &&
            sys_is_regular(path))
            st = bundle_add(f, path, to, names->at.at[i]);
    return st < 0 ? st : PTS_OK;
}

/* DIR/kcore_dir: the kernel's code and symbols. */
static pts_status add_kcore(struct bundle_files *f, const char *dir, const char *name)
{
    char path[PATH_MAX], to[PATH_MAX];
    struct names names = {0};

    if (!join(dir, name, path) || !join("perf.data", name, to) || !input_is_dir(path))
        return PTS_OK;
    pts_status st = list_folder(f, path, &names);
    if (st == PTS_OK)
        st = add_files(f, path, &names, "", to);
    VEC_FREE(&names.at);
    return st;
}

static pts_status add_folder(struct bundle_files *f, const char *dir)
{
    struct names names = {0};
    pts_status st = list_folder(f, dir, &names);

    if (st == PTS_OK)
        st = add_files(f, dir, &names, "data", "perf.data");
    for (size_t i = 0; st == PTS_OK && i < names.at.len; i++)
        if (begins(names.at.at[i], "kcore_dir"))
            st = add_kcore(f, dir, names.at.at[i]);
    VEC_FREE(&names.at);
    return st;
}

static pts_status add_recording(struct bundle_files *f, const char *path)
{
    return input_is_dir(path) ? add_folder(f, path)
                              : bundle_add(f, path, "perf.data", "");
}

/* --- The run ----------------------------------------------------------------------- */

struct look {
    const struct sideband *sb;
    struct as_view *view;
    uint8_t *hit; /* by dso */
    uint32_t count;
};

static uint32_t of_class(void *ctx, enum out_class class)
{
    (void)ctx;
    (void)class;
    return WANT_CHAINS;
}

static pts_status begin(void *ctx, const struct scene *scene)
{
    struct look *l = ctx;

    l->sb = scene->sb;
    l->count = sb_dso_count(l->sb);
    l->hit = mem_zalloc((size_t)l->count + 1, 1);
    return l->hit ? as_view_new(l->sb, &l->view) : PTS_E_NOMEM;
}

static void look_at(struct look *l, const struct who *w, uint64_t ip)
{
    bool kernel = ip >> 63;
    const struct as_map *m = ip && w->thread < WHO_NOBODY
                                 ? as_find(l->view, w->thread, w->epoch, ip, kernel)
                                 : NULL;

    if (m && m->dso && m->dso->index < l->count)
        l->hit[m->dso->index] = 1;
}

static pts_status take(void *ctx, const struct batch *b, size_t from, size_t *next)
{
    struct look *l = ctx;

    for (size_t i = from; i < b->item.len; i++) {
        const struct sample *s = &b->item.at[i].sample;
        if (b->item.at[i].kind != ITEM_SAMPLE)
            continue;
        look_at(l, &s->who, s->ip);
        look_at(l, &s->who, s->addr);
        const struct sample_stacks *st = s->stacks;
        for (uint32_t k = 0; st && st->chain && k < st->chain_len; k++)
            look_at(l, &s->who, st->chain[k]);
        for (uint32_t k = 0; st && st->unwound && k < st->unwound_len; k++)
            look_at(l, &s->who, st->unwound[k]);
    }
    *next = b->item.len;
    return as_view_failed(l->view) ? PTS_E_NOMEM : PTS_OK;
}

static pts_status add_all(struct bundle_files *f, const struct run *r,
                          const struct look *l)
{
    pts_status st = PTS_OK;

    for (uint32_t i = 0; st == PTS_OK && i < l->count; i++) {
        const struct sb_dso *dso = sb_dso_at(l->sb, i);
        if (l->hit[i] || code_store_asked(r->codes, dso))
            st = add_dso(f, r, dso);
    }
    return st == PTS_OK ? add_dumps(f, r->session->jit) : st;
}

static pts_status look_around(struct run *r, const struct options *o,
                              struct bundle_files *f, struct pts_diag *why)
{
    struct look l = {0};
    struct plan_failed failed = {UINT64_MAX};
    const struct sink sink = {
        .wants = {.ctx = &l, .of_class = of_class},
          .begin = begin, .take = take
    };
    pts_status st = run_plan(r, o, &sink, &failed, why);

    r->silent = true;
    while (st == PTS_OK)
        st = run_step(r);
    if (st == PTS_END && l.hit)
        st = add_all(f, r, &l);
    if (st >= 0 && l.hit)
        notes_code(r);
    if (st >= 0)
        run_tell_damage(r);
    mem_free(l.hit);
    as_view_free(l.view);
    return st;
}

pts_status bundle_find(struct pts_session *s, struct bundle_files *out,
                       struct pts_diag *why)
{
    const struct pts_option all[] = {
        {"itrace", "ce"},
        {"jobs",   "0" }
    };
    struct options o;
    struct run *r = NULL;

    options_init(&o, NULL, NULL);
    pts_status st = options_parse(&o, all, 2, why);
    if (st >= 0)
        st = add_recording(out, s->path);
    if (st >= 0)
        st = run_new(s, &o, &r, why);
    if (st >= 0)
        st = look_around(r, &o, out, why);
    run_free(r);
    return st < 0 ? st : PTS_OK;
}

void bundle_files_free(struct bundle_files *f)
{
    VEC_FREE(&f->file);
    idmap_free(&f->names);
    arena_free(&f->arena);
}
