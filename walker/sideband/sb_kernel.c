/* sb_kernel.c - the kernel's maps, once its code is found.
 *
 * SPDX-License-Identifier: MIT
 *
 * Records say where the kernel and its modules lay.  A copy of the kernel's memory (kcore)
 * says it better: each of its segments becomes a map, of the one dso of the kernel, in the
 * place of all those maps:
 *
 *     records   [kernel.kallsyms]     [virtio] [fat]  [vfat]  bpf_prog_1
 *     kcore     [text.................] [modules...................]
 *     maps      [text.................] [modules...................]  bpf_prog_1
 *
 * BPF programs keep their own maps.  perf looks for all this when it first needs a symbol or
 * code of the kernel; here it is done at the first record that could make it do so, since
 * what comes before only says what was mapped.
 */
#include "walker/code/kallsyms.h"
#include "walker/code/kernel_extent.h"
#include "walker/code/kernel_files.h"
#include "walker/sideband/sideband_priv.h"

#include <string.h>

/* --- What is wanted --------------------------------------------------------------- */

static bool is_bpf(const struct sb_dso *d)
{
    return d->kind == DSO_KSYMBOL && strncmp(d->long_name, "bpf_prog_", 9) == 0;
}

/* The modules as recorded: n of them, in the arena. */
static const struct kernel_module *modules_now(struct sideband *sb, size_t *n)
{
    const struct as_map *m;
    uint32_t count = sb->space.at[SPACE_KERNEL].len;
    struct kernel_module *out = arena_alloc(&sb->arena, (count + 1) * sizeof(*out));

    *n = 0;
    for (uint32_t i = 0; out && (m = space_map(sb, SPACE_KERNEL, i)); i++)
        if (m->dso->kind == DSO_MODULE && m->dso->short_name[0] == '[')
            out[(*n)++] =
                (struct kernel_module){m->dso->short_name, m->start, m->dso->index};
    return out;
}

/* --- Its code --------------------------------------------------------------------- */

struct segments {
    struct sideband *sb;
    uint64_t text; /* the symbol _stext */
    bool found;    /* the segment with it */
};

/* The part of a segment that nothing lies on yet: what stays there are BPF programs. */
static pts_status segment_push(struct sideband *sb, struct as_map m)
{
    const struct as_map *there;
    uint64_t from = m.start;
    VEC(struct as_map) piece = {0};
    pts_status st = PTS_OK;

    for (uint32_t i = 0; (there = space_map(sb, SPACE_KERNEL, i)); i++) {
        if (there->end <= from || there->start >= m.end)
            continue;
        struct as_map *p = there->start > from ? VEC_PUSH(&piece) : NULL;
        if (p)
            *p = (struct as_map){from,  there->start, m.pgoff + (from - m.start),
                                 m.dso, m.prot,       false};
        else if (there->start > from)
            st = PTS_E_NOMEM;
        from = there->end;
    }
    for (size_t i = 0; st == PTS_OK && i < piece.len; i++)
        st = space_insert(sb, SPACE_KERNEL, &piece.at[i]);
    VEC_FREE(&piece);
    if (st != PTS_OK || from >= m.end)
        return st;
    m.pgoff += from - m.start;
    m.start = from;
    return space_insert(sb, SPACE_KERNEL, &m);
}

static pts_status segment_map(void *ctx, const struct image_segment *seg)
{
    struct segments *s = ctx;
    struct sideband *sb = s->sb;

    if (seg->addr + seg->len < seg->addr)
        return PTS_OK;
    const struct as_map m = {seg->addr,        seg->addr + seg->len, seg->off,
                             &sb->kernel->pub, AS_EXECUTE,           false};
    uint32_t first = (uint32_t)sb->map.len;
    pts_status st = segment_push(sb, m);
    bool text = s->text >= m.start && s->text < m.end;
    if (st == PTS_OK && sb->map.len > first && (sb->kernel_map == SB_NONE || text) &&
        !s->found) {
        sb->kernel_map = first;
        s->found = text;
    }
    return st;
}

