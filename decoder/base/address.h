/* address.h - on which side of the kernel's border an address is.
 *
 * SPDX-License-Identifier: MIT
 *
 * On x86-64 the upper half of the addresses is the kernel's.  perf goes by that
 * wherever it has an address and no record that says the mode, and so do we; it is the
 * only place that says where the border is.
 */
#ifndef PTS_DECODER_BASE_ADDRESS_H
#define PTS_DECODER_BASE_ADDRESS_H

#include <ptscript/record.h>

#include <stdbool.h>
#include <stdint.h>

#define KERNEL_START (UINT64_C(1) << 63)

static inline bool in_kernel(uint64_t addr)
{
    return addr >= KERNEL_START;
}

/* The mode of the CPU (PTS_MODE_*) that executes code at addr. */
static inline uint8_t mode_at_addr(uint64_t addr, bool guest)
{
    if (guest)
        return in_kernel(addr) ? PTS_MODE_GUEST_KERNEL : PTS_MODE_GUEST_USER;
    return in_kernel(addr) ? PTS_MODE_KERNEL : PTS_MODE_USER;
}

static inline bool mode_is_guest(uint8_t mode)
{
    return mode == PTS_MODE_GUEST_KERNEL || mode == PTS_MODE_GUEST_USER;
}

#endif
