/* called.c - the function that a branch calls or returns from.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf looks up the target only of events whose addr it knows to be code; for others
 * there is the bare address to show.
 */
#include "synth/sample/called.h"

#include <ptscript/sample.h>

static const char *name_at(struct places *places, const struct sample *s, uint8_t how,
                           uint64_t ip)
{
    return place_at(places, &s->who, s->cpumode | how, ip)->sym;
}

const char *called_function(struct places *places, const struct evlist *l,
                            const struct sample *s, uint64_t *ip)
{
    const char *name = NULL;
    uint64_t at = 0;

    if (s->flags & (PTS_FLAG_CALL | PTS_FLAG_TRACE_BEGIN)) {
        at = s->addr;
        if (l->ev.at[s->event].addr_is_code)
            name = name_at(places, s, PLACE_TARGET, at);
    } else if (s->flags & (PTS_FLAG_RETURN | PTS_FLAG_TRACE_END)) {
        at = s->ip;
        name = name_at(places, s, 0, at);
    }
    *ip = name ? 0 : at;
    return name;
}
