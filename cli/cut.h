/* cut.h - a file that is cut, or cannot be read, while it is mapped.
 *
 * SPDX-License-Identifier: MIT
 *
 * The library maps recordings and code, since they can be larger than memory and little of
 * them may be needed.  When such a file loses its end meanwhile, or its disk fails, the
 * system sends SIGBUS.  What was printed is right until then: the rest of it is given out,
 * and which file it was is said.
 *
 * A library must not install handlers; this is what a program can do that uses one.
 */
#ifndef PTS_CLI_CUT_H
#define PTS_CLI_CUT_H

#include <ptscript/session.h>

/* From now on a file that is cut ends the process with a message and EXIT_INVALID. */
void cut_watch(void);
/* It writes out first what this stream has made; NULL: there is none (any more). */
void cut_stream(const pts_stream *stream);
/* Around writing text of that stream, so that none of it is written twice. */
void cut_writing(const char *text, size_t n);
void cut_written(void);

#endif
