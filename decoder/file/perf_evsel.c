/* perf_evsel.c - the events of a recording, and the counters by whose ids records say
 * which event they are of.
 *
 * SPDX-License-Identifier: MIT
 *
 * Counters are sorted once, when all that opening finds are there, and searched by
 * halving: a recording has a few dozen, and a record of a file with several events
 * costs one search.
 */
#include "decoder/file/perf_file.h"

#include "decoder/base/diag.h"
#include "decoder/file/perf_attr.h"

pts_status perf_file_put_event(struct perf_file *f, const struct pts_attr *attr,
                               struct pts_words ids, uint64_t since,
                               struct pts_diag *why)
{
    uint32_t index = (uint32_t)f->evsel.len;
    size_t count = (size_t)ids.count;
    uint64_t *copy = arena_alloc(&f->arena, count * sizeof(*copy));
    if (!copy || !VEC_ROOM(&f->evsel, 1) || !VEC_ROOM(&f->ids.counter, count))
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    for (size_t i = 0; i < count; i++) {
        copy[i] = pts_word(&ids, i);
        f->ids.counter.at[f->ids.counter.len++] = (struct pts_counter){
            .id = copy[i], .event = index, .idx = -1, .cpu = -1, .tid = -1, .vcpu = -1};
    }
    f->evsel.at[f->evsel.len++] = (struct perf_evsel){.attr = *attr,
                                                      .ids = copy,
                                                      .id_count = (uint32_t)count,
                                                      .id_bytes = attr_id_bytes(attr),
                                                      .since = since};
    return PTS_OK;
}

/* When two events claim an id the first keeps it. */
static bool counter_before(const struct pts_counter *a, const struct pts_counter *b)
{
    return a->id < b->id || (a->id == b->id && a->event < b->event);
}

static void file_sort_ids(struct perf_file *f)
{
    struct pts_counter *at = f->ids.counter.at;
    /* Shell sort: in place and without recursion. */
    for (size_t gap = f->ids.counter.len / 2; gap > 0; gap /= 2) {
        for (size_t i = gap; i < f->ids.counter.len; i++) {
            struct pts_counter x = at[i];
            size_t j = i;
            for (; j >= gap && counter_before(&x, &at[j - gap]); j -= gap)
                at[j] = at[j - gap];
            at[j] = x;
        }
    }
}

/* Records of several events can be told apart only if the id stands at one place, that
 * of the first event.  Like perf, this trusts events that come as records. */
static pts_status file_check_layout(struct perf_file *f, struct pts_diag *why)
{
    if (f->evsel.len == 0)
        return PTS_OK;
    const struct pts_attr *first = &f->evsel.at[0].attr;
    f->ids.in_sample = attr_id_pos(first->sample_type);
    f->ids.in_others = attr_is_pos(first->sample_type);
    for (size_t i = 1; i < f->evsel.len && !f->evsel.at[i].since; i++) {
        const struct pts_attr *a = &f->evsel.at[i].attr;
        if (attr_id_pos(a->sample_type) != f->ids.in_sample || f->ids.in_sample < 0 ||
            attr_is_pos(a->sample_type) != f->ids.in_others)
            return diag_set(why, PTS_E_FORMAT, UINT64_MAX, "non matching sample_type");
        if ((a->flags ^ first->flags) & PTS_ATTR_SAMPLE_ID_ALL)
            return diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                            "non matching sample_id_all");
    }
    return PTS_OK;
}

static void file_forget_last(struct perf_file *f)
{
    uint32_t last = (uint32_t)--f->evsel.len;
    size_t n = 0;
    for (size_t i = 0; i < f->ids.counter.len; i++)
        if (f->ids.counter.at[i].event != last)
            f->ids.counter.at[n++] = f->ids.counter.at[i];
    f->ids.counter.len = n;
}

pts_status perf_file_learnt(struct perf_file *f, struct pts_diag *why)
{
    pts_status st = file_check_layout(f, why);
    /* The event that came last does not go with the others.  Whoever goes on after the
     * failure does so without it. */
    if (st != PTS_OK) {
        file_forget_last(f);
        return st;
    }
    file_sort_ids(f);
    return PTS_OK;
}

const struct pts_counter *perf_file_id(const struct perf_file *f, uint64_t id)
{
    size_t lo = 0, hi = f->ids.counter.len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (f->ids.counter.at[mid].id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < f->ids.counter.len && f->ids.counter.at[lo].id == id
               ? &f->ids.counter.at[lo]
               : NULL;
}

uint64_t perf_file_sample_type(const struct perf_file *f, uint64_t off)
{
    uint64_t all = 0;
    /* perf reads a pipe as it comes: events that are told later do not count yet. */
    for (size_t i = 0; i < f->evsel.len && f->evsel.at[i].since < off; i++)
        all |= f->evsel.at[i].attr.sample_type;
    return all;
}

bool perf_file_id_all(const struct perf_file *f, uint64_t off)
{
    return f->evsel.len > 0 && f->evsel.at[0].since < off &&
           f->evsel.at[0].attr.flags & PTS_ATTR_SAMPLE_ID_ALL;
}
