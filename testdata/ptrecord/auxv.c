/* auxv.c - what the kernel tells a program at its start, changed on request.
 *
 * SPDX-License-Identifier: MIT
 *
 * On the stack: argc, the arguments, 0, the environment, 0, then pairs of type and
 * value up to AT_NULL; all of them words of the program's size.
 */
#include "testdata/ptrecord/auxv.h"

#include <elf.h>

struct words {
    const struct task *t;
    uint64_t at;
    unsigned size;
};

static bool word_next(struct words *w, uint64_t *v)
{
    *v = 0;
    if (!task_read(w->t, w->at, v, w->size))
        return false;
    w->at += w->size;
    return true;
}

static bool skip_strings(struct words *w)
{
    uint64_t v;
    do
        if (!word_next(w, &v))
            return false;
    while (v);
    return true;
}

static void random_seed(const struct task *t, uint64_t addr, struct rng *rng)
{
    uint64_t bytes[2] = {rng_next(rng), rng_next(rng)};
    task_write(t, addr, bytes, sizeof bytes);
}

void auxv_change(struct task *t, const struct opts *o, struct rng *rng)
{
    struct words w = {t, t->regs.rsp, t->is64 ? 8 : 4};
    uint64_t argc, type, value, ignore = AT_IGNORE;
    if (!word_next(&w, &argc) || !skip_strings(&w) || !skip_strings(&w))
        return;
    while (word_next(&w, &type) && type != AT_NULL && word_next(&w, &value)) {
        bool is_vdso = type == AT_SYSINFO || type == AT_SYSINFO_EHDR;
        if (is_vdso && o->no_vdso)
            task_write(t, w.at - 2 * w.size, &ignore, w.size);
        if (type == AT_RANDOM && !o->randomize)
            random_seed(t, value, rng);
    }
}
