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

static void walk(const struct redblack_node *node, uint32_t root, uint32_t *to)
{
    uint32_t n = 0;

    for (uint32_t e = redblack_first(node, root); e != REDBLACK_NONE;
         e = redblack_next(node, e))
        to[n++] = e;
}

/* Puts n entries in an order, equal ones as they come.  The order by children contradicts
 * itself, so what comes of it depends on the shape of the tree, which is perf's.  Its root. */
static uint32_t arrange(const struct ordering *by, before_fn *before,
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
    struct entry *a = &h->entry.at[to];
    const struct entry *b = &h->entry.at[from];

    hists_add_tally(&a->self, &b->self);
    hists_add_tally(&a->all, &b->all);
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
    uint32_t root = REDBLACK_NONE, left = 0; /* that of before goes */
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
    h->tree_root = root;
    *n = left;
    return st;
}

/* --- What perf never looked for ---------------------------------------------------- */

/* Whether two rows are the same by all keys in front of one. */
static int64_t apart_as_collected(const struct ordering *by, const struct key *before,
                                  const struct entry *a, const struct entry *b)
{
    int64_t order = 0;

    for (uint32_t k = 0; !order && by->o->key[k] != before; k++)
        order = key_compare(by->o->key[k], by->c, &a->item, &b->item);
    return order;
}

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

/* When a row was first compared by a key with the one beside it, as the same by all in front of it. */
enum compared {
    NEVER,
    LATE, /* when perf had seen how wide it is: as soon as it has its place in the order that is printed */
    IN_TIME
};

/* While rows were collected. */
static void mark_collected(const struct ordering *by, const struct key *key,
                           const uint32_t *rows, uint32_t n, uint8_t *compared)
{
    const struct entry *e = by->h->entry.at;

    for (uint32_t i = 0; i + 1 < n; i++)
        if (!apart_as_collected(by, key, &e[rows[i]], &e[rows[i + 1]]))
            compared[rows[i]] = compared[rows[i + 1]] = IN_TIME;
}

/* While rows were put in the order in which they are printed: the first that comes of those that are the same is
 * compared with none of them until another comes.  place: of each row among those that came. */
static void mark_printed(const struct ordering *by, const struct key *key,
                         const uint32_t *place, uint32_t n, uint8_t *compared)
{
    const struct entry *e = by->h->entry.at;
    const uint32_t *row = by->h->row;

    for (uint32_t i = 0, first; i < n; i++) {
        for (first = row[i];
             i + 1 < n && !apart_as_printed(by, key, &e[row[i]], &e[row[i + 1]]); i++) {
            const bool sooner = place[row[i + 1]] < place[first];
            compared[sooner ? first : row[i + 1]] = IN_TIME;
            first = sooner ? row[i + 1] : first;
            if (compared[first] == NEVER)
                compared[first] = LATE;
        }
    }
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

/* perf looks for lines when it compares rows by them: with another row, when rows are
 * collected or put in order, or with another sample of the row. */
static pts_status skip_key(const struct ordering *by, struct hists *h,
                           const struct key *key, const uint32_t *rows, uint32_t n)
{
    uint8_t *compared = mem_zalloc(h->entry.len + 1, 1); /* enum compared */
    uint32_t *place = mem_zalloc(h->entry.len + 1, sizeof(*place));
    const bool room = compared && place;

    if (room) {
        for (uint32_t i = 0; i < n; i++)
            place[rows[i]] = i;
        mark_collected(by, key, rows, n, compared);
        mark_printed(by, key, place, n, compared);
        for (uint32_t i = 0; i < n; i++)
            if (compared[rows[i]] != IN_TIME && is_met_once(h, &h->entry.at[rows[i]]))
                key->skip(&h->entry.at[rows[i]].item, compared[rows[i]] == LATE);
    }
    mem_free(place);
    mem_free(compared);
    return room ? PTS_OK : PTS_E_NOMEM;
}

static pts_status skip_keys(const struct ordering *order, struct hists *h,
                            const uint32_t *rows, uint32_t n)
{
    struct key_context still = *order->c;
    const struct ordering by = {order->h, order->o, &still};
    pts_status st = PTS_OK;

    still.still = true;
    for (uint32_t k = 0; st == PTS_OK && k < by.o->key_count; k++)
        if (by.o->key[k]->skip)
            st = skip_key(&by, h, by.o->key[k], rows, n);
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
            h->tree_root = arrange(&by, collected, h->tree, NULL, n, h->row);
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
        struct entry *e = &h->entry.at[h->row[i]];
        const char *sym = e->item.spot.at.sym;
        if (!sym || !strstr(sym, part))
            e->filtered |= FILTER_SYMBOL;
    }
    h->total = h->total_shown = 0;
    sum_up(h);
}

pts_status hists_order(struct hists *h, const struct report_opts *o,
                       const struct key_context *c)
{
    const struct ordering by = {h, o, c};
    struct redblack_node *node = mem_zalloc(h->entry.len + 1, sizeof(*node));
    uint32_t *collected_rows = h->row;
    pts_status st = PTS_E_NOMEM;

    h->row = mem_zalloc((size_t)h->rows + 1, sizeof(*h->row));
    if (node && h->row) {
        (void)arrange(&by, printed, node, collected_rows, h->rows, h->row);
        st = skip_keys(&by, h, collected_rows, h->rows);
    }
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
