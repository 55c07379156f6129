/* hists.c - the rows of an event: what was counted, and how often.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/hists.h"

#include "decoder/base/address.h"

#include <string.h>

/* --- Collecting -------------------------------------------------------------------- */

/* What makes it different, as numbers; 0: there is no memory. */
static uint32_t words_of(const struct report_opts *o, struct key_context *c,
                         const struct subject *i, uint64_t *word)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < o->key_count; k++) {
        uint32_t more = o->key[k]->words(c, i, word + n);
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
           memcmp(h->word.at + h->entry.at[i].words, word, n * sizeof(*word)) != 0)
        i = h->entry.at[i].next;
    return i;
}

static uint32_t entry_new(struct hists *h, const struct subject *item,
                          const uint64_t *word, uint32_t n, uint64_t hash)
{
    uint32_t i = (uint32_t)h->entry.len;

    if (h->entry.len >= HISTS_NONE - 1 || h->word.len + n >= UINT32_MAX ||
        !VEC_ROOM(&h->entry, 1) || !VEC_ROOM(&h->word, n))
        return HISTS_NONE;
    *VEC_PUSH(&h->entry) = (struct entry){.item = *item,
                                          .next = idmap_get(&h->by_hash, hash),
                                          .words = (uint32_t)h->word.len,
                                          .chains = REDBLACK_NONE};
    if (n)
        memcpy(h->word.at + h->word.len, word, n * sizeof(*word));
    h->word.len += n;
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

/* Above 0: a stands in front of b; 0: they are one row. */
static int64_t compare(const struct report_opts *o, const struct key_context *c,
                       const struct subject *a, const struct subject *b)
{
    for (uint32_t k = 0; k < o->key_count; k++) {
        int64_t order = o->key[k]->compare(c, a, b);
        if (order)
            return order;
    }
    return 0;
}

bool hists_is(const struct hists *h, const struct report_opts *o,
              const struct key_context *c, uint32_t row, const struct subject *i)
{
    return compare(o, c, &h->entry.at[row].item, i) == 0;
}

static uint32_t add_by_tree(struct hists *h, const struct report_opts *o,
                            const struct key_context *c, const struct subject *item)
{
    uint32_t parent = REDBLACK_NONE, at = h->root ? h->root - 1 : REDBLACK_NONE,
             root = at, i;
    int dir = 0;

    while (at != REDBLACK_NONE) {
        int64_t order = compare(o, c, &h->entry.at[at].item, item);
        if (!order)
            return at;
        parent = at;
        dir = order > 0;
        at = h->link.at[at].child[dir];
    }
    if (!VEC_ROOM(&h->link, 1))
        return HISTS_NONE;
    i = entry_new(h, item, NULL, 0, h->entry.len);
    if (i == HISTS_NONE)
        return i;
    h->link.len++;
    redblack_hang(h->link.at, &root, i, parent, dir);
    h->root = root + 1;
    return i;
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
    return i == HISTS_NONE ? entry_new(h, item, word, n, hash) : i;
}

pts_status hists_row(struct hists *h, const struct report_opts *o,
                     struct key_context *c, const struct subject *item, bool filtered,
                     uint32_t *out)
{
    size_t before = h->entry.len;
    uint32_t i = o->by_tree ? add_by_tree(h, o, c, item) : add_by_hash(h, o, c, item);

    if (i == HISTS_NONE)
        return PTS_E_NOMEM;
    if (h->entry.len > before)
        h->entry.at[i].filtered = filtered;
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
    struct entry *e = &h->entry.at[row];

    if (a->self)
        add(&e->self, a);
    add(&e->all, a);
}

pts_status hists_chain(struct hists *h, const struct report_opts *o, uint32_t row,
                       const struct chain_add *add)
{
    struct entry *e = &h->entry.at[row];
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

/* --- Putting in order -------------------------------------------------------------- */

struct ordering {
    const struct hists *h;
    const struct report_opts *o;
    const struct key_context *c;
};

/* Above 0: a stands in front of b. */
typedef int64_t before_fn(const struct ordering *by, const struct entry *a,
                          const struct entry *b);

static int64_t by_number(uint64_t a, uint64_t b)
{
    return a > b ? 1 : a < b ? -1 : 0;
}

static int64_t collected(const struct ordering *by, const struct entry *a,
                         const struct entry *b)
{
    return compare(by->o, by->c, &a->item, &b->item);
}

/* Of rows of one thread that weigh the same the caller stands above. */
static int64_t by_children(const struct ordering *by, const struct entry *a,
                           const struct entry *b)
{
    int64_t c = by_number(a->all.period, b->all.period);

    if (c || a->item.thread != b->item.thread || !by->o->chains)
        return c;
    c = (int64_t)b->depth - a->depth;
    return by->o->chain.callers_first ? -c : c;
}

static int64_t by_column(const struct ordering *by, const struct column *column,
                         const struct entry *a, const struct entry *b)
{
    switch (column->kind) {
    case COLUMN_CHILDREN:
        return by->o->children ? by_children(by, a, b) : 0;
    case COLUMN_OVERHEAD:
    case COLUMN_PERIOD:
        return by_number(a->self.period, b->self.period);
    case COLUMN_SAMPLES:
        return by_number(a->self.count, b->self.count);
    case COLUMN_SYS:
        return by_number(a->self.sys, b->self.sys);
    case COLUMN_US:
        return by_number(a->self.us, b->self.us);
    case COLUMN_GUEST_SYS:
        return by_number(a->self.guest_sys, b->self.guest_sys);
    case COLUMN_GUEST_US:
        return by_number(a->self.guest_us, b->self.guest_us);
    case COLUMN_KEY:
        return column->key->rank ? column->key->rank(&a->item, &b->item)
                                 : column->key->compare(by->c, &a->item, &b->item);
    }
    return 0;
}

static int64_t printed(const struct ordering *by, const struct entry *a,
                       const struct entry *b)
{
    for (uint32_t i = 0; i < by->o->rank_count; i++) {
        int64_t c = by_column(by, &by->o->rank[i], a, b);
        if (c)
            return c;
    }
    return 0;
}

static void walk(const struct redblack_node *node, uint32_t root, uint32_t *to)
{
    uint32_t n = 0;

    for (uint32_t e = redblack_first(node, root); e != REDBLACK_NONE;
         e = redblack_next(node, e))
        to[n++] = e;
}

/* Puts n entries in an order, equal ones as they come.  The order by children contradicts
 * itself, so what comes of it depends on the shape of the tree, which is perf's. */
static void arrange(const struct ordering *by, before_fn *before,
                    struct redblack_node *node, const uint32_t *from, uint32_t n,
                    uint32_t *to)
{
    const struct entry *entry = by->h->entry.at;
    uint32_t root = REDBLACK_NONE;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = from ? from[i] : i, parent = REDBLACK_NONE, at = root;
        int dir = 0;
        while (at != REDBLACK_NONE) {
            parent = at;
            dir = before(by, &entry[e], &entry[at]) <= 0;
            at = node[at].child[dir];
        }
        redblack_hang(node, &root, e, parent, dir);
    }
    walk(node, root, to);
}

static void add_tally(struct tally *to, const struct tally *from)
{
    to->period += from->period;
    to->sys += from->sys;
    to->us += from->us;
    to->guest_sys += from->guest_sys;
    to->guest_us += from->guest_us;
    to->count += from->count;
}

static pts_status join(struct hists *h, uint32_t to, uint32_t from)
{
    struct entry *a = &h->entry.at[to];
    const struct entry *b = &h->entry.at[from];

    add_tally(&a->self, &b->self);
    add_tally(&a->all, &b->all);
    struct hists_join *new = VEC_PUSH(&h->joined);
    if (!new)
        return PTS_E_NOMEM;
    *new = (struct hists_join){to, from};
    return PTS_OK;
}

/* Goes over collected rows once more: names may have made two of them one, and where the
 * order contradicts itself a row may now be found that was missed.  *n: how many are left. */
static pts_status collapse(const struct ordering *by, struct hists *h,
                           struct redblack_node *node, uint32_t *rows, uint32_t *n)
{
    uint32_t root = REDBLACK_NONE, left = 0;
    pts_status st = PTS_OK;

    for (uint32_t i = 0; st == PTS_OK && i < *n; i++) {
        uint32_t parent = REDBLACK_NONE, at = root;
        int64_t order = 1;
        int dir = 0;
        while (at != REDBLACK_NONE) {
            order = collected(by, &h->entry.at[at], &h->entry.at[rows[i]]);
            if (!order)
                break;
            parent = at;
            dir = order > 0;
            at = node[at].child[dir];
        }
        if (at != REDBLACK_NONE) {
            st = join(h, at, rows[i]);
            continue;
        }
        redblack_hang(node, &root, rows[i], parent, dir);
        left++;
    }
    walk(node, root, rows);
    *n = left;
    return st;
}

static void sum_up(struct hists *h)
{
    for (uint32_t i = 0; i < h->rows; i++) {
        const struct entry *e = &h->entry.at[h->row[i]];
        h->total += e->self.period;
        h->total_shown += e->filtered ? 0 : e->self.period;
    }
}

pts_status hists_sort(struct hists *h, const struct report_opts *o,
                      const struct key_context *c)
{
    const struct ordering by = {h, o, c};
    uint32_t n = (uint32_t)h->entry.len;
    struct redblack_node *node = mem_zalloc((size_t)n + 1, sizeof(*node));
    uint32_t *rows = mem_zalloc((size_t)n + 1, sizeof(*rows));
    pts_status st = PTS_E_NOMEM;

    h->row = mem_zalloc((size_t)n + 1, sizeof(*h->row));
    if (node && rows && h->row) {
        if (o->by_tree)
            walk(h->link.at, h->root - 1, rows);
        else
            arrange(&by, collected, node, NULL, n, rows);
        st = o->collapses ? collapse(&by, h, node, rows, &n) : PTS_OK;
        arrange(&by, printed, node, rows, n, h->row);
        h->rows = n;
        sum_up(h);
    }
    mem_free(node);
    mem_free(rows);
    return st;
}

/* But in fractal graphs, where it is of its parent, a share is of all that was counted: no
 * chain weighs more than its row. */
void hists_choose(struct hists *h, const struct report_opts *o)
{
    uint64_t least = chain_least_of(&o->chain, hists_total(h, o));

    for (uint32_t i = 0; i < h->rows; i++) {
        struct entry *e = &h->entry.at[h->row[i]];
        uint64_t most = o->children ? e->all.period : e->self.period;
        e->shows_chains = o->chain.mode == CHAIN_FRACTAL || most >= least;
    }
    for (size_t i = h->joined.len; i-- > 0;)
        h->entry.at[h->joined.at[i].from].shows_chains =
            h->entry.at[h->joined.at[i].to].shows_chains;
}

pts_status hists_join_chains(struct hists *h, const struct report_opts *o)
{
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < h->joined.len; i++) {
        struct entry *to = &h->entry.at[h->joined.at[i].to];
        const struct entry *from = &h->entry.at[h->joined.at[i].from];
        if (from->chains == REDBLACK_NONE)
            continue;
        if (to->chains == REDBLACK_NONE)
            to->chains = forest_plant(&h->forest);
        st = to->chains == REDBLACK_NONE
                 ? PTS_E_NOMEM
                 : forest_merge(&h->forest, to->chains, from->chains, o->chain.key);
    }
    return st;
}

void hists_free(struct hists *h)
{
    VEC_FREE(&h->entry);
    VEC_FREE(&h->word);
    VEC_FREE(&h->link);
    VEC_FREE(&h->seen);
    VEC_FREE(&h->joined);
    idmap_free(&h->by_hash);
    forest_free(&h->forest);
    mem_free(h->row);
}
