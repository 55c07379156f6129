/* readin.h - parts of a mapped file that are about to be read, in huge pages.
 *
 * SPDX-License-Identifier: MIT
 *
 * A mapped file comes page by page, which on some virtual machines costs more than to read it.  Where it does, as
 * is found out first, and somebody says that he will read on, the next part is read at once, and takes the place of
 * its mapping:
 *
 *     mapped, by its own pages | read in, a huge page | read in | mapped ......
 *     ^ ptr                      HUGE_BYTES each                        ptr + len ^
 *
 * The bytes are the same and where they were.  So nobody has to say anything, and whoever reads elsewhere,
 * or in another thread at that moment, finds what he would have found.  Where little is looked at here and there,
 * it is copied.
 */
#ifndef PTS_DECODER_FILE_READIN_H
#define PTS_DECODER_FILE_READIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct readin;

/* Of a mapping of the file of a descriptor from its first byte on, privately and to be read only.  The
 * descriptor stays the caller's.  NULL: there is no memory, and no harm. */
struct readin *readin_new(int fd, const uint8_t *ptr, size_t len);
void readin_free(struct readin *r); /* before the mapping goes; NULL is fine */

/* From now on several read at different places: more is there at once. */
void readin_for_many(struct readin *r);
/* For tests: parts are read in, however quickly they can be mapped. */
void readin_always(struct readin *r);
/* n bytes of the mapping from `at` on are about to be read, or as many of them as may be there at once. */
void readin_soon(struct readin *r, const uint8_t *at, size_t n);
/* Pages of the mapping that were not read in need not stay in memory. */
void readin_let_go(struct readin *r);
/* n bytes of the mapping into `to`, without its pages; false: they could not be read. */
bool readin_copy(const struct readin *r, const uint8_t *at, uint8_t *to, size_t n);

#endif
