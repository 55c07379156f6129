/* tasks.c - perf report --tasks and --mmaps: the threads that records tell of.
 *
 * SPDX-License-Identifier: MIT
 *
 * Children stand below their parents, a column further to the right:
 *
 *     #      pid      tid     ppid  comm
 *              1        1       -1 |init
 *              7        7        1 | sh
 *              7        8        7 |  sh
 *
 * Only records about threads count here (and with --mmaps about maps), so that a thread
 * which only samples know is not among them: there is a side-band of its own for that.
 */
#include "synth/report/tasks.h"

#include "decoder/base/idmap.h"
#include "decoder/base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { NOBODY = -1, TABLES = 256 };

struct task {
    int32_t tid, parent;
    uint32_t thread;                     /* of the side-band */
    uint32_t child, last_child, sibling; /* + 1 */
    bool listed;
};

struct forked {
    int32_t tid, parent;
    uint32_t epoch;
};

struct tasks {
    bool maps;
    struct sideband *sb;
    VEC(struct forked) forked;
    struct idmap parent; /* of threads of sb: tid */
    VEC(int32_t) tid;    /* all that were named */
    VEC(struct task) task;
};

pts_status tasks_new(bool maps, struct tasks **out)
{
    struct tasks *t = mem_zalloc(1, sizeof(*t));
    int32_t *idle = t ? VEC_PUSH(&t->tid) : NULL;

    if (!idle || sb_new(&t->sb) < 0) {
        tasks_free(t);
        return PTS_E_NOMEM;
    }
    *idle = 0;
    t->maps = maps;
    *out = t;
    return PTS_OK;
}

void tasks_free(struct tasks *t)
{
    if (!t)
        return;
    sb_free(t->sb);
    idmap_free(&t->parent);
    VEC_FREE(&t->forked);
    VEC_FREE(&t->tid);
    VEC_FREE(&t->task);
    mem_free(t);
}

/* --- Collecting -------------------------------------------------------------------- */

bool tasks_want(const struct tasks *t, uint32_t type)
{
    return type == PTS_RECORD_COMM || type == PTS_RECORD_FORK ||
           type == PTS_RECORD_EXIT ||
           (t->maps && (type == PTS_RECORD_MMAP || type == PTS_RECORD_MMAP2));
}

static bool note(struct tasks *t, int32_t tid)
{
    int32_t *slot = VEC_PUSH(&t->tid);

    if (slot)
        *slot = tid;
    return slot != NULL;
}

static pts_status take_fork(struct tasks *t, const struct record *rec)
{
    const struct pts_task *k = &rec->u.task;
    pts_status st = sb_fork(t->sb, k->pid, k->ppid, k->tid, k->ptid,
                            rec->head.misc & PTS_MISC_FORK_EXEC);

    struct forked *f = st == PTS_OK ? VEC_PUSH(&t->forked) : NULL;
    if (st < 0)
        return st;
    if (!f || !note(t, k->ppid) || !note(t, k->ptid) || !note(t, k->pid) ||
        !note(t, k->tid))
        return PTS_E_NOMEM;
    *f = (struct forked){k->tid, k->ptid, sb_epoch_count(t->sb)};
    return PTS_OK;
}

/* The kernel's maps belong to no thread. */
static pts_status take_mmap(struct tasks *t, const struct record *rec)
{
    const struct pts_mmap *m = &rec->u.mmap;
    uint16_t mode = rec->head.misc & PTS_MISC_MODE;

    if (mode == PTS_MODE_KERNEL || mode == PTS_MODE_GUEST_KERNEL)
        return PTS_OK;
    if (!note(t, m->pid) || !note(t, m->tid))
        return PTS_E_NOMEM;
    return sb_seen(t->sb, m->pid, m->tid);
}

pts_status tasks_take(struct tasks *t, const struct record *rec)
{
    pts_status st = sb_begin(t->sb, 0);

    if (st < 0)
        return st;
    switch (rec->head.type) {
    case PTS_RECORD_COMM:
        if (!note(t, rec->u.comm.pid) || !note(t, rec->u.comm.tid))
            return PTS_E_NOMEM;
        return sb_comm(t->sb, rec->u.comm.pid, rec->u.comm.tid, rec->u.comm.comm,
                       rec->u.comm.exec);
    case PTS_RECORD_FORK:
        return take_fork(t, rec);
    case PTS_RECORD_EXIT:
        return sb_exit(t->sb, rec->u.task.pid, rec->u.task.tid);
    default:
        return take_mmap(t, rec);
    }
}

/* --- Who is whose child ------------------------------------------------------------ */

/* By perf's tables of threads. */
static int by_table(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    const uint32_t in = (uint32_t)a % TABLES, of = (uint32_t)b % TABLES;

    return in != of ? (in > of) - (in < of) : (a > b) - (a < b);
}

/* Of each thread that a record says was forked. */
static pts_status find_parents(struct tasks *t)
{
    for (size_t i = 0; i < t->forked.len; i++) {
        const struct forked *f = &t->forked.at[i];
        if (!idmap_set(&t->parent, sb_thread(t->sb, NOBODY, f->tid, f->epoch),
                       (uint32_t)f->parent))
            return PTS_E_NOMEM;
    }
    return PTS_OK;
}

