/* session.c - opening a recording.
 *
 * SPDX-License-Identifier: MIT
 *
 * A session is what runs share, and does not change (I3):
 *
 *     opened     the file, its header, places of records, its events
 *     prepared   the order of records, the side-band, the images of code
 *
 * The first half is done at once, so that a caller learns what is wrong with the file.
 * The second costs another look at all records, and somebody who only lists events needs
 * none of it: it is done when the first stream is opened.
 */
#include "synth/run/session.h"

#include "decoder/base/arena.h"
#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "decoder/base/sys.h"
#include "decoder/pt/stream.h"
#include "walker/code/kernel_running.h"
#include "walker/sideband/sb_feed.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A record that cannot be used leaves the trace alone, but not what else there is. */
static pts_status find_aux_info(struct pts_session *s)
{
    struct record rec;

    if (!s->file->data.info_off)
        return PTS_OK;
    if (record_read(s->file, s->file->data.info_off, &rec) < 0)
        diag_set(&s->info_why, PTS_E_FORMAT, s->file->data.info_off,
                 "bad AUXTRACE_INFO record");
    else
        (void)aux_info_read(&rec, &s->info, &s->info_why);
    s->has_pt = s->info_why.status == PTS_OK && s->info.type == PTS_AUXTRACE_INTEL_PT;
    if (!s->has_pt)
        return PTS_OK;
    uint64_t *words = arena_alloc(&s->arena, (size_t)s->info.words * 8);
    if (!words)
        return PTS_E_NOMEM;
    /* A copy is aligned, which the words of a record need not be. */
    memcpy(words, rec.u.auxtrace_info.priv.at, (size_t)s->info.words * 8);
    s->info_words = words;
    s->info_size = rec.head.size;
    return PTS_OK;
}

static pts_status collect_attrs(struct pts_session *s)
{
    for (size_t i = 0; i < s->file->evsel.len; i++) {
        const struct perf_evsel *e = &s->file->evsel.at[i];
        struct evl_attr *a = VEC_PUSH(&s->attrs);
        struct perf_rec told = {0};
        if (!a)
            return PTS_E_NOMEM;
        if (e->since && perf_rec_header(s->file, e->since, &told) < 0)
            told.size = 0;
        *a = (struct evl_attr){.type = e->attr.type,
                               .config = e->attr.config,
                               .sample_type = e->attr.sample_type,
                               .flags = e->attr.flags,
                               .sample_period = e->attr.sample_period,
                               .branch_sample_type = e->attr.branch_sample_type,
                               /* A union in the kernel's struct. */
                               .bp_addr = e->attr.config1,
                               .bp_type = e->attr.bp_type,
                               .regs_intr = e->attr.sample_regs_intr,
                               .name = e->name,
                               .ids = e->ids,
                               .id_count = e->id_count,
                               .record_off = perf_file_shown(s->file, e->since).off,
                               .record_size = told.size};
    }
    return PTS_OK;
}

/* As perf says it. */
static void tell_unmounted(const struct pts_session *s, const struct sideband *sb)
{
    char text[PATH_MAX + 40];
    int32_t pid;

    for (uint32_t i = 0; sb_guest_unmounted(sb, i, &pid); i++) {
        snprintf(text, sizeof(text), "Can't access file %s/%d\n", s->opts.guestmount,
                 (int)pid);
        session_message(s, PTS_MSG_WARNING, text);
    }
}

/* The first time that a queue tells, if any; what is before it (the first pieces may be lost) is not
 * followed. */
static pts_status first_time(const struct aux_queue *q, uint64_t *tsc)
{
    struct pt_buf *bufs = mem_zalloc(q->buf.len + 1, sizeof(*bufs));

    if (!bufs)
        return PTS_E_NOMEM;
    for (size_t i = 0; i < q->buf.len; i++)
        bufs[i] = (struct pt_buf){
            .ptr = q->buf.at[i].ptr, .len = q->buf.at[i].len, .consecutive = true};
    if (!stream_first_tsc(bufs, (uint32_t)q->buf.len, tsc))
        *tsc = SB_NEVER;
    mem_free(bufs);
    return PTS_OK;
}

