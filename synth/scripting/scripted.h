/* scripted.h - what a script is given of a run, as a sink.
 *
 * SPDX-License-Identifier: MIT
 *
 *     options ---> script starts: may say what --itrace would     scripted_begin
 *     batches ---> sample, tracepoint       scripted_sample.c, scripted_trace.c
 *                  record                   scripted_record.c
 *                  error                    scripted.c
 *                  row of a table           scripted_rows.c
 *     close   ---> the script's end
 *
 * All that a script is given is put into the structs of ptscript/language.h, whose pointers
 * lead into the batch, the side-band and the arrays here.
 */
#ifndef PTS_SYNTH_SCRIPTING_SCRIPTED_H
#define PTS_SYNTH_SCRIPTING_SCRIPTED_H

#include "decoder/base/vec.h"
#include "synth/export/export.h"
#include "synth/print/text.h"
#include "synth/print/tracepoint/tracepoint.h"
#include "synth/sample/sink.h"
#include "synth/symbol/places.h"

#include <ptscript/language.h>

enum { SCRIPT_ATTR_BYTES = 128 };

/* What samples of an event have in common. */
struct script_event {
    uint8_t attr[SCRIPT_ATTR_BYTES];
    uint64_t read_format, regs_intr;
};

struct script_event_at {
    struct script_event *event; /* in the arena; NULL: none of it yet */
};

struct script_names {
    uint64_t id;
    const struct pts_script_name *at; /* in the arena */
    size_t n;
};

/* Zero-initialise, then scripted_begin. */
struct scripted {
    const struct pts_language *language;
    struct pts_script_host host;
    void *script; /* what the language knows it by; NULL: it has not begun */
    int *status;
    bool over;                /* it has ended itself, or raised */
    struct options options;   /* of the run: the script has a say */
    bool late;                /* ... but no longer */
    struct pts_diag why;      /* what was wrong with what it said */
    bool rows;                /* it wants rows of tables, */
    struct exporter exporter; /* ... which this makes */

    bool native;        /* code of the recording's machine can be read here */
    uint64_t given;     /* what --limit counts */
    struct scene scene; /* from here on after the plan was made */
    struct resolve *resolve;
    struct places *places;
    struct tracepoints *tracepoints;
    VEC(struct script_event_at) event;

    const struct sample *now; /* the sample at hand; NULL: none */
    struct text text;         /* texts of its, and of where it is: */
    struct resolve_line line; /* what was told of it last */
    struct text source;
    VEC(struct pts_script_frame) frame;
    VEC(struct pts_script_branch) branch;
    VEC(struct pts_script_field) field;
    VEC(struct pts_value) value;
    VEC(struct script_names) names; /* of the values of tracepoints */
    const char *named;              /* the last field of which there was such a name */
    struct arena arena;
};

/* Has the language start its script, which may change s->options; these are set. */
pts_status scripted_begin(struct scripted *s, const struct pts_script_call *call,
                          struct pts_diag *why);
struct sink scripted_sink(struct scripted *s);
void scripted_free(struct scripted *s);

/* --- Between its files ------------------------------------------------------------ */

/* What a language's function returned, as a status. */
static inline pts_status scripted_called(struct scripted *s, int ended)
{
    s->over |= ended != 0;
    return ended ? PTS_E_CANCELLED : PTS_OK;
}

pts_status scripted_sample(struct scripted *s, const struct sample *sample);
/* *out stays as it is when the sample is of no tracepoint that the recording describes. */
pts_status scripted_trace(struct scripted *s, const struct sample *sample,
                          struct pts_script_tracepoint *out, bool *is_one);
/* A number of a tracepoint's sample by its name, 0: it has none. */
uint64_t scripted_common(struct scripted *s, const struct sample *sample,
                         const char *name);
bool scripted_wants(uint32_t type);
pts_status scripted_record(struct scripted *s, const struct item *item);

/* The rows of tables that a script wants instead of samples (scripted_rows.c). */
void scripted_rows_init(struct scripted *s);

/* What the script may ask about the sample at hand (scripted_ask.c). */
struct pts_script_host scripted_host(struct scripted *s);

#endif
