/* who.c - ids of machines, threads and their names.
 *
 * SPDX-License-Identifier: MIT
 *
 *     names of a thread    ":7"   "sh"   "ls" ...       as the side-band has them
 *     comms                '--- 0 --'    1              perf gives the first its real name
 */
#include "synth/export/who.h"

#include "decoder/record/record.h"

#include <ptscript/attr.h>

#include <stdio.h>
#include <string.h>

/* A thread as perf has it at some moment. */
struct thread_now {
    const struct sideband *sb;
    uint32_t machine; /* number, 0: the host */
    uint32_t index;   /* SB_NONE: the side-band does not know it */
    int32_t pid, tid;
    uint32_t epoch;
    uint32_t key; /* its place among those that got ids */
    bool is_new;
};

/* A name, and where it comes from. */
struct comm_now {
    uint32_t number; /* among those of its thread */
    const char *name;
    uint64_t time;
    bool exec;
};

/* --- Machines --------------------------------------------------------------------- */

static pts_status machine_id(struct export_who *w, uint32_t number, uint32_t *id)
{
    enum { HOST_PID = -1 };

    while (w->machine.len <= number) {
        uint64_t *at = VEC_PUSH(&w->machine);
        if (!at)
            return PTS_E_NOMEM;
        *at = 0;
    }
    if (!w->machine.at[number]) {
        const struct sideband *sb =
            number ? sb_guest_at(w->scene->sb, number - 1) : w->scene->sb;
        const char *root = number ? sb_root(sb) : NULL;
        const struct export_value row[] = {
            EXPORT_N(++w->machines), EXPORT_N(number ? sb_guest_pid(sb) : HOST_PID),
            EXPORT_S(root ? root : "")};
        w->machine.at[number] = w->machines;
        pts_status st = EXPORT_PUT(w->to, MACHINE, row);
        if (st < 0)
            return st;
    }
    *id = (uint32_t)w->machine.at[number];
    return PTS_OK;
}

pts_status export_who_host(struct export_who *w, uint32_t *id)
{
    return machine_id(w, 0, id);
}

/* --- Threads ---------------------------------------------------------------------- */

static struct thread_now thread_of(const struct export_who *w, const struct who *who)
{
    const struct sideband *host = w->scene->sb;
    bool guest = who->guest && who->guest - 1 < sb_guest_count(host);
    struct thread_now t = {.sb = guest ? sb_guest_at(host, who->guest - 1) : host,
                           .machine = guest ? who->guest : 0,
                           .index = who->thread < WHO_NOBODY ? who->thread : SB_NONE,
                           .pid = who->pid,
                           .tid = who->tid,
                           .epoch = who->epoch};

    if (t.index != SB_NONE) {
        t.tid = sb_thread_tid(t.sb, t.index);
        t.pid = sb_thread_pid_at(t.sb, t.index, t.epoch);
        if (t.pid == -1) /* the sample tells it, and perf learns it from there */
            t.pid = who->pid;
    }
    return t;
}

/* The thread that has the maps of the process; false: perf does not know it. */
static bool main_of(const struct thread_now *t, struct thread_now *out)
{
    *out = *t;
    if (t->pid == t->tid)
        return true;
    if (t->pid == -1)
        return false;
    out->tid = t->pid;
    out->index = sb_thread(t->sb, t->pid, t->pid, t->epoch);
    return out->index != SB_NONE;
}

/* One that the side-band comes to know later on is the same thread. */
static uint32_t key_of(struct export_who *w, const struct thread_now *t)
{
    uint64_t by_tid = (uint64_t)t->machine << 32 | (uint32_t)t->tid;
    uint64_t by_index = (uint64_t)t->machine << 32 | t->index;
    uint32_t key;

    if (t->index == SB_NONE)
        return idmap_get(&w->unknown, by_tid);
    key = idmap_get(&w->thread, by_index);
    if (key != IDMAP_NONE)
        return key;
    key = idmap_get(&w->unknown, by_tid);
    return key;
}

