/* inject_options.h - the options of perf inject, from their table.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_INJECT_INJECT_OPTIONS_H
#define PTS_SYNTH_INJECT_INJECT_OPTIONS_H

#include "synth/inject/inject.h"
#include "synth/plan/options.h"

struct inject_given {
    bool build_ids, build_id_all, sched_stat, strip, no_hw_idx, jit;
    bool vm_time, vm_dry_run; /* --vm-time-correlation: nothing else is done, */
    bool vm_nothing;          /* ... and with --no-itrace not even that */
    const char *vm_args;      /* what it was given; NULL */
    struct guest_args guest;  /* --guest-data, */
    bool guest_unread;        /* ... of which only the kernel is taken */
    const char *known_ids;    /* --known-build-ids; NULL */
    const char *guestmount;   /* where files of guests must be; NULL */
    struct options run;       /* of the run that is needed, */
    struct inject_opts what;  /* ... and what is to be done with what comes of it */
};

/* PTS_E_USAGE: perf's text; PTS_E_UNSUPPORTED names the option; PTS_E_FORMAT: they do not go
 * together. */
pts_status inject_options(struct inject_given *g, const struct pts_option *options,
                          size_t count, pts_message_fn *message, void *message_ctx,
                          struct pts_diag *why);

#endif
