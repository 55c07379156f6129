/* perf_swap.c - records of a machine of the other byte order.
 *
 * SPDX-License-Identifier: MIT
 *
 * What the body of a record is made of is a row of one table: a string with a letter
 * for each field (swap_walk.h), or a function where fields depend on others.  A type
 * without a row is left as it is: it has no numbers, or perf 6.1 does not know it.
 */
#include "decoder/record/perf_swap.h"

#include "decoder/file/perf_attr.h"
#include "decoder/record/record.h"
#include "decoder/record/swap_walk.h"

#include <byteswap.h>

/* --- Attributes ------------------------------------------------------------------- */

/* The flags are bit-fields, which lie the other way round there: their bytes stay in
 * order and are mirrored. */
static void walk_attr(struct walk *w)
{
    static const char before[] = "ddqqqq", behind[] = "ddqqqqdDQdhhddQQ";
    walk_layout(w, before);
    size_t flags = walk_left(w) < 8 ? walk_left(w) : 8;
    for (size_t i = 0; !w->as_perf && i < flags; i++)
        w->at[i] = attr_mirror(w->at[i]);
    walk_bytes(w, flags);
    walk_layout(w, behind);
}

/* --- Bodies that are no plain row of fields --------------------------------------- */

static void walk_mmap2(struct walk *w)
{
    bool build_id = w->misc & PTS_MISC_MMAP_BUILD_ID;
    walk_layout(w, "ddqqq");
    if (build_id)
        walk_bytes(w, 24);
    walk_layout(w, build_id ? "DD." : "ddqqDD.");
}

static void walk_any_sample(struct walk *w)
{
    if (w->attr)
        walk_sample(w);
    else
        walk_words(w, UINT64_MAX);
}

static void walk_header_attr(struct walk *w)
{
    const uint8_t *start = w->at;
    struct walk attr = *w;
    if (walk_left(w) < 8)
        return;
    /* The attribute's own size; with as_perf it is turned already. */
    uint32_t n = rd_u32(start + 4);
    if (!w->as_perf)
        n = bswap_32(n);
    if (n < walk_left(w))
        attr.end = attr.at + n;
    walk_attr(&attr);
    /* Ids follow where the attribute ends, by its own size. */
    w->at = attr.end;
    walk_layout(w, "*");
}

/* Words, but the filter string is among them. */
static void walk_auxtrace_info(struct walk *w)
{
    static const size_t before_filter = AUX_INFO_FILTER_LEN;
    walk_layout(w, "dD");
    walk_words(w, before_filter);
    uint64_t n = walk_u64(w);
    if (n)
        walk_garbled(w, n < PERF_REC_MAX ? (n + 8) & ~UINT64_C(7) : n);
    walk_layout(w, "*");
}

static void walk_auxtrace_error(struct walk *w)
{
    walk_layout(w, "ddddd");
    uint64_t format = walk_number(w, 4, false);
    walk_u64(w);
    if (format)
        walk_u64(w);
    walk_bytes(w, PERF_AUX_ERROR_TEXT);
    walk_layout(w, format > 1 ? "dd" : "");
}

static void walk_thread_map(struct walk *w)
{
    walk_u64(w);
    while (walk_left(w) >= 8) {
        walk_u64(w);
        walk_bytes(w, PERF_THREAD_COMM);
    }
}

static void walk_cpu_map(struct walk *w)
{
    enum { CPUS, MASK, RANGE };
    switch (walk_number(w, 2, false)) {
    case CPUS:
        while (walk_left(w) >= 2)
            walk_number(w, 2, false);
        break;
    case MASK:
        walk_number(w, 2, false);
        if (walk_number(w, 2, false) == 4) {
            while (walk_left(w) >= 4)
                walk_number(w, 4, false);
        } else {
            walk_layout(w, "bbbb*");
        }
        break;
    case RANGE:
        walk_layout(w, "bbhh");
        break;
    }
}

/* --- All types -------------------------------------------------------------------- */

struct layout {
    const char *fields; /* one of these two */
    void (*walk)(struct walk *w);
};