/* main: that of its process, or itself; NULL: not known. */
static pts_status thread_id(struct export_who *w, struct thread_now *t,
                            const struct thread_now *main)
{
    uint64_t by_tid = (uint64_t)t->machine << 32 | (uint32_t)t->tid;
    uint64_t by_index = (uint64_t)t->machine << 32 | t->index;
    uint32_t machine = 0;

    t->key = key_of(w, t);
    t->is_new = t->key == IDMAP_NONE;
    if (!t->is_new)
        return PTS_OK;
    t->key = ++w->threads;
    if (!(t->index == SB_NONE ? idmap_set(&w->unknown, by_tid, t->key)
                              : idmap_set(&w->thread, by_index, t->key)))
        return PTS_E_NOMEM;
    pts_status st = machine_id(w, t->machine, &machine);
    if (st < 0)
        return st;
    const struct export_value row[] = {EXPORT_N(t->key), EXPORT_N(machine),
                                       EXPORT_N(main ? main->key : 0), EXPORT_N(t->pid),
                                       EXPORT_N(t->tid)};
    return EXPORT_PUT(w->to, THREAD, row);
}

/* --- Names ------------------------------------------------------------------------ */

/* When a name was given, and whether by exec(2): as its record says. */
static void read_origin(const struct export_who *w, uint32_t epoch,
                        struct comm_now *out)
{
    const struct perf_order *order = w->scene->order;
    struct record rec;

    if (!epoch || epoch > order->rec.len ||
        perf_order_is_made(order->rec.at[epoch - 1].off) ||
        record_read(w->scene->file, order->rec.at[epoch - 1].off, &rec) < 0)
        return;
    out->time = rec.head.id.time;
    out->exec = record_is(&rec, PTS_RECORD_COMM) && rec.u.comm.exec;
}

/* Comm number i of a thread, as it is at that moment; false: it has not so many yet. */
static bool comm_at(const struct export_who *w, const struct thread_now *t, uint32_t i,
                    struct comm_now *out)
{
    struct sb_name n, made_up;

    *out = (struct comm_now){.number = i};
    if (t->index == SB_NONE || !sb_name_at(t->sb, t->index, 0, &made_up))
        return false;
    if (sb_name_at(t->sb, t->index, i + 1, &n) && n.epoch <= t->epoch) {
        out->name = n.name;
        read_origin(w, n.epoch, out);
        return true;
    }
    out->name = made_up.name;
    return i == 0;
}

/* How many there are by then. */
static uint32_t comms_of(const struct thread_now *t)
{
    struct sb_name n;
    uint32_t i = 1;

    if (t->index == SB_NONE)
        return 1;
    while (sb_name_at(t->sb, t->index, i + 1, &n) && n.epoch <= t->epoch)
        i++;
    return i;
}

static pts_status comm_id(struct export_who *w, const struct thread_now *t,
                          const struct comm_now *c, uint32_t *id, bool *is_new)
{
    uint64_t key = (uint64_t)t->key << 32 | c->number;

    *id = idmap_get(&w->comm, key);
    *is_new = *id == IDMAP_NONE;
    if (!*is_new)
        return PTS_OK;
    *id = ++w->comms;
    if (!idmap_set(&w->comm, key, *id))
        return PTS_E_NOMEM;
    const struct export_value row[] = {EXPORT_N(*id), EXPORT_S(c->name),
                                       EXPORT_N(t->key), EXPORT_N(c->time),
                                       EXPORT_N(c->exec)};
    return EXPORT_PUT(w->to, COMM, row);
}

static void comm_made_up(const struct thread_now *t, char buf[16], struct comm_now *out)
{
    snprintf(buf, 16, ":%d", (int)t->tid);
    *out = (struct comm_now){.name = buf};
}

