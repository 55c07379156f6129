/* ild.h - how long an x86 instruction is, and whether it branches.
 *
 * SPDX-License-Identifier: MIT
 *
 * The walker needs no more of an instruction than this, so nothing else is decoded.
 * Bytes that no processor gives a meaning to yet are sized by the shape of their
 * opcode map: code compiled for a newer processor should still be walkable.
 */
#ifndef PTS_WALKER_CODE_ILD_H
#define PTS_WALKER_CODE_ILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of branch, as perf's intel-pt-insn-decoder groups them: INT is int3, int n and
 * into but not int1; JCC includes jcxz; far calls, jumps and returns are with the near
 * ones.  Those perf 6.1 does not know: eretu, erets and uiret are IRET, jmpabs is JMP.
 * xbegin and xabort are OTHER: an abort is told by packets. */
enum insn_class {
    INSN_OTHER,
    INSN_CALL,
    INSN_RET,
    INSN_JCC,
    INSN_LOOP,
    INSN_JMP,
    INSN_IRET,
    INSN_INT,
    INSN_SYSCALL,
    INSN_SYSRET,
    INSN_VMENTRY
};

enum insn_branch {
    BRANCH_NONE,
    BRANCH_COND,
    BRANCH_DIRECT,  /* always taken, to ip + len + rel */
    BRANCH_INDIRECT /* the trace tells where (a far or a system transfer, too) */
};

/* No branches, but packets belong to them. */
enum { INSN_PTWRITE = 1, INSN_MOV_CR3 = 2 };

/* Sizes of code; ILD_SDM is added where instructions are those of the manual, of later processors too, and not
 * those that perf 6.1 sees (docs/compat.md, "32- and 64-bit code"). */
enum ild_mode { ILD_64, ILD_32, ILD_16, ILD_SIZE = 3, ILD_SDM = 4 };

static inline bool ild_is_64(unsigned mode)
{
    return (mode & ILD_SIZE) == ILD_64;
}

#define ILD_MAX 15 /* the processor refuses anything longer */

struct ild {
    uint8_t len; /* 0: undecodable, or needs more bytes than there are */
    uint8_t cls; /* enum insn_class */
    uint8_t branch;
    uint8_t special; /* INSN_PTWRITE, INSN_MOV_CR3 or 0 */
    int32_t rel;     /* of BRANCH_COND and BRANCH_DIRECT, else 0 */
};

/* Sizes the instruction at code[0..n).  n may be less than ILD_MAX; nothing at or after
 * code[n] is read. */
struct ild ild_decode(const uint8_t *code, size_t n, enum ild_mode mode);

/* How many bytes the next instructions of 64-bit code are, *count at most, up to a branch or
 * one that ild_decode has to look at; *count becomes how many they are.  They are OTHER and
 * nothing special, and n leaves room behind each.  *branch: that branch; of length 0 where the
 * run ends otherwise. */
size_t ild_run(const uint8_t *code, size_t n, enum ild_mode mode, uint32_t *count,
               struct ild *branch);

#endif
