/* mkdata.h - perf.data files in memory, for unit tests.
 *
 * SPDX-License-Identifier: MIT
 *
 *     struct mkdata m;
 *     mk_begin(&m, false);
 *     mk_event(&m, 6, MK_TYPE, 100);
 *     mk_data(&m);
 *     mk_rec(&m, PTS_RECORD_COMM, 0, body, n, time, id);
 *     mk_end(&m);          m.at, m.len is the file
 *
 * In a regular file events come before mk_data; in a pipe they are records.
 */
#ifndef PTS_TESTS_MKDATA_H
#define PTS_TESTS_MKDATA_H

#include "decoder/file/perf_abi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    MK_CAP = 1 << 16,
    MK_ATTR = 128,
    MK_EVENTS = 8,
    /* identifier, ip, tid, time, cpu */
    MK_TYPE = 0x10087,
    MK_ID_BYTES = 32
};

struct mkdata {
    uint8_t at[MK_CAP];
    size_t len;
    bool pipe;
    bool no_id_all;
    size_t data;
    uint8_t attr[MK_EVENTS][MK_ATTR];
    uint64_t id[MK_EVENTS];
    unsigned events;
    struct {
        unsigned bit;
        const void *p;
        size_t n;
    } feature[8];
    unsigned features;
};

static inline void mk_put(struct mkdata *m, const void *p, size_t n)
{
    if (n)
        memcpy(m->at + m->len, p, n);
    m->len += n;
}

static inline void mk_u64(struct mkdata *m, uint64_t v)
{
    mk_put(m, &v, sizeof(v));
}

static inline void mk_u32(struct mkdata *m, uint32_t v)
{
    mk_put(m, &v, sizeof(v));
}

static inline void mk_begin(struct mkdata *m, bool pipe)
{
    memset(m, 0, sizeof(*m));
    m->pipe = pipe;
    if (pipe) {
        mk_u64(m, PERF_MAGIC);
        mk_u64(m, PERF_PIPE_HEADER);
    }
}

static inline void mk_head(struct mkdata *m, uint32_t type, uint16_t misc, size_t size)
{
    uint16_t n = (uint16_t)size;
    mk_u32(m, type);
    mk_put(m, &misc, 2);
    mk_put(m, &n, 2);
}

static inline void mk_event(struct mkdata *m, uint32_t type, uint64_t sample_type,
                            uint64_t id)
{
    uint8_t *a = m->attr[m->events];
    uint32_t head[2] = {type, MK_ATTR};
    uint64_t flags = m->no_id_all ? 0 : PTS_ATTR_SAMPLE_ID_ALL;
    memcpy(a, head, sizeof(head));
    memcpy(a + 24, &sample_type, 8);
    memcpy(a + 40, &flags, 8);
    m->id[m->events++] = id;
    if (m->pipe) {
        mk_head(m, PTS_RECORD_HEADER_ATTR, 0, 8 + MK_ATTR + 8);
        mk_put(m, a, MK_ATTR);
        mk_u64(m, id);
    }
}

static inline void mk_feature(struct mkdata *m, unsigned bit, const void *p, size_t n)
{
    m->feature[m->features].bit = bit;
    m->feature[m->features].p = p;
    m->feature[m->features++].n = n;
}

/* Header, ids and attributes; what follows are records. */
static inline void mk_data(struct mkdata *m)
{
    if (m->pipe)
        return;
    uint64_t ids = PERF_FILE_HEADER, attrs = ids + 8 * m->events;
    uint64_t each = MK_ATTR + PERF_SECTION;
    m->data = (size_t)(attrs + each * m->events);
    mk_u64(m, PERF_MAGIC);
    mk_u64(m, PERF_FILE_HEADER);
    mk_u64(m, each);
    mk_u64(m, attrs);
    mk_u64(m, each * m->events);
    mk_u64(m, m->data);
    mk_u64(m, 0);
    for (int i = 0; i < 6; i++)
        mk_u64(m, 0);
    for (unsigned i = 0; i < m->events; i++)
        mk_u64(m, m->id[i]);
    for (unsigned i = 0; i < m->events; i++) {
        mk_put(m, m->attr[i], MK_ATTR);
        mk_u64(m, ids + 8 * i);
        mk_u64(m, 8);
    }
}

/* The sample id of MK_TYPE. */
static inline void mk_id(struct mkdata *m, uint64_t time, uint64_t id)
{
    mk_u32(m, 10);
    mk_u32(m, 11);
    mk_u64(m, time);
    mk_u64(m, 2);
    mk_u64(m, id);
}

/* A record of the kernel with a sample id.  Returns its offset. */
static inline uint64_t mk_rec(struct mkdata *m, uint32_t type, uint16_t misc,
                              const void *body, size_t n, uint64_t time, uint64_t id)
{
    uint64_t off = m->len;
    mk_head(m, type, misc, 8 + n + (m->no_id_all ? 0 : MK_ID_BYTES));
    mk_put(m, body, n);
    if (!m->no_id_all)
        mk_id(m, time, id);
    return off;
}

/* One of perf's own. */
static inline uint64_t mk_own(struct mkdata *m, uint32_t type, const void *body,
                              size_t n)
{
    uint64_t off = m->len;
    mk_head(m, type, 0, 8 + n);
    mk_put(m, body, n);
    return off;
}

static inline uint64_t mk_auxtrace(struct mkdata *m, uint32_t idx, int32_t cpu,
                                   const void *pt, size_t n)
{
    uint64_t off = m->len;
    mk_head(m, PTS_RECORD_AUXTRACE, 0, 48);
    mk_u64(m, n);
    mk_u64(m, 0);
    mk_u64(m, 0x1234);
    mk_u32(m, idx);
    mk_u32(m, UINT32_MAX);
    mk_u32(m, (uint32_t)cpu);
    mk_u32(m, 0);
    mk_put(m, pt, n);
    return off;
}

/* Sets the data size and writes the features. */
static inline void mk_end(struct mkdata *m)
{
    uint64_t size = m->len - m->data;
    if (m->pipe)
        return;
    memcpy(m->at + 48, &size, 8);
    uint64_t at = m->len + PERF_SECTION * m->features;
    for (unsigned i = 0; i < m->features; i++) {
        m->at[72 + m->feature[i].bit / 8] |= (uint8_t)(1u << m->feature[i].bit % 8);
        mk_u64(m, at);
        mk_u64(m, m->feature[i].n);
        at += m->feature[i].n;
    }
    for (unsigned i = 0; i < m->features; i++)
        mk_put(m, m->feature[i].p, m->feature[i].n);
}

#endif