/* The earliest time in the trace.  Queues without any are not followed. */
static pts_status earliest(const struct aux_queues *q, uint64_t *from)
{
    pts_status st = PTS_OK;
    uint64_t tsc;

    *from = SB_NEVER;
    for (size_t i = 0; st == PTS_OK && i < q->at.len; i++) {
        st = first_time(&q->at.at[i], &tsc);
        if (st == PTS_OK && tsc < *from)
            *from = tsc;
    }
    return st;
}

pts_status session_walked_from(const struct pts_session *s, uint64_t *from)
{
    *from = 0;
    if (s->has_pt && (!s->info.tsc_bit || !s->info.cap_user_time_zero))
        *from = SB_AT_END;
    else if (s->has_pieces)
        return earliest(&s->pieces, from);
    return PTS_OK;
}

/* Damage is told by the run that meets it. */
static pts_status find_pieces(struct pts_session *s)
{
    const struct aux_how how = {.clock = s->info.conv};
    struct pts_diag why = {0};

    if (!s->has_pt)
        return PTS_OK;
    pts_status st = aux_queues_make(s->file, &how, &s->pieces, &why);
    s->has_pieces = st == PTS_OK;
    return st == PTS_E_NOMEM || st == PTS_E_IO ? st : PTS_OK;
}

pts_status session_sideband(struct pts_session *s, const struct perf_order *order,
                            struct session_feed how, struct sideband **out,
                            struct pts_diag *why)
{
    const struct pts_open_opts *o = &s->opts;
    pts_status st = sb_new(out);

    if (st < 0)
        return st;
    sb_set_walked(*out, how.walked_from);
    sb_look_into(*out, s->images);
    if (how.code_stays)
        sb_code_stays(*out);
    sb_show_guests(*out, &(struct sb_guest_opts){
                             .shown = o->guests || o->guest_code || o->guest_kallsyms ||
                                      o->guest_vmlinux || o->guestmount,
                             .code = o->guest_code,
                             .kallsyms = o->guest_kallsyms,
                             .vmlinux = s->guest_vmlinux,
                             .mount = o->guestmount,
                             .dir = s->file->dir});
    st = sb_feed(*out, s->file, order, s->has_pt ? &s->info : NULL,
                 order->made ? s->jit : NULL, why);
    tell_unmounted(s, *out);
    return st < 0 ? st : sb_finish(*out);
}

/* perf record --kcore puts the kernel's code and symbols beside the recording. */
static const char *recorded_kallsyms(struct pts_session *s)
{
    const struct perf_file *f = s->file;
    char path[PATH_MAX];

    if (!f->dir)
        return NULL;
    int n = snprintf(path, sizeof(path), "%s/kcore_dir/kallsyms", f->dir);
    return n > 0 && (size_t)n < sizeof(path) && sys_is_regular(path)
               ? arena_strndup(&s->arena, path, (size_t)n)
               : NULL;
}

/* perf looks for one without a leading slash below --symfs. */
static const char *guest_vmlinux(struct pts_session *s)
{
    const char *name = s->opts.guest_vmlinux;
    char path[PATH_MAX];

    if (!name || name[0] == '/' || !s->opts.symfs || !s->opts.symfs[0])
        return name;
    int n = snprintf(path, sizeof(path), "%s/%s", s->opts.symfs, name);
    return n > 0 && (size_t)n < sizeof(path) ? arena_strndup(&s->arena, path, (size_t)n)
                                             : NULL;
}

