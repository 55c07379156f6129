/* strict_libipt.c - the instructions that libipt finds in a trace.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/prop/strict_libipt.h"

#include <intel-pt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_code(uint8_t *to, size_t n, const struct pt_asid *asid, uint64_t ip,
                     void *ctx)
{
    const struct libipt_in *in = ctx;

    (void)asid;
    if (ip - in->base >= in->size)
        return -pte_nomap;
    size_t left = (size_t)(in->base + in->size - ip);
    n = n < left ? n : left;
    memcpy(to, in->code + (ip - in->base), n);
    return (int)n;
}

static struct pt_insn_decoder *decoder_new(struct libipt_in *in)
{
    struct pt_config conf;
    unsigned family, model, stepping;

    pt_config_init(&conf);
    conf.begin = in->trace;
    conf.end = in->trace + in->trace_len;
    if (in->cpuid &&
        sscanf(in->cpuid, "GenuineIntel,%u,%u,%u", &family, &model, &stepping) == 3) {
        conf.cpu = (struct pt_cpu){pcv_intel, (uint16_t)family, (uint8_t)model,
                                   (uint8_t)stepping};
        pt_cpu_errata(&conf.errata, &conf.cpu);
    }
    struct pt_insn_decoder *d = pt_insn_alloc_decoder(&conf);
    if (!d)
        exit(1);
    pt_image_set_callback(pt_insn_get_image(d), read_code, in);
    return d;
}

static int drain(struct pt_insn_decoder *d, int status)
{
    struct pt_event ev;

    while (status >= 0 && status & pts_event_pending)
        status = pt_insn_event(d, &ev, sizeof(ev));
    return status;
}

uint32_t libipt_follow(struct libipt_in *in, uint64_t *ip, uint32_t max, int *fault)
{
    struct pt_insn_decoder *d = decoder_new(in);
    struct pt_insn insn;
    uint32_t n = 0;
    int status = drain(d, pt_insn_sync_forward(d));

    while (status >= 0 && n < max) {
        status = pt_insn_next(d, &insn, sizeof(insn));
        if (status >= 0 || insn.iclass != ptic_error)
            ip[n++] = insn.ip;
        status = drain(d, status);
    }
    *fault = status == -pte_eos ? 0 : -status;
    pt_insn_free_decoder(d);
    return n;
}
