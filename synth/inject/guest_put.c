/* guest_put.c - a guest's records among those of its host.
 *
 * SPDX-License-Identifier: MIT
 *
 * The host's threads are called after the virtual processors that they run ("CPU 0/KVM"),
 * so that a counter of one becomes a counter of that thread, on whatever processor it is
 * by then.  A record keeps its body; the sample id behind it is made anew.
 */
#include "synth/inject/guest.h"

#include "decoder/base/diag.h"
#include "decoder/base/u64.h"
#include "decoder/record/record.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { INDEX_MOST = (UINT16_MAX - 16) / 48, CPUS_AT_LEAST = 64 };

static pts_status bad(struct pts_diag *why, const char *text, uint64_t number)
{
    return diag_set(why, PTS_E_RANGE, UINT64_MAX, "%s %llu", text,
                    (unsigned long long)number);
}

/* --- Virtual processors ------------------------------------------------------------ */

/* perf has a table of them, which is doubled as needed; others are known, too. */
static void make_room(struct guest *g, uint32_t number)
{
    if (!g->cpu_room)
        g->cpu_room = CPUS_AT_LEAST;
    while (number >= g->cpu_room)
        g->cpu_room *= 2;
}

static struct guest_cpu *cpu_get(const struct guest *g, const struct idmap *by,
                                 uint64_t key)
{
    uint32_t at = idmap_get(by, key);

    return at == IDMAP_NONE ? NULL : &g->cpu.at[at];
}

static pts_status put_cpu(struct guest *g, uint32_t number, uint32_t tid,
                          struct pts_diag *why)
{
    struct guest_cpu *c = cpu_get(g, &g->by_number, number);

    if (number > INT_MAX)
        return bad(why, "Invalid VCPU", number);
    if (c && c->tid && c->tid != tid)
        return diag_set(why, PTS_E_RANGE, UINT64_MAX,
                        "Fatal error: Two threads found with the same VCPU");
    make_room(g, number);
    if (!c) {
        c = VEC_PUSH(&g->cpu);
        if (!c || !idmap_set(&g->by_number, number, (uint32_t)g->cpu.len - 1))
            return PTS_E_NOMEM;
        *c = (struct guest_cpu){.number = number};
    }
    c->tid = tid;
    return idmap_set(&g->by_tid, tid, (uint32_t)(c - g->cpu.at)) ? PTS_OK : PTS_E_NOMEM;
}

/* As sscanf has "CPU %u/KVM": PTS_END, it is no such name; PTS_E_FORMAT, it ends too early
 * for that to be known, at which perf gives up. */
static pts_status cpu_number(const char *name, uint32_t *number)
{
    static const char lead[] = "CPU";
    size_t n = 0;

    while (n < 3 && name[n] == lead[n])
        n++;
    if (n < 3)
        return name[n] ? PTS_END : PTS_E_FORMAT;
    for (name += n; isspace((unsigned char)*name); name++)
        ;
    if (!*name)
        return PTS_E_FORMAT;
    bool minus = *name == '-';
    name += minus || *name == '+';
    if (!isdigit((unsigned char)*name))
        return PTS_END;
    uint64_t v = 0;
    for (; isdigit((unsigned char)*name); name++)
        v = v > UINT32_MAX ? v : v * 10 + (uint64_t)(*name - '0');
    *number = minus ? 0 - (uint32_t)v : (uint32_t)v;
    return PTS_OK;
}

/* All names that the host's threads ever have, before its first record has effect. */
static pts_status find_cpus(struct guest *g, struct pts_diag *why)
{
    pts_status st = PTS_OK;
    struct record r;
    uint32_t number;

    for (uint64_t off = g->host->data.off; st == PTS_OK && off < g->host->data.end;
         off = perf_rec_next(&r.head)) {
        if (perf_rec_header(g->host, off, &r.head) < 0)
            break;
        if (r.head.type != PTS_RECORD_COMM || record_read(g->host, off, &r) < 0 ||
            !record_is(&r, PTS_RECORD_COMM) || (uint32_t)r.u.comm.pid != g->args->pid)
            continue;
        st = cpu_number(r.u.comm.comm, &number);
        if (st == PTS_OK)
            st = put_cpu(g, number, (uint32_t)r.u.comm.tid, why);
        else if (st == PTS_END)
            st = PTS_OK;
    }
    if (st == PTS_OK && !g->cpu_room)
        return bad(why, "No VCPU threads found for pid", g->args->pid);
    return st;
}

