/* names.c - what lies at the addresses of rows, and who ran there.
 *
 * SPDX-License-Identifier: MIT
 *
 * Names are looked up as for text, in the same order and by the same places; a row only
 * gets their numbers (strings.h).  What costs much, source lines and inlined functions,
 * is in no row: a program asks for the address that it is about (rows_resolve).
 */
#include "decoder/base/address.h"
#include "synth/rows/rows.h"

#include <string.h>

static uint32_t clamp(uint64_t v)
{
    return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

/* The name of a thread that nothing has named is made up for each call. */
static uint32_t comm_of(struct rows *r, const struct who *w)
{
    const struct lookup *look = resolve_lookup(r->resolve);
    const char *comm = look->comm(look->ctx, w);

    return w->thread == SB_NONE ? strings_of(&r->strings, comm, strlen(comm))
                                : strings_kept(&r->strings, comm);
}

/* A place's names as numbers; false: there is no memory. */
static bool number(struct rows *r, const struct place *at, uint32_t *dso, uint32_t *sym,
                   uint32_t *off)
{
    *dso = strings_kept(&r->strings, at->dso);
    *sym = strings_kept(&r->strings, at->sym);
    *off = at->sym ? clamp(at->sym_off) : 0;
    return !*dso == !at->dso && !*sym == !at->sym;
}

pts_status rows_name(struct rows *r, struct pts_row *row, const struct sample *s,
                     bool target)
{
    if (r->want & PTS_WANT_COMM) {
        row->comm = comm_of(r, &s->who);
        if (!row->comm)
            return PTS_E_NOMEM;
    }
    if (r->want & PTS_WANT_SYMBOL) {
        const struct place *at = place_at(r->places, &s->who, s->cpumode, s->ip);
        if (!number(r, at, &row->dso, &row->sym, &row->symoff))
            return PTS_E_NOMEM;
    }
    /* The other address of a sample may be data, which has no symbol to be looked
     * for. */
    if (target && r->want & PTS_WANT_TARGET) {
        const struct place *at =
            place_at(r->places, &s->who, s->cpumode | PLACE_TARGET, s->addr);
        if (!number(r, at, &row->addr_dso, &row->addr_sym, &row->addr_symoff))
            return PTS_E_NOMEM;
    }
    return PTS_OK;
}

/* --- One address ------------------------------------------------------------------ */

static pts_status take_source(struct rows *r, const struct place_query *q,
                              struct pts_place *out)
{
    const struct lookup *look = resolve_lookup(r->resolve);
    const char *text;
    size_t n;
    pts_status st = look->srcline(look->ctx, q, &text, &n);

    /* FILE:LINE.  Without debug data the text is the name of the dso and an address. */
    if (st < 0 || !n || !memchr(text, ':', n))
        return st < 0 ? st : PTS_OK;
    r->source.len = 0;
    if (!VEC_ROOM(&r->source, n + 1))
        return PTS_E_NOMEM;
    memcpy(r->source.at, text, n);
    r->source.at[n] = '\0';
    out->source = r->source.at;
    return PTS_OK;
}

/* The last frame is the function itself, into which the others were inlined. */
static pts_status take_inlined(struct rows *r, const struct place_query *q,
                               struct pts_place *out)
{
    const struct lookup *look = resolve_lookup(r->resolve);
    const struct place_inlined *frames;
    size_t n;
    pts_status st = look->inlined(look->ctx, q, &frames, &n);

    r->inlined.len = 0;
    for (size_t i = 0; st == PTS_OK && i + 1 < n; i++) {
        struct pts_inlined *f = VEC_PUSH(&r->inlined);
        if (!f)
            return PTS_E_NOMEM;
        *f = (struct pts_inlined){frames[i].name, frames[i].srcline};
    }
    out->inlined = r->inlined.at;
    out->inlined_n = r->inlined.len;
    return st < 0 ? st : PTS_OK;
}

/* As in struct who, whose marks have all bits set but for the lowest one. */
static uint32_t guest_of(const struct pts_row *row)
{
    return (uint32_t)((int32_t)row->mode >> ROW_GUEST_SHIFT);
}

/* An address tells whose it is, but in a guest that nobody asked for. */
static uint8_t mode_of(const struct pts_row *row, uint64_t address)
{
    uint8_t mode = (uint8_t)row->mode;
    bool known = mode == PTS_MODE_USER || mode == PTS_MODE_KERNEL || guest_of(row);

    return known ? mode_at_addr(address, mode_is_guest(mode)) : mode;
}

pts_status rows_resolve(struct rows *r, const struct pts_row *row, uint64_t address,
                        struct pts_place *out)
{
    /* The row has all that was known when it was made: the answer is that of its time
     * (I2). */
    const struct who who = {.pid = row->pid,
                            .tid = row->tid,
                            .cpu = row->cpu,
                            .thread = row->thread,
                            .epoch = row->epoch,
                            .space = row->epoch,
                            .kernel_space = row->epoch,
                            .guest = guest_of(row)};
    const struct place_query q = {&who, address, mode_of(row, address)};
    const struct place *at = place_at(r->places, &who, q.cpumode, address);
    pts_status st = PTS_OK;

    out->dso = at->dso;
    out->symbol = at->sym;
    out->symbol_offset = at->sym ? at->sym_off : 0;
    out->file_offset = at->dso ? at->map_off : 0;
    out->source = NULL;
    out->inlined = NULL;
    out->inlined_n = 0;
    if (out->want_source)
        st = take_source(r, &q, out);
    if (st == PTS_OK && out->want_inlined && at->sym)
        st = take_inlined(r, &q, out);
    return st;
}