/* The name that it has now. */
static pts_status current_comm(struct export_who *w, const struct thread_now *t,
                               uint32_t *id)
{
    struct comm_now c;
    char buf[16];
    bool is_new;

    if (!comm_at(w, t, comms_of(t) - 1, &c))
        comm_made_up(t, buf, &c);
    return comm_id(w, t, &c, id, &is_new);
}

/* The name of the program that the process runs: the last that came by exec(2); else its
 * first, but the one behind that when the first, without a time, may be its parent's. */
static void program_comm(const struct export_who *w, const struct thread_now *t,
                         char buf[16], struct comm_now *out)
{
    uint32_t n = comms_of(t);
    struct comm_now second;

    if (!w->comm_exec) {
        if (!comm_at(w, t, n - 1, out))
            comm_made_up(t, buf, out);
        return;
    }
    for (uint32_t i = n; i-- > 0;)
        if (comm_at(w, t, i, out) && out->exec)
            return;
    if (!comm_at(w, t, 0, out)) {
        comm_made_up(t, buf, out);
        return;
    }
    if (!out->time && t->pid == t->tid && comm_at(w, t, 1, &second))
        *out = second;
}

static pts_status put_comm_thread(struct export_who *w, uint32_t comm, uint32_t thread)
{
    const struct export_value row[] = {EXPORT_N(++w->comm_threads), EXPORT_N(comm),
                                       EXPORT_N(thread)};
    return EXPORT_PUT(w->to, COMM_THREAD, row);
}

/* --- All together ----------------------------------------------------------------- */

static pts_status main_ids(struct export_who *w, struct thread_now *main,
                           uint32_t *comm)
{
    struct comm_now c;
    char buf[16];
    bool is_new = false;
    pts_status st = thread_id(w, main, main);

    if (st < 0)
        return st;
    program_comm(w, main, buf, &c);
    st = comm_id(w, main, &c, comm, &is_new);
    return st == PTS_OK && is_new ? put_comm_thread(w, *comm, main->key) : st;
}

static pts_status ids_of(struct export_who *w, struct thread_now *t,
                         struct export_ids *out)
{
    struct thread_now main;
    bool has_main = main_of(t, &main), other = !has_main || main.tid != t->tid;
    uint32_t name;
    pts_status st = machine_id(w, t->machine, &out->machine);

    out->comm = 0;
    if (st == PTS_OK && has_main)
        st = main_ids(w, &main, &out->comm);
    if (st == PTS_OK && other) {
        st = thread_id(w, t, has_main ? &main : NULL);
        if (st == PTS_OK && t->is_new && out->comm)
            st = put_comm_thread(w, out->comm, t->key);
    } else {
        t->key = main.key;
    }
    out->thread = t->key;
    out->pid = t->pid;
    return st == PTS_OK ? current_comm(w, t, &name) : st;
}

pts_status export_who_ids(struct export_who *w, const struct who *who,
                          struct export_ids *out)
{
    struct thread_now t = thread_of(w, who);

    return ids_of(w, &t, out);
}

pts_status export_who_switched(struct export_who *w, struct pts_thread named,
                               uint32_t epoch, struct export_ids *out, bool *idle)
{
    const struct who who = {.pid = named.pid,
                            .tid = named.tid,
                            .thread =
                                sb_thread(w->scene->sb, named.pid, named.tid, epoch),
                            .epoch = epoch};
    struct thread_now t = thread_of(w, &who);
    struct sb_name n;

    *out = (struct export_ids){0};
    *idle = false;
    if (t.index == SB_NONE || !sb_name_at(t.sb, t.index, 1, &n) || n.epoch > epoch)
        return PTS_OK;
    *idle = !t.pid && !t.tid;
    return ids_of(w, &t, out);
}

void export_who_free(struct export_who *w)
{
    VEC_FREE(&w->machine);
    idmap_free(&w->thread);
    idmap_free(&w->comm);
    idmap_free(&w->unknown);
}
