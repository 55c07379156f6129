/* jit_elf.h - a function of a jitdump as an ELF file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_INJECT_JIT_ELF_H
#define PTS_SYNTH_INJECT_JIT_ELF_H

#include "synth/print/text.h"
#include "walker/code/jitdump.h"

enum { JIT_ELF_TEXT = 0x80, JIT_ELF_ID = 20 };

/* Appends the file that perf inject -j makes of it, and says its build id: perf takes a random
 * one, this one is a hash of all that is in the file. */
void jit_elf_put(struct text *t, const struct jit_code *code, uint8_t id[JIT_ELF_ID]);

#endif
