/* progress.h - how far a long run is, in a line of the terminal that comes and goes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_PROGRESS_H
#define PTS_CLI_PROGRESS_H

#include <ptscript/session.h>

#include <stdbool.h>
#include <stddef.h>

/* From now on it is shown, if standard error is a terminal; wanted: by the user. */
void progress_begin(bool wanted);
/* Many times a second: it is drawn a few times. */
void progress_show(const pts_stream *stream);
/* Something is about to be printed.  May be called from handlers of signals. */
void progress_hide(void);
void progress_end(void);

/* "12.3 of 59.0 MB of trace (20%)" and the like; "": nothing is known. */
void progress_text(const pts_stream *stream, char *to, size_t size);

#endif
