/* aspace.c - what is mapped where, for every process and point of the recording.
 *
 * SPDX-License-Identifier: MIT
 *
 * Feeding works out each change once and keeps it as a splice of a sorted array:
 *
 *     maps       [0 libc][1 ld.so][2 stack]
 *     + map 3 in the middle of ld.so
 *     pieces     4 = ld.so up to 3, 3, 5 = ld.so after 3
 *     op         pos 1, removed 1, added 3: [0][4 3 5][2]
 *
 * Where an array changed last it has its unused room, as the next change is mostly near:
 * kernels give out addresses downwards, and splices in front of all else would move it all.
 *
 * A view replays the splices of the processes it is asked about.  A fork does not copy:
 * it refers to a snapshot of its parent's maps, which forks of an unchanged parent
 * share.  Where parents and forks change all the time n records would make n * n maps:
 * past a limit a fork begins without any.
 */
#include "walker/sideband/sideband_priv.h"

#include <assert.h>
#include <string.h>

/* Maps (indices into sideband.map) ascending by start:
 *
 *     | 0 .. gap-1 |  skip: unused  | gap .. len-1 |
 */
struct maps {
    const uint32_t *at;
    uint32_t len, gap, skip;
};

static uint32_t nth(const struct maps *m, uint32_t i)
{
    return m->at[i < m->gap ? i : i + m->skip];
}