static pts_status open_images(struct pts_session *s)
{
    const char *release = perf_feat_string(s->file, PTS_FEAT_OSRELEASE);

    s->files =
        (struct image_opts){.symfs = s->opts.symfs,
                            .cache = s->opts.buildid_dir,
                            .any_id = s->opts.require_buildid == PTS_BUILDID_OFF,
                            .given = s->given,
                            .given_count = s->given_count,
                            .kallsyms = s->opts.kallsyms,
                            .vmlinux = s->opts.ignore_vmlinux ? NULL : s->opts.vmlinux,
                            .ignore_vmlinux = s->opts.ignore_vmlinux,
                            .release = release,
                            .this_machine = kernel_running_is(
                                perf_feat_string(s->file, PTS_FEAT_HOSTNAME), release)};
    if (s->files.this_machine && !s->files.symfs &&
        (s->vdso_fd = live_vdso_file(s->vdso_path)) >= 0)
        s->files.live_vdso = s->vdso_path;
    s->guest_vmlinux = guest_vmlinux(s);
    if (!s->files.kallsyms && !s->files.vmlinux)
        s->files.kallsyms = recorded_kallsyms(s);
    return image_store_new(&s->files, &s->images);
}

/* Names are perf's where nothing is decoded; a trace is of no use without the code. */
static pts_status read_jit(struct pts_session *s, struct pts_diag *why)
{
    const struct sb_jit_from from = {s->file, &s->files, &s->info, s->opts.force};
    pts_status st = s->has_pt ? sb_jit_read(&from, &s->order, &s->jit) : PTS_END;

    return st < 0 ? diag_set(why, st, UINT64_MAX, "%s", pts_status_name(st)) : PTS_OK;
}

static pts_status prepare(struct pts_session *s, struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    pts_status st = find_aux_info(s);
    if (st >= 0)
        st = open_images(s);
    if (st >= 0)
        st = perf_order_make(s->file, PERF_ORDER_ROUNDS, &s->order, why);
    if (st >= 0)
        st = read_jit(s, why);
    uint64_t from = 0;
    if (st >= 0)
        st = find_pieces(s);
    if (st >= 0)
        st = session_walked_from(s, &from);
    if (st >= 0)
        st = session_sideband(s, &s->order, (struct session_feed){from, false}, &s->sb,
                              why);
    st = refused_since(mark, st, why);
    return st < 0 ? st : PTS_OK;
}

static void unprepare(struct pts_session *s)
{
    image_store_free(s->images);
    sb_free(s->sb);
    sb_jit_free(s->jit);
    perf_order_free(&s->order);
    aux_queues_free(&s->pieces);
    s->has_pieces = false;
    if (s->vdso_fd >= 0)
        close(s->vdso_fd);
    s->vdso_fd = -1;
    s->images = NULL;
    s->sb = NULL;
    s->jit = NULL;
}

/* Streams may be opened in several threads: the first one works, the others wait. */
pts_status session_prepare(struct pts_session *s, struct pts_diag *why)
{
    pthread_mutex_lock(&s->preparing);
    uint32_t mark = refused_mark(why);
    pts_status st = s->prepared == PTS_END ? prepare(s, why) : s->prepared;
    if (refused_any(mark)) {
        unprepare(s); /* the next time all may be well */
    } else if (s->prepared == PTS_END) {
        /* Also a failure is kept: it would be the same the next time. */
        s->prepared = st;
        s->why_not = *why;
    } else if (st < 0) {
        *why = s->why_not;
    }
    pthread_mutex_unlock(&s->preparing);
    return st;
}

/* Nobody has to ask whether there is somebody to be told. */
static void message_drop(void *ctx, enum pts_message_kind kind, const char *text)
{
    (void)ctx;
    (void)kind;
    (void)text;
}

/* Option structs of older callers are shorter. */
static void copy_opts(struct pts_open_opts *to, const struct pts_open_opts *from)
{
    *to = (struct pts_open_opts)PTS_OPEN_OPTS_INIT;
    if (from)
        memcpy(to, from, from->size < sizeof(*to) ? from->size : sizeof(*to));
    if (!to->message)
        to->message = message_drop;
}

