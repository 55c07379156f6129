/* psb.c - finding PSB packets by their bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/psb.h"

#include "decoder/cursor.h"

#include <string.h>

const uint8_t psb_pattern[PSB_BYTES] = {2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
                                        2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82};

const uint8_t *psb_find(const uint8_t *at, const uint8_t *end)
{
    return memmem(at, (size_t)(end - at), psb_pattern, PSB_BYTES);
}

const uint8_t *psb_tsc(const uint8_t *psb, const uint8_t *end, uint64_t *tsc)
{
    struct pkt_cursor c = {psb, end, PKT_CTX_NONE};
    const uint8_t *at = psb;
    struct pts_pkt p;

    for (; pkt_cursor_next(&c, &p) > 0 && p.kind != PTS_PKT_PSBEND; at = c.at) {
        if (p.kind == PTS_PKT_TSC) {
            *tsc = p.value;
            return at;
        }
    }
    return NULL;
}
