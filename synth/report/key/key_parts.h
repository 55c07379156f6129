/* key_parts.h - what the files of keys share: the keys, and how places are compared.
 *
 * SPDX-License-Identifier: MIT
 *
 * Which of two rows perf takes for the greater one follows from subtraction of 64 bits,
 * so an address of the kernel can be below one of the user.
 */
#ifndef PTS_SYNTH_REPORT_KEY_KEY_PARTS_H
#define PTS_SYNTH_REPORT_KEY_KEY_PARTS_H

#include "synth/report/key/keys.h"

enum { ADDRESS_DIGITS = 16 };

/* key_task.c: who and when */
extern const struct key key_pid, key_comm, key_cpu, key_time, key_trace;
/* key_place.c: where */
extern const struct key key_dso, key_symbol, key_srcline, key_ipc_null;
/* key_size.c */
extern const struct key key_symbol_size, key_dso_size, key_addr, key_srcfile,
    key_parent;
/* key_branch.c: of branches */
extern const struct key key_dso_from, key_dso_to, key_symbol_from, key_symbol_to,
    key_mispredict, key_in_tx, key_abort, key_cycles, key_ipc_lbr;

/* Something stands in front of nothing. */
static inline int64_t by_presence(const void *a, const void *b)
{
    return (a != NULL) - (b != NULL);
}

static inline int64_t by_number(uint64_t a, uint64_t b)
{
    return (int64_t)(b - a);
}

static inline uint32_t word_of(struct key_context *c, const char *s, uint64_t *word)
{
    *word = s ? strings_kept(c->strings, s) : 0;
    return *word || !s ? 1 : 0;
}

/* key_more.c: what few samples have, and sockets */
extern const struct key key_socket, key_local_weight, key_weight, key_transaction,
    key_cgroup, key_cgroup_id, key_code_page_size, key_local_ins_lat, key_ins_lat,
    key_local_p_stage_cyc, key_p_stage_cyc;

/* key_ends.c: of branches, too */
extern const struct key key_srcline_from, key_srcline_to, key_addr_from, key_addr_to;

/* key_mem.c: of accesses to memory */
extern const struct key key_symbol_daddr, key_symbol_iaddr, key_dso_daddr,
    key_phys_daddr, key_data_page_size, key_locked, key_tlb, key_mem, key_snoop,
    key_blocked, key_dcacheline;

/* As much of a text as there is room for. */
static inline void text_cut(struct text *t, const char *s, size_t width)
{
    text_put(t, s, strnlen(s, width));
}

/* --- key_spot.c -------------------------------------------------------------------- */

/* Below 0: a stands in front of b. */
int64_t spot_dso_order(const struct spot_of *a, const struct spot_of *b);
uint32_t spot_dso_width(const struct key_context *c, const struct spot_of *s);
void spot_dso_put(const struct spot_of *s, struct text *t);
/* address: what makes it different where there is no symbol. */
uint32_t spot_sym_words(const struct spot_of *s, uint64_t address, uint64_t *word);
int64_t spot_sym_order(const struct spot_of *a, const struct spot_of *b);
void spot_sym_put(const struct spot_of *s, char level, uint64_t address, size_t width,
                  struct text *t);
uint32_t spot_sym_width(const struct spot_of *s);
/* The same with --verbose's address and letter in front, if these are asked for. */
void spot_full_put(const struct spot_of *s, char level, uint64_t address, size_t width,
                   struct text *t);
uint32_t spot_full_width(const struct spot_of *s);
/* By symbols, and files unless another key says these. */
int64_t spot_compare(const struct key_context *c, const struct subject *a,
                     const struct subject *b);
uint32_t spot_words(struct key_context *c, const struct subject *i, uint64_t *word);
/* Of columns of IPC, which go by symbols, and of those as wide as their title. */
uint32_t key_ipc_words(struct key_context *c, const struct subject *i, uint64_t *word);
uint32_t key_no_width(const struct key_context *c, const struct subject *i);

#endif