/* The first map that starts after ip. */
static uint32_t first_after(const struct as_map *all, const struct maps *m, uint64_t ip)
{
    uint32_t lo = 0;
    for (uint32_t hi = m->len; lo < hi;) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (all[nth(m, mid)].start <= ip)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static uint32_t map_at(const struct as_map *all, const struct maps *m, uint64_t ip)
{
    uint32_t i = m->at ? first_after(all, m, ip) : 0;
    uint32_t map = i ? nth(m, i - 1) : SB_NONE;
    return i && ip < all[map].end ? map : SB_NONE;
}

/* Puts op into an array, at which m->at points, that has room for it. */
static void splice(uint32_t *at, struct maps *m, const struct space_op *op)
{
    uint32_t from = m->gap, to = op->pos;
    assert(at && op->pos + op->removed <= m->len && op->added <= m->skip + op->removed);
    if (to < from)
        memmove(at + to + m->skip, at + to, (from - to) * sizeof(*at));
    else
        memmove(at + from, at + from + m->skip, (to - from) * sizeof(*at));
    for (uint32_t i = 0; i < op->added; i++)
        at[to + i] = op->first + i;
    m->gap = to + op->added;
    m->len += op->added - op->removed;
    m->skip += op->removed - op->added;
}

/* All of them in one row. */
static void copy_all(uint32_t *to, const struct maps *m)
{
    if (m->gap)
        memcpy(to, m->at, m->gap * sizeof(*to));
    if (m->len > m->gap)
        memcpy(to + m->gap, m->at + m->gap + m->skip, (m->len - m->gap) * sizeof(*to));
}

/* --- Feeding --- */

pts_status space_new(struct sideband *sb, uint32_t *out)
{
    struct space *s = sb->space.len < SB_NONE ? VEC_PUSH(&sb->space) : NULL;
    if (!s)
        return PTS_E_NOMEM;
    *s = (struct space){.base = SB_NONE, .snap = SB_NONE};
    *out = (uint32_t)sb->space.len - 1;
    return PTS_OK;
}

/* The maps of a space as they are now. */
static struct maps maps_now(const struct sideband *sb, const struct space *s)
{
    /* Nothing of its own yet: still the maps that it was forked with. */
    if (s->map.len || s->base == SB_NONE)
        return (struct maps){s->map.at, s->len, s->gap, (uint32_t)s->map.cap - s->len};
    return (struct maps){sb->snap_map.at + sb->snap.at[s->base].first, s->len, s->len,
                         0};
}

/* Whether n maps more may be copied: no recording that was made comes near (I12). */
static bool has_room(const struct sideband *sb, uint32_t n)
{
    static const uint64_t anyway = 16 << 20, each_record = 64;
    return sb->snap_map.len + sb->owned + n <= anyway + each_record * sb_now(sb);
}

/* A space that is about to change copies what it was forked with, or goes without. */
static void space_bound(struct sideband *sb, struct space *s)
{
    if (s->map.len || !s->len)
        return;
    if (has_room(sb, s->len)) {
        sb->owned += s->len;
        return;
    }
    s->base = SB_NONE;
    s->len = s->max_len = 0;
    sb->bare++;
}

/* Makes a space ready to change by up to two more maps. */
static pts_status space_own(struct sideband *sb, struct space *s)
{
    struct maps now = maps_now(sb, s);
    bool own = s->map.len;
    if (s->len > UINT32_MAX / 4 || !VEC_ROOM(&s->map, s->len + 2 - s->map.len))
        return PTS_E_NOMEM;
    uint32_t skip = (uint32_t)s->map.cap - s->len, behind = s->len - s->gap;
    if (own && skip != now.skip) /* there is more room, at its end */
        memmove(s->map.at + s->gap + skip, s->map.at + s->gap + now.skip,
                behind * sizeof(uint32_t));
    if (own || !s->len)
        return PTS_OK;
    copy_all(s->map.at, &now);
    s->gap = s->len;
    s->map.len = s->len;
    return PTS_OK;
}

/* One point for all that changes at an epoch. */
pts_status sb_note_change(struct sideband *sb, enum maps_of whose)
{
    uint32_t now = sb_now(sb);
    size_t n = sb->changed.added.len;

    for (size_t i = n; i-- > 0 && n - i <= MAPS_OF;)
        if (sb->changed.added.at[i].key == whose &&
            sb->changed.added.at[i].point.epoch == now)
            return PTS_OK;
    return timeline_add(&sb->changed, whose, now, now);
}

uint32_t sb_maps_since(const struct sideband *sb, uint32_t epoch, bool kernel)
{
    uint32_t until = UINT32_MAX;
    return timeline_at(&sb->changed, kernel ? MAPS_KERNEL : MAPS_ANY, epoch, &until);
}

uint32_t sb_next_change(const struct sideband *sb, uint32_t epoch)
{
    uint32_t until = UINT32_MAX;

    for (uint32_t whose = 0; whose < MAPS_OF; whose++)
        timeline_at(&sb->changed, whose, epoch, &until);
    return until;
}

static pts_status space_apply(struct sideband *sb, uint32_t space, struct space_op op)
{
    struct space *s = &sb->space.at[space];
    struct space_op *kept = sb->op.len < SB_NONE ? VEC_PUSH(&sb->op) : NULL;
    if (!kept || space_own(sb, s) < 0)
        return PTS_E_NOMEM;
    *kept = op;
    struct maps now = {s->map.at, s->len, s->gap, (uint32_t)s->map.cap - s->len};
    splice(s->map.at, &now, &op);
    s->len = now.len;
    s->gap = now.gap;
    s->map.len = s->len;
    /* The snapshot that forks shared is of before; the next fork makes another one. */
    s->snap = SB_NONE;
    if (s->len > s->max_len)
        s->max_len = s->len;
    pts_status st = sb_note_change(sb, MAPS_ANY);
    if (st == PTS_OK && space == SPACE_KERNEL)
        st = sb_note_change(sb, MAPS_KERNEL);
    return st == PTS_OK
               ? timeline_add(&sb->op_time, space, sb_now(sb), (uint32_t)sb->op.len - 1)
               : st;
}

static void push_piece(struct sideband *sb, struct as_map m, uint64_t start,
                       uint64_t end)
{
    m.pgoff += start - m.start;
    m.start = start;
    m.end = end;
    sb->map.at[sb->map.len++] = m;
}

pts_status space_insert(struct sideband *sb, uint32_t space, const struct as_map *m)
{
    struct space *s = &sb->space.at[space];
    if (m->end <= m->start)
        return PTS_OK; /* nothing is ever found there */
    space_bound(sb, s);
    if (sb->map.len > SB_NONE - 3 || !VEC_ROOM(&sb->map, 3))
        return PTS_E_NOMEM;
    const struct as_map *all = sb->map.at;
    const struct maps now = maps_now(sb, s);
    struct space_op op = {.pos = first_after(all, &now, m->start),
                          .first = (uint32_t)sb->map.len};
    /* In user space a new map takes the place of what it lies on.  The kernel's are all
     * kept: perf cuts none of them. */
    if (space != SPACE_KERNEL) {
        if (op.pos && all[nth(&now, op.pos - 1)].end > m->start)
            op.pos--;
        while (op.pos + op.removed < s->len &&
               all[nth(&now, op.pos + op.removed)].start < m->end)
            op.removed++;
    }
    const struct as_map *low = op.removed ? &all[nth(&now, op.pos)] : NULL;
    const struct as_map *high =
        op.removed ? &all[nth(&now, op.pos + op.removed - 1)] : NULL;
    if (low && low->start < m->start)
        push_piece(sb, *low, low->start, m->start);
    push_piece(sb, *m, m->start, m->end);
    if (high && high->end > m->end)
        push_piece(sb, *high, m->end, high->end);
    op.added = (uint32_t)sb->map.len - op.first;
    return space_apply(sb, space, op);
}

pts_status space_remove(struct sideband *sb, uint32_t space, uint32_t map)
{
    struct space *s = &sb->space.at[space];
    space_bound(sb, s);
    const struct maps now = maps_now(sb, s);
    for (uint32_t i = 0; i < s->len; i++)
        if (nth(&now, i) == map)
            return space_apply(sb, space, (struct space_op){.pos = i, .removed = 1});
    return PTS_OK;
}

const struct as_map *space_map(const struct sideband *sb, uint32_t space, uint32_t i)
{
    const struct space *s = &sb->space.at[space];
    const struct maps now = maps_now(sb, s);
    return i < s->len ? &sb->map.at[nth(&now, i)] : NULL;
}

uint32_t space_find(const struct sideband *sb, uint32_t space, uint64_t ip)
{
    const struct space *s = &sb->space.at[space];
    const struct maps now = maps_now(sb, s);
    return map_at(sb->map.at, &now, ip);
}

static pts_status snapshot(struct sideband *sb, struct space *s)
{
    struct space_snap *snap = sb->snap.len < SB_NONE ? VEC_PUSH(&sb->snap) : NULL;
    if (!snap || !VEC_ROOM(&sb->snap_map, s->len))
        return PTS_E_NOMEM;
    *snap = (struct space_snap){sb->snap_map.len, s->len};
    const struct maps now = maps_now(sb, s);
    copy_all(sb->snap_map.at + snap->first, &now);
    sb->snap_map.len += s->len;
    s->snap = (uint32_t)sb->snap.len - 1;
    return PTS_OK;
}

pts_status space_clone(struct sideband *sb, uint32_t to, uint32_t from)
{
    struct space *parent = &sb->space.at[from], *child = &sb->space.at[to];
    if (to == from || !parent->len)
        return PTS_OK;
    if (child->len || child->map.cap) {
        /* It has had maps already: rare, and done one by one. */
        for (uint32_t i = 0; i < parent->len; i++) {
            struct as_map m = *space_map(sb, from, i);
            pts_status st = space_insert(sb, to, &m);
            if (st != PTS_OK)
                return st;
        }
        return PTS_OK;
    }
    if (parent->snap == SB_NONE && !has_room(sb, parent->len)) {
        sb->bare++;
        return PTS_OK;
    }
    if (parent->snap == SB_NONE && snapshot(sb, parent) < 0)
        return PTS_E_NOMEM;
    child->base = child->snap = parent->snap;
    child->len = parent->len;
    if (child->len > child->max_len)
        child->max_len = child->len;
    return PTS_OK;
}

uint32_t sb_bare_forks(const struct sideband *sb)
{
    return sb->bare;
}

void space_free(struct space *s)
{
    VEC_FREE(&s->map);
}

/* --- Views --- */

/* A space as a view has it.  `now` is the snapshot it began with until it changes. */
struct view_space {
    uint32_t space;
    struct maps now;
    uint32_t *own;  /* room for max_len */
    uint32_t done;  /* ops applied */
    uint32_t epoch; /* of the last one */
};

/* Where the last look-up was: it holds for [from, until). */
struct view_place {
    uint32_t thread, from, until;
    uint32_t space, done; /* whose maps: after so many ops */
    struct maps maps;
    const struct as_map *hit;
};

struct as_view {
    const struct sideband *sb;
    uint32_t *slot; /* space -> 1 + index into spaces */
    VEC(struct view_space) spaces;
    struct view_place user, kernel;
    bool failed;
};

pts_status as_view_new(const struct sideband *sb, struct as_view **out)
{
    struct as_view *v = mem_zalloc(1, sizeof(*v));
    uint32_t *slot = mem_zalloc(sb->space.len, sizeof(*slot));
    if (!v || !slot) {
        mem_free(v);
        mem_free(slot);
        return PTS_E_NOMEM;
    }
    v->sb = sb;
    v->slot = slot;
    *out = v;
    return PTS_OK;
}

void as_view_free(struct as_view *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->spaces.len; i++)
        mem_free(v->spaces.at[i].own);
    VEC_FREE(&v->spaces);
    mem_free(v->slot);
    mem_free(v);
}

