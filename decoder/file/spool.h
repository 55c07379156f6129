/* spool.h - room for bytes that are in no file: those of a pipe, unpacked records.
 *
 * SPDX-License-Identifier: MIT
 *
 * The first SPOOL_MEMORY bytes stay in memory.  More goes into a file without a name,
 * which is mapped: the system may write it out and drop it from memory, so a recording
 * may be larger than that.
 */
#ifndef PTS_DECODER_FILE_SPOOL_H
#define PTS_DECODER_FILE_SPOOL_H

#include "decoder/base/vec.h"

#include <ptscript/status.h>

#include <stddef.h>
#include <stdint.h>

enum { SPOOL_MEMORY = 64 << 20 };

struct spool_block {
    uint8_t *ptr;
    size_t len;
    bool mapped;
};

/* Zero-initialise, and set dir: the directory for temporary files, NULL to keep all in
 * memory. */
struct spool {
    const char *dir;
    VEC(struct spool_block) block;
    size_t used; /* of the last block */
    uint64_t held;
};

/* n bytes of room that stay where they are until spool_free; ask for more before they
 * are taken and the answer is the same.  NULL: no memory, or no room in the directory.
 */
uint8_t *spool_room(struct spool *s, size_t n);
/* The first n bytes of the room are in use from now on. */
void spool_take(struct spool *s, size_t n);
void spool_free(struct spool *s);

/* A new file in dir that nobody else can open and that goes away when it is closed;
 * -1 with the reason in *why. */
int spool_file(const char *dir, struct pts_diag *why);

#endif
