/* perf_order.h - the order in which perf handles the records of a file.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf's own records and those without a time are handled as they are read; the
 * kernel's wait in a queue sorted by time.  A FINISHED_ROUND lets go of all that are
 * not later than the latest record seen when the *previous* round finished; the end
 * lets go of all.
 */
#ifndef PTS_DECODER_RECORD_PERF_ORDER_H
#define PTS_DECODER_RECORD_PERF_ORDER_H

#include "decoder/record/perf_rec.h"

/* time is 0 for records without one, and for perf's own.  What kind of record it is stands here, too,
 * so that nobody has to look at records that are not for him: each look at another part of a long file
 * costs more than all else that is done with a record. */
struct perf_order_entry {
    uint64_t off : 56;
    uint64_t kind : 8; /* its type, if that is below PERF_ORDER_OTHER; a made one: 0 */
    uint64_t time;
};
enum { PERF_ORDER_OTHER = 255 };

static inline struct perf_order_entry perf_order_entry(uint64_t off, uint32_t type,
                                                       uint64_t time)
{
    return (struct perf_order_entry){
        .off = off & (UINT64_MAX >> 8),
        .kind = (uint8_t)(type < PERF_ORDER_OTHER ? type : PERF_ORDER_OTHER),
        .time = time};
}

struct perf_order {
    VEC(struct perf_order_entry) rec;
    size_t made;      /* entries of no record, see below */
    bool file_order;  /* nothing waited */
    uint64_t late;    /* records older than one already let go: perf warns of them */
    uint64_t damaged; /* first record that is too short for its sample id, or of no
                       * event; UINT64_MAX none */
};

enum perf_order_how {
    PERF_ORDER_ROUNDS, /* as above */
    PERF_ORDER_LET_GO, /* the same, but a FINISHED_ROUND comes behind what it lets go of */
    PERF_ORDER_FILE, /* as they stand there (--dump-unsorted-raw-trace) */
    PERF_ORDER_TIME  /* what waits does so to the end (perf inject) */
};

/* All records of f.  Where they have no time (no sample_id_all) perf handles those of a
 * file as they stand there, unless it is perf inject. */
PTS_MUST_USE pts_status perf_order_make(const struct perf_file *f,
                                        enum perf_order_how how, struct perf_order *out,
                                        struct pts_diag *why);
void perf_order_free(struct perf_order *o);

/* Other entries may be put in between, for what happened then but stands in no record: of
 * number i, which is for who put it there to know. */
#define PERF_ORDER_MADE (UINT64_C(1) << 55)

static inline uint64_t perf_order_made(uint64_t i)
{
    return PERF_ORDER_MADE | i;
}

static inline bool perf_order_is_made(uint64_t off)
{
    return off & PERF_ORDER_MADE;
}

static inline uint64_t perf_order_made_index(uint64_t off)
{
    return off & ~PERF_ORDER_MADE;
}

/* The formats of tracepoints (see trace_format.h); a pipe has them behind a record
 * instead of in a feature section. */
struct pts_bytes perf_order_tracing(const struct perf_file *f,
                                    const struct perf_order *o);

#endif
