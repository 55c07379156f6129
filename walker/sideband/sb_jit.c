/* sb_jit.c - code made at run time: which files tell of it, and when it came.
 *
 * SPDX-License-Identifier: MIT
 *
 *     records    MMAP jit-7.dump    .      COMM           SAMPLE
 *     jit-7.dump                  load     .       load   .
 *     order      MMAP             load     COMM    load   SAMPLE
 *
 * Times in a dump are of the processor's counter, which is the trace's, or of
 * CLOCK_MONOTONIC.  Where the recording was made by another clock than that, they are
 * shifted by what lies between the dump's header and its map.  That the compiler wrote one
 * just before the other is as much as is known, so code that is new in its place counts
 * from the map on: nothing else can have run there.
 */
#include "walker/sideband/sb_jit.h"

#include "decoder/base/idmap.h"
#include "decoder/base/vec.h"
#include "decoder/record/record.h"
#include "walker/sideband/sideband_priv.h"

#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct dump {
    struct sb_jit_note note;
    struct jit_file file;
    struct jitdump jit;
    const char *dir;   /* of the recorded path */
    size_t mapped;     /* index in the order of the record that maps it */
    uint64_t map_time; /* of that record */
    uint64_t begun;    /* the same moment, about, by another clock */
};

/* An event of a dump on its way into the order. */
struct made {
    uint64_t time; /* perf's, ns */
    uint32_t dump, event;
    size_t after; /* index in the order of the record that it comes after at least */
};

struct sb_jit {
    struct arena arena;
    VEC(struct dump) dump;
    VEC(struct made) made;
    struct idmap by_pid; /* -> last dump that was used */
};

enum { DUMPS_MAX = 4096, MADE_MAX = 2 * JIT_CODES_MAX };

/* --- Times ------------------------------------------------------------------------ */

bool sb_jit_is_monotonic(const struct perf_file *f)
{
    bool all = f->evsel.len > 0;

    for (size_t i = 0; i < f->evsel.len; i++) {
        const struct pts_attr *a = &f->evsel.at[i].attr;
        all &= a->flags & PTS_ATTR_USE_CLOCKID && a->clockid == CLOCK_MONOTONIC;
    }
    return all;
}

static bool is_known(const struct dump *d, const struct sb_jit_from *from)
{
    return d->jit.ticks ? from->info != NULL : sb_jit_is_monotonic(from->file);
}

static uint64_t time_of(const struct dump *d, const struct sb_jit_from *from,
                        uint64_t time)
{
    if (d->note.guessed) {
        uint64_t t = time - d->begun + d->map_time;
        return time < d->begun || t < d->map_time ? d->map_time : t;
    }
    return d->jit.ticks ? tsc_to_ns(time, &from->info->conv) : time;
}

/* V8 has the time of day in the header: then it is the first record's. */
static uint64_t begun_at(const struct jitdump *j)
{
    const uint64_t hour = UINT64_C(3600000000000);
    uint64_t first = j->event_count ? j->event[0].time : j->begun;

    return j->begun <= first && first - j->begun < hour ? j->begun : first;
}

/* --- Reading ---------------------------------------------------------------------- */

static pts_status load(struct dump *d, const struct sb_jit_from *from)
{
    switch (jit_file_open(d->note.path, from->force, &d->file)) {
    case JIT_MISSING:
        d->note.state = SB_JIT_MISSING;
        return PTS_OK;
    case JIT_FOREIGN:
        d->note.state = SB_JIT_REFUSED;
        return PTS_OK;
    case JIT_FOUND:
        break;
    }
    pts_status st = jitdump_read(d->file.bytes, &d->jit);
    if (st == PTS_E_NOMEM)
        return st;
    d->note.state = st == PTS_OK              ? SB_JIT_USED
                    : st == PTS_E_UNSUPPORTED ? SB_JIT_NEWER
                                              : SB_JIT_WRONG;
    d->note.guessed = st == PTS_OK && !is_known(d, from);
    d->begun = st == PTS_OK ? begun_at(&d->jit) : 0;
    d->note.codes = d->jit.code_count;
    d->note.odd = d->jit.odd;
    return PTS_OK;
}

