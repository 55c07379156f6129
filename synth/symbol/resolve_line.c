/* resolve_line.c - source lines at an address, and their text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/symbol/resolve_priv.h"

#include "decoder/base/arena.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The source lines of a map's dso; NULL when it has no symbols, either. */
static pts_status lines_of(struct resolve *r, const struct as_map *m,
                           struct srcline **out)
{
    const struct sb_dso *dso = m->dso;

    *out = NULL;
    resolve_symbols(r, dso);
    if (dso->jit)
        return PTS_OK; /* lines are in the dump, see jit_text */
    uint32_t number = sb_dso_number(r->base->sb, dso);
    if (number >= r->base->dso_count || !r->base->dso[number].tab)
        return PTS_OK;
    struct dso_syms *s = &r->base->dso[number];
    if (!s->lines) {
        struct sym_want want = {dso->long_name,
                                build_id_of(dso->build_id, dso->build_id_len), NULL};
        pts_status st =
            srcline_new(&r->base->opts.syms, &want, dso->short_name, s->tab, &s->lines);
        if (st < 0)
            return st;
    }
    *out = s->lines;
    return PTS_OK;
}

static struct srcline_ask ask_of(const struct as_map *m, uint64_t ip)
{
    return (struct srcline_ask){map_addr(m, ip), m->pgoff};
}

/* "file:line" of code in a jitdump, 0: not known. */
static size_t jit_text(struct resolve *r, const struct jit_code *jit, uint64_t off)
{
    const char *file, *slash;
    uint32_t line;

    if (!jit_line(jit, off, &file, &line))
        return 0;
    slash = r->base->opts.full_source_path ? NULL : strrchr(file, '/');
    int n = snprintf(r->text, sizeof(r->text), "%s:%u", slash ? slash + 1 : file,
                     (unsigned)line);
    return n < 0 ? 0 : (size_t)n < sizeof(r->text) ? (size_t)n : sizeof(r->text) - 1;
}

/* beside: where it lies in memory is taken for an address in the file. */
static pts_status text_of_line(struct resolve *r, const struct place_query *q,
                               bool beside, const char **text, size_t *n)
{
    const struct as_map *m = resolve_map(r, q->who, q->cpumode, q->ip);
    struct srcline *lines = NULL;

    *text = r->text;
    *n = 0;
    if (!m || !m->dso)
        return PTS_OK;
    bool in_kcore = resolve_is_kcore(r, m->dso);
    pts_status st = in_kcore ? PTS_OK : lines_of(r, m, &lines);
    if (st < 0)
        return st;
    struct srcline_ask ask = ask_of(m, q->ip);
    if (beside)
        ask.addr = q->ip;
    if (m->dso->jit && !beside) {
        *n = jit_text(r, m->dso->jit, as_code_off(m, q->ip));
        return PTS_OK;
    }
    if (lines) {
        *n = srcline_text(lines, &ask, r->base->opts.full_source_path, r->text,
                          sizeof(r->text));
        return PTS_OK;
    }
    /* perf's way to say that it does not know the line. */
    int len = snprintf(r->text, sizeof(r->text), "%s[%" PRIx64 "]", m->dso->short_name,
                       in_kcore ? q->ip : ask.addr);
    *n = len < 0                         ? 0
         : (size_t)len < sizeof(r->text) ? (size_t)len
                                         : sizeof(r->text) - 1;
    return PTS_OK;
}

static pts_status resolve_srcline(void *ctx, const struct place_query *q,
                                  const char **text, size_t *n)
{
    return text_of_line(ctx, q, false, text, n);
}

static pts_status resolve_srcline_beside(void *ctx, const struct place_query *q,
                                         const char **text, size_t *n)
{
    return text_of_line(ctx, q, true, text, n);
}

static pts_status resolve_source(void *ctx, const struct place_query *q,
                                 const char **file, size_t *n, uint32_t *line)
{
    struct resolve *r = ctx;
    const struct as_map *m = resolve_map(r, q->who, q->cpumode, q->ip);
    struct srcline *lines = NULL;
    struct srcline_at at;

    pts_status st = m && m->dso ? lines_of(r, m, &lines) : PTS_OK;
    if (st < 0)
        return st;
    const struct srcline_ask ask = {m ? map_addr(m, q->ip) : 0, m ? m->pgoff : 0};
    if (m && m->dso && m->dso->jit) {
        if (!jit_line(m->dso->jit, as_code_off(m, q->ip), file, line))
            return PTS_END;
        *n = strlen(*file);
        return PTS_OK;
    }
    st = lines ? srcline_find(lines, &ask, &at) : PTS_END;
    if (st != PTS_OK)
        return st;
    *file = at.file;
    *n = at.len;
    *line = at.line;
    return PTS_OK;
}

