/* ptcount.c TRACE... - prints how many branches the packets of bare traces decide.
 *
 * SPDX-License-Identifier: MIT
 *
 * A bit of a TNT is one, and so is a TIP.
 */
#include <inttypes.h>
#include <ptscript/packet.h>

#include "tests/bench/slurp.h"

static uint64_t branches(const char *path)
{
    size_t n;
    uint8_t *trace = slurp(path, &n);
    struct pts_pkt_cursor c = pts_pkt_cursor_of(trace, n);
    struct pts_pkt pkt;
    uint64_t count = 0;
    while (pts_pkt_next(&c, &pkt) == PTS_OK) {
        if (pkt.kind == PTS_PKT_TNT)
            count += pkt.count;
        count += pkt.kind == PTS_PKT_TIP;
    }
    munmap(trace, n);
    return count;
}

int main(int argc, char **argv)
{
    uint64_t count = 0;
    for (int i = 1; i < argc; i++)
        count += branches(argv[i]);
    printf("%" PRIu64 "\n", count);
    return 0;
}
