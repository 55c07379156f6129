/* symfs.h - copies of every mapped file, for decoding elsewhere or later.
 *
 * SPDX-License-Identifier: MIT
 *
 * DIR/path/of/file for --symfs DIR, and files with symbols of it as perf finds them; the vdso, which is no file, in a build-id cache at
 * DIR/.debug, for --buildid-dir DIR/.debug.
 */
#ifndef PTRECORD_SYMFS_H
#define PTRECORD_SYMFS_H

#include "testdata/ptrecord/maps.h"
#include "testdata/ptrecord/task.h"

struct symfs;

/* Ends the program when the folder cannot be made. */
struct symfs *symfs_open(const char *dir);
/* What cannot be copied is told on stderr, and left out. */
void symfs_add(struct symfs *s, const struct task *t, const struct map *m,
               const uint8_t *build_id, unsigned build_id_size);
/* False: not all could be copied.  ran: else the folder goes away again, if it was made
 * for nothing.  NULL is fine. */
bool symfs_close(struct symfs *s, bool ran);

#endif
