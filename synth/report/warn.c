/* warn.c - what is said beside a report: of the kernel's symbols, as perf; that no row is left.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/report.h"

#include <stdio.h>

static bool without_kernel(const struct evlist *l)
{
    for (size_t i = 0; i < l->ev.len; i++)
        if (!(l->ev.at[i].attr.flags & PTS_ATTR_EXCLUDE_KERNEL))
            return false;
    return true;
}

void report_warn(const struct report *r)
{
    static const char text[] =
        "Warning:\n"
        "Kernel address maps (/proc/{kallsyms,modules}) were restricted.\n\n"
        "Check /proc/sys/kernel/kptr_restrict before running 'perf record'.\n\n"
        "%s\n\n"
        "Samples in kernel modules can't be resolved as well.\n\n";
    const struct sb_kernel *k = sb_kernel(r->scene.sb);
    bool known = k->dso && !(r->kernel_hit && (!k->ref || !k->ref_addr));
    char all[sizeof(text) + 120];

    if (r->opts.quiet || known || without_kernel(&r->scene.plan->evl))
        return;
    snprintf(all, sizeof(all), text,
             k->dso && k->names
                 ? "If some relocation was applied (e.g. kexec) symbols may be "
                   "misresolved."
                 : "As no suitable kallsyms nor vmlinux was found, kernel samples\n"
                   "can't be resolved.");
    (void)report_quit(&r->opts, all);
}

static bool any_row(const struct report *r)
{
    for (size_t e = 0; e < r->scene.plan->evl.ev.len; e++)
        for (size_t i = 0; i < r->hists[e].entry.len; i++)
            if (!hists_at(&r->hists[e], i)->filtered)
                return true;
    return false;
}

void report_note_filtered(const struct report *r)
{
    const struct report_opts *o = &r->opts;
    const struct {
        const char *name, *value;
    } filters[] = {
        {"dsos",    o->dsos   },
        {"comms",   o->comms  },
        {"symbols", o->symbols},
        {"pid",     o->pids   },
        {"tid",     o->tids   },
    };
    char text[200];
    size_t n = (size_t)snprintf(text, sizeof(text), "no row is left by");
    const size_t none = n;

    for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
        if (filters[i].value)
            n += (size_t)snprintf(text + n, sizeof(text) - n, " --%s", filters[i].name);
    if (n > none && o->run.message && !any_row(r))
        o->run.message(o->run.message_ctx, PTS_MSG_NOTE, text);
}
