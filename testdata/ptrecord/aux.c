/* aux.c - rings and the rounds in which perf fetches what they hold.
 *
 * SPDX-License-Identifier: MIT
 *
 * A round writes the records of each ring, then its AUX data, then FINISHED_ROUND.  A
 * reader sorts records by time on the promise that none after a round is older than the
 * latest one of the round before: no clock may stay behind that.
 */
#include "testdata/ptrecord/record.h"
#include "testdata/ptrecord/recorder.h"

/* So much AUX data makes the kernel tell of it, or perf wake up and fetch it. */
enum { WATERMARK = 64 << 10, ROUND_BYTES = 256 << 10 };

struct ring *ring_new(struct recorder *r, uint32_t cpu, uint32_t tid)
{
    struct ring *ring;

    r->rings = mem_get(r->rings, (r->ring_n + 1) * sizeof(struct ring *));
    ring = mem_get(NULL, sizeof(*ring));
    *ring = (struct ring){.idx = r->ring_n, .cpu = cpu, .tid = tid};
    enc_init(&ring->enc, &r->conf, &r->model, &r->rng);
    r->rings[r->ring_n++] = ring;
    return ring;
}

static uint64_t tsc_now(const struct recorder *r)
{
    uint64_t tsc = 0;

    for (uint32_t i = 0; i < r->conf.cpus; i++)
        if (clock_tsc(&r->cpu[i].clock) > tsc)
            tsc = clock_tsc(&r->cpu[i].clock);
    return tsc;
}

void ring_put_aux(struct recorder *r, const struct ring *ring, uint64_t offset,
                  const uint8_t *data, size_t len)
{
    static const uint8_t zeros[8];
    size_t padded = (len + 7) & ~(size_t)7;
    struct buf head = {0};

    record_auxtrace(&head, padded, offset, tsc_now(r), ring->idx, ring->tid, ring->cpu);
    perfdata_mark_aux(&r->file, head.len);
    perfdata_put(&r->file, head.data, head.len);
    perfdata_put(&r->file, data, len);
    perfdata_put(&r->file, zeros, padded - len);
    buf_free(&head);
}

static void fetch(struct recorder *r, struct ring *ring)
{
    uint64_t len = ring->aux_head - ring->aux_read;

    if (!len || overwrite_mode(r))
        return;
    ring_put_aux(r, ring, ring->aux_read, ring->enc.out.data, len);
    enc_drop(&ring->enc, len);
    ring->aux_read = ring->aux_head;
}

void ring_round(struct recorder *r)
{
    struct buf end = {0};

    cpus_raise(r, r->round_tsc);
    r->round_tsc = r->last_tsc;
    for (uint32_t i = 0; i < r->ring_n; i++) {
        struct ring *ring = r->rings[i];

        perfdata_put(&r->file, ring->records.data, ring->records.len);
        ring->records.len = 0;
        fetch(r, ring);
        if (r->snapshot)
            snapshot_fetch(r, ring);
    }
    for (uint32_t i = 0; i < r->conf.cpus; i++)
        r->cpu[i].out_at = 0;
    record_empty(&end, RECORD_FINISHED_ROUND);
    perfdata_put(&r->file, end.data, end.len);
    buf_free(&end);
    r->unread = 0;
}

void ring_round_if_due(struct recorder *r)
{
    if (r->unread >= ROUND_BYTES)
        ring_round(r);
}

bool ring_aux_due(const struct ring *ring)
{
    return ring->enc.full || enc_offset(&ring->enc) - ring->aux_head >= WATERMARK;
}
