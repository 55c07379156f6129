/* unwind_table.h - where a file has its table of unwind information.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_UNWIND_UNWIND_TABLE_H
#define PTS_WALKER_UNWIND_UNWIND_TABLE_H

#include <ptscript/bytes.h>
#include <stdbool.h>

/* The binary search table in .eh_frame_hdr. */
struct unwind_table {
    uint64_t header; /* address of .eh_frame_hdr, as the file counts */
    uint64_t skip;   /* from there to the table */
    uint64_t count;  /* of its entries, as it says */
    uint64_t first;  /* address of the file's first segment */
};

/* Of a 64-bit little-endian ELF file; false: there is none that perf would take. */
bool unwind_table_find(struct pts_bytes file, struct unwind_table *out);

#endif
