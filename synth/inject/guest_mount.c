/* guest_mount.c - whether files of guests are where --guestmount says.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf inject decodes no guests, so that nothing is ever looked for there; but it wants to
 * enter the folder of each guest that it hears of, and ends when it cannot.
 */
#include "synth/inject/guest_mount.h"

#include "decoder/base/diag.h"
#include "decoder/file/perf_feat.h"
#include "decoder/record/record.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *guest_unmounted(const char *dir, uint32_t pid, char path[PATH_MAX])
{
    int n = dir ? snprintf(path, PATH_MAX, "%s/%d", dir, (int)pid) : 0;

    return n > 0 && (n >= PATH_MAX || access(path, R_OK) != 0) ? path : NULL;
}

/* Guests whose build ids are in the header only miss their files: perf says so once. */
static void tell_unmounted(const struct guest_dirs *d)
{
    struct pts_feature_iter it = perf_feature_begin(d->file, PTS_FEAT_BUILD_ID);
    struct pts_feature_item item;
    char path[PATH_MAX], text[PATH_MAX + 40], last[PATH_MAX] = "";

    while (d->message && pts_feature_next(&it, &item) == PTS_OK) {
        int32_t pid = item.u.build_id.pid;
        if (pid <= 0 || !guest_unmounted(d->dir, (uint32_t)pid, path) ||
            strcmp(path, last) == 0)
            continue;
        memcpy(last, path, sizeof(last));
        snprintf(text, sizeof(text), "Can't access file %s\n", path);
        d->message(d->message_ctx, PTS_MSG_WARNING, text);
    }
}

static pts_status check_index(const struct perf_file *f, const struct record *r,
                              const char *dir, struct pts_diag *why)
{
    const struct pts_id_index *x = &r->u.id_index;
    char path[PATH_MAX];

    for (uint64_t i = 0; i < x->count; i++) {
        struct pts_counter c = pts_id_at(x, i);
        if (c.machine_pid > 0 && guest_unmounted(dir, (uint32_t)c.machine_pid, path))
            return diag_set(
                why, PTS_E_IO, UINT64_MAX,
                "Can't access file %s\n%#llx [%#x]: failed to process type: %u "
                "[Cannot allocate memory]",
                path, (unsigned long long)perf_file_shown(f, r->head.off).off,
                (unsigned)r->head.size, (unsigned)r->head.type);
    }
    return PTS_OK;
}

pts_status guest_mounts(const struct guest_dirs *d, bool decodes, struct pts_diag *why)
{
    const struct perf_file *f = d->file;
    struct record r;
    pts_status st = PTS_OK;

    tell_unmounted(d);
    for (uint64_t off = f->data.off; decodes && st == PTS_OK && off < f->data.end;
         off = perf_rec_next(&r.head)) {
        if (perf_rec_header(f, off, &r.head) < 0)
            break;
        if (r.head.type == PTS_RECORD_ID_INDEX && record_read(f, off, &r) == PTS_OK &&
            record_is(&r, PTS_RECORD_ID_INDEX))
            st = check_index(f, &r, d->dir, why);
    }
    return st;
}