/* --symfs / finds what is found without, also the kernel that runs; but the cache is below it. */
static bool is_root(const char *dir)
{
    char real[PATH_MAX];

    return realpath(dir, real) && strcmp(real, "/") == 0;
}

struct pts_session *session_new(const struct pts_open_opts *opts, struct pts_diag *why)
{
    struct pts_session *s = mem_zalloc(1, sizeof(*s));
    if (!s) {
        diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
        return NULL;
    }
    if (pthread_mutex_init(&s->preparing, NULL) != 0) {
        mem_free(s);
        diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
        return NULL;
    }
    copy_opts(&s->opts, opts);
    if (s->opts.symfs && is_root(s->opts.symfs)) {
        s->opts.symfs = NULL;
        s->opts.buildid_dir = "/.debug";
    }
    s->prepared = PTS_END;
    s->vdso_fd = -1;
    return s;
}

struct perf_file_how session_how(const struct pts_session *s)
{
    return (struct perf_file_how){.force = s->opts.force,
                                  .temp_dir = s->opts.temp_dir,
                                  .message = s->opts.message,
                                  .message_ctx = s->opts.message_ctx};
}

/* Takes the session over: it is closed here when something went wrong. */
pts_status session_opened(struct pts_session *s, uint32_t mark, pts_status st,
                          pts_session **out, struct pts_diag *why)
{
    if (st >= 0)
        st = collect_attrs(s);
    st = refused_since(mark, st, why);
    if (st < 0) {
        pts_session_close(s);
        return st;
    }
    *out = s;
    return PTS_OK;
}

/* A bundle has all that is needed, so that nothing is looked for elsewhere. */
static pts_status open_bundle(struct pts_session *s, const char *path,
                              struct pts_diag *why)
{
    const struct perf_file_how how = session_how(s);

    if (s->opts.symfs)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        "a bundle has its own files: --symfs is not for it");
    if (!s->opts.temp_dir)
        return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                        "%s: a bundle, and no directory to unpack it to", path);
    pts_status st = bundle_unpack(path, s->opts.temp_dir, &s->bundle, why);
    if (st >= 0)
        st = perf_file_open(s->bundle.recording, &how, &s->file, why);
    if (st < 0)
        return st;
    s->opts.symfs = s->bundle.symfs;
    if (!s->opts.kallsyms && !s->opts.vmlinux) {
        s->opts.kallsyms = s->bundle.kallsyms;
        s->opts.vmlinux = s->bundle.vmlinux;
    }
    /* What is said of the recording is said of the bundle. */
    for (size_t i = 0; i < s->file->source.len; i++)
        if (s->file->source.at[i].path == s->file->path)
            s->file->source.at[i].path = path;
    if (s->file->path == s->bundle.recording)
        s->file->path = path;
    return st;
}

static pts_status open_path(struct pts_session *s, const char *path,
                            struct pts_diag *why)
{
    const struct perf_file_how how = session_how(s);
    bool piped = strcmp(path, "-") == 0;

    s->path = piped ? NULL : arena_strndup(&s->arena, path, strlen(path));
    if (!piped && !s->path)
        return PTS_E_NOMEM;
    return !piped && bundle_is(path) ? open_bundle(s, path, why)
                                     : perf_file_open(path, &how, &s->file, why);
}

pts_status pts_session_open(const char *path, const struct pts_open_opts *opts,
                            pts_session **out, struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    struct pts_session *s = session_new(opts, why);
    if (!s)
        return PTS_E_NOMEM;
    return session_opened(s, mark, open_path(s, path, why), out, why);
}

void pts_session_abandon(const pts_session *s)
{
    if (s->bundle.dir)
        bundle_remove(&s->bundle);
}

void pts_session_close(pts_session *s)
{
    if (!s)
        return;
    unprepare(s);
    VEC_FREE(&s->attrs);
    perf_file_close(s->file);
    pts_session_abandon(s);
    bundle_free(&s->bundle);
    arena_free(&s->arena);
    pthread_mutex_destroy(&s->preparing);
    mem_free(s);
}
