/* symfs.h - copies of every mapped file, for decoding elsewhere or later.
 *
 * SPDX-License-Identifier: MIT
 *
 * DIR/path/of/file for --symfs DIR; the vdso, which is no file, in a build-id cache at
 * DIR/.debug, for --buildid-dir DIR/.debug.
 */
#ifndef PTRECORD_SYMFS_H
#define PTRECORD_SYMFS_H

#include "testdata/ptrecord/maps.h"
#include "testdata/ptrecord/task.h"

struct symfs;

struct symfs *symfs_open(const char *dir);
void symfs_add(struct symfs *s, const struct task *t, const struct map *m,
               const uint8_t *build_id, unsigned build_id_size);
void symfs_close(struct symfs *s); /* NULL is fine */

#endif
