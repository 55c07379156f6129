/* stretch.c - which code is where.
 *
 * SPDX-License-Identifier: MIT
 *
 * Looking up a map costs far more than a step through code, so the last one is kept, until
 * the side-band, the processor's mode or the guest changes.
 */
#include "walker/flow/stretch.h"

#include <string.h>

/* The processor's mode as the trace says, or the file's when it has not said yet. */
static inline enum ild_mode mode_of(uint8_t exec_mode, const struct code *c)
{
    /* 16-bit code is in no file that a trace could name. */
    return code_mode(c, exec_mode == 64 || (exec_mode != 32 && c->is_64bit));
}

static inline uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void stretch_forget(struct flow *f)
{
    last_told(f); /* of the stretches that are known */
    f->code.at.end = 0;
    f->code.at.leg_len = 0;
    f->code.known.count = 0;
    f->code.known.age++;
    ret_forget_legs(&f->code.rets);
}

/* Where an instruction may begin that is certainly in this map. */
static uint64_t whole_below(const struct flow *f, const struct stretch *p)
{
    if (!f->conf.bare)
        return p->end;
    return p->end - p->start < ILD_MAX ? p->start : p->end - (ILD_MAX - 1);
}

size_t stretch_joint(struct flow *f, uint64_t ip, uint8_t bytes[ILD_MAX])
{
    const struct stretch here = f->code.at;
    size_t n = 0;

    while (n < ILD_MAX && stretch_at(f, ip + n) && f->code.at.code->bytes) {
        const struct stretch *p = &f->code.at;
        uint64_t off = ip + n + p->to_off;
        if (off >= p->code->size)
            break;
        size_t take =
            (size_t)least(least(p->end - (ip + n), p->code->size - off), ILD_MAX - n);
        uint8_t buf[ILD_MAX];
        memcpy(bytes + n, code_read(p->code, p->epoch, off, buf, take), take);
        n += take;
    }
    f->code.at = here;
    return n;
}

/* The legs there.  They keep to one map, one file and one half of the addresses, of which 32-bit
 * code has none above 2^32: it jumps elsewhere from there. */
static void stretch_legs(struct stretch *p)
{
    const uint64_t most = ild_is_64(p->mode) ? UINT64_MAX : UINT64_C(1) << 32;
    uint64_t off = p->start + p->to_off;
    uint64_t len = p->start < most ? least(p->whole, most) - p->start : 0;
    if (!len || !p->code->bytes || off >= p->code->size)
        return;
    len = least(len, p->code->size - off);
    len = least(len, UINT32_MAX / 2); /* so that places in it fit 32 bits */
    if (!in_kernel(p->start))
        len = least(len, KERNEL_START - p->start);
    p->legs = leg_map_of(p->code, p->mode, off, (uint32_t)len);
    p->leg_len = p->legs ? len : 0;
}

/* The maps of a guest, which few queues ever ask for. */
static struct as_view *view_of_guest(struct flow *f, uint32_t guest)
{
    struct where_code *c = &f->code;

    if (!c->guest)
        c->guest = mem_zalloc(sb_guest_count(f->sb), sizeof(*c->guest));
    if (c->guest && !c->guest[guest].view &&
        as_view_new(sb_guest_at(f->sb, guest), &c->guest[guest].view) < 0)
        c->guest[guest].view = NULL;
    if (!c->guest || !c->guest[guest].view)
        f->out.no_memory = true;
    return c->guest ? c->guest[guest].view : NULL;
}

/* In the machine of the guest that the thread runs. */
static const struct as_map *map_in_guest(struct flow *f, uint64_t ip)
{
    const struct told_state *t = &f->told;
    const struct sb_inside in = sb_inside(f->sb, &t->who, t->epoch);
    bool kernel = in_kernel(ip);

    if (in.guest == SB_NONE || (!kernel && (!in.user || in.thread == SB_NONE)))
        return NULL;
    if (in.guest == SB_GUEST_CODE && !kernel)
        return as_find(f->code.view, in.thread, t->epoch, ip, false);
    uint32_t guest =
        in.guest == SB_GUEST_CODE ? sb_guest_code_kernel(f->sb, in.pid) : in.guest;
    struct as_view *view = guest != SB_NONE ? view_of_guest(f, guest) : NULL;
    return view ? as_find(view, in.thread, t->epoch, ip, kernel) : NULL;
}

static const struct as_map *map_at(struct flow *f, uint64_t ip)
{
    const struct told_state *t = &f->told;
    bool kernel = in_kernel(ip);

    if (f->walk.nr && f->conf.guests)
        return map_in_guest(f, ip);
    if (f->walk.nr && !f->conf.guest_images)
        return NULL; /* guest code */
    if (!kernel && t->who.thread == SB_NONE)
        return NULL;
    return as_find(f->code.view, t->who.thread, t->epoch, ip, kernel);
}

/* Where the kernel switches threads each branch counts. */
static void stops_set(const struct flow *f, const struct stretch *p)
{
    const uint64_t at[2] = {f->conf.switch_to, f->conf.switch_hook};

    for (int i = 0; i < 2; i++)
        if (at[i] - p->start < p->end - p->start)
            p->code->stop[i] = at[i] + p->to_off;
}

bool stretch_find(struct flow *f, uint64_t ip)
{
    f->code.at.end = 0;
    f->code.at.leg_len = 0;
    const struct as_map *m = map_at(f, ip);
    if (!m || !m->dso)
        return false;
    struct code *code = f->images.code(f->images.ctx, m->dso);
    if (f->walk.nr && f->conf.guest_images && !code->given)
        return false; /* the side-band is of the host */
    uint8_t exec_mode = f->in.s.exec_mode;
    f->code.at = (struct stretch){.start = m->start,
                                  .end = m->end,
                                  .to_off = m->identity ? 0 : as_code_off(m, 0),
                                  .code = code,
                                  .epoch = f->told.epoch,
                                  .mode = mode_of(exec_mode, code),
                                  .exec_mode = exec_mode,
                                  .dso = sb_dso_number(f->sb, m->dso)};
    f->code.at.whole = whole_below(f, &f->code.at);
    if (f->conf.switch_to)
        stops_set(f, &f->code.at);
    stretch_legs(&f->code.at);
    return true;
}

/* The TIP that could not be walked to says where execution is all the same; perf drops it. */
static void note_target(struct flow *f)
{
    f->walk.target_left = f->walk.phase == IN_TIP && f->in.ip_known &&
                          f->in.s.tracing && pt_strict(&f->in, PLACE_RESYNC);
}

enum step fault_no_code(struct flow *f)
{
    const struct stretch *p = &f->code.at;
    bool missing =
        p->end && !p->code->bytes && !p->code->file_only && p->dso < f->code.dso_count;

    if (pt_lost(&f->in))
        f->in.met |= PLACE_OVF_ALONE;
    note_target(f);
    loop_left(f);
    f->walk.phase = SEEK_NEW_IP;
    if (missing && f->code.missing[p->dso] >= MISSING_TOLD)
        return STEP_SILENT;
    flow_fault(f, FAULT_NO_INSN);
    if (missing) {
        f->code.missing[p->dso]++;
        f->out.missing = 1 + p->dso;
    }
    return STEP_FAULT;
}
