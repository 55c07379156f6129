/* sb_feed.c - the side-band of a perf.data file.
 *
 * SPDX-License-Identifier: MIT
 *
 * What is current on a cpu comes from different records, depending on how the trace was
 * recorded (have_sched_switch, spec C5):
 *
 *     1   samples of sched:sched_switch name the next thread
 *     3   SWITCH_CPU_WIDE: OUT names the next thread, IN is its own
 *     else SWITCH: IN is its own
 *
 * A record that is too short for what it claims to be is passed over.
 */
#include "walker/sb_feed.h"

#include "decoder/diag.h"
#include "decoder/perf_feat.h"
#include "walker/sb_sched.h"

enum { PROT_EXECUTE = 4 };

struct feed {
    struct sideband *sb;
    const struct perf_file *file;
    const struct aux_info *info; /* or NULL */
    struct sched_format sched;
};

/* perf's clock to TSC ticks (spec B7); 0 and ~0 are no times. */
static uint64_t ticks_of(const struct aux_info *info, uint64_t ns)
{
    if (ns == 0 || ns == UINT64_MAX)
        return 0;
    return info ? tsc_of_ns(ns, &info->conv) : ns;
}

/* All else of guests is taken for the host's, as perf does that was told of none. */
static bool is_guest_kernel_map(const struct perf_rec *r)
{
    return (r->type == PERF_REC_MMAP || r->type == PERF_REC_MMAP2) &&
           (r->misc & PERF_MISC_CPUMODE) == PERF_MODE_GUEST_KERNEL;
}

static bool is_kernel(uint16_t misc)
{
    return (misc & PERF_MISC_CPUMODE) == PERF_MODE_KERNEL;
}

/* What a record that cannot be read does: nothing. */
static pts_status skip_short(pts_status st)
{
    return st == PTS_E_RANGE ? PTS_OK : st;
}

static pts_status feed_mmap(struct feed *fd, const struct perf_rec *r)
{
    struct pts_mmap m;
    pts_status st = perf_rec_mmap(r, &m);
    if (st < 0)
        return skip_short(st);
    struct sb_mmap out = {.pid = m.pid,
                          .tid = m.tid,
                          .start = m.addr,
                          .len = m.len,
                          .pgoff = m.pgoff,
                          .maj = m.maj,
                          .min = m.min,
                          .ino = m.ino,
                          .ino_gen = m.ino_gen,
                          .prot = m.prot,
                          .flags = m.flags,
                          .name = m.name,
                          .build_id = m.build_id,
                          .build_id_len = m.build_id_len,
                          .kernel = is_kernel(r->misc)};
    if (r->type == PERF_REC_MMAP && !(r->misc & PERF_MISC_MMAP_DATA))
        out.prot = PROT_EXECUTE;
    return sb_mmap(fd->sb, &out);
}

static pts_status feed_comm(struct feed *fd, const struct perf_rec *r)
{
    struct pts_comm c;
    pts_status st = perf_rec_comm(r, &c);
    if (st < 0)
        return skip_short(st);
    return sb_comm(fd->sb, c.pid, c.tid, c.comm, c.exec);
}

static pts_status feed_task(struct feed *fd, const struct perf_rec *r)
{
    struct pts_task t;
    pts_status st = perf_rec_task(r, &t);
    if (st < 0)
        return skip_short(st);
    if (r->type == PERF_REC_EXIT)
        return sb_exit(fd->sb, t.pid, t.tid);
    return sb_fork(fd->sb, t.pid, t.ppid, t.tid, t.ptid, r->misc & PERF_MISC_FORK_EXEC);
}

static pts_status feed_switch(struct feed *fd, const struct perf_rec *r)
{
    bool out = r->misc & PERF_MISC_SWITCH_OUT;
    struct pts_thread next = {r->id.pid, r->id.tid};
    if (!fd->info || !(r->id.has & PERF_SAMPLE_CPU))
        return PTS_OK;
    if (out) {
        if (fd->info->have_sched_switch != 3 || r->type != PERF_REC_SWITCH_CPU_WIDE)
            return PTS_OK;
        pts_status st = perf_rec_pid_tid(r, &next);
        if (st < 0)
            return skip_short(st);
    }
    return sb_current(fd->sb, (int32_t)r->id.cpu, next.pid, next.tid);
}

static pts_status feed_start(struct feed *fd, const struct perf_rec *r)
{
    struct pts_thread now;
    if (!fd->info || !fd->info->per_cpu || !(r->id.has & PERF_SAMPLE_CPU))
        return PTS_OK;
    pts_status st = perf_rec_pid_tid(r, &now);
    if (st < 0)
        return skip_short(st);
    return sb_current(fd->sb, (int32_t)r->id.cpu, now.pid, now.tid);
}

