/* psb_list.h - the PSBs of a buffer, found once and kept.
 *
 * SPDX-License-Identifier: MIT
 *
 * Looking for a time goes from PSB to PSB, and touches each page of a buffer on the way; a
 * list of them costs nothing.  It may come from a file that somebody else wrote: so whoever
 * goes to one looks whether it is there (psb_is_there).
 */
#ifndef PTS_DECODER_PT_PSB_LIST_H
#define PTS_DECODER_PT_PSB_LIST_H

#include "decoder/base/vec.h"

#include <ptscript/status.h>
#include <stdint.h>

/* Only 64-bit numbers: it is written as it is. */
struct pt_psb {
    uint64_t off; /* in the buffer */
    uint64_t tsc; /* 56 bits of its PSB+; PSB_UNTIMED: it has none */
};
#define PSB_UNTIMED UINT64_MAX

struct pt_psbs {
    const struct pt_psb *at; /* all that psb_find finds, ascending */
    uint64_t count;
};

struct psb_list {
    VEC(struct pt_psb) psb;
};

/* Adds those of a buffer.  PTS_END: it has too many for its size, or a PSB+ of an impossible
 * length, as no trace has, and none was added. */
PTS_MUST_USE pts_status psb_list_add(struct psb_list *l, const uint8_t *buf, size_t n);

/* The first at or behind `off`; l->count: there is none. */
uint64_t psb_list_from(const struct pt_psbs *l, uint64_t off);

/* Whether buf, of n bytes, has this PSB. */
bool psb_is_there(const struct pt_psb *psb, const uint8_t *buf, size_t n);

#endif
