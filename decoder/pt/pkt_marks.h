/* pkt_marks.h - where a packet may stand, and what it leaves alone: packets.def as sets.
 *
 * SPDX-License-Identifier: MIT
 *
 * A set of kinds is one word with a bit each.  They are made here, in a header, so that the
 * compiler knows them: the tokenizer asks for one of them at every packet.
 */
#ifndef PTS_DECODER_PT_PKT_MARKS_H
#define PTS_DECODER_PT_PKT_MARKS_H

#include <ptscript/packet.h>

#include <stdbool.h>
#include <stdint.h>

enum pkt_mark {
    PKT_IN_BLOCK, /* may stand inside a block; any other packet ends it */
    PKT_IN_PSB,   /* may stand inside a PSB+ */
    PKT_STEADY,   /* in a stretch over which the length of a cycle is measured */
    PKT_NEW_IP,   /* execution went elsewhere, or was not seen */
    PKT_MARKS
};

#define BLOCK  (1u << PKT_IN_BLOCK)
#define PSBP   (1u << PKT_IN_PSB)
#define STEADY (1u << PKT_STEADY)
#define NEW_IP (1u << PKT_NEW_IP)

static const uint64_t pkt_marked[PKT_MARKS] = {
#define PTS_PACKET(name, number, word, text, marks, binding, event)                    \
    | (uint64_t)((marks) >> MARK & 1) << (number)
#define MARK PKT_IN_BLOCK
    [PKT_IN_BLOCK] = 0
#include <ptscript/packets.def>
    ,
#undef MARK
#define MARK PKT_IN_PSB
    [PKT_IN_PSB] = 0
#include <ptscript/packets.def>
    ,
#undef MARK
#define MARK PKT_STEADY
    [PKT_STEADY] = 0
#include <ptscript/packets.def>
    ,
#undef MARK
#define MARK PKT_NEW_IP
    [PKT_NEW_IP] = 0
#include <ptscript/packets.def>
#undef MARK
#undef PTS_PACKET
};

#undef BLOCK
#undef PSBP
#undef STEADY
#undef NEW_IP

_Static_assert(PTS_PKT_KINDS <= 64, "a set of kinds is one word");

static inline bool pkt_has(unsigned kind, enum pkt_mark mark)
{
    return pkt_marked[mark] >> kind & 1;
}

#endif
