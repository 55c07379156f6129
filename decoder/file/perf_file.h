/* perf_file.h - an opened perf.data file: its events, ids, features and data.
 *
 * SPDX-License-Identifier: MIT
 *
 * decoder/open fills it in: that reads everything which describes the recording and
 * walks all records once, so that later readers need not ask whether a record lies
 * inside the file.  After that nothing changes: any number of threads may read.
 *
 * A pipe-format file has no header to speak of; the same facts come as records and are
 * gathered by that walk.
 *
 * Offsets of records are places on the tape (perf_tape.h).
 */
#ifndef PTS_DECODER_FILE_PERF_FILE_H
#define PTS_DECODER_FILE_PERF_FILE_H

#include "decoder/base/arena.h"
#include "decoder/base/bytes.h"
#include "decoder/file/input.h"
#include "decoder/file/perf_abi.h"
#include "decoder/file/perf_tape.h"
#include "decoder/file/spool.h"
#include "decoder/base/vec.h"

#include <ptscript/attr.h>
#include <ptscript/record.h>
#include <ptscript/session.h>

/* One event of the recording. */
struct perf_evsel {
    struct pts_attr attr;
    const char *name; /* as recorded; NULL when the file does not say */
    const uint64_t *ids;
    uint32_t id_count;
    uint8_t id_bytes; /* sample id at the end of other records than SAMPLE */
    uint64_t since;   /* offset of the record that brought it; 0 from the start */
};

/* What was odd about the file though it could be opened. */
enum perf_oddity {
    PERF_ODD_PIPE = 1 << 0,    /* pipe format */
    PERF_ODD_NO_SIZE = 1 << 1, /* the header gives no data size */
    PERF_ODD_CUT = 1 << 2,     /* data ends early, or in a bad record at `bad` */
    PERF_ODD_FEATURE = 1 << 3, /* a feature section lies outside the file */
    PERF_ODD_PACKED = 1 << 4,  /* a record at `bad` cannot be unpacked */
    PERF_ODD_NO_ATTR = 1 << 5, /* the header gives no size of an attribute */
    PERF_ODD_SWOLLEN = 1 << 6, /* a record at `bad` unpacks to more than there may be */
    PERF_ODD_IDS = 1 << 7,     /* ids of the event at `ids` lie outside the file */
    PERF_ODD_GAP = 1 << 8, /* a bad record at `gap`: the next one used is at `again` */
    /* Any by which bytes were left out. */
    PERF_ODD_LESS = PERF_ODD_CUT | PERF_ODD_PACKED | PERF_ODD_SWOLLEN | PERF_ODD_GAP
};

/* A file with records: bytes from ptr[from] to ptr[end]. */
struct perf_source {
    const char *path; /* as perf shows it */
    const uint8_t *ptr;
    uint64_t from, end; /* its records begin and end */
    uint64_t behind;    /* bytes of the file at end, where a last payload may reach */
    uint64_t uncounted; /* bytes in front that perf does not count */
    struct input in;    /* not of the first, which has perf_file.in */
};

/* The offset of a byte of the source as perf counts. */
static inline uint64_t perf_source_shown(const struct perf_source *s, const uint8_t *p)
{
    return (uint64_t)(p - s->ptr) - s->uncounted;
}

/* Where a record is, as perf says it. */
struct perf_shown {
    const char *path;
    uint64_t off;
};

/* What the header says, before anything is looked at. */
struct perf_said {
    uint8_t version; /* of the format: 1 or 2 */
    uint64_t attrs_size, data_size;
    /* Bits of the sections that it speaks of: there may be less in the file, and nothing
     * at all when the table of them is not there. */
    uint8_t announced[PERF_FEATURE_BYTES];
    bool no_table;
};

/* The records, and those among them that opening has to remember. */
struct perf_data {
    uint64_t off, end; /* on the tape */
    struct perf_tape tape;
    uint64_t count, packed; /* on the tape; COMPRESSED ones, not there */
    uint64_t info_off;      /* first AUXTRACE_INFO record; 0 none */
    uint64_t desc_off;      /* last FEATURE record with EVENT_DESC; 0 none */
    bool samples;           /* there are SAMPLE records */
};

/* What is not as it should be. */
struct perf_damage {
    uint32_t odd; /* enum perf_oddity */
    struct perf_shown
        bad; /* for _CUT, _PACKED and _SWOLLEN: what follows is not read */
    struct perf_shown gap; /* the first of _GAP */
    uint64_t again;
    uint64_t ids;   /* for PERF_ODD_IDS: where the event's attributes are */
    uint64_t first; /* record that says the impossible; UINT64_MAX none */
};

