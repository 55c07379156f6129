/* plain.c - packets that nobody has to follow to know that nothing went wrong.
 *
 * SPDX-License-Identifier: MIT
 *
 *     parts    PSB....PSB....PSB....PSB....|PSB....PSB....
 *     lane 0   |======>      |                            some stretches at a time; who is through
 *     lane 1                 |====>        |              takes the next one, also of another part
 *
 * A stretch must end where the next one begins: then it was read as the reader would have.
 */
#include "decoder/pt/plain.h"

#include "decoder/pt/lookahead.h"
#include "decoder/pt/psb.h"

enum { LANES = 8 };
/* So often it is asked in a stretch what was before (cut_before): else it could take the square of the time. */
enum { DOUBTS = 16 };

struct lane {
    const uint8_t *at;
    const uint8_t *from, *end; /* of the stretch */
    struct plain_part *part;
    uint32_t doubts; /* that are left */
    bool busy;
};

static bool is_branch(uint8_t kind)
{
    return kind == PTS_PKT_TIP || kind == PTS_PKT_TIP_PGE || kind == PTS_PKT_TIP_PGD;
}

/* What may stand between a FUP and its target, too. */
static bool is_anywhere(uint8_t kind)
{
    switch (kind) {
    case PTS_PKT_PAD:
    case PTS_PKT_CYC:
    case PTS_PKT_MTC:
    case PTS_PKT_CBR:
    case PTS_PKT_PIP:
    case PTS_PKT_VMCS:
        return true;
    default:
        return false;
    }
}

/* What does not hang on what is before or behind it. */
static bool is_alone(uint8_t kind)
{
    return is_anywhere(kind) || is_branch(kind) || kind == PTS_PKT_TNT ||
           kind == PTS_PKT_TSC || kind == PTS_PKT_TMA || kind == PTS_PKT_PTWRITE;
}

/* --- Sizes ------------------------------------------------------------------------- */

/* The second byte of an OVF, which begins a CYC, too (cyc_is_cut). */
enum { OVF_SECOND = 0xf3 };

static bool means_nothing(uint8_t first, enum pts_pkt_kind kind)
{
    (void)first;
    return is_alone(kind);
}

static bool means_nothing_surely(uint8_t first, enum pts_pkt_kind kind)
{
    return is_alone(kind) && first != OVF_SECOND;
}

void plain_sizes_make(struct plain_sizes *out, bool cut_cycs)
{
    out->cut_cycs = cut_cycs;
    pkt_sizes_make(&out->by, cut_cycs ? means_nothing_surely : means_nothing);
}

/* --- Packets that are looked at ---------------------------------------------------- */

/* Packets that are looked at, of a lane. */
struct look {
    struct pkt_cursor at;
    struct lane *of; /* NULL: CYCs are what they seem to be */
};

/* Whether the packet in front of `at` is a CYC whose end an OVF may have taken the place of (cyc_is_cut).  It
 * is not known any more which that was, but it is seldom asked for. */
static bool cut_before(struct lane *l, const uint8_t *at, const uint8_t *buf_end)
{
    struct pkt_cursor c = {l->from, buf_end, PKT_CTX_NONE};
    struct pts_pkt p = {0};

    if (*at != OVF_SECOND || at - l->from < 2 || at[-1] != 2 || (at[-2] & 7) != 7)
        return false;
    if (!l->doubts)
        return true;
    l->doubts--;
    while (c.at < at && pkt_cursor_next(&c, &p) > 0)
        ;
    return cyc_is_cut(&p, c);
}

/* As pkt_cursor_next; false: there is none that can be plain. */
static bool next(struct look *l, struct pts_pkt *p)
{
    const uint8_t *at = l->at.at;

    return pkt_cursor_next(&l->at, p) > 0 &&
           !(l->of && cut_before(l->of, at, l->at.end));
}

static bool pass_psb(struct look *l)
{
    struct pts_pkt p;

    while (next(l, &p)) {
        if (p.kind == PTS_PKT_PSBEND)
            return true;
        if (p.kind != PTS_PKT_FUP && p.kind != PTS_PKT_PAD &&
            !pkt_has(p.kind, PKT_IN_PSB))
            return false;
    }
    return false;
}

static bool pass_target(struct look *l)
{
    struct pts_pkt p;

    while (next(l, &p)) {
        if (is_branch(p.kind))
            return true;
        if (!is_anywhere(p.kind) && p.kind != PTS_PKT_MODE_EXEC)
            return false;
    }
    return false;
}

/* The FUP that says where something happened has no target. */
static bool pass_place(struct look *l)
{
    struct pts_pkt p;

    return next(l, &p) && p.kind == PTS_PKT_FUP && p.count;
}

