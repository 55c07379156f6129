/* resolve_place.c - what lies at an address: dso, symbol, instruction, source line.
 *
 * SPDX-License-Identifier: MIT
 *
 * Every answer begins with the map that holds the address for that thread at that
 * time; the map names a dso, and what is known of a dso is read from files when
 * somebody first asks for it, and kept:
 *
 *     map -> dso -> code      code_store: bytes, instructions as text
 *                -> symbols   dso_syms.tab
 *                   -> lines  dso_syms.lines: FILE:LINE, inlined functions, source text
 *
 * Lines need the table of symbols, even an empty one: it says which file they are in.
 * What is wrong with a file is no failure; then there is just no answer.
 *
 * Two structs: the base has what was read from files and is shared by all who ask
 * within a run, the resolver has what belongs to one caller, such as the text that it
 * was given last.  A text is lent until the next question.
 */
#include "synth/symbol/resolve_priv.h"

#include "decoder/base/arena.h"
#include "synth/symbol/sym_dso.h"
#include "synth/symbol/sym_kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The maps of a machine, as a number in struct sb_dso. */
static struct as_view *view_of(struct resolve *r, uint32_t machine)
{
    if (!machine)
        return r->view;
    struct as_view **at = &r->guest[machine - 1].view;
    if (!*at && as_view_new(sb_guest_at(r->base->sb, machine - 1), at) < 0)
        *at = NULL;
    return *at;
}

/* Where a thread's addresses are looked up; NULL: nowhere.  Code of a guest that is within
 * its process is that of the host. */
static struct as_view *view_for(struct resolve *r, const struct who *w, bool kernel)
{
    if (w->guest == WHO_GUEST_CODE && !kernel)
        return r->view;
    if (w->guest == WHO_GUEST_CODE) {
        uint32_t guest = sb_guest_code_kernel(r->base->sb, w->pid);
        return guest != SB_NONE ? view_of(r, guest + 1) : NULL;
    }
    return w->guest < r->base->machines ? view_of(r, w->guest) : NULL;
}

/* Maps of one side only, by what the sample says of the mode: an address alone would
 * tell, but perf goes by the mode.  In a guest there is no other machine. */
const struct as_map *resolve_map(struct resolve *r, const struct who *w,
                                 uint8_t cpumode, uint64_t ip)
{
    bool kernel = cpumode == PTS_MODE_KERNEL || cpumode == PTS_MODE_GUEST_KERNEL;

    if (mode_is_guest(cpumode) && !w->guest)
        return NULL;
    if (!kernel && cpumode != PTS_MODE_USER && cpumode != PTS_MODE_GUEST_USER)
        return NULL;
    if (!kernel && w->thread == SB_NONE)
        return NULL;
    struct as_view *view = view_for(r, w, kernel);
    return view ? as_find(view, w->thread, w->epoch, ip, kernel) : NULL;
}

static void symbols_load(struct resolve *r, const struct sb_dso *dso,
                         struct dso_syms *s)
{
    struct as_view *view = view_of(r, dso->machine);

    code_store_let_go(r->base->codes, dso);
    if (!view || sym_dso_load(&r->base->symbols[dso->machine], view, dso, &s->tab) < 0)
        s->tab = NULL;
    /* Files of its name may be another program's: who looks for code notes that. */
    if (dso->build_id_len && !(s->tab && symtab_is_elf(s->tab)))
        (void)code_store_has(r->base->codes, dso);
    atomic_store_explicit(&s->tried, true, memory_order_release);
}

/* The symbols of a dso; NULL when there are none.  The first look-up in a table that
 * could not be read to its end finds nothing, as in perf. */
const struct symtab *resolve_symbols(struct resolve *r, const struct sb_dso *dso)
{
    uint32_t number = sb_dso_number(r->base->sb, dso);

    if (number >= r->base->dso_count || dso->kind == DSO_NONE)
        return NULL;
    struct dso_syms *s = &r->base->dso[number];
    if (atomic_load_explicit(&s->tried, memory_order_acquire))
        return s->tab;
    if (r->apart) {
        r->missed = true;
        return NULL;
    }
    symbols_load(r, dso, s);
    return s->tab && symtab_failed(s->tab) ? NULL : s->tab;
}

