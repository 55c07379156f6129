/* evlist.h - the events of a recording, and those made from its trace.
 *
 * SPDX-License-Identifier: MIT
 *
 * An event belongs to one of perf's output classes; fields are chosen per class.  The
 * list begins with the events of the file, in its order; made events are appended.
 */
#ifndef PTS_SYNTH_PLAN_EVLIST_H
#define PTS_SYNTH_PLAN_EVLIST_H

#include "decoder/base/arena.h"
#include "decoder/base/vec.h"
#include "decoder/file/perf_abi.h"
#include "synth/plan/event_attr.h"

#include <ptscript/features.h>
#include <ptscript/status.h>
#include <stdbool.h>
#include <stdint.h>

/* Output classes, as perf numbers them. */
enum out_class {
    CLASS_HARDWARE,
    CLASS_SOFTWARE,
    CLASS_TRACEPOINT,
    CLASS_HW_CACHE,
    CLASS_RAW,
    CLASS_BREAKPOINT,
    CLASS_SYNTH,
    CLASS_OTHER,
    CLASSES
};

struct evl_event {
    struct evl_attr attr; /* name and ids: not used */
    const char *name;
    uint64_t id;
    uint8_t class; /* enum out_class */
    bool has_id;
    bool has_chain;    /* its samples have call chains, recorded or added */
    bool is_branch;    /* printed in the order of branches */
    bool addr_is_code; /* addr has a symbol */
};

/* Whether its samples go somewhere: branches, or accesses that faulted. */
static inline bool evl_has_target(const struct evl_event *e)
{
    return e->addr_is_code && e->attr.sample_type & PTS_SAMPLE_ADDR;
}

struct evlist {
    VEC(struct evl_event) ev;
    struct arena names;
};

#define EVL_NONE UINT32_MAX
/* attr.config of branches among the events of type PTS_TYPE_HARDWARE. */
enum { EVL_HW_BRANCHES = 4 };

pts_status evl_add(struct evlist *l, const struct evl_attr *attr);
/* Those of a file; made_up: with the names that perf makes up. */
pts_status evl_add_all(struct evlist *l, const struct evl_attr *attr, size_t count,
                       bool made_up);
/* Samples of all events there are now get call chains (letter G). */
void evl_add_chains(struct evlist *l);
void evl_free(struct evlist *l);
/* First event of an output class, or EVL_NONE. */
uint32_t evl_first_of(const struct evlist *l, enum out_class class);
/* Length of the longest name: the width of the event column. */
size_t evl_name_width(const struct evlist *l);
/* How perf calls a class in its messages. */
const char *evl_class_name(enum out_class class);
/* page-faults and its kin, dummy: what a class is judged by. */
bool evl_is_dummy(const struct evl_event *e);

/* Events that were counted together; one that was not is a group of one. */
struct evl_group {
    const char *name; /* "" for none */
    uint32_t leader, members;
};

/* Every event is in one of them, in their order. */
struct evl_groups {
    VEC(struct evl_group) at;
};

/* `desc`: the GROUP_DESC section, or nothing. */
pts_status evl_groups_make(struct evl_groups *g, const struct evlist *l,
                           struct pts_feature_iter desc);
void evl_groups_free(struct evl_groups *g);

#endif
