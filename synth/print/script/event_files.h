/* event_files.h - the lines of each event in a file of its own: --per-event-dump.
 *
 * SPDX-License-Identifier: MIT
 *
 * A file is called INPUT.EVENT.dump.  Events may have the same name, and then share a
 * file: each has a position of its own in it, from the start on, and what is written later
 * lies over the rest, as with perf, whose buffers are the C library's, too.
 */
#ifndef PTS_SYNTH_PRINT_SCRIPT_EVENT_FILES_H
#define PTS_SYNTH_PRINT_SCRIPT_EVENT_FILES_H

#include "decoder/base/vec.h"
#include "synth/print/text.h"

#include <ptscript/status.h>
#include <stdbool.h>
#include <stdio.h>

struct event_file {
    FILE *to;
    char *path;
    uint32_t samples;
};

/* Zero-initialise.  By the number of the event. */
struct event_files {
    VEC(struct event_file) at;
    struct text line;   /* of the sample on its way */
    const char *failed; /* which could not be written; NULL */
};

/* Makes the file of the next event.  PTS_E_IO: it cannot be made. */
pts_status event_files_add(struct event_files *f, const char *input, const char *event);
/* Writes the line of a sample of an event, and empties it; flush: at once.  PTS_E_IO: it
 * cannot. */
pts_status event_files_put(struct event_files *f, uint32_t event, bool flush);
/* Says of each how long it is so far, and closes it. */
pts_status event_files_end(struct event_files *f, struct text *out);
void event_files_free(struct event_files *f);

#endif
