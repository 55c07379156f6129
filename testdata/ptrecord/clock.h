/* clock.h - the clocks of one simulated CPU: core cycles, TSC, crystal (CTC).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_CLOCK_H
#define PTRECORD_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* What CPUID and perf_event_mmap_page say of the machine's clocks. */
struct clock_model {
    uint32_t nonturbo; /* TSC frequency / 100 MHz: the ratio where cycle = tick */
    uint32_t ctc_num, ctc_den; /* CPUID 15h EBX, EAX: TSC ticks per CTC tick */
    uint32_t shift, mult;      /* ns = zero + (tsc * mult >> shift) */
    uint64_t zero;
};

struct clock {
    const struct clock_model *model;
    uint64_t cyc; /* core cycles so far: what advances; the others follow */
    uint32_t cbr; /* core to bus ratio now */
    uint64_t base_cyc, base_tsc;
};

void clock_init(struct clock *c, const struct clock_model *m, uint64_t tsc,
                uint32_t cbr);
uint64_t clock_tsc(const struct clock *c);
/* The cycle in which the TSC reaches TSC. */
uint64_t clock_cyc_at(const struct clock *c, uint64_t tsc);
/* Waits until the TSC reaches TSC, if it has not yet. */
void clock_wait_tsc(struct clock *c, uint64_t tsc);
void clock_wait_ns(struct clock *c, uint32_t ns);
void clock_set_cbr(struct clock *c, uint32_t cbr);

uint64_t clock_ns(const struct clock_model *m, uint64_t tsc);
uint64_t clock_ticks(const struct clock_model *m, uint64_t ns);
uint64_t clock_ctc(const struct clock_model *m, uint64_t tsc);
/* The first TSC tick with this CTC. */
uint64_t clock_ctc_start(const struct clock_model *m, uint64_t ctc);

#endif
