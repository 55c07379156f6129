/* fuzz_perf_file.c - any bytes as a perf.data file: opened, ordered, read and dumped.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/print/dump/out_dump.h"
#include "tests/lib/open_bytes.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void dump_one(struct dump *d, uint64_t off, struct text *t)
{
    struct record rec;
    bool good = record_read(d->o.file, off, &rec) == PTS_OK;

    dump_record(d, &rec, good, t);
    if (good && aux_is_in(&rec))
        dump_trace(d, &rec, t);
    for (; dump_has_packets(d) && !t->failed; t->len = 0)
        dump_packets(d, t);
    t->len = 0;
}

/* Dumping parses every body; small files keep its text small. */
static void dump_all(const struct perf_file *f, const struct perf_order *o)
{
    struct dump_opts opts = {.file = f, .file_order = o->file_order};
    struct dump d;
    struct text t = {0};

    dump_init(&d, &opts);
    for (size_t i = 0; i < o->rec.len; i++)
        dump_one(&d, o->rec.at[i].off, &t);
    text_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct perf_file *f = NULL;
    struct perf_order order;
    struct aux_queues q;
    const struct aux_how how = {.clock = tsc_conv_of(31, 1789569706, 5)};
    struct pts_diag why;
    if (open_bytes(data, n, &f, &why) != PTS_OK)
        return 0;
    if (aux_queues_make(f, &how, &q, &why) == PTS_OK)
        aux_queues_free(&q);
    if (perf_order_make(f, PERF_ORDER_ROUNDS, &order, &why) == PTS_OK) {
        if (order.rec.len != f->data.count)
            abort();
        dump_all(f, &order);
        perf_order_free(&order);
    }
    perf_file_close(f);
    return 0;
}
