/* perf_swap.c - records of a machine of the other byte order.
 *
 * SPDX-License-Identifier: MIT
 *
 * What a record is made of is written as a string, a letter for each field:
 *
 *     h d q   16, 32, 64 bits
 *     H D Q   the same, but perf 6.1 forgets to turn them
 *     p       two of 32 bits that perf turns as if they were one of 64
 *     b       a byte
 *     *       64-bit words up to the end
 *     .       bytes up to the end
 *
 * The same walk turns a record, and turns it on into what perf has in memory then: only
 * what is done at each field differs.  Lengths are read in this machine's order by
 * both.
 */
#include "decoder/perf_swap.h"

#include "decoder/auxtrace.h"

#include <byteswap.h>

struct walk {
    uint8_t *at, *end;
    bool as_perf; /* the record is turned: make it what perf has */
};

static size_t walk_left(const struct walk *w)
{
    return (size_t)(w->end - w->at);
}

static void turn(uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        uint8_t b = p[i];
        p[i] = p[n - 1 - i];
        p[n - 1 - i] = b;
    }
}

/* A number of n bytes; perf turns it as well unless it forgets to. */
static uint64_t walk_number(struct walk *w, size_t n, bool forgets)
{
    if (walk_left(w) < n) {
        w->at = w->end;
        return 0;
    }
    if (!w->as_perf)
        turn(w->at, n);
    uint64_t v = rd_le(w->at, n);
    if (w->as_perf && forgets)
        turn(w->at, n);
    w->at += n;
    return v;
}

static uint64_t walk_u64(struct walk *w)
{
    return walk_number(w, 8, false);
}

static void walk_words(struct walk *w, uint64_t n)
{
    for (; n && walk_left(w) >= 8; n--)
        walk_u64(w);
}

static void walk_pair(struct walk *w)
{
    if (walk_left(w) < 8) {
        w->at = w->end;
        return;
    }
    uint32_t a = rd_u32(w->at), b = rd_u32(w->at + 4);
    if (w->as_perf) {
        memcpy(w->at, &b, 4);
        memcpy(w->at + 4, &a, 4);
    } else {
        turn(w->at, 4);
        turn(w->at + 4, 4);
    }
    w->at += 8;
}

static void walk_bytes(struct walk *w, uint64_t n)
{
    w->at += n < walk_left(w) ? n : walk_left(w);
}

/* Bytes that perf turns in words of 64 bits. */
static void walk_garbled(struct walk *w, uint64_t n)
{
    if (n > walk_left(w))
        n = walk_left(w);
    for (uint64_t i = 0; w->as_perf && i + 8 <= n; i += 8)
        turn(w->at + i, 8);
    w->at += n;
}

static void walk_layout(struct walk *w, const char *fields)
{
    for (; *fields; fields++) {
        switch (*fields) {
        case 'b':
            walk_bytes(w, 1);
            break;
        case 'h':
        case 'H':
            walk_number(w, 2, *fields == 'H');
            break;
        case 'd':
        case 'D':
            walk_number(w, 4, *fields == 'D');
            break;
        case 'q':
        case 'Q':
            walk_number(w, 8, *fields == 'Q');
            break;
        case 'p':
            walk_pair(w);
            break;
        case '*':
            walk_words(w, UINT64_MAX);
            break;
        case '.':
            walk_bytes(w, UINT64_MAX);
            break;
        }
    }
}

/* --- Attributes --- */

/* Compilers for big-endian machines lay bit-fields out from the other end: perf mirrors
 * each byte, which is right for single bits. */
static uint8_t mirror(uint8_t b)
{
    b = (uint8_t)(b >> 4 | b << 4);
    b = (uint8_t)((b & 0xcc) >> 2 | (b & 0x33) << 2);
    return (uint8_t)((b & 0xaa) >> 1 | (b & 0x55) << 1);
}

static void walk_attr(struct walk *w)
{
    static const char before[] = "ddqqqq", behind[] = "ddqqqqdDQdhhddQQ";
    walk_layout(w, before);
    size_t flags = walk_left(w) < 8 ? walk_left(w) : 8;
    for (size_t i = 0; !w->as_perf && i < flags; i++)
        w->at[i] = mirror(w->at[i]);
    walk_bytes(w, flags);
    walk_layout(w, behind);
}

/* --- perf's own --- */

