/* input.h - a whole file as one run of bytes.
 *
 * SPDX-License-Identifier: MIT
 *
 * All behind it work with pointers into these bytes and copy nothing; only what came in
 * the other byte order, or has records written in front of it, needs bytes of its own.
 *
 *     | room, written by the opener | the file's bytes ...... |
 *                                   ^ ptr                     ^ ptr + len
 */
#ifndef PTS_DECODER_FILE_INPUT_H
#define PTS_DECODER_FILE_INPUT_H

#include <ptscript/status.h>

#include <stdbool.h>
#include <stddef.h>

struct input {
    const uint8_t *ptr;
    size_t len;
    bool mapped;   /* by mmap */
    bool owned;    /* read into memory of our own */
    bool trusted;  /* owned by root or by us */
    size_t room;   /* bytes in front of ptr that the opener may write */
    int64_t mtime; /* seconds since 1970; of a pipe, too */
};

/* Maps path, or reads all of it when it cannot be mapped ("-": standard input, FIFOs).
 * What is too long for memory goes through a temporary file in temp_dir, unless NULL.
 */
PTS_MUST_USE pts_status input_open(const char *path, const char *temp_dir,
                                   struct input *out, struct pts_diag *why);
/* The same with at least `room` bytes in front of the file's, zero and to be written:
 * out->room has how many. */
PTS_MUST_USE pts_status input_open_behind(const char *path, const char *temp_dir,
                                          size_t room, struct input *out,
                                          struct pts_diag *why);
bool input_is_dir(const char *path);
bool input_is_file(const char *path);
/* From now on the bytes may be written: nobody else sees it, and the file stays as it
 * is.  False when there is no memory. */
bool input_own(struct input *in);
void input_close(struct input *in); /* zeroed is fine */

#endif
