/* perf_learn.c - what records say of the recording itself.
 *
 * SPDX-License-Identifier: MIT
 *
 * A pipe has no header: its events, features and names come as records.  In a file a
 * few records add to what the header says.  All of that goes into struct perf_file
 * while it is being opened.
 *
 * Where perf reads such a record and it is not what it claims to be, perf stops.  We go
 * on and remember the first such place (perf_damage.first), by which the run ends with
 * perf's status.
 */
#include "decoder/open/perf_learn.h"

#include "decoder/base/diag.h"
#include "decoder/file/perf_feat.h"
#include "decoder/record/perf_cpus.h"
#include "decoder/record/record.h"

struct learn {
    struct perf_file *f;
    const struct record *r;
    struct pts_diag *why;
};

static void note_damage(struct perf_file *f, uint64_t off)
{
    if (off < f->damage.first)
        f->damage.first = off;
}

static bool is_whole(const struct learn *l)
{
    return l->r->how == PTS_RECORD_WHOLE;
}

/* --- One function for each type --------------------------------------------------- */

static pts_status learn_attr(const struct learn *l)
{
    const struct pts_attr_record *a = &l->r->u.attr;
    uint64_t off = l->r->head.off;
    if (!is_whole(l)) {
        note_damage(l->f, off);
        return PTS_OK;
    }
    if (l->f->evsel.len >= UINT16_MAX)
        return diag_set(l->why, PTS_E_FORMAT, off, "too many events");
    return perf_file_put_event(l->f, &a->attr, a->ids, off, l->why);
}

/* Groups must be of the events that have come, one behind the other. */
static bool feature_is_sound(const struct perf_file *f, uint32_t feat)
{
    struct pts_feature_iter it = perf_feature_begin(f, feat);
    struct pts_feature_item item;
    uint64_t end = 0; /* of the last group */
    pts_status st;
    while ((st = pts_feature_next(&it, &item)) == PTS_OK) {
        if (item.kind != PTS_ITEM_GROUP)
            continue;
        if (item.u.group.leader < end || item.u.group.members == 0)
            return false;
        end = (uint64_t)item.u.group.leader + item.u.group.members;
        if (end > f->evsel.len)
            return false;
    }
    return st == PTS_END || feat == PTS_FEAT_EVENT_DESC; /* perf does without names */
}

/* A section that is not what it claims stops perf in a pipe, where it reads sections
 * whether it prints them or not; but one it does not know, it passes over. */
static pts_status learn_feature(const struct learn *l)
{
    const struct pts_feature_record *s = &l->r->u.feature;
    struct perf_file *f = l->f;
    uint64_t off = l->r->head.off;
    if (!is_whole(l))
        note_damage(f, off);
    if (!is_whole(l) || s->number >= PTS_FEAT_END)
        return PTS_OK;
    f->feature[s->number] = s->data;
    if (s->number == PTS_FEAT_EVENT_DESC)
        f->data.desc_off = off;
    if (f->pipe && !feature_is_sound(f, (uint32_t)s->number))
        note_damage(f, off);
    return PTS_OK;
}

static pts_status check_threads(const struct learn *l)
{
    if (!is_whole(l))
        note_damage(l->f, l->r->head.off);
    return PTS_OK;
}

static pts_status check_cpus(const struct learn *l)
{
    if (perf_cpus_of(l->r->u.bytes).type == PERF_CPUS_TYPES)
        note_damage(l->f, l->r->head.off);
    return PTS_OK;
}

/* The last of several names counts, and the first event with the id gets it. */
static pts_status learn_name(const struct learn *l)
{
    const struct pts_event_update *u = &l->r->u.event_update;
    struct perf_file *f = l->f;
    if (!is_whole(l) || u->type != PTS_UPDATE_NAME)
        return PTS_OK;
    for (size_t i = 0; i < f->ids.counter.len; i++) { /* not sorted yet */
        if (f->ids.counter.at[i].id != u->id)
            continue;
        size_t n = strnlen((const char *)u->data.ptr, u->data.len);
        f->evsel.at[f->ids.counter.at[i].event].name =
            arena_strndup(&f->arena, (const char *)u->data.ptr, n);
        break;
    }
    return PTS_OK;
}

