/* dsos.c - which builds of which files a recording knows.
 *
 * SPDX-License-Identifier: MIT
 *
 * Two sources, as in perf buildid-list:
 *
 *     header     the BUILD_ID feature alone, nothing else is read
 *     records    who ran and what was mapped, and what samples hit of it; always for a
 *                pipe, which has its build ids among the records
 *
 * perf takes the second when it is asked for what was hit, or when there is no feature. A
 * recording with a trace is all listed, since following the trace would take too long.
 */
#include "decoder/base/diag.h"
#include "decoder/base/idmap.h"
#include "decoder/base/refused.h"
#include "decoder/file/perf_feat.h"
#include "synth/run/run.h"

#include <ptscript/buildid.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST = -1 };

struct listed {
    struct pts_dso pub;
    uint32_t index; /* in order of creation */
    uint32_t next;  /* one whose name has the same hash */
};

struct pts_dsos {
    VEC(struct listed) at;
    struct idmap by_name;
};

static struct pts_image_id id_of(const uint8_t *bytes, size_t len)
{
    struct pts_image_id id = {0};
    id.len = (uint8_t)(len < sizeof(id.bytes) ? len : sizeof(id.bytes));
    memcpy(id.bytes, bytes, id.len);
    return id;
}

static struct listed *add(struct pts_dsos *l, const struct pts_dso *dso)
{
    struct listed *d = VEC_PUSH(&l->at);
    if (d)
        *d = (struct listed){*dso, (uint32_t)l->at.len - 1, IDMAP_NONE};
    return d;
}

/* --- From the header -------------------------------------------------------------- */

/* A later entry of a name has a newer id of the same dso. */
static pts_status put(struct pts_dsos *l, const struct pts_dso *dso)
{
    uint64_t key = idmap_hash((uint32_t)dso->guest, dso->path, strlen(dso->path));
    uint32_t first = idmap_get(&l->by_name, key), i = first;
    while (i != IDMAP_NONE && (l->at.at[i].pub.guest != dso->guest ||
                               strcmp(l->at.at[i].pub.path, dso->path) != 0))
        i = l->at.at[i].next;
    if (i != IDMAP_NONE) {
        l->at.at[i].pub.id = dso->id;
        return PTS_OK;
    }
    struct listed *d = add(l, dso);
    if (!d)
        return PTS_E_NOMEM;
    d->next = first;
    return idmap_set(&l->by_name, key, d->index) ? PTS_OK : PTS_E_NOMEM;
}

static int kernel_kind(unsigned mode, const char *path)
{
    size_t n = strlen(path);
    bool guest = mode == PTS_MODE_GUEST_KERNEL;
    if (mode != PTS_MODE_KERNEL && !guest)
        return 0;
    bool image =
        strncmp(path, "[kernel.", 8) == 0 || strncmp(path, "[guest.kernel", 13) == 0;
    return !image && (path[0] == '[' || strstr(path, ".ko") || n == 0) ? 2 : 1;
}

/* What perf -v says as it reads them. */
static void tell(const struct pts_session *s, const struct pts_dso *dso)
{
    char hex[PTS_IMAGE_ID_TEXT], text[PATH_MAX + 100];
    snprintf(text, sizeof(text), "build id event received for %s: %s [%d]\n", dso->path,
             pts_image_id_text(&dso->id, hex), dso->id.len);
    session_message(s, PTS_MSG_WARNING, text);
}

/* l may be NULL: only to tell. */
static pts_status from_header(struct pts_dsos *l, const struct pts_session *s,
                              bool told)
{
    struct pts_feature_iter it = perf_feature_begin(s->file, PTS_FEAT_BUILD_ID);
    struct pts_feature_item item;
    pts_status st = PTS_OK;
    while (st == PTS_OK && pts_feature_next(&it, &item) == PTS_OK) {
        unsigned mode = item.u.build_id.misc & PTS_MISC_MODE;
        /* perf passes over what says neither kernel nor user. */
        if (mode == PTS_MODE_UNKNOWN || mode == PTS_MODE_HYPERVISOR ||
            mode > PTS_MODE_GUEST_USER)
            continue;
        const struct pts_dso dso = {
            .path = item.u.build_id.path,
            .id = id_of(item.u.build_id.id.ptr, item.u.build_id.id.len),
            .guest = item.u.build_id.pid,
            .kernel = kernel_kind(mode, item.u.build_id.path)};
        if (told)
            tell(s, &dso);
        st = l ? put(l, &dso) : PTS_OK;
    }
    return st;
}

