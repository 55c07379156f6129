/* dlfilter_priv.h - what the files of a filter share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_DLFILTER_DLFILTER_PRIV_H
#define PTS_SYNTH_DLFILTER_DLFILTER_PRIV_H

#include "synth/dlfilter/abi.h"
#include "synth/dlfilter/dlfilter.h"
#include "synth/dlfilter/printed.h"

struct dlfilter {
    struct dlfilter_scene scene;
    void *object; /* of dlopen */
    struct {
        dl_start_fn *start;
        dl_stop_fn *stop;
        dl_event_fn *early, *event;
        struct dl_functions *functions;
    } has;      /* each NULL: it has none */
    void *data; /* the filter's own */
    char **args;
    int arg_count;
    struct printed printed;
    bool started, stopped;
    int result;
    bool failed_made;

    /* While it is shown a sample; else NULL: questions have no answer then. */
    const struct sample *sample;
    struct who who; /* of the sample */
    struct dl_place ip, addr;
    uint8_t insn[16];
    char *line_file; /* the answer of srcline */
    uint8_t attr[128];
};

/* dlfilter_ask.c: what a filter may ask. */
void dlfilter_answer(struct dl_functions *to);

#endif