/* How records tell which event they are of. */
struct perf_ids {
    VEC(struct pts_counter) counter; /* ascending by id */
    VEC(uint64_t) index;             /* offsets of the ID_INDEX records */
    int8_t in_sample, in_others;     /* word of the id, from the end in others */
};

/* What a bare trace allows that a recording of perf record does not. */
struct perf_bare {
    bool images;       /* code was given by hand: it is that of guests, too */
    uint64_t late_tsc; /* its first TSC packet is behind the first PSB+; else 0 */
};

struct perf_file {
    struct input in;
    const char *path;
    const char *dir; /* of a recording that is one, as it was named, or NULL */
    bool pipe;
    bool raw; /* a bare trace (perf_raw.h) */
    struct perf_bare bare;
    bool foreign; /* of the other byte order: so are the features, nothing else */
    struct perf_said said;
    VEC(struct perf_source) source; /* in the order in which perf reads */
    struct perf_data data;
    struct perf_damage damage;
    VEC(struct perf_evsel) evsel;
    struct perf_ids ids;
    struct pts_bytes feature[PTS_FEAT_END]; /* ptr NULL: absent */
    struct arena arena;
    struct spool spool;
    struct spool kept; /* records, see perf_keep.h */
};

/* One without records: of an opener, or for what is known of events; NULL when there is
 * no memory. */
struct perf_file *perf_file_new(void);
void perf_file_close(struct perf_file *f); /* NULL is fine */

/* Standard input: perf does not look how much of it there is. */
static inline bool perf_file_is_stdin(const struct perf_file *f)
{
    return strcmp(f->path, "-") == 0;
}

/* Says what was odd, in perf's words where it has any; quiet: those are left out. */
void perf_file_report(const struct perf_file *f, bool quiet, pts_message_fn *message,
                      void *ctx);
/* What perf says when it is about to decode a trace from a pipe. */
void perf_file_warn_pipe(const struct perf_file *f, pts_message_fn *message, void *ctx);

/* Mapped bytes count as memory while they are looked at.  So whoever goes through a file adds
 * what it has passed, and from time to time all pages are let go: no more than about so many
 * bytes of a recording are in memory, however long it is. */
enum { PERF_FILE_WINDOW = 2 << 20 };
void perf_file_let_go(const struct perf_file *f);
/* Who is about to read n bytes from `at` on, wherever they are, says so: it may be cheaper to have
 * many of them at once. */
void perf_file_soon(const struct perf_file *f, const uint8_t *at, size_t n);
/* The trace will be read by several threads, some of it ahead. */
void perf_file_for_many(const struct perf_file *f);

enum { PERF_PASSED_PLACES = 64 };
struct perf_passed {
    uint64_t bytes;                     /* since pages were let go */
    uint64_t place[PERF_PASSED_PLACES]; /* perf_rec_passed: that were counted */
};
/* Whether pages were let go. */
static inline bool perf_file_passed(const struct perf_file *f,
                                    struct perf_passed *passed, uint64_t n)
{
    passed->bytes += n;
    if (passed->bytes < PERF_FILE_WINDOW)
        return false;
    passed->bytes = 0;
    perf_file_let_go(f);
    return true;
}

/* The counter with this id, or NULL. */
const struct pts_counter *perf_file_id(const struct perf_file *f, uint64_t id);
/* All bits of sample_type that an event known before offset `off` has. */
uint64_t perf_file_sample_type(const struct perf_file *f, uint64_t off);
/* Whether records other than samples carry a sample id; false before any event is
 * known. */
bool perf_file_id_all(const struct perf_file *f, uint64_t off);

/* Where perf says the record at off is. */
struct perf_shown perf_file_shown(const struct perf_file *f, uint64_t off);
/* Where what perf says is at `shown` is; false when it is not among the records, or
 * there are several sources. */
bool perf_file_of_shown(const struct perf_file *f, uint64_t shown, uint64_t *off);

/* --- Making one --- */

/* Adds an event; since: offset of the record that told of it, 0 for none. */
pts_status perf_file_put_event(struct perf_file *f, const struct pts_attr *attr,
                               struct pts_words ids, uint64_t since,
                               struct pts_diag *why);
/* After events were added to it: their records can be told apart.  PTS_E_FORMAT: they
 * cannot, and the last event is forgotten. */
PTS_MUST_USE pts_status perf_file_learnt(struct perf_file *f, struct pts_diag *why);

#endif
