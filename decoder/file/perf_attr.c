/* perf_attr.c - reading the kernel's perf_event_attr.
 *
 * SPDX-License-Identifier: MIT
 *
 * Members have fixed places in the file and names in struct pts_attr; the kernel's own
 * header is not used, since it may be older than the recording.
 */
#include "decoder/file/perf_attr.h"

#include "decoder/base/bytes.h"
#include "decoder/file/perf_abi.h"

enum { ATTR_KNOWN = 144 }; /* bytes of the newest structure */

uint8_t attr_mirror(uint8_t v)
{
    v = (uint8_t)((v & 0x55) << 1 | (v & 0xaa) >> 1);
    v = (uint8_t)((v & 0x33) << 2 | (v & 0xcc) >> 2);
    return (uint8_t)(v << 4 | v >> 4);
}

/* Turns the bytes of every member around, but the flags. */
static void attr_swap(uint8_t raw[ATTR_KNOWN])
{
    enum { FLAGS = 1 };
    static const uint8_t members[] = {4, 4, 8, 8, 8, 8, FLAGS, 4, 4, 8, 8, 8,
                                      8, 4, 4, 8, 4, 2, 2,     4, 4, 8, 8, 8};
    for (size_t i = 0; i < sizeof(members); i++) {
        unsigned size = members[i] == FLAGS ? 8 : members[i];
        for (unsigned k = 0; members[i] == FLAGS && k < size; k++)
            raw[k] = attr_mirror(raw[k]);
        for (unsigned k = 0; members[i] != FLAGS && k < size / 2; k++) {
            uint8_t byte = raw[k];
            raw[k] = raw[size - 1 - k];
            raw[size - 1 - k] = byte;
        }
        raw += size;
    }
}

void attr_read(const uint8_t *p, size_t n, bool foreign, struct pts_attr *out)
{
    uint8_t raw[ATTR_KNOWN] = {0};
    /* Older attributes are shorter: what they lack is zero, as the kernel takes it. */
    memcpy(raw, p, n < sizeof(raw) ? n : sizeof(raw));
    if (foreign)
        attr_swap(raw);
    *out = (struct pts_attr){
        .type = rd_u32(raw),
        .size = rd_u32(raw + 4),
        .config = rd_u64(raw + 8),
        .sample_period = rd_u64(raw + 16),
        .sample_type = rd_u64(raw + 24),
        .read_format = rd_u64(raw + 32),
        .flags = rd_u64(raw + 40),
        .wakeup = rd_u32(raw + 48),
        .bp_type = rd_u32(raw + 52),
        .config1 = rd_u64(raw + 56),
        .config2 = rd_u64(raw + 64),
        .branch_sample_type = rd_u64(raw + 72),
        .sample_regs_user = rd_u64(raw + 80),
        .sample_stack_user = rd_u32(raw + 88),
        .clockid = (int32_t)rd_u32(raw + 92),
        .sample_regs_intr = rd_u64(raw + 96),
        .aux_watermark = rd_u32(raw + 104),
        .sample_max_stack = rd_u16(raw + 108),
        .aux_sample_size = rd_u32(raw + 112),
        .sig_data = rd_u64(raw + 120),
        .config3 = rd_u64(raw + 128),
    };
}

static void put(uint8_t *to, uint64_t v, size_t n)
{
    memcpy(to, &v, n);
}

void attr_write(const struct pts_attr *a, uint8_t *to)
{
    memset(to, 0, PERF_ATTR_BYTES);
    put(to, a->type, 4);
    put(to + 4, a->size < PERF_ATTR_BYTES ? PERF_ATTR_BYTES : a->size, 4);
    put(to + 8, a->config, 8);
    put(to + 16, a->sample_period, 8);
    put(to + 24, a->sample_type, 8);
    put(to + 32, a->read_format, 8);
    put(to + 40, a->flags, 8);
    put(to + 48, a->wakeup, 4);
    put(to + 52, a->bp_type, 4);
    put(to + 56, a->config1, 8);
    put(to + 64, a->config2, 8);
    put(to + 72, a->branch_sample_type, 8);
    put(to + 80, a->sample_regs_user, 8);
    put(to + 88, a->sample_stack_user, 4);
    put(to + 92, (uint32_t)a->clockid, 4);
    put(to + 96, a->sample_regs_intr, 8);
    put(to + 104, a->aux_watermark, 4);
    put(to + 108, a->sample_max_stack, 2);
    put(to + 112, a->aux_sample_size, 4);
    put(to + 120, a->sig_data, 8);
}

bool attr_tail_unused(const uint8_t *p, size_t n)
{
    for (size_t i = ATTR_KNOWN; i < n; i++) {
        if (p[i])
            return false;
    }
    return true;
}

uint8_t attr_id_bytes(const struct pts_attr *a)
{
    static const uint64_t words = PTS_SAMPLE_TID | PTS_SAMPLE_TIME | PTS_SAMPLE_ID |
                                  PTS_SAMPLE_STREAM_ID | PTS_SAMPLE_CPU |
                                  PTS_SAMPLE_IDENTIFIER;
    if (!(a->flags & PTS_ATTR_SAMPLE_ID_ALL))
        return 0;
    return (uint8_t)(8 * __builtin_popcountll(a->sample_type & words));
}

/* In words: from the front of a SAMPLE, and below from the end of other records.
 * -1: there is no id. */
int8_t attr_id_pos(uint64_t sample_type)
{
    static const uint64_t before =
        PTS_SAMPLE_IP | PTS_SAMPLE_TID | PTS_SAMPLE_TIME | PTS_SAMPLE_ADDR;
    if (sample_type & PTS_SAMPLE_IDENTIFIER)
        return 0;
    return sample_type & PTS_SAMPLE_ID
               ? (int8_t)__builtin_popcountll(sample_type & before)
               : -1;
}

int8_t attr_is_pos(uint64_t sample_type)
{
    if (sample_type & PTS_SAMPLE_IDENTIFIER)
        return 1;
    if (!(sample_type & PTS_SAMPLE_ID))
        return -1;
    return (int8_t)(1 + __builtin_popcountll(sample_type &
                                             (PTS_SAMPLE_CPU | PTS_SAMPLE_STREAM_ID)));
}