pts_status guest_switch(struct guest *g, const struct perf_rec *r, struct pts_diag *why)
{
    enum { OTHER = 8, OTHER_END = 16 };
    uint32_t pid, tid;

    /* Of a switch that is not CPU-wide perf, too, takes what follows for the other one. */
    if (!g->ready || r->misc & PTS_MISC_SWITCH_OUT || r->size < OTHER_END)
        return PTS_OK;
    memcpy(&pid, r->ptr + OTHER, sizeof(pid));
    memcpy(&tid, r->ptr + OTHER + sizeof(pid), sizeof(tid));
    struct guest_cpu *c = pid == g->args->pid ? cpu_get(g, &g->by_tid, tid) : NULL;
    if (!c)
        return PTS_OK;
    if (!(r->id.has & PTS_SAMPLE_CPU) || r->id.cpu == UINT32_MAX)
        return diag_set(why, PTS_E_RANGE, UINT64_MAX, "Switch event does not have CPU");
    c->cpu = r->id.cpu;
    return PTS_OK;
}

/* --- Times ------------------------------------------------------------------------- */

void guest_note_clock(struct guest_clock *c, const struct pts_time_conv *t)
{
    c->conv = tsc_conv_of(t->shift, t->mult, t->zero);
    c->known = t->is_long && t->cap_zero;
}

static uint64_t host_time(const struct guest *g, const struct perf_rec *r)
{
    uint64_t time = r->id.has & PTS_SAMPLE_TIME ? r->id.time : UINT64_MAX;

    if (!time)
        return 0;
    uint64_t tsc = g->clock.known ? tsc_of_ns(time, &g->clock.conv) : time;
    tsc = u64_of_double((double)(tsc - g->args->offset) / g->args->scale);
    return g->host_clock.known ? tsc_to_ns(tsc, &g->host_clock.conv) : tsc;
}

/* --- Records ----------------------------------------------------------------------- */

/* A sample id of an event of ours, in the kernel's order. */
static void put_id(struct text *t, uint64_t type, const struct pts_sample_id *s,
                   uint64_t id, uint64_t time, uint32_t cpu)
{
    if (type & PTS_SAMPLE_TID) {
        put_u32(t, (uint32_t)s->pid);
        put_u32(t, (uint32_t)s->tid);
    }
    if (type & PTS_SAMPLE_TIME)
        put_u64(t, time);
    if (type & PTS_SAMPLE_ID)
        put_u64(t, id);
    if (type & PTS_SAMPLE_STREAM_ID)
        put_u64(t, id);
    if (type & PTS_SAMPLE_CPU)
        put_u64(t, cpu);
    if (type & PTS_SAMPLE_IDENTIFIER)
        put_u64(t, id);
}

/* Whose it is; perf's own records, with id 0, are those of the first counter. */
static pts_status counter_of(const struct guest *g, const struct perf_rec *r,
                             const struct guest_id **out, uint32_t *id_bytes,
                             struct pts_diag *why)
{
    bool has = r->id.has & (PTS_SAMPLE_ID | PTS_SAMPLE_IDENTIFIER);
    uint64_t id = has ? r->id.id : UINT64_MAX;
    uint32_t event = PTS_NO_EVENT, at;

    if (!id) {
        *id_bytes = g->file->evsel.at[0].id_bytes;
        for (uint32_t i = 0; !id && i < g->file->evsel.len; i++)
            if (g->file->evsel.at[i].id_count)
                id = g->file->evsel.at[i].ids[0];
        at = idmap_get(&g->by_id, id);
    } else {
        at = idmap_get(&g->by_id, id);
        event = at == IDMAP_NONE ? PTS_NO_EVENT : g->id.at[at].event;
        if (event != PTS_NO_EVENT)
            *id_bytes = g->file->evsel.at[event].id_bytes;
    }
    if (at == IDMAP_NONE || g->id.at[at].event == PTS_NO_EVENT)
        return bad(why, "Guest event with unknown id", id);
    *out = &g->id.at[at];
    return PTS_OK;
}

static uint16_t guest_misc(uint16_t misc)
{
    uint16_t mode = misc & PTS_MODE_USER ? PTS_MODE_GUEST_USER : PTS_MODE_GUEST_KERNEL;

    return (uint16_t)((misc & ~PTS_MISC_MODE) | mode);
}

static pts_status put_record(struct guest *g, const struct perf_rec *r, uint64_t time,
                             struct text *t, struct pts_diag *why)
{
    const struct guest_id *id = NULL;
    uint32_t id_bytes = 0, cpu = UINT32_MAX;
    pts_status st = counter_of(g, r, &id, &id_bytes, why);

    if (!id)
        return st;
    if (r->size % 8 || r->size < PERF_REC_HEADER + id_bytes)
        return bad(why, "Bad event size", r->size);
    if (r->id.has & PTS_SAMPLE_CPU && r->id.cpu != UINT32_MAX) {
        if (r->id.cpu >= g->cpu_room)
            return bad(why, "Guest event with unknown VCPU", r->id.cpu);
        const struct guest_cpu *c = cpu_get(g, &g->by_number, r->id.cpu);
        cpu = c ? c->cpu : 0;
    }
    size_t at = t->len;
    uint64_t type = g->event.at[id->event].sample_type;
    put_bytes(t, r->ptr, r->size - id_bytes);
    put_id(t, type, &r->id, id->host_id, time, cpu);
    if (t->failed)
        return PTS_E_NOMEM;
    if (t->len - at > UINT16_MAX)
        return bad(why, "Bad new event size", t->len - at);
    const uint16_t head[] = {guest_misc(r->misc), (uint16_t)(t->len - at)};
    memcpy(t->at + at + 4, head, sizeof(head));
    return PTS_OK;
}

