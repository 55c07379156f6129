/* frames.h - the call chain of a sample, with what lies at its addresses.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_REPORT_FRAMES_H
#define PTS_SYNTH_REPORT_FRAMES_H

#include "decoder/base/vec.h"
#include "synth/report/hops.h"
#include "synth/report/lines.h"
#include "synth/report/parents.h"
#include "synth/report/key/subject.h"
#include "synth/sample/sample.h"
#include "synth/symbol/places.h"

/* When two frames are the same. */
enum frame_key { FRAME_FUNCTION, FRAME_ADDRESS, FRAME_SRCLINE };

struct frame {
    uint64_t ip, start;  /* of the symbol, if there is one */
    const char *sym;     /* NULL: none */
    const char *srcline; /* NULL: not asked for */
    uint32_t dso;        /* struct place's dso_order */
    uint8_t cpumode;
    bool inlined; /* a function that was inlined where the sample is */
};

struct frames {
    const char *parent; /* the first symbol that is one; NULL: none */
    bool begun;         /* at one that want->first has, which stands for the sample */
    size_t
        unwound; /* frames of a stack dump, at the end or, callers first, the begin */
    struct frame *at;
    size_t len, cap;
    struct hop *hop; /* of each frame; NULL: they are not counted */
    size_t hop_cap;
};

void frames_free(struct frames *f);

/* Below 0: a is the smaller one.  Those of other files have nothing in common. */
int frame_compare(const struct frame *a, const struct frame *b, enum frame_key key);

/* Frames that came before, each for whoever came last: what they are made of lies far apart. */
enum { FRAMES_KNOWN = 1 << 14 };
struct frame_known {
    uint64_t maps;
    uint32_t guest;
    bool there;
    struct frame frame;
};

struct frames_want {
    struct places *places;
    struct frame_known *known; /* FRAMES_KNOWN that began as zeros; NULL: not kept */
    const struct lookup *look;
    struct lines *lines;
    struct parents *parents; /* NULL: nobody asks for them */
    struct parents
        *first; /* of these chains begin with the last one; NULL: as they are */
    uint64_t max_stack;
    enum frame_key key; /* but for functions frames get their lines */
    bool callers_first, hide_unresolved, inlined;
    bool history, hops; /* branches are in the chains, and counted */
};

/* The frames of a sample's chain, in the order that is wanted, in place of what was there. */
pts_status frames_take(struct frames *f, const struct frames_want *want,
                       const struct sample *s);

/* A frame without a line. */
static inline struct frame frame_at(struct places *places, const struct who *who,
                                    uint8_t mode, uint64_t ip)
{
    const struct place *p = place_at(places, who, mode, ip);

    return (struct frame){.ip = ip,
                          .start = p->sym_start,
                          .sym = p->sym,
                          .dso = p->dso_order,
                          .cpumode = mode};
}

/* --- Between its files ------------------------------------------------------------- */

/* One more frame; h: NULL or what it is of a branch. */
pts_status frame_put(struct frames *f, const struct frames_want *want,
                     const struct place_query *q, const struct hop *h);
/* history.c: the branches of a sample, and what its chain has beyond them. */
pts_status frames_put_history(struct frames *f, const struct frames_want *want,
                              const struct sample *s);

#endif
