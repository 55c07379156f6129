/* report_dump.c - perf report -D: the dump of perf script, without lines of samples.
 *
 * SPDX-License-Identifier: MIT
 *
 * The output that makes it is perf script's, with a sink of its own, to which all items are
 * handed on; what is counted of them stands at the end (stats.c).
 */
#include "synth/report/report.h"

extern output_open_fn output_script; /* outputs.def */

pts_status report_dump_open(struct report *r, const struct output_from *from,
                            struct output *out, struct pts_diag *why)
{
    const struct pts_option dump[] = {
        {r->opts.run.dump_unsorted ? "dump-unsorted-raw-trace" : "dump-raw-trace",
         NULL                                                                          },
        {"no-itrace",                                                              NULL}
    };
    struct output_from own = *from;

    own.option = dump;
    own.option_count = 1 + r->opts.run.itrace.dont_decode;
    own.reported = true;
    r->opts.run.dump_cpus = true;
    pts_status st = output_script(&own, out, why); /* into the text that is there */
    if (st < 0)
        return st;
    r->dump = (struct report_dump){out->sink, out->ctx, out->before, out->close};
    return PTS_OK;
}

void report_dump_before(void *report, const struct perf_order *order, uint64_t shown)
{
    struct report *r = report;

    r->dump.before(r->dump.ctx, order, shown);
}
