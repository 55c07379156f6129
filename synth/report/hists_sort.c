/* hists_sort.c - the rows of an event in perf's order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/hists.h"

#include <string.h>

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
    return hists_compare(by->o, by->c, &a->item, &b->item);
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

/* Rows that weigh the same in the event that leads go by the others of its group. */
static int64_t by_peer(const struct ordering *by, enum column_kind kind,
                       const struct entry *a, const struct entry *b, uint32_t k)
{
    return by_number(entry_number(hists_peer(by->h, a, k), kind),
                     entry_number(hists_peer(by->h, b, k), kind));
}

/* Who asks for another event than the one that leads gets its order, and not that of the one
 * that leads behind it; who asks for one that is not there that of the one that leads alone. */
static int64_t by_weight(const struct ordering *by, enum column_kind kind,
                         const struct entry *a, const struct entry *b)
{
    const int64_t first = by->o->group_sort;
    const bool other = first >= 1 && first <= by->h->peers;
    int64_t c = other ? by_peer(by, kind, a, b, (uint32_t)first - 1)
                      : by_number(entry_number(a, kind), entry_number(b, kind));

    for (uint32_t k = 0; !c && (other || !first) && k < by->h->peers; k++)
        c = by_peer(by, kind, a, b, k);
    return c;
}

static int64_t by_column(const struct ordering *by, const struct column *column,
                         const struct entry *a, const struct entry *b)
{
    if (column->kind == COLUMN_CHILDREN)
        return by->o->children ? by_children(by, a, b) : 0;
    if (column->kind != COLUMN_KEY)
        return by_weight(by, column->kind, a, b);
    return key_rank(column->key, by->c, &a->item, &b->item);
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

int64_t hists_printed(const struct hists *h, const struct report_opts *o,
                      const struct key_context *c, const struct entry *a,
                      const struct entry *b)
{
    const struct ordering by = {h, o, c};

    return printed(&by, a, b);
}

/* --- What perf never looked for ---------------------------------------------------- */

/* perf looks for lines when it compares rows by them: with another row that is the same by all keys in front of it,
 * when rows are collected or put in order, or with another sample of the row.  When it first did: */
enum compared {
    NEVER,
    LATE, /* when perf had seen how wide it is: as soon as it has its place in the order that is printed */
    IN_TIME
};

struct marks {
    const struct ordering *by; /* only looks */
    uint8_t *compared;         /* of each key, of each entry: enum compared */
};

static uint8_t *marks_of(const struct marks *m, uint32_t key)
{
    return m->compared + key * m->by->h->entry.len;
}

/* Whether two rows are the same by all keys in front of one. */
static int64_t apart_as_printed(const struct ordering *by, const struct key *before,
                                const struct entry *a, const struct entry *b)
{
    int64_t order = 0;

    for (uint32_t i = 0; !order && i < by->o->rank_count; i++) {
        if (by->o->rank[i].key == before)
            break;
        order = by_column(by, &by->o->rank[i], a, b);
    }
    return order;
}

/* One that gets its place in the order that is printed is compared with another that has its own. */
static void mark_printed(const struct marks *m, uint32_t new, uint32_t there)
{
    const struct ordering *by = m->by;
    const struct entry *a = hists_at(by->h, new), *b = hists_at(by->h, there);

    for (uint32_t k = 0; k < by->o->key_count; k++) {
        const struct key *key = by->o->key[k];
        uint8_t *compared = marks_of(m, k);
        if (!key->skip || apart_as_printed(by, key, a, b))
            continue;
        compared[new] = IN_TIME;
        if (compared[there] == NEVER)
            compared[there] = LATE;
    }
}

/* --- Order -------------------------------------------------------------------------- */

static void walk(const struct redblack_node *node, uint32_t root, uint32_t *to)
{
    uint32_t n = 0;

    for (uint32_t e = redblack_first(node, root); e != REDBLACK_NONE;
         e = redblack_next(node, e))
        to[n++] = e;
}

/* Puts n entries in an order, equal ones as they come.  The order by children contradicts
 * itself, so what comes of it depends on the shape of the tree, which is perf's.  marks may be NULL.  Its root. */
static uint32_t arrange(const struct ordering *by, before_fn *before,
                        struct redblack_node *node, const uint32_t *from, uint32_t n,
                        uint32_t *to, const struct marks *marks)
{
    uint32_t root = REDBLACK_NONE;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = from ? from[i] : i, parent = REDBLACK_NONE, at = root;
        int dir = 0;
        while (at != REDBLACK_NONE) {
            parent = at;
            dir = before(by, hists_at(by->h, e), hists_at(by->h, at)) <= 0;
            if (marks)
                mark_printed(marks, e, at);
            at = node[at].child[dir];
        }
        redblack_hang(node, &root, e, parent, dir);
    }
    walk(node, root, to);
    return root;
}

