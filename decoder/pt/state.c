/* state.c - whether two readers stand at the same point with the same knowledge.
 *
 * SPDX-License-Identifier: MIT
 *
 * Member by member, since what lies between members is not defined.
 */
#include "decoder/pt/state.h"

#include <string.h>

#define SAME(member) (a->member == b->member)

static bool clock_same(const struct pt_clock *a, const struct pt_clock *b)
{
    return SAME(now) && SAME(tsc) && SAME(ref) && SAME(buf_ref) && SAME(insns) &&
           SAME(have_tma) && SAME(fix_mtc) && SAME(last_mtc) && SAME(ctc_base) &&
           SAME(ctc_ticks) && SAME(have_cyc) && SAME(have_measured) &&
           (!a->have_measured || SAME(measured)) && SAME(by_cbr) && SAME(cyc_base) &&
           SAME(cyc_count) && SAME(cbr) && SAME(cbr_payload) && SAME(cycles) &&
           SAME(cycles_fresh) && SAME(est_base) && SAME(est_from) && SAME(cyc_per_tsc);
}

static bool evd_same(const struct pt_evd *a, const struct pt_evd *b)
{
    return SAME(count) && memcmp(a->type, b->type, a->count) == 0 &&
           memcmp(a->payload, b->payload, a->count * sizeof(a->payload[0])) == 0;
}

static bool bound_same(const struct pt_bound *a, const struct pt_bound *b)
{
    if (!SAME(what) || !SAME(cfe_ip) || !SAME(owed) || !SAME(tx) ||
        !evd_same(&a->evd, &b->evd))
        return false;
    if (a->what & EV_CFE && (!SAME(cfe_type) || !SAME(cfe_vector)))
        return false;
    for (uint32_t left = a->what; left; left &= left - 1) {
        unsigned nr = (unsigned)__builtin_ctz(left);
        if (!SAME(value[nr]))
            return false;
    }
    return true;
}

/* Items that are not there do not count. */
static bool pebs_same(const struct pt_pebs *a, const struct pt_pebs *b)
{
    if (!SAME(group) || !SAME(block.narrow))
        return false;
    for (unsigned g = 0; g < BLOCK_GROUPS; g++) {
        if (!SAME(block.has[g]))
            return false;
        for (uint32_t left = a->block.has[g]; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            if (!SAME(block.item[g][i]))
                return false;
        }
    }
    return true;
}

bool pt_state_same(const struct pt_state *a, const struct pt_state *b)
{
    return clock_same(&a->clk, &b->clk) && SAME(last_ip) && SAME(have_last_ip) &&
           SAME(tracing) && SAME(unbroken) && SAME(overflowed) && SAME(tx) &&
           SAME(exec_mode) && SAME(next_mode) && SAME(iflag) && SAME(next_iflag) &&
           SAME(from_iflag) && SAME(to_iflag) && SAME(nr) && SAME(next_nr) &&
           SAME(pip) && SAME(since_ovf) && SAME(cbr_seen) && SAME(psb_pos) &&
           bound_same(&a->bound, &b->bound) && pebs_same(&a->pebs, &b->pebs);
}
