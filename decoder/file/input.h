/* input.h - a whole file as one run of bytes.
 *
 * SPDX-License-Identifier: MIT
 *
 * All behind it work with pointers into these bytes; only what came in the other byte order,
 * or has records written in front of it, needs bytes of its own, and records that lie between
 * pieces of trace are kept apart from it (decoder/open/perf_keep.h).
 *
 *     | room, written by the opener | the file's bytes ...... |
 *                                   ^ ptr                     ^ ptr + len
 */
#ifndef PTS_DECODER_FILE_INPUT_H
#define PTS_DECODER_FILE_INPUT_H

#include <ptscript/status.h>

#include <stdbool.h>
#include <stddef.h>

struct readin;

struct input {
    const uint8_t *ptr;
    size_t len;
    bool mapped;           /* by mmap */
    bool written;          /* bytes of the mapping are our own */
    bool owned;            /* read into memory of our own */
    bool trusted;          /* owned by root or by us */
    size_t room;           /* bytes in front of ptr that the opener may write */
    int64_t mtime;         /* seconds since 1970; of a pipe, too */
    uint64_t dev, ino;     /* of the file that is mapped; 0: none */
    struct readin *readin; /* parts of the mapping; NULL: it is left to the system */
};

/* What of it there need not be.  Zeroed is fine. */
struct input_how {
    const char *temp_dir; /* for what is too long for memory, NULL: it stays there */
    size_t room;   /* bytes in front of the file's, zero and to be written; out->room
                           * has how many there are */
    bool in_order; /* most of it is read once, from front to end: input_soon */
    /* Gets the bytes of what is no file as they come: false when no more are wanted,
     * since there may be no end. */
    bool (*wants)(void *ctx, const uint8_t *bytes, size_t n);
    void *ctx;
};

/* Maps path, or reads all of it when it cannot be mapped ("-": standard input, FIFOs). */
PTS_MUST_USE pts_status input_open(const char *path, const struct input_how *how,
                                   struct input *out, struct pts_diag *why);
/* Whether the mapped file has fewer bytes by now; *len: how many.  What lay behind reads
 * as zeros up to the end of a page, and cannot be read from there on. */
bool input_was_cut(const struct input *in, const char *path, uint64_t *len);
bool input_is_dir(const char *path);
bool input_is_file(const char *path);
/* From now on the bytes may be written: nobody else sees it, and the file stays as it
 * is.  False when there is no memory. */
bool input_own(struct input *in);
/* n bytes from `at` on are about to be read; false: they are not in it. */
bool input_soon(const struct input *in, const uint8_t *at, size_t n);
/* Several will read at different places. */
void input_for_many(const struct input *in);
/* n bytes of it from `at` on into `to` without its pages; false: they have to be looked at there. */
bool input_copy(const struct input *in, const uint8_t *at, uint8_t *to, size_t n);
/* Its pages need not stay in memory: bytes that are wanted again are read again. */
void input_let_go(const struct input *in);
void input_close(struct input *in); /* zeroed is fine */

#endif
