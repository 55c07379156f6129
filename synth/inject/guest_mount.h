/* guest_mount.h - whether files of guests are where --guestmount says.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_INJECT_GUEST_MOUNT_H
#define PTS_SYNTH_INJECT_GUEST_MOUNT_H

#include "decoder/file/perf_file.h"

#include <limits.h>
#include <ptscript/session.h>
#include <stdbool.h>

/* DIR/PID, in path, when that cannot be read; else, and without DIR, NULL. */
const char *guest_unmounted(const char *dir, uint32_t pid, char path[PATH_MAX]);
struct guest_dirs {
    const struct perf_file *file; /* the recording */
    const char *dir;
    pts_message_fn *message; /* for guests of its header */
    void *message_ctx;
};
/* The same for all guests that a recording tells of; PTS_E_IO: perf's words about one whose
 * events it has, if it decodes. */
pts_status guest_mounts(const struct guest_dirs *d, bool decodes, struct pts_diag *why);

#endif
