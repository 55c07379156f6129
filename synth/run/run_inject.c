/* run_inject.c - a recording is written anew.
 *
 * SPDX-License-Identifier: MIT
 *
 * A run like any other, whose sink writes records (synth/inject).
 */
#include "synth/run/run.h"

#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "synth/inject/guest_mount.h"
#include "synth/inject/inject_options.h"
#include "synth/inject/kernel_copy.h"
#include "synth/run/run_guest.h"
#include "synth/run/vm_time_run.h"

#include <ptscript/inject.h>

#include <limits.h>
#include <string.h>

/* What cannot be written anew. */
static pts_status refuse(const pts_session *s, struct pts_diag *why)
{
    const struct perf_file *f = s->file;
    const char *what = f->raw                ? "a bare trace"
                       : f->source.len > 1   ? "a directory with several data files"
                       : f->foreign          ? "a recording of the other byte order"
                       : f->said.version < 2 ? "a recording of the old format"
                                             : NULL;

    return what ? diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                           "inject: %s is not supported yet", what)
                : PTS_OK;
}

static pts_status run_all(pts_session *s, struct inject *in, const struct options *o)
{
    const struct sink sink = inject_sink(in);
    struct plan_failed failed = {UINT64_MAX};
    struct run *r = NULL;
    pts_status st = run_new(s, o, &r, in->why);

    if (st == PTS_OK)
        st = run_plan(r, o, &sink, &failed, in->why);
    while (st == PTS_OK && !refused_any(in->refused))
        st = run_step(r);
    if (st == PTS_END)
        st = run_damage(r, in->why);
    if (st == PTS_END && in->scene.plan &&
        !refused_any(in->refused)) /* NULL: perf ends before it has begun */
        st = out_name(in->out, in->why);
    run_free(r);
    return st;
}

static pts_status inject_to(pts_session *s, const char *path, struct inject_given *g,
                            uint32_t mark, struct pts_diag *why)
{
    const char *dir = s->file->dir;
    bool pipe = out_is_pipe(path) || s->file->pipe;
    bool kernel = dir && !pipe && !g->strip && kernel_is_in(dir);
    bool other = g->guest.given && kernel_is_in(g->guest.file);
    struct out_file out = {.kernel_from = kernel ? dir : NULL,
                           .guest_from = other ? g->guest.file : NULL,
                           .guest_pid = g->guest.pid};
    char mount[PATH_MAX];
    struct guest guest = {.args = &g->guest,
                          .host = s->file,
                          .unmounted =
                              guest_unmounted(g->guestmount, g->guest.pid, mount)};
    const struct guest_dirs dirs = {s->file, g->guestmount, s->opts.message,
                                    s->opts.message_ctx};
    pts_session *of_guest = NULL;
    struct inject in = {
        .opts = &g->what,
        .out = &out,
        .why = why,
        .refused = mark,
        .pipe = pipe,
        .guest = g->guest.given && !g->guest_unread ? &guest : NULL,
        .jit = {.files = &s->files,
                .force = s->opts.force,
                .message = s->opts.message,
                .message_ctx = s->opts.message_ctx}
    };
    pts_status st = out_open(&out, path, why);

    if (st == PTS_OK && g->guestmount)
        st = guest_mounts(&dirs, inject_decodes(&g->what), why);
    if (st == PTS_OK && in.guest)
        st = run_guest(s, &guest, &of_guest, why);
    if (st == PTS_OK && g->what.known_ids)
        st = known_read(&in.known, g->what.known_ids, why);
    if (st == PTS_OK)
        st = run_all(s, &in, &g->run);
    if (st < 0 && !why->text[0])
        diag_set(why, st, UINT64_MAX, "%s", pts_status_name(st));
    inject_free(&in);
    guest_free(&guest);
    pts_session_close(of_guest);
    out_close(&out);
    return st;
}

pts_status pts_inject(pts_session *s, const char *path,
                      const struct pts_inject_opts *opts, struct pts_diag *why)
{
    struct pts_inject_opts o = PTS_INJECT_OPTS_INIT;
    struct inject_given given = {0};
    uint32_t mark = refused_mark(why);

    if (opts)
        memcpy(&o, opts, opts->size < sizeof(o) ? opts->size : sizeof(o));
    pts_status st = inject_options(&given, o.options, o.option_count, s->opts.message,
                                   s->opts.message_ctx, why);
    given.what.word = o.words;
    given.what.words = o.word_count;
    if (st == PTS_OK)
        st = refuse(s, why);
    if (st == PTS_OK && given.guest.given && !given.guest_unread && !given.vm_time &&
        (out_is_pipe(path) || s->file->pipe))
        st = diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                      "--guest-data from or into a pipe is not supported");
    if (st == PTS_OK && given.vm_time && s->bundle.dir)
        st = diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                      "inject: --vm-time-correlation changes a recording in its place, "
                      "which a bundle has none for");
    else if (st == PTS_OK && given.vm_time)
        st = vm_time_run(s, &given, why);
    else if (st == PTS_OK)
        st = inject_to(s, path, &given, mark, why);
    return refused_since(mark, st, why);
}
