/* where.c - ids of files and symbols.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf remembers for each file the address that was last looked up, and what was found.  A new
 * "unknown" symbol becomes what was found there if that address is not before it, though it may
 * be far behind; so the next look-up of that very address finds the wrong one.  It is in perf's
 * tables, hence here.
 */
#include "synth/export/where.h"

#include "synth/symbol/sym.h"

#include <string.h>

pts_status export_where_init(struct export_where *w)
{
    w->dso_count = sb_dso_total(w->scene->sb);
    w->dso = mem_zalloc((size_t)w->dso_count + 1, sizeof(*w->dso));
    pts_status st = w->dso ? resolve_new(w->scene->places, &w->resolve) : PTS_E_NOMEM;
    return st == PTS_OK ? places_new(resolve_lookup(w->resolve), &w->places) : st;
}

void export_where_free(struct export_where *w)
{
    for (uint32_t i = 0; w->dso && i < w->dso_count; i++)
        idmap_free(&w->dso[i].unknown);
    mem_free(w->dso);
    places_free(w->places);
    resolve_free(w->resolve);
    idmap_free(&w->known);
    VEC_FREE(&w->symbol);
}

static struct export_dso *dso_of(struct export_where *w, const struct place *p)
{
    return &w->dso[sb_dso_number(w->scene->sb, p->of_dso)];
}

/* What a symbol of a file goes by: none has the address of another. */
static uint64_t known_key(const struct place *p)
{
    return (uint64_t)(uintptr_t)(p->of_sym ? (const void *)p->of_sym : p->of_dso);
}

/* --- Looking up ------------------------------------------------------------------- */

/* A symbol that has no id yet is EXPORT_NO_SYMBOL.  Addresses of a file are looked up one after
 * the other. */
static uint32_t symbol_of(const struct export_where *w, const struct export_dso *d,
                          const struct place *p)
{
    return p->sym ? idmap_get(&w->known, known_key(p))
                  : idmap_get(&d->unknown, p->addr);
}

static void look_in(const struct export_where *w, struct export_dso *d,
                    struct export_at *at)
{
    if (d->last_addr == at->place.addr && d->last) {
        at->symbol = d->last - 1;
        return;
    }
    at->symbol = symbol_of(w, d, &at->place);
    d->last_addr = at->place.addr;
    d->last = at->symbol == EXPORT_NO_SYMBOL ? 0 : at->symbol + 1;
}

void export_where_look(struct export_where *w, const struct who *who, uint8_t how,
                       uint64_t ip, struct export_at *out)
{
    out->place = *place_at(w->places, who, how, ip);
    out->symbol = EXPORT_NO_SYMBOL;
    out->dso_id = out->symbol_id = 0;
    out->off = 0;
    if (!out->place.of_dso)
        return;
    look_in(w, dso_of(w, &out->place), out);
}

void export_where_again(struct export_where *w, struct export_at *at)
{
    if (!at->place.of_dso || at->symbol != EXPORT_NO_SYMBOL || at->place.sym)
        return;
    at->place.addr = at->place.ip;
    look_in(w, dso_of(w, &at->place), at);
}

/* --- Ids -------------------------------------------------------------------------- */

static pts_status put_dso(struct export_where *w, uint32_t machine,
                          const struct place *p, uint32_t id)
{
    static const char digit[] = "0123456789abcdef";
    char build_id[2 * SB_BUILD_ID_MAX + 1];
    size_t n = 0;

    for (; n < p->build_id_len; n++) {
        build_id[2 * n] = digit[p->build_id[n] >> 4];
        build_id[2 * n + 1] = digit[p->build_id[n] & 0xf];
    }
    build_id[2 * n] = '\0';
    const struct export_value row[] = {EXPORT_N(id), EXPORT_N(machine),
                                       EXPORT_S(p->dso_short), EXPORT_S(p->dso_path),
                                       EXPORT_S(build_id)};
    return EXPORT_PUT(w->to, DSO, row);
}

static pts_status put_symbol(struct export_where *w, uint32_t dso_id,
                             const struct export_symbol *s, uint8_t bind)
{
    const struct export_value row[] = {EXPORT_N(s->id),    EXPORT_N(dso_id),
                                       EXPORT_N(s->start), EXPORT_N(s->end),
                                       EXPORT_N(bind),     EXPORT_S(s->name)};
    return EXPORT_PUT(w->to, SYMBOL, row);
}

/* The symbol of a file, which is new, or one that is made up. */
static pts_status add_symbol(struct export_where *w, struct export_dso *d,
                             struct export_at *at)
{
    const struct place *p = &at->place;
    uint32_t index = (uint32_t)w->symbol.len;
    struct export_symbol *s = index < IDMAP_NONE ? VEC_PUSH(&w->symbol) : NULL;

    struct idmap *map = p->sym ? &w->known : &d->unknown;
    uint64_t key = p->sym ? known_key(p) : p->addr;

    /* Of two at one address the first is found: a branch to itself makes them. */
    if (!s || (idmap_get(map, key) == IDMAP_NONE && !idmap_set(map, key, index)))
        return PTS_E_NOMEM;
    *s = p->sym ? (struct export_symbol){p->sym_start, p->sym_end, p->sym, index + 1}
                : (struct export_symbol){p->addr, p->addr, "unknown", index + 1};
    at->symbol = index;
    if (!p->sym && d->last_addr >= p->addr)
        d->last = index + 1;
    return put_symbol(w, d->id, s, p->of_sym ? p->of_sym->bind : 0);
}

pts_status export_where_ids(struct export_where *w, uint32_t machine,
                            struct export_at *at)
{
    pts_status st = PTS_OK;

    if (!at->place.of_dso)
        return PTS_OK;
    struct export_dso *d = dso_of(w, &at->place);
    if (!d->id) {
        d->id = ++w->dsos;
        st = put_dso(w, machine, &at->place, d->id);
    }
    /* That of the branch's source may be that of its target, too. */
    if (at->symbol == EXPORT_NO_SYMBOL && at->place.sym)
        at->symbol = symbol_of(w, d, &at->place);
    if (st == PTS_OK && at->symbol == EXPORT_NO_SYMBOL)
        st = add_symbol(w, d, at);
    if (st < 0)
        return st;
    at->dso_id = d->id;
    at->symbol_id = w->symbol.at[at->symbol].id;
    at->off = at->place.addr - w->symbol.at[at->symbol].start;
    return PTS_OK;
}
