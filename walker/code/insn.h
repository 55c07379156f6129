/* insn.h - an instruction as text, in AT&T syntax.
 *
 * SPDX-License-Identifier: MIT
 *
 * What perf (6.10 and newer) prints for its field `disasm`: "mnemonic operands", with
 * the space even when there are no operands.  perf puts a symbol in the place of a sole
 * immediate operand; who knows symbols does that with insn_target().
 */
#ifndef PTS_WALKER_CODE_INSN_H
#define PTS_WALKER_CODE_INSN_H

#include "walker/code/ild.h"

#include <stdbool.h>

#define INSN_TEXT_MAX 256 /* no text with its NUL is longer */

/* Owns disassembler state: one per thread. */
struct insn_printer;

/* NULL when there is no memory.  insn_close(NULL) is fine. */
struct insn_printer *insn_open(void);
void insn_close(struct insn_printer *p);

/* Writes the instruction code[0..len), as sized by ild_decode, that is executed at ip.
 * What the disassembler does not know, or believes to be of another length, becomes
 * ".byte 0x0f, 0xff".  The text is cut to cap with its NUL; gives strlen(buf). */
size_t insn_text(struct insn_printer *p, const uint8_t *code, size_t len, uint64_t ip,
                 enum ild_mode mode, char *buf, size_t cap);

/* About the last instruction given to insn_text: true when an immediate is its only
 * operand (direct jumps and calls, but also push and int).  *prefix is how much of the
 * text comes before the operand. */
bool insn_target(const struct insn_printer *p, uint64_t *target, size_t *prefix);

#endif