/* With symfs the file is below it and nowhere else, like all others. */
static pts_status dump_add(struct sb_jit *j, const struct sb_jit_from *from,
                           const struct pts_mmap *m, const struct dump *at)
{
    char path[PATH_MAX];
    const char *slash = strrchr(m->name, '/');
    struct dump *d = VEC_PUSH(&j->dump);

    if (!d)
        return PTS_E_NOMEM;
    *d = *at;
    d->note.pid = m->pid;
    d->note.name = arena_strndup(&j->arena, m->name, strlen(m->name));
    d->dir = slash ? arena_strndup(&j->arena, m->name, (size_t)(slash - m->name)) : ".";
    bool has_path = image_path_symfs(from->files, m->name, path);
    d->note.path =
        has_path ? arena_strndup(&j->arena, path, strlen(path)) : d->note.name;
    if (!d->note.name || !d->note.path || !d->dir)
        return PTS_E_NOMEM;
    d->note.state = SB_JIT_REFUSED; /* its name leads out of symfs */
    pts_status st = has_path ? load(d, from) : PTS_OK;
    if (st == PTS_OK && d->note.state == SB_JIT_USED &&
        !idmap_set(&j->by_pid, (uint32_t)m->pid, (uint32_t)j->dump.len - 1))
        st = PTS_E_NOMEM;
    return st;
}

/* The same dump may be mapped again, or in pieces. */
static bool is_new(const struct sb_jit *j, const struct pts_mmap *m)
{
    for (size_t i = 0; i < j->dump.len; i++)
        if (j->dump.at[i].note.pid == m->pid &&
            strcmp(j->dump.at[i].note.name, m->name) == 0)
            return false;
    return j->dump.len < DUMPS_MAX;
}

static pts_status find_dumps(struct sb_jit *j, const struct sb_jit_from *from,
                             const struct perf_order *order)
{
    pts_status st = PTS_OK;
    struct perf_passed passed = {0};
    struct record r;

    for (size_t i = 0; st == PTS_OK && i < order->rec.len; i++) {
        const struct perf_order_entry *e = &order->rec.at[i];
        if (e->kind != PTS_RECORD_MMAP && e->kind != PTS_RECORD_MMAP2)
            continue;
        bool read = record_read(from->file, e->off, &r) == PTS_OK;
        perf_rec_passed(from->file, &passed, &r.head);
        if (!read || !record_is(&r, e->kind) ||
            !jitdump_is(r.u.mmap.name, r.u.mmap.pid) || !is_new(j, &r.u.mmap))
            continue;
        const struct dump at = {.mapped = i, .map_time = e->time};
        st = dump_add(j, from, &r.u.mmap, &at);
    }
    return st;
}

/* --- Into the order ---------------------------------------------------------------- */

enum { CELL = 16 }; /* bytes, a bit for each */

/* Those of a cell that lie between these addresses, both included. */
static uint32_t bytes_in(uint64_t cell, uint64_t from, uint64_t to)
{
    unsigned low = from / CELL == cell ? from % CELL : 0;
    unsigned high = to / CELL == cell ? to % CELL : CELL - 1;

    return (UINT32_C(2) << high) - (UINT32_C(1) << low);
}

/* Whether code is the first in its place.  To the byte: compilers write functions close
 * together, and one that ran before its estimated time would be missing. */
static bool is_first(struct idmap *seen, const struct jit_event *e, bool *failed)
{
    bool first = !e->moved;
    uint64_t last = e->addr + e->size - 1;

    /* As many cells as the dump has bytes, at most: a move brings none. */
    for (uint64_t at = e->addr / CELL; !e->moved && at <= last / CELL; at++) {
        uint32_t known = idmap_get(seen, at), mine = bytes_in(at, e->addr, last);
        uint32_t had = known == IDMAP_NONE ? 0 : known;
        first &= !(had & mine);
        *failed |= !idmap_set(seen, at, had | mine);
    }
    return first;
}

static pts_status list_made(struct sb_jit *j, const struct sb_jit_from *from,
                            uint32_t number)
{
    struct dump *d = &j->dump.at[number];
    struct idmap seen = {0};
    bool failed = false;

    for (size_t i = 0; !failed && i < d->jit.event_count; i++) {
        const struct jit_event *e = &d->jit.event[i];
        d->note.odd.too_many |= j->made.len >= MADE_MAX;
        struct made *m = d->note.odd.too_many ? NULL : VEC_PUSH(&j->made);
        if (!m) {
            failed = !d->note.odd.too_many;
            break;
        }
        *m = (struct made){time_of(d, from, e->time), number, (uint32_t)i, d->mapped};
        if (m->time < d->map_time || (d->note.guessed && is_first(&seen, e, &failed)))
            m->time = d->map_time;
    }
    idmap_free(&seen);
    return failed ? PTS_E_NOMEM : PTS_OK;
}

static int by_time(const void *a, const void *b)
{
    const struct made *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->dump != y->dump)
        return x->dump < y->dump ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

/* Behind records of the same time, as perf sorts what `perf inject` appends.  Without
 * times, and in front of its dump, an event follows that. */
