/* put_record.h - samples and errors as the records that perf writes of them.
 *
 * SPDX-License-Identifier: MIT
 *
 * All append to a buffer; what is too long for a record is cut off from its stacks.
 */
#ifndef PTS_SYNTH_INJECT_PUT_RECORD_H
#define PTS_SYNTH_INJECT_PUT_RECORD_H

#include "synth/plan/evlist.h"
#include "synth/print/text.h"
#include "synth/sample/sample.h"

/* Of none p may be NULL. */
static inline void put_bytes(struct text *t, const void *p, size_t n)
{
    if (n)
        text_put(t, p, n);
}

static inline void put_u16(struct text *t, uint16_t v)
{
    text_put(t, (const char *)&v, sizeof(v));
}

static inline void put_u32(struct text *t, uint32_t v)
{
    text_put(t, (const char *)&v, sizeof(v));
}

static inline void put_u64(struct text *t, uint64_t v)
{
    text_put(t, (const char *)&v, sizeof(v));
}

/* A text with NULs behind it, at least one, up to a multiple of 64 bytes. */
enum { NAME_ALIGN = 64 };
void put_name(struct text *t, const char *name);
/* The same behind its length, as feature sections have it. */
void put_string(struct text *t, const char *s);

/* How samples of an event are written. */
struct sample_form {
    uint64_t type; /* PTS_SAMPLE_* */
    uint64_t id, read_format;
    bool no_hw_idx; /* of branch stacks */
};
/* A SAMPLE record of s. */
void put_sample(struct text *t, const struct sample_form *form, const struct sample *s);
/* An AUXTRACE_ERROR record. */
void put_error(struct text *t, const struct pts_auxtrace_error *e);
/* A SAMPLE record r without the n bytes of trace that it brought (0: none). */
void put_sample_without_aux(struct text *t, const struct perf_rec *r,
                            const struct pts_bytes *aux);

/* Which build of a file it is: record BUILD_ID, or (type 0) an item of the section. */
struct put_id {
    uint32_t type;
    uint16_t misc;
    int32_t pid; /* of the machine: -1 the host */
    const uint8_t *id;
    uint8_t len;
    const char *name;
};
void put_build_id(struct text *t, const struct put_id *b);

#endif
