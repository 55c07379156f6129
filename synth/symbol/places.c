/* places.c - what lies at addresses, kept.
 *
 * SPDX-License-Identifier: MIT
 *
 * The fast way, where the answer is known, is in places.h; this is the slow one.  A
 * branch has the mode of where it came from, so its target may be in maps of the other
 * side: a system call, an interrupt.
 */
#include "synth/symbol/places.h"

#include "decoder/base/arena.h"

#include <string.h>

pts_status places_new(const struct lookup *look, struct places **out)
{
    struct places *all = mem_zalloc(1, sizeof(*all));

    if (!all)
        return PTS_E_NOMEM;
    all->look = look;
    *out = all;
    return PTS_OK;
}

void places_free(struct places *all)
{
    mem_free(all);
}

void places_look(const struct places *all, const struct who *w, uint8_t how,
                 uint64_t ip, struct place *out)
{
    const struct lookup *look = all->look;
    uint8_t mode = how & (uint8_t)~PLACE_TARGET,
            other = mode_at_addr(ip, mode_is_guest(mode));

    *out = (struct place){0};
    look->place(look->ctx, w, mode, ip, out);
    if (!out->dso && how & PLACE_TARGET && other != mode)
        look->place(look->ctx, w, other, ip, out);
    out->ip = ip;
}

void places_fill(struct places *all, struct places_slot *s, const struct who *w,
                 uint8_t how, uint64_t ip)
{
    if (!all->used) /* nobody may ever ask: as mem_table, but not before */
        memset(all->at, 0, sizeof(all->at));
    all->used = true;
    places_look(all, w, how, ip, &s->place);
    s->known = !s->place.unread;
    s->ip = ip;
    s->maps = places_maps(w, how, ip);
    s->guest = w->guest;
    s->how = how;
}
