/* psb.c - finding PSB packets by their bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/pt/psb.h"

#include <string.h>

const uint8_t psb_pattern[PSB_BYTES] = {2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
                                        2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82};

const uint8_t *psb_find(const uint8_t *at, const uint8_t *end)
{
    return memmem(at, (size_t)(end - at), psb_pattern, PSB_BYTES);
}

const uint8_t *psb_find_last(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *psb = psb_find(at, end);

    while (psb && end - psb >= PSB_BYTES + 2 &&
           memcmp(psb + 2, psb_pattern, PSB_BYTES) == 0)
        psb += 2;
    return psb;
}
