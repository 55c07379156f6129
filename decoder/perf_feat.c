/* perf_feat.c - facts about the machine and the recording: the feature sections.
 *
 * SPDX-License-Identifier: MIT
 *
 * A string is {u32 length, bytes padded with zeros to that length}.
 */
#include "decoder/perf_feat.h"

static struct reader feat_reader(const struct perf_file *f, enum perf_feature feat)
{
    if (!perf_feat_has(f, feat))
        return (struct reader){.bad = true};
    return reader_of(f->feature[feat].ptr, f->feature[feat].len);
}

static const char *feat_str(struct reader *r)
{
    uint32_t n = reader_u32(r);
    const uint8_t *s = reader_take(r, n);
    return s && memchr(s, 0, n) ? (const char *)s : NULL;
}

const char *perf_feat_string(const struct perf_file *f, enum perf_feature feat)
{
    struct reader r = feat_reader(f, feat);
    return feat_str(&r);
}

bool perf_feat_nrcpus(const struct perf_file *f, uint32_t *avail, uint32_t *online)
{
    struct reader r = feat_reader(f, PERF_FEAT_NRCPUS);
    uint32_t a = reader_u32(&r), o = reader_u32(&r);
    if (r.bad)
        return false;
    *avail = a;
    *online = o;
    return true;
}

bool perf_feat_total_mem(const struct perf_file *f, uint64_t *kib)
{
    struct reader r = feat_reader(f, PERF_FEAT_TOTAL_MEM);
    uint64_t v = reader_u64(&r);
    if (!r.bad)
        *kib = v;
    return !r.bad;
}

bool perf_feat_sample_time(const struct perf_file *f, uint64_t *first, uint64_t *last)
{
    struct reader r = feat_reader(f, PERF_FEAT_SAMPLE_TIME);
    uint64_t a = reader_u64(&r), b = reader_u64(&r);
    if (r.bad)
        return false;
    *first = a;
    *last = b;
    return true;
}

bool perf_feat_clockid(const struct perf_file *f, uint64_t *resolution_ns)
{
    struct reader r = feat_reader(f, PERF_FEAT_CLOCKID);
    uint64_t v = reader_u64(&r);
    if (!r.bad)
        *resolution_ns = v;
    return !r.bad;
}

static struct perf_str_iter feat_counted(const struct perf_file *f,
                                         enum perf_feature feat)
{
    struct perf_str_iter it = {.r = feat_reader(f, feat)};
    it.left = reader_u32(&it.r);
    return it;
}

struct perf_str_iter perf_cmdline_first(const struct perf_file *f)
{
    return feat_counted(f, PERF_FEAT_CMDLINE);
}

const char *perf_str_next(struct perf_str_iter *it)
{
    if (it->left == 0)
        return NULL;
    it->left--;
    return feat_str(&it->r);
}

struct perf_str_iter perf_pmu_first(const struct perf_file *f)
{
    return feat_counted(f, PERF_FEAT_PMU_MAPPINGS);
}

const char *perf_pmu_next(struct perf_str_iter *it, uint32_t *type)
{
    uint32_t t = it->left ? reader_u32(&it->r) : 0;
    const char *name = perf_str_next(it);
    if (name)
        *type = t;
    return name;
}

const char *perf_feat_pmu_name(const struct perf_file *f, uint32_t type)
{
    struct perf_str_iter it = perf_pmu_first(f);
    const char *name;
    uint32_t t = 0;
    while ((name = perf_pmu_next(&it, &t)) != NULL) {
        if (t == type)
            return name;
    }
    return NULL;
}

struct perf_desc_iter perf_desc_first(const struct perf_file *f)
{
    struct perf_desc_iter it = {.r = feat_reader(f, PERF_FEAT_EVENT_DESC)};
    it.left = reader_u32(&it.r);
    it.attr_size = reader_u32(&it.r);
    return it;
}

bool perf_desc_next(struct perf_desc_iter *it, struct perf_desc *out)
{
    if (it->left == 0)
        return false;
    it->left--;
    struct perf_desc d = {.attr_size = it->attr_size};
    d.attr = reader_take(&it->r, it->attr_size);
    d.id_count = reader_u32(&it->r);
    uint32_t n = reader_u32(&it->r);
    d.name.ptr = reader_take(&it->r, n);
    d.ids = reader_take(&it->r, (size_t)d.id_count * 8);
    if (it->r.bad) {
        it->left = 0;
        return false;
    }
    d.name.len = strnlen((const char *)d.name.ptr, n);
    *out = d;
    return true;
}

struct perf_build_iter perf_build_first(const struct perf_file *f)
{
    return (struct perf_build_iter){f->feature[PERF_FEAT_BUILD_ID]};
}

bool perf_build_next(struct perf_build_iter *it, struct perf_build_id *out)
{
    while (it->left.len >= PERF_REC_HEADER) {
        const uint8_t *p = it->left.ptr;
        struct perf_rec rec = {.ptr = p, .misc = rd_u16(p + 4), .size = rd_u16(p + 6)};
        if (rec.size < PERF_REC_HEADER || rec.size > it->left.len)
            return false;
        rec.body_end = rec.size;
        it->left.ptr += rec.size;
        it->left.len -= rec.size;
        if (perf_rec_build_id(&rec, out) == PTS_OK)
            return true;
    }
    return false;
}

bool perf_feat_aux_index(const struct perf_file *f, struct perf_aux_index *out)
{
    struct reader r = feat_reader(f, PERF_FEAT_AUXTRACE);
    uint64_t count = reader_u64(&r);
    if (r.bad || count > reader_left(&r) / 16)
        return false;
    *out = (struct perf_aux_index){count, r.at};
    return true;
}
