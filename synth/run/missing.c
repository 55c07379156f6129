/* missing.c - how often it is told that the code of a dso cannot be read.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf 6.1 tells it twice, of all queues together: when the file cannot be opened, and
 * when it meets it again as one that cannot.  Where it found that out before
 * (sb_probe), it tells it once.  Printing a sample may have found it out, too.
 */
#include "synth/run/run.h"

#include <stdio.h>

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

static bool told_room(struct run *r)
{
    if (!r->missing_told)
        r->missing_told =
            mem_zalloc(sb_dso_total(r->view.sb), sizeof(*r->missing_told));
    return r->missing_told;
}

/* perf prints a sample's instruction, or would: for one that brings none it reads the file. */
void run_looks_at(void *ctx, const struct sample *s)
{
    struct run *r = ctx;
    bool kernel = mode_at_addr(s->ip, false) == PTS_MODE_KERNEL;
    uint32_t thread = s->who.thread;

    if (thread == SB_NONE && !kernel)
        thread = sb_thread(r->view.sb, s->who.pid, s->who.tid, s->who.epoch + 1);
    const struct as_map *m =
        s->ip ? as_find(r->looking, thread, s->who.epoch, s->ip, kernel) : NULL;
    if (!m || !m->dso || !told_room(r) || code_store_has(r->codes, m->dso))
        return;
    if (!r->missing_told[m->dso->index])
        r->missing_told[m->dso->index] = 1;
}

void run_needs_kernel(struct run *r)
{
    const struct sb_kernel *k = sb_kernel(r->view.sb);
    char id[BUILD_ID_TEXT], text[BUILD_ID_TEXT + 80];

    if (r->kernel_told || r->plan->opt.quiet || !k->not_found || !k->want.id.len ||
        (r->session->opts.symfs && r->session->opts.symfs[0]))
        return;
    r->kernel_told = true;
    snprintf(text, sizeof(text), "No kallsyms or vmlinux with build-id %s was found\n",
             build_id_text(&k->want.id, id));
    session_message(r->session, PTS_MSG_WARNING, text);
}

bool run_missing_told(struct run *r, const struct pt_event *ev)
{
    if (!(ev->what & EV_ERROR) || !ev->missing ||
        ev->missing > sb_dso_total(r->view.sb) || !told_room(r))
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
