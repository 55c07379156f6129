/* guest.h - what a guest recorded, to be put into the recording of its host.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf inject --guest-data: both were recorded at the same time.  The guest's events become
 * some of the new recording, with ids that are free there; its records of threads, maps and
 * switches come in between by their time, which is the host's by then; its build ids go into
 * the header.  Whoever reads that knows by an ID_INDEX record what is the guest's.
 *
 *     guest: run -> guest_take (sink) -> struct guest
 *     host:  run -> inject (sink) -> guest_begin, guest_until, guest_switch -> file
 */
#ifndef PTS_SYNTH_INJECT_GUEST_H
#define PTS_SYNTH_INJECT_GUEST_H

#include "decoder/base/idmap.h"
#include "decoder/file/perf_attr.h"
#include "decoder/file/perf_file.h"
#include "decoder/pt/tsc.h"
#include "synth/inject/out_file.h"
#include "synth/inject/put_record.h"
#include "synth/plan/evlist.h"
#include "synth/sample/sink.h"

struct guest_args {
    bool given;
    char file[PATH_MAX];
    uint32_t pid;    /* of the program that runs it */
    uint64_t offset; /* its TSC less that of the host, */
    double scale;    /* ... once that was multiplied */
};

/* Of --guest-data; PTS_E_USAGE: perf's text. */
pts_status guest_args_read(const char *value, struct guest_args *out,
                           struct pts_diag *why);

struct guest_id {
    uint64_t id, host_id;
    uint32_t event;
    int32_t cpu; /* virtual processor; -1: none */
};

struct guest_event {
    uint8_t attr[PERF_ATTR_BYTES];
    uint64_t sample_type;
    size_t first, count; /* its ids */
    const char *name;
};

/* A virtual processor. */
struct guest_cpu {
    uint32_t number, tid, cpu; /* thread of the host, and where that runs */
};

/* Clock of a recording. */
struct guest_clock {
    struct tsc_conv conv;
    bool known; /* else times are ticks */
};

/* Zero-initialise but for the first members; give back with guest_free. */
struct guest {
    const struct guest_args *args;
    const struct perf_file *host;
    const char *unmounted; /* where its files should be and are not; NULL */

    const struct perf_file *file;
    VEC(uint64_t) rec; /* records to be put in, in perf's order, */
    size_t next;       /* ... the next */
    VEC(struct guest_id) id;
    struct idmap by_id; /* index in id */
    VEC(struct guest_event) event;
    VEC(uint32_t) order;    /* indices in id, event by event */
    VEC(uint64_t) host_ids; /* the same as ids, once there are some */
    struct evlist names;
    VEC(struct put_id) build_id; /* of the host's pid */
    struct guest_clock clock, host_clock;
    VEC(struct guest_cpu) cpu;
    struct idmap by_number, by_tid; /* index in cpu */
    uint64_t cpu_room;              /* numbers that perf takes for known */
    bool ready;                     /* its events are there */
};

void guest_free(struct guest *g);

/* --- guest_take.c: its recording --------------------------------------------------- */

/* Collects what is to be put in. */
struct sink guest_sink(struct guest *g);
/* Its events, behind that; attrs: of them. */
pts_status guest_events(struct guest *g, const struct evl_attr *attrs);
/* Bytes that its events take in the header of a file. */
uint64_t guest_head_bytes(const struct guest *g);

/* --- guest_put.c: that of the host ------------------------------------------------- */

/* The host's FINISHED_INIT at off: the guest's events begin, and what has no time. */
pts_status guest_begin(struct guest *g, const struct perf_rec *r, struct out_file *out,
                       struct pts_diag *why);
/* Records up to a time of the host.  PTS_E_RANGE: one cannot be put in. */
pts_status guest_until(struct guest *g, uint64_t time, struct out_file *out,
                       struct pts_diag *why);
/* A switch of threads on the host. */
pts_status guest_switch(struct guest *g, const struct perf_rec *r,
                        struct pts_diag *why);
void guest_note_clock(struct guest_clock *c, const struct pts_time_conv *t);
/* Its build ids, as items of the header's section. */
void guest_put_build_ids(const struct guest *g, bool all, struct text *t);

#endif
