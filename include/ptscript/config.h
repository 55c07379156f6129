/* config.h - perf's configuration: what its keys and values mean.
 *
 * SPDX-License-Identifier: MIT
 *
 * Which files there are is the caller's affair.  Settings are {"section.name", value}, in
 * the order of the file; a session is given them in struct pts_open_opts.  Of decoding are
 * "intel-pt.mispred-all", "intel-pt.max-loops" and "itrace.debug-log-buffer-size", of its text
 * "call-graph.order"; others change nothing here.
 */
#ifndef PTSCRIPT_CONFIG_H
#define PTSCRIPT_CONFIG_H

#include <ptscript/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What perf checks for every command: says through the message function what it passes
 * over.  PTS_E_USAGE when it would end there; *why has its words. */
PTS_API PTS_MUST_USE pts_status pts_config_check(const struct pts_option *settings,
                                                 size_t count, pts_message_fn *message,
                                                 void *ctx, struct pts_diag *why);
/* Whether the value of a key means yes: 1 or 0.  One that means neither is told through
 * the message function, and is a yes to perf. */
PTS_API int pts_config_yes(const struct pts_option *setting, pts_message_fn *message,
                           void *ctx);

#ifdef __cplusplus
}
#endif
#endif
