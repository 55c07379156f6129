/* log.c - the calls that made a run, to make it again.
 *
 * SPDX-License-Identifier: MIT
 *
 *     call = op (byte), thread, value..., [text with its zero]
 *
 * Numbers are of variable length, 7 bits a byte, values as the difference to the same
 * value of the last call of that kind: a branch takes some 6 bytes.
 */
#include "testdata/ptrecord/log.h"
#include "testdata/ptrecord/recorder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* How many values each call has. */
static const uint8_t value_n[LOG_OPS] = {
    [LOG_FORK] = 3,    [LOG_COMM] = 1,     [LOG_EXEC] = 1,      [LOG_MMAP] = 10,
    [LOG_EXIT] = 0,    [LOG_SCHED_IN] = 1, [LOG_SCHED_OUT] = 1, [LOG_SYNC] = 0,
    [LOG_ENTER] = 1,   [LOG_LEAVE] = 2,    [LOG_INSNS] = 1,     [LOG_BRANCH] = 4,
    [LOG_PTWRITE] = 3, [LOG_TSX] = 3,
};

static void put_number(struct buf *b, uint64_t v)
{
    uint8_t byte[10];
    size_t n = 0;

    do {
        byte[n] = (uint8_t)((v & 127) | (v > 127 ? 128 : 0));
        v >>= 7;
    } while (byte[n++] & 128);
    buf_put(b, byte, n);
}

static uint64_t get_number(const uint8_t **at)
{
    uint64_t v = 0;
    unsigned shift = 0;

    do
        v |= (uint64_t)(**at & 127) << shift;
    while (shift += 7, *(*at)++ & 128);
    return v;
}

/* Small for small differences of either sign. */
static uint64_t zigzag(uint64_t diff)
{
    return diff << 1 ^ (0 - (diff >> 63));
}

static uint64_t unzigzag(uint64_t v)
{
    return v >> 1 ^ (0 - (v & 1));
}

void log_call(struct log *l, enum log_op op, uint32_t thread, const uint64_t *values,
              unsigned n, const char *text)
{
    uint8_t byte = (uint8_t)op;

    if (!l->on)
        return;
    buf_put(&l->calls, &byte, 1);
    put_number(&l->calls, thread);
    for (unsigned i = 0; i < n; i++) {
        put_number(&l->calls, zigzag(values[i] - l->last[op][i]));
        l->last[op][i] = values[i];
    }
    if (text)
        buf_put(&l->calls, text, strlen(text) + 1);
}

void log_fork(struct log *l, uint32_t parent, uint32_t pid, uint32_t tid)
{
    if (!l->high_pid || pid < l->low_pid)
        l->low_pid = pid;
    if (pid > l->high_pid)
        l->high_pid = pid;
    if (tid > l->high_pid)
        l->high_pid = tid;
    log_call(l, LOG_FORK, 0, (const uint64_t[]){parent, pid, tid}, 3, NULL);
}

void log_map(struct log *l, uint32_t thread, const struct rec_map *m)
{
    if (!l->on)
        return;
    log_call(l, LOG_MMAP, thread,
             (const uint64_t[]){m->addr, m->len, m->pgoff, m->maj, m->min, m->ino,
                                m->ino_generation, m->prot, m->flags, m->build_id_size},
             10, m->name);
    buf_put(&l->calls, m->build_id, sizeof(m->build_id));
}

void log_branch(struct log *l, uint32_t thread, const struct rec_insn_branch *b)
{
    log_call(l, LOG_BRANCH, thread,
             (const uint64_t[]){(uint64_t)b->kind << 1 | b->taken, b->ip,
                                b->next - b->ip, b->to},
             4, NULL);
}

/* --- again
 * ---------------------------------------------------------------------------- */

struct player {
    struct recorder *rec;
    const uint8_t *at, *end;
    uint64_t last[LOG_OPS][LOG_VALUES];
    struct rec_thread **threads; /* by number */
    uint32_t thread_n, pids;
};

