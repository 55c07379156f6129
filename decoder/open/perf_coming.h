/* perf_coming.h - a recording that comes through a pipe: how much of it there will be.
 *
 * SPDX-License-Identifier: MIT
 *
 * A pipe is kept before it is read, and may never end: /dev/zero does not, nor does
 * `yes`.  So it is looked at as it comes, as far as to know where the recording ends, or
 * that it is none.  What is there is judged later, and by others.
 */
#ifndef PTS_DECODER_OPEN_PERF_COMING_H
#define PTS_DECODER_OPEN_PERF_COMING_H

#include "decoder/file/perf_abi.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes behind the end that a file's header tells, as it may be wrong, and what is missed
 * by that may be there: a payload, ids. */
enum { COMING_MORE = 64 << 20 };

enum coming_step {
    COMING_MAGIC,
    COMING_HEADER,    /* of a file */
    COMING_RECORD,    /* the head of one */
    COMING_SECTION,   /* an entry of the table behind the data */
    COMING_LAST,      /* what these sections are, is skipped */
    COMING_UNLIMITED, /* nothing says where it ends */
    COMING_ALL        /* what follows is not wanted */
};

/* Zero-initialise. */
struct coming {
    enum coming_step step;
    bool foreign;
    uint64_t at, skip;   /* bytes that came; to come before the next are looked at */
    uint64_t end;        /* of all that the header and the table speak of, so far */
    unsigned sections;   /* left in the table */
    unsigned have, need; /* bytes in `head`; before they are looked at */
    uint8_t head[PERF_FILE_HEADER];
};

/* Takes the next n bytes.  False: the recording is over, or it is none. */
bool coming_wants(struct coming *c, const uint8_t *bytes, size_t n);

#endif
