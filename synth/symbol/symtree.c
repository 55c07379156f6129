/* symtree.c - symbols in the order and with the look-up of perf.
 *
 * SPDX-License-Identifier: MIT
 *
 * An ordinary red-black tree with indices for pointers: node i is symbol i.  Both sides
 * are handled by one code with a direction, 0 left and 1 right.
 */
#include "synth/symbol/symtree.h"

#include "decoder/base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A red-black tree of 2^32 nodes is at most 64 deep. */
enum { DEPTH_MAX = 72 };

void symtree_init(struct symtree *t)
{
    *t = (struct symtree){.root = SYM_NONE, .last = SYM_NONE};
}

void symtree_init_list(struct symtree *t)
{
    symtree_init(t);
    t->list = true;
}

void symtree_free(struct symtree *t)
{
    VEC_FREE(&t->syms);
    VEC_FREE(&t->nodes);
    VEC_FREE(&t->names);
    VEC_FREE(&t->removed);
    t->root = t->last = SYM_NONE;
}

static struct redblack_node *node(const struct symtree *t, uint32_t i)
{
    return &t->nodes.at[i];
}

static bool is_red(const struct symtree *t, uint32_t i)
{
    return i != SYM_NONE && node(t, i)->red;
}

static void rotate(struct symtree *t, uint32_t x, int dir)
{
    redblack_rotate(t->nodes.at, &t->root, x, dir);
}

/* Lists are sorted, or nearly so: most symbols belong behind all others, where going down
 * from the root would end, too. */
static void insert(struct symtree *t, uint32_t n)
{
    uint64_t start = t->syms.at[n].start;
    bool behind = t->last != SYM_NONE && start >= t->syms.at[t->last].start;
    uint32_t parent = behind ? t->last : SYM_NONE, at = behind ? SYM_NONE : t->root;
    bool rightmost = true;
    int dir = 1;
    while (at != SYM_NONE) {
        parent = at;
        /* Equal starts go to the right: behind those that came before, as in perf. */
        dir = start >= t->syms.at[at].start;
        rightmost &= dir == 1;
        at = node(t, at)->child[dir];
    }
    if (rightmost)
        t->last = n;
    redblack_hang(t->nodes.at, &t->root, n, parent, dir);
}

static void unlink_node(struct symtree *t, uint32_t n);

/* Those that went before n symbols had come; at: the first that is left. */
static size_t removed_until(struct symtree *t, size_t at, uint32_t n)
{
    for (; at < t->removed.len && t->removed.at[at].count <= n; at++)
        unlink_node(t, t->removed.at[at].sym);
    return at;
}

void symtree_shape(struct symtree *t)
{
    size_t gone = 0;

    if (t->shaped || t->list)
        return;
    t->shaped = true;
    for (uint32_t n = 0; n < t->syms.len; n++) {
        gone = removed_until(t, gone, n);
        insert(t, n);
    }
    removed_until(t, gone, (uint32_t)t->syms.len);
}

bool symtree_room(struct symtree *t, size_t count, size_t bytes)
{
    return (!count || VEC_ROOM(&t->syms, count)) &&
           (!count || t->list || VEC_ROOM(&t->nodes, count)) &&
           (!bytes || VEC_ROOM(&t->names, bytes));
}

void symtree_fit(struct symtree *t)
{
    VEC_FIT(&t->syms);
    VEC_FIT(&t->names);
}

bool symtree_unlist(struct symtree *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->syms.len; i++) {
        if (t->syms.at[i].gone)
            continue;
        t->syms.at[n] = t->syms.at[i];
        t->mixed |= n && t->syms.at[n].start < t->syms.at[n - 1].start;
        n++;
    }
    t->syms.len = n;
    symtree_fit(t);
    t->list = false;
    if (n && !VEC_ROOM(&t->nodes, n))
        return false;
    t->nodes.len = n;
    return true;
}