bool as_view_failed(const struct as_view *v)
{
    return v->failed;
}

/* Splices cannot be undone, so going back is beginning anew, at the snapshot that
 * the space was forked from. */
static void rewind_space(const struct sideband *sb, struct view_space *vs)
{
    uint32_t base = sb->space.at[vs->space].base;
    vs->done = vs->epoch = 0;
    vs->now = (struct maps){vs->own, 0, 0, sb->space.at[vs->space].max_len + 1};
    if (base != SB_NONE) {
        const struct space_snap *snap = &sb->snap.at[base];
        vs->now = (struct maps){sb->snap_map.at + snap->first, snap->len, snap->len, 0};
    }
}

static struct view_space *open_space(struct as_view *v, uint32_t space)
{
    if (v->slot[space])
        return &v->spaces.at[v->slot[space] - 1];
    struct view_space *vs = VEC_PUSH(&v->spaces);
    if (!vs)
        return NULL;
    *vs = (struct view_space){.space = space};
    rewind_space(v->sb, vs);
    v->slot[space] = (uint32_t)v->spaces.len;
    return vs;
}

/* Snapshots are shared by all views; a space that changes gets a copy, of the size
 * that it will need at most. */
static bool own_space(const struct sideband *sb, struct view_space *vs)
{
    uint32_t room = sb->space.at[vs->space].max_len + 1;

    if (!vs->own)
        vs->own = mem_resize(NULL, room, sizeof(*vs->own));
    if (!vs->own)
        return false;
    if (vs->now.at != vs->own) {
        copy_all(vs->own, &vs->now);
        vs->now = (struct maps){vs->own, vs->now.len, vs->now.len, room - vs->now.len};
    }
    return true;
}

