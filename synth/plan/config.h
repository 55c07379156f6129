/* config.h - what perf's configuration says of decoding.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PLAN_CONFIG_H
#define PTS_SYNTH_PLAN_CONFIG_H

#include <ptscript/session.h>
#include <stdbool.h>
#include <stdint.h>

struct config {
    bool mispred_all;  /* branches of branch stacks are shown as mispredicted */
    int32_t max_loops; /* as in struct flow_config */
    uint32_t log_size; /* of what letter d keeps for an error, in bytes */
};

/* From {"section.name", value}; what cannot be used is told and passed over. */
void config_read(const struct pts_option *settings, size_t count,
                 pts_message_fn *message, void *ctx, struct config *out);
/* Whether call chains are to begin with the outermost function. */
bool config_callers_first(const struct pts_option *settings, size_t count);
/* A number that perf reads for one command only; PTS_E_FORMAT: it is none, and perf ends. */
pts_status config_number(const struct pts_option *setting, pts_message_fn *message,
                         void *ctx, struct pts_diag *why);

#endif