static pts_status merge(const struct sb_jit *j, struct perf_order *order)
{
    size_t records = order->rec.len, next = 0, n = j->made.len;

    if (!VEC_ROOM(&order->rec, n))
        return PTS_E_NOMEM;
    /* In place: what is written is never beyond what was read. */
    struct perf_order_entry *at = order->rec.at;
    memmove(at + n, at, records * sizeof(*at));
    const struct perf_order_entry *from = at + n;
    struct perf_order_entry *to = at;
    for (size_t i = 0; i < records; i++) {
        const struct perf_order_entry e = from[i];
        for (; next < n && j->made.at[next].after < i; next++) {
            const struct made *m = &j->made.at[next];
            if (!order->file_order && !(e.time && m->time < e.time))
                break;
            *to++ = perf_order_entry(perf_order_made(next), 0, m->time);
        }
        *to++ = e;
    }
    for (; next < n; next++)
        *to++ = perf_order_entry(perf_order_made(next), 0, j->made.at[next].time);
    order->rec.len = records + n;
    order->made = n;
    return PTS_OK;
}

static pts_status read_all(struct sb_jit *j, const struct sb_jit_from *from,
                           struct perf_order *order)
{
    pts_status st = find_dumps(j, from, order);

    for (size_t i = 0; st == PTS_OK && i < j->dump.len; i++)
        st = list_made(j, from, (uint32_t)i);
    if (st != PTS_OK || !j->made.len)
        return st;
    qsort(j->made.at, j->made.len, sizeof(j->made.at[0]), by_time);
    return merge(j, order);
}

pts_status sb_jit_read(const struct sb_jit_from *from, struct perf_order *order,
                       struct sb_jit **out)
{
    struct sb_jit *j = mem_zalloc(1, sizeof(*j));

    if (!j)
        return PTS_E_NOMEM;
    pts_status st = read_all(j, from, order);
    if (st == PTS_OK && !j->dump.len)
        st = PTS_END;
    if (st == PTS_OK)
        *out = j;
    else
        sb_jit_free(j);
    return st;
}

void sb_jit_free(struct sb_jit *j)
{
    if (!j)
        return;
    for (size_t i = 0; i < j->dump.len; i++) {
        jitdump_free(&j->dump.at[i].jit);
        jit_file_close(&j->dump.at[i].file);
    }
    VEC_FREE(&j->dump);
    VEC_FREE(&j->made);
    idmap_free(&j->by_pid);
    arena_free(&j->arena);
    mem_free(j);
}

/* --- Into the side-band ------------------------------------------------------------ */

/* The name of the file that perf inject would have made. */
pts_status sb_jit_feed(const struct sb_jit *j, uint64_t off, struct sideband *sb)
{
    const struct made *m = &j->made.at[perf_order_made_index(off)];
    const struct dump *d = &j->dump.at[m->dump];
    const struct jit_event *e = &d->jit.event[m->event];
    const struct jit_code *code = &d->jit.code[e->code];
    char name[PATH_MAX + 64];

    /* A dump tells of its own process only, whatever it says. */
    int32_t pid = d->note.pid, tid = e->pid == pid ? e->tid : pid;
    snprintf(name, sizeof(name), "%s/jitted-%d-%llu.so", d->dir, (int)d->note.pid,
             (unsigned long long)code->index);
    return sb_code(sb, &(struct sb_code){.pid = pid,
                                         .tid = tid,
                                         .start = e->addr,
                                         .len = e->size,
                                         .name = name,
                                         .code = code});
}

bool sb_jit_hides(const struct sb_jit *j, int32_t pid, const char *name)
{
    return j && idmap_get(&j->by_pid, (uint32_t)pid) != IDMAP_NONE &&
           sb_jit_is_memory(name);
}

bool sb_jit_is_memory(const char *name)
{
    return strncmp(name, "//anon", 6) == 0 || strncmp(name, "[anon:", 6) == 0 ||
           strncmp(name, "/memfd:", 7) == 0;
}

size_t sb_jit_count(const struct sb_jit *j)
{
    return j ? j->dump.len : 0;
}

struct sb_jit_note sb_jit_at(const struct sb_jit *j, size_t i)
{
    return j->dump.at[i].note;
}

const char *sb_jit_why(enum sb_jit_state state)
{
    switch (state) {
    case SB_JIT_MISSING:
        return "it is not there: put it back, or below --symfs";
    case SB_JIT_REFUSED:
        return "a link, or not owned by current user or root (use -f to override "
               "the latter)";
    case SB_JIT_WRONG:
        return "it is no jitdump";
    case SB_JIT_NEWER:
        return "a jitdump of an unknown version";
    case SB_JIT_USED:
        break;
    }
    return "";
}

const char *sb_jit_cut(const struct sb_jit *j, uint64_t *len)
{
    for (size_t i = 0; i < sb_jit_count(j); i++) {
        const struct dump *d = &j->dump.at[i];
        const struct image_elf file = {
            .size = d->file.bytes.len, .dev = d->file.dev, .ino = d->file.ino};
        if (d->file.bytes.ptr && image_elf_was_cut(&file, d->note.path, len))
            return d->note.path;
    }
    return NULL;
}
