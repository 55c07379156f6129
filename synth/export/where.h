/* where.h - ids of files and symbols.
 *
 * SPDX-License-Identifier: MIT
 *
 * An address without a symbol gets one of its own, "unknown", of no length, which is found again
 * at that address of the file: perf puts it among the file's symbols.
 */
#ifndef PTS_SYNTH_EXPORT_WHERE_H
#define PTS_SYNTH_EXPORT_WHERE_H

#include "decoder/base/idmap.h"
#include "decoder/base/vec.h"
#include "synth/export/rows.h"
#include "synth/sample/sink.h"
#include "synth/symbol/places.h"

/* One that got an id. */
struct export_symbol {
    uint64_t start, end; /* as filed with the file's symbols */
    const char *name;
    uint32_t id;
};

struct export_dso {
    uint32_t id;          /* 0: none yet */
    uint32_t last;        /* symbol found last, + 1; 0: none */
    uint64_t last_addr;   /* ... and where */
    struct idmap unknown; /* address -> symbol */
};

/* Zero-initialise but for the first two. */
struct export_where {
    const struct export_to *to;
    const struct scene *scene;
    struct resolve *resolve;
    struct places *places;
    struct export_dso *dso; /* by number */
    uint32_t dso_count, dsos;
    struct idmap known; /* a symbol of a file -> symbol */
    VEC(struct export_symbol) symbol;
};

enum { EXPORT_NO_SYMBOL = UINT32_MAX };

/* An address, looked up; then with ids. */
struct export_at {
    struct place place; /* of_dso NULL: in no map */
    uint32_t symbol; /* in export_where.symbol; EXPORT_NO_SYMBOL: none yet, or none */
    uint32_t dso_id, symbol_id;
    uint64_t off;
};

/* By its id, which is not 0. */
static inline const char *export_symbol_name(const struct export_where *w, uint32_t id)
{
    return w->symbol.at[id - 1].name;
}

pts_status export_where_init(struct export_where *w);
/* What lies there; how: as in places.h.  Those of one sample are looked up before any of them
 * gets ids. */
void export_where_look(struct export_where *w, const struct who *who, uint8_t how,
                       uint64_t ip, struct export_at *out);
/* The same once more for a frame of a call chain without a symbol: perf looks for the address
 * itself, not for that in the file, and takes it for that. */
void export_where_again(struct export_where *w, struct export_at *at);
/* Gives it ids; rows for what is new. */
pts_status export_where_ids(struct export_where *w, uint32_t machine,
                            struct export_at *at);
void export_where_free(struct export_where *w);

#endif
