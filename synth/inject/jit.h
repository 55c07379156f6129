/* jit.h - the jitdumps of a recording: files of their functions, and maps of these.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf inject -j: where a record maps jit-PID.dump, a MMAP2 record for each function comes in its
 * place, all at once; the dump's folder gets a file for each of them, jitted-PID-INDEX.so.
 * Later maps of memory without a file of that process go, too.
 */
#ifndef PTS_SYNTH_INJECT_JIT_H
#define PTS_SYNTH_INJECT_JIT_H

#include "decoder/base/arena.h"
#include "decoder/base/idmap.h"
#include "decoder/base/vec.h"
#include "decoder/file/perf_file.h"
#include "decoder/pt/tsc.h"
#include "synth/inject/jit_elf.h"
#include "synth/inject/out_file.h"
#include "walker/code/image_find.h"

#include <ptscript/record.h>
#include <ptscript/session.h>

/* A file that was made. */
struct jit_made {
    const char *name;
    uint32_t after; /* index of the dso that it comes behind */
    uint8_t id[JIT_ELF_ID];
};

/* Zero-initialise but for the first members; give back with jit_free. */
struct jit {
    const struct image_opts *files;
    bool force; /* take dumps of other users */
    pts_message_fn *message;
    void *message_ctx;

    const struct perf_file *file;
    struct tsc_conv conv;     /* of the last TIME_CONV record */
    bool has_conv, conv_zero; /* its zero point is known */
    struct arena arena;
    VEC(struct jit_made) made; /* by first record, one for each name */
    struct idmap by_name;      /* hash -> last in made */
    struct idmap done;         /* processes whose dump was taken */
    struct text elf;
};

void jit_note_conv(struct jit *j, const struct pts_time_conv *c);
/* A record that maps something; *taken: it does not pass, and what comes in its place is in
 * `out`.  after: see jit_made. */
pts_status jit_map(struct jit *j, const struct pts_mmap *m, uint32_t after,
                   struct out_file *out, bool *taken, struct pts_diag *why);
void jit_free(struct jit *j);

#endif