static pts_status make_tasks(struct tasks *t)
{
    qsort(t->tid.at, t->tid.len, sizeof(*t->tid.at), by_table);
    for (size_t i = 0; i < t->tid.len; i++) {
        uint32_t thread = sb_thread(t->sb, NOBODY, t->tid.at[i], UINT32_MAX);
        if (thread == SB_NONE || (i && t->tid.at[i] == t->tid.at[i - 1]))
            continue;
        struct task *k = VEC_PUSH(&t->task);
        if (!k)
            return PTS_E_NOMEM;
        uint32_t parent = idmap_get(&t->parent, thread);
        *k = (struct task){.tid = t->tid.at[i],
                           .thread = thread,
                           .parent = parent == IDMAP_NONE ? NOBODY : (int32_t)parent};
    }
    return PTS_OK;
}

static int task_order(const void *tid, const void *task)
{
    return by_table(tid, &((const struct task *)task)->tid);
}

static struct task *task_of(const struct tasks *t, int32_t tid)
{
    return bsearch(&tid, t->task.at, t->task.len, sizeof(*t->task.at), task_order);
}

static void add_child(struct tasks *t, struct task *parent, struct task *child)
{
    uint32_t n = (uint32_t)(child - t->task.at) + 1;

    if (parent->last_child)
        t->task.at[parent->last_child - 1].sibling = n;
    else
        parent->child = n;
    parent->last_child = n;
}

/* Hangs a task and those above it below their parents, as far as that has not been done;
 * the topmost of them below `top`. */
static pts_status hang(struct tasks *t, struct task *top, struct task *k)
{
    while (!k->listed) {
        struct task *parent = k->parent == NOBODY ? top : task_of(t, k->parent);
        if (!parent)
            return PTS_END;
        k->listed = true;
        add_child(t, parent, k);
        if (parent == top)
            break;
        k = parent;
    }
    return PTS_OK;
}

/* --- Printing ---------------------------------------------------------------------- */

struct printing {
    const struct tasks *t;
    const struct sideband *all;
    struct as_view *view; /* NULL: no maps */
    struct text *text;
};

static void put_map(struct text *t, const struct as_map *m)
{
    text_fmt(t, "  %llx-%llx ", (unsigned long long)m->start,
             (unsigned long long)m->end);
    text_char(t, m->prot & 1 ? 'r' : '-');
    text_char(t, m->prot & 2 ? 'w' : '-');
    text_char(t, m->prot & 4 ? 'x' : '-');
    text_char(t, m->prot & AS_SHARED ? 's' : 'p');
    text_fmt(t, " %08llx %llu ", (unsigned long long)m->pgoff,
             (unsigned long long)sb_dso_inode(m->dso));
    text_str(t, m->dso->long_name);
    text_char(t, '\n');
}

static void put_maps(const struct printing *p, const struct task *k, size_t indent)
{
    uint32_t thread = sb_thread(p->all, NOBODY, k->tid, UINT32_MAX);
    const struct as_map *m;

    for (uint32_t i = 0;
         thread != SB_NONE && (m = as_at(p->view, thread, UINT32_MAX, i)); i++) {
        text_spaces(p->text, indent);
        put_map(p->text, m);
    }
}

static void put_task(const struct printing *p, const struct task *k, uint32_t depth)
{
    size_t from = p->text->len;

    text_fmt(p->text, "  %8d %8d %8d |", (int)sb_thread_pid(p->t->sb, k->thread),
             (int)k->tid, (int)k->parent);
    text_spaces(p->text, depth);
    size_t indent = p->text->len - from;
    text_str(p->text, sb_comm_at(p->t->sb, k->thread, UINT32_MAX));
    text_char(p->text, '\n');
    if (p->view)
        put_maps(p, k, indent);
}

/* In depth: each task, then its children. */
static void put_all(const struct printing *p, const struct task *top)
{
    const struct tasks *t = p->t;
    uint32_t n = top->child, depth = 0;

    while (n) {
        const struct task *k = &t->task.at[n - 1];
        put_task(p, k, depth);
        if (k->child) {
            n = k->child;
            depth++;
            continue;
        }
        while (depth && !k->sibling) {
            k = task_of(t, k->parent);
            depth--;
        }
        n = k->sibling;
    }
}

pts_status tasks_text(struct tasks *t, const struct sideband *all, struct text *text)
{
    struct printing p = {.t = t, .all = all, .text = text};
    struct task top = {.tid = NOBODY};
    pts_status st = sb_finish(t->sb);

    if (st == PTS_OK)
        st = find_parents(t);
    if (st == PTS_OK)
        st = make_tasks(t);
    for (size_t i = 0; st == PTS_OK && i < t->task.len; i++)
        st = hang(t, &top, &t->task.at[i]);
    if (st == PTS_OK && t->maps)
        st = as_view_new(all, &p.view);
    if (st != PTS_OK)
        return st;
    text_str(text, "#      pid      tid     ppid  comm\n");
    put_all(&p, &top);
    st = p.view && as_view_failed(p.view) ? PTS_E_NOMEM : PTS_OK;
    as_view_free(p.view);
    return st;
}
