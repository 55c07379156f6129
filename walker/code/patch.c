/* patch.c - code that changed while it was recorded, as it was at any point.
 *
 * SPDX-License-Identifier: MIT
 *
 * Pieces are added with the bytes of one change only, and sorted in the end; then each one
 * takes over from the one before what it does not tell itself.
 */
#include "walker/code/patch.h"

#include <stdlib.h>
#include <string.h>

static void piece_fill(struct patch *piece, uint64_t off, const uint8_t *bytes,
                       size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned at = (unsigned)((off + i) % PATCH_SIZE);
        piece->bytes[at] = bytes[i];
        piece->told |= (uint16_t)(1U << at);
    }
}

bool patches_add(struct patches *p, uint32_t epoch, uint64_t off, const uint8_t *bytes,
                 size_t n)
{
    if (n > UINT64_MAX - off)
        n = (size_t)(UINT64_MAX - off);
    while (n) {
        size_t most = PATCH_SIZE - (size_t)(off % PATCH_SIZE);
        size_t part = n < most ? n : most;
        struct patch *piece = VEC_PUSH(&p->at);
        if (!piece)
            return false;
        *piece = (struct patch){.place = off / PATCH_SIZE, .epoch = epoch};
        piece_fill(piece, off, bytes, part);
        off += part;
        bytes += part;
        n -= part;
    }
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct patch *x = a, *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->epoch < y->epoch ? -1 : x->epoch > y->epoch;
}

static void take_over(struct patch *piece, const struct patch *before)
{
    for (unsigned i = 0; i < PATCH_SIZE; i++)
        if (!(piece->told >> i & 1))
            piece->bytes[i] = before->bytes[i];
    piece->told |= before->told;
}

void patches_finish(struct patches *p)
{
    struct patch *at = p->at.at;

    if (p->at.len)
        qsort(at, p->at.len, sizeof(*at), by_place);
    for (size_t i = 1; i < p->at.len; i++)
        if (at[i].place == at[i - 1].place)
            take_over(&at[i], &at[i - 1]);
}

void patches_free(struct patches *p)
{
    VEC_FREE(&p->at);
}

/* The first piece that is of a later place, or of this one and in effect after the epoch. */
static size_t first_after(const struct patches *p, uint64_t place, uint32_t epoch)
{
    size_t lo = 0;

    for (size_t hi = p->at.len; lo < hi;) {
        size_t mid = lo + (hi - lo) / 2;
        const struct patch *m = &p->at.at[mid];
        if (m->place < place || (m->place == place && m->epoch <= epoch))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The first piece of a place or of those behind it. */
static size_t first_of(const struct patches *p, uint64_t place)
{
    return place ? first_after(p, place - 1, UINT32_MAX) : 0;
}

uint64_t patches_next(const struct patches *p, uint64_t off)
{
    size_t i = first_of(p, off / PATCH_SIZE);

    if (i == p->at.len)
        return UINT64_MAX;
    uint64_t first = p->at.at[i].place * PATCH_SIZE;
    return first > off ? first : off;
}

static void piece_put(const struct patch *piece, uint64_t off, uint8_t *bytes, size_t n)
{
    for (unsigned i = 0; i < PATCH_SIZE; i++) {
        uint64_t to = piece->place * PATCH_SIZE + i - off;
        if (piece->told >> i & 1 && to < n)
            bytes[to] = piece->bytes[i];
    }
}

/* From place to place that changes at all: i is the first piece of one, next that of the one
 * behind it. */
void patches_put(const struct patches *p, uint32_t epoch, uint64_t off, uint8_t *bytes,
                 size_t n)
{
    uint64_t last = n ? (off + n - 1) / PATCH_SIZE : 0;

    for (size_t i = n ? first_of(p, off / PATCH_SIZE) : p->at.len; i < p->at.len;) {
        uint64_t place = p->at.at[i].place;
        if (place > last)
            break;
        size_t next = first_after(p, place, epoch);
        if (next > i)
            piece_put(&p->at.at[next - 1], off, bytes, n);
        i = first_of(p, place + 1);
    }
}

void patches_narrow(const struct patches *p, uint64_t off, size_t n, struct when *w)
{
    uint64_t last = n ? (off + n - 1) / PATCH_SIZE : 0;

    for (size_t i = n ? first_of(p, off / PATCH_SIZE) : p->at.len; i < p->at.len;) {
        uint64_t place = p->at.at[i].place;
        if (place > last)
            break;
        w->timed = true;
        size_t next = first_after(p, place, w->epoch);
        if (next > i && p->at.at[next - 1].epoch > w->from)
            w->from = p->at.at[next - 1].epoch;
        if (next < p->at.len && p->at.at[next].place == place &&
            p->at.at[next].epoch < w->until)
            w->until = p->at.at[next].epoch;
        i = first_of(p, place + 1);
    }
}
