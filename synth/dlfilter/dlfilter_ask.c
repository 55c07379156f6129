/* dlfilter_ask.c - what a filter may ask about the sample that it is shown.
 *
 * SPDX-License-Identifier: MIT
 *
 * Outside of that there is nothing to ask about, and the answer is none.  What is given
 * lives until the next question of its kind, or the end of the sample.
 */
#include "synth/dlfilter/dlfilter_priv.h"

#include "decoder/file/perf_feat.h"
#include "decoder/file/perf_file.h"
#include "synth/plan/event_bytes.h"

#include <string.h>

/* --- Places ----------------------------------------------------------------------- */

static void place_about(const struct dlfilter *d, const struct place_query *q,
                        struct dl_place *to)
{
    const struct lookup *look = d->scene.look;
    struct place p;
    struct place_file file;

    look->place(look->ctx, q->who, q->cpumode, q->ip, &p);
    *to = (struct dl_place){
        .size = sizeof(*to),
        .addr = p.addr,
        .dso = p.dso,
        .is_kernel_ip = mode_at_addr(q->ip, false) == PTS_MODE_KERNEL,
    };
    if (p.sym) {
        to->sym = p.sym;
        to->symoff = (uint32_t)p.sym_off;
        to->sym_start = p.sym_start;
        to->sym_end = p.sym_end;
    }
    if (!p.dso || !look->file(look->ctx, q, &file))
        return;
    to->sym_binding = p.sym ? file.sym_bind : 0;
    to->is_64_bit = file.is_64bit;
    to->buildid_size = file.build_id_len;
    to->buildid = file.build_id;
}

/* Maps of the sample's mode, then those of the address. */
static struct place_query query_of(const struct dlfilter *d, uint64_t ip)
{
    const struct sample *s = d->sample;
    const struct lookup *look = d->scene.look;
    struct place_query q = {&s->who, ip, s->cpumode};
    struct place p;

    look->place(look->ctx, q.who, q.cpumode, ip, &p);
    if (!p.dso && (q.cpumode == PTS_MODE_USER || q.cpumode == PTS_MODE_KERNEL ||
                   mode_is_guest(q.cpumode)))
        q.cpumode = mode_at_addr(ip, mode_is_guest(q.cpumode));
    return q;
}

static struct place_query query_ip(const struct dlfilter *d)
{
    return (struct place_query){&d->sample->who, d->sample->ip, d->sample->cpumode};
}

static const struct dl_place *resolve_ip(void *ctx)
{
    struct dlfilter *d = ctx;
    const struct lookup *look = d->scene.look;

    if (!d->sample)
        return NULL;
    const struct place_query q = query_ip(d);
    place_about(d, &q, &d->ip);
    d->ip.filtered = filter_says(&d->scene.plan->sel, look, d->sample);
    if (plan_leaves_out(d->scene.plan, q.cpumode))
        d->ip.filtered |= FILTERED_GUEST;
    d->ip.comm = look->comm(look->ctx, q.who);
    return &d->ip;
}

static const struct dl_place *resolve_addr(void *ctx)
{
    struct dlfilter *d = ctx;

    if (!d->sample || !evl_has_target(&d->scene.plan->evl.ev.at[d->sample->event]))
        return NULL;
    const struct place_query q = query_of(d, d->sample->addr);
    place_about(d, &q, &d->addr);
    return &d->addr;
}

/* As much as the filter has room for, by the size that it says. */
static int32_t resolve_address(void *ctx, uint64_t address, struct dl_place *out)
{
    struct dlfilter *d = ctx;
    struct dl_place all;

    if (!d->sample)
        return -1;
    const uint32_t size = out->size;
    const struct place_query q = query_of(d, address);
    place_about(d, &q, &all);
    all.size = size;
    memcpy(out, &all, size < sizeof(all) ? size : sizeof(all));
    return 0;
}

/* All that was given is the recording's. */
static void al_cleanup(void *ctx, struct dl_place *al)
{
    (void)ctx, (void)al;
}

/* --- Code ------------------------------------------------------------------------- */

static const uint8_t *insn(void *ctx, uint32_t *length)
{
    struct dlfilter *d = ctx;
    const struct lookup *look = d->scene.look;

    *length = 0;
    if (!d->sample)
        return NULL;
    const struct sample *s = d->sample;
    size_t n = s->insn_len;
    memcpy(d->insn, s->insn, n);
    if (!n && s->ip && perf_feat_x86(d->scene.file))
        n = look->insn(look->ctx, &s->who, s->ip, d->insn);
    *length = (uint32_t)n;
    return n ? d->insn : NULL;
}

static int32_t object_code(void *ctx, uint64_t ip, void *to, uint32_t size)
{
    struct dlfilter *d = ctx;
    struct place_code code = {.want = size ? size : 1};
    uint32_t done = 0;

    if (!d->sample || size > INT32_MAX)
        return -1;
    const struct lookup *look = d->scene.look;
    const struct who *who = &d->sample->who;
    if (!look->code(look->ctx, who, ip, &code))
        return -1;
    /* Code is given in pieces. */
    while (done < size && look->code(look->ctx, who, ip + done, &code)) {
        uint32_t n = code.len < size - done ? (uint32_t)code.len : size - done;
        memcpy((uint8_t *)to + done, code.at, n);
        done += n;
        code.want = size - done;
    }
    return (int32_t)done;
}

static const char *srcline(void *ctx, uint32_t *line)
{
    struct dlfilter *d = ctx;
    const struct lookup *look = d->scene.look;
    const char *file = NULL;
    size_t n = 0;

    *line = 0;
    if (!d->sample)
        return NULL;
    const struct place_query q = query_ip(d);
    struct place p;
    look->place(look->ctx, q.who, q.cpumode, q.ip, &p);
    if (!p.dso || *p.dso_path == '[') /* nobody looks for lines of what is no file */
        return NULL;
    if (look->source(look->ctx, &q, &file, &n, line) != PTS_OK)
        return NULL;
    if (!n)
        return "";
    char *kept = mem_resize(d->line_file, n + 1, 1);
    if (!kept)
        return "";
    memcpy(kept, file, n);
    kept[n] = '\0';
    d->line_file = kept;
    return kept;
}

/* --- The rest --------------------------------------------------------------------- */

static char **args(void *ctx, int *count)
{
    struct dlfilter *d = ctx;

    *count = d->arg_count;
    return d->args;
}

static const void *attr(void *ctx)
{
    struct dlfilter *d = ctx;

    if (!d->sample)
        return NULL;
    const uint32_t event = d->sample->event;
    const struct perf_file *f = d->scene.file;
    event_bytes(f, d->scene.plan, event, d->attr);
    if (event < f->evsel.len) /* no longer than its kernel knew it */
        memcpy(d->attr + 4, &f->evsel.at[event].attr.size, sizeof(uint32_t));
    return d->attr;
}

void dlfilter_answer(struct dl_functions *to)
{
    *to = (struct dl_functions){.resolve_ip = resolve_ip,
                                .resolve_addr = resolve_addr,
                                .args = args,
                                .resolve_address = resolve_address,
                                .insn = insn,
                                .srcline = srcline,
                                .attr = attr,
                                .object_code = object_code,
                                .al_cleanup = al_cleanup};
}
