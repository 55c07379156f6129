/* out_dump.c - every record and every packet of a recording: perf script -D.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nearly all of the text is packets, so their lines are put together without the
 * formatting functions: one room for the longest line, then plain stores.
 */
#include "synth/print/dump/out_dump.h"

#include "decoder/record/perf_swap.h"
#include "decoder/pt/pkt.h"
#include "decoder/pt/pkt_text.h"
#include "decoder/base/digits.h"

enum {
    HEX_COLUMNS = 16,
    STEP_BYTES = 64 * 1024,
    /* ".  00000000: " + 16 x " 00" + " " + text + "\n", offsets up to 16 digits */
    PKT_LINE_MAX = 24 + 3 * HEX_COLUMNS + PTS_PKT_TEXT_MAX + 2,
    RAW_LINE_MAX = 24 + 4 * HEX_COLUMNS
};

static char *put_byte(char *p, uint8_t v)
{
    p[0] = ' ';
    p[1] = hex_digit(v >> 4);
    p[2] = hex_digit(v);
    return p + 3;
}

/* One line of at most 16 raw bytes. */
static char *put_raw(char *p, unsigned at, const uint8_t *bytes, size_t n)
{
    p = put_hex_width(put_str(p, ".  "), at, 4);
    p = put_str(p, ": ");
    char *columns = p;
    for (size_t i = 0; i < n; i++)
        p = put_byte(p, bytes[i]);
    p = put_str(put_pad(p, columns, 3 * HEX_COLUMNS), "  ");
    columns = p;
    for (size_t i = 0; i < n; i++)
        *p++ = bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '.';
    return put_char(put_pad(p, columns, HEX_COLUMNS), '\n');
}

static void dump_bytes(struct text *t, const uint8_t *bytes, unsigned size)
{
    text_fmt(t, ".\n. ... raw event: size %u bytes\n", size);
    for (unsigned i = 0; i < size; i += HEX_COLUMNS) {
        size_t n = size - i < HEX_COLUMNS ? size - i : HEX_COLUMNS;
        char *p = text_room(t, RAW_LINE_MAX);
        if (p)
            t->len += (size_t)(put_raw(p, i, bytes + i, n) - p);
    }
    text_char(t, '\n');
}

/* Of the other byte order: not as they were recorded, nor as we have them now. */
static void dump_turned(struct text *t, const struct perf_file *f,
                        const struct perf_rec *r)
{
    uint8_t bytes[PERF_REC_MAX];
    const struct perf_evsel *ev =
        r->evsel != PTS_NO_EVENT ? &f->evsel.at[r->evsel] : NULL;
    memcpy(bytes, r->ptr, r->size);
    swap_as_perf(bytes, r->size, ev ? &ev->attr : NULL, ev ? ev->id_bytes : 0);
    dump_bytes(t, bytes, r->size);
}

static void dump_raw(struct text *t, const struct perf_file *f,
                     const struct perf_rec *r)
{
    if (f->foreign)
        dump_turned(t, f, r);
    else
        dump_bytes(t, r->ptr, r->size);
}

/* cpu and time, each if any event has it; perf's own records have neither. */
static void dump_stamp(struct text *t, const struct perf_file *f,
                       const struct perf_rec *r)
{
    uint64_t type = perf_file_sample_type(f, r->off);
    bool own = r->type >= PERF_REC_USER;
    if (r->type != PTS_RECORD_SAMPLE && !perf_file_id_all(f, r->off)) {
        text_str(t, "-1 -1 ");
        return;
    }
    if (type & PTS_SAMPLE_CPU) {
        text_dec(t, own ? 0 : r->id.cpu, 0);
        text_char(t, ' ');
    }
    if (type & PTS_SAMPLE_TIME) {
        text_dec(t, own ? 0 : r->id.time, 0);
        text_char(t, ' ');
    }
}

/* Where perf would say that the record is, which for unpacked ones is where they
 * were packed. */
static void dump_head(struct text *t, const struct perf_file *f,
                      const struct perf_rec *r)
{
    const struct perf_shown place = perf_file_shown(f, r->off);
    text_char(t, '\n');
    text_hex_alt(t, place.off);
    text_char(t, '@');
    text_str(t, place.path);
    text_fmt(t, " [%#x]: event: %d\n", r->size, (int)r->type);
    dump_raw(t, f, r);
    dump_stamp(t, f, r);
    text_hex_alt(t, place.off);
    text_fmt(t, " [%#x]: PERF_RECORD_", r->size);
    text_str(t, rec_type_name(r->type));
}

/* Zero bytes that perf shows as part of the packet in front of them. */
static unsigned pad_bytes(const uint8_t *p, unsigned size, const uint8_t *end)
{
    while (size < 8 && p + size < end && p[size] == 0)
        size++;
    return size;
}