static pts_status remove_all(struct sideband *sb)
{
    pts_status st = PTS_OK;

    sb->kernel_map = SB_NONE;
    for (uint32_t i = 0; st == PTS_OK && i < sb->space.at[SPACE_KERNEL].len;) {
        const struct as_map *m = space_map(sb, SPACE_KERNEL, i);
        sb->kern.hides |= m->dso->kind == DSO_KSYMBOL && !is_bpf(m->dso);
        if (is_bpf(m->dso))
            i++;
        else
            st = space_remove(sb, SPACE_KERNEL, (uint32_t)(m - sb->map.at));
    }
    return st;
}

static pts_status map_kcore(struct sideband *sb, const struct kallsyms *names)
{
    struct segments s = {.sb = sb};
    struct image_elf core;

    kallsyms_function(names, "_stext", &s.text);
    if (image_elf_of(sb->kern.code->base, sb->kern.code->size, &core) != PTS_OK)
        return PTS_OK;
    pts_status st = remove_all(sb);
    /* What a copy that was cut lacks has no code, but names. */
    return st == PTS_OK ? image_elf_loads(&core, segment_map, &s) : st;
}

/* --- Its symbols ------------------------------------------------------------------ */

static uint64_t in_kernel_map(const struct sideband *sb, uint64_t addr)
{
    const struct as_map *m =
        sb->kernel_map != SB_NONE ? &sb->map.at[sb->kernel_map] : NULL;
    return m && addr >= m->start && addr < m->end ? addr : 0;
}

/* The first of that name (and of a type, unless that is 0) in the kernel; 0: there is none. */
static uint64_t named(const struct sideband *sb, const struct kallsyms *names,
                      const char *name, char type)
{
    struct kallsyms_iter it = kallsyms_begin(names);
    uint64_t at = 0;
    struct kallsym s;

    while (!at && kallsyms_named(&it, name, &s))
        if (!type || s.type == type)
            at = in_kernel_map(sb, s.addr - sb->kern.moved);
    return at;
}

/* Where the kernel switches threads, by the names that perf goes by. */
static void find_switches(struct sideband *sb, const struct kallsyms *names)
{
    struct sb_kernel *k = &sb->kern;

    k->switch_to = named(sb, names, "__switch_to", 'T');
    k->sched_out = named(sb, names, "__perf_event_task_sched_out", 0);
    k->trace_switch = named(sb, names, "perf_trace_sched_switch", 0);
}

/* Without its code: the kernel is as long as its symbols reach. */
static pts_status map_symbols(struct sideband *sb, const struct kallsyms *names,
                              const struct kernel_want *want)
{
    struct as_map m = sb->map.at[sb->kernel_map];
    uint64_t end;

    if (!kernel_extent(names, want, &m.start, &end))
        return PTS_OK;
    m.start -= sb->kern.moved;
    m.end = end - sb->kern.moved;
    pts_status st = space_remove(sb, SPACE_KERNEL, sb->kernel_map);
    uint32_t first = (uint32_t)sb->map.len;
    if (st == PTS_OK)
        st = space_insert(sb, SPACE_KERNEL, &m);
    sb->kernel_map = sb->map.len > first ? first : SB_NONE;
    return st;
}

/* How far the symbol that the recording names was from where the list has it. */
static bool find_moved(struct sb_kernel *k, const struct kallsyms *names)
{
    uint64_t addr = k->ref_addr;

    if (k->ref && !kallsyms_function(names, k->ref, &addr))
        return false;
    k->moved = addr - k->ref_addr;
    return true;
}

static pts_status take_names(struct sideband *sb, const struct kernel_want *want)
{
    struct sb_kernel *k = &sb->kern;
    struct kallsyms names;
    pts_status st = kallsyms_open(k->names, &names);

    if (st != PTS_OK) {
        k->source = KERNEL_NONE;
        k->trouble = KERNEL_NO_LIST;
        return st < 0 ? st : PTS_OK;
    }
    k->names_cut = names.cut;
    if (!find_moved(k, &names)) {
        k->source = KERNEL_NONE; /* of another kernel */
        k->trouble = KERNEL_NO_REF;
    } else if (k->source == KERNEL_KCORE) {
        k->moved = 0;
        st = map_kcore(sb, &names);
    } else {
        st = map_symbols(sb, &names, want);
    }
    if (st == PTS_OK)
        find_switches(sb, &names);
    kallsyms_close(&names);
    return st;
}