static const char *get_text(struct player *p)
{
    const char *text = (const char *)p->at;

    p->at += strlen(text) + 1;
    return text;
}

static void play_fork(struct player *p, const uint64_t *v)
{
    struct rec_thread *parent = p->rec->threads;

    assert(v[0] <= p->thread_n); /* we have written it */
    if (v[0] && p->threads)
        parent = p->threads[v[0] - 1];
    p->threads = mem_get(p->threads, (p->thread_n + 1) * sizeof(struct rec_thread *));
    p->threads[p->thread_n++] =
        rec_fork(p->rec, parent, (int)(v[1] + p->pids), (int)(v[2] + p->pids));
}

static void play_map(struct player *p, struct rec_thread *t, const uint64_t *v)
{
    struct rec_map m = {.addr = v[0],
                        .len = v[1],
                        .pgoff = v[2],
                        .maj = (uint32_t)v[3],
                        .min = (uint32_t)v[4],
                        .ino = v[5],
                        .ino_generation = v[6],
                        .prot = (uint32_t)v[7],
                        .flags = (uint32_t)v[8],
                        .build_id_size = (uint8_t)v[9],
                        .name = get_text(p)};

    memcpy(m.build_id, p->at, sizeof(m.build_id));
    p->at += sizeof(m.build_id);
    rec_mmap(p->rec, t, &m);
}

static void play_branch(struct player *p, struct rec_thread *t, const uint64_t *v)
{
    struct rec_insn_branch b = {.kind = (enum rec_branch)(v[0] >> 1),
                                .taken = v[0] & 1,
                                .ip = v[1],
                                .next = v[1] + v[2],
                                .to = v[3]};

    rec_branch(p->rec, t, &b);
}

static void play(struct player *p, enum log_op op, uint32_t thread, const uint64_t *v)
{
    struct rec_thread *t = thread < p->thread_n ? p->threads[thread] : NULL;
    struct recorder *r = p->rec;

    switch (op) {
    case LOG_FORK:
        play_fork(p, v);
        return;
    case LOG_COMM:
        rec_comm(r, t, get_text(p), v[0]);
        return;
    case LOG_EXEC:
        rec_exec(r, t, v[0]);
        return;
    case LOG_MMAP:
        play_map(p, t, v);
        return;
    case LOG_EXIT:
        rec_exit(r, t);
        return;
    case LOG_SCHED_IN:
        rec_sched_in(r, t, (int)v[0]);
        return;
    case LOG_SCHED_OUT:
        rec_sched_out(r, t, v[0]);
        return;
    case LOG_SYNC:
        rec_sync_clocks(r, t);
        return;
    case LOG_ENTER:
        rec_enter_user(r, t, v[0]);
        return;
    case LOG_LEAVE:
        rec_leave_user(r, t, (enum rec_leave)v[0], v[1]);
        return;
    case LOG_INSNS:
        rec_insns(r, t, (uint32_t)v[0]);
        return;
    case LOG_BRANCH:
        play_branch(p, t, v);
        return;
    case LOG_PTWRITE:
        rec_ptwrite(r, t, v[0], v[1], v[2]);
        return;
    case LOG_TSX:
        rec_tsx(r, t, (enum rec_tsx)v[0], v[1], v[2]);
        return;
    case LOG_END:
    case LOG_OPS:
        return;
    }
}

void log_play(struct recorder *r, const struct log *l, uint32_t pids)
{
    struct player p = {.rec = r,
                       .at = l->calls.data,
                       .end = l->calls.data + l->calls.len,
                       .pids = pids};

    while (p.at < p.end) {
        enum log_op op = (enum log_op) * p.at++;
        uint32_t thread = (uint32_t)get_number(&p.at);

        for (unsigned i = 0; i < value_n[op]; i++)
            p.last[op][i] += unzigzag(get_number(&p.at));
        play(&p, op, thread, p.last[op]);
    }
    free(p.threads);
}

void log_free(struct log *l)
{
    buf_free(&l->calls);
}
