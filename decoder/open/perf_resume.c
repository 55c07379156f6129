/* perf_resume.c - where the records of a file surely go on behind a bad one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/open/perf_resume.h"

#include "decoder/record/perf_rec.h"

struct perf_resume perf_resume_of(const struct perf_file *f)
{
    struct perf_resume r = {0};
    /* Records of the other byte order are turned around as they are reached. */
    if (f->pipe || f->foreign || !perf_feat_aux_index(f, &r.index))
        r.index.count = 0;
    return r;
}

/* Whether an entry points at what it says. */
static bool is_sound(const struct perf_file *f, uint64_t at, uint64_t size)
{
    struct perf_rec r;
    if (at > f->in.len)
        return false;
    struct pts_bytes bytes = {f->in.ptr + at, f->in.len - (size_t)at};
    return perf_rec_parse(bytes, at, false, &r) == PTS_OK &&
           r.type == PTS_RECORD_AUXTRACE && r.size == size &&
           perf_rec_claim(&r) == r.payload;
}

uint64_t perf_resume_at(struct perf_resume *r, const struct perf_file *f, uint64_t from)
{
    for (; r->next < r->index.count; r->next++) {
        uint64_t at = pts_word(&r->index.at, 2 * r->next);
        if (at >= from && is_sound(f, at, pts_word(&r->index.at, 2 * r->next + 1)))
            return at;
    }
    return 0;
}