static void walk_header_attr(struct walk *w)
{
    const uint8_t *start = w->at;
    struct walk attr = *w;
    if (walk_left(w) < 8)
        return;
    uint32_t n = rd_u32(start + 4);
    if (!w->as_perf)
        n = bswap_32(n);
    if (n < walk_left(w))
        attr.end = attr.at + n;
    walk_attr(&attr);
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
        walk_bytes(w, PERF_THREAD_MAP_COMM);
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

static void walk_own(struct walk *w, uint32_t type)
{
    switch (type) {
    case PERF_REC_HEADER_ATTR:
        walk_header_attr(w);
        break;
    case PERF_REC_EVENT_TYPE:
    case PERF_REC_COMPRESSED2:
        walk_layout(w, "q.");
        break;
    case PERF_REC_FEATURE:
        walk_layout(w, "Q.");
        break;
    case PERF_REC_TRACING_DATA:
        walk_layout(w, "d");
        break;
    case PERF_REC_BUILD_ID:
        walk_layout(w, "D.");
        break;
    case PERF_REC_ID_INDEX:
    case PERF_REC_STAT_CONFIG:
        walk_layout(w, "*");
        break;
    case PERF_REC_AUXTRACE_INFO:
        walk_auxtrace_info(w);
        break;
    case PERF_REC_AUXTRACE:
        walk_layout(w, "qqqdddD");
        break;
    case PERF_REC_AUXTRACE_ERROR:
        walk_auxtrace_error(w);
        break;
    case PERF_REC_THREAD_MAP:
        walk_thread_map(w);
        break;
    case PERF_REC_CPU_MAP:
        walk_cpu_map(w);
        break;
    case PERF_REC_STAT:
        walk_layout(w, "qddqqq");
        break;
    case PERF_REC_STAT_ROUND:
        walk_layout(w, "qq");
        break;
    case PERF_REC_EVENT_UPDATE:
        walk_layout(w, "qq.");
        break;
    case PERF_REC_TIME_CONV:
        walk_layout(w, "qqqqq.");
        break;
    }
}

/* --- The kernel's --- */

static void walk_read(struct walk *w, uint64_t format)
{
    unsigned extra =
        (format & PERF_READ_ID ? 1u : 0) + (format & PERF_READ_LOST ? 1u : 0);
    unsigned times = (format & PERF_READ_TIME_ENABLED ? 1u : 0) +
                     (format & PERF_READ_TIME_RUNNING ? 1u : 0);
    uint64_t n = walk_u64(w);
    walk_words(w, times);
    if (!(format & PERF_READ_GROUP))
        walk_words(w, extra);
    else
        for (; n && walk_left(w) >= 8; n--)
            walk_words(w, 1 + extra);
}

/* perf gives all of it its old bytes back, the length included. */
static void walk_raw(struct walk *w)
{
    walk_bytes(w, walk_number(w, 4, true));
}

/* Bit-fields of these widths lie the other way round. */
static void turn_branch_flags(uint8_t *p)
{
    static const uint8_t widths[] = {1, 1, 1, 1, 16, 4, 2, 4, 3, 31};
    uint64_t v = rd_u64(p), flags = 0;
    unsigned at = 0;
    for (size_t i = 0; i < sizeof(widths); i++) {
        uint64_t field = v >> (64 - at - widths[i]) & ((UINT64_C(1) << widths[i]) - 1);
        flags |= field << at;
        at += widths[i];
    }
    memcpy(p, &flags, 8);
}

static void walk_branches(struct walk *w, uint64_t kind)
{
    uint64_t n = walk_u64(w);
    if (kind & PERF_BRANCH_HW_INDEX)
        walk_u64(w);
    for (uint64_t i = 0; i < n && walk_left(w) >= 24; i++) {
        walk_words(w, 3);
        if (!w->as_perf)
            turn_branch_flags(w->at - 8);
    }
    if (kind & PERF_BRANCH_COUNTERS)
        walk_words(w, n);
}

static void walk_regs(struct walk *w, uint64_t mask)
{
    if (walk_u64(w))
        walk_words(w, (uint64_t)__builtin_popcountll(mask));
}

static void walk_stack(struct walk *w)
{
    uint64_t n = walk_u64(w);
    if (n == 0)
        return;
    walk_garbled(w, n);
    walk_u64(w);
}

/* In the order of perf_event_open(2); what is left are words. */
static void walk_sample(struct walk *w, const struct pts_attr *a)
{
    static const uint64_t one_word = PERF_SAMPLE_DATA_SRC |
                                     PERF_SAMPLE_TRANSACTION, /* around REGS_INTR: */
        paged = PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
                PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE;
    uint64_t type = a->sample_type;
    walk_words(w, (uint64_t)__builtin_popcountll(
                      type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP)));
    if (type & PERF_SAMPLE_TID)
        walk_pair(w);
    walk_words(w, (uint64_t)__builtin_popcountll(
                      type & (PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
                              PERF_SAMPLE_STREAM_ID)));
    if (type & PERF_SAMPLE_CPU)
        walk_pair(w);
    walk_words(w, type & PERF_SAMPLE_PERIOD ? 1 : 0);
    if (type & PERF_SAMPLE_READ)
        walk_read(w, a->read_format);
    if (type & PERF_SAMPLE_CALLCHAIN)
        walk_words(w, walk_u64(w));
    if (type & PERF_SAMPLE_RAW)
        walk_raw(w);
    if (type & PERF_SAMPLE_BRANCH_STACK)
        walk_branches(w, a->branch_sample_type);
    if (type & PERF_SAMPLE_REGS_USER)
        walk_regs(w, a->sample_regs_user);
    if (type & PERF_SAMPLE_STACK_USER)
        walk_stack(w);
    walk_words(w, type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT) ? 1 : 0);
    walk_words(w, (uint64_t)__builtin_popcountll(type & one_word));
    if (type & PERF_SAMPLE_REGS_INTR)
        walk_regs(w, a->sample_regs_intr);
    walk_words(w, (uint64_t)__builtin_popcountll(type & paged));
    if (type & PERF_SAMPLE_AUX)
        walk_bytes(w, walk_u64(w));
    walk_layout(w, "*");
}

