/* evlist.h - the events of a recording, and those made from its trace.
 *
 * SPDX-License-Identifier: MIT
 *
 * An event belongs to one of perf's output classes; fields are chosen per class.  The
 * list begins with the events of the file, in its order; made events are appended.
 */
#ifndef PTS_SYNTH_EVLIST_H
#define PTS_SYNTH_EVLIST_H

#include "decoder/arena.h"
#include "decoder/perf_abi.h"
#include "decoder/vec.h"
#include "synth/fmt.h"

#include <ptscript/features.h>
#include <ptscript/status.h>
#include <stdbool.h>
#include <stdint.h>

/* perf_event_attr.type, and one that perf invented for made events. */
enum {
    ATTR_HARDWARE = 0,
    ATTR_SOFTWARE = 1,
    ATTR_TRACEPOINT = 2,
    ATTR_HW_CACHE = 3,
    ATTR_RAW = 4,
    ATTR_BREAKPOINT = 5,
    ATTR_KERNEL_TYPES = 6
};
#define ATTR_SYNTH 0x80000000u

/* What of a perf_event_attr matters here. */
struct evl_attr {
    uint32_t type;
    uint64_t config, sample_type, flags, sample_period, branch_sample_type;
    uint64_t bp_addr;
    uint32_t bp_type;
    uint64_t regs_user, regs_intr;
    const char *name;    /* from EVENT_DESC or EVENT_UPDATE; NULL: perf makes one up */
    const uint64_t *ids; /* copied: the first only */
    size_t id_count;
    uint64_t record_off;  /* in a pipe: where perf says that the record is which told */
    uint32_t record_size; /* of it, and its size */
};

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

/* Events made from a trace, in the order in which perf creates them. */
enum made_event {
    MADE_BRANCHES,
    MADE_INSTRUCTIONS,
    MADE_TRANSACTIONS,
    MADE_PTWRITE,
    MADE_CBR,
    MADE_PSB,
    MADE_MWAIT,
    MADE_PWRE,
    MADE_EXSTOP,
    MADE_PWRX,
    MADE_EVT,
    MADE_IFLAG,
    MADE_EVENTS
};

/* attr.config of events of type ATTR_SYNTH. */
enum synth_config {
    SYNTH_PTWRITE,
    SYNTH_MWAIT,
    SYNTH_PWRE,
    SYNTH_EXSTOP,
    SYNTH_PWRX,
    SYNTH_CBR,
    SYNTH_PSB,
    SYNTH_EVT,
    SYNTH_IFLAG
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

struct evlist {
    VEC(struct evl_event) ev;
    struct arena names;
};

#define EVL_NONE UINT32_MAX

pts_status evl_add(struct evlist *l, const struct evl_attr *attr);
void evl_free(struct evlist *l);
/* First event of an output class, or EVL_NONE. */
uint32_t evl_first_of(const struct evlist *l, enum out_class class);
/* The event with this first id, or EVL_NONE. */
uint32_t evl_by_id(const struct evlist *l, uint64_t id);
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
/* "NAME{leader,member}", or the name of a single event. */
void evl_group_text(struct text *t, const struct evlist *l, const struct evl_group *g);

/* What is to be made from the trace of event `pt` (index), in perf's order. */
struct evl_make {
    bool wanted[MADE_EVENTS];
    bool timeless, per_cpu;
    bool chains, branch_stacks; /* g and l: on all but branches */
    uint64_t period; /* of MADE_INSTRUCTIONS, as perf puts it into the attr */
};
/* G: samples of all events there are now get call chains. */
void evl_add_chains(struct evlist *l);
/* Appends the events; made[i] is the index of event i or EVL_NONE. */
pts_status evl_make(struct evlist *l, uint32_t pt, const struct evl_make *m,
                    uint32_t made[MADE_EVENTS]);
const char *evl_made_name(enum made_event i);
/* Until then they are called as their attrs say; perf's messages show it. */
void evl_name_made(struct evlist *l, const uint32_t made[MADE_EVENTS]);

#endif
