/* ratio_ahead.c - the ratios that a trace may still say.
 *
 * SPDX-License-Identifier: MIT
 *
 * Whoever reads packets up to bytes that look like a PSB ends there, wherever he began: each packet is shorter
 * than that, so one begins inside, and is the PSB itself or a bad one.  So a TSC right behind it ends each
 * stretch that begins before.
 */
#include "decoder/pt/ratio_ahead.h"

#include "decoder/pt/psb.h"

#include <stdbool.h>
#include <string.h>

enum { EXTENDED = 0x02, CBR = 0x03, PSB = 0x82, TSC = 0x19 };
enum { FAR = 1 << 20 }; /* bytes: PSBs are nearer, or nobody looks for the next one */

/* The first bytes in [at, end) with which a CBR or a PSB may begin; NULL: there are none. */
static const uint8_t *next_pair(const uint8_t *at, const uint8_t *end)
{
    enum { BLOCK = 32 };

    while (end - at > BLOCK) {
        uint8_t any = 0;
        for (unsigned i = 0; i < BLOCK; i++) /* a form that compilers make vectors of */
            any |= (uint8_t)((at[i] == EXTENDED) &
                             ((at[i + 1] == CBR) | (at[i + 1] == PSB)));
        if (any)
            break;
        at += BLOCK;
    }
    for (; end - at > 1; at++)
        if (at[0] == EXTENDED && (at[1] == CBR || at[1] == PSB))
            return at;
    return NULL;
}

static bool is_psb_with_time(const uint8_t *at, const uint8_t *end)
{
    if (end - at < PSB_BYTES || memcmp(at, psb_pattern, PSB_BYTES) != 0)
        return false;
    at += PSB_BYTES;
    while (at < end && !*at) /* PAD */
        at++;
    return at < end && *at == TSC;
}

/* Of a packet that is cut off, as low as any. */
static uint8_t ratio_at(const uint8_t *cbr, const uint8_t *end)
{
    return end - cbr > 2 ? cbr[2] : 0;
}

uint8_t ratio_lowest(struct ratio_ahead *r, uint64_t pos, const uint8_t *at,
                     const uint8_t *end)
{
    const bool far = end - at > FAR;
    const uint8_t *p = at;

    if (pos >= r->from && pos < r->to)
        return r->lowest;
    end = far ? at + FAR : end;
    r->lowest = RATIO_NONE;
    for (; (p = next_pair(p, end)); p++) {
        if (p[1] != CBR && is_psb_with_time(p, end))
            break;
        if (p[1] == CBR && ratio_at(p, end) < r->lowest)
            r->lowest = ratio_at(p, end);
    }
    if (!p && far)
        r->lowest = 0;
    r->from = pos;
    r->to = pos + (uint64_t)((p ? p : end) - at) + 1;
    return r->lowest;
}
