"""output.py - docs/add-an-output.md: how many samples of each event there are.

SPDX-License-Identifier: MIT

An output that prints "COUNT EVENT" for each event, at the end.
"""
import os

from run import TOP, Edit

PAGE = 'docs/add-an-output.md'
MOST = 2
RECORDING = os.path.join(TOP, 'testdata', 'emu-mix')


def edits(tree):
    del tree
    return [
        Edit('synth/print/output/NAME.c', None, OUTPUT),
        Edit('synth/print/output/outputs.def', None, 'OUTPUT("count", output_count)\n'),
    ]


OUTPUT = r'''/* NAME.c - how many samples of each event there are. */
#include "decoder/base/diag.h"
#include "synth/print/output/output.h"

struct count {
    struct options options;
    struct text *text;
    const struct evlist *events;
    VEC(uint64_t) of; /* by event */
};

static uint32_t wants(void *ctx, enum out_class class)
{
    (void)ctx;
    (void)class;
    return 0;
}

static pts_status begin(void *ctx, const struct scene *scene)
{
    struct count *c = ctx;
    size_t n = scene->plan->evl.ev.len;

    c->events = &scene->plan->evl;
    if (!VEC_ROOM(&c->of, n))
        return PTS_E_NOMEM;
    while (c->of.len < n)
        c->of.at[c->of.len++] = 0;
    return PTS_OK;
}

static pts_status take(void *ctx, const struct batch *b, size_t from, size_t *next)
{
    struct count *c = ctx;

    for (; from < b->item.len; from++)
        if (b->item.at[from].kind == ITEM_SAMPLE)
            c->of.at[b->item.at[from].sample.event]++;
    *next = from;
    return PTS_OK;
}

static pts_status end(void *ctx)
{
    struct count *c = ctx;

    for (size_t i = 0; i < c->of.len; i++)
        text_fmt(c->text, "%llu %s\n", (unsigned long long)c->of.at[i],
                 c->events->ev.at[i].name);
    return c->text->failed ? PTS_E_NOMEM : PTS_OK;
}

static void close_count(void *ctx)
{
    struct count *c = ctx;

    VEC_FREE(&c->of);
    mem_free(c);
}

extern output_open_fn output_count; /* outputs.def */

pts_status output_count(const struct output_from *from, struct output *out,
                        struct pts_diag *why)
{
    struct count *c = mem_zalloc(1, sizeof(*c));

    if (!c)
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    c->text = &out->text;
    options_init(&c->options, from->message, from->message_ctx);
    out->ctx = c;
    out->options = &c->options;
    out->sink = (struct sink){.wants = {.ctx = c, .of_class = wants},
                              .begin = begin, .take = take, .end = end};
    out->close = close_count;
    return options_parse(&c->options, from->option, from->option_count, why);
}
'''

PROGRAM = r'''
#include <ptscript/session.h>
#include <stdio.h>

int main(void)
{
    const struct pts_option option = {"itrace", "bi1i"};
    struct pts_open_opts opts = PTS_OPEN_OPTS_INIT;
    pts_session *session;
    pts_stream *stream;
    struct pts_diag why;
    const char *text;
    size_t n;

    opts.symfs = "%(symfs)s";
    opts.force = 1;
    if (pts_session_open("%(data)s", &opts, &session, &why) < 0 ||
        pts_text_open(session, "count", &option, 1, &stream, &why) < 0)
        return puts(why.text), 1;
    while (pts_stream_next_text(stream, &text, &n, &why) == PTS_OK)
        fwrite(text, 1, n, stdout);
    pts_stream_close(stream);
    pts_session_close(session);
    return 0;
}
''' % {'data': os.path.join(RECORDING, 'perf.data'),
       'symfs': os.path.join(os.path.dirname(RECORDING), 'symfs')}
# As many lines as perf script prints of each.
EXPECT = '''\
0 intel_pt//u
0 dummy:u
0 dummy:u
16839 branches:uH
139568 instructions:uH
'''
