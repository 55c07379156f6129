/* sbdump.c - prints what the side-band knows, for comparison with perf.
 *
 * SPDX-License-Identifier: MIT
 *
 *     sbdump FILE          each sample as `perf script -F comm,pid,tid,ip,sym,dso`
 *     sbdump -r FILE       the thread of each record: COMM PID/TID TYPE
 *     sbdump -t FILE       threads and who runs on each cpu, over time
 */
#include "decoder/open/perf_open.h"
#include "decoder/record/record.h"
#include "walker/sideband/sb_feed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct dump {
    struct perf_file *file;
    struct perf_order order;
    struct sideband *sb;
    struct as_view *view;
};

static void print_sample(struct dump *d, const struct record *r, uint32_t epoch)
{
    const struct pts_sample_id *id = &r->head.id;
    uint64_t ip = r->u.sample.ip;
    if (r->how != PTS_RECORD_WHOLE)
        return;
    uint32_t t = sb_thread(d->sb, id->pid, id->tid, epoch);
    bool kernel = (r->head.misc & PTS_MISC_MODE) == PTS_MODE_KERNEL;
    const struct as_map *m = as_find(d->view, t, epoch, ip, kernel);
    printf("%s %d/%d %" PRIx64 " (%s)\n", sb_comm_at(d->sb, t, epoch), (int)id->pid,
           (int)id->tid, ip, m ? m->dso->long_name : "[unknown]");
}

/* The thread that a record is about, which need not be the one it came from. */
static struct pts_thread subject(const struct record *r)
{
    if (record_is(r, PTS_RECORD_COMM))
        return (struct pts_thread){r->u.comm.pid, r->u.comm.tid};
    if (record_is(r, PTS_RECORD_MMAP) || record_is(r, PTS_RECORD_MMAP2))
        return (struct pts_thread){r->u.mmap.pid, r->u.mmap.tid};
    if (record_is(r, PTS_RECORD_FORK) || record_is(r, PTS_RECORD_EXIT))
        return (struct pts_thread){r->u.task.pid, r->u.task.tid};
    return (struct pts_thread){r->head.id.pid, r->head.id.tid};
}

static void print_record(struct dump *d, const struct record *r, uint32_t epoch)
{
    struct pts_thread who = subject(r);
    uint32_t t = sb_thread(d->sb, who.pid, who.tid, epoch);
    if (t == SB_NONE)
        printf(":%d", (int)who.tid); /* perf makes it up to print it */
    else
        fputs(sb_comm_at(d->sb, t, epoch), stdout);
    printf(" %d/%d %u\n", (int)r->head.id.pid, (int)r->head.id.tid,
           (unsigned)r->head.type);
}

static void print_current(struct dump *d, uint32_t epoch)
{
    for (int32_t cpu = 0; cpu < 4; cpu++) {
        struct sb_who w = sb_who(d->sb, cpu, -1, true, epoch);
        if (w.thread != SB_NONE)
            printf("%u cpu %d: %s %d/%d until %u\n", epoch, (int)cpu,
                   sb_comm_at(d->sb, w.thread, epoch), (int)w.pid, (int)w.tid, w.until);
    }
}

static void print_all(struct dump *d, char mode)
{
    for (uint32_t i = 0; i < d->order.rec.len; i++) {
        struct record r;
        if (record_read(d->file, d->order.rec.at[i].off, &r) != PTS_OK)
            continue;
        if (mode == 't')
            print_current(d, i + 1);
        else if (mode == 'r')
            print_record(d, &r, i + 1);
        else if (r.head.type == PTS_RECORD_SAMPLE)
            print_sample(d, &r, i + 1);
    }
}

static pts_status run(struct dump *d, const char *path, char mode, struct pts_diag *why)
{
    struct aux_info info;
    struct record r;
    const struct perf_file_how how = {.force = true};
    pts_status st = perf_file_open(path, &how, &d->file, why);
    if (st == PTS_OK)
        st = perf_order_make(d->file, PERF_ORDER_ROUNDS, &d->order, why);
    bool has_info = st == PTS_OK && d->file->data.info_off &&
                    record_read(d->file, d->file->data.info_off, &r) == PTS_OK &&
                    aux_info_read(&r, &info, why) == PTS_OK;
    if (st == PTS_OK)
        st = sb_new(&d->sb);
    if (st == PTS_OK)
        st = sb_feed(d->sb, d->file, &d->order, has_info ? &info : NULL, NULL, why);
    if (st == PTS_OK)
        st = sb_finish(d->sb);
    if (st == PTS_OK)
        st = as_view_new(d->sb, &d->view);
    if (st == PTS_OK)
        print_all(d, mode);
    return st;
}

int main(int argc, char **argv)
{
    struct dump d = {0};
    struct pts_diag why = {0};
    char mode = argc > 2 && argv[1][0] == '-' ? argv[1][1] : 's';
    if (argc < 2)
        return 2;
    pts_status st = run(&d, argv[argc - 1], mode, &why);
    if (st < 0)
        fprintf(stderr, "sbdump: %s\n", why.text);
    as_view_free(d.view);
    sb_free(d.sb);
    perf_order_free(&d.order);
    perf_file_close(d.file);
    return st < 0;
}
