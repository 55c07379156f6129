/* select.h - which samples are wanted: times, cpus, threads, names.
 *
 * SPDX-License-Identifier: MIT
 *
 * Options are read into lists once; asking is cheap.  What perf reads in an odd way is
 * read in that way, errors and their texts included, since people have scripts that
 * rely on it.
 */
#ifndef PTS_SYNTH_PLAN_SELECT_H
#define PTS_SYNTH_PLAN_SELECT_H

#include "decoder/base/arena.h"
#include "decoder/base/vec.h"
#include "decoder/pt/tsc.h"

#include <ptscript/status.h>
#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds or ticks, both ends inclusive; 0: open. */
struct time_range {
    uint64_t start, end;
};

struct time_ranges {
    VEC(struct time_range) r;
};

/* What percentages and relative times refer to. */
struct time_base {
    uint64_t first, last; /* of the samples, ns; both 0: not known */
    bool relative;        /* --reltime: seconds count from first */
};

/* --time: "START,END" in seconds, several behind each other; or slices in percent, "10%/2",
 * "0%-10%".  PTS_E_RANGE with perf's text (it exits with 234 then). */
pts_status time_parse(struct time_ranges *t, const char *str,
                      const struct time_base *base, struct pts_diag *why);
/* Whether a sample of this time is to be left out. */
bool time_skips(const struct time_ranges *t, uint64_t ns);
/* The same ranges in ticks: the least tick that is not before start, the greatest that
 * is not after end. */
struct time_range time_in_ticks(struct time_range ns, const struct tsc_conv *c);

enum { SEL_CPUS = 2048 };

/* -C: a set of cpus.  PTS_E_FORMAT with perf's text. */
struct cpu_set {
    bool on;
    bool beyond;  /* one was named that perf has no room for, either */
    bool unknown; /* one was named that the recording's machine has not */
    uint64_t bit[SEL_CPUS / 64];
};
pts_status cpus_parse(struct cpu_set *c, const char *str, uint32_t available,
                      struct pts_diag *why);
static inline bool cpus_skip(const struct cpu_set *c, int32_t cpu)
{
    return c->on && cpu != -1 &&
           ((uint32_t)cpu >= SEL_CPUS || !(c->bit[cpu / 64] & 1ull << cpu % 64));
}

/* A comma-separated list of names, or the lines of a file ("file://PATH"). */
struct name_list {
    bool on;
    VEC(const char *) name;
};
/* The same of numbers. */
struct number_list {
    bool on;
    VEC(uint64_t) n;
};

struct select {
    struct time_ranges time;
    struct cpu_set cpus;
    struct name_list comms, dsos, symbols, stop_bt;
    struct number_list pids, tids, addresses;
    const char *graph;              /* --graph-function, as given; NULL: not */
    uint32_t switch_on, switch_off; /* events; EVL_NONE */
    uint64_t addr_range;            /* each address means [a, a + addr_range) */
    struct arena strings;
};

/* Replace what the list held.  what: perf's word for it; PTS_E_RANGE with perf's text,
 * also where something is there twice. */
pts_status select_names(struct select *s, struct name_list *l, const char *str,
                        const char *what, struct pts_diag *why);
pts_status select_numbers(struct select *s, struct number_list *l, const char *str,
                          const char *what, struct pts_diag *why);
/* -S: items that are hexadecimal numbers become addresses. */
pts_status select_symbols(struct select *s, const char *str, struct pts_diag *why);
void select_free(struct select *s);

bool names_have(const struct name_list *l, const char *name);
/* Whether threads or places are filtered at all. */
static inline bool select_threads(const struct select *s)
{
    return s->comms.on || s->pids.on || s->tids.on;
}
static inline bool select_places(const struct select *s)
{
    return s->dsos.on || s->symbols.on;
}
bool select_thread_ok(const struct select *s, int32_t pid, int32_t tid,
                      const char *comm);
/* One sample's place: NULL names when there is none (see struct place). */
struct place;
bool select_place_ok(const struct select *s, const struct place *p);
/* Its halves. */
bool select_dso_ok(const struct select *s, const struct place *p);
bool select_symbol_ok(const struct select *s, const struct place *p);

#endif
