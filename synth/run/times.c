/* times.c - when a recording has trace, and what was lost.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/run/times.h"

#include "synth/run/index_file.h"

static uint32_t of_class(void *ctx, enum out_class class)
{
    (void)ctx;
    (void)class;
    return 0;
}

static bool wants_record(void *ctx, uint32_t type)
{
    (void)ctx;
    return type == PTS_RECORD_AUX || type == PTS_RECORD_LOST ||
           type == PTS_RECORD_LOST_SAMPLES;
}

/* NULL: nothing was lost. */
static const char *aux_loss(uint64_t flags)
{
    if (flags & PTS_AUX_TRUNCATED)
        return "trace: its buffer was full";
    if (flags & PTS_AUX_PARTIAL)
        return "trace: a guest ran with Intel PT of its own";
    if (flags & PTS_AUX_COLLISION)
        return "trace: data collided";
    return NULL;
}

static bool loss_of(const struct record *r, struct times_loss *out)
{
    const struct pts_sample_id *id = &r->head.id;
    bool aux = r->head.type == PTS_RECORD_AUX;

    if (r->how != PTS_RECORD_WHOLE)
        return false;
    *out = (struct times_loss){.off = r->head.off,
                               .time = id->has & PTS_SAMPLE_TIME ? id->time : 0,
                               .cpu = id->has & PTS_SAMPLE_CPU ? (int32_t)id->cpu : -1,
                               .tid = id->has & PTS_SAMPLE_TID ? id->tid : -1};
    out->count = aux ? 0 : r->u.lost.lost;
    bool one = out->count == 1;
    out->what = aux                               ? aux_loss(r->u.aux.flags)
                : r->head.type == PTS_RECORD_LOST ? one ? "record" : "records"
                : one                             ? "sample"
                                                  : "samples";
    return out->what;
}

static pts_status take(void *ctx, const struct batch *b, size_t from, size_t *next)
{
    struct times *t = ctx;
    struct record r;
    struct times_loss loss;

    for (size_t i = from; i < b->item.len; i++) {
        const struct item *it = &b->item.at[i];
        if (it->kind != ITEM_RECORD ||
            record_read(t->session->file, it->record, &r) != PTS_OK ||
            !loss_of(&r, &loss))
            continue;
        struct times_loss *l = VEC_PUSH(&t->loss);
        if (!l)
            return PTS_E_NOMEM;
        *l = loss;
    }
    *next = b->item.len;
    return PTS_OK;
}

static pts_status end(void *ctx)
{
    struct times *t = ctx;

    times_text(t);
    return t->text->failed ? PTS_E_NOMEM : PTS_OK;
}

struct sink times_sink(struct times *t)
{
    return (struct sink){
        .wants = {.ctx = t, .of_class = of_class},
        .wants_record = wants_record,
        .take = take,
        .end = end
    };
}

void times_free(struct times *t)
{
    if (!t)
        return;
    index_free(&t->trace);
    VEC_FREE(&t->loss);
    mem_free(t);
}
