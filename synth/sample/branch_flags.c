/* branch_flags.c - the word of a branch stack entry that says how the branch went.
 *
 * SPDX-License-Identifier: MIT
 *
 *     63..33    29..26    23..20  19..4   3      2      1          0
 *     reserved  extended  type    cycles  abort  in tx  predicted  mispredicted
 */
#include "synth/sample/branch_flags.h"

struct branch_flags branch_flags(uint64_t word)
{
    return (struct branch_flags){
        .mispred = word & 1,
        .predicted = word >> 1 & 1,
        .in_tx = word >> 2 & 1,
        .abort = word >> 3 & 1,
        .cycles = word >> 4 & 0xffff,
        .type = word >> 20 & 15,
        .extended = word >> 26 & 15,
        .reserved = (unsigned)(word >> 33),
    };
}

const char *branch_type(const struct branch_flags *b)
{
    static const char *const types[] = {"",       "COND",      "UNCOND",   "IND",
                                        "CALL",   "IND_CALL",  "RET",      "SYSCALL",
                                        "SYSRET", "COND_CALL", "COND_RET", "ERET",
                                        "IRQ",    "SERROR",    "NO_TX"};
    static const char *const extended[] = {"FAULT_ALGN", "FAULT_DATA", "FAULT_INST",
                                           "ARCH_1",     "ARCH_2",     "ARCH_3",
                                           "ARCH_4",     "ARCH_5"};
    if (b->type < sizeof(types) / sizeof(types[0]))
        return types[b->type];
    /* perf has no name, and prints that */
    return b->extended < sizeof(extended) / sizeof(extended[0]) ? extended[b->extended]
                                                                : "(null)";
}
