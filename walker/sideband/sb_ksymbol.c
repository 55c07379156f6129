/* sb_ksymbol.c - code that the kernel made or changed while the recording ran.
 *
 * SPDX-License-Identifier: MIT
 *
 * BPF programs and the pages of kprobes come with KSYMBOL records and get a map and a dso of
 * their own, unless they lie where the kernel's code is mapped already.  Changes (TEXT_POKE)
 * are of whatever is mapped at their address.
 */
#include "walker/sideband/sideband_priv.h"

/* A module in whose place it lies went before, of which there is no record.  It takes nothing
 * of a kcore along, where other modules are as well; perf 6.1 drops all that is mapped there. */
static pts_status ksymbol_gone(struct sideband *sb, uint32_t map)
{
    return map == SB_NONE || sb->map.at[map].dso->kind == DSO_KERNEL
               ? PTS_OK
               : space_remove(sb, SPACE_KERNEL, map);
}

pts_status sb_ksymbol(struct sideband *sb, const struct sb_ksymbol *k)
{
    uint32_t map = space_find(sb, SPACE_KERNEL, k->addr);
    if (sb->code_stays)
        return PTS_OK;
    if (k->gone)
        return ksymbol_gone(sb, map);
    if (map != SB_NONE) {
        sb->kern.hides |= sb->kern.looked;
        return PTS_OK; /* one more symbol of that map */
    }
    struct dso *d;
    pts_status st = dso_of_symbol(&sb->dsos, k->name, &d);
    if (st != PTS_OK)
        return st;
    if (k->out_of_line)
        d->pub.code_len = k->len < SB_OUT_OF_LINE_MAX ? k->len : SB_OUT_OF_LINE_MAX;
    struct as_map m = {k->addr, k->addr + k->len, 0, &d->pub, AS_EXECUTE, false};
    return space_insert(sb, SPACE_KERNEL, &m);
}

bool sb_in_kernel(const struct sideband *sb, uint64_t addr)
{
    uint32_t i = space_find(sb, SPACE_KERNEL, addr);
    return i != SB_NONE && sb->kernel && sb->map.at[i].dso == &sb->kernel->pub;
}

/* The dso that is mapped at an address of the kernel, and where the address is in it. */
static struct dso *dso_at_addr(const struct sideband *sb, uint64_t addr, uint64_t *off)
{
    uint32_t i = space_find(sb, SPACE_KERNEL, addr);
    if (i == SB_NONE)
        return NULL;
    const struct as_map *m = &sb->map.at[i];
    *off = m->identity ? addr : addr - m->start + m->pgoff;
    return sb->dsos.at.at[m->dso->index].dso;
}

pts_status sb_bpf(struct sideband *sb, uint64_t addr, struct pts_bytes code)
{
    uint64_t off;
    struct dso *d = dso_at_addr(sb, addr, &off);

    if (sb->code_stays)
        return PTS_OK;
    if (d && d->pub.kind == DSO_KSYMBOL && !d->pub.code && code.len <= UINT32_MAX) {
        d->pub.code = code.ptr;
        d->pub.code_len = (uint32_t)code.len;
    }
    return PTS_OK;
}

/* See struct sb_probe. */
static pts_status note_probe(struct sideband *sb, const struct dso *d)
{
    const struct probe p = {
        .epoch = sb_now(sb), .first = sb->probe_dso.len, .count = 1};
    uint32_t *dso = VEC_PUSH(&sb->probe_dso);
    struct probe *to = dso ? VEC_PUSH(&sb->probe) : NULL;

    if (!to)
        return PTS_E_NOMEM;
    *dso = d->pub.index;
    *to = p;
    return PTS_OK;
}

pts_status sb_poke(struct sideband *sb, uint64_t addr, const uint8_t *bytes, uint32_t n)
{
    uint64_t off;
    struct dso *d = dso_at_addr(sb, addr, &off);

    if (!d || !n || sb->code_stays)
        return PTS_OK;
    sb->kern.hides |= sb->kern.looked && d == sb->kernel;
    if (!d->pub.changes && d->pub.kind != DSO_KSYMBOL && note_probe(sb, d) != PTS_OK)
        return PTS_E_NOMEM;
    d->pub.changes = &d->changes;
    if (!patches_add(&d->changes, sb_now(sb), off, bytes, n))
        return PTS_E_NOMEM;
    return sb_note_change(sb, MAPS_ELSE);
}
