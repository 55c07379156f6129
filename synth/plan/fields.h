/* fields.h - which columns are printed for which class of events.
 *
 * SPDX-License-Identifier: MIT
 *
 * Three steps, as in perf: -F options change the sets of all or one class; then each
 * class is checked against its first event in the file, which drops defaults it cannot
 * fill; the same happens when an event of a class not in the file is made from the
 * trace.
 */
#ifndef PTS_SYNTH_PLAN_FIELDS_H
#define PTS_SYNTH_PLAN_FIELDS_H

#include "synth/plan/evlist.h"

#include <ptscript/session.h>

enum field_number {
#define FIELD(word, name) FIELD_NR_##name,
#include <ptscript/fields.def>
#undef FIELD
    FIELD_COUNT
};
#define F_(name) (1ull << FIELD_NR_##name)
/* Those that print branch stacks. */
#define F_BRSTACKINSNS (F_(BRSTACKINSN) | F_(BRSTACKINSNLEN))
#define F_BRSTACKS     (F_(BRSTACK) | F_(BRSTACKSYM) | F_(BRSTACKOFF) | F_BRSTACKINSNS)

struct field_class {
    bool user_set; /* -F touched it */
    bool wildcard; /* ... by way of all classes, or of + and - */
    uint64_t on, invalid, asked, refused;
};

struct fields {
    struct field_class of[CLASSES];
    bool flags; /* the flags column: no class has it for itself */
};

void fields_init(struct fields *f);
/* One -F option.  PTS_E_USAGE with perf's text; warnings go to message. */
pts_status fields_parse(struct fields *f, const char *str, pts_message_fn *message,
                        void *ctx, struct pts_diag *why);

struct fields_check {
    bool has_auxtrace; /* the file has the AUXTRACE feature: more is let through */
    bool has_stat;     /* a file of perf stat: nothing is checked */
    bool has_tracing;  /* formats of tracepoints are there */
    bool has_clock;    /* clock data: time of day is known */
    bool has_groups;   /* events were recorded as groups */
    bool chains;       /* call chains are printed where there are any */
};
/* Checks every class against the file's events.  PTS_E_FORMAT with perf's text when a
 * field that was asked for cannot be printed. */
pts_status fields_check_all(struct fields *f, const struct evlist *l,
                            const struct fields_check *c, struct pts_diag *why);
/* The same for event i just made (or read from a pipe). */
pts_status fields_check_made(struct fields *f, const struct evlist *l, uint32_t i,
                             const struct fields_check *c, struct pts_diag *why);
/* The word of a field that is on somewhere but cannot be printed yet, or NULL. */
const char *fields_unsupported(const struct fields *f, const struct evlist *l,
                               const struct fields_check *c);

#endif
