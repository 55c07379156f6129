/* pkt_sizes.c - how long packets are, by their first two bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/pt/pkt_sizes.h"

/* Behind this first byte the second tells which packet it is; so it does behind those whose low five bits are
 * OTHERS.  Else its lowest bit may say that a CYC goes on, and no more. */
enum { EXT = 0x02, OTHERS = 0x19 };

static bool second_matters(uint8_t first)
{
    return first == EXT || (first & 0x1f) == OTHERS;
}

static uint8_t size_of(uint8_t first, uint8_t second, pkt_means_nothing *nothing)
{
    const uint8_t bytes[PKT_WIDE] = {first, second};
    struct pts_pkt p;
    int n = pkt_wide(bytes, PKT_CTX_NONE, &p);

    if (n <= 0 || !nothing(first, p.kind))
        return 0;
    /* Of a longer CYC it is not known here whether it goes on. */
    return p.kind == PTS_PKT_CYC && n > 2 ? 0 : (uint8_t)n;
}

/* That of all packets with this first byte; 0: they have more than one size. */
static uint8_t size_by_first(const struct pkt_sizes *s, uint8_t first)
{
    for (unsigned second = 0; second < 256; second++) {
        if (s->of[first | second << 8] != s->of[first])
            return 0;
    }
    return s->of[first];
}

void pkt_sizes_make(struct pkt_sizes *out, pkt_means_nothing *nothing)
{
    uint8_t by_first[256];

    for (unsigned i = 0; i < sizeof(out->of); i++) {
        bool is_new =
            i < 0x200 || second_matters((uint8_t)i); /* no other has told it */
        out->of[i] = is_new ? size_of((uint8_t)i, (uint8_t)(i >> 8), nothing)
                            : out->of[i & 0x1ff];
    }
    for (unsigned i = 0; i < 256; i++)
        by_first[i] = size_by_first(out, (uint8_t)i);
    for (unsigned i = 0; i < sizeof(out->of); i++) {
        if (out->of[i] == 1 && by_first[i >> 8])
            out->of[i] += by_first[i >> 8];
    }
}
