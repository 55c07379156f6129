/* out_packets.c - lines of packets, nearly all of what perf script -D prints.
 *
 * SPDX-License-Identifier: MIT
 *
 *     .  0000001c:  59 a0                                            MTC 0xa0
 *     |           | 16 columns of " 00"                             |text
 *     0           13                                                62
 *
 * A line is a row of whole words that are stored one over the other: its front, of which
 * only the last two digits differ from that of the line before, blanks, a column for each
 * byte, and the text.  Room is made once for many lines, with some for what is stored
 * behind the end of the last one.
 */
#include "synth/print/dump/out_dump.h"

#include "decoder/base/digits.h"
#include "decoder/pt/pkt.h"
#include "decoder/pt/pkt_text.h"

enum {
    STEP_BYTES = 64 * 1024,
    COLUMNS_WIDTH = 3 * 16 + 1,
    FRONT = 13,  /* ".  00000000: " */
    PAD_MAX = 8, /* zero bytes are shown with a packet up to this size of both */
    ROW_MAX = FRONT + 8 + COLUMNS_WIDTH + PTS_PKT_TEXT_MAX + 1
};

/* Of the last line: all but the lowest two digits are those of offset / 256. */
struct front {
    uint64_t page;
    char text[16];
};

static void front_turn(struct front *f, uint64_t page)
{
    f->page = page;
    put_str(put_hex_width(put_str(f->text, ".  "), page << 8, 8), ": ");
}

/* With 9 to 16 digits behind 4 GiB. */
static inline char *put_front(char *p, struct front *f, uint64_t at)
{
    if (__builtin_expect(at >> 32 != 0, 0))
        return put_str(put_hex(put_str(p, ".  "), at), ": ");
    if (f->page != at >> 8)
        front_turn(f, at >> 8);
    memcpy(p, f->text, sizeof(f->text));
    put_hex2(p + FRONT - 4, (uint8_t)at);
    return p + FRONT;
}

static inline void put_columns(char *p, const uint8_t *bytes, unsigned n)
{
    memset(p, ' ', COLUMNS_WIDTH);
    for (unsigned i = 0; i < n; i++)
        put_hex2(p + 3 * i + 1, bytes[i]);
}

/* Zero bytes that perf shows as part of the packet in front of them. */
static inline unsigned with_padding(const uint8_t *p, unsigned size, const uint8_t *end)
{
    while (size < PAD_MAX && p + size < end && p[size] == 0)
        size++;
    return size;
}

/* Those that a trace has most of are told apart here, where it is known how much there is
 * of them.  NULL: another one, or in a block, where bytes mean other things. */
static inline char *put_frequent(char *p, const uint8_t *at, unsigned *size)
{
    struct pts_pkt pkt;

    if ((*at & 3) == 3 && pkt_cyc(at, &pkt) > 0) {
        *size = pkt.size;
        return put_0x(put_mem(p, "CYC ", 4), pkt.value);
    }
    if (!(*at & 1) && *at > 2) {
        *size = 1;
        pkt_tnt(&pkt, 1, 6, (uint64_t)*at << 56);
        return pkt_put_tnt(put_mem(p, "TNT ", 4), &pkt);
    }
    return NULL;
}

/* Any packet; *size 0: it is none. */
static char *put_any(char *p, struct pts_pkt_cursor *c, unsigned *size)
{
    struct pts_pkt pkt;
    enum pkt_ctx ctx = (enum pkt_ctx)c->ctx;
    int n = pkt_next(c->at, c->end, &ctx, &pkt);

    *size = 0;
    if (n <= 0 || pkt.kind == PTS_PKT_TRIG || pkt.kind == PTS_PKT_TRIG_IP)
        return put_str(p, "Bad packet!"); /* perf does not know TRIG */
    *size = (unsigned)n;
    /* Inside a PEBS block bytes mean other packets: the next call must know. */
    c->ctx = ctx;
    return pkt_put(p, &pkt);
}

/* The line of one packet; c goes behind it. */
static inline char *put_line(char *p, struct front *f, struct pts_pkt_cursor *c,
                             uint64_t off)
{
    const uint8_t *at = c->at;
    char *columns = put_front(p, f, off), *text = columns + COLUMNS_WIDTH, *end = NULL;
    unsigned size;

    if (c->ctx == PKT_CTX_NONE && c->end - at >= PKT_WIDE)
        end = put_frequent(text, at, &size);
    if (!end)
        end = put_any(text, c, &size);
    size = size ? with_padding(at, size, c->end) : 1;
    put_columns(columns, at, size);
    c->at = at + size;
    return put_char(end, '\n');
}

/* Some packets at a time: a piece of trace may become text of many times its size,
 * and whoever reads it may stop. */
void dump_packets(struct dump *d, struct text *t)
{
    struct pts_pkt_cursor *c = &d->aux;
    size_t stop = t->len + STEP_BYTES;
    struct front front;

    if (!text_room(t, STEP_BYTES + ROW_MAX))
        return;
    front_turn(&front, 0);
    while (c->at < c->end && t->len < stop) {
        char *line = t->at + t->len;
        uint64_t off = (uint64_t)(c->at - d->aux_start);
        t->len += (size_t)(put_line(line, &front, c, off) - line);
    }
}
