/* sb_jit.h - code made at run time: which files tell of it, and when it came.
 *
 * SPDX-License-Identifier: MIT
 *
 * `perf inject -j` makes a file and a map of each function in a jitdump, and puts them into
 * a copy of the recording.  Here the same maps come in between the records, at their times:
 * as entries of the order of records that are in no file.
 */
#ifndef PTS_WALKER_SIDEBAND_SB_JIT_H
#define PTS_WALKER_SIDEBAND_SB_JIT_H

#include "decoder/aux/auxtrace.h"
#include "decoder/file/perf_file.h"
#include "decoder/record/perf_order.h"
#include "walker/code/image_find.h"
#include "walker/code/jitdump.h"
#include "walker/sideband/sideband.h"

struct sb_jit;

struct sb_jit_from {
    const struct perf_file *file;
    const struct image_opts *files; /* symfs */
    const struct aux_info *info;    /* or NULL: times of the processor mean nothing */
    bool force;                     /* take files of other users */
};

/* Reads every jitdump that a record of `order` maps, and puts what they tell into the
 * order.  PTS_END: there is none; *out is untouched. */
pts_status sb_jit_read(const struct sb_jit_from *from, struct perf_order *order,
                       struct sb_jit **out);
void sb_jit_free(struct sb_jit *j); /* NULL is fine */

/* Entry `off` of the order, for which perf_order_is_made holds, into the side-band. */
pts_status sb_jit_feed(const struct sb_jit *j, uint64_t off, struct sideband *sb);
/* Whether a map of memory is that of code which a jitdump tells of, and so is left out,
 * as perf does. */
bool sb_jit_hides(const struct sb_jit *j, int32_t pid, const char *name);

/* Whether a map is called as memory without a file is, where compilers put code. */
bool sb_jit_is_memory(const char *name);
/* Whether all events of a recording have times of CLOCK_MONOTONIC, as dumps do. */
bool sb_jit_is_monotonic(const struct perf_file *f);

/* A jitdump that a record named. */
struct sb_jit_note {
    int32_t pid;
    const char *name, *path; /* as recorded, as looked for */
    enum sb_jit_state {
        SB_JIT_USED,
        SB_JIT_MISSING,
        SB_JIT_REFUSED, /* a link, or somebody else's */
        SB_JIT_WRONG,   /* no jitdump */
        SB_JIT_NEWER    /* of a version that is not known */
    } state;
    bool guessed; /* its clock is not the recording's: times are estimated */
    size_t codes;
    struct jit_odd odd;
};
size_t sb_jit_count(const struct sb_jit *j); /* NULL is fine */
struct sb_jit_note sb_jit_at(const struct sb_jit *j, size_t i);
/* Why a dump is not used, for a person; "" when it is. */
const char *sb_jit_why(enum sb_jit_state state);
/* The path of a dump whose file has become shorter; NULL: none has. */
const char *sb_jit_cut(const struct sb_jit *j, uint64_t *len);

#endif
