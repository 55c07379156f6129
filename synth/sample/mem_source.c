/* mem_source.c - where data came from, as processors put it into their PEBS records.
 *
 * SPDX-License-Identifier: MIT
 *
 * Only small cores write their PEBS records into the trace, and of these only Gracemont
 * and Crestmont say where data came from, for two events:
 *
 *     Gracemont    | .. | blocked 6 | TLB miss 5 | locked 4 | source 3:0 |
 *     Crestmont    | .. | blocked 7 | TLB miss 6 | locked 5 | source 4:0 |
 */
#include "synth/sample/mem_source.h"

#include <string.h>

/* Fields of perf_mem_data_src. */
enum {
    OP_AT = 0,
    LEVEL_AT = 5,
    SNOOP_AT = 19,
    LOCK_AT = 24,
    TLB_AT = 26,
    NUMBER_AT = 33,
    REMOTE_AT = 37,
    FORWARD_AT = 38,
    BLOCK_AT = 40
};

enum { NA = 1, OP_LOAD = 2, LOCKED = 2, BLOCKED_DATA = 2 };
enum {
    HIT = 2,
    MISS = 4,
    L1 = 1 << 3,
    LFB = 1 << 4,
    L2 = 1 << 5,
    L3 = 1 << 6,
    RAM = 1 << 7,
    FAR_RAM = 1 << 8,
    FAR_CACHE = 1 << 10,
    IO = 1 << 12,
    UNCACHED = 1 << 13
};
enum { NUMBER_LFB = 12, NUMBER_RAM = 13, NUMBER_NA = 15 };
enum { NO_SNOOP = 2, SNOOP_HIT = 4, SNOOP_MISS = 8, SNOOP_HITM = 16 };
enum { TLB_L1 = 8, TLB_L2 = 16 };

enum { SOURCES = 16 };

struct source {
    uint16_t level;
    uint8_t number, snoop;
    bool remote, forward;
};

static const struct source gracemont[SOURCES] = {
    {MISS,            3,          NA,                    0, 0},
    {HIT | L1,        1,          NO_SNOOP,              0, 0},
    {HIT | LFB,       NUMBER_LFB, NO_SNOOP,              0, 0},
    {HIT | L2,        2,          NO_SNOOP,              0, 0},
    {HIT | L3,        3,          NO_SNOOP,              0, 0},
    {HIT | L3,        3,          SNOOP_HIT,             0, 0},
    {HIT | L3,        3,          SNOOP_HITM,            0, 0},
    {HIT | L3,        3,          SNOOP_HITM,            0, 0},
    {HIT | L3,        3,          0,                     0, 1},
    {HIT | FAR_CACHE, 3,          SNOOP_HITM,            1, 0},
    {HIT | RAM,       NUMBER_RAM, SNOOP_HIT,             0, 0},
    {HIT | FAR_RAM,   3,          SNOOP_HIT,             1, 0},
    {HIT | RAM,       NUMBER_RAM, NO_SNOOP | SNOOP_MISS, 0, 0},
    {HIT | FAR_RAM,   NUMBER_RAM, NO_SNOOP | SNOOP_MISS, 1, 0},
    {HIT | IO,        NUMBER_NA,  NO_SNOOP,              0, 0},
    {HIT | UNCACHED,  NUMBER_NA,  NO_SNOOP,              0, 0},
};

static const struct source crestmont[SOURCES] = {
    {MISS,            3,          NA,         0, 0},
    {HIT | L1,        1,          NO_SNOOP,   0, 0},
    {HIT | LFB,       NUMBER_LFB, NO_SNOOP,   0, 0},
    {HIT | L2,        2,          NO_SNOOP,   0, 0},
    {HIT | L3,        3,          NO_SNOOP,   0, 0},
    {HIT | L3,        3,          SNOOP_MISS, 0, 0},
    {HIT | L3,        3,          SNOOP_HIT,  0, 0},
    {HIT | L3,        3,          0,          0, 1},
    {HIT | L3,        3,          SNOOP_HITM, 0, 0},
    {HIT | FAR_CACHE, 3,          SNOOP_HITM, 1, 0},
    {HIT | RAM,       NUMBER_RAM, NO_SNOOP,   0, 0},
    {HIT,             NUMBER_RAM, NO_SNOOP,   1, 0},
    {HIT,             NUMBER_RAM, 0,          1, 1},
    {HIT,             NUMBER_RAM, SNOOP_HITM, 1, 0},
    {HIT | IO,        NUMBER_NA,  NO_SNOOP,   0, 0},
    {HIT | UNCACHED,  NUMBER_NA,  NO_SNOOP,   0, 0},
};

enum mem_format mem_format_of(const char *cpuid, const struct evl_attr *a)
{
    static const struct {
        const char *cpu;
        enum mem_format format;
    } known[] = {
        {"GenuineIntel,6,190,", MEM_GRACEMONT}, /* Alder Lake N */
        {"GenuineIntel,6,175,", MEM_CRESTMONT}, /* Sierra Forest */
        {"GenuineIntel,6,182,", MEM_CRESTMONT}, /* Grand Ridge */
    };
    enum { MEM_LOADS = 0x5d0, MEM_STORES = 0x6d0 };
    uint16_t event = (uint16_t)a->config;

    if (!cpuid || a->type != PTS_TYPE_RAW ||
        (event != MEM_LOADS && event != MEM_STORES))
        return MEM_UNKNOWN;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strncmp(cpuid, known[i].cpu, strlen(known[i].cpu)) == 0)
            return known[i].format;
    return MEM_UNKNOWN;
}

static uint64_t at(uint64_t bits, unsigned where)
{
    return bits << where;
}

static uint64_t source_bits(const struct source *s)
{
    return at(OP_LOAD, OP_AT) | at(s->level, LEVEL_AT) | at(s->snoop, SNOOP_AT) |
           at(s->number, NUMBER_AT) | at(s->remote, REMOTE_AT) |
           at(s->forward, FORWARD_AT);
}

uint64_t mem_source(enum mem_format format, uint64_t word)
{
    if (format == MEM_UNKNOWN)
        return at(NA, OP_AT) | at(NA, LEVEL_AT) | at(NA, SNOOP_AT) | at(NA, LOCK_AT) |
               at(NA, TLB_AT) | at(NUMBER_NA, NUMBER_AT);
    const struct source *from = format == MEM_GRACEMONT ? gracemont : crestmont;
    uint64_t flags = word >> (format == MEM_GRACEMONT ? 4 : 5);
    bool locked = flags & 1, tlb_miss = flags & 2, blocked = flags & 4;

    return source_bits(&from[word % SOURCES]) | at(locked ? LOCKED : 0, LOCK_AT) |
           at(tlb_miss ? MISS | TLB_L2 : HIT | TLB_L1 | TLB_L2, TLB_AT) |
           at(blocked ? BLOCKED_DATA : NA, BLOCK_AT);
}
