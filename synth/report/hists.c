/* hists.c - the rows of an event: what was counted, and how often.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/hists.h"

#include <string.h>

/* --- Collecting -------------------------------------------------------------------- */

/* What makes it different, as numbers; 0: there is no memory. */
static uint32_t words_of(const struct report_opts *o, struct key_context *c,
                         const struct subject *i, uint64_t *word)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < o->key_count; k++) {
        uint32_t more = key_words(o->key[k], c, i, word + n);
        if (!more)
            return 0;
        n += more;
    }
    return n;
}

static uint32_t entry_find(const struct hists *h, const uint64_t *word, uint32_t n,
                           uint64_t hash)
{
    uint32_t i = idmap_get(&h->by_hash, hash);

    /* Without a key there are no words, and one row. */
    while (n && i != HISTS_NONE &&
           memcmp(h->word.at + hists_at(h, i)->words, word, n * sizeof(*word)) != 0)
        i = hists_at(h, i)->next;
    return i;
}

static const void *kept(struct hists *h, const void *lent, size_t n)
{
    void *to = arena_alloc(&h->mem, n);

    if (to)
        memcpy(to, lent, n);
    return to;
}

/* What is lent until the next sample comes.  False: no memory. */
static bool keep(struct hists *h, const struct report_opts *o, struct subject *i)
{
    if (o->more)
        i->more = kept(h, i->more, sizeof(*i->more));
    if (i->from != &subject_nowhere)
        i->from = kept(h, i->from, sizeof(*i->from));
    const bool mem = i->mem, raw = i->raw.len;
    if (mem)
        i->mem = kept(h, i->mem, sizeof(*i->mem));
    if (raw)
        i->raw.ptr = kept(h, i->raw.ptr, i->raw.len);
    return (!o->more || i->more) && i->from && (!mem || i->mem) && (!raw || i->raw.ptr);
}

/* Of those of a part some may not be there yet. */
static bool has_room(struct hists *h)
{
    struct entries *all = &h->entry;

    if (all->len < all->part.len * ENTRIES_OF_PART)
        return true;
    struct entry *at = arena_alloc(&h->mem, ENTRIES_OF_PART * sizeof(struct entry));
    struct entries_part *part = at ? VEC_PUSH(&all->part) : NULL;
    if (part)
        part->at = at;
    return part != NULL;
}

uint32_t hists_add(struct hists *h, const struct entry *e)
{
    const uint32_t i = (uint32_t)h->entry.len;

    if (h->entry.len >= HISTS_NONE - 1 || !has_room(h))
        return HISTS_NONE;
    h->entry.len++;
    *hists_at(h, i) = *e;
    hists_at(h, i)->number = i;
    return i;
}

static uint32_t entry_new(struct hists *h, const struct report_opts *o,
                          const struct subject *item, const uint64_t *word, uint32_t n,
                          uint64_t hash)
{
    const struct entry new = {.item = *item,
                              .next = idmap_get(&h->by_hash, hash),
                              .words = (uint32_t)h->word.len,
                              .chains = REDBLACK_NONE};

    if (h->word.len + n >= UINT32_MAX || !VEC_ROOM(&h->word, n))
        return HISTS_NONE;
    uint32_t i = hists_add(h, &new);
    if (i == HISTS_NONE)
        return i;
    if (n)
        memcpy(h->word.at + h->word.len, word, n * sizeof(*word));
    h->word.len += n;
    if (!keep(h, o, &hists_at(h, i)->item))
        return HISTS_NONE;
    return idmap_set(&h->by_hash, hash, i) ? i : HISTS_NONE;
}

static void add(struct tally *t, const struct amount *a)
{
    t->period += a->period;
    t->count += a->count;
    switch (a->cpumode) {
    case PTS_MODE_KERNEL:
        t->sys += a->period;
        break;
    case PTS_MODE_USER:
        t->us += a->period;
        break;
    case PTS_MODE_GUEST_KERNEL:
        t->guest_sys += a->period;
        break;
    case PTS_MODE_GUEST_USER:
        t->guest_us += a->period;
        break;
    default:
        break;
    }
}

int64_t hists_compare(const struct report_opts *o, const struct key_context *c,
                      const struct subject *a, const struct subject *b)
{
    for (uint32_t k = 0; k < o->key_count; k++) {
        int64_t order = key_compare(o->key[k], c, a, b);
        if (order)
            return order;
    }
    return 0;
}

bool hists_is(const struct hists *h, const struct report_opts *o,
              const struct key_context *c, uint32_t row, const struct subject *i)
{
    return hists_compare(o, c, &hists_at(h, row)->item, i) == 0;
}

/* Where perf looks for an item: its row, or HISTS_NONE and where a new one hangs. */
static uint32_t tree_find(const struct hists *h, const struct report_opts *o,
                          const struct key_context *c, const struct subject *item,
                          uint32_t *parent, int *dir)
{
    uint32_t at = h->root ? h->root - 1 : REDBLACK_NONE;

    *parent = REDBLACK_NONE;
    *dir = 0;
    while (at != REDBLACK_NONE) {
        int64_t order = hists_compare(o, c, &hists_at(h, at)->item, item);
        if (!order)
            return at;
        *parent = at;
        *dir = order > 0;
        at = h->link.at[at].child[*dir];
    }
    return HISTS_NONE;
}

static void tree_hang(struct hists *h, uint32_t row, uint32_t parent, int dir)
{
    uint32_t root = h->root ? h->root - 1 : REDBLACK_NONE;

    redblack_hang(h->link.at, &root, row, parent, dir);
    h->root = root + 1;
}

