/* fuzz_pkt.c - any bytes as packets: the cursor always advances and stays inside.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/pt/pkt.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct pts_pkt_cursor c = pts_pkt_cursor_of(data, n);
    struct pts_pkt pkt;
    char text[PTS_PKT_TEXT_MAX];
    for (size_t i = 0; i <= n; i++) {
        const uint8_t *at = c.at;
        if (pts_pkt_next(&c, &pkt) != PTS_OK)
            return 0;
        if (c.at - at != pkt.size || pkt.size > PKT_WIDE)
            abort();
        if (pts_pkt_text(&pkt, text, sizeof(text)) + 1 >= sizeof(text))
            abort();
    }
    abort();
}
