/* bpf_program.c - the machine code of BPF programs, in BPF_PROG_INFO.
 *
 * SPDX-License-Identifier: MIT
 *
 * The kernel's struct bpf_prog_info points to arrays; in a recording they follow it, and the
 * pointers are offsets into them:
 *
 *     code       function 0 | function 1 | ...      as long as `lengths` says
 *     addresses  u64 of each
 *     lengths    u32 of each
 */
#include "decoder/file/bpf_program.h"

#include "decoder/base/bytes.h"
#include "decoder/file/perf_feat.h"

/* Members of struct bpf_prog_info. */
enum {
    INFO_ID = 4,
    INFO_CODE_LEN = 16,
    INFO_CODE_AT = 24,
    INFO_FUNCTIONS = 104,
    INFO_LENGTHS = 108,
    INFO_ADDR_AT = 112,
    INFO_LENGTH_AT = 120,
    INFO_END = 128
};

/* Bits of `arrays`: which pointers are offsets. */
enum { ARRAY_CODE = 1 << 0, ARRAY_ADDR = 1 << 3, ARRAY_LENGTH = 1 << 4 };

/* n bytes of the arrays, as far as they are there. */
static struct pts_bytes array(struct pts_bytes data, uint64_t at, uint64_t n)
{
    if (at > data.len || n > data.len - at)
        return (struct pts_bytes){0};
    return (struct pts_bytes){data.ptr + at, (size_t)n};
}

static bool program_find(const struct perf_file *f, uint32_t id,
                         struct pts_feature_item *out)
{
    struct pts_feature_iter it = perf_feature_begin(f, PTS_FEAT_BPF_PROG_INFO);

    while (pts_feature_next(&it, out) == PTS_OK)
        if (out->kind == PTS_ITEM_BPF_PROGRAM &&
            out->u.bpf_program.info.len >= INFO_END &&
            rd_u32(out->u.bpf_program.info.ptr + INFO_ID) == id)
            return true;
    return false;
}

bool bpf_function_next(const struct perf_file *f, uint32_t id, uint32_t *at,
                       struct bpf_function *out)
{
    static const uint64_t needed = ARRAY_CODE | ARRAY_ADDR | ARRAY_LENGTH;
    struct pts_feature_item item;
    uint64_t from = 0;

    if (!program_find(f, id, &item) || (item.u.bpf_program.arrays & needed) != needed)
        return false;
    const uint8_t *info = item.u.bpf_program.info.ptr;
    struct pts_bytes data = item.u.bpf_program.data;
    uint32_t count = rd_u32(info + INFO_FUNCTIONS);
    struct pts_bytes code =
        array(data, rd_u64(info + INFO_CODE_AT), rd_u32(info + INFO_CODE_LEN));
    struct pts_bytes addr =
        array(data, rd_u64(info + INFO_ADDR_AT), (uint64_t)count * 8);
    struct pts_bytes length =
        array(data, rd_u64(info + INFO_LENGTH_AT), (uint64_t)count * 4);
    if (*at >= count || rd_u32(info + INFO_LENGTHS) != count || !code.ptr ||
        !addr.ptr || !length.ptr)
        return false;
    for (uint32_t i = 0; i < *at; i++)
        from += rd_u32(length.ptr + (size_t)i * 4);
    out->addr = rd_u64(addr.ptr + (size_t)*at * 8);
    out->code = array(code, from, rd_u32(length.ptr + (size_t)*at * 4));
    (*at)++;
    return out->code.ptr != NULL;
}