static uint32_t add_by_tree(struct hists *h, const struct report_opts *o,
                            const struct key_context *c, const struct subject *item)
{
    uint32_t parent, i;
    int dir;

    i = tree_find(h, o, c, item, &parent, &dir);
    if (i != HISTS_NONE)
        return i;
    if (!VEC_ROOM(&h->link, 1))
        return HISTS_NONE;
    i = entry_new(h, o, item, NULL, 0, h->entry.len);
    if (i == HISTS_NONE)
        return i;
    h->link.len++;
    tree_hang(h, i, parent, dir);
    return i;
}

/* Until now no order has contradicted itself: rows hang where perf has hung them. */
static bool turn_to_tree(struct hists *h, const struct report_opts *o,
                         const struct key_context *c)
{
    uint32_t parent;
    int dir;

    if (!VEC_ROOM(&h->link, h->entry.len))
        return false;
    h->link.len = h->entry.len;
    for (uint32_t i = 0; i < h->entry.len; i++) {
        (void)tree_find(h, o, c, &hists_at(h, i)->item, &parent, &dir);
        tree_hang(h, i, parent, dir);
    }
    h->by_tree = true;
    return true;
}

/* --- Addresses around the circle ---------------------------------------------------- */

/* Whether numbers still lie in one half of the circle of 64 bits, in which differences say
 * which of two is above. */
static bool reaches(struct hists_arc *arc, uint64_t number)
{
    if (!arc->any)
        *arc = (struct hists_arc){.any = true, .first = number};
    int64_t at = (int64_t)(number - arc->first);
    arc->low = at < arc->low ? at : arc->low;
    arc->high = at > arc->high ? at : arc->high;
    return (uint64_t)arc->high - (uint64_t)arc->low <= INT64_MAX;
}

static bool is_in_order(struct hists *h, const struct subject *i)
{
    const struct spot_of *const spots[] = {&i->spot, i->from};
    bool is = true;

    for (size_t k = 0; k < 2; k++) {
        is = reaches(&h->arc, spots[k]->at.ip) && is;
        is = reaches(&h->arc, spots[k]->at.addr) && is;
        is = reaches(&h->arc, spots[k]->shown) && is;
        is = reaches(&h->arc, spots[k]->at.sym_start) && is;
    }
    return is;
}

static uint32_t add_by_hash(struct hists *h, const struct report_opts *o,
                            struct key_context *c, const struct subject *item)
{
    uint64_t word[KEYS_MAX * KEY_WORDS];
    uint32_t n = words_of(o, c, item, word);

    if (!n && o->key_count)
        return HISTS_NONE;
    uint64_t hash = idmap_hash(0, word, n * sizeof(*word));
    uint32_t i = entry_find(h, word, n, hash);
    if (i != HISTS_NONE)
        return i;
    if (is_in_order(h, item))
        return entry_new(h, o, item, word, n, hash);
    return turn_to_tree(h, o, c) ? add_by_tree(h, o, c, item) : HISTS_NONE;
}

pts_status hists_row(struct hists *h, const struct report_opts *o,
                     struct key_context *c, const struct subject *item,
                     uint8_t filtered, uint32_t *out)
{
    size_t before = h->entry.len;
    h->by_tree |= o->by_tree;
    if (!h->by_tree && o->by_name && c->epoch < item->named && !turn_to_tree(h, o, c))
        return PTS_E_NOMEM;
    uint32_t i = h->by_tree ? add_by_tree(h, o, c, item) : add_by_hash(h, o, c, item);

    if (i == HISTS_NONE)
        return PTS_E_NOMEM;
    if (h->entry.len > before)
        hists_at(h, i)->filtered = filtered;
    *out = i;
    return PTS_OK;
}

bool hists_sample(struct hists *h)
{
    size_t more = h->entry.len - h->seen.len;

    h->sample++;
    if (!more)
        return true;
    if (!VEC_ROOM(&h->seen, more))
        return false;
    memset(h->seen.at + h->seen.len, 0, more * sizeof(*h->seen.at));
    h->seen.len += more;
    return true;
}

void hists_count(struct hists *h, uint32_t row, const struct amount *a)
{
    struct entry *e = hists_at(h, row);

    if (a->self)
        add(&e->self, a);
    e->all.period += a->period;
    e->all.count += a->count;
}

pts_status hists_chain(struct hists *h, const struct report_opts *o, uint32_t row,
                       const struct chain_add *add)
{
    struct entry *e = hists_at(h, row);
    size_t n = add->chain->len - add->from;

    if (!n)
        return PTS_OK;
    if (e->chains == REDBLACK_NONE)
        e->chains = forest_plant(&h->forest);
    if (e->chains == REDBLACK_NONE)
        return PTS_E_NOMEM;
    hists_depth(h, row, n);
    return forest_add(&h->forest, e->chains, add, o->chain.key);
}

void hists_free(struct hists *h)
{
    VEC_FREE(&h->entry.part);
    arena_free(&h->mem);
    VEC_FREE(&h->word);
    VEC_FREE(&h->link);
    VEC_FREE(&h->seen);
    VEC_FREE(&h->joined);
    VEC_FREE(&h->peer);
    VEC_FREE(&h->nest.in);
    VEC_FREE(&h->nest.out);
    VEC_FREE(&h->nest.node);
    idmap_free(&h->by_hash);
    forest_free(&h->forest);
    mem_free(h->row);
    mem_free(h->tree);
}
