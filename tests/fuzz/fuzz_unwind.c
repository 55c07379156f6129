/* fuzz_unwind.c - any stack, registers and file as what a sample's callers follow from.
 *
 * SPDX-License-Identifier: MIT
 *
 *     17 registers | u16 size of the stack, the stack | an ELF file, mapped at BASE
 */
#include "walker/unwind/unwind.h"

#include "decoder/base/bytes.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { BASE = 0x400000, REGS = 17 };

static bool map_at(void *ctx, uint64_t addr, struct unwind_map *out)
{
    const struct pts_bytes *file = ctx;
    if (addr < BASE || addr - BASE >= file->len)
        return false;
    *out = (struct unwind_map){BASE, BASE + file->len, 0, BASE, *file};
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct unwinder *u;
    struct reader r = reader_of(data, n);
    const uint8_t *values = reader_take(&r, 8 * REGS);
    size_t len = reader_u16(&r);
    struct pts_bytes stack = {reader_take(&r, len), len};
    uint64_t ip[127];
    size_t count;

    if (r.bad || (!u && unwinder_new(&u) != PTS_OK))
        return 0;
    const struct pts_regs regs = {
        2, 0xff01ff, {values, REGS, 0}
    };
    struct pts_bytes file = {r.at, reader_left(&r)};
    const struct unwind_memory memory = {&file, map_at};
    for (size_t most = 127; most > 0; most /= 8) {
        pts_status st = unwind_stack(u, &memory, &regs, stack, ip, most, &count);
        if (count > most || (st == PTS_OK) != (count > 0))
            abort();
    }
    return 0;
}
