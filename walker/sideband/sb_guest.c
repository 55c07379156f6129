/* sb_guest.c - virtual machines: each guest is a side-band of its own.
 *
 * SPDX-License-Identifier: MIT
 *
 * Records of guests say so in their mode, and go into the machine of their guest: that of the
 * process that runs it, or if that is not known to run one, the default guest (number 0), of
 * which nothing but its kernel is known.
 *
 *     host            guest 0                 guest 1430 (ID_INDEX, the header's build ids)
 *     threads, maps   its kernel              threads, maps, its kernel
 *     thread 1440 --------- runs vcpu 0 of -------'
 *
 * All share the epochs of the host.
 */
#include "decoder/base/sys.h"
#include "walker/sideband/sideband_priv.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A guest costs some KB, and a recording of many is a damaged one. */
enum { GUESTS_MAX = 1024 };

void sb_show_guests(struct sideband *sb, const struct sb_guest_opts *opts)
{
    sb->guests.opts = *opts;
}

bool sb_guests_shown(const struct sideband *sb)
{
    return sb->guests.opts.shown;
}

/* As of the process that runs it, so the kernel's names can be told apart. */
static pts_status name_kernel(struct sideband *guest)
{
    char name[48];

    if (guest->guest_pid)
        snprintf(name, sizeof(name), "[guest.kernel.kallsyms.%d]",
                 (int)guest->guest_pid);
    else
        snprintf(name, sizeof(name), "[guest.kernel.kallsyms]");
    guest->dsos.kernel_name = arena_strndup(&guest->arena, name, strlen(name));
    return guest->dsos.kernel_name ? PTS_OK : PTS_E_NOMEM;
}

static pts_status name_thread(struct sideband *guest)
{
    char name[32];

    snprintf(name, sizeof(name), "[guest/%d]", (int)guest->guest_pid);
    return sb_comm(guest, -1, guest->guest_pid, name, false);
}

static bool in_folder(const char *dir, const char *between, int32_t pid,
                      const char *leaf, char out[PATH_MAX])
{
    int n =
        dir ? snprintf(out, PATH_MAX, "%s/%s%d/%s", dir, between, (int)pid, leaf) : -1;

    return n > 0 && n < PATH_MAX && sys_is_regular(out);
}

/* Where the files of its kernel are: perf inject puts them beside the recording, or they are
 * in the guest's file system. */
static pts_status find_names(struct sideband *guest)
{
    const struct sb_guest_opts *o = &guest->host->guests.opts;
    char path[PATH_MAX];

    if (!guest->guest_pid) {
        guest->given_names = o->vmlinux ? NULL : o->kallsyms;
        guest->given_file = o->vmlinux;
        return PTS_OK;
    }
    if (!in_folder(o->dir, "kcore_dir__", guest->guest_pid, "kallsyms", path) &&
        !in_folder(o->mount, "", guest->guest_pid, "proc/kallsyms", path))
        return PTS_OK;
    guest->given_names = arena_strndup(&guest->arena, path, strlen(path));
    return guest->given_names ? PTS_OK : PTS_E_NOMEM;
}

/* Its file system, if that is mounted. */
static pts_status find_root(struct sideband *guest)
{
    const char *mount = guest->host->guests.opts.mount;
    char path[PATH_MAX];
    int n = mount && guest->guest_pid
                ? snprintf(path, sizeof(path), "%s/%d", mount, (int)guest->guest_pid)
                : -1;

    if (n < 0 || (size_t)n >= sizeof(path))
        return PTS_OK;
    guest->dsos.root = arena_strndup(&guest->arena, path, (size_t)n);
    return guest->dsos.root ? PTS_OK : PTS_E_NOMEM;
}

static pts_status guest_push(struct sideband *host, int32_t pid, struct sideband **out)
{
    struct guests *g = &host->guests;
    struct sideband *guest;
    struct guest_slot *slot = VEC_ROOM(&g->at, 1) ? &g->at.at[g->at.len] : NULL;
    pts_status st = slot ? sb_new(&guest) : PTS_E_NOMEM;

    if (st != PTS_OK)
        return st;
    slot->sb = guest;
    g->at.len++;
    guest->host = host;
    guest->guest_pid = pid;
    guest->dsos.images = host->dsos.images;
    guest->dsos.machine = (uint32_t)g->at.len;
    st = name_kernel(guest);
    if (st == PTS_OK)
        st = name_thread(guest);
    if (st == PTS_OK)
        st = find_names(guest);
    if (st == PTS_OK)
        st = find_root(guest);
    if (st == PTS_OK && !idmap_set(&g->by_pid, (uint32_t)pid, (uint32_t)g->at.len - 1))
        st = PTS_E_NOMEM;
    *out = guest;
    return st;
}

/* Its file system may be mounted for some guests only; of others nothing is known. */
static bool is_mounted(const struct sb_guest_opts *o, int32_t pid)
{
    char path[PATH_MAX];
    int n =
        o->mount && pid ? snprintf(path, sizeof(path), "%s/%d", o->mount, (int)pid) : 0;

    return n == 0 || (n > 0 && (size_t)n < sizeof(path) && access(path, R_OK) == 0);
}

static pts_status note_unmounted(struct guests *g, int32_t pid)
{
    for (size_t i = 0; i < g->unmounted.len; i++)
        if (g->unmounted.at[i] == pid)
            return PTS_END;
    if (g->unmounted.len >= GUESTS_MAX)
        return PTS_END;
    int32_t *slot = VEC_PUSH(&g->unmounted);
    if (!slot)
        return PTS_E_NOMEM;
    *slot = pid;
    return PTS_END;
}

