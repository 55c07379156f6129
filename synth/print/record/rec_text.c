/* rec_text.c - a record in perf's words: which text is for which type.
 *
 * SPDX-License-Identifier: MIT
 *
 * Types are looked up in two tables beside the texts; here is only what is the same for
 * all: a record that is shorter than it claims has no text but in the few cases where
 * perf prints before it looks.
 */
#include "synth/print/record/rec_text.h"
#include "synth/print/record/rec_words.h"

const char *rec_type_name(uint32_t type)
{
    const char *name = pts_record_name(type);
    if (type >= PTS_RECORD_TYPES)
        return "INVALID";
    return name ? name : "UNKNOWN";
}

static const struct rec_words *words_of(const struct record *r)
{
    return r->head.type < PERF_REC_USER ? rec_words_kernel(r->head.type)
                                        : rec_words_tool(r->head.type);
}

static bool has_words(const struct rec_words *words, const struct record *r)
{
    return r->how == PTS_RECORD_WHOLE || words->damaged;
}

void rec_text(struct text *t, const struct record *r, const struct rec_names *names)
{
    const struct rec_words *words = words_of(r);
    rec_text_fn *line = words->line ? words->line : words->text;
    if (!line && !words->named)
        text_char(t, '\n');
    else if (!has_words(words, r))
        return;
    else if (line)
        line(t, r);
    else
        words->named(t, r, &(struct rec_around){NULL, names});
}

void rec_text_dump(struct text *t, const struct perf_file *f, const struct record *r,
                   const struct rec_names *names)
{
    const struct rec_words *words = words_of(r);
    if (!has_words(words, r))
        return;
    if (words->named)
        words->named(t, r, &(struct rec_around){f, names});
    else if (words->text)
        words->text(t, r);
}
