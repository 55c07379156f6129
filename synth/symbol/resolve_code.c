/* resolve_code.c - code at an address, as bytes and as text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/symbol/resolve_priv.h"

#include "decoder/base/arena.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Bytes of code at ip, `want` of them at most, or 0. */
/* By the address, not by the sample's mode: bytes are asked for at branch targets,
 * too. */
static size_t code_at(struct resolve *r, const struct who *w, uint64_t ip, size_t want,
                      const uint8_t **bytes, enum ild_mode *mode)
{
    const struct as_map *m = resolve_map(r, w, mode_at_addr(ip, w->guest != 0), ip);
    if (!m || !m->dso)
        return 0;
    const struct code *c = code_store_get(r->base->codes, m->dso);
    uint64_t off = as_code_off(m, ip);
    if (!c->bytes || off >= c->size)
        return 0;
    size_t n = want < JOINED_MAX ? want : JOINED_MAX;
    if (n > c->size - off)
        n = (size_t)(c->size - off);
    *bytes = code_read(c, w->epoch, off, r->changed, n);
    *mode = code_mode(c, c->is_64bit);
    return n;
}

/* The same of a bare trace: no further than the map, and on in the next one. */
static size_t code_over_maps(struct resolve *r, const struct who *w, uint64_t ip,
                             size_t want, const uint8_t **bytes, enum ild_mode *mode)
{
    size_t most = want < JOINED_MAX ? want : JOINED_MAX, n = 0, got = 0;
    enum ild_mode other;

    while (n < most) {
        uint64_t at = ip + n;
        const struct as_map *m = resolve_map(r, w, mode_at_addr(at, w->guest != 0), at);
        got = code_at(r, w, at, most - n, bytes, n ? &other : mode);
        if (m && got > m->end - at)
            got = (size_t)(m->end - at);
        if (!got || got == most)
            break;
        memcpy(r->joined + n, *bytes, got);
        n += got;
    }
    if (!n)
        return got;
    *bytes = r->joined;
    return n;
}

static bool resolve_code(void *ctx, const struct who *w, uint64_t ip,
                         struct place_code *out)
{
    struct resolve *r = ctx;
    enum ild_mode mode = ILD_64;

    out->len = r->base->opts.bare ? code_over_maps(r, w, ip, out->want, &out->at, &mode)
                                  : code_at(r, w, ip, out->want, &out->at, &mode);
    out->mode = mode;
    return out->len != 0;
}

static size_t resolve_insn(void *ctx, const struct who *w, uint64_t ip, uint8_t *buf)
{
    const uint8_t *bytes = NULL;
    enum ild_mode mode = ILD_64;
    size_t n = code_at(ctx, w, ip, ILD_MAX, &bytes, &mode);
    size_t len = n ? ild_decode(bytes, n, mode).len : 0;

    if (len)
        memcpy(buf, bytes, len);
    return len;
}

/* --- Instructions as text --- */

/* Whether code at ip is 64-bit: the kernel is, and so is what is not known. */
static enum ild_mode mode_at(struct resolve *r, const struct place_query *q)
{
    const uint8_t *bytes;
    enum ild_mode mode = ILD_64;

    /* None of its bytes: somebody may still read those that were asked for before. */
    code_at(r, q->who, q->ip, 0, &bytes, &mode);
    return mode;
}

/* With symbols the one operand that is an address is replaced by its name. */
static pts_status resolve_disasm(void *ctx, const struct place_query *q,
                                 const struct place_insn *insn, const char **text,
                                 size_t *n)
{
    struct resolve *r = ctx;
    uint64_t target;
    size_t prefix;

    if (!r->printer)
        r->printer = insn_open();
    if (!r->printer)
        return PTS_E_NOMEM;
    *text = r->text;
    *n = insn_text(r->printer, insn->code, insn->len, q->ip, mode_at(r, q), r->text,
                   sizeof(r->text));
    if (!insn->symbols) { /* xed has no space behind a lone mnemonic */
        *n -= *n && r->text[*n - 1] == ' ';
        return PTS_OK;
    }
    /* An immediate that is the only operand: mostly of direct jumps and calls. */
    if (!insn_target(r->printer, &target, &prefix))
        return PTS_OK;
    struct place to;
    r->look.place(r, q->who, q->cpumode, target, &to);
    if (!to.sym)
        return PTS_OK;
    int len = snprintf(r->text + prefix, sizeof(r->text) - prefix, "%s+0x%" PRIx64,
                       to.sym, to.sym_off);
    size_t room = sizeof(r->text) - prefix - 1;
    *n = prefix + (len < 0 ? 0 : (size_t)len < room ? (size_t)len : room);
    return PTS_OK;
}

void resolve_answers_code(struct lookup *look)
{
    look->code = resolve_code;
    look->insn = resolve_insn;
    look->disasm = resolve_disasm;
}
