/* modules.h - which modules a kernel had, and where: the text of /proc/modules.
 *
 * SPDX-License-Identifier: MIT
 *
 *     vfat 24576 1 - Live 0xffffffffc0273000
 *     fat 90112 1 vfat, Live 0xffffffffc0254000 (OE)
 */
#ifndef PTS_WALKER_CODE_MODULES_H
#define PTS_WALKER_CODE_MODULES_H

#include "decoder/base/whole.h"

#include <stdint.h>

struct module_line {
    const char *name; /* len bytes */
    size_t len;
    uint64_t start, size;
};

struct modules_iter {
    const char *at, *end;
};

static inline struct modules_iter modules_begin(const struct whole *text)
{
    return (struct modules_iter){text->at, text->at ? text->at + text->len : text->at};
}

/* The next line that names a module and its address; others are passed over.  False: no
 * more. */
bool modules_next(struct modules_iter *it, struct module_line *out);

#endif
