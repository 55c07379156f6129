/* session.h - what a session and its streams share.
 *
 * SPDX-License-Identifier: MIT
 *
 * The session holds what does not depend on a run's options: the file, who ran where,
 * the code images.  A stream holds one run.
 */
#ifndef PTS_SYNTH_RUN_SESSION_H
#define PTS_SYNTH_RUN_SESSION_H

#include "decoder/aux/auxtrace.h"
#include "decoder/file/perf_feat.h"
#include "decoder/open/bundle_open.h"
#include "decoder/open/perf_open.h"
#include "decoder/record/perf_order.h"
#include "synth/plan/evlist.h"
#include "walker/cache/live.h"
#include "walker/code/image.h"
#include "walker/sideband/sb_jit.h"
#include "walker/sideband/sideband.h"

#include <pthread.h>
#include <ptscript/session.h>

struct pts_session {
    struct pts_open_opts opts;
    const char *path;     /* as it was opened; NULL: standard input, or no recording */
    struct bundle bundle; /* unpacked for it; dir NULL: none */
    const struct image_given *given; /* files for certain dsos, in the arena */
    size_t given_count;
    struct perf_file *file;
    VEC(struct evl_attr) attrs;

    /* From here on after session_prepare, and unchanged since.  How that went: PTS_END not
     * yet; only whoever holds the lock may ask. */
    pthread_mutex_t preparing;
    pts_status prepared;
    struct pts_diag why_not;
    struct perf_order order;
    bool has_pt; /* there is an AUXTRACE_INFO of Intel PT */
    struct aux_info info;
    struct pts_diag info_why;   /* status PTS_OK, or why that cannot be used */
    const uint64_t *info_words; /* its priv[], info.words of them */
    uint32_t info_size;         /* of the whole record */
    bool has_pieces; /* else there is no such trace, or its records are damaged */
    struct aux_queues pieces; /* of the trace, all of them */
    struct sb_jit *jit; /* NULL: no code was made at run time, or none that is told */
    struct sideband *sb;
    struct image_opts files;
    int vdso_fd; /* files.live_vdso; -1: none */
    char vdso_path[LIVE_PATH];
    const char *guest_vmlinux; /* its path, or NULL */
    struct image_store *images;
    struct arena arena;
};

/* The two halves of opening: a session without a file (NULL: no memory), and taking in
 * how opening its file into s->file went (st).  On failure the second closes the
 * session. */
struct pts_session *session_new(const struct pts_open_opts *opts, struct pts_diag *why);
pts_status session_opened(struct pts_session *s, uint32_t mark, pts_status st,
                          pts_session **out, struct pts_diag *why);
struct perf_file_how session_how(const struct pts_session *s);

/* Reads what every run needs but those that only look at the header: all records. */
pts_status session_prepare(struct pts_session *s, struct pts_diag *why);

/* When the trace is followed, so that the kernel's code is needed (sb_set_walked): where its pieces
 * begin. */
pts_status session_walked_from(const struct pts_session *s, uint64_t *from);

/* What of a run matters to the side-band: as in sideband.h. */
struct session_feed {
    uint64_t walked_from;
    bool code_stays;
};
/* What the records say in this order. */
pts_status session_sideband(struct pts_session *s, const struct perf_order *order,
                            struct session_feed how, struct sideband **out,
                            struct pts_diag *why);

static inline void session_message(const struct pts_session *s,
                                   enum pts_message_kind kind, const char *text)
{
    if (s->opts.message)
        s->opts.message(s->opts.message_ctx, kind, text);
}

#endif
