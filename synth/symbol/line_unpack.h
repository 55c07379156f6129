/* line_unpack.h - debug sections that were packed by zstd, which libdw 0.188 cannot read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SYMBOL_LINE_UNPACK_H
#define PTS_SYNTH_SYMBOL_LINE_UNPACK_H

#include <ptscript/status.h>

/* A file in memory with what lines need of an ELF file: *to is open for reading.  PTS_END: nothing of it is
 * packed so, or it is broken.  path: of fd, for messages. */
PTS_MUST_USE pts_status line_unpack(int fd, const char *path, int *to);

#endif
