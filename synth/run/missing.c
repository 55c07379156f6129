/* missing.c - how often it is told that the code of a dso cannot be read.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf 6.1 tells it twice, of all queues together: when the file cannot be opened, and
 * when it meets it again as one that cannot.  Where it found that out before
 * (sb_probe), it tells it once.
 */
#include "synth/run/run.h"

static bool was_probed(const struct run *r, uint32_t dso)
{
    const struct sideband *sb = r->view.sb;

    for (uint32_t i = 0; i < sb_probe_count(sb); i++) {
        struct sb_probe p = sb_probe_at(sb, i);
        if (p.epoch > r->epoch)
            break;
        for (uint32_t k = 0; k < p.count; k++) {
            if (p.dso[k] == dso)
                return true;
            if (code_store_has(r->codes, sb_dso_at(sb, p.dso[k])))
                break;
        }
    }
    return false;
}

bool run_missing_told(struct run *r, const struct pt_event *ev)
{
    uint32_t count = sb_dso_count(r->view.sb);

    if (!(ev->what & EV_ERROR) || !ev->missing || ev->missing > count)
        return false;
    if (!r->missing_told)
        r->missing_told = mem_zalloc(count, sizeof(*r->missing_told));
    if (!r->missing_told)
        return false;
    uint32_t dso = ev->missing - 1;
    uint8_t *n = &r->missing_told[dso];
    if (!*n && was_probed(r, dso))
        *n = 1;
    if (*n >= MISSING_TOLD)
        return true;
    ++*n;
    return false;
}