static bool resolve_file(void *ctx, const struct place_query *q, struct place_file *out)
{
    struct resolve *r = ctx;
    const struct as_map *m = resolve_map(r, q->who, q->cpumode, q->ip);

    *out = (struct place_file){0};
    if (!m || !m->dso)
        return false;
    const struct symtab *tab = resolve_symbols(r, m->dso);
    const struct sym *sym = tab ? symtab_find(tab, map_addr(m, q->ip)) : NULL;
    const struct code *c = code_store_get(r->base->codes, m->dso);
    const bool own = tab && !m->dso->build_id_len;
    out->build_id = own ? symtab_id(tab)->bytes : m->dso->build_id;
    out->build_id_len = own ? symtab_id(tab)->len : m->dso->build_id_len;
    out->sym_bind = sym ? sym->bind : 0;
    out->is_64bit = !c->bytes || c->is_64bit;
    return true;
}

static pts_status resolve_inlined(void *ctx, const struct place_query *q,
                                  const struct place_inlined **frames, size_t *n)
{
    struct resolve *r = ctx;
    const struct as_map *m = resolve_map(r, q->who, q->cpumode, q->ip);
    const struct srcline_style style = {r->base->opts.full_source_path,
                                        r->base->opts.syms.demangle,
                                        r->base->opts.syms.params};
    struct srcline *lines = NULL;

    *n = 0;
    pts_status st = m && m->dso ? lines_of(r, m, &lines) : PTS_OK;
    if (st < 0 || !lines)
        return st;
    const struct srcline_ask ask = ask_of(m, q->ip);
    return srcline_inlined(lines, &ask, &style, frames, n);
}

pts_status resolve_line(struct resolve *r, const struct place_query *q,
                        struct resolve_line *out)
{
    const struct as_map *m = resolve_map(r, q->who, q->cpumode, q->ip);
    struct srcline *lines = NULL;
    struct srcline_at at;

    *out = (struct resolve_line){.known = false, .file = ""};
    if (!m || !m->dso)
        return PTS_OK;
    if (m->dso->jit) {
        out->known =
            jit_line(m->dso->jit, as_code_off(m, q->ip), &out->file, &out->line);
        out->file_len = strlen(out->file);
        return PTS_OK;
    }
    pts_status st = lines_of(r, m, &lines);
    const struct srcline_ask ask = ask_of(m, q->ip);
    if (st == PTS_OK && lines)
        st = srcline_find(lines, &ask, &at);
    if (st != PTS_OK || !lines)
        return st < 0 ? st : PTS_OK;
    out->known = true;
    out->file = at.file;
    out->file_len = at.len;
    out->line = at.line;
    return PTS_OK;
}

struct pts_bytes resolve_line_text(struct resolve *r, const struct resolve_line *at)
{
    const struct srcline_at line = {at->file, at->file_len, at->line};
    struct pts_bytes none = {0}, text;

    if (!at->line || (!r->sources && srccode_new(&r->sources) < 0))
        return none;
    return srccode_line(r->sources, &line, &text) == PTS_OK ? text : none;
}

/* What of the source was last shown for a thread. */
static struct srccode_last *last_code_of(struct resolve *r, uint32_t thread)
{
    size_t i = thread == SB_NONE ? 0 : (size_t)thread + 1;

    while (r->last_code.len <= i) {
        struct srccode_last *l = VEC_PUSH(&r->last_code);
        if (!l)
            return NULL;
        *l = (struct srccode_last){0};
    }
    return &r->last_code.at[i];
}

static pts_status resolve_srccode(void *ctx, const struct place_query *q,
                                  const char **text, size_t *n)
{
    struct resolve *r = ctx;
    const struct as_map *m = resolve_map(r, q->who, q->cpumode, q->ip);
    struct srcline *lines = NULL;
    struct srcline_at at;

    *n = 0;
    pts_status st = m && m->dso ? lines_of(r, m, &lines) : PTS_OK;
    if (st < 0 || !lines)
        return st;
    const struct srcline_ask ask = ask_of(m, q->ip);
    st = srcline_find(lines, &ask, &at);
    if (st != PTS_OK)
        return st < 0 ? st : PTS_OK;
    if (!r->sources) {
        st = srccode_new(&r->sources);
        if (st < 0)
            return st;
    }
    struct srccode_last *last = last_code_of(r, q->who->thread);
    if (!last)
        return PTS_E_NOMEM;
    st = srccode_text(r->sources, &at, last, text, n);
    return st < 0 ? st : PTS_OK;
}

void resolve_answers_lines(struct lookup *look)
{
    look->srcline = resolve_srcline;
    look->srcline_beside = resolve_srcline_beside;
    look->source = resolve_source;
    look->file = resolve_file;
    look->inlined = resolve_inlined;
    look->srccode = resolve_srccode;
}
