/* sideband.c - what the kernel writes into the rings beside the trace.
 *
 * SPDX-License-Identifier: MIT
 *
 * Every record takes its CPU a moment.  A decoder goes by the time the packets tell,
 * which runs behind (by the packets' grain) or ahead (a CYC below its threshold is
 * added to the next): hence a margin before the first record after user space, and a
 * mark that the time must be told before user space goes on.
 */
#include "testdata/ptrecord/record.h"
#include "testdata/ptrecord/recorder.h"

#include <assert.h>

enum { RECORD_BYTES = 64 }; /* about */

static struct cpu *cpu_of(struct recorder *r, const struct rec_thread *t)
{
    return &r->cpu[t->cpu == NOBODY ? 0 : t->cpu];
}

static void moment(struct recorder *r, struct cpu *c)
{
    if (!c->margin) {
        if (r->conf.cyc && r->conf.cyc_thresh)
            c->clock.cyc += 1ULL << r->conf.cyc_thresh;
        c->margin = true;
    }
    clock_wait_ns(&c->clock, rng_range(&r->rng, 60, 300));
    if (c->ring)
        enc_time(&c->ring->enc, &c->clock);
    c->settle = true;
}

/* Only a recording per CPU has records about the idle task, T NULL. */
static struct ring *ring_of(const struct cpu *c, const struct rec_thread *t)
{
    assert(c->own || t);
    return c->own ? c->own : t->own;
}

/* T: whom the record is about, NULL for the idle task. */
static struct stamp stamp_now(struct recorder *r, struct cpu *c, enum event_kind kind,
                              const struct rec_thread *t)
{
    struct ring *ring = ring_of(c, t);
    uint64_t tsc, lost = ring->lost;
    struct stamp s;

    moment(r, c);
    tsc = clock_tsc(&c->clock);
    if (!r->first_tsc || tsc < r->first_tsc)
        r->first_tsc = tsc;
    if (tsc > r->last_tsc)
        r->last_tsc = tsc;
    s = (struct stamp){.sample_type = r->events[kind].sample_type,
                       .pid = t ? t->pid : 0,
                       .tid = t ? t->tid : 0,
                       .cpu = c->nr,
                       .time_ns = clock_ns(&r->model, tsc),
                       .id = event_id(kind, ring->idx)};
    ring->lost = 0;
    r->unread += RECORD_BYTES;
    if (lost)
        record_lost(&ring->records, &s, lost);
    return s;
}

static struct stamp stamp_synthesized(struct recorder *r, const struct rec_thread *t)
{
    return (struct stamp){.sample_type = r->events[EVENT_TRACK].sample_type,
                          .pid = t->pid,
                          .tid = t->tid};
}

static struct buf *records_of(const struct cpu *c, const struct rec_thread *t)
{
    return &ring_of(c, t)->records;
}

/* Other CPUs may act on what was recorded here at once. */
static void tell_others(struct recorder *r, const struct cpu *c)
{
    cpus_raise(r, clock_tsc(&c->clock));
}

void side_comm(struct recorder *r, struct rec_thread *t, const char *comm, bool exec)
{
    struct cpu *c = cpu_of(r, t);
    struct stamp s;

    if (!r->enabled) {
        s = stamp_synthesized(r, t);
        record_comm(&r->synthesized, &s, comm, exec);
        return;
    }
    s = stamp_now(r, c, EVENT_TRACK, t);
    record_comm(records_of(c, t), &s, comm, exec);
    tell_others(r, c);
}

void side_mmap(struct recorder *r, struct rec_thread *t, const struct rec_map *m)
{
    struct cpu *c = cpu_of(r, t);
    struct stamp s;

    perfdata_dso(&r->file, m, r->conf.build_ids);
    if (!r->enabled) {
        s = stamp_synthesized(r, t);
        record_mmap2(&r->synthesized, &s, m, r->conf.build_ids);
        return;
    }
    s = stamp_now(r, c, EVENT_TRACK, t);
    record_mmap2(records_of(c, t), &s, m, r->conf.build_ids);
    tell_others(r, c);
}

void side_fork(struct recorder *r, struct rec_thread *t)
{
    struct rec_thread *p = t->parent;
    struct cpu *c = cpu_of(r, p);
    struct stamp s = stamp_now(r, c, EVENT_TRACK, p);

    record_task(records_of(c, p), &s, RECORD_FORK,
                (const uint32_t[]){t->pid, p->pid, t->tid, p->tid});
    tell_others(r, c);
}

