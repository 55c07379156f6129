/* record_parts.c - parts of records that are not as they lie in the file.
 *
 * SPDX-License-Identifier: MIT
 *
 * Where a record has any number of entries, ptscript/record.h gives a count and where
 * they begin, and a function that reads one of them: nothing has to be copied or
 * allocated for a record.  pts_value_at is beside the reading of samples, whose order
 * it follows.
 */
#include "decoder/base/bytes.h"
#include "decoder/file/perf_abi.h"
#include "decoder/record/perf_cpus.h"

struct pts_counter pts_id_at(const struct pts_id_index *x, uint64_t i)
{
    const uint8_t *p = x->at + PERF_ID_BYTES * i;
    struct pts_counter id = {.id = rd_u64(p),
                             .idx = (int32_t)rd_u64(p + 8),
                             .cpu = (int32_t)rd_u64(p + 16),
                             .tid = (int32_t)rd_u64(p + 24),
                             .vcpu = -1};
    if (x->guests) {
        const uint8_t *guest = x->guests + PERF_ID_GUEST_BYTES * i;
        id.machine_pid = (int32_t)rd_u64(guest);
        id.vcpu = (int32_t)rd_u64(guest + 8);
    }
    return id;
}

struct pts_thread_name pts_thread_map_at(const struct pts_thread_map *m, uint64_t i)
{
    const uint8_t *p = m->at + PERF_THREAD_BYTES * i;
    struct pts_thread_name t = {.pid = (int32_t)rd_u64(p)};
    memcpy(t.comm, p + 8, PERF_THREAD_COMM);
    return t;
}

size_t pts_cpu_map_each(struct pts_bytes map, void (*each)(void *ctx, int32_t cpu),
                        void *ctx)
{
    struct perf_cpus c = perf_cpus_of(map);
    int64_t cpu;
    size_t n = 0;
    for (; perf_cpus_next(&c, &cpu); n++)
        each(ctx, (int32_t)cpu);
    return n;
}