bool resolve_is_kcore(const struct resolve *r, const struct sb_dso *dso)
{
    const struct sb_kernel *k = sb_kernel(sb_machine(r->base->sb, dso));

    return k->dso == dso && k->source == KERNEL_KCORE;
}

/* The kernel's path is that of its code, without symfs. */
static const char *kernel_path(const struct resolve *r, const struct sb_dso *dso)
{
    const struct sb_kernel *k = sb_kernel(sb_machine(r->base->sb, dso));

    return k->code && k->dso == dso
               ? image_path_told(&r->base->opts.syms.files, k->code->path)
               : dso->path;
}

/* perf's long name. */
static const char *told_path(const struct resolve *r, const struct sb_dso *dso)
{
    return dso->kind == DSO_KERNEL ? kernel_path(r, dso) : dso->path;
}

/* As much as is known: without a map there is no dso, without a table no symbol. */
static void resolve_place(void *ctx, const struct who *w, uint8_t cpumode, uint64_t ip,
                          struct place *out)
{
    struct resolve *r = ctx;
    const struct as_map *m = resolve_map(r, w, cpumode, ip);

    *out = (struct place){.ip = ip,
                          .addr = m ? map_addr(m, ip) : ip,
                          .map_off = m ? map_offset(m, ip) : ip};
    if (!m || !m->dso)
        return;
    out->of_dso = m->dso;
    out->dso = m->dso->long_name;
    out->dso_short = m->dso->short_name;
    out->dso_path = told_path(r, m->dso);
    out->dso_order = sb_dso_number(r->base->sb, m->dso) + 1;
    out->map_start = m->start;
    out->map_prot = (uint8_t)m->prot;
    out->map_end = m->end;
    out->build_id = m->dso->build_id;
    out->build_id_len = m->dso->build_id_len;
    if (r->base->opts.kernel_path &&
        (m->dso->kind == DSO_KERNEL || m->dso->kind == DSO_MODULE))
        out->dso = out->dso_path;
    out->kernel = m->dso->kind == DSO_KERNEL || m->dso->kind == DSO_MODULE ||
                  m->dso->kind == DSO_KSYMBOL;
    /* A piece of code that the kernel made (BPF): the map is the symbol, and there is
     * no file. */
    if (m->dso->kind == DSO_KSYMBOL) {
        out->sym = m->dso->long_name;
        out->sym_off = ip - m->start;
        out->sym_ip = m->start;
        out->sym_start = map_addr(m, m->start);
        out->sym_end = map_addr(m, m->end);
        return;
    }
    const struct symtab *tab = resolve_symbols(r, m->dso);
    out->unread = r->missed;
    if (tab && !out->build_id_len) { /* which perf learns when it reads symbols */
        out->build_id = symtab_id(tab)->bytes;
        out->build_id_len = symtab_id(tab)->len;
    }
    out->sym_from = tab ? symtab_letter(tab) : '\0';
    out->in_memory = tab && symtab_in_memory(tab);
    out->elf = (tab && symtab_is_elf(tab)) || resolve_is_kcore(r, m->dso);
    uint64_t addr = out->addr;
    const struct sym *sym = tab ? symtab_find(tab, addr) : NULL;
    if (!sym)
        return;
    out->of_sym = sym;
    out->sym = symtab_name(tab, sym);
    out->sym_off = sym_offset(sym, addr, m->start);
    /* Symbols are filed by offset in the file: back to where this one was mapped. */
    out->sym_ip = ip - (addr - sym->start);
    out->sym_start = sym->start;
    out->sym_end = sym->end;
    out->sym_bind = sym->bind;
    out->sym_data = sym->data;
    out->sym_tail = sym->tail;
}

