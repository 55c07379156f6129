/* filter.c - address filters: does a branch leave the traced code?
 *
 * SPDX-License-Identifier: MIT
 *
 * Filters say regions that are traced, and regions in which tracing stops.  A TIP.PGD
 * caused by one comes where a branch leaves the region, and that may be a direct branch
 * which needs no TIP of its own; so every direct branch on the way to a TIP.PGD is asked
 * about.  Regions of files count in the file, those of the kernel by address, those of a
 * bare trace all by address.
 */
#include "walker/flow/filter.h"

#include <string.h>

static bool in_region(const struct flow_filter *r, uint64_t addr, const char *file)
{
    if (!file != !r->file || (file && strcmp(file, r->file) != 0))
        return false;
    return addr - r->start < r->size;
}

static bool outside(const struct flow *f, uint64_t addr, const char *file)
{
    bool have_filter = false, inside = false, stop = false;

    for (uint32_t i = 0; i < f->conf.filter_count; i++) {
        const struct flow_filter *r = &f->conf.filters[i];
        have_filter |= !r->stop;
        if (!in_region(r, addr, file))
            continue;
        inside |= !r->stop;
        stop |= r->stop;
    }
    return stop || (have_filter && !inside);
}

/* Of a bare trace whose filters nobody told: a TIP.PGD has an address when a filter ends
 * the trace, and then it is that of code which was not traced. */
static bool is_stated(const struct flow *f, uint64_t to)
{
    return f->in.ip_known && to == f->in.s.last_ip;
}

bool leaves_filter(const struct flow *f, uint64_t to)
{
    if (f->conf.bare)
        return f->conf.filter_count ? outside(f, to, NULL) : is_stated(f, to);
    if (!f->conf.filter_count)
        return false;
    if (f->in.s.next_nr || in_kernel(to))
        return in_kernel(to) && outside(f, to, NULL);
    if (f->told.who.thread == SB_NONE)
        return false;
    const struct as_map *m =
        as_find(f->code.view, f->told.who.thread, f->told.epoch, to, false);
    if (!m || !m->dso)
        return false;
    return outside(f, to - m->start + m->pgoff, m->dso->long_name);
}
