/* image.h - the bytes of everything that is mapped.
 *
 * SPDX-License-Identifier: MIT
 *
 * An image is never moved, changed or freed while its store lives; any number of
 * threads may read it and ask the store for more.
 */
#ifndef PTS_WALKER_CODE_IMAGE_H
#define PTS_WALKER_CODE_IMAGE_H

#include "walker/code/image_find.h"

#include <ptscript/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image {
    const uint8_t *base; /* byte of file offset 0 */
    size_t size;
    uint32_t index; /* 0, 1, 2 ... within the store */
    bool is_64bit;  /* its code is (x32 programs, too); true when not ELF */
    bool is_elf;
    const char *path; /* as opened */
};

struct image_store;

/* The strings of opts are lent for the life of the store. */
pts_status image_store_new(const struct image_opts *opts, struct image_store **out);
void image_store_free(struct image_store *s); /* NULL is fine */

/* The image of a dso, loaded at the first request.  PTS_END: there is none (remembered:
 * later requests do not look again).  Two dsos that turn out to be the same file with
 * the same contents get the same image. */
pts_status image_get(struct image_store *s, const struct image_want *want,
                     const struct image **out);

/* The image of a file that somebody found, whatever its build id is. */
pts_status image_get_file(struct image_store *s, const char *path,
                          const struct image **out);
const struct image_opts *image_store_opts(const struct image_store *s);

/* The path of an image whose file has become shorter since it was opened, so that its code
 * may have been read as zeros; *len: of how many bytes.  NULL: none has. */
const char *image_cut(struct image_store *s, uint64_t *len);

/* Pages of all files that were looked at are let go, and come back when they are looked at again: mapped
 * bytes count as memory. */
void image_store_let_go(struct image_store *s);

/* The same for one file, if it was looked for. */
void image_let_go(struct image_store *s, const struct image_want *want);

/* Whether a file was given by hand for this name (struct image_given); NULL: for any.
 */
bool image_is_given(const struct image_store *s, const char *name);

/* A file of the right name that is another program than the recorded one. */
struct image_note {
    const char *name, *path;
    struct build_id wanted, found; /* found.len 0: the file has none */
    bool used;                     /* any_id was set: it was taken nevertheless */
};
uint32_t image_note_count(struct image_store *s);
struct image_note image_note_at(struct image_store *s, uint32_t i);
/* One line for a person, cut at n. */
void image_note_text(const struct image_note *note, char *text, size_t n);

#endif
