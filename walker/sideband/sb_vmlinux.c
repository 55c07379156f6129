/* sb_vmlinux.c - the kernel's maps when it is known as the file that it was linked as.
 *
 * SPDX-License-Identifier: MIT
 *
 *     .text        the map of the kernel, [kernel.kallsyms]
 *     .init.text   a map and a dso of its own, [kernel.kallsyms].init.text
 *
 * and so on for each section with symbols in it.  Modules keep the maps of the recording.
 */
#include "walker/sideband/sideband_priv.h"

#include <stdio.h>
#include <string.h>

/* Symbols of which the address matters. */
struct wanted {
    struct sb_kernel *kernel;
    uint64_t ref;
    bool found;
};

static void symbol_look(void *ctx, const struct vmlinux_symbol *s)
{
    struct wanted *w = ctx;
    struct sb_kernel *k = w->kernel;

    if (k->ref && !w->found && strcmp(s->name, k->ref) == 0) {
        w->ref = s->addr;
        w->found = true;
    }
    if (!k->switch_to && s->global && strcmp(s->name, "__switch_to") == 0)
        k->switch_to = s->addr;
    else if (!k->sched_out && strcmp(s->name, "__perf_event_task_sched_out") == 0)
        k->sched_out = s->addr;
    else if (!k->trace_switch && strcmp(s->name, "perf_trace_sched_switch") == 0)
        k->trace_switch = s->addr;
}

static pts_status section_dso(struct sideband *sb, const struct vmlinux_section *s,
                              struct dso **out)
{
    char name[256];

    *out = sb->kernel;
    if (s->is_text)
        return PTS_OK;
    snprintf(name, sizeof(name), "%s%s", sb->kernel->pub.short_name, s->name);
    pts_status st = dso_of_symbol(&sb->dsos, name, out);
    if (st == PTS_OK) {
        (*out)->pub.kind = DSO_KERNEL;
        (*out)->pub.path =
            sb->kernel->pub.path; /* perf's slip: it is in the same file */
    }
    return st;
}

static pts_status section_map(struct sideband *sb, struct vmlinux_section *s)
{
    struct dso *d;
    pts_status st = section_dso(sb, s, &d);
    if (st != PTS_OK)
        return st;
    s->dso = d->pub.index;
    uint64_t start = s->addr - sb->kern.moved;
    const struct as_map m = {start,   start + s->size, s->off,
                             &d->pub, AS_EXECUTE,      false};
    uint32_t first = (uint32_t)sb->map.len;
    st = space_insert(sb, SPACE_KERNEL, &m);
    if (s->is_text && sb->map.len > first)
        sb->kernel_map = first;
    return st;
}

static void move(uint64_t *addr, uint64_t by)
{
    if (*addr)
        *addr -= by;
}

pts_status sb_map_vmlinux(struct sideband *sb)
{
    struct sb_kernel *k = &sb->kern;
    struct wanted w = {.kernel = k};
    struct image_elf file;

    if (image_elf_of(k->code->base, k->code->size, &file) != PTS_OK)
        return PTS_OK;
    pts_status st = vmlinux_read(&file, &sb->arena, &k->vmlinux);
    if (st != PTS_OK) {
        k->source = KERNEL_NONE;
        k->trouble = KERNEL_NO_LINKED;
        return st < 0 ? st : PTS_OK;
    }
    vmlinux_symbols(&file, symbol_look, &w);
    if (w.found)
        k->moved = w.ref - k->ref_addr;
    move(&k->switch_to, k->moved);
    move(&k->sched_out, k->moved);
    move(&k->trace_switch, k->moved);
    st = space_remove(sb, SPACE_KERNEL, sb->kernel_map);
    sb->kernel_map = SB_NONE;
    for (size_t i = 0; st == PTS_OK && i < k->vmlinux.count; i++) {
        struct vmlinux_section *s = &k->vmlinux.section[i];
        s->dso = SB_NONE;
        if (s->loaded && s->size && (s->named || s->is_text))
            st = section_map(sb, s);
    }
    return st;
}
