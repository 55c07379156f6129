/* sb_feed.c - the records of a recording into its side-band.
 *
 * SPDX-License-Identifier: MIT
 *
 * Every record opens an epoch, in the order in which perf handles them; the table says
 * what those do that say who runs or what is mapped.  A record that is too short for
 * what it claims to be does nothing.
 *
 * Who is current on a CPU is told by different records, depending on how the trace was
 * recorded: docs/side-band.md.
 */
#include "walker/sideband/sb_feed.h"

#include "decoder/base/address.h"
#include "decoder/base/diag.h"
#include "decoder/file/bpf_program.h"
#include "decoder/file/perf_feat.h"
#include "decoder/record/record.h"
#include "walker/sideband/sb_sched.h"

enum { PROT_CODE = 4, KSYMBOL_OUT_OF_LINE = 2, BPF_LOADED = 1 };

struct feed {
    struct sideband *sb; /* the machine of the record at hand */
    struct sideband *host;
    bool guest_kernel; /* maps of a guest's kernel came since kernels were looked for */
    const struct perf_file *file;
    const struct aux_info *info; /* or NULL */
    const struct sb_jit *jit;    /* or NULL */
    struct sched_format sched;
    struct perf_passed passed;
    struct bpf_programs bpf;
};

/* perf's clock to TSC ticks; 0 and ~0 are no times. */
static uint64_t ticks_of(const struct aux_info *info, uint64_t ns)
{
    if (ns == 0 || ns == UINT64_MAX)
        return 0;
    return info ? tsc_of_ns(ns, &info->conv) : ns;
}

static unsigned mode_of(uint16_t misc)
{
    return misc & PTS_MISC_MODE;
}

/* --- Machines --------------------------------------------------------------------- */

static struct sideband *default_guest(const struct feed *fd)
{
    uint32_t i = sb_guest_of(fd->host, 0);

    return i == SB_NONE ? NULL : sb_guest_at(fd->host, i);
}

static const struct pts_counter *counter_of(const struct feed *fd,
                                            const struct perf_rec *head)
{
    const struct pts_sample_id *id = &head->id;

    return id->has & (PTS_SAMPLE_ID | PTS_SAMPLE_IDENTIFIER)
               ? perf_file_id(fd->file, id->id)
               : NULL;
}

/* The process that runs the guest of a record. */
static int32_t runner_of(const struct feed *fd, const struct perf_rec *head,
                         const struct record *r)
{
    const struct pts_counter *from = counter_of(fd, head);

    if (from && from->machine_pid)
        return from->machine_pid;
    if (r && (head->type == PTS_RECORD_MMAP || head->type == PTS_RECORD_MMAP2))
        return r->u.mmap.pid;
    return head->id.pid;
}

/* Chooses the machine that a record is about; r: NULL of a sample.  A guest whose programs are in
 * its process may be known by nothing but the map of its kernel. */
static pts_status choose_machine(struct feed *fd, const struct perf_rec *head,
                                 const struct record *r)
{
    struct sideband *new;
    pts_status st = PTS_OK;

    fd->sb = fd->host;
    if (!sb_guests_shown(fd->host) || !mode_is_guest((uint8_t)mode_of(head->misc)))
        return PTS_OK;
    int32_t runner = runner_of(fd, head, r);
    if (head->type == PTS_RECORD_MMAP && sb_guest_has_code(fd->host))
        st = sb_guest_add(fd->host, runner, &new);
    uint32_t i = sb_guest_of(fd->host, runner);
    if (i != SB_NONE)
        fd->sb = sb_guest_at(fd->host, i);
    return st < 0 ? st : PTS_OK;
}

/* Guests of which the recording says who runs them. */
static pts_status feed_ids(struct feed *fd)
{
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < fd->file->ids.counter.len; i++) {
        const struct pts_counter *c = &fd->file->ids.counter.at[i];
        if (c->machine_pid)
            st = sb_guest_runs(fd->host, c->machine_pid, c->tid, c->vcpu);
    }
    return st;
}

/* --- Threads and maps ------------------------------------------------------------- */

