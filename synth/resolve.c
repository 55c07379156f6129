/* resolve.c - what lies at an address: dso, symbol, instruction, source line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/resolve.h"

#include "decoder/arena.h"

#include <string.h>

struct dso_syms {
    struct symtab *tab; /* NULL: not loaded */
    bool tried;
};

struct resolve {
    const struct sideband *sb;
    struct code_store *codes;
    struct sym_opts opts;
    struct as_view *view;
    struct dso_syms *dso; /* by dso */
    uint32_t dso_count;
    struct lookup look;
};

static const struct as_map *map_at(struct resolve *r, const struct who *w,
                                   uint8_t cpumode, uint64_t ip)
{
    if (cpumode == CPUMODE_USER && w->thread != SB_NONE)
        return as_find(r->view, w->thread, w->epoch, ip, false);
    if (cpumode == CPUMODE_KERNEL)
        return as_find(r->view, w->thread, w->epoch, ip, true);
    return NULL;
}

/* The symbols of a dso; NULL when there are none.  The first look-up in a table that
 * could not be read to its end finds nothing, as in perf. */
static const struct symtab *symbols_of(struct resolve *r, const struct sb_dso *dso)
{
    if (dso->index >= r->dso_count || dso->kind == DSO_KERNEL ||
        dso->kind == DSO_MODULE || dso->kind == DSO_NONE)
        return NULL;
    struct dso_syms *s = &r->dso[dso->index];
    if (!s->tried) {
        struct sym_want want = {dso->long_name,
                                build_id_of(dso->build_id, dso->build_id_len)};
        s->tried = true;
        if (symtab_load(&r->opts, &want, &s->tab) < 0)
            s->tab = NULL;
        if (s->tab && symtab_failed(s->tab))
            return NULL;
    }
    return s->tab;
}

static uint64_t map_addr(const struct as_map *m, uint64_t ip)
{
    return m->identity ? ip : ip - m->start + m->pgoff;
}

static void resolve_place(void *ctx, const struct who *w, uint8_t cpumode, uint64_t ip,
                          struct place *out)
{
    struct resolve *r = ctx;
    const struct as_map *m = map_at(r, w, cpumode, ip);

    *out = (struct place){.ip = ip};
    if (!m || !m->dso)
        return;
    out->dso = m->dso->long_name;
    out->dso_short = m->dso->short_name;
    const struct symtab *tab = symbols_of(r, m->dso);
    uint64_t addr = map_addr(m, ip);
    const struct sym *sym = tab ? symtab_find(tab, addr) : NULL;
    if (!sym)
        return;
    out->sym = symtab_name(tab, sym);
    out->sym_off = sym_offset(sym, addr, m->start);
    out->sym_ip = ip - (addr - sym->start);
}

static const char *resolve_comm(void *ctx, const struct who *w)
{
    struct resolve *r = ctx;
    if (w->thread == SB_NONE)
        return ":-1";
    return sb_comm_at(r->sb, w->thread, w->epoch);
}

/* Bytes of code at ip, or 0. */
static size_t code_at(struct resolve *r, const struct who *w, uint64_t ip,
                      const uint8_t **bytes, enum ild_mode *mode)
{
    const struct as_map *m =
        map_at(r, w, ip >= KERNEL_START ? CPUMODE_KERNEL : CPUMODE_USER, ip);
    if (!m || !m->dso)
        return 0;
    const struct code *c = code_store_get(r->codes, m->dso);
    uint64_t off = ip - m->start + m->pgoff;
    if (!c->bytes || off >= c->size)
        return 0;
    *bytes = c->bytes + off;
    *mode = c->is_64bit ? ILD_64 : ILD_32;
    return (size_t)(c->size - off);
}

static size_t resolve_insn(void *ctx, const struct who *w, uint64_t ip, uint8_t *buf)
{
    const uint8_t *bytes = NULL;
    enum ild_mode mode = ILD_64;
    size_t n = code_at(ctx, w, ip, &bytes, &mode);
    size_t len = n ? ild_decode(bytes, n, mode).len : 0;

    if (len)
        memcpy(buf, bytes, len);
    return len;
}

static pts_status resolve_alloc(struct resolve *r)
{
    r->dso_count = sb_dso_count(r->sb);
    r->dso = mem_zalloc((size_t)r->dso_count + 1, sizeof(*r->dso));
    if (!r->dso)
        return PTS_E_NOMEM;
    return as_view_new(r->sb, &r->view);
}

pts_status resolve_new(const struct sideband *sb, struct code_store *codes,
                       const struct sym_opts *opts, struct resolve **out)
{
    struct resolve *r = mem_zalloc(1, sizeof(*r));
    if (!r)
        return PTS_E_NOMEM;
    r->sb = sb;
    r->codes = codes;
    r->opts = *opts;
    r->look = (struct lookup){
        .ctx = r, .place = resolve_place, .comm = resolve_comm, .insn = resolve_insn};
    pts_status st = resolve_alloc(r);
    if (st < 0) {
        resolve_free(r);
        return st;
    }
    *out = r;
    return PTS_OK;
}

void resolve_free(struct resolve *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; r->dso && i < r->dso_count; i++)
        symtab_free(r->dso[i].tab);
    mem_free(r->dso);
    as_view_free(r->view);
    mem_free(r);
}

const struct lookup *resolve_lookup(struct resolve *r)
{
    return &r->look;
}
