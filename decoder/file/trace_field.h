/* trace_field.h - the fields in the kernel's description of a tracepoint.
 *
 * SPDX-License-Identifier: MIT
 *
 *     field:unsigned short common_type;  offset:0;  size:2;  signed:0;
 *     (empty line: from here on they are the event's own)
 *     field:char comm[16];  offset:8;  size:16;  signed:0;
 *     (empty line)
 *     print fmt:
 *
 * It is read word by word, as perf does: blanks do not matter, and where a word is not what
 * it must be, nothing behind it is read.
 */
#ifndef PTS_DECODER_FILE_TRACE_FIELD_H
#define PTS_DECODER_FILE_TRACE_FIELD_H

#include "decoder/file/trace_format.h"

struct trace_field {
    struct pts_bytes decl; /* "char comm[16]" */
    struct pts_bytes name; /* without the [16] of an array */
    uint32_t offset, size;
    bool is_signed;
    bool own; /* not one that all events share */
};

struct trace_fields {
    struct pts_bytes rest;
    bool own;
    /* set at the end */
    bool damaged;           /* not all of it could be read */
    struct pts_bytes print; /* behind "print fmt:" */
};

/* The format is lent. */
struct trace_fields trace_fields_of(const struct trace_format *f);
/* The next field; false at the end. */
bool trace_field_next(struct trace_fields *it, struct trace_field *out);

#endif
