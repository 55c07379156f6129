/* stream.h - the packets of one AUX queue, across its buffers.
 *
 * SPDX-License-Identifier: MIT
 *
 * Buffers that continue each other are one stream of packets; one that does not begins
 * a new trace, and the reader is told (STREAM_BREAK).  As in perf, a packet cut off by
 * the end of a buffer is bad, but a PSB is found across it.
 */
#ifndef PTS_DECODER_PT_STREAM_H
#define PTS_DECODER_PT_STREAM_H

#include "decoder/pt/lookahead.h"
#include "decoder/pt/psb_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Trace data of one AUXTRACE record, or of one AUX sample. */
struct pt_buf {
    const uint8_t *ptr;
    size_t len;
    uint64_t ref;               /* TSC when it was read; 0 unknown */
    uint32_t nr;                /* number among the buffers of all queues, from 0 */
    bool consecutive;           /* continues the buffer before it */
    const struct pt_psbs *psbs; /* its PSBs; NULL: they are to be looked for */
};

struct pt_stream;
/* Told of s->pkt; size 0: of a byte at s->at that begins no packet. */
typedef void stream_watch_fn(void *ctx, const struct pt_stream *s, unsigned size);

enum stream_result {
    STREAM_PKT,   /* s->pkt is the next packet that is not PAD */
    STREAM_END,   /* no more data */
    STREAM_BREAK, /* a buffer that does not continue the last has begun */
    STREAM_BAD    /* not a packet; the next call goes on one byte further */
};

struct pt_stream {
    const struct pt_buf *bufs;
    uint32_t count, next; /* buffers, index of the one to read after this */
    const uint8_t *at, *end;
    uint64_t pos;   /* offset of s->pkt from the start of the stream, bytes */
    uint32_t step;  /* bytes to skip before the next packet */
    uint8_t prev;   /* kind of the packet before s->pkt */
    bool lists_lie; /* those of PSBs: one was found wrong */
    enum pkt_ctx ctx, ctx_before;
    struct pts_pkt pkt;
    stream_watch_fn *watch; /* who is told of each packet, once; or NULL */
    void *watch_ctx;
    uint64_t told; /* offset behind the last of them */
};

void stream_init(struct pt_stream *s, const struct pt_buf *bufs, uint32_t count);
enum stream_result stream_next(struct pt_stream *s);

/* The first TSC packet behind a PSB, which may begin in one buffer and end in the next, of buffers that
 * are one trace; false: there is none.  *tsc: its payload of 56 bits. */
bool stream_first_tsc(const struct pt_buf *bufs, uint32_t count, uint64_t *tsc);

/* The next call delivers s->pkt once more. */
static inline void stream_unget(struct pt_stream *s)
{
    s->step = 0;
}

/* Moves behind s->pkt, so that s->at is the packet after it. */
static inline void stream_skip(struct pt_stream *s)
{
    s->at += s->step;
    s->pos += s->step;
    s->step = 0;
}

/* The buffer being read; valid after the first STREAM_BREAK. */
static inline const struct pt_buf *stream_buf(const struct pt_stream *s)
{
    return &s->bufs[s->next - 1];
}

/* What follows s->pkt in this buffer. */
static inline struct pkt_cursor stream_rest(const struct pt_stream *s)
{
    return (struct pkt_cursor){s->at + s->step, s->end, s->ctx};
}

/* Skips to the next PSB, which becomes s->pkt. */
enum stream_result stream_find_psb(struct pt_stream *s);

/* Moves to byte off of buffer `index`, where a PSB begins; the next packet is that PSB.
 */
void stream_move(struct pt_stream *s, uint32_t index, size_t off);

#endif
