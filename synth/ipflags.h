/* ipflags.h - what a sample's flags say of a branch, in perf's numbering.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_IPFLAGS_H
#define PTS_SYNTH_IPFLAGS_H

/* Printed as the letters "bcrosyiABExghDt" when they make no known combination. */
enum {
    IPF_BRANCH = 1u << 0,
    IPF_CALL = 1u << 1,
    IPF_RETURN = 1u << 2,
    IPF_COND = 1u << 3,
    IPF_SYSCALL = 1u << 4, /* syscall or sysret */
    IPF_ASYNC = 1u << 5,
    IPF_INTERRUPT = 1u << 6,
    IPF_TX_ABORT = 1u << 7,
    IPF_TRACE_BEGIN = 1u << 8,
    IPF_TRACE_END = 1u << 9,
    IPF_IN_TX = 1u << 10,
    IPF_VM_ENTRY = 1u << 11,
    IPF_VM_EXIT = 1u << 12,
    IPF_INTR_OFF = 1u << 13,
    IPF_INTR_TOGGLE = 1u << 14
};

#endif
