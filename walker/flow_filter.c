/* flow_filter.c - address filters: does a branch leave the traced regions?
 *
 * SPDX-License-Identifier: MIT
 *
 * A TIP.PGD caused by a filter comes where the branch leaves the region, and that may
 * be a direct branch which needs no TIP of its own (spec B5).
 */
#include "walker/flow_priv.h"

#include <string.h>

static const uint64_t kernel_start = UINT64_C(1) << 63;

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

bool leaves_filter(const struct flow *f, uint64_t to)
{
    if (!f->conf.filter_count)
        return false;
    if (f->next_nr || to >= kernel_start)
        return to >= kernel_start && outside(f, to, NULL);
    if (f->who.thread == SB_NONE)
        return false;
    const struct as_map *m = as_find(f->view, f->who.thread, f->epoch, to, false);
    if (!m || !m->dso)
        return false;
    return outside(f, to - m->start + m->pgoff, m->dso->long_name);
}
