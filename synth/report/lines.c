/* lines.c - source lines of what a report counts, kept.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/lines.h"

#include <string.h>

static pts_status keep(struct lines *l, const char *text, size_t n, const char **out)
{
    const struct string *kept = strings_at(l->strings, strings_of(l->strings, text, n));

    *out = kept ? kept->at : NULL;
    return kept ? PTS_OK : PTS_E_NOMEM;
}

/* FILE[ADDRESS], what perf script prints when there is no line. */
static bool is_address(const struct place *at, const char *text, size_t n)
{
    size_t dso = at->dso_short ? strlen(at->dso_short) : 0;

    return text && at->dso_short && n > dso && text[n - 1] == ']' && text[dso] == '[' &&
           memcmp(text, at->dso_short, dso) == 0;
}

static pts_status keep_offset(struct lines *l, const char *name, uint64_t off,
                              const char **out)
{
    struct text *t = &l->named;

    t->len = 0;
    text_str(t, name);
    text_fmt(t, "+%llu", (unsigned long long)off);
    return t->failed ? PTS_E_NOMEM : keep(l, t->at, t->len, out);
}

/* A text that was found, or made of no place at all; *file: what is in front of its line. */
static pts_status keep_found(struct lines *l, const char *text, size_t n,
                             struct line_text *out)
{
    pts_status st = n ? keep(l, text, n, &out->line) : keep(l, "??:0", 4, &out->line);
    if (st < 0)
        return st;
    const char *colon = strcmp(out->line, "??:0") != 0 ? strchr(out->line, ':') : NULL;

    return keep(l, out->line, colon ? (size_t)(colon - out->line) : 0, &out->file);
}

/* A function's name, which may have colons in it, is no file. */
static pts_status keep_function(struct lines *l, const char *name, uint64_t off,
                                struct line_text *out)
{
    pts_status st = keep_offset(l, name, off, &out->line);

    return st < 0 ? st : keep(l, "", 0, &out->file);
}

pts_status lines_sample(struct lines *l, const struct place_query *q,
                        const struct place *at, struct line_text *out)
{
    const char *text = NULL;
    size_t n = 0;
    pts_status st = at->dso ? l->look->srcline(l->look->ctx, q, &text, &n) : PTS_OK;

    if (st < 0)
        return st;
    if (is_address(at, text, n) && at->sym)
        return keep_function(l, at->sym, at->sym_off, out);
    return keep_found(l, text, n, out);
}

pts_status lines_known(struct lines *l, const struct place_query *q,
                       const struct place *at, const char **out)
{
    const char *text = NULL;
    size_t n = 0;
    pts_status st = at->dso ? l->look->srcline(l->look->ctx, q, &text, &n) : PTS_OK;

    *out = NULL;
    if (st < 0 || !n || is_address(at, text, n) || (n == 4 && !memcmp(text, "??:0", 4)))
        return st;
    return keep(l, text, n, out);
}

pts_status lines_beside(struct lines *l, const struct place_query *q,
                        const struct place *at, struct line_text *out)
{
    const char *text = NULL;
    size_t n = 0;
    pts_status st =
        at->dso ? l->look->srcline_beside(l->look->ctx, q, &text, &n) : PTS_OK;

    if (st < 0)
        return st;
    if (is_address(at, text, n) && at->sym)
        return keep_function(l, at->sym, q->ip - at->sym_start, out);
    return keep_found(l, text, n, out);
}

static pts_status frame_text(struct lines *l, const struct place_query *q,
                             const struct place *at, bool offsets, const char **out)
{
    const char *text = NULL;
    size_t n = 0;
    pts_status st = l->look->srcline(l->look->ctx, q, &text, &n);

    *out = NULL;
    if (st < 0)
        return st;
    bool address = is_address(at, text, n);
    if (address && !offsets)
        return PTS_OK;
    if (address && at->sym)
        return keep_offset(l, "", at->sym_off, out);
    return n ? keep(l, text, n, out) : keep(l, "??:0", 4, out);
}

/* perf asks once only, and after some failures not at all, so how often is not for speed
 * alone. */
pts_status lines_frame(struct lines *l, const struct place_query *q,
                       const struct place *at, bool offsets, const char **out)
{
    const struct line_known key = {at->of_dso, at->addr, NULL};

    *out = NULL;
    if (!at->dso)
        return PTS_OK;
    uint64_t hash =
        idmap_hash(at->of_dso ? (uintptr_t)at->of_dso : 0, &key.addr, sizeof(key.addr));
    uint32_t i = idmap_get(&l->by_hash, hash);
    if (i != IDMAP_NONE && l->known.at[i].dso == key.dso &&
        l->known.at[i].addr == key.addr) {
        *out = l->known.at[i].text;
        return PTS_OK;
    }
    pts_status st = frame_text(l, q, at, offsets, out);
    struct line_known *new = st == PTS_OK ? VEC_PUSH(&l->known) : NULL;
    if (st < 0)
        return st;
    if (!new || !idmap_set(&l->by_hash, hash, (uint32_t)l->known.len - 1))
        return PTS_E_NOMEM;
    *new = key;
    new->text = *out;
    return PTS_OK;
}

void lines_free(struct lines *l)
{
    idmap_free(&l->by_hash);
    VEC_FREE(&l->known);
    text_free(&l->named);
}
