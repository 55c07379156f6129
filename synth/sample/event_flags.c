/* event_flags.c - perf's flags of a branch that the decoder tells.
 *
 * SPDX-License-Identifier: MIT
 *
 *     what happened                  flags
 *     a transaction was aborted      tx abrt
 *     an interrupt or the like       async, and hw int, vmexit or tr end
 *     an instruction did it          by its class; without one the trace begins there
 *     and then                       trace begin, trace end, interrupt flag
 *
 * Flags of the interrupt flag are added only for processors that tell it, as perf does:
 * else every branch would be said to run with interrupts off.
 */
#include "synth/sample/event_flags.h"

#include "walker/code/ild.h"

#include <ptscript/sample.h>

const uint32_t event_class_flags[EVENT_CLASSES] = {
    [INSN_OTHER] = 0,
    [INSN_CALL] = PTS_FLAG_BRANCH | PTS_FLAG_CALL,
    [INSN_RET] = PTS_FLAG_BRANCH | PTS_FLAG_RETURN,
    [INSN_JCC] = PTS_FLAG_BRANCH | PTS_FLAG_COND,
    [INSN_LOOP] = PTS_FLAG_BRANCH | PTS_FLAG_COND,
    [INSN_JMP] = PTS_FLAG_BRANCH,
    [INSN_IRET] = PTS_FLAG_BRANCH | PTS_FLAG_RETURN | PTS_FLAG_INTERRUPT,
    [INSN_INT] = PTS_FLAG_BRANCH | PTS_FLAG_CALL | PTS_FLAG_INTERRUPT,
    [INSN_SYSCALL] = PTS_FLAG_BRANCH | PTS_FLAG_CALL | PTS_FLAG_SYSCALL,
    [INSN_SYSRET] = PTS_FLAG_BRANCH | PTS_FLAG_RETURN | PTS_FLAG_SYSCALL,
    [INSN_VMENTRY] = PTS_FLAG_BRANCH | PTS_FLAG_CALL | PTS_FLAG_VM_ENTRY,
};

static uint32_t flags_of_async(const struct pt_event *ev)
{
    if (!ev->to)
        return PTS_FLAG_BRANCH | PTS_FLAG_ASYNC | PTS_FLAG_TRACE_END;
    if (ev->flags & EVF_FROM_NR && !(ev->flags & EVF_TO_NR))
        return PTS_FLAG_BRANCH | PTS_FLAG_CALL | PTS_FLAG_ASYNC | PTS_FLAG_VM_EXIT;
    return PTS_FLAG_BRANCH | PTS_FLAG_CALL | PTS_FLAG_ASYNC | PTS_FLAG_INTERRUPT;
}

static uint32_t flags_of_iflag(const struct pt_event *ev)
{
    bool from = ev->flags & EVF_FROM_IF, to = ev->flags & EVF_TO_IF;

    if (!(ev->what & EV_IFLAG))
        return to ? 0 : PTS_FLAG_INTR_OFF;
    return (from ? 0u : PTS_FLAG_INTR_OFF) | (from != to ? PTS_FLAG_INTR_TOGGLE : 0u);
}

uint32_t event_flags_of_any(const struct pt_event *ev, bool interrupts)
{
    uint32_t flags;

    if (ev->flags & EVF_TX_ABORT) {
        flags = PTS_FLAG_BRANCH | PTS_FLAG_TX_ABORT;
    } else if (ev->flags & EVF_ASYNC) {
        flags = flags_of_async(ev);
    } else {
        flags = !ev->from                 ? PTS_FLAG_BRANCH | PTS_FLAG_TRACE_BEGIN
                : ev->cls < EVENT_CLASSES ? event_class_flags[ev->cls]
                                          : 0;
        if (ev->flags & EVF_IN_TX)
            flags |= PTS_FLAG_IN_TX;
    }
    if (ev->what & EV_TRACE_BEGIN)
        flags |= PTS_FLAG_TRACE_BEGIN;
    if (ev->what & EV_TRACE_END)
        flags |= PTS_FLAG_TRACE_END;
    return interrupts ? flags | flags_of_iflag(ev) : flags;
}
