/* chain_text.c - call chains as text: what all ways to show them share.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/chain_text.h"

#include <math.h>

uint64_t chain_least(const struct chain_text *c, uint32_t node)
{
    double least = c->o->min_percent / 100.0;

    if (c->o->mode == CHAIN_FRACTAL)
        return chain_whole(ceil((double)c->f->node.at[node].below * least));
    return chain_least_of(c->o, report_total(c->r));
}

/* perf puts it together in so many bytes. */
void chain_name(const struct chain_text *c, const struct frame *f)
{
    enum { NAME_MOST = 1023 };
    const size_t from = c->t->len;

    if (f->sym)
        text_str(c->t, f->sym);
    else
        text_hex_alt(c->t, f->ip);
    if (f->sym && f->srcline && c->o->key != FRAME_FUNCTION) {
        text_char(c->t, ' ');
        text_str(c->t, f->srcline);
    }
    if (f->sym && f->inlined)
        text_str(c->t, " (inlined)");
    if (c->t->len - from > NAME_MOST)
        c->t->len = from + NAME_MOST;
}

void chain_hops(const struct chain_text *c, const struct frame *f, size_t most)
{
    size_t i = (size_t)(f - c->f->frame.at);

    if (i < c->f->hop.len)
        hop_put(&c->f->hop.at[i], most, c->t);
}

void chain_value(const struct chain_text *c, uint64_t weight, uint64_t count,
                 uint64_t total)
{
    double percent = total ? (double)weight * 100.0 / (double)total : 0.0;
    const char *colour = report_colour(c->r->opts, percent);

    switch (c->o->value) {
    case CHAIN_PERCENT:
        text_str(c->t, colour ? colour : "");
        text_fixed2(c->t, percent, 0);
        text_char(c->t, '%');
        text_str(c->t, colour ? REPORT_COLOUR_END : "");
        break;
    case CHAIN_PERIOD:
        text_dec(c->t, weight, 0);
        break;
    case CHAIN_COUNT:
        text_dec(c->t, count, 0);
        break;
    }
}

/* Merges neighbours, then pairs of these, and so on. */
bool chain_sort(const struct forest *f, uint32_t *list, uint32_t n,
                chain_weight_fn *weight)
{
    uint32_t *other = mem_zalloc((size_t)n + 1, sizeof(*other));

    if (!other)
        return false;
    for (uint64_t run = 1; run < n; run *= 2) {
        for (uint64_t from = 0; from < n; from += 2 * run) {
            uint64_t mid = from + run < n ? from + run : n,
                     end = from + 2 * run < n ? from + 2 * run : n;
            uint64_t a = from, b = mid;
            for (uint64_t k = from; k < end; k++) {
                bool left =
                    b >= end || (a < mid && weight(f, list[a]) >= weight(f, list[b]));
                other[k] = list[left ? a++ : b++];
            }
        }
        memcpy(list, other, n * sizeof(*list));
    }
    mem_free(other);
    return true;
}

pts_status report_chains(const struct report_text *r, const struct entry *e,
                         struct text *t)
{
    const struct chain_text c = {.r = r,
                                 .f = &r->hists->forest,
                                 .o = &r->opts->chain,
                                 .t = t,
                                 .parent = r->opts->children ? e->all.period
                                                             : e->self.period};
    bool graph = c.o->mode == CHAIN_GRAPH || c.o->mode == CHAIN_FRACTAL;
    bool good = graph ? chain_graph(&c, e->chains) : chain_flat(&c, e->chains);

    return good ? PTS_OK : PTS_E_NOMEM;
}
