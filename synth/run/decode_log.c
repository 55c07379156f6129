/* decode_log.c - what the decoder did, as a text: letter d of --itrace.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/run/decode_log.h"

#include "decoder/pt/pkt_text.h"
#include "decoder/pt/stream.h"
#include "synth/sample/fault.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { COLUMNS = 16, PADDED = 8 };

void decode_log_open(struct decode_log *log, const struct plan *p)
{
    const struct itrace *it = &p->opt.itrace;

    log->on = itrace_on(it, ITRACE_ON(LOG));
    if (!log->on)
        return;
    log->records = !(it->log_minus & ITRACE_FLAG('a'));
    log->to_text = it->log_plus & ITRACE_FLAG('o');
    log->errors_only = it->log_plus & ITRACE_FLAG('e');
    log->size = p->decode.log_size;
    text_fmt(&log->text, "TSC frequency %" PRIu64 "\nMaximum non-turbo ratio %u\n",
             tsc_ticks_of_ns(1000000000, &p->decode.clock),
             (unsigned)p->decode.max_non_turbo);
}

void decode_log_free(struct decode_log *log)
{
    decode_log_close(log);
    text_free(&log->text);
}

/* --- Lines ------------------------------------------------------------------------ */

static void packet_line(struct text *t, uint64_t pos, const uint8_t *at, size_t n,
                        const char *words, size_t len)
{
    text_fmt(t, "  %08" PRIx64 ": ", pos);
    text_bytes(t, at, n);
    text_spaces(t, 3 * (COLUMNS - n) + 1);
    text_put(t, words, len);
    text_char(t, '\n');
}

/* Zero bytes that perf shows as part of what is in front of them. */
static size_t padded(const uint8_t *at, size_t n, const uint8_t *end)
{
    while (n < PADDED && at + n < end && !at[n])
        n++;
    return n;
}

/* A packet, and what is left of the padding behind it. */
static void packet_lines(struct text *t, const struct pt_stream *s, unsigned size)
{
    static const char bad[] = "Bad Packet!", pad[] = "PAD";
    char words[PTS_PKT_TEXT_MAX];
    size_t len = size ? (size_t)(pkt_put(words, &s->pkt) - words) : sizeof(bad) - 1;
    size_t n = size ? padded(s->at, size, s->end) : 1;

    packet_line(t, s->pos, s->at, n, size ? words : bad, len);
    for (size_t off = n; s->at + off < s->end && !s->at[off]; off += n) {
        n = padded(s->at + off, 1, s->end);
        packet_line(t, s->pos + off, s->at + off, n, pad, sizeof(pad) - 1);
    }
}

void decode_log_packet(void *q, const struct pt_stream *s, unsigned size)
{
    const struct log_queue *from = q;
    struct decode_log *log = from->log;

    if (log->queue != from->number + 1)
        text_fmt(&log->text, "queue %u decoding cpu %d tid %d\n", from->number,
                 from->cpu, from->tid);
    log->queue = from->number + 1;
    packet_lines(&log->text, s, size);
}

void decode_log_record(struct decode_log *log, const struct perf_rec *rec, uint64_t tsc)
{
    if (!log->records || !tsc)
        return;
    text_fmt(&log->text, "event %u: cpu %d time %" PRIu64 " tsc 0x%" PRIx64 " %s\n",
             (unsigned)rec->type, (int)rec->id.cpu, rec->id.time, tsc,
             pts_record_name(rec->type));
}

/* --- Giving out ------------------------------------------------------------------- */

/* The last lines that fit. */
static void keep_last(struct decode_log *log)
{
    struct text *t = &log->text;
    const size_t most = log->size - 1;
    const char *from, *line;

    if (t->len <= most)
        return;
    from = t->at + (t->len - most);
    line = memchr(from, '\n', most);
    line = line ? line + 1 : t->at + t->len;
    t->len -= (size_t)(line - t->at);
    memmove(t->at, line, t->len);
}

void decode_log_close(struct decode_log *log)
{
    if (log->file && fclose(log->file) != 0 && !log->cut)
        log->cut = errno;
    log->file = NULL;
}

/* The decode goes on without it. */
static void to_file(struct decode_log *log)
{
    const struct text *t = &log->text;

    if (!log->tried)
        log->file = fopen("intel_pt.log", "we");
    log->tried = true;
    if (!log->file || fwrite(t->at, 1, t->len, log->file) == t->len)
        return;
    log->cut = errno;
    decode_log_close(log);
}

static pts_status give_out(struct decode_log *log, struct batch *b)
{
    struct text *t = &log->text;
    pts_status st = PTS_OK;

    if (t->failed)
        return PTS_E_NOMEM;
    if (t->len && log->to_text)
        st = batch_text(b, t->at, t->len);
    else if (t->len)
        to_file(log);
    t->len = 0;
    return st;
}

pts_status decode_log_put(struct decode_log *log, struct batch *b)
{
    if (!log->errors_only)
        return give_out(log, b);
    keep_last(log);
    return log->text.failed ? PTS_E_NOMEM : PTS_OK;
}

/* Which packet it was cannot be said for sure: the last in front of it in the log. */
pts_status decode_log_error(struct decode_log *log, uint32_t queue,
                            const struct pt_event *ev, struct batch *b)
{
    static const char front[] = "Dumping debug log buffer\n";
    struct text *t = &log->text;

    text_fmt(t, "ERROR: queue %u tsc 0x%" PRIx64 " ip 0x%" PRIx64 ": %s\n", queue,
             ev->tsc, ev->from, fault_text(ev->err));
    if (!log->errors_only)
        return PTS_OK;
    keep_last(log);
    if (!text_room(t, sizeof(front)))
        return PTS_E_NOMEM;
    memmove(t->at + sizeof(front) - 1, t->at, t->len);
    memcpy(t->at, front, sizeof(front) - 1);
    t->len += sizeof(front) - 1;
    text_str(t, "End of debug log buffer dump\n");
    return give_out(log, b);
}
