/* sb_mmap.c - which map a record makes, and of what.
 *
 * SPDX-License-Identifier: MIT
 *
 * docs/side-band.md lists the names that mean something else than a file.  perf 6.1
 * gives executable memory without a file the name of the file that a JIT compiler would
 * describe it in.  The kernel's own records make maps that all processes share.
 */
#include "walker/sideband/sideband_priv.h"

#include <stdio.h>
#include <string.h>

enum { MAP_SHARE = 1, MAP_HUGE = 0x40000 };

static bool is_anon(const struct sb_mmap *m)
{
    return m->flags & MAP_HUGE || strcmp(m->name, "//anon") == 0 ||
           strncmp(m->name, "/dev/zero", 9) == 0 ||
           strncmp(m->name, "/anon_hugepage", 14) == 0;
}

static bool is_memory(const char *name)
{
    return strncmp(name, "[stack", 6) == 0 || strncmp(name, "/SYSV", 5) == 0 ||
           strcmp(name, "[heap]") == 0;
}

enum { PROBE_MAX = 16 }; /* files that cannot be opened, one after the other */

/* The files that perf looks into at this point, see struct sb_probe. */
static pts_status note_probe(struct sideband *sb, uint32_t space)
{
    struct probe p = {.epoch = sb_now(sb), .first = sb->probe_dso.len};
    const struct as_map *m;

    for (uint32_t i = 0; p.count < PROBE_MAX && (m = space_map(sb, space, i)); i++) {
        /* Memory and the like have no file to look into. */
        if (m->dso->long_name[0] != '/')
            continue;
        uint32_t *dso = VEC_PUSH(&sb->probe_dso);
        if (!dso)
            return PTS_E_NOMEM;
        *dso = m->dso->index;
        p.count++;
    }
    if (!p.count)
        return PTS_OK;
    struct probe *to = VEC_PUSH(&sb->probe);
    if (to)
        *to = p;
    return to ? PTS_OK : PTS_E_NOMEM;
}

/* Of a thread, as the first of its mapped files that can be read says. */
static int thread_bits(const struct sideband *sb, uint32_t space)
{
    const struct as_map *m;
    int bits = 0;

    for (uint32_t i = 0; !bits && i < PROBE_MAX && (m = space_map(sb, space, i)); i++)
        if (m->dso->long_name[0] == '/')
            bits = dso_bits(&sb->dsos, m->dso);
    return bits;
}

typedef bool (*stays_fn)(const struct sideband *sb, const struct as_map *m);

/* A map, but for what lies on maps that stay. */
static pts_status insert_behind(struct sideband *sb, uint32_t space,
                                const struct as_map *map, stays_fn stays)
{
    VEC(struct as_map) piece = {0};
    const struct as_map *m;
    uint64_t from = map->start;
    bool failed = false;

    for (uint32_t i = 0; !failed && from < map->end; i++) {
        m = space_map(sb, space, i);
        if (m && (m->end <= from || !stays(sb, m)))
            continue;
        const uint64_t to = m && m->start < map->end ? m->start : map->end;
        struct as_map *new = to > from ? VEC_PUSH(&piece) : NULL;
        failed = to > from && !new;
        if (new) {
            *new = *map;
            new->start = from;
            new->end = to;
            new->pgoff += from - map->start;
        }
        from = to < map->end ? m->end : to;
    }
    pts_status st = failed ? PTS_E_NOMEM : PTS_OK;
    for (size_t i = 0; st == PTS_OK && i < piece.len; i++)
        st = space_insert(sb, space, &piece.at[i]);
    VEC_FREE(&piece);
    return st;
}

/* Where somebody gave an image by hand, there the code is, and not in a file that cannot be read. */
static bool is_given(const struct sideband *sb, const struct as_map *m)
{
    return image_is_given(sb->dsos.images, m->dso->long_name);
}

static bool is_any(const struct sideband *sb, const struct as_map *m)
{
    (void)sb;
    return m != NULL;
}

static pts_status user_insert(struct sideband *sb, uint32_t space,
                              const struct as_map *map)
{
    struct image_store *images = sb->dsos.images;

    if (images && image_is_given(images, NULL) && !dso_has_file(&sb->dsos, map->dso))
        return insert_behind(sb, space, map, is_given);
    return space_insert(sb, space, map);
}

