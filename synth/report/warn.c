/* warn.c - what perf says of the kernel's symbols before it prints a report.
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