/* Where nobody was told of guests, all of guests is taken for the host's, as in perf. */
static pts_status feed_mmap(struct feed *fd, const struct record *r)
{
    const struct pts_mmap *m = &r->u.mmap;
    uint16_t misc = r->head.misc;
    bool code = r->head.type == PTS_RECORD_MMAP && !(misc & PTS_MISC_MMAP_DATA);
    bool guest = fd->sb != fd->host;
    if (!guest && sb_jit_hides(fd->jit, m->pid, m->name))
        return PTS_OK;
    const struct sb_mmap out = {
        .pid = m->pid,
        .tid = m->tid,
        .start = m->addr,
        .len = m->len,
        .pgoff = m->pgoff,
        .maj = m->maj,
        .min = m->min,
        .ino = m->ino,
        .ino_gen = m->ino_gen,
        .prot = code ? PROT_CODE : m->prot,
        .flags = m->flags,
        .name = m->name,
        .build_id = m->build_id,
        .build_id_len = m->build_id_len,
        .kernel = mode_of(misc) == (guest ? PTS_MODE_GUEST_KERNEL : PTS_MODE_KERNEL),
        .guest_kernel = !guest && mode_of(misc) == PTS_MODE_GUEST_KERNEL};
    pts_status st = sb_mmap(fd->sb, &out);
    fd->guest_kernel |= guest && out.kernel;
    /* perf looks into the kernel of the default guest as soon as it has its map. */
    return st == PTS_OK && guest && out.kernel && fd->sb == default_guest(fd)
               ? sb_find_kernel(fd->sb)
               : st;
}

static pts_status feed_comm(struct feed *fd, const struct record *r)
{
    const struct pts_comm *c = &r->u.comm;
    return sb_comm(fd->sb, c->pid, c->tid, c->comm, c->exec);
}

static pts_status feed_fork(struct feed *fd, const struct record *r)
{
    const struct pts_task *t = &r->u.task;
    return sb_fork(fd->sb, t->pid, t->ppid, t->tid, t->ptid,
                   r->head.misc & PTS_MISC_FORK_EXEC);
}

static pts_status feed_exit(struct feed *fd, const struct record *r)
{
    return sb_exit(fd->sb, r->u.task.pid, r->u.task.tid);
}

static pts_status feed_namespaces(struct feed *fd, const struct record *r)
{
    return sb_seen(fd->sb, r->u.namespaces.pid, r->u.namespaces.tid);
}

/* Bit 0 of its flags: the symbol is gone. */
static pts_status feed_ksymbol(struct feed *fd, const struct record *r)
{
    const struct pts_ksymbol *k = &r->u.ksymbol;
    const struct sb_ksymbol out = {k->addr, k->len, k->name, k->flags & 1,
                                   k->type == KSYMBOL_OUT_OF_LINE};
    return sb_ksymbol(fd->sb, &out);
}

/* The code of a BPF program is in the header.  Ids are used once. */
static pts_status feed_bpf(struct feed *fd, const struct record *r)
{
    struct bpf_function function;
    pts_status st = PTS_OK;

    if (r->u.bpf_event.type != BPF_LOADED)
        return PTS_OK;
    struct bpf_functions *all = bpf_program_find(&fd->bpf, r->u.bpf_event.id);
    while (st == PTS_OK && all && bpf_function_next(all, &function))
        st = sb_bpf(fd->sb, function.addr, function.code);
    return st;
}

/* What there was before is in the record, too, but not of interest. */
static pts_status feed_text_poke(struct feed *fd, const struct record *r)
{
    const struct pts_text_poke *p = &r->u.text_poke;
    return sb_poke(fd->sb, p->addr, p->bytes + p->old_len, p->new_len);
}

/* --- Who is current --------------------------------------------------------------- */

/* Of a bare trace the first file of records tells who ran, when they name no CPU. */
static bool of_other_trace(const struct feed *fd, uint64_t off)
{
    const struct perf_run *run =
        fd->file->raw ? tape_find(&fd->file->data.tape, off) : NULL;
    return run && run->source > 1;
}

/* The CPU on which a record was written: it says so, or its counter does.  Without
 * either it is SB_NO_CPU: the recording was made by thread, or of a single CPU that
 * nobody names. False: it says nothing of the trace. */
