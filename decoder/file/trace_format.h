/* trace_format.h - the kernel's descriptions of tracepoints, in TRACING_DATA.
 *
 * SPDX-License-Identifier: MIT
 *
 * A description is text:
 *
 *     name: sched_switch
 *     ID: 314
 *     format:
 *         field:unsigned short common_type;  offset:0;  size:2;  signed:0;
 *
 *         field:pid_t next_pid;  offset:56;  size:4;  signed:1;
 *
 *     print fmt: ...
 *
 * Fields that all events share come first, up to the empty line (trace_field.h).
 */
#ifndef PTS_DECODER_FILE_TRACE_FORMAT_H
#define PTS_DECODER_FILE_TRACE_FORMAT_H

#include "decoder/base/bytes.h"

/* Spans are lent by the bytes read. */
struct trace_format {
    const char *system;      /* "sched" */
    struct pts_bytes name;   /* "sched_switch" */
    uint32_t id;             /* attr.config of its events */
    struct pts_bytes fields; /* behind "format:", up to the end: trace_field.h */
};

struct trace_iter {
    struct reader r;
    bool foreign, big_endian;
    uint8_t long_size; /* of the recorded machine */
    const char *system;
    uint32_t systems, events; /* still to come, and in this system */
};

/* The bytes of TRACING_DATA; there are no formats in any other. */
struct trace_iter trace_begin(struct pts_bytes data);
/* The next format, false at the end and where the bytes are not what they claim.  One
 * without a name or an ID is passed over. */
bool trace_next(struct trace_iter *it, struct trace_format *out);
/* The format of the events with this attr.config. */
bool trace_find(struct pts_bytes data, uint64_t config, struct trace_format *out);
/* Strings of the kernel that events point to: lines of 0xADDRESS : "TEXT". */
struct pts_bytes trace_strings(struct pts_bytes data);

#endif
