/* out_cols.h - the rarer columns of a line; none of them has a memory.
 *
 * SPDX-License-Identifier: MIT
 *
 * What remembers something between lines, such as a width that only grows, is kept by
 * the caller.
 */
#ifndef PTS_SYNTH_PRINT_LINE_OUT_COLS_H
#define PTS_SYNTH_PRINT_LINE_OUT_COLS_H

#include "synth/print/text.h"
#include "synth/print/line/out_opts.h"
#include "synth/sample/sample.h"

/* cpumode, and a letter or two that depend on the record. */
void out_misc(struct text *t, uint16_t misc, uint32_t record_type);
/* The time of day of a moment of the recording's clock, local time. */
void out_tod(struct text *t, const struct out_opts *opts, uint64_t ns);
/* Instructions per cycle; nothing without both counts. */
void out_ipc(struct text *t, const struct sample *s);
/* Registers by name; and without the ABI in front. */
void out_regs(struct text *t, const struct pts_regs *r);
void out_reg_values(struct text *t, const struct pts_regs *r);
/* Where data came from; width: of the column so far. */
void out_data_src(struct text *t, uint64_t v, size_t *width);
/* One part of it, without its label. */
enum out_mem {
    OUT_MEM_OP,
    OUT_MEM_LEVEL,
    OUT_MEM_SNOOP,
    OUT_MEM_TLB,
    OUT_MEM_LOCK,
    OUT_MEM_BLOCK
};
void out_mem_part(struct text *t, uint64_t v, enum out_mem part);
/* Only the words of it. */
void out_data_src_words(struct text *t, uint64_t v);
/* What a BPF program wrote: lines of eight bytes, and the text if it is one. */
void out_bpf(struct text *t, struct raw_bytes raw);
/* The source line of an address behind `before`; nothing when perf has none. */
void out_srcline(struct text *t, const struct lookup *look, const struct place_query *q,
                 const char *before);
/* The same with the text of the line, on a line of its own. */
void out_srccode(struct text *t, const struct lookup *look,
                 const struct place_query *q);
/* An instruction as text. */
void out_disasm(struct text *t, const struct lookup *look, const struct place_query *q,
                const struct place_insn *insn);
/* A page size in bytes: " 4K" and the like. */
void out_page_size(struct text *t, uint64_t size);

#endif