static bool cpu_of(const struct feed *fd, const struct perf_rec *head, int32_t *cpu)
{
    const struct pts_sample_id *id = &head->id;
    *cpu = SB_NO_CPU;
    if (id->has & PTS_SAMPLE_CPU) {
        *cpu = (int32_t)id->cpu;
        return true;
    }
    if (!(id->has & PTS_SAMPLE_TID) || of_other_trace(fd, head->off))
        return false;
    const struct pts_counter *from = counter_of(fd, head);
    if (from && from->idx >= 0 && from->cpu >= 0)
        *cpu = from->cpu;
    return true;
}

static pts_status now_on(struct feed *fd, int32_t cpu, struct pts_thread thread,
                         enum sb_switch_how how)
{
    pts_status st = sb_current(fd->sb, cpu, thread.pid, thread.tid);

    return st == PTS_OK && fd->info->per_cpu && cpu >= 0
               ? sb_switched(fd->sb, cpu, thread.tid, how)
               : st;
}

/* Onto the CPU: the record's own thread, whatever the body says.  Off it: the next
 * thread, if it is told. */
static pts_status feed_switch(struct feed *fd, const struct record *r)
{
    const struct pts_sample_id *id = &r->head.id;
    struct pts_thread next = {id->pid, id->tid};
    enum sb_switch_how how = SB_SWITCH_IN;
    int32_t cpu;
    const struct pts_counter *from = counter_of(fd, &r->head);
    if (from && from->machine_pid)
        return sb_guest_switched(fd->host, from, next,
                                 r->head.misc & PTS_MISC_SWITCH_OUT);
    if (!fd->info || !cpu_of(fd, &r->head, &cpu))
        return PTS_OK;
    if (r->head.misc & PTS_MISC_SWITCH_OUT) {
        if (fd->info->have_sched_switch != AUX_SWITCHES_CPU_WIDE ||
            !record_is(r, PTS_RECORD_SWITCH_CPU_WIDE))
            return PTS_OK;
        next = r->u.thread;
        how = SB_SWITCH_NEXT;
    }
    return now_on(fd, cpu, next, how);
}

static pts_status feed_start(struct feed *fd, const struct record *r)
{
    const struct pts_thread *now = &r->u.thread;
    int32_t cpu;
    if (!fd->info || !fd->info->per_cpu || !cpu_of(fd, &r->head, &cpu))
        return PTS_OK;
    return now_on(fd, cpu, *now, SB_SWITCH_SET);
}

/* There may be millions of samples, and nearly all that they have to say here is in
 * their heads: they are not read. */
static pts_status feed_sample(struct feed *fd, const struct perf_rec *head)
{
    const struct pts_sample_id *id = &head->id;
    pts_status st = PTS_OK;
    int32_t tid, cpu;
    if (head->evsel == PTS_NO_EVENT)
        return PTS_OK;
    if (sched_next_tid(fd->file, &fd->sched, head, &tid) && cpu_of(fd, head, &cpu))
        st = now_on(fd, cpu, (struct pts_thread){-1, tid}, SB_SWITCH_NEXT);
    if (st == PTS_OK && id->has & PTS_SAMPLE_TID)
        st = sb_seen(fd->sb, id->pid, id->tid);
    return st;
}

/* --- Build ids -------------------------------------------------------------------- */

struct file_id {
    uint16_t misc;
    int32_t pid; /* of who runs the guest that it is of */
    const char *path;
    struct pts_bytes id;
};

static pts_status put_build_id(struct feed *fd, const struct file_id *f)
{
    unsigned mode = mode_of(f->misc);
    struct sideband *sb = fd->host;

    if (mode_is_guest((uint8_t)mode)) {
        pts_status st = sb_guest_add(fd->host, f->pid, &sb);
        if (st != PTS_OK)
            return st < 0 ? st : PTS_OK;
    }
    return sb_build_id(sb, f->path, f->id.ptr, (uint8_t)f->id.len,
                       mode == PTS_MODE_KERNEL || mode == PTS_MODE_GUEST_KERNEL);
}

static pts_status feed_build_id(struct feed *fd, const struct record *r)
{
    const struct pts_build_id *b = &r->u.build_id;
    const struct file_id f = {
        b->misc, b->pid, b->name, {b->id, b->id_len}
    };
    return put_build_id(fd, &f);
}

