/* overwrite.c - buffers that are overwritten: snapshots and AUX samples.
 *
 * SPDX-License-Identifier: MIT
 *
 * The PT units write round and round.  A snapshot stops them all and keeps each buffer:
 * what is new while it was never filled, and then all of it, however much an earlier
 * snapshot had.  A sample keeps the last bytes before it, with zeros in front as long
 * as there are fewer.
 */
#include "testdata/ptrecord/recorder.h"

enum { SNAPSHOT_BYTES = 16 << 10, SAMPLE_BYTES = 4 << 10 };

bool overwrite_mode(const struct recorder *r)
{
    return r->conf.snapshot || r->conf.aux_sample;
}

uint64_t overwrite_size(const struct recorder *r)
{
    return r->conf.aux_bytes  ? r->conf.aux_bytes & ~7u
           : r->conf.snapshot ? SNAPSHOT_BYTES
                              : SAMPLE_BYTES;
}

uint64_t overwrite_at(const struct recorder *r, const struct ring *ring)
{
    return enc_offset(&ring->enc) % overwrite_size(r);
}

void overwrite_trim(struct recorder *r, struct ring *ring)
{
    uint64_t size = overwrite_size(r);

    if (ring->enc.out.len > 4 * size)
        enc_drop(&ring->enc, ring->enc.out.len - size);
}

/* --- snapshots
 * -------------------------------------------------------------------------- */

void snapshot_fetch(struct recorder *r, struct ring *ring)
{
    uint64_t end = enc_offset(&ring->enc), size = overwrite_size(r);
    uint64_t from = end < size ? ring->aux_read : end - size;

    if (from == end)
        return;
    ring_put_aux(r, ring, end < size ? from : overwrite_at(r, ring),
                 ring->enc.out.data + (from - ring->enc.out_start), end - from);
    ring->aux_read = end;
}

static bool in_transaction(const struct recorder *r)
{
    for (uint32_t i = 0; i < r->conf.cpus; i++)
        if (r->cpu[i].ring && r->cpu[i].ring->enc.in_tx)
            return true;
    return false;
}

void snapshot_take(struct recorder *r)
{
    bool user[REC_MAX_CPUS] = {0};

    for (uint32_t i = 0; i < r->conf.cpus; i++) {
        struct cpu *c = &r->cpu[i];

        if (!c->ring)
            continue;
        user[i] = cpu_pause(r, c);
        side_aux(r, c, c->ring);
    }
    r->snapshot = true;
    ring_round(r);
    r->snapshot = false;
    r->fresh = 0;
    r->snapshot_at = overwrite_size(r) * rng_range(&r->rng, 1, 12) / 4;
    for (uint32_t i = 0; i < r->conf.cpus; i++)
        if (r->cpu[i].ring)
            cpu_resume(r, &r->cpu[i], user[i]);
}

void snapshot_take_if_due(struct recorder *r)
{
    uint64_t fresh = r->fresh;

    if (!r->conf.snapshot || in_transaction(r))
        return;
    for (uint32_t i = 0; i < r->ring_n; i++)
        fresh += enc_offset(&r->rings[i]->enc) - r->rings[i]->aux_head;
    if (fresh >= r->snapshot_at)
        snapshot_take(r);
}

/* --- samples
 * ---------------------------------------------------------------------------- */

void sample_take(struct recorder *r, struct cpu *c)
{
    struct enc *e = &c->ring->enc;
    uint64_t size = overwrite_size(r), have;
    struct buf piece = {0};
    bool user = cpu_pause(r, c);

    have = e->out.len < size ? e->out.len : size;
    buf_zero(&piece, size - have);
    buf_put(&piece, e->out.data + e->out.len - have, have);
    side_sample(r, c, piece.data, piece.len);
    buf_free(&piece);
    cpu_resume(r, c, user);
}