void hists_add_tally(struct tally *to, const struct tally *from)
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
    struct entry *a = hists_at(h, to);
    const struct entry *b = hists_at(h, from);

    hists_add_tally(&a->self, &b->self);
    a->all.period += b->all.period;
    a->all.count += b->all.count;
    struct hists_join *new = VEC_PUSH(&h->joined);
    if (!new)
        return PTS_E_NOMEM;
    *new = (struct hists_join){to, from};
    return PTS_OK;
}

/* Where a row hangs that comes behind all others, or the row that it is one with: *order is 0. */
static uint32_t find_last(const struct ordering *by, uint32_t last, uint32_t row,
                          int64_t *order)
{
    *order = last != REDBLACK_NONE
                 ? collected(by, hists_at(by->h, last), hists_at(by->h, row))
                 : 1;
    return last;
}

static uint32_t find_place(const struct ordering *by, const struct redblack_node *node,
                           uint32_t root, uint32_t row, int64_t *order)
{
    uint32_t parent = REDBLACK_NONE, at = root;

    *order = 1;
    while (at != REDBLACK_NONE) {
        parent = at;
        *order = collected(by, hists_at(by->h, at), hists_at(by->h, row));
        at = *order ? node[at].child[*order > 0] : REDBLACK_NONE;
    }
    return parent;
}

/* Goes over collected rows once more: names may have made two of them one, and where the
 * order contradicts itself a row may now be found that was missed.  Where it does not, the last row is the
 * only one to look at.  *n: how many are left. */
static pts_status collapse(const struct ordering *by, struct hists *h,
                           struct redblack_node *node, uint32_t *rows, uint32_t *n)
{
    uint32_t root = REDBLACK_NONE, left = 0,
             last = REDBLACK_NONE; /* that of before goes */
    bool in_order = !h->by_tree;
    pts_status st = PTS_OK;

    for (uint32_t i = 0; st == PTS_OK && i < *n; i++) {
        int64_t order = -1;
        uint32_t at = in_order ? find_last(by, last, rows[i], &order) : last;
        in_order = order >= 0;
        if (!in_order)
            at = find_place(by, node, root, rows[i], &order);
        if (!order) {
            st = join(h, at, rows[i]);
            continue;
        }
        redblack_hang(node, &root, rows[i], at, order > 0);
        last = rows[i];
        left++;
    }
    walk(node, root, rows);
    h->tree_root = root;
    *n = left;
    return st;
}

/* --- Lines that were not looked for -------------------------------------------------- */

/* Whether two rows are the same by all keys in front of one. */
static int64_t apart_as_collected(const struct ordering *by, const struct key *before,
                                  const struct entry *a, const struct entry *b)
{
    int64_t order = 0;

    for (uint32_t k = 0; !order && by->o->key[k] != before; k++)
        order = key_compare(by->o->key[k], by->c, &a->item, &b->item);
    return order;
}

/* Those that were compared by a key while rows were collected. */
static void mark_collected(const struct ordering *by, const struct key *key,
                           const uint32_t *rows, uint32_t n, uint8_t *compared)
{
    for (uint32_t i = 0; i + 1 < n; i++)
        if (!apart_as_collected(by, key, hists_at(by->h, rows[i]),
                                hists_at(by->h, rows[i + 1])))
            compared[rows[i]] = compared[rows[i + 1]] = IN_TIME;
}

/* By one sample, and once only in its chain, in one event of its group: rows of several are compared when they are
 * found to be the same. */
static bool is_met_once(const struct hists *h, const struct entry *e)
{
    uint64_t met = e->all.count + e->met_again;

    for (uint32_t k = 0; met < 2 && k < h->peers; k++) {
        const struct entry *peer = hists_peer(h, e, k);
        met += peer ? peer->all.count : 0;
    }
    return met == 1;
}