pts_status guest_until(struct guest *g, uint64_t time, struct out_file *out,
                       struct pts_diag *why)
{
    pts_status st = PTS_OK;
    struct perf_rec r;

    for (; st == PTS_OK && g->ready && g->next < g->rec.len; g->next++) {
        if (perf_rec_at(g->file, g->rec.at[g->next], &r) < 0)
            continue;
        uint64_t at = host_time(g, &r);
        if (at > time)
            break;
        st = put_record(g, &r, at, &out->buf, why);
        if (st == PTS_OK)
            st = out_flush_full(out, why);
    }
    return st;
}

/* --- Events ------------------------------------------------------------------------ */

static uint64_t highest_id(const struct perf_file *f)
{
    uint64_t most = 1;

    for (size_t i = 0; i < f->evsel.len; i++)
        for (uint32_t k = 0; k < f->evsel.at[i].id_count; k++)
            if (f->evsel.at[i].ids[k] > most)
                most = f->evsel.at[i].ids[k];
    return most;
}

/* New ids, that the host's events do not have. */
static pts_status give_ids(struct guest *g, struct pts_diag *why)
{
    uint64_t last = highest_id(g->host);

    for (size_t i = 0; i < g->order.len; i++) {
        struct guest_id *id = &g->id.at[g->order.at[i]];
        uint64_t *host = VEC_PUSH(&g->host_ids);
        if (!host)
            return PTS_E_NOMEM;
        if (id->cpu == -1)
            return bad(why, "Failed to find guest id", id->id);
        do
            last++;
        while (!last || perf_file_id(g->host, last));
        *host = id->host_id = last;
    }
    return PTS_OK;
}

/* Those of guest counters are those of a thread of the host. */
static void put_index(const struct guest *g, size_t from, size_t n, struct text *t)
{
    put_u32(t, PTS_RECORD_ID_INDEX);
    put_u32(t, (uint32_t)(16 + 48 * n) << 16);
    put_u64(t, n);
    for (size_t i = from; i < from + n; i++) {
        const struct guest_id *id = &g->id.at[g->order.at[i]];
        const struct guest_cpu *c = cpu_get(g, &g->by_number, (uint32_t)id->cpu);
        put_u64(t, id->host_id);
        put_u64(t, 0);
        put_u64(t, UINT64_MAX);
        put_u64(t, c ? c->tid : 0);
    }
    for (size_t i = from; i < from + n; i++) {
        put_u64(t, g->args->pid);
        put_u64(t, (uint64_t)(int64_t)g->id.at[g->order.at[i]].cpu);
    }
}

static pts_status begin_events(struct guest *g, struct out_file *out,
                               struct pts_diag *why)
{
    pts_status st = find_cpus(g, why);

    if (st == PTS_OK)
        st = give_ids(g, why);
    for (size_t i = 0; st == PTS_OK && i < g->order.len; i += INDEX_MOST) {
        size_t n = g->order.len - i;
        put_index(g, i, n < INDEX_MOST ? n : INDEX_MOST, &out->buf);
    }
    if (st == PTS_OK && g->unmounted)
        return diag_set(why, PTS_E_IO, UINT64_MAX,
                        "Can't access file %s\nFailed to add guest build IDs",
                        g->unmounted);
    g->ready = st == PTS_OK;
    return st == PTS_OK ? guest_until(g, 0, out, why) : st;
}

pts_status guest_begin(struct guest *g, const struct perf_rec *r, struct out_file *out,
                       struct pts_diag *why)
{
    char text[sizeof(why->text) + 1];
    pts_status st = g->ready ? PTS_OK : begin_events(g, out, why);

    if (st != PTS_E_RANGE && st != PTS_E_FORMAT && st != PTS_E_IO)
        return st;
    snprintf(text, sizeof(text), "%s%s", why->text, *why->text ? "\n" : "");
    return diag_set(why, st, UINT64_MAX,
                    "%s%#llx [%#x]: failed to process type: %u [%s]", text,
                    (unsigned long long)perf_file_shown(g->host, r->off).off,
                    (unsigned)r->size, (unsigned)r->type,
                    st == PTS_E_RANGE    ? "Invalid argument"
                    : st == PTS_E_FORMAT ? "Operation not permitted"
                                         : "Cannot allocate memory");
}

/* perf takes all for hit where there is a trace, and else only the vdso. */
void guest_put_build_ids(const struct guest *g, bool all, struct text *t)
{
    for (size_t i = 0; g->ready && i < g->build_id.len; i++)
        if (all || strcmp(g->build_id.at[i].name, "[vdso]") == 0)
            put_build_id(t, &g->build_id.at[i]);
}
