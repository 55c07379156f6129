/* chains.c - the call chain of a sample as a path of calls.
 *
 * SPDX-License-Identifier: MIT
 *
 *     words of a chain    KERNEL a b USER c d        the innermost first
 *     frames              d c (user), b a (kernel)   as a path goes, from the root down
 *
 * A path has so many frames as perf takes for one, counted from the outermost.
 */
#include "synth/export/chains.h"

#include "synth/sample/callchain.h"

enum { FRAMES_MAX = 127 };

static pts_status add_frame(struct export_chains *c, uint64_t ip, uint8_t mode)
{
    struct chain_frame *f = VEC_PUSH(&c->frame);

    if (!f)
        return PTS_E_NOMEM;
    *f = (struct chain_frame){ip, mode};
    return PTS_OK;
}

/* The mode of the words in front of number i. */
static uint8_t mode_before(const uint64_t *word, uint32_t i, uint8_t now)
{
    while (i-- > 0)
        if (word[i] >= PTS_CONTEXT_MAX)
            return callchain_mode(word[i]);
    return now;
}

static pts_status add_frames(struct export_chains *c, const struct sample_stacks *s)
{
    uint32_t n = s->chain ? callchain_sound(s->chain, s->chain_len, UINT64_MAX) : 0;
    size_t most = s->whole ? SIZE_MAX : c->frame.len + FRAMES_MAX;
    uint8_t mode = mode_before(s->chain, n, PTS_MODE_USER);
    pts_status st = PTS_OK;

    for (uint32_t i = n; st == PTS_OK && i-- > 0 && c->frame.len < most;)
        if (s->chain[i] >= PTS_CONTEXT_MAX)
            mode = mode_before(s->chain, i, mode);
        else
            st = add_frame(c, s->chain[i], mode);
    return st;
}

/* What was unwound is further out. */
static pts_status take_frames(struct export_chains *c, const struct sample_stacks *s)
{
    pts_status st = PTS_OK;

    c->frame.len = 0;
    for (uint32_t i = s->unwound_len; st == PTS_OK && i-- > 0;)
        if (s->unwound[i])
            st = add_frame(c, s->unwound[i], PTS_MODE_USER);
    return st == PTS_OK ? add_frames(c, s) : st;
}

/* All are looked up before the first gets ids. */
static pts_status look(struct export_chains *c, const struct sample *s)
{
    c->at.len = 0;
    if (!VEC_ROOM(&c->at, c->frame.len))
        return PTS_E_NOMEM;
    for (size_t i = 0; i < c->frame.len; i++)
        export_where_look(c->where, &s->who, c->frame.at[i].mode, c->frame.at[i].ip,
                          &c->at.at[c->at.len++]);
    return PTS_OK;
}

pts_status export_chain_id(struct export_chains *c, const struct sample *s,
                           uint32_t machine, uint32_t *id)
{
    uint32_t node = PATH_ROOT;

    *id = 0;
    if (!s->stacks || (!s->stacks->chain && !s->stacks->unwound))
        return PTS_OK;
    pts_status st = take_frames(c, s->stacks);
    if (st == PTS_OK)
        st = look(c, s);
    for (size_t i = 0; st == PTS_OK && i < c->at.len; i++) {
        struct export_at *at = &c->at.at[i];
        export_where_again(c->where, at);
        st = export_where_ids(c->where, machine, at);
        if (st == PTS_OK)
            st = call_path_find(c->paths, node,
                                (struct path_place){at->symbol_id, c->frame.at[i].ip},
                                &node);
    }
    return st == PTS_OK && node != PATH_ROOT ? call_path_id(c->paths, node, id) : st;
}

void export_chains_free(struct export_chains *c)
{
    VEC_FREE(&c->frame);
    VEC_FREE(&c->at);
}
