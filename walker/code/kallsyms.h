/* kallsyms.h - the kernel's list of its own symbols, as in /proc/kallsyms.
 *
 * SPDX-License-Identifier: MIT
 *
 *     ffffffff81000000 T _text
 *     ffffffffc0254000 t fat_parse	[fat]
 */
#ifndef PTS_WALKER_CODE_KALLSYMS_H
#define PTS_WALKER_CODE_KALLSYMS_H

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

struct kallsyms_iter kallsyms_begin(const void *text, size_t n);
/* The next line that is a symbol's; others are passed over.  False: no more. */
bool kallsyms_next(struct kallsyms_iter *it, struct kallsym *out);

/* Whether a line tells of code. */
bool kallsym_is_code(const struct kallsym *k);
bool kallsym_is(const struct kallsym *k, const char *name);

/* The address of the first function of that name. */
bool kallsyms_function(const void *text, size_t n, const char *name, uint64_t *addr);

#endif