bool sb_guest_unmounted(const struct sideband *sb, uint32_t i, int32_t *pid)
{
    if (i >= sb->guests.unmounted.len)
        return false;
    *pid = sb->guests.unmounted.at[i];
    return true;
}

pts_status sb_guest_add(struct sideband *host, int32_t pid, struct sideband **out)
{
    uint32_t i = idmap_get(&host->guests.by_pid, (uint32_t)pid);

    if (i != IDMAP_NONE) {
        *out = host->guests.at.at[i].sb;
        return PTS_OK;
    }
    if (pid < 0 || host->guests.at.len >= GUESTS_MAX)
        return PTS_END;
    return is_mounted(&host->guests.opts, pid) ? guest_push(host, pid, out)
                                               : note_unmounted(&host->guests, pid);
}

pts_status sb_guest_runs(struct sideband *host, int32_t pid, int32_t tid, int32_t vcpu)
{
    struct sideband *guest;
    pts_status st = sb_guest_add(host, pid, &guest);

    if (st == PTS_OK)
        st = sb_seen(host, pid, tid);
    if (st != PTS_OK)
        return st < 0 ? st : PTS_OK;
    host->guests.opts.shown = true;
    return idmap_set(&host->guests.vcpu, (uint32_t)tid, (uint32_t)vcpu) ? PTS_OK
                                                                        : PTS_E_NOMEM;
}

pts_status sb_guest_switched(struct sideband *host, const struct pts_counter *from,
                             struct pts_thread now, bool out)
{
    uint32_t i = idmap_get(&host->guests.by_pid, (uint32_t)from->machine_pid);

    if (host->guests.since == SB_NONE)
        host->guests.since = sb_now(host);
    return out || i == IDMAP_NONE
               ? PTS_OK
               : sb_current(host->guests.at.at[i].sb, from->vcpu, now.pid, now.tid);
}

/* --- Questions -------------------------------------------------------------------- */

uint32_t sb_guest_count(const struct sideband *sb)
{
    return (uint32_t)sb->guests.at.len;
}

int32_t sb_guest_pid(const struct sideband *guest)
{
    return guest->guest_pid;
}

struct sideband *sb_guest_at(const struct sideband *sb, uint32_t i)
{
    return sb->guests.at.at[i].sb;
}

uint32_t sb_guest_of(const struct sideband *sb, int32_t pid)
{
    uint32_t i = idmap_get(&sb->guests.by_pid, (uint32_t)pid);

    if (i == IDMAP_NONE)
        i = idmap_get(&sb->guests.by_pid, 0);
    return i == IDMAP_NONE ? SB_NONE : i;
}

bool sb_guest_has_code(const struct sideband *sb)
{
    return sb->guests.opts.code;
}

uint32_t sb_guest_code_kernel(const struct sideband *sb, int32_t pid)
{
    uint32_t i = idmap_get(&sb->guests.by_pid, pid > 0 ? (uint32_t)pid : 0);

    return i == IDMAP_NONE ? SB_NONE : i;
}

bool sb_guests_switch(const struct sideband *sb)
{
    return sb->guests.since != SB_NONE;
}

const struct sideband *sb_machine(const struct sideband *host, const struct sb_dso *dso)
{
    return dso->machine ? host->guests.at.at[dso->machine - 1].sb : host;
}

const char *sb_root(const struct sideband *machine)
{
    return machine->dsos.root;
}

uint32_t sb_dso_number(const struct sideband *host, const struct sb_dso *dso)
{
    return sb_machine(host, dso)->first_dso + dso->index;
}

uint32_t sb_dso_total(const struct sideband *host)
{
    return host->guests.dso_total;
}

/* By its records: the thread on the processor that the host's thread runs. */
static void ask_records(const struct sideband *sb, const struct sb_who *who,
                        uint32_t epoch, struct sb_inside *in)
{
    const struct guests *g = &sb->guests;
    uint32_t i = idmap_get(&g->by_pid, (uint32_t)who->pid);
    uint32_t vcpu = idmap_get(&g->vcpu, (uint32_t)who->tid);

    in->pid = in->tid = -1;
    in->told = true;
    if (i == IDMAP_NONE || vcpu == IDMAP_NONE || who->pid <= 0)
        return;
    struct sb_who w = sb_who(g->at.at[i].sb, (int32_t)vcpu, -1, true, epoch);
    if (w.until < in->until)
        in->until = w.until;
    if (w.thread == SB_NONE)
        return;
    in->guest = i;
    in->thread = w.thread;
    in->pid = w.pid;
    in->tid = w.tid;
    in->machine_pid = who->pid;
    in->vcpu = (int32_t)vcpu;
    in->user = true;
}

struct sb_inside sb_inside(const struct sideband *sb, const struct sb_who *who,
                           uint32_t epoch)
{
    struct sb_inside in = {SB_NONE, SB_NONE,    who->pid, who->tid, 0,
                           -1,      UINT32_MAX, false,    false};

    if (epoch >= sb->guests.since) {
        ask_records(sb, who, epoch, &in);
        return in;
    }
    if (sb->guests.since < SB_NONE)
        in.until = sb->guests.since;
    if (sb->guests.opts.code) {
        in.guest = SB_GUEST_CODE;
        in.thread = who->thread;
        in.user = true;
        return in;
    }
    in.guest = sb_guest_of(sb, who->pid > 0 ? who->pid : 0);
    if (in.guest != SB_NONE)
        in.thread = sb_thread(sb->guests.at.at[in.guest].sb, who->pid, who->tid, epoch);
    return in;
}