/* Time between a mode and a FUP is a place where perf is wrong (PLACE_FUP_APART). */
static bool pass_mode(const struct look *l)
{
    enum { FEW = 8 };
    struct look ahead = *l;
    struct pts_pkt p;

    for (int i = 0; i < FEW && next(&ahead, &p); i++) {
        if (p.kind == PTS_PKT_FUP && i)
            return false;
        if (p.kind == PTS_PKT_FUP || p.kind == PTS_PKT_TNT || is_branch(p.kind))
            return true;
    }
    return false;
}

/* The packet that a lane is at, and what belongs to it.  NULL: not plain. */
static const uint8_t *pass(struct lane *lane, bool cut_cycs)
{
    struct look l = {
        {lane->at, lane->part->buf_end, PKT_CTX_NONE},
        cut_cycs ? lane : NULL
    };
    struct pts_pkt p;
    bool plain;

    if (!next(&l, &p))
        return NULL;
    switch (p.kind) {
    case PTS_PKT_PSB:
        plain = pass_psb(&l);
        break;
    case PTS_PKT_FUP:
        plain = !p.count || pass_target(&l);
        break;
    case PTS_PKT_PTWRITE_IP:
        plain = pass_place(&l);
        break;
    case PTS_PKT_MODE_EXEC:
    case PTS_PKT_MODE_TSX:
        plain = pass_mode(&l);
        break;
    default:
        plain = is_alone(p.kind);
    }
    return plain ? l.at.at : NULL;
}

/* --- Lanes ------------------------------------------------------------------------- */

/* What is left of the parts. */
struct work {
    const struct plain_sizes *sizes;
    struct plain_part *part, *end; /* the first of which something is left ... */
    const uint8_t *at;             /* ... from here on */
    ptrdiff_t stretch;
    uint32_t busy;
};

static const uint8_t pads[1024]; /* for who has nothing to do */

static void take_stretch(struct work *w, struct lane *l)
{
    while (w->part < w->end && w->at == w->part->end)
        w->at = ++w->part < w->end ? w->part->at : NULL;
    if (w->part == w->end) {
        w->busy -= l->busy;
        *l = (struct lane){.at = pads, .from = pads, .end = pads + sizeof(pads)};
        return;
    }
    const uint8_t *at = w->at, *end = w->part->end;
    const uint8_t *psb =
        end - at > w->stretch ? psb_find_last(at + w->stretch, end) : NULL;
    w->busy += !l->busy;
    *l = (struct lane){at, at, psb ? psb : end, w->part, DOUBTS, true};
    w->at = l->end;
}

static void stretch_fails(struct work *w, struct lane *l)
{
    if (l->part->plain < l->end)
        l->part->plain = l->end;
    take_stretch(w, l);
}

/* One packet that is not passed by its size, or the last ones of a stretch. */
static void look_at(struct work *w, struct lane *l)
{
    if (!l->busy) {
        l->at = pads;
        return;
    }
    if (l->at < l->end)
        l->at = pass(l, w->sizes->cut_cycs);
    if (!l->at || l->at > l->end)
        stretch_fails(w, l);
    else if (l->at == l->end)
        take_stretch(w, l);
}

static size_t steps_of(const struct lane *l)
{
    return (size_t)(l->end - l->at) / PKT_SIZES_LONGEST;
}

/* How many can be made at once before one looks whether a stretch ends. */
static size_t steps_of_all(const struct lane lane[LANES])
{
    size_t least = SIZE_MAX;

    for (int i = 0; i < LANES; i++) {
        size_t n = steps_of(&lane[i]);
        if (n < least)
            least = n;
    }
    return least;
}

/* Until one has come to a packet that is to be looked at, or near to its end. */
static void go(struct lane lane[LANES], const uint8_t *sizes)
{
    const uint8_t *at[LANES];
    size_t n = steps_of_all(lane);

    for (int i = 0; i < LANES; i++)
        at[i] = lane[i].at;
    for (bool plain = true; n && plain; n--) {
        unsigned size[LANES];
#pragma GCC unroll 8
        for (int i = 0; i < LANES; i++) {
            size[i] = sizes[rd_u16(at[i])];
            plain &= size[i] != 0;
        }
#pragma GCC unroll 8
        for (int i = 0; plain && i < LANES; i++)
            at[i] += size[i];
    }
    for (int i = 0; i < LANES; i++)
        lane[i].at = at[i];
}

void plain_read(const struct plain_sizes *sizes, struct plain_part *part, size_t count,
                size_t stretch)
{
    struct work w = {.sizes = sizes,
                     .part = part,
                     .end = part + count,
                     .at = count ? part->at : NULL,
                     .stretch = (ptrdiff_t)stretch};
    struct lane lane[LANES] = {{0}};

    for (size_t i = 0; i < count; i++)
        part[i].plain = part[i].at;
    for (int i = 0; i < LANES; i++)
        take_stretch(&w, &lane[i]);
    while (w.busy) {
        go(lane, sizes->by.of);
        for (int i = 0; i < LANES; i++) {
            if (!steps_of(&lane[i]) || !sizes->by.of[rd_u16(lane[i].at)])
                look_at(&w, &lane[i]);
        }
    }
}
