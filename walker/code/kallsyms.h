/* kallsyms.h - the kernel's list of its own symbols, as in /proc/kallsyms.
 *
 * SPDX-License-Identifier: MIT
 *
 *     ffffffff81000000 T _text
 *     ffffffffc0254000 t fat_parse	[fat]
 */
#ifndef PTS_WALKER_CODE_KALLSYMS_H
#define PTS_WALKER_CODE_KALLSYMS_H

#include "decoder/base/whole.h"

#include <ptscript/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line of it.  name has the module's in it, behind a tab; it ends without a NUL. */
struct kallsym {
    uint64_t addr;
    char type; /* as nm has it; upper case: global */
    const char *name;
    uint32_t len;
};

struct kallsyms_iter {
    const char *at, *end;
};

/* The text of such a file, mapped or, where that is not possible (/proc), read. */
struct kallsyms {
    struct whole text;
    size_t mapped; /* bytes of it; 0: it was read */
    bool cut;      /* it is longer than KALLSYMS_MAX: whole lines of its beginning */
};

/* More than any kernel has. */
enum { KALLSYMS_MAX = 256 << 20 };

/* PTS_END: there is none, or its addresses are hidden from this user. */
pts_status kallsyms_open(const char *path, struct kallsyms *out);
/* A copy, which stays as it is whatever becomes of the file.  path: for messages. */
pts_status kallsyms_read(int fd, const char *path, struct kallsyms *out);
void kallsyms_close(struct kallsyms *k);

struct kallsyms_iter kallsyms_begin(const struct kallsyms *k);
/* The next line that is a symbol's; others are passed over.  False: no more. */
bool kallsyms_next(struct kallsyms_iter *it, struct kallsym *out);
/* The next of that name, which is not empty. */
bool kallsyms_named(struct kallsyms_iter *it, const char *name, struct kallsym *out);

/* Whether a line tells of code. */
bool kallsym_is_code(const struct kallsym *k);
bool kallsym_is(const struct kallsym *k, const char *name);

/* The address of the first function of that name. */
bool kallsyms_function(const struct kallsyms *k, const char *name, uint64_t *addr);
/* Its module's name in brackets and how long it is; NULL: none, it is the kernel's own. */
const char *kallsym_module(const struct kallsym *k, size_t *n);
/* Whether perf takes it for a symbol: code and data, but no absolute or undefined ones. */
bool kallsym_is_taken(const struct kallsym *k);

#endif