static pts_status feed_header(struct feed *fd)
{
    struct pts_feature_iter it = perf_feature_begin(fd->file, PTS_FEAT_BUILD_ID);
    struct pts_feature_item item;
    pts_status st = PTS_OK;
    while (st == PTS_OK && pts_feature_next(&it, &item) == PTS_OK)
        st = put_build_id(fd,
                          &(struct file_id){item.u.build_id.misc, item.u.build_id.pid,
                                            item.u.build_id.path, item.u.build_id.id});
    return st;
}

/* --- All records ------------------------------------------------------------------ */

typedef pts_status feed_fn(struct feed *fd, const struct record *r);

/* clang-format off */
static feed_fn *const feeds[] = {
    [PTS_RECORD_MMAP]            = feed_mmap,
    [PTS_RECORD_COMM]            = feed_comm,
    [PTS_RECORD_EXIT]            = feed_exit,
    [PTS_RECORD_FORK]            = feed_fork,
    [PTS_RECORD_MMAP2]           = feed_mmap,
    [PTS_RECORD_ITRACE_START]    = feed_start,
    [PTS_RECORD_SWITCH]          = feed_switch,
    [PTS_RECORD_SWITCH_CPU_WIDE] = feed_switch,
    [PTS_RECORD_NAMESPACES]      = feed_namespaces,
    [PTS_RECORD_KSYMBOL]         = feed_ksymbol,
    [PTS_RECORD_BPF_EVENT]       = feed_bpf,
    [PTS_RECORD_TEXT_POKE]       = feed_text_poke,
    [PTS_RECORD_BUILD_ID]        = feed_build_id,
};
/* clang-format on */

/* What comes at the start of a recording and only says what there is. */
static bool only_tells(uint32_t type)
{
    switch (type) {
    case PTS_RECORD_MMAP:
    case PTS_RECORD_MMAP2:
    case PTS_RECORD_COMM:
    case PTS_RECORD_FORK:
    case PTS_RECORD_NAMESPACES:
    case PTS_RECORD_CGROUP:
    case PTS_RECORD_KSYMBOL:
    case PTS_RECORD_BPF_EVENT:
        return true;
    default:
        return type >= PTS_RECORD_HEADER_ATTR;
    }
}

/* A switch counts also when its body is short: what it says of its own thread is in
 * the head. */
static pts_status feed_record(struct feed *fd, const struct perf_order_entry *e)
{
    struct record r;
    feed_fn *feed = RECORD_ROW(feeds, e->kind);

    if (perf_order_is_made(e->off))
        return sb_jit_feed(fd->jit, e->off, fd->sb);
    if (!feed && e->kind != PTS_RECORD_SAMPLE)
        return PTS_OK;
    pts_status st = perf_rec_at(fd->file, e->off, &r.head);
    perf_rec_passed(fd->file, &fd->passed, &r.head);
    if (st != PTS_OK || r.head.type != e->kind) /* the file has changed since */
        return PTS_OK;
    if (!feed) {
        st = choose_machine(fd, &r.head, NULL);
        return st == PTS_OK ? feed_sample(fd, &r.head) : st;
    }
    r.how = record_body(fd->file, &r.head, &r.u);
    if (r.how != PTS_RECORD_WHOLE && feed != feed_switch)
        return PTS_OK;
    st = choose_machine(fd, &r.head, r.how == PTS_RECORD_WHOLE ? &r : NULL);
    return st == PTS_OK ? feed(fd, &r) : st;
}

static bool is_readable(const struct feed *fd, const struct perf_order_entry *e)
{
    struct perf_rec head;

    return perf_rec_at(fd->file, e->off, &head) == PTS_OK;
}

/* Changes of code that has a map of its own do not need the kernel's. */
static bool pokes_kernel(const struct feed *fd, const struct perf_order_entry *e)
{
    struct record r;

    return e->kind == PTS_RECORD_TEXT_POKE &&
           record_read(fd->file, e->off, &r) == PTS_OK &&
           record_is(&r, PTS_RECORD_TEXT_POKE) &&
           sb_in_kernel(fd->host, r.u.text_poke.addr);
}

/* Before such a record the trace is followed up to its time, or that of a thread that ends, so
 * that the kernel is looked for first. */
