/* text.h - commands that print a text about a recording.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_TEXT_H
#define PTS_CLI_TEXT_H

#include "opts.h"

#include <ptscript/session.h>

/* pts_stream_open and its like: a text of a session, as the options say. */
typedef pts_status text_open_fn(pts_session *s, const struct pts_option *options,
                                size_t count, pts_stream **out, struct pts_diag *why);

/* Opens the recording and the text, and prints it piece by piece to standard output.
 * Returns the exit status. */
int text_run(const struct cli_opts *opts, text_open_fn *open);
/* Before it: on a terminal the text is shown by a pager, unless --no-pager was given. */
void text_page(const struct cli_opts *opts);
/* The same; *findings: those of the text, see pts_stream_findings. */
int text_run_counting(const struct cli_opts *opts, text_open_fn *open,
                      unsigned *findings);

#endif
