/* scripted_ask.c - what a script asks of the run while it is called.
 *
 * SPDX-License-Identifier: MIT
 *
 * Instruction and source line cost much, and most scripts want neither: they are looked
 * up for the sample at hand when the script asks.
 */
#include "synth/scripting/scripted.h"

#include "decoder/base/diag.h"

#include <errno.h>

static int set_itrace(void *ctx, const char *options, const char **why)
{
    struct scripted *s = ctx;
    struct itrace *it = &s->options.itrace;

    if (it->set)
        return 1;
    if (s->late)
        return 0;
    pts_status st = itrace_parse(it, options, &s->why);
    *why = s->why.text;
    return st < 0 ? -EINVAL : 0;
}

static void want_rows(void *ctx, int calls, int chains)
{
    struct scripted *s = ctx;

    s->rows = !s->late;
    s->exporter.with_calls = calls;
    s->exporter.with_chains = chains;
}

static size_t insn(void *ctx, uint8_t bytes[16])
{
    struct scripted *s = ctx;
    const struct sample *now = s->now;

    if (!now)
        return 0;
    if (now->insn_len || !now->ip || !s->native) {
        memcpy(bytes, now->insn, now->insn_len);
        return now->insn_len;
    }
    const struct lookup *look = resolve_lookup(s->resolve);
    if (s->scene.plan->decode.on && !s->options.dump && !s->options.dump_unsorted)
        s->scene.looked(s->scene.run, now);
    return look->insn(look->ctx, &now->who, now->ip, bytes);
}

/* False: nothing is known of it. */
static bool line_of(struct scripted *s, struct resolve_line *out)
{
    const struct sample *now = s->now;

    if (!now)
        return false;
    const struct place_query q = {&now->who, now->ip, now->cpumode};
    return resolve_line(s->resolve, &q, out) == PTS_OK && out->known;
}

static void source(void *ctx, const char **file, uint32_t *line)
{
    struct scripted *s = ctx;
    struct resolve_line at;

    *file = NULL;
    *line = 0;
    s->line = (struct resolve_line){0};
    if (!line_of(s, &at))
        return;
    s->line = at;
    s->source.len = 0;
    text_put(&s->source, at.file, at.file_len);
    text_put(&s->source, "", 1);
    *file = s->source.failed ? "" : s->source.at;
    *line = at.line;
}

static struct pts_bytes source_text(void *ctx)
{
    struct scripted *s = ctx;
    struct pts_bytes none = {0};

    /* Not looked up again: look-ups that fail are counted. */
    return s->line.known ? resolve_line_text(s->resolve, &s->line) : none;
}

static uint64_t common(void *ctx, const char *name)
{
    struct scripted *s = ctx;

    return s->now ? scripted_common(s, s->now, name) : 0;
}

struct pts_script_host scripted_host(struct scripted *s)
{
    return (struct pts_script_host){.version = PTS_LANGUAGE_VERSION,
                                    .ctx = s,
                                    .set_itrace = set_itrace,
                                    .insn = insn,
                                    .source = source,
                                    .source_text = source_text,
                                    .common = common,
                                    .want_rows = want_rows};
}