/* --- All -------------------------------------------------------------------------- */

static pts_status segment_note(void *ctx, const struct image_segment *seg)
{
    (void)seg;
    *(bool *)ctx = true;
    return PTS_OK;
}

/* What is wrong with a copy of memory. */
static enum kernel_trouble core_trouble(const struct image *code)
{
    struct image_elf core;
    bool any = false;

    if (image_elf_of(code->base, code->size, &core) == PTS_OK)
        (void)image_elf_loads(&core, segment_note, &any);
    if (!any)
        return KERNEL_NO_CORE;
    return image_elf_is_short(&core) ? KERNEL_CUT_CORE : KERNEL_FINE;
}

static pts_status take_code(struct sideband *sb, const char *path)
{
    struct sb_kernel *k = &sb->kern;
    pts_status st = image_get_file(sb->dsos.images, path, &k->code);

    if (st < 0 || (st == PTS_OK && k->source != KERNEL_KCORE))
        return st;
    if (st == PTS_OK)
        k->trouble = core_trouble(k->code);
    if (st == PTS_OK && k->trouble != KERNEL_NO_CORE)
        return st;
    k->code = NULL;
    k->source = KERNEL_KALLSYMS;
    k->trouble = KERNEL_NO_CORE;
    return PTS_OK;
}

static pts_status take_files(struct sideband *sb, const struct kernel_files *files,
                             const struct kernel_want *want)
{
    struct sb_kernel *k = &sb->kern;

    k->source = files->source;
    k->names = arena_strndup(&sb->arena, files->names, strlen(files->names));
    if (!k->names)
        return PTS_E_NOMEM;
    pts_status st = files->code[0] ? take_code(sb, files->code) : PTS_OK;
    if (st < 0)
        return st;
    return k->source == KERNEL_VMLINUX ? sb_map_vmlinux(sb) : take_names(sb, want);
}

static const char *given_of(const char *kallsyms, const char *vmlinux)
{
    return kallsyms ? kallsyms : vmlinux;
}

pts_status sb_find_kernel(struct sideband *sb)
{
    struct sb_kernel *k = &sb->kern;

    if (k->looked || !sb->dsos.images || !sb->kernel || sb->kernel_map == SB_NONE)
        return PTS_OK;
    k->looked = true;
    k->epoch = sb_now(sb);
    struct kernel_want want = {
        .id = build_id_of(sb->kernel->pub.build_id, sb->kernel->pub.build_id_len),
        .ref = sb->kern.ref,
        .ref_addr = sb->kern.ref_addr};
    want.module = modules_now(sb, &want.module_count);
    k->want = want;
    k->dso = &sb->kernel->pub;
    /* Too big for a stack. */
    struct kernel_files *files = arena_alloc(&sb->arena, sizeof(*files));
    if (!want.module || !files)
        return PTS_E_NOMEM;
    const struct image_opts *opts = image_store_opts(sb->dsos.images);
    if (sb->host)
        kernel_files_given(sb->given_names, sb->given_file, &want, files);
    else
        kernel_files_find(opts, &want, files);
    k->given = sb->host ? given_of(sb->given_names, sb->given_file)
                        : given_of(opts->kallsyms, opts->vmlinux);
    k->trouble = files->trouble;
    k->given_id = files->found;
    k->not_found = files->source == KERNEL_NONE && !opts->kallsyms && !opts->vmlinux &&
                   !files->has_entry;
    return files->source == KERNEL_NONE ? PTS_OK : take_files(sb, files, &want);
}

const struct sb_kernel *sb_kernel(const struct sideband *sb)
{
    return &sb->kern;
}
