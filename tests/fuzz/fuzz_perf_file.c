/* fuzz_perf_file.c - any bytes as a perf.data file: opened, ordered, read and dumped.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/out_dump.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Dumping parses every body; small files keep its text small. */
static void dump_all(const struct perf_file *f, const struct perf_order *o)
{
    struct dump_opts opts = {.file = f, .order = o, .trig = true};
    struct dump d;
    struct text t = {0};
    dump_init(&d, &opts);
    while (dump_step(&d, &t) == PTS_OK)
        t.len = 0;
    text_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct perf_file *f = NULL;
    struct perf_order order;
    struct aux_queues q;
    const struct aux_how how = {.clock = tsc_conv_of(31, 1789569706, 5)};
    struct pts_diag why;
    if (perf_file_open_bytes(data, n, &f, &why) != PTS_OK)
        return 0;
    if (aux_queues_make(f, &how, &q, &why) == PTS_OK)
        aux_queues_free(&q);
    if (perf_order_make(f, false, &order, &why) == PTS_OK) {
        if (order.rec.len != f->rec_count)
            abort();
        dump_all(f, &order);
        perf_order_free(&order);
    }
    perf_file_close(f);
    return 0;
}