/* Replays what happened to a space up to an epoch. */
static bool seek_space(const struct sideband *sb, struct view_space *vs, uint32_t epoch,
                       uint32_t *until)
{
    uint32_t n;
    const struct tl_point *p = timeline_of(&sb->op_time, vs->space, &n);
    /* Queues ask in the order of their own times, which for one view go forward nearly
     * always. */
    if (epoch < vs->epoch)
        rewind_space(sb, vs);
    while (vs->done < n && p[vs->done].epoch <= epoch) {
        if (!own_space(sb, vs))
            return false;
        splice(vs->own, &vs->now, &sb->op.at[p[vs->done].value]);
        vs->epoch = p[vs->done++].epoch;
    }
    if (vs->done < n && p[vs->done].epoch < *until)
        *until = p[vs->done].epoch;
    return true;
}

/* An answer holds for a span of epochs: until the thread gets other maps, or these
 * change.  Within it nothing has to be looked up but the map. */
static void seek(struct as_view *v, struct view_place *at, uint32_t thread,
                 uint32_t epoch)
{
    const struct sideband *sb = v->sb;
    *at = (struct view_place){
        .thread = thread, .from = epoch, .until = UINT32_MAX, .space = SB_NONE};
    uint32_t space = SPACE_KERNEL;
    if (at == &v->user)
        space = thread < sb->thread.len
                    ? timeline_at(&sb->space_time, thread, epoch, &at->until)
                    : SB_NONE;
    if (space == SB_NONE)
        return;
    struct view_space *vs = open_space(v, space);
    if (!vs || !seek_space(sb, vs, epoch, &at->until)) {
        v->failed = true;
        return;
    }
    at->maps = vs->now;
    at->space = space;
    at->done = vs->done;
}

static bool place_stays(struct as_view *v, struct view_place *at, uint32_t thread,
                        uint32_t epoch)
{
    const uint32_t space = at->space, done = at->done;

    /* Of a place that nobody has asked for nothing was said. */
    if (!at->until || (at->thread == thread && epoch >= at->from && epoch < at->until))
        return true;
    seek(v, at, thread, epoch);
    return at->space == space && at->done == done;
}

bool as_stays(struct as_view *v, uint32_t thread, uint32_t epoch)
{
    bool user = place_stays(v, &v->user, thread, epoch);

    return place_stays(v, &v->kernel, SB_NONE, epoch) && user && !v->failed;
}

const struct as_map *as_at(struct as_view *v, uint32_t thread, uint32_t epoch,
                           uint32_t i)
{
    struct view_place *at = &v->user;

    if (at->thread != thread || epoch < at->from || epoch >= at->until)
        seek(v, at, thread, epoch);
    return i < at->maps.len ? &v->sb->map.at[nth(&at->maps, i)] : NULL;
}

const struct as_map *as_find(struct as_view *v, uint32_t thread, uint32_t epoch,
                             uint64_t ip, bool kernel)
{
    struct view_place *at = kernel ? &v->kernel : &v->user;
    if (kernel)
        thread = SB_NONE;
    if (at->thread != thread || epoch < at->from || epoch >= at->until)
        seek(v, at, thread, epoch);
    /* Code runs in one map for long: most calls end here. */
    if (at->hit && ip >= at->hit->start && ip < at->hit->end)
        return at->hit;
    uint32_t i = map_at(v->sb->map.at, &at->maps, ip);
    if (i == SB_NONE)
        return NULL;
    at->hit = &v->sb->map.at[i];
    return at->hit;
}