/* clang-format off */
static const struct layout layouts[] = {
    [PTS_RECORD_MMAP]             = {"ddqqq.", NULL},
    [PTS_RECORD_LOST]             = {"*", NULL},
    [PTS_RECORD_COMM]             = {"dd.", NULL},
    [PTS_RECORD_EXIT]             = {"ddddq", NULL},
    [PTS_RECORD_THROTTLE]         = {"qqq", NULL},
    [PTS_RECORD_UNTHROTTLE]       = {"qqq", NULL},
    [PTS_RECORD_FORK]             = {"ddddq", NULL},
    [PTS_RECORD_READ]             = {"dd*", NULL},
    [PTS_RECORD_SAMPLE]           = {NULL, walk_any_sample},
    [PTS_RECORD_MMAP2]            = {NULL, walk_mmap2},
    [PTS_RECORD_AUX]              = {"qqq", NULL},
    [PTS_RECORD_ITRACE_START]     = {"dd", NULL},
    [PTS_RECORD_LOST_SAMPLES]     = {"*", NULL},
    [PTS_RECORD_SWITCH_CPU_WIDE]  = {"dd", NULL},
    [PTS_RECORD_NAMESPACES]       = {"dd*", NULL},
    [PTS_RECORD_KSYMBOL]          = {"QDHH.", NULL},
    [PTS_RECORD_BPF_EVENT]        = {"HHD.", NULL},
    [PTS_RECORD_CGROUP]           = {"q.", NULL},
    [PTS_RECORD_TEXT_POKE]        = {"qhh.", NULL},
    [PTS_RECORD_AUX_OUTPUT_HW_ID] = {"*", NULL},
    [PTS_RECORD_HEADER_ATTR]      = {NULL, walk_header_attr},
    [PTS_RECORD_EVENT_TYPE]       = {"q.", NULL},
    [PTS_RECORD_TRACING_DATA]     = {"d", NULL},
    [PTS_RECORD_BUILD_ID]         = {"D.", NULL},
    [PTS_RECORD_ID_INDEX]         = {"*", NULL},
    [PTS_RECORD_AUXTRACE_INFO]    = {NULL, walk_auxtrace_info},
    [PTS_RECORD_AUXTRACE]         = {"qqqdddD", NULL},
    [PTS_RECORD_AUXTRACE_ERROR]   = {NULL, walk_auxtrace_error},
    [PTS_RECORD_THREAD_MAP]       = {NULL, walk_thread_map},
    [PTS_RECORD_CPU_MAP]          = {NULL, walk_cpu_map},
    [PTS_RECORD_STAT_CONFIG]      = {"*", NULL},
    [PTS_RECORD_STAT]             = {"qddqqq", NULL},
    [PTS_RECORD_STAT_ROUND]       = {"qq", NULL},
    [PTS_RECORD_EVENT_UPDATE]     = {"qq.", NULL},
    [PTS_RECORD_TIME_CONV]        = {"qqqqq.", NULL},
    [PTS_RECORD_FEATURE]          = {"Q.", NULL},
    [PTS_RECORD_COMPRESSED2]      = {"q.", NULL},
};
/* clang-format on */

static void walk_body(struct walk *w, uint32_t type)
{
    const struct layout *l = &RECORD_ROW(layouts, type);
    if (l->walk)
        l->walk(w);
    else if (l->fields)
        walk_layout(w, l->fields);
}

/* Body and sample id are walked apart, since the body ends where the id begins,
 * whatever its own counts say. */
static void walk_kernel(uint8_t *rec, size_t size, const struct pts_attr *attr,
                        size_t id_bytes, bool as_perf)
{
    uint32_t type = rd_u32(rec);
    /* A SAMPLE has its ids in the body. */
    if (id_bytes > size - PERF_REC_HEADER || type == PTS_RECORD_SAMPLE)
        id_bytes = 0;
    struct walk body = {rec + PERF_REC_HEADER, rec + size - id_bytes, as_perf,
                        rd_u16(rec + 4), attr};
    struct walk id = {body.end, rec + size, as_perf, 0, attr};
    walk_body(&body, type);
    if (attr && id_bytes)
        walk_sample_id(&id);
}

/* --- Records ---------------------------------------------------------------------- */

void swap_header(uint8_t *rec)
{
    struct walk w = {.at = rec, .end = rec + PERF_REC_HEADER};
    walk_layout(&w, "dhh");
}

void swap_own(uint8_t *rec, size_t size)
{
    struct walk w = {.at = rec + PERF_REC_HEADER, .end = rec + size};
    walk_body(&w, rd_u32(rec));
}

void swap_kernel(uint8_t *rec, size_t size, const struct pts_attr *attr,
                 size_t id_bytes)
{
    walk_kernel(rec, size, attr, id_bytes, false);
}

/* perf takes these records to have one more word than they have, and leaves it. */
static size_t word_left(uint32_t type)
{
    return type == PTS_RECORD_SWITCH ? 8 : type == PTS_RECORD_READ ? 48 : SIZE_MAX - 8;
}

void swap_as_perf(uint8_t *rec, size_t size, const struct pts_attr *attr,
                  size_t id_bytes)
{
    uint32_t type = rd_u32(rec);
    struct walk w = {.at = rec + PERF_REC_HEADER, .end = rec + size, .as_perf = true};
    if (type < PERF_REC_USER)
        walk_kernel(rec, size, attr, id_bytes, true);
    else
        walk_body(&w, type);
    if (word_left(type) + 8 <= size)
        walk_turn(rec + word_left(type), 8);
}
