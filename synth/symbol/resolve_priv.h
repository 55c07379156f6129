/* resolve_priv.h - what the files behind resolve.h share.
 *
 * SPDX-License-Identifier: MIT
 *
 *     resolve_place.c   dsos and symbols    resolve_code.c   code    resolve_line.c   source lines
 */
#ifndef PTS_SYNTH_SYMBOL_RESOLVE_PRIV_H
#define PTS_SYNTH_SYMBOL_RESOLVE_PRIV_H

#include "decoder/base/vec.h"
#include "synth/symbol/resolve.h"
#include "synth/symbol/srccode.h"
#include "synth/symbol/srcline.h"
#include "walker/code/insn.h"

#include <stdatomic.h>

struct dso_syms {
    struct symtab *tab; /* NULL: not loaded */
    struct srcline *lines;
    atomic_bool tried; /* who sees that it is set sees tab, too */
};

struct resolve_base {
    const struct sideband *sb;
    struct code_store *codes;
    struct resolve_opts opts;
    struct dso_syms *dso;        /* by number */
    struct sym_sources *symbols; /* by machine */
    uint32_t machines;
    uint32_t dso_count;
};

/* Code in one piece: the longest that perf lists. */
enum { JOINED_MAX = 16384 };

struct resolve {
    struct resolve_base *base;
    struct as_view *view;
    bool apart, missed;
    struct guest_view *guest;           /* by number */
    struct srccode *sources;            /* NULL: not asked for yet */
    VEC(struct srccode_last) last_code; /* by thread + 1 */
    struct insn_printer *printer;       /* NULL: not asked for yet */
    char text[PATH_MAX + INSN_TEXT_MAX];
    struct lookup look;
    char unnamed[24]; /* comm of a thread that has none */
    uint8_t joined[JOINED_MAX];
    uint8_t changed[JOINED_MAX]; /* code that is not as in its file */
};

/* Where an address is in the file; and the address by which its symbols are filed,
 * which for JIT map files is the address itself. */
static inline uint64_t map_offset(const struct as_map *m, uint64_t ip)
{
    return ip - m->start + m->pgoff;
}

static inline uint64_t map_addr(const struct as_map *m, uint64_t ip)
{
    return m->identity ? ip : map_offset(m, ip);
}

/* --- resolve_place.c --- */

/* What is mapped at ip as its thread sees it then; NULL: nothing. */
const struct as_map *resolve_map(struct resolve *r, const struct who *w,
                                 uint8_t cpumode, uint64_t ip);
/* The symbols of a dso, loaded if nobody has; NULL: it has none, or they may not be loaded here. */
const struct symtab *resolve_symbols(struct resolve *r, const struct sb_dso *dso);

/* A copy of memory: it knows no lines, and addresses in it are those of the kernel as it ran. */
bool resolve_is_kcore(const struct resolve *r, const struct sb_dso *dso);

/* --- resolve_code.c, resolve_line.c: what they answer --- */

void resolve_answers_code(struct lookup *look);
void resolve_answers_lines(struct lookup *look);

#endif