static bool comes_behind_trace(const struct feed *fd, const struct perf_order_entry *e)
{
    uint64_t from = sb_walked_from(fd->host), ticks = ticks_of(fd->info, e->time);

    if (!fd->info)
        return false; /* there is none */
    return ticks > from || (from == SB_AT_END && !fd->info->per_cpu &&
                            e->kind == PTS_RECORD_EXIT && is_readable(fd, e));
}

/* A record that makes perf look for the kernel itself: what it says is of the kernel's code.
 * Where there is no trace any but those that only tell may be looked at. */
static bool asks_for_kernel(const struct feed *fd, const struct perf_order_entry *e)
{
    if (!fd->info)
        return !only_tells(e->kind) && is_readable(fd, e);
    return (e->kind == PTS_RECORD_SAMPLE && is_readable(fd, e)) || pokes_kernel(fd, e);
}

static pts_status find_kernels(struct feed *fd)
{
    pts_status st = sb_find_kernel(fd->host);
    for (uint32_t i = 0;
         st == PTS_OK && fd->guest_kernel && i < sb_guest_count(fd->host); i++)
        st = sb_find_kernel(sb_guest_at(fd->host, i));
    fd->guest_kernel = false;
    return st;
}

typedef bool asks_fn(const struct feed *fd, const struct perf_order_entry *e);

/* At the first record that could make anybody ask for it. */
static pts_status find_kernel(struct feed *fd, const struct perf_order_entry *e,
                              asks_fn *asks)
{
    bool found = sb_kernel(fd->host)->looked && !fd->guest_kernel;

    return found || !asks(fd, e) ? PTS_OK : find_kernels(fd);
}

/* The records before one that asks by itself know nothing of the kernel's files yet. */
static pts_status feed_entry(struct feed *fd, const struct perf_order_entry *e)
{
    pts_status st = find_kernel(fd, e, comes_behind_trace);
    if (st == PTS_OK)
        st = sb_begin(fd->host, ticks_of(fd->info, e->time));
    if (st == PTS_OK)
        st = find_kernel(fd, e, asks_for_kernel);
    return st == PTS_OK ? feed_record(fd, e) : st;
}

static bool has_tracepoint(const struct perf_file *f)
{
    for (size_t i = 0; i < f->evsel.len; i++)
        if (f->evsel.at[i].attr.type == PTS_TYPE_TRACEPOINT)
            return true;
    return false;
}

static void expect(struct sideband *sb, const struct perf_order *order)
{
    size_t switches = 0;

    for (size_t i = 0; i < order->rec.len; i++) {
        const uint32_t kind = order->rec.at[i].kind;
        switches += kind == PTS_RECORD_SWITCH || kind == PTS_RECORD_SWITCH_CPU_WIDE ||
                    kind == PTS_RECORD_ITRACE_START;
    }
    sb_expect(sb, order->rec.len, switches);
}

pts_status sb_feed(struct sideband *sb, const struct perf_file *f,
                   const struct perf_order *order, const struct aux_info *info,
                   const struct sb_jit *jit, struct pts_diag *why)
{
    struct feed fd = {.sb = sb, .host = sb, .file = f, .info = info, .jit = jit};
    uint64_t off = UINT64_MAX;
    if (info && info->have_sched_switch == AUX_SWITCHES_TRACEPOINT) {
        fd.sched = sched_format_of(f, order);
        /* That there is no such event at all concerns only who decodes. */
        if (!fd.sched.known && has_tracepoint(f))
            return diag_set(why, PTS_E_FORMAT, off,
                            "%s: no format of the event sched:sched_switch", f->path);
    }
    struct sideband *unknown;
    expect(sb, order);
    pts_status st = feed_header(&fd);
    if (st == PTS_OK)
        st = bpf_programs_read(f, &fd.bpf);
    if (st == PTS_OK)
        st = feed_ids(&fd);
    if (st == PTS_OK && sb_guests_shown(sb))
        st = sb_guest_add(sb, 0, &unknown);
    for (size_t i = 0; i < order->rec.len && st == PTS_OK; i++) {
        off = order->rec.at[i].off;
        st = feed_entry(&fd, &order->rec.at[i]);
    }
    if (st == PTS_OK)
        st = find_kernels(&fd);
    bpf_programs_free(&fd.bpf);
    if (st == PTS_E_IO)
        return st; /* which file is told by who called (I13) */
    return st < 0 ? diag_set(why, st, off, "out of memory for the side-band") : PTS_OK;
}