static void skip_keys(const struct marks *m, struct hists *h, const uint32_t *rows,
                      uint32_t n)
{
    for (uint32_t k = 0; k < m->by->o->key_count; k++) {
        const struct key *key = m->by->o->key[k];
        uint8_t *compared = marks_of(m, k);
        if (!key->skip)
            continue;
        mark_collected(m->by, key, rows, n, compared);
        for (uint32_t i = 0; i < n; i++)
            if (compared[rows[i]] != IN_TIME && is_met_once(h, hists_at(h, rows[i])))
                key->skip(&hists_at(h, rows[i])->item, compared[rows[i]] == LATE);
    }
}

/* --- All --------------------------------------------------------------------------- */

static void sum_up(struct hists *h)
{
    for (uint32_t i = 0; i < h->rows; i++) {
        const struct entry *e = hists_at(h, h->row[i]);
        h->total += e->self.period;
        h->total_shown += e->filtered ? 0 : e->self.period;
    }
}

pts_status hists_collect(struct hists *h, const struct report_opts *o,
                         const struct key_context *c)
{
    const struct ordering by = {h, o, c};
    uint32_t n = (uint32_t)h->entry.len;
    pts_status st = PTS_E_NOMEM;

    h->row = mem_zalloc((size_t)n + 1, sizeof(*h->row));
    h->tree = mem_zalloc((size_t)n + 1, sizeof(*h->tree));
    h->tree_room = (size_t)n + 1;
    if (h->tree && h->row) {
        if (h->by_tree) {
            h->tree_root = h->root - 1;
            if (n)
                memcpy(h->tree, h->link.at, n * sizeof(*h->tree));
            walk(h->tree, h->tree_root, h->row);
        } else {
            h->tree_root = arrange(&by, collected, h->tree, NULL, n, h->row, NULL);
        }
        /* In a nest they become one on their levels. */
        st = o->collapses && !o->hierarchy ? collapse(&by, h, h->tree, h->row, &n)
                                           : PTS_OK;
        h->rows = n;
        sum_up(h);
    }
    return st;
}

void hists_filter_symbols(struct hists *h, const char *part)
{
    for (uint32_t i = 0; i < h->rows; i++) {
        struct entry *e = hists_at(h, h->row[i]);
        const char *sym = e->item.spot.at.sym;
        if (!sym || !strstr(sym, part))
            e->filtered |= FILTER_SYMBOL;
    }
    h->total = h->total_shown = 0;
    sum_up(h);
}

static bool any_skips(const struct report_opts *o)
{
    bool any = false;

    for (uint32_t k = 0; k < o->key_count; k++)
        any |= o->key[k]->skip != NULL;
    return any;
}

pts_status hists_order(struct hists *h, const struct report_opts *o,
                       const struct key_context *c)
{
    struct key_context still = *c;
    const struct ordering by = {h, o, c}, only_looks = {h, o, &still};
    struct redblack_node *node = mem_zalloc(h->entry.len + 1, sizeof(*node));
    const bool skips = any_skips(o);
    struct marks marks = {&only_looks,
                          skips ? mem_zalloc(h->entry.len + 1, o->key_count) : NULL};
    uint32_t *collected_rows = h->row;
    pts_status st = PTS_E_NOMEM;

    still.still = true;
    h->row = mem_zalloc((size_t)h->rows + 1, sizeof(*h->row));
    if (node && h->row && (marks.compared || !skips)) {
        (void)arrange(&by, printed, node, collected_rows, h->rows, h->row,
                      skips ? &marks : NULL);
        if (skips)
            skip_keys(&marks, h, collected_rows, h->rows);
        st = PTS_OK;
    }
    mem_free(marks.compared);
    mem_free(node);
    mem_free(collected_rows);
    return st;
}

/* But in fractal graphs, where it is of its parent, a share is of all that was counted: no
 * chain weighs more than its row. */
void hists_choose(struct hists *h, const struct report_opts *o)
{
    uint64_t least = chain_least_of(&o->chain, hists_total(h, o));

    for (uint32_t i = 0; i < h->rows; i++) {
        struct entry *e = hists_at(h, h->row[i]);
        uint64_t most = o->children ? e->all.period : e->self.period;
        e->shows_chains = o->chain.mode == CHAIN_FRACTAL || most >= least;
    }
    for (size_t i = h->joined.len; i-- > 0;)
        hists_at(h, h->joined.at[i].from)->shows_chains =
            hists_at(h, h->joined.at[i].to)->shows_chains;
}

pts_status hists_join_chains(struct hists *h, const struct report_opts *o)
{
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < h->joined.len; i++) {
        struct entry *to = hists_at(h, h->joined.at[i].to);
        const struct entry *from = hists_at(h, h->joined.at[i].from);
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
