/* event_bytes.c - an event's attributes as the kernel's perf_event_attr, byte for byte.
 *
 * SPDX-License-Identifier: MIT
 *
 * What is made from the trace has what perf makes up for it: mostly that of the event
 * whose trace it is (made.c).
 */
#include "synth/plan/event_bytes.h"

#include "decoder/file/perf_attr.h"
#include "decoder/file/perf_file.h"

void event_bytes(const struct perf_file *f, const struct plan *p, size_t i, uint8_t *to)
{
    const struct evl_attr *e = &p->evl.ev.at[i].attr;

    if (i < f->evsel.len) {
        attr_write(&f->evsel.at[i].attr, to);
        return;
    }
    const struct pts_attr made = {
        .type = e->type,
        .config = e->config,
        .sample_period = e->sample_period,
        .sample_type = e->sample_type,
        .read_format = f->evsel.at[p->made.traced].attr.read_format,
        .flags = e->flags,
        .branch_sample_type =
            e->sample_type & PTS_SAMPLE_BRANCH_STACK ? PTS_BRANCH_HW_INDEX : 0};
    attr_write(&made, to);
}
