/* perf_body.c - what the kernel's records say, SAMPLE and READ apart.
 *
 * SPDX-License-Identifier: MIT
 *
 * Layouts: perf_event_open(2).  Two that came one after the other share a struct: MMAP2
 * is MMAP with more, LOST_SAMPLES is LOST with less.
 */
#include "decoder/record/body.h"

/* Device and inode of the file, or (by a bit of misc) its build id in their place:
 *
 *     | maj      | min | ino | generation |      24 bytes
 *     | len - - -| build id ............. | */
static void mmap_file(struct body *b, struct pts_mmap *m)
{
    const uint8_t *file = reader_take(&b->r, 24);
    if (!file)
        return;
    if (b->rec->misc & PTS_MISC_MMAP_BUILD_ID) {
        m->build_id = file + 4;
        m->build_id_len = file[0] < PTS_BUILD_ID_MAX ? file[0] : PTS_BUILD_ID_MAX;
        return;
    }
    m->maj = rd_u32(file);
    m->min = rd_u32(file + 4);
    m->ino = rd_u64(file + 8);
    m->ino_gen = rd_u64(file + 16);
}

void read_mmap(struct body *b, union pts_record_body *u)
{
    struct pts_mmap *m = &u->mmap;
    *m = (struct pts_mmap){.pid = body_i32(b)};
    m->tid = body_i32(b);
    m->addr = body_u64(b);
    m->len = body_u64(b);
    m->pgoff = body_u64(b);
    if (b->rec->type == PTS_RECORD_MMAP2) {
        mmap_file(b, m);
        m->prot = body_u32(b);
        m->flags = body_u32(b);
    }
    m->name = body_str(b);
}

void read_comm(struct body *b, union pts_record_body *u)
{
    struct pts_comm *c = &u->comm;
    c->pid = body_i32(b);
    c->tid = body_i32(b);
    c->comm = body_str(b);
    c->exec = b->rec->misc & PTS_MISC_COMM_EXEC;
}

void read_task(struct body *b, union pts_record_body *u)
{
    struct pts_task *t = &u->task;
    t->pid = body_i32(b);
    t->ppid = body_i32(b);
    t->tid = body_i32(b);
    t->ptid = body_i32(b);
    t->time = body_u64(b);
}

void read_aux(struct body *b, union pts_record_body *u)
{
    struct pts_aux *a = &u->aux;
    a->offset = body_u64(b);
    a->size = body_u64(b);
    a->flags = body_u64(b);
}

void read_thread(struct body *b, union pts_record_body *u)
{
    struct pts_thread *t = &u->thread;
    t->pid = body_i32(b);
    t->tid = body_i32(b);
}

void read_lost(struct body *b, union pts_record_body *u)
{
    struct pts_lost *l = &u->lost;
    l->id = b->rec->type == PTS_RECORD_LOST ? body_u64(b) : 0;
    l->lost = body_u64(b);
}

void read_throttle(struct body *b, union pts_record_body *u)
{
    struct pts_throttle *t = &u->throttle;
    t->time = body_u64(b);
    t->id = body_u64(b);
    t->stream = body_u64(b);
}

void read_namespaces(struct body *b, union pts_record_body *u)
{
    struct pts_namespaces *n = &u->namespaces;
    n->pid = body_i32(b);
    n->tid = body_i32(b);
    uint64_t count = body_u64(b);
    n->count = body_cap(b, count, sizeof(struct pts_namespace));
    n->at = b->r.at;
}

void read_ksymbol(struct body *b, union pts_record_body *u)
{
    struct pts_ksymbol *k = &u->ksymbol;
    k->addr = body_u64(b);
    k->len = body_u32(b);
    k->type = body_u16(b);
    k->flags = body_u16(b);
    k->name = body_str(b);
}

void read_bpf_event(struct body *b, union pts_record_body *u)
{
    struct pts_bpf_event *e = &u->bpf_event;
    e->type = body_u16(b);
    e->flags = body_u16(b);
    e->id = body_u32(b);
    e->tag = reader_take(&b->r, 8);
}

void read_cgroup(struct body *b, union pts_record_body *u)
{
    struct pts_cgroup *c = &u->cgroup;
    c->id = body_u64(b);
    c->path = body_str(b);
}

void read_text_poke(struct body *b, union pts_record_body *u)
{
    struct pts_text_poke *t = &u->text_poke;
    t->addr = body_u64(b);
    t->old_len = body_u16(b);
    t->new_len = body_u16(b);
    t->bytes = reader_take(&b->r, (size_t)t->old_len + t->new_len);
}

void read_hw_id(struct body *b, union pts_record_body *u)
{
    u->hw_id.hw_id = body_u64(b);
}

void read_deferred(struct body *b, union pts_record_body *u)
{
    struct pts_deferred *d = &u->deferred;
    d->cookie = body_u64(b);
    uint64_t count = body_u64(b);
    d->ips = body_words(b, body_cap(b, count, 8));
}