pts_status symtree_add(struct symtree *t, struct sym sym, const char *name)
{
    if (t->syms.len >= SYM_NONE || sym.len >= UINT32_MAX - t->names.len)
        return PTS_E_RANGE;
    if (!VEC_ROOM(&t->syms, 1) || (!t->list && !VEC_ROOM(&t->nodes, 1)) ||
        !VEC_ROOM(&t->names, (size_t)sym.len + 1))
        return PTS_E_NOMEM;
    if (t->syms.len && sym.start < t->syms.at[t->syms.len - 1].start)
        t->mixed = true;
    t->threaded = false;
    sym.name = (uint32_t)t->names.len;
    t->syms.at[t->syms.len++] = sym;
    memcpy(t->names.at + t->names.len, name, sym.len);
    t->names.len += sym.len;
    t->names.at[t->names.len++] = '\0';
    if (!t->list)
        t->nodes.len++;
    if (t->shaped)
        insert(t, (uint32_t)t->syms.len - 1);
    return PTS_OK;
}

/* Names are in the order in which symbols came. */
static int by_start(const void *a, const void *b)
{
    const struct sym *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* The kernel's own symbols are sorted, only those of its modules behind them are not. */
void symtree_sort(struct symtree *t)
{
    struct sym *at = t->syms.at;
    size_t n = t->syms.len, sorted = n > 0, apart;

    assert(t->list);
    while (sorted < n && at[sorted - 1].start <= at[sorted].start)
        sorted++;
    if (sorted == n)
        return;
    qsort(at + sorted, n - sorted, sizeof(*at), by_start);
    for (apart = sorted; apart && at[apart - 1].start > at[sorted].start;)
        apart--;
    if (apart < sorted)
        qsort(at + apart, n - apart, sizeof(*at), by_start);
}

/* The subtree of `parent` on the side of n (SYM_NONE at first) is one black node short.
 * With s the other child: a red s is turned away first; a black one without red
 * children becomes red, so that the whole is short and the parent is looked at; a red
 * child of s makes up for what is missing. */
static void remove_balance(struct symtree *t, uint32_t n, uint32_t parent)
{
    while (parent != SYM_NONE) {
        int dir = node(t, parent)->child[1] == n;
        uint32_t s = node(t, parent)->child[!dir];
        if (is_red(t, s)) {
            node(t, s)->red = false;
            node(t, parent)->red = true;
            rotate(t, parent, dir);
            s = node(t, parent)->child[!dir];
        }
        if (!is_red(t, node(t, s)->child[!dir])) {
            if (!is_red(t, node(t, s)->child[dir])) {
                bool done = node(t, parent)->red;
                node(t, s)->red = true;
                node(t, parent)->red = false;
                if (done)
                    return;
                n = parent;
                parent = node(t, n)->parent;
                continue;
            }
            node(t, node(t, s)->child[dir])->red = false;
            node(t, s)->red = true;
            rotate(t, s, !dir);
            s = node(t, parent)->child[!dir];
        }
        node(t, s)->red = node(t, parent)->red;
        node(t, parent)->red = false;
        node(t, node(t, s)->child[!dir])->red = false;
        rotate(t, parent, dir);
        return;
    }
}

/* Unlinks a node with at most one child. */
static void unlink_simple(struct symtree *t, uint32_t n)
{
    const struct redblack_node was = *node(t, n);
    uint32_t child = was.child[was.child[0] == SYM_NONE];
    redblack_replace(t->nodes.at, &t->root, was.parent, n, child);
    if (child != SYM_NONE) {
        /* The child must be red, and the node black. */
        node(t, child)->parent = was.parent;
        node(t, child)->red = false;
    } else if (!was.red) {
        remove_balance(t, SYM_NONE, was.parent);
    }
}

/* Lets `heir`, which is linked nowhere, take the place of n. */
static void replace(struct symtree *t, uint32_t n, uint32_t heir)
{
    *node(t, heir) = *node(t, n);
    redblack_replace(t->nodes.at, &t->root, node(t, n)->parent, n, heir);
    for (int dir = 0; dir < 2; dir++) {
        uint32_t child = node(t, n)->child[dir];
        if (child != SYM_NONE)
            node(t, child)->parent = heir;
    }
}

static void unlink_node(struct symtree *t, uint32_t n)
{
    t->last = SYM_NONE;
    if (node(t, n)->child[0] == SYM_NONE || node(t, n)->child[1] == SYM_NONE) {
        unlink_simple(t, n);
        return;
    }
    uint32_t heir = redblack_first(t->nodes.at, node(t, n)->child[1]);
    unlink_simple(t, heir);
    replace(t, n, heir);
}

void symtree_remove(struct symtree *t, uint32_t n)
{
    const struct symtree_removed gone = {n, (uint32_t)t->syms.len};

    if (!t->shaped && (t->list || VEC_ROOM(&t->removed, 1))) {
        t->syms.at[n].gone = true;
        if (!t->list)
            t->removed.at[t->removed.len++] = gone;
        return;
    }
    symtree_shape(t);
    unlink_node(t, n);
}

/* --- In order, without a tree --- */

struct key {
    uint64_t start;
    uint32_t sym;
};

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* Files keys by one digit of their starts, equal ones in the order in which they are. */
static void by_digit(const struct key *from, struct key *to, size_t n, unsigned shift)
{
    size_t at[DIGITS] = {0}, sum = 0;

    for (size_t i = 0; i < n; i++)
        at[from[i].start >> shift & (DIGITS - 1)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        size_t count = at[d];
        at[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[at[from[i].start >> shift & (DIGITS - 1)]++] = from[i];
}

/* Starts are near each other: few of their digits differ.  Returns where they are then. */
static struct key *by_start_of(struct key *key, struct key *other, size_t n,
                               uint64_t differ)
{
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (!(differ >> shift & (DIGITS - 1)))
            continue;
        by_digit(key, other, n, shift);
        struct key *sorted = other;
        other = key;
        key = sorted;
    }
    return key;
}

/* Each gets the one behind it, in what will be its node.  False: there is no memory. */
static bool thread_make(struct symtree *t)
{
    struct key *room = mem_resize(NULL, 2 * t->syms.len, sizeof(*room));
    uint64_t differ = 0;
    size_t n = 0;

    if (!room)
        return false;
    for (uint32_t i = 0; i < t->syms.len; i++) {
        const struct sym *s = &t->syms.at[i];
        if (s->gone)
            continue;
        room[n++] = (struct key){s->start, i};
        differ |= s->start ^ room[0].start;
    }
    const struct key *key = by_start_of(room, room + t->syms.len, n, differ);
    for (size_t i = 0; i < n; i++)
        node(t, key[i].sym)->child[1] = i + 1 < n ? key[i + 1].sym : SYM_NONE;
    t->head = n ? key[0].sym : SYM_NONE;
    t->threaded = true;
    mem_free(room);
    return true;
}

/* The n-th, or the next that is not removed. */
static uint32_t in_list(const struct symtree *t, uint32_t n)
{
    while (n < t->syms.len && t->syms.at[n].gone)
        n++;
    return n < t->syms.len ? n : SYM_NONE;
}

/* The same of those that are threaded. */
static uint32_t in_thread(const struct symtree *t, uint32_t n)
{
    while (n != SYM_NONE && t->syms.at[n].gone)
        n = node(t, n)->child[1];
    return n;
}

uint32_t symtree_first(struct symtree *t)
{
    bool threads = t->mixed && !t->list && !t->shaped;

    if (threads && !t->threaded && !thread_make(t))
        symtree_shape(t); /* that needs no room */
    if (t->shaped)
        return redblack_first(t->nodes.at, t->root);
    return threads ? in_thread(t, t->head) : in_list(t, 0);
}

uint32_t symtree_next(const struct symtree *t, uint32_t n)
{
    if (t->shaped)
        return redblack_next(t->nodes.at, n);
    return t->threaded ? in_thread(t, node(t, n)->child[1]) : in_list(t, n + 1);
}

/* --- As ranges --- */

/* A node and the addresses whose search comes to it.  They are one interval, and the
 * node's symbol divides it in three:
 *
 *     lo                start            end               last
 *     |--- left child ---|--- the node ---|--- right child ---|
 *
 * so its symbol answers for at most one range, and a symbol that reaches beyond its
 * node's interval is cut there: other symbols are found first. */
struct visit {
    uint32_t n;
    uint64_t lo, last;
};

/* Pushes n and its left spine, each with its addresses; those nobody reaches are left
 * out. Returns the new depth. */
static size_t spine_push(const struct symtree *t, struct visit *stack, size_t depth,
                         struct visit v)
{
    while (v.n != SYM_NONE && depth < DEPTH_MAX) {
        uint64_t start = t->syms.at[v.n].start;
        stack[depth++] = v;
        if (start <= v.lo)
            break;
        if (start - 1 < v.last)
            v.last = start - 1;
        v.n = node(t, v.n)->child[0];
    }
    return depth;
}

/* What of v the symbol itself answers, and what goes on to its right child. */
static bool own_range(const struct sym *s, const struct visit *v,
                      struct symtree_range *own)
{
    if (s->end < s->start) /* wrapped around: its end is below everything it gets */
        return false;
    uint64_t last = s->end > s->start ? s->end - 1 : s->start;
    own->lo = s->start > v->lo ? s->start : v->lo;
    own->last = last < v->last ? last : v->last;
    return own->lo <= own->last;
}

static bool right_range(const struct sym *s, const struct visit *v, struct visit *right)
{
    uint64_t from = s->end > s->start ? s->end : s->start;
    if (s->end == s->start && ++from == 0)
        return false;
    right->lo = from > v->lo ? from : v->lo;
    right->last = v->last;
    return right->lo <= right->last;
}

/* The last address that it holds, if it has not wrapped around. */
static uint64_t last_of(const struct sym *s)
{
    return s->end > s->start ? s->end - 1 : s->start;
}

/* Whether each begins behind the one before, so that it answers for all its addresses. */
static bool is_apart(struct symtree *t)
{
    uint32_t next;

    for (uint32_t n = symtree_first(t); n != SYM_NONE; n = next) {
        const struct sym *s = &t->syms.at[n];
        next = symtree_next(t, n);
        if (s->end < s->start ||
            (next != SYM_NONE && t->syms.at[next].start <= last_of(s)))
            return false;
    }
    return true;
}

static pts_status flatten_list(struct symtree *t, struct symtree_ranges *out)
{
    if (t->syms.len && !VEC_ROOM(out, t->syms.len))
        return PTS_E_NOMEM;
    for (uint32_t n = symtree_first(t); n != SYM_NONE; n = symtree_next(t, n)) {
        const struct sym *s = &t->syms.at[n];
        out->at[out->len++] = (struct symtree_range){s->start, last_of(s), n};
    }
    return PTS_OK;
}

pts_status symtree_flatten(struct symtree *t, struct symtree_ranges *out)
{
    assert(!t->list);
    if (!t->shaped && is_apart(t))
        return flatten_list(t, out);
    symtree_shape(t);
    struct visit stack[DEPTH_MAX];
    size_t depth = spine_push(t, stack, 0, (struct visit){t->root, 0, UINT64_MAX});
    while (depth > 0) {
        struct visit v = stack[--depth], right = {0};
        const struct sym *s = &t->syms.at[v.n];
        struct symtree_range own = {.sym = v.n};
        if (own_range(s, &v, &own)) {
            if (!VEC_ROOM(out, 1))
                return PTS_E_NOMEM;
            *VEC_PUSH(out) = own;
        }
        right.n = node(t, v.n)->child[1];
        if (right_range(s, &v, &right))
            depth = spine_push(t, stack, depth, right);
    }
    return PTS_OK;
}
