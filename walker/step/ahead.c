/* ahead.c - code that was not walked yet, looked at before its time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/step/ahead.h"

#include "walker/flow/stretch.h"
#include "walker/step/walk.h"

enum {
    FAR_STEPS = 4096, /* instructions; there may be a loop */
    NEAR_STEPS = 256
};

/* The instruction at ip; its len is 0 when there is none to be read. */
static struct ild insn_at(struct flow *f, uint64_t ip)
{
    if (!stretch_at(f, ip) || !f->code.at.code->bytes)
        return (struct ild){0};
    const struct code *c = f->code.at.code;
    uint64_t off = ip + f->code.at.to_off;
    if (off >= c->size)
        return (struct ild){0};
    uint8_t buf[ILD_MAX];
    size_t n = c->size - off < ILD_MAX ? (size_t)(c->size - off) : ILD_MAX;
    return ild_decode(code_read(c, f->code.at.epoch, off, buf, n), n, f->code.at.mode);
}

/* Where execution goes from there without a packet; false: only one can tell. */
static bool goes_on(const struct flow *f, const struct ild *insn, uint64_t *ip)
{
    uint64_t rel = insn->branch == BRANCH_DIRECT ? (uint64_t)(int64_t)insn->rel : 0;

    if (!insn->len || insn->branch == BRANCH_COND || insn->branch == BRANCH_INDIRECT)
        return false;
    *ip = wrap_ip(f, *ip + insn->len + rel);
    return true;
}

bool goal_find(struct flow *f, enum goal kind)
{
    uint64_t ip = f->walk.ip;

    for (int n = 0; n < FAR_STEPS; n++) {
        struct ild insn = insn_at(f, ip);
        if (insn.special == (kind == GOAL_PTWRITE ? INSN_PTWRITE : INSN_MOV_CR3)) {
            f->walk.goal = ip;
            return true;
        }
        if (!goes_on(f, &insn, &ip))
            break;
    }
    return false;
}

bool far_is_ahead(struct flow *f)
{
    uint64_t ip = f->walk.ip;

    for (int n = 0; n < FAR_STEPS; n++) {
        struct ild insn = insn_at(f, ip);
        if (insn.cls >= INSN_IRET)
            return true;
        if (!goes_on(f, &insn, &ip))
            break;
    }
    return false;
}

bool ip_is_ahead(struct flow *f, uint64_t to)
{
    uint64_t ip = f->walk.ip;

    for (int n = 0; n < NEAR_STEPS && ip != to; n++) {
        struct ild insn = insn_at(f, ip);
        if (!goes_on(f, &insn, &ip))
            break;
    }
    return ip == to;
}

bool at_vmentry(struct flow *f)
{
    return insn_at(f, f->walk.ip).cls == INSN_VMENTRY;
}

/* Whether the goal is on the straight line from here; *end is the address behind it. */
static bool goal_in_line(struct flow *f, uint64_t *end)
{
    uint64_t ip = f->walk.ip;

    for (int n = 0; n < FAR_STEPS; n++) {
        struct ild insn = insn_at(f, ip);
        *end = ip + insn.len;
        if (ip == f->walk.goal)
            return true;
        if (!insn.len || insn.branch != BRANCH_NONE)
            break;
        ip = *end;
    }
    return false;
}

enum step walk_goal(struct flow *f)
{
    uint64_t end;

    if (!goal_in_line(f, &end)) /* behind a direct branch */
        return walk_code(f, 0);
    enum step s = walk_code(f, end);
    return s == STEP_EVENT && f->walk.ip == end ? STEP_TARGET : s;
}
