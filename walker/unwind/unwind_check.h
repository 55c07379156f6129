/* unwind_check.h - whether unwind information does no harm.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_UNWIND_UNWIND_CHECK_H
#define PTS_WALKER_UNWIND_UNWIND_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* Memory, byte by byte; false: there is none. */
struct unwind_bytes {
    void *ctx;
    bool (*at)(void *ctx, uint64_t addr, uint8_t *out);
};

/* Whether libunwind may be given the FDE at this address, and its CIE. */
bool unwind_is_harmless(const struct unwind_bytes *from, uint64_t fde);

#endif