static const char *resolve_comm(void *ctx, const struct who *w)
{
    struct resolve *r = ctx;
    if (w->thread == WHO_NOBODY)
        return ":-1";
    if (w->guest == WHO_GUEST_CODE) {
        snprintf(r->unnamed, sizeof(r->unnamed), "[guest/%d]", (int)w->pid);
        return r->unnamed;
    }
    if (w->thread == SB_NONE) { /* named by nothing so far: perf invents this */
        snprintf(r->unnamed, sizeof(r->unnamed), ":%d", (int)w->tid);
        return r->unnamed;
    }
    return sb_comm_at(w->guest ? sb_guest_at(r->base->sb, w->guest - 1) : r->base->sb,
                      w->thread, w->epoch);
}

/* --- Making one ------------------------------------------------------------------- */

pts_status resolve_base_new(const struct sideband *sb, struct code_store *codes,
                            const struct resolve_opts *opts, struct resolve_base **out)
{
    struct resolve_base *b = mem_zalloc(1, sizeof(*b));
    if (!b)
        return PTS_E_NOMEM;
    b->sb = sb;
    b->codes = codes;
    b->opts = *opts;
    b->dso_count = sb_dso_total(sb);
    b->machines = sb_guest_count(sb) + 1;
    b->dso = mem_zalloc((size_t)b->dso_count + 1, sizeof(*b->dso));
    b->symbols = mem_zalloc(b->machines, sizeof(*b->symbols));
    if (!b->dso || !b->symbols) {
        resolve_base_free(b);
        return PTS_E_NOMEM;
    }
    for (uint32_t i = 0; i < b->machines; i++)
        b->symbols[i] = (struct sym_sources){
            .sb = i ? sb_guest_at(sb, i - 1) : sb, .codes = codes, .opts = opts->syms};
    *out = b;
    return PTS_OK;
}

void resolve_base_free(struct resolve_base *b)
{
    if (!b)
        return;
    for (uint32_t i = 0; b->dso && i < b->dso_count; i++) {
        srcline_free(b->dso[i].lines);
        symtab_free(b->dso[i].tab);
    }
    for (uint32_t i = 0; b->symbols && i < b->machines; i++)
        kernel_syms_free(b->symbols[i].kernel);
    mem_free(b->symbols);
    mem_free(b->dso);
    mem_free(b);
}

bool resolve_asked(const struct resolve_base *b, const struct sb_dso *dso)
{
    uint32_t number = sb_dso_number(b->sb, dso);

    return number < b->dso_count && b->dso[number].tried;
}

pts_status resolve_new(struct resolve_base *base, struct resolve **out)
{
    struct resolve *r = mem_zalloc(1, sizeof(*r));
    if (!r)
        return PTS_E_NOMEM;
    r->base = base;
    r->look = (struct lookup){.ctx = r, .place = resolve_place, .comm = resolve_comm};
    resolve_answers_code(&r->look);
    resolve_answers_lines(&r->look);
    r->guest = mem_zalloc(base->machines, sizeof(*r->guest));
    pts_status st = r->guest ? as_view_new(base->sb, &r->view) : PTS_E_NOMEM;
    if (st < 0) {
        mem_free(r->guest);
        mem_free(r);
        return st;
    }
    *out = r;
    return PTS_OK;
}

void resolve_free(struct resolve *r)
{
    if (!r)
        return;
    srccode_free(r->sources);
    insn_close(r->printer);
    VEC_FREE(&r->last_code);
    as_view_free(r->view);
    for (uint32_t i = 0; i + 1 < r->base->machines; i++)
        as_view_free(r->guest[i].view);
    mem_free(r->guest);
    mem_free(r);
}

void resolve_apart(struct resolve *r)
{
    r->apart = true;
}

bool resolve_missed(struct resolve *r)
{
    bool missed = r->missed;

    r->missed = false;
    return missed;
}

const struct lookup *resolve_lookup(struct resolve *r)
{
    return &r->look;
}
