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

#include <stdlib.h>

/* n bytes of the arrays, as far as they are there. */
static struct pts_bytes array(struct pts_bytes data, uint64_t at, uint64_t n)
{
    if (at > data.len || n > data.len - at)
        return (struct pts_bytes){0};
    return (struct pts_bytes){data.ptr + at, (size_t)n};
}

static struct bpf_functions functions_of(const uint8_t *info, struct pts_bytes data)
{
    struct bpf_functions out = {.left = rd_u32(info + INFO_FUNCTIONS)};

    out.code = array(data, rd_u64(info + INFO_CODE_AT), rd_u32(info + INFO_CODE_LEN));
    out.addr = array(data, rd_u64(info + INFO_ADDR_AT), (uint64_t)out.left * 8);
    out.length = array(data, rd_u64(info + INFO_LENGTH_AT), (uint64_t)out.left * 4);
    if (rd_u32(info + INFO_LENGTHS) != out.left || !out.code.ptr || !out.addr.ptr ||
        !out.length.ptr)
        out.left = 0;
    return out;
}

/* Those with the same id stay in the order of the file. */
static int by_id(const void *a, const void *b)
{
    const struct bpf_program *x = a, *y = b;

    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

pts_status bpf_programs_read(const struct perf_file *f, struct bpf_programs *out)
{
    static const uint64_t needed = ARRAY_CODE | ARRAY_ADDR | ARRAY_LENGTH;
    struct pts_feature_iter it = perf_feature_begin(f, PTS_FEAT_BPF_PROG_INFO);
    struct pts_feature_item item;

    while (pts_feature_next(&it, &item) == PTS_OK) {
        if (item.kind != PTS_ITEM_BPF_PROGRAM ||
            item.u.bpf_program.info.len < INFO_CODE_END)
            continue;
        struct bpf_program *p = VEC_PUSH(&out->at);
        if (!p)
            return PTS_E_NOMEM;
        const uint8_t *info = item.u.bpf_program.info.ptr;
        *p = (struct bpf_program){.id = rd_u32(info + INFO_ID), .number = out->at.len};
        if ((item.u.bpf_program.arrays & needed) == needed)
            p->functions = functions_of(info, item.u.bpf_program.data);
    }
    if (out->at.len)
        qsort(out->at.at, out->at.len, sizeof(*out->at.at), by_id);
    return PTS_OK;
}

void bpf_programs_free(struct bpf_programs *p)
{
    VEC_FREE(&p->at);
}

struct bpf_functions *bpf_program_find(struct bpf_programs *p, uint32_t id)
{
    size_t low = 0, high = p->at.len;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (p->at.at[mid].id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < p->at.len && p->at.at[low].id == id ? &p->at.at[low].functions : NULL;
}

bool bpf_function_next(struct bpf_functions *all, struct bpf_function *out)
{
    if (!all->left)
        return false;
    uint32_t len = rd_u32(all->length.ptr);
    out->addr = rd_u64(all->addr.ptr);
    out->code = array(all->code, 0, len);
    if (!out->code.ptr) {
        all->left = 0; /* it says that it is longer than the code is */
        return false;
    }
    all->code = (struct pts_bytes){all->code.ptr + len, all->code.len - len};
    all->addr.ptr += 8;
    all->length.ptr += 4;
    all->left--;
    return true;
}
