/* tell.c - what was executed, for the recorder and the truth list.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/tell.h"

#include "testdata/ptrecord/buildid.h"
#include "testdata/ptrecord/symfs.h"

#include <sys/mman.h>

void tell_enter(struct engine *e, struct task *t, uint64_t ip)
{
    if (t->in_user)
        return;
    rec_enter_user(e->rec, t->rec, ip);
    t->in_user = true;
}

static void count(struct engine *e, uint32_t n)
{
    e->insns += n;
    e->left -= n;
}

void tell_chain(struct engine *e, struct task *t, const struct chain *c, uint32_t n)
{
    if (!n)
        return;
    tell_enter(e, t, c->ip);
    rec_insns(e->rec, t->rec, n);
    count(e, n);
    if (!e->truth)
        return;
    uint64_t ip = c->ip;
    for (uint32_t i = 0; i < n; i++) {
        truth_add(e->truth, (uint32_t)t->tid, ip);
        ip += c->len[i];
    }
}

void tell_insn(struct engine *e, struct task *t, uint64_t ip)
{
    tell_enter(e, t, ip);
    rec_insns(e->rec, t->rec, 1);
    count(e, 1);
    if (e->truth)
        truth_add(e->truth, (uint32_t)t->tid, ip);
}

void tell_branch(struct engine *e, struct task *t, const struct rec_insn_branch *b)
{
    rec_branch(e->rec, t->rec, b);
}

void tell_leave(struct engine *e, struct task *t, enum rec_leave why, uint64_t ip)
{
    if (why == REC_FAULT || why == REC_TRAP) /* it was reached, if only just */
        tell_enter(e, t, ip);
    if (!t->in_user)
        return;
    rec_leave_user(e->rec, t->rec, why, ip);
    t->in_user = false;
}

void tell_map(struct engine *e, struct task *t, const struct map *m)
{
    struct rec_map r = {.addr = m->start,
                        .len = m->end - m->start,
                        .pgoff = m->pgoff,
                        .maj = m->maj,
                        .min = m->min,
                        .ino = m->ino,
                        .prot = m->prot,
                        .flags = m->shared ? MAP_SHARED : MAP_PRIVATE,
                        .name = m->name};
    r.build_id_size = buildid_of_map(t, m, r.build_id);
    rec_mmap(e->rec, t->rec, &r);
    if (e->symfs)
        symfs_add(e->symfs, t, m, r.build_id, r.build_id_size);
}