static char *put_packet(char *p, uint64_t at, const uint8_t *bytes, unsigned n)
{
    p = put_hex_width(put_str(p, ".  "), at, 8);
    p = put_str(p, ": ");
    char *columns = p;
    for (unsigned i = 0; i < n; i++)
        p = put_byte(p, bytes[i]);
    return put_char(put_pad(p, columns, 3 * HEX_COLUMNS), ' ');
}

/* Some packets at a time: a piece of trace may become text of many times its size,
 * and whoever reads it may stop. */
void dump_packets(struct dump *d, struct text *t)
{
    struct pts_pkt_cursor *c = &d->aux;
    const uint8_t *start = d->aux_start;
    size_t stop = t->len + STEP_BYTES;
    enum pkt_ctx ctx = (enum pkt_ctx)c->ctx;
    while (c->at < c->end && t->len < stop) {
        struct pts_pkt pkt;
        enum pkt_ctx after = ctx;
        char *line = text_room(t, PKT_LINE_MAX);
        if (!line)
            break;
        int size = pkt_next(c->at, c->end, &after, &pkt);
        bool bad = size <= 0 || pkt.kind == PTS_PKT_TRIG ||
                   pkt.kind == PTS_PKT_TRIG_IP; /* perf does not know TRIG */
        unsigned n = bad ? 1 : pad_bytes(c->at, (unsigned)size, c->end);
        char *p = put_packet(line, (uint64_t)(c->at - start), c->at, n);
        p = bad ? put_str(p, "Bad packet!") : pkt_put(p, &pkt);
        *p++ = '\n';
        t->len += (size_t)(p - line);
        c->at += n;
        ctx = bad ? ctx : after;
    }
    /* Inside a PEBS block bytes mean other packets: the next call must know. */
    c->ctx = ctx;
}

/* Whether packets can be shown: perf must have met a usable AUXTRACE_INFO of Intel
 * PT. */
static bool dump_has_pt(const struct dump *d)
{
    struct record r;
    struct aux_info info;
    return d->info && !d->o.no_itrace &&
           record_read(d->o.file, d->info, &r) == PTS_OK &&
           aux_info_read(&r, &info, NULL) == PTS_OK &&
           info.type == PTS_AUXTRACE_INTEL_PT;
}

void dump_trace(struct dump *d, const struct record *r, struct text *t)
{
    bool piece = r->head.type == PTS_RECORD_AUXTRACE;
    struct pts_bytes bytes = {r->head.ptr + r->head.size, (size_t)r->head.payload};

    if (!dump_has_pt(d))
        return;
    /* AUX samples carry their piece of trace inside, AUXTRACE records behind them. */
    if (!piece)
        bytes = r->u.sample.aux;
    text_str(t, piece ? ".\n" : "\n");
    text_fmt(t, ". ... Intel Processor Trace data: size %zu bytes\n", bytes.len);
    d->aux = pts_pkt_cursor_of(bytes.ptr, bytes.len);
    d->aux_start = bytes.ptr;
}

static void dump_lines(const struct dump *d, const struct record *r, struct text *t)
{
    if (d->o.lines)
        d->o.lines(d->o.ctx, r, t);
}

static void dump_tool(struct dump *d, const struct record *r, struct text *t)
{
    uint32_t type = r->head.type;
    if (type == PTS_RECORD_FINISHED_ROUND && d->o.file_order) {
        text_str(t, d->o.rounds ? "PERF_RECORD_FINISHED_ROUND\n" : ": unhandled!\n");
        return;
    }
    if (type != PTS_RECORD_AUXTRACE_ERROR || !d->o.no_itrace)
        rec_text_dump(t, d->o.file, r, &d->o.names);
    dump_lines(d, r, t);
    /* From now on packets are understood; perf uses the first of these records only. */
    if (type == PTS_RECORD_AUXTRACE_INFO && !d->info)
        d->info = r->head.off;
}

static void dump_kernel(struct dump *d, const struct record *r, struct text *t)
{
    uint32_t type = r->head.type;
    if (type == PTS_RECORD_SAMPLE) {
        if (r->how == PTS_RECORD_WHOLE)
            dump_sample(t, d->o.file, r);
        return;
    }
    bool leaves = type == PTS_RECORD_EXIT; /* said while the thread is still there */
    if (leaves)
        dump_lines(d, r, t);
    if (type != PTS_RECORD_LOST || !d->o.lost)
        rec_text_dump(t, d->o.file, r, &d->o.names);
    if (!leaves)
        dump_lines(d, r, t);
}

void dump_record(struct dump *d, const struct record *r, bool good, struct text *t)
{
    dump_head(t, d->o.file, &r->head);
    /* Damaged: head and bytes are all that can be said. */
    if (!good)
        return;
    if (r->head.type < PERF_REC_USER)
        dump_kernel(d, r, t);
    else
        dump_tool(d, r, t);
}

void dump_init(struct dump *d, const struct dump_opts *opts)
{
    *d = (struct dump){.o = *opts};
}