/* They are read when all events have come: an index may name ids that are not known
 * yet. */
static pts_status learn_id_index(const struct learn *l)
{
    uint64_t *off = VEC_PUSH(&l->f->ids.index);
    if (!off)
        return diag_set(l->why, PTS_E_NOMEM, l->r->head.off, "out of memory");
    *off = l->r->head.off;
    return PTS_OK;
}

static pts_status learn_info(const struct learn *l)
{
    struct perf_file *f = l->f;
    uint64_t off = l->r->head.off;
    if (!f->data.info_off)
        f->data.info_off = off;
    if (!is_whole(l) || l->r->u.auxtrace_info.type >= PERF_AUXTRACE_IMPOSSIBLE)
        note_damage(f, off);
    return PTS_OK;
}

/* --- Records on the tape ---------------------------------------------------------- */

typedef pts_status learn_fn(const struct learn *l);

/* clang-format off */
static learn_fn *const learners[] = {
    [PTS_RECORD_HEADER_ATTR]   = learn_attr,
    [PTS_RECORD_ID_INDEX]      = learn_id_index,
    [PTS_RECORD_AUXTRACE_INFO] = learn_info,
    [PTS_RECORD_THREAD_MAP]    = check_threads,
    [PTS_RECORD_CPU_MAP]       = check_cpus,
    [PTS_RECORD_EVENT_UPDATE]  = learn_name,
    [PTS_RECORD_FEATURE]       = learn_feature,
};
/* clang-format on */

pts_status perf_learn(struct perf_file *f, const struct perf_rec *r,
                      struct pts_diag *why)
{
    learn_fn *learn = RECORD_ROW(learners, r->type);
    if (r->type >= PERF_REC_IMPOSSIBLE)
        note_damage(f, r->off);
    if (!learn || (f->raw && learn != learn_info)) /* of a bare trace all is known */
        return PTS_OK;
    struct record whole;
    whole.head = *r;
    whole.how = record_body(f, r, &whole.u);
    return learn(&(struct learn){f, &whole, why});
}

/* --- Counters --------------------------------------------------------------------- */

/* What event a counter is of is known already; the index adds its buffer, CPU and
 * thread. */
static void take_id_index(struct perf_file *f, const struct record *r)
{
    if (r->how != PTS_RECORD_WHOLE) {
        note_damage(f, r->head.off);
        return;
    }
    for (uint64_t k = 0; k < r->u.id_index.count; k++) {
        struct pts_counter e = pts_id_at(&r->u.id_index, k);
        struct pts_counter *known =
            (struct pts_counter *)(uintptr_t)perf_file_id(f, e.id);
        if (!known) {
            note_damage(f, r->head.off);
            continue;
        }
        e.event = known->event;
        *known = e;
    }
}

void perf_learn_counters(struct perf_file *f)
{
    struct record r;
    for (size_t i = 0; i < f->ids.index.len; i++)
        if (record_read(f, f->ids.index.at[i], &r) == PTS_OK)
            take_id_index(f, &r);
}

/* --- Records on no tape ----------------------------------------------------------- */

/* A damaged HEADER_ATTR is no reason to stop here: the record says so itself. */
pts_status perf_learn_given(struct perf_file *f, const struct perf_rec *r,
                            struct pts_diag *why)
{
    struct record whole;
    pts_status st = PTS_OK;
    if (r->type != PTS_RECORD_HEADER_ATTR && r->type != PTS_RECORD_EVENT_UPDATE &&
        r->type != PTS_RECORD_ID_INDEX)
        return PTS_OK;
    whole.head = *r;
    whole.how = record_body(f, r, &whole.u);
    const struct learn l = {f, &whole, why};
    if (r->type == PTS_RECORD_ID_INDEX) {
        take_id_index(f, &whole);
    } else if (r->type == PTS_RECORD_EVENT_UPDATE) {
        st = learn_name(&l);
    } else if (is_whole(&l) && f->evsel.len < UINT16_MAX) {
        st = learn_attr(&l);
        if (st == PTS_OK)
            st = perf_file_learnt(f, why);
    }
    return st;
}
