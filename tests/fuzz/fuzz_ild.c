/* fuzz_ild.c - any bytes: nothing read past the end, cuts are noticed, text fits.
 *
 * SPDX-License-Identifier: MIT
 *
 * Byte 0 selects the mode, as perf or the manual has it; the rest is code.  Each input is decoded from a copy of its
 * exact size, so that the sanitizer sees a read past it.
 */
#include "decoder/base/arena.h"
#include "walker/code/ild.h"
#include "walker/code/insn.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool cond)
{
    if (!cond)
        abort();
}

static struct ild decode_copy(const uint8_t *code, size_t n, enum ild_mode mode)
{
    uint8_t *copy = mem_resize(NULL, n ? n : 1, 1);
    require(copy != NULL);
    memcpy(copy, code, n);
    struct ild insn = ild_decode(copy, n, mode);
    mem_free(copy);
    return insn;
}

static void check_text(const uint8_t *code, size_t len, enum ild_mode mode)
{
    struct insn_printer *p = insn_open();
    char text[INSN_TEXT_MAX];
    require(p != NULL);
    size_t n = insn_text(p, code, len, 0x401000, mode, text, sizeof(text));
    require(n > 0 && n < sizeof(text) && strlen(text) == n);
    insn_close(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    enum ild_mode mode = (enum ild_mode)(data[0] % 3 | (data[0] & 0x80 ? ILD_SDM : 0));
    const uint8_t *code = data + 1;
    size_t n = size - 1;

    struct ild insn = decode_copy(code, n, mode);
    require(insn.len <= ILD_MAX && insn.len <= n);
    require(insn.cls <= INSN_VMENTRY && insn.branch <= BRANCH_INDIRECT);
    bool has_rel = insn.branch == BRANCH_COND || insn.branch == BRANCH_DIRECT;
    require(has_rel || insn.rel == 0);
    for (size_t cut = 0; cut < n && cut < 2 * ILD_MAX; cut++) {
        struct ild part = decode_copy(code, cut, mode);
        require(insn.len && cut >= insn.len ? memcmp(&part, &insn, sizeof(insn)) == 0
                                            : part.len == 0);
    }
    if (insn.len)
        check_text(code, insn.len, mode);
    return 0;
}