void side_exit(struct recorder *r, struct rec_thread *t)
{
    struct cpu *c = cpu_of(r, t);
    struct stamp s = stamp_now(r, c, EVENT_TRACK, t);

    record_task(records_of(c, t), &s, RECORD_EXIT,
                (const uint32_t[]){t->pid, t->ppid, t->tid, t->ppid});
    tell_others(r, c);
}

void side_itrace_start(struct recorder *r, struct cpu *c, struct rec_thread *t)
{
    struct stamp s = stamp_now(r, c, EVENT_PT, t);

    record_itrace_start(records_of(c, t), &s);
}

bool side_own_switches(const struct recorder *r)
{
    return r->conf.mode == REC_PER_CPU && r->conf.tsc && r->conf.own_switches;
}

/* The idle task takes C over. */
static void idle_in(struct recorder *r, struct cpu *c)
{
    const struct rec_thread *prev = c->out_thread;
    struct stamp s;

    if (!prev)
        return;
    c->out_thread = NULL;
    if (rng_one_in(&r->rng, r->conf.faults.lost)) {
        c->own->lost++;
        return;
    }
    s = stamp_now(r, c, EVENT_SWITCH, NULL);
    record_switch_cpu_wide(&c->own->records, &s, 0, prev->pid, prev->tid);
}

void side_switch_to(struct recorder *r, struct cpu *c, struct rec_thread *t)
{
    struct stamp s;

    if (!r->events[EVENT_SWITCH].used)
        return;
    if (c->out_at && clock_tsc(&c->clock) == c->out_tsc && rng_one_in(&r->rng, 2)) {
        record_switch_next(&c->own->records, c->out_at - 1, t->pid, t->tid);
        return;
    }
    idle_in(r, c);
    s = stamp_now(r, c, EVENT_SWITCH, NULL);
    record_switch_cpu_wide(&c->own->records, &s, MISC_SWITCH_OUT, t->pid, t->tid);
}

void side_switch_in(struct recorder *r, struct cpu *c, struct rec_thread *t)
{
    const struct rec_thread *prev = c->out_thread;
    struct stamp s;

    if (r->events[EVENT_SWITCH].used) {
        s = stamp_now(r, c, EVENT_SWITCH, t);
        record_switch_cpu_wide(&c->own->records, &s, 0, prev ? prev->pid : 0,
                               prev ? prev->tid : 0);
    } else if (side_own_switches(r)) {
        s = stamp_now(r, c, EVENT_TRACK, t);
        record_switch(&c->own->records, &s, 0);
    }
}

void side_switch_out(struct recorder *r, struct cpu *c, struct rec_thread *t,
                     bool preempt)
{
    uint16_t misc =
        (uint16_t)(MISC_SWITCH_OUT | (preempt ? MISC_SWITCH_OUT_PREEMPT : 0));
    struct stamp s;

    if (r->events[EVENT_SWITCH].used) {
        s = stamp_now(r, c, EVENT_SWITCH, t);
        c->out_at = c->own->records.len + 1;
        record_switch_cpu_wide(&c->own->records, &s, misc, 0, 0);
    } else if (side_own_switches(r)) {
        if (rng_one_in(&r->rng, r->conf.faults.lost)) {
            c->own->lost++;
            return;
        }
        s = stamp_now(r, c, EVENT_TRACK, t);
        record_switch(&c->own->records, &s, misc);
    }
}

void side_sample(struct recorder *r, struct cpu *c, const uint8_t *data, size_t len)
{
    struct stamp s = stamp_now(r, c, EVENT_CYCLES, c->now);

    record_sample(records_of(c, c->now), &s, c->ring->enc.ip,
                  r->events[EVENT_CYCLES].period, data, len);
    r->unread += len;
}

/* In a buffer that is overwritten, the kernel says where it has got to. */
static void aux_overwrite(struct recorder *r, struct cpu *c, struct ring *ring)
{
    struct stamp s = stamp_now(r, c, EVENT_PT, c->now);

    record_aux(&ring->records, &s, overwrite_at(r, ring), overwrite_size(r),
               AUX_OVERWRITE);
    overwrite_trim(r, ring);
}

void side_aux(struct recorder *r, struct cpu *c, struct ring *ring)
{
    uint64_t flags = ring->enc.full ? AUX_TRUNCATED : 0;
    uint64_t head = enc_offset(&ring->enc), len = head - ring->aux_head;
    struct stamp s;

    if (!len && !flags)
        return;
    if (overwrite_mode(r)) {
        aux_overwrite(r, c, ring);
        r->fresh += len;
    } else {
        s = stamp_now(r, c, EVENT_PT, c->now);
        record_aux(&ring->records, &s, ring->aux_head, len, flags);
        r->unread += len;
    }
    ring->aux_head = head;
}