static pts_status feed_sample(struct feed *fd, const struct perf_rec *r)
{
    int32_t tid;
    pts_status st = PTS_OK;
    if (r->evsel == PERF_NO_EVSEL)
        return PTS_OK;
    if (r->id.has & PERF_SAMPLE_CPU && sched_next_tid(fd->file, &fd->sched, r, &tid))
        st = sb_current(fd->sb, (int32_t)r->id.cpu, -1, tid);
    if (st == PTS_OK && r->id.has & PERF_SAMPLE_TID)
        st = sb_seen(fd->sb, r->id.pid, r->id.tid);
    return st;
}

static pts_status feed_namespaces(struct feed *fd, const struct perf_rec *r)
{
    struct pts_namespaces n;
    pts_status st = perf_rec_namespaces(r, &n);
    return st < 0 ? skip_short(st) : sb_seen(fd->sb, n.pid, n.tid);
}

static pts_status feed_ksymbol(struct feed *fd, const struct perf_rec *r)
{
    struct pts_ksymbol k;
    pts_status st = perf_rec_ksymbol(r, &k);
    if (st < 0)
        return skip_short(st);
    return sb_ksymbol(fd->sb, k.addr, k.len, k.name, k.flags & 1);
}

static pts_status feed_build_id(struct feed *fd, uint16_t misc, const char *path,
                                const uint8_t *id, uint8_t len)
{
    unsigned mode = misc & PERF_MISC_CPUMODE;
    if (mode == PERF_MODE_GUEST_KERNEL || mode == PERF_MODE_GUEST_USER)
        return PTS_OK;
    return sb_build_id(fd->sb, path, id, len, mode == PERF_MODE_KERNEL);
}

static pts_status feed_build_id_rec(struct feed *fd, const struct perf_rec *r)
{
    struct pts_build_id b;
    pts_status st = perf_rec_build_id(r, &b);
    return st < 0 ? skip_short(st) : feed_build_id(fd, b.misc, b.name, b.id, b.id_len);
}

static pts_status feed_rec(struct feed *fd, const struct perf_rec *r)
{
    if (is_guest_kernel_map(r))
        return PTS_OK;
    switch (r->type) {
    case PERF_REC_MMAP:
    case PERF_REC_MMAP2:
        return feed_mmap(fd, r);
    case PERF_REC_COMM:
        return feed_comm(fd, r);
    case PERF_REC_FORK:
    case PERF_REC_EXIT:
        return feed_task(fd, r);
    case PERF_REC_SWITCH:
    case PERF_REC_SWITCH_CPU_WIDE:
        return feed_switch(fd, r);
    case PERF_REC_ITRACE_START:
        return feed_start(fd, r);
    case PERF_REC_SAMPLE:
        return feed_sample(fd, r);
    case PERF_REC_NAMESPACES:
        return feed_namespaces(fd, r);
    case PERF_REC_KSYMBOL:
        return feed_ksymbol(fd, r);
    case PERF_REC_BUILD_ID:
        return feed_build_id_rec(fd, r);
    default:
        return PTS_OK;
    }
}

static pts_status feed_header(struct feed *fd)
{
    struct pts_feature_iter it = perf_feature_begin(fd->file, PERF_FEAT_BUILD_ID);
    struct pts_feature_item item;
    pts_status st = PTS_OK;
    while (st == PTS_OK && pts_feature_next(&it, &item) == PTS_OK) {
        const struct pts_bytes *id = &item.u.build_id.id;
        st = feed_build_id(fd, item.u.build_id.misc, item.u.build_id.path, id->ptr,
                           (uint8_t)id->len);
    }
    return st;
}

pts_status sb_feed(struct sideband *sb, const struct perf_file *f,
                   const struct perf_order *order, const struct aux_info *info,
                   struct pts_diag *why)
{
    struct feed fd = {.sb = sb, .file = f, .info = info};
    uint64_t off = UINT64_MAX;
    if (info && info->have_sched_switch == 1) {
        fd.sched = sched_format_of(f, order);
        if (!fd.sched.known)
            return diag_set(why, PTS_E_FORMAT, off,
                            "%s: no format of the event sched:sched_switch", f->path);
    }
    pts_status st = feed_header(&fd);
    for (size_t i = 0; i < order->rec.len && st == PTS_OK; i++) {
        struct perf_rec r;
        off = order->rec.at[i].off;
        st = sb_begin(sb, ticks_of(info, order->rec.at[i].time));
        if (st == PTS_OK && perf_rec_at(f, off, &r) == PTS_OK)
            st = feed_rec(&fd, &r);
    }
    return st < 0 ? diag_set(why, st, off, "out of memory for the side-band") : PTS_OK;
}