/* --- From records ----------------------------------------------------------------- */

/* A run that decodes no trace, so that warnings and failures are those of any other. */
struct hits {
    struct as_view *view;
    bool *hit; /* by dso */
};

static pts_status mark_hit(struct hits *h, const struct sample *s)
{
    bool kernel = s->cpumode == PTS_MODE_KERNEL;
    if (!kernel && (s->cpumode != PTS_MODE_USER || s->who.thread == SB_NONE))
        return PTS_OK;
    const struct as_map *m =
        as_find(h->view, s->who.thread, s->who.epoch, s->ip, kernel);
    if (m && m->dso)
        h->hit[m->dso->index] = true;
    return as_view_failed(h->view) ? PTS_E_NOMEM : PTS_OK;
}

static pts_status take(void *ctx, const struct batch *b, size_t from, size_t *next)
{
    pts_status st = PTS_OK;
    for (; st == PTS_OK && from < b->item.len; from++)
        if (b->item.at[from].kind == ITEM_SAMPLE)
            st = mark_hit(ctx, &b->item.at[from].sample);
    *next = from;
    return st;
}

static uint32_t want_nothing(void *ctx, enum out_class class)
{
    (void)ctx;
    (void)class;
    return 0;
}

static pts_status run_through(pts_session *s, struct hits *h, struct pts_diag *why)
{
    const struct sink sink = {
        .wants = {.ctx = h, .of_class = want_nothing},
          .take = take
    };
    struct plan_failed failed = {UINT64_MAX};
    struct options o;
    struct run *r = NULL;

    options_init(&o, s->opts.message, s->opts.message_ctx);
    o.itrace.dont_decode = true;
    pts_status st = run_new(s, &o, &r, why);
    if (st == PTS_OK)
        st = run_plan(r, &o, &sink, &failed, why);
    while (st == PTS_OK)
        st = run_step(r);
    if (st == PTS_END) {
        /* perf also says that there is some, and lists what it has got. */
        run_tell_damage(r);
        st = PTS_OK;
    }
    run_free(r);
    return st;
}

/* hit[]: which dsos were; all false before. */
static pts_status find_hits(pts_session *s, bool *hit, struct pts_diag *why)
{
    struct hits h = {.hit = hit};
    pts_status st = as_view_new(s->sb, &h.view);
    if (st < 0)
        return st;
    st = run_through(s, &h, why);
    as_view_free(h.view);
    return st;
}

/* With -v perf says more of a kernel that was hit and whose symbols are not there. */
static void tell_kernel(const pts_session *s, const struct sb_dso *d)
{
    const struct build_id id = build_id_of(d->build_id, d->build_id_len);
    char hex[BUILD_ID_TEXT], text[PATH_MAX + 120];
    if (d->kind != DSO_KERNEL || !id.len || !sb_kernel(s->sb)->not_found)
        return;
    snprintf(text, sizeof(text),
             "%s with build id %s not found, continuing without symbols\n", d->path,
             build_id_text(&id, hex));
    session_message(s, PTS_MSG_WARNING, text);
}

static struct pts_dso dso_told(const struct sb_dso *d)
{
    return (struct pts_dso){.path = *d->path ? d->path : d->long_name,
                            .id = id_of(d->build_id, d->build_id_len),
                            .guest = HOST,
                            .kernel = d->kind == DSO_KERNEL   ? 1
                                      : d->kind == DSO_MODULE ? 2
                                                              : 0};
}

