/* key_field.h - fields of tracepoints as keys: [EVENT.]FIELD[/raw], EVENT.*, trace_fields.
 *
 * SPDX-License-Identifier: MIT
 *
 * Such a key is that of one event.  Others have neither its column nor are their rows
 * different by it, so each event has columns of its own (report_own_columns).
 */
#ifndef PTS_SYNTH_REPORT_KEY_KEY_FIELD_H
#define PTS_SYNTH_REPORT_KEY_KEY_FIELD_H

#include "decoder/base/arena.h"
#include "decoder/base/vec.h"
#include "synth/plan/event_attr.h"
#include "synth/print/tracepoint/tracepoint.h"
#include "synth/report/key/keys.h"

struct tp_field;
struct tp_event;

struct field_key {
    struct key key; /* whose .field this is */
    struct tp_event *format;
    struct tp_field *field;
    uint32_t event;
    bool raw;        /* not as the text of the sample shows it */
    bool string;     /* what the field was before it was in any text */
    uint32_t length; /* the longest that was met */
};

struct field_found {
    const struct field_key *key;
};

/* Zero-initialise but for the first members, which are lent. */
struct field_keys {
    const struct evl_attr *attr; /* of the recording's events */
    size_t attr_count;           /* 0: nothing is known of them yet */
    struct pts_bytes formats;
    bool raw; /* all are */
    struct tracepoints *tracepoints;
    VEC(struct field_found) found; /* for the last word */
    struct arena arena;
};

/* Fills in f->found.  PTS_END: the word means none. */
pts_status field_keys_find(struct field_keys *f, const char *word, size_t n);
void field_keys_free(struct field_keys *f);
/* Whether both are one column for perf. */
bool field_key_same(const struct field_key *a, const struct field_key *b);
/* Whether its bytes are not at one place: perf compares two rows by where those of one are. */
bool field_key_varies(const struct field_key *f);
/* The text of a row is known: its value may be the longest. */
void field_key_measure(struct field_key *f, const struct subject *i);

/* The rest is in keys.h. */
/* texts: those of samples were made before, and an array that one of them showed as numbers is no string
 * any longer. */
uint32_t field_width(const struct field_key *f, bool texts);

#endif
