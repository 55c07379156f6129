/* tp_print.h - a tracepoint's sample as text.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_TP_PRINT_H
#define PTS_SYNTH_TP_PRINT_H

#include "synth/fmt.h"
#include "synth/tp_eval.h"

/* What an event points to in the kernel: a string of its, by address. */
struct tp_string {
    uint64_t addr;
    const char *text;
};

/* A function of the kernel and where it begins; NULL: there is none. */
struct tp_function {
    const char *name;
    uint64_t start;
};

struct tp_names {
    void *ctx;
    struct tp_function (*function)(void *ctx, uint64_t addr);
    const struct tp_string *string; /* sorted by address */
    size_t strings;
};

/* e changes: perf gives up on taking a field for a string for good. */
void tp_print(struct text *t, struct tp_event *e, struct pts_bytes raw,
              const struct tp_names *names);

/* Addresses and the like: %pM, %pI4, %pU, %*ph (tp_net.c); most: for h, of bytes. */
void tp_print_net(struct text *t, const struct tp_record *r, const char *suffix,
                  int64_t most, const struct tp_node *arg);

#endif
