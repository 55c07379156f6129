/* vm_time.h - times of guests in a trace become those of the host.
 *
 * SPDX-License-Identifier: MIT
 *
 * In a guest TSC packets have the host's time plus an offset that the hypervisor has put
 * into the control structure (VMCS) of that virtual processor.  MTC packets count on
 * regardless: from the last TSC and those one knows what the host's time must be, and so
 * the offset.  Whose a TSC is tell PIP and VMCS packets, else where it lies in time.
 * The rules, also of guessing, are perf 6.1's (perf inject --vm-time-correlation).
 */
#ifndef PTS_DECODER_PT_VM_TIME_H
#define PTS_DECODER_PT_VM_TIME_H

#include "decoder/base/idmap.h"
#include "decoder/base/vec.h"
#include "decoder/pt/clock.h"
#include "decoder/pt/stream.h"

/* What is known of a virtual processor. */
struct vm_machine {
    uint64_t vmcs; /* 0: of any */
    uint64_t offset;
    bool sure; /* the offset was given, or found where tracing went on all the time */
    bool told; /* that it is not known */
};

/* Says a line; it has no newline. */
typedef void vm_say_fn(void *ctx, const char *text);

/* Of all queues.  Zero-initialise but for bytes, offset, say; give back with vm_time_free. */
struct vm_time {
    uint8_t *bytes;  /* what all trace lies in, to be changed */
    uint64_t offset; /* of machines that none is known of; 0: unknown */
    vm_say_fn *say;
    void *say_ctx;
    VEC(struct vm_machine) machine;
    struct idmap by_vmcs; /* index in machine */
    uint64_t changed;     /* times that have been rewritten */
};

/* The machine of a control structure, made with this offset if there is none.  NULL: no
 * memory.  Lent until the next call. */
struct vm_machine *vm_time_machine(struct vm_time *t, uint64_t vmcs, uint64_t offset);
void vm_time_free(struct vm_time *t);

/* One queue; see vm_queue_init. */
struct vm_queue {
    struct vm_time *all;
    struct pt_stream st;
    struct pt_clock clk;
    uint32_t bufs_seen; /* clk.buf_ref is of this one */
    uint64_t last_ctc;  /* of the crystal clock, at the tick before the last TMA */
    uint64_t since;     /* the last time that was the host's for sure */
    uint64_t vmcs;      /* the last that was named */
    bool in_guest;      /* as the last PIP says */
    bool tracing, in_psb;
    bool lost; /* nothing counts before the next PSB */
    bool sure; /* whose the last time was */
    bool continues,
        same_buf;  /* tracing went on since the last time; in the same buffer */
    uint8_t block; /* type of the block of items; 0: none */
    bool told_range, told_machine;
};

/* bufs: pieces of the trace within all->bytes. */
void vm_queue_init(struct vm_queue *q, struct vm_time *all,
                   const struct clock_config *conf, const struct pt_buf *bufs,
                   uint32_t count);
/* Goes to the first PSB, and changes nothing.  False: there is none in these buffers.  More
 * may be added to them (q->st.count), and it is asked again. */
bool vm_queue_begin(struct vm_queue *q);
/* Then all times up to the end of these buffers.  PTS_E_NOMEM. */
pts_status vm_queue_run(struct vm_queue *q);

#endif
