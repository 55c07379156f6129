/* symtree.c - symbols in the order and with the look-up of perf.
 *
 * SPDX-License-Identifier: MIT
 *
 * An ordinary red-black tree with indices for pointers: node i is symbol i.  Both sides
 * are handled by one code with a direction, 0 left and 1 right.
 */
#include "synth/symbol/symtree.h"

#include <assert.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* A red-black tree of 2^32 nodes is at most 64 deep. */
enum { DEPTH_MAX = 72, PAGE = 4096 };

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

void symtree_shape(struct symtree *t)
{
    if (t->shaped || t->list)
        return;
    t->shaped = true;
    for (uint32_t n = 0; n < t->syms.len; n++)
        insert(t, n);
}

bool symtree_room(struct symtree *t, size_t count, size_t bytes)
{
    return (!count || VEC_ROOM(&t->syms, count)) &&
           (!count || t->list || VEC_ROOM(&t->nodes, count)) &&
           (!bytes || VEC_ROOM(&t->names, bytes));
}

pts_status symtree_add(struct symtree *t, struct sym sym, const char *name)
{
    if (t->syms.len >= SYM_NONE || sym.len >= UINT32_MAX - t->names.len)
        return PTS_E_RANGE;
    if (!VEC_ROOM(&t->syms, 1) || (!t->list && !VEC_ROOM(&t->nodes, 1)) ||
        !VEC_ROOM(&t->names, (size_t)sym.len + 1))
        return PTS_E_NOMEM;
    if (t->syms.len && sym.start < t->syms.at[t->syms.len - 1].start)
        symtree_shape(t);
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

void symtree_remove(struct symtree *t, uint32_t n)
{
    if (t->list) {
        t->syms.at[n].gone = true;
        return;
    }
    symtree_shape(t);
    t->last = SYM_NONE;
    if (node(t, n)->child[0] == SYM_NONE || node(t, n)->child[1] == SYM_NONE) {
        unlink_simple(t, n);
        return;
    }
    uint32_t heir = redblack_first(t->nodes.at, node(t, n)->child[1]);
    unlink_simple(t, heir);
    replace(t, n, heir);
}

/* The n-th, or the next that is not removed. */
static uint32_t in_list(const struct symtree *t, uint32_t n)
{
    while (n < t->syms.len && t->syms.at[n].gone)
        n++;
    return n < t->syms.len ? n : SYM_NONE;
}

uint32_t symtree_first(const struct symtree *t)
{
    return t->shaped ? redblack_first(t->nodes.at, t->root) : in_list(t, 0);
}

uint32_t symtree_next(const struct symtree *t, uint32_t n)
{
    return t->shaped ? redblack_next(t->nodes.at, n) : in_list(t, n + 1);
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

/* Whether each begins behind the one before, so that it answers for all its addresses. */
static bool is_apart(const struct symtree *t)
{
    for (size_t n = 0; n < t->syms.len; n++) {
        const struct sym *s = &t->syms.at[n];
        uint64_t last = s->end > s->start ? s->end - 1 : s->start;
        if (s->end < s->start || (n + 1 < t->syms.len && s[1].start <= last))
            return false;
    }
    return true;
}

static pts_status flatten_list(const struct symtree *t, struct symtree_ranges *out)
{
    if (t->syms.len && !VEC_ROOM(out, t->syms.len))
        return PTS_E_NOMEM;
    for (size_t n = 0; n < t->syms.len; n++) {
        const struct sym *s = &t->syms.at[n];
        uint64_t last = s->end > s->start ? s->end - 1 : s->start;
        out->at[out->len++] = (struct symtree_range){s->start, last, (uint32_t)n};
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

static uint64_t page_up(uint64_t addr)
{
    return (addr + PAGE - 1) / PAGE * PAGE;
}

static bool in_module(const struct symtree *t, uint32_t n)
{
    return strchr(symtree_name(t, n), '[') != NULL;
}

static void fix_ends(struct symtree *t, bool kallsyms)
{
    uint32_t at = symtree_first(t);
    while (at != SYM_NONE) {
        struct sym *s = &t->syms.at[at];
        uint32_t prev = at;
        at = symtree_next(t, at);
        /* Only symbols without a size; one that overlaps the next is left so. */
        if (s->end != s->start)
            continue;
        if (at != SYM_NONE && kallsyms && in_module(t, prev) != in_module(t, at))
            s->end = page_up(s->start + PAGE);
        else if (at != SYM_NONE)
            s->end = t->syms.at[at].start;
        else
            /* The last symbol has no next one: to the end of its page, and a page more,
             * as in perf. */
            s->end = page_up(s->start) + PAGE;
    }
}

void symtree_fix_ends(struct symtree *t)
{
    fix_ends(t, false);
}

void symtree_fix_kallsyms(struct symtree *t)
{
    fix_ends(t, true);
}

/* Sign of: how much better a is than b for having a property b lacks. */
static int prefer(bool a, bool b)
{
    return (int)a - (int)b;
}

static size_t underscores(const char *name)
{
    return strspn(name, "_");
}

static bool is_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Whether the earlier one of two symbols with the same start is kept. */
static bool first_is_better(const struct symtree *t, uint32_t ia, uint32_t ib)
{
    const struct sym *a = &t->syms.at[ia], *b = &t->syms.at[ib];
    const char *na = symtree_name(t, ia), *nb = symtree_name(t, ib);
    int64_t la = (int64_t)(a->end - a->start), lb = (int64_t)(b->end - b->start);
    int by = 0;
    if ((la == 0 && lb > 0) || (lb == 0 && la > 0))
        by = prefer(la > 0, lb > 0);
    if (!by)
        by = prefer(b->bind == STB_WEAK, a->bind == STB_WEAK);
    if (!by)
        by = prefer(a->bind == STB_GLOBAL, b->bind == STB_GLOBAL);
    if (!by && underscores(na) != underscores(nb))
        by = underscores(na) < underscores(nb) ? 1 : -1;
    if (!by && a->len != b->len)
        by = a->len > b->len ? 1 : -1;
    if (!by) /* names of system call entries in old kernels */
        by = is_prefix(na, "SyS") || is_prefix(na, "compat_SyS") ? -1 : 1;
    return by > 0;
}

void symtree_fix_duplicates(struct symtree *t)
{
    uint32_t at = symtree_first(t);
    while (at != SYM_NONE) {
        uint32_t next = symtree_next(t, at);
        if (next == SYM_NONE)
            return;
        /* The one that stays is compared with the next again: there may be three. */
        if (t->syms.at[at].start != t->syms.at[next].start) {
            at = next;
        } else if (first_is_better(t, at, next)) {
            symtree_remove(t, next);
        } else {
            symtree_remove(t, at);
            at = next;
        }
    }
}