static void walk_sample_id(struct walk *w, uint64_t type)
{
    if (type & PERF_SAMPLE_TID)
        walk_pair(w);
    walk_words(w,
               (uint64_t)__builtin_popcountll(
                   type & (PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID)));
    if (type & PERF_SAMPLE_CPU)
        walk_pair(w);
    walk_words(w, type & PERF_SAMPLE_IDENTIFIER ? 1 : 0);
}

static const char *kernel_layout(uint32_t type, uint16_t misc)
{
    switch (type) {
    case PERF_REC_MMAP:
        return "ddqqq.";
    case PERF_REC_MMAP2:
        return misc & PERF_MISC_MMAP_BUILD_ID ? "ddqqqbbbbbbbbbbbbbbbbbbbbbbbbDD."
                                              : "ddqqqddqqDD.";
    case PERF_REC_COMM:
        return "dd.";
    case PERF_REC_EXIT:
    case PERF_REC_FORK:
        return "ddddq";
    case PERF_REC_THROTTLE:
    case PERF_REC_UNTHROTTLE:
    case PERF_REC_AUX:
        return "qqq";
    case PERF_REC_READ:
        return "dd*";
    case PERF_REC_LOST:
    case PERF_REC_LOST_SAMPLES:
    case PERF_REC_AUX_OUTPUT_HW_ID:
        return "*";
    case PERF_REC_ITRACE_START:
    case PERF_REC_SWITCH_CPU_WIDE:
        return "dd";
    case PERF_REC_NAMESPACES:
        return "dd*";
    case PERF_REC_KSYMBOL:
        return "QDHH.";
    case PERF_REC_BPF_EVENT:
        return "HHD.";
    case PERF_REC_CGROUP:
        return "q.";
    case PERF_REC_TEXT_POKE:
        return "qhh.";
    default:
        return "";
    }
}

static void walk_kernel(uint8_t *rec, size_t size, const struct pts_attr *attr,
                        size_t id_bytes, bool as_perf)
{
    uint32_t type = rd_u32(rec);
    if (id_bytes > size - PERF_REC_HEADER || type == PERF_REC_SAMPLE)
        id_bytes = 0;
    struct walk body = {rec + PERF_REC_HEADER, rec + size - id_bytes, as_perf};
    struct walk id = {body.end, rec + size, as_perf};
    if (type != PERF_REC_SAMPLE)
        walk_layout(&body, kernel_layout(type, rd_u16(rec + 4)));
    else if (attr)
        walk_sample(&body, attr);
    else
        walk_layout(&body, "*");
    if (attr && id_bytes)
        walk_sample_id(&id, attr->sample_type);
}

/* --- Records --- */

void swap_header(uint8_t *rec)
{
    struct walk w = {rec, rec + PERF_REC_HEADER, false};
    walk_layout(&w, "dhh");
}

void swap_own(uint8_t *rec, size_t size)
{
    struct walk w = {rec + PERF_REC_HEADER, rec + size, false};
    walk_own(&w, rd_u32(rec));
}

void swap_kernel(uint8_t *rec, size_t size, const struct pts_attr *attr,
                 size_t id_bytes)
{
    walk_kernel(rec, size, attr, id_bytes, false);
}

/* perf takes these records to have one more word than they have, and leaves it. */
static size_t word_left(uint32_t type)
{
    return type == PERF_REC_SWITCH ? 8 : type == PERF_REC_READ ? 48 : SIZE_MAX - 8;
}

void swap_as_perf(uint8_t *rec, size_t size, const struct pts_attr *attr,
                  size_t id_bytes)
{
    uint32_t type = rd_u32(rec);
    struct walk w = {rec + PERF_REC_HEADER, rec + size, true};
    if (type < PERF_REC_USER)
        walk_kernel(rec, size, attr, id_bytes, true);
    else
        walk_own(&w, type);
    if (word_left(type) + 8 <= size)
        turn(rec + word_left(type), 8);
}
