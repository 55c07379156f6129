/* report_config.c - what perf's configuration says of reports.
 *
 * SPDX-License-Identifier: MIT
 *
 * Options on the command line go before it.  Whether the values are of use has been checked
 * (pts_config_check), but for those of the section report.
 */
#include "synth/report/report_options.h"

#include "synth/plan/config.h"

#include <ptscript/config.h>
#include <stdlib.h>
#include <string.h>

typedef pts_status take_fn(struct report_opts *o, const struct pts_option *s,
                           struct pts_diag *why);

static bool yes(const struct report_opts *o, const struct pts_option *s)
{
    return pts_config_yes(s, o->message, o->run.message_ctx);
}

/* --- call-graph, hist -------------------------------------------------------------- */

static pts_status take_percentage(struct report_opts *o, const struct pts_option *s,
                                  struct pts_diag *why)
{
    (void)why;
    o->relative = strcmp(s->value, "relative") == 0;
    return PTS_OK;
}

/* Nothing is the beginning of every word, and so the first one. */
static pts_status take_words(struct report_opts *o, const struct pts_option *s,
                             const char *first, struct pts_diag *why)
{
    return report_chain_words(&o->chain, *s->value ? s->value : first, why);
}

static pts_status take_order(struct report_opts *o, const struct pts_option *s,
                             struct pts_diag *why)
{
    return take_words(o, s, "caller", why);
}

static pts_status take_print_type(struct report_opts *o, const struct pts_option *s,
                                  struct pts_diag *why)
{
    return take_words(o, s, "graph", why);
}

static pts_status take_sort_key(struct report_opts *o, const struct pts_option *s,
                                struct pts_diag *why)
{
    return take_words(o, s, "function", why);
}

static pts_status take_threshold(struct report_opts *o, const struct pts_option *s,
                                 struct pts_diag *why)
{
    (void)why;
    o->chain.min_percent = strtod(s->value, NULL);
    return PTS_OK;
}

static pts_status take_print_limit(struct report_opts *o, const struct pts_option *s,
                                   struct pts_diag *why)
{
    double n = strtod(s->value, NULL);

    (void)why;
    o->chain.most = n >= 1 && n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
    return PTS_OK;
}

/* --- report ------------------------------------------------------------------------ */

static pts_status take_percent_limit(struct report_opts *o, const struct pts_option *s,
                                     struct pts_diag *why)
{
    (void)why;
    o->percent_limit = o->chain.min_percent = (double)strtof(s->value, NULL);
    return PTS_OK;
}

static pts_status take_children(struct report_opts *o, const struct pts_option *s,
                                struct pts_diag *why)
{
    (void)why;
    o->children = yes(o, s);
    return PTS_OK;
}

static pts_status take_group(struct report_opts *o, const struct pts_option *s,
                             struct pts_diag *why)
{
    (void)why;
    o->group = yes(o, s) ? REPORT_AS_RECORDED : REPORT_APART;
    return PTS_OK;
}

static pts_status take_skip_empty(struct report_opts *o, const struct pts_option *s,
                                  struct pts_diag *why)
{
    (void)why;
    o->skip_empty = yes(o, s);
    return PTS_OK;
}

static pts_status take_sort_order(struct report_opts *o, const struct pts_option *s,
                                  struct pts_diag *why)
{
    (void)why;
    o->default_sort = s->value;
    return PTS_OK;
}

/* Of a queue that is not needed here. */
static pts_status take_queue_size(struct report_opts *o, const struct pts_option *s,
                                  struct pts_diag *why)
{
    return config_number(s, o->message, o->run.message_ctx, why);
}

struct config_key {
    const char *name;
    take_fn *take;
};

/* perf reads the second list when it is through with the first. */
static const struct config_key common[] = {
    {"hist.percentage",        take_percentage },
    {"call-graph.order",       take_order      },
    {"call-graph.print-type",  take_print_type },
    {"call-graph.sort-key",    take_sort_key   },
    {"call-graph.threshold",   take_threshold  },
    {"call-graph.print-limit", take_print_limit},
    {NULL,                     NULL            },
};
static const struct config_key own[] = {
    {"report.percent-limit", take_percent_limit},
    {"report.children",      take_children     },
    {"report.group",         take_group        },
    {"report.queue-size",    take_queue_size   },
    {"report.skip-empty",    take_skip_empty   },
    {"report.sort_order",    take_sort_order   },
    {NULL,                   NULL              },
};

static pts_status take_all(struct report_opts *o, const struct config_key *keys,
                           const struct pts_option *settings, size_t count,
                           struct pts_diag *why)
{
    pts_status st = PTS_OK;

    for (size_t i = 0; i < count; i++)
        for (const struct config_key *k = keys; st == PTS_OK && k->name; k++)
            if (strcmp(k->name, settings[i].name) == 0)
                st = k->take(o, &settings[i], why);
    return st;
}

pts_status report_config(struct report_opts *o, const struct pts_option *settings,
                         size_t count, struct pts_diag *why)
{
    pts_status st = take_all(o, common, settings, count, why);

    return st == PTS_OK ? take_all(o, own, settings, count, why) : st;
}