/* The build ids of a pipe are records. */
static void tell_records(const pts_session *s)
{
    struct record r;
    for (size_t i = 0; i < s->order.rec.len; i++) {
        uint64_t off = s->order.rec.at[i].off;
        if (perf_rec_header(s->file, off, &r.head) != PTS_OK ||
            r.head.type != PTS_RECORD_BUILD_ID ||
            record_read(s->file, off, &r) != PTS_OK ||
            !record_is(&r, PTS_RECORD_BUILD_ID))
            continue;
        const struct pts_build_id *b = &r.u.build_id;
        const struct pts_dso dso = {.path = b->name, .id = id_of(b->id, b->id_len)};
        tell(s, &dso);
    }
}

/* with_id: also those that have a build id, hit or not. */
static pts_status from_records(struct pts_dsos *l, struct pts_session *s, bool hits,
                               bool with_id, bool told, struct pts_diag *why)
{
    pts_status st = session_prepare(s, why);
    if (st < 0)
        return st;
    if (told)
        tell_records(s);
    uint32_t count = sb_dso_count(s->sb);
    bool *hit = mem_zalloc(count + 1, sizeof(*hit));
    if (!hit)
        return PTS_E_NOMEM;
    if (hits)
        st = find_hits(s, hit, why);
    for (uint32_t i = 0; st >= 0 && i < count; i++) {
        const struct sb_dso *d = sb_dso_at(s->sb, i);
        const struct pts_dso dso = dso_told(d);
        if (hit[i] && told)
            tell_kernel(s, d);
        /* perf files code that came with a KSYMBOL nowhere. */
        if (d->kind != DSO_KSYMBOL && (hit[i] || (with_id && d->build_id_len)) &&
            !add(l, &dso))
            st = PTS_E_NOMEM;
    }
    mem_free(hit);
    return st;
}

/* --- All -------------------------------------------------------------------------- */

/* Guests by their processes, as perf keeps them in a tree; the host before all. */
static int by_guest(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    if (x->pub.guest != y->pub.guest)
        return x->pub.guest == HOST          ? -1
               : y->pub.guest == HOST        ? 1
               : x->pub.guest < y->pub.guest ? -1
                                             : 1;
    return x->index < y->index ? -1 : 1;
}

static pts_status collect(struct pts_dsos *l, pts_session *s, int which,
                          struct pts_diag *why)
{
    const struct perf_file *f = s->file;
    bool told = which & PTS_DSOS_TELL;
    bool header = !f->pipe && perf_feat_announced(f, PTS_FEAT_BUILD_ID);
    bool trace = !f->pipe && perf_feat_announced(f, PTS_FEAT_AUXTRACE);

    which &= ~PTS_DSOS_TELL;
    if (header && (which != PTS_DSOS_HIT || trace)) {
        perf_file_report(f, false, s->opts.message, s->opts.message_ctx);
        return from_header(l, s, told);
    }
    if (told)
        (void)from_header(NULL, s, true);
    /* perf also lists nothing of a trace whose maps have the ids, since nothing hits
     * them. */
    return from_records(l, s, which != PTS_DSOS_ALL, which == PTS_DSOS_ALL || trace,
                        told, why);
}

pts_status pts_dsos_open(pts_session *s, int which, pts_dsos **out,
                         struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    struct pts_dsos *l = mem_zalloc(1, sizeof(*l));
    if (!l)
        return refused_since(mark, PTS_E_NOMEM, why);
    pts_status st = refused_since(mark, collect(l, s, which, why), why);
    idmap_free(&l->by_name);
    if (st < 0) {
        pts_dsos_close(l);
        return st;
    }
    if (l->at.len)
        qsort(l->at.at, l->at.len, sizeof(l->at.at[0]), by_guest);
    *out = l;
    return PTS_OK;
}

const struct pts_dso *pts_dsos_at(const pts_dsos *list, size_t i)
{
    return i < list->at.len ? &list->at.at[i].pub : NULL;
}

void pts_dsos_close(pts_dsos *list)
{
    if (!list)
        return;
    VEC_FREE(&list->at);
    mem_free(list);
}
