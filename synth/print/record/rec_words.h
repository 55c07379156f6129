/* rec_words.h - what the texts of records are made of (rec_text.h).
 *
 * SPDX-License-Identifier: MIT
 *
 * A type has a row in the table at the end of rec_text_kernel.c or rec_text_tool.c; one
 * without a row has no text behind its name.
 */
#ifndef PTS_SYNTH_PRINT_RECORD_REC_WORDS_H
#define PTS_SYNTH_PRINT_RECORD_REC_WORDS_H

#include "decoder/record/record.h"
#include "synth/print/record/rec_names.h"

/* What a text may need beside its record. */
struct rec_around {
    const struct perf_file *file; /* in the dump; else NULL */
    const struct rec_names *names;
};

typedef void rec_text_fn(struct text *t, const struct record *r);

struct rec_words {
    rec_text_fn *text; /* one of these two */
    void (*named)(struct text *t, const struct record *r,
                  const struct rec_around *around);
    rec_text_fn *line; /* in --show-*-events, when that differs from the dump */
    bool damaged;      /* has a text also when it is shorter than it claims */
};

/* The row of a type, which may be empty. */
const struct rec_words *rec_words_kernel(uint32_t type);
const struct rec_words *rec_words_tool(uint32_t type);

/* "LABEL%d" and the like. */
static inline void label_int(struct text *t, const char *label, int64_t v)
{
    text_str(t, label);
    text_int(t, v, 0);
}

static inline void label_dec(struct text *t, const char *label, uint64_t v)
{
    text_str(t, label);
    text_dec(t, v, 0);
}

static inline void label_hex(struct text *t, const char *label, uint64_t v)
{
    text_str(t, label);
    text_hex(t, v, 0);
}

/* 0x in front of the number, unless it is zero. */
static inline void label_hex_alt(struct text *t, const char *label, uint64_t v)
{
    text_str(t, label);
    text_hex_alt(t, v);
}

static inline void label_str(struct text *t, const char *label, const char *s)
{
    text_str(t, label);
    text_str(t, s);
}

#endif
