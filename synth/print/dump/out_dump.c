/* out_dump.c - every record and every packet of a recording: perf script -D.
 *
 * SPDX-License-Identifier: MIT
 *
 * Records, and when there are packets behind one.  Their lines, which are nearly all of
 * the text, are made in out_packets.c.
 */
#include "synth/print/dump/out_dump.h"

#include "decoder/record/perf_swap.h"
#include "decoder/base/digits.h"

enum { HEX_COLUMNS = 16, RAW_LINE_MAX = 24 + 4 * HEX_COLUMNS };

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
    struct pts_bytes bytes = perf_rec_payload(&r->head);

    if (!dump_has_pt(d))
        return;
    /* AUX samples carry their piece of trace inside, AUXTRACE records behind them. */
    if (!piece)
        bytes = r->u.sample.aux;
    text_str(t, piece ? ".\n" : "\n");
    text_fmt(t, ". ... Intel Processor Trace data: size %zu bytes\n", bytes.len);
    perf_file_soon(d->o.file, bytes.ptr, bytes.len);
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
    if (type != PTS_RECORD_AUXTRACE_ERROR || !(d->o.no_itrace || d->o.no_errors))
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