static pts_status user_mmap(struct sideband *sb, const struct sb_mmap *m)
{
    uint32_t t;
    struct dso *d = NULL;
    pts_status st = thread_findnew(sb, m->pid, m->tid, &t);
    if (st != PTS_OK)
        return st;
    bool memory = is_anon(m) || is_memory(m->name);
    const struct thread *owner = &sb->thread.at[t];
    const char *name = m->name;
    char text[40];
    if (memory && m->prot & AS_EXECUTE && owner->name_pid) {
        snprintf(text, sizeof(text), "/tmp/perf-%d.map", (int)owner->name_pid);
        name = text;
    }
    if (image_is_vdso(m->name))
        st = dso_of_vdso(&sb->dsos, m, thread_bits(sb, owner->space), &d);
    else
        st = dso_of_map(&sb->dsos, m, name, name != text && memory, &d);
    if (st != PTS_OK)
        return st;
    /* The vdso's file is a copy of what was mapped, from its beginning on. */
    bool vdso = d->pub.kind == DSO_VDSO;
    if (vdso && (st = note_probe(sb, owner->space)) != PTS_OK)
        return st;
    struct as_map map = {m->start, m->start + m->len, vdso ? 0 : m->pgoff,
                         &d->pub,  m->prot,           memory};
    map.prot |= m->flags & MAP_SHARE ? AS_SHARED : 0;
    return user_insert(sb, owner->space, &map);
}

pts_status sb_code(struct sideband *sb, const struct sb_code *c)
{
    uint32_t t;
    struct dso *d = NULL;
    pts_status st = thread_findnew(sb, c->pid, c->tid, &t);

    if (st == PTS_OK)
        st = dso_of_code(&sb->dsos, c->name, c->code, &d);
    if (st != PTS_OK)
        return st;
    const struct as_map map = {c->start, c->start + c->len, SB_JIT_OFF,
                               &d->pub,  AS_EXECUTE,        false};
    return space_insert(sb, sb->thread.at[t].space, &map);
}

static pts_status kernel_push(struct sideband *sb, const struct sb_mmap *m,
                              const struct dso *d, uint64_t pgoff, bool identity)
{
    uint64_t end = m->start + m->len;
    struct as_map map = {m->start, end, pgoff, &d->pub, m->prot, identity};
    if (identity && !m->start && !end)
        map.end = UINT64_MAX; /* recorded where addresses are hidden */
    return space_insert(sb, SPACE_KERNEL, &map);
}

/* The map of the kernel is there once; a later record moves it.  Behind the bracket
 * in its name stands a symbol, and pgoff is the address that this symbol had. */
static pts_status kernel_mmap(struct sideband *sb, const struct sb_mmap *m)
{
    if (sb->kern.source != KERNEL_NONE)
        return PTS_OK; /* its code says better where it is */
    const char *ref = strchr(m->name, ']');
    if (ref && ref[1]) {
        sb->kern.ref = arena_strndup(&sb->arena, ref + 1, strlen(ref + 1));
        sb->kern.ref_addr = m->pgoff;
        if (!sb->kern.ref)
            return PTS_E_NOMEM;
    }
    pts_status st = dso_of_kernel(&sb->dsos, m, &sb->kernel);
    if (st == PTS_OK && sb->kernel_map != SB_NONE)
        st = space_remove(sb, SPACE_KERNEL, sb->kernel_map);
    if (st != PTS_OK)
        return st;
    uint32_t first = (uint32_t)sb->map.len;
    st = kernel_push(sb, m, sb->kernel, 0, true);
    sb->kernel_map = sb->map.len > first ? first : SB_NONE;
    return st;
}

/* Its maps are called as it is; recorded within a guest, as that of a host. */
static bool names_kernel(const struct sideband *sb, const char *name)
{
    static const char host[] = "[kernel.kallsyms";
    const char *guest = sb->dsos.kernel_name;

    return strncmp(name, host, sizeof(host) - 1) == 0 ||
           strncmp(name, guest, strlen(guest) - 1) == 0;
}

/* Of a guest that nobody asked for.  To perf it is a module of the host. */
static pts_status guest_kernel_mmap(struct sideband *sb, const struct sb_mmap *m)
{
    struct dso *d;

    if (names_kernel(sb, m->name) || (m->name[0] != '/' && m->name[0] != '['))
        return PTS_OK;
    pts_status st = dso_of_module(&sb->dsos, m, &d);
    if (st != PTS_OK)
        return st;
    const struct as_map map = {m->start, m->start + m->len, 0, &d->pub, m->prot, false};
    return insert_behind(sb, SPACE_KERNEL, &map, is_any);
}

/* The kernel's own maps go by their names: itself, a module, the trampoline of old
 * kernels.  Others are nothing to perf. */
pts_status sb_mmap(struct sideband *sb, const struct sb_mmap *m)
{
    if (m->guest_kernel)
        return guest_kernel_mmap(sb, m);
    if (!m->kernel)
        return user_mmap(sb, m);
    if (names_kernel(sb, m->name))
        return kernel_mmap(sb, m);
    if (m->name[0] == '/' || m->name[0] == '[') {
        struct dso *d;
        pts_status st = dso_of_module(&sb->dsos, m, &d);
        return st != PTS_OK ? st : kernel_push(sb, m, d, 0, false);
    }
    if (strcmp(m->name, "__entry_SYSCALL_64_trampoline") == 0 && sb->kernel)
        return kernel_push(sb, m, sb->kernel, m->pgoff, false);
    return PTS_OK;
}
