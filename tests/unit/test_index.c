/* test_index.c - the index of a recording: read as written, damaged, forged; and leaps by it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/aux/index.h"
#include "decoder/base/hash.h"
#include "decoder/pt/psb.h"
#include "decoder/pt/reader.h"
#include "tests/lib/t.h"

#include <string.h>

/* --- A recording: two buffers with PSBs, 8 each --- */

enum { PSBS = 8, APART = 128, BYTES = PSBS * APART };

static uint8_t trace[2][BYTES], head[6000];
static struct aux_buf piece[2];
static struct perf_file file;

static void recording(void)
{
    memset(trace, 0, sizeof(trace));
    for (unsigned i = 0; i < 2 * PSBS; i++) {
        uint8_t *at = trace[i / PSBS] + i % PSBS * APART;
        uint64_t t = 1000 + 100 * i;
        memcpy(at, psb_pattern, PSB_BYTES);
        at[16] = 0x19;
        memcpy(at + 17, &t, 7);
        at[24] = 2, at[25] = 0x23;
    }
    for (unsigned i = 0; i < 2; i++)
        piece[i] = (struct aux_buf){.ptr = trace[i],
                                    .len = BYTES,
                                    .off = 100 + 5000u * i,
                                    .reference = 4000 + i,
                                    .cpu = 0,
                                    .tid = -1};
    file = (struct perf_file){
        .in = {.ptr = head, .len = sizeof(head)}
    };
}

static struct trace_index index_of_it(void)
{
    struct trace_index x = {0};

    for (unsigned i = 2; i--;) {
        struct index_piece *p = VEC_PUSH(&x.piece);
        *p = (struct index_piece){.off = piece[i].off,
                                  .len = BYTES,
                                  .hash = index_hash(&piece[i]),
                                  .first = x.psbs.psb.len,
                                  .count = PSBS};
        EQ(psb_list_add(&x.psbs, piece[i].ptr, BYTES), PTS_OK);
    }
    struct index_queue *q = VEC_PUSH(&x.queue);
    *q = (struct index_queue){.tid = -1, .count = 1};
    struct survey_window *w = VEC_PUSH(&x.window);
    *w = (struct survey_window){.from = 1, .to = 2, .end = SURVEY_OFF};
    index_sort(&x);
    return x;
}

static struct index_bytes written(void)
{
    struct trace_index x = index_of_it();
    struct index_bytes bytes = {0};

    EQ(index_write(&x, &file, &bytes), PTS_OK);
    index_free(&x);
    return bytes;
}

static pts_status reads(const uint8_t *bytes, size_t n)
{
    struct trace_index x = {0};
    const char *why = NULL;
    pts_status st = index_read(bytes, n, &file, &x, &why);

    CHECK(st == PTS_OK || why);
    index_free(&x);
    return st;
}

/* As somebody would who can write a checksum. */
static void sum_again(struct index_bytes *b)
{
    uint64_t sum = hash_bytes(0, b->at + 16, b->len - 16);
    memcpy(b->at + 8, &sum, 8);
}

/* --- The file --- */

T(it_is_read_as_it_was_written)
{
    recording();
    struct index_bytes bytes = written();
    struct trace_index x;
    const char *why;
    EQ(index_read(bytes.at, bytes.len, &file, &x, &why), PTS_OK);
    const struct index_piece *p = index_find(&x, &piece[1]);
    CHECK(p && p->count == PSBS);
    EQ(x.psbs.psb.at[p->first + 3].off, 3 * APART);
    EQ(x.psbs.psb.at[p->first + 3].tsc, 1000 + 100 * (PSBS + 3));
    EQ(x.window.at[x.queue.at[0].first].to, 2);
    index_free(&x);
    VEC_FREE(&bytes);
}

T(a_cut_or_flipped_one_is_damaged)
{
    recording();
    struct index_bytes bytes = written();
    for (size_t n = 0; n < bytes.len; n++) {
        uint8_t *exact = mem_zalloc(n + 1, 1);
        memcpy(exact, bytes.at, n);
        EQ(reads(exact, n), PTS_E_FORMAT);
        mem_free(exact);
    }
    for (size_t i = 0; i < bytes.len * 8; i++) {
        bytes.at[i / 8] ^= (uint8_t)(1u << i % 8);
        EQ(reads(bytes.at, bytes.len), PTS_E_FORMAT);
        bytes.at[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    EQ(reads(bytes.at, bytes.len), PTS_OK);
    VEC_FREE(&bytes);
}

/* With a checksum that fits: refused, or within its bounds. */
T(a_forged_one_does_no_harm)
{
    recording();
    struct index_bytes bytes = written();
    for (size_t i = 16; i < bytes.len; i++) {
        uint8_t was = bytes.at[i];
        for (unsigned k = 0; k < 3; k++) {
            bytes.at[i] = (uint8_t)(k == 0 ? 0xff : k == 1 ? 0x7f : was + 1);
            sum_again(&bytes);
            pts_status st = reads(bytes.at, bytes.len);
            CHECK(st == PTS_OK || st == PTS_E_FORMAT);
        }
        bytes.at[i] = was;
    }
    VEC_FREE(&bytes);
}

T(one_of_another_recording_is_not_used)
{
    recording();
    struct index_bytes bytes = written();
    file.in.len--;
    EQ(reads(bytes.at, bytes.len), PTS_E_FORMAT);
    file.in.len++;
    head[40] ^= 1;
    EQ(reads(bytes.at, bytes.len), PTS_E_FORMAT);
    head[40] ^= 1;
    trace[1][20] ^= 1; /* of a piece, which is looked at when it is asked for */
    struct trace_index x;
    const char *why;
    EQ(index_read(bytes.at, bytes.len, &file, &x, &why), PTS_OK);
    CHECK(index_find(&x, &piece[0]));
    CHECK(!index_find(&x, &piece[1]));
    index_free(&x);
    VEC_FREE(&bytes);
}

/* --- Lists --- */

T(what_no_trace_has_is_not_listed)
{
    struct psb_list l = {0};
    static uint8_t many[4096];
    for (size_t i = 0; i < sizeof(many); i++)
        many[i] = i % 2 ? 0x82 : 2;
    EQ(psb_list_add(&l, many, sizeof(many)), PTS_END);
    memset(many, 0, sizeof(many));
    memcpy(many, psb_pattern, PSB_BYTES); /* and nothing ends its PSB+ */
    EQ(psb_list_add(&l, many, sizeof(many)), PTS_END);
    EQ(psb_list_add(&l, many, 100), PTS_OK);
    EQ(l.psb.len, 1);
    EQ(l.psb.at[0].tsc, PSB_UNTIMED);
    memcpy(many + 2, psb_pattern,
           PSB_BYTES); /* behind bytes that look like its first */
    many[18] = 0x19;
    l.psb.len = 0;
    EQ(psb_list_add(&l, many, sizeof(many)), PTS_OK);
    EQ(l.psb.len, 2);
    EQ(l.psb.at[0].tsc, PSB_UNTIMED);
    EQ(l.psb.at[1].off, 2);
    EQ(l.psb.at[1].tsc, 0);
    VEC_FREE(&l.psb);
}

/* Where a reader is after a leap: the buffer and the byte in it, from 0 on. */
static uint64_t leaps_to(const struct pt_psbs *lists, uint64_t tsc)
{
    struct pt_buf buf[2];
    struct pt_reader r;
    const struct pt_reader_conf conf = {0};
    const struct clock_config clock = {0};

    for (unsigned i = 0; i < 2; i++)
        buf[i] = (struct pt_buf){.ptr = trace[i],
                                 .len = BYTES,
                                 .ref = 4000 + i,
                                 .consecutive = i,
                                 .psbs = lists ? &lists[i] : NULL};
    pt_init(&r, &conf, &clock, buf, 2);
    if (pt_leap(&r, tsc) == LEAP_NONE)
        return UINT64_MAX;
    struct pt_where at = pt_where(&r);
    return (uint64_t)at.buf * BYTES + at.off;
}

T(a_leap_by_lists_goes_where_one_without_does)
{
    recording();
    struct trace_index x = index_of_it();
    struct pt_psbs lists[2];
    for (unsigned i = 0; i < 2; i++) {
        const struct index_piece *p = index_find(&x, &piece[i]);
        lists[i] = (struct pt_psbs){x.psbs.psb.at + p->first, p->count};
    }
    for (uint64_t t = 900; t < 3000; t += 25)
        EQ(leaps_to(lists, t), leaps_to(NULL, t));
    EQ(leaps_to(lists, 1301), 3 * APART);

    /* Wrong lists: no PSB is there, or one of another time. */
    struct pt_psb *at = x.psbs.psb.at;
    for (size_t i = 0; i < 2 * PSBS; i++) {
        for (int k = 0; k < 2; k++) {
            struct pt_psb was = at[i];
            if (k)
                at[i].off += 8;
            else
                at[i].tsc -= 1;
            for (uint64_t t = 900; t < 3000; t += 50)
                EQ(leaps_to(lists, t), leaps_to(NULL, t));
            at[i] = was;
        }
    }
    index_free(&x);
}

T_RUN(T_CASE(it_is_read_as_it_was_written), T_CASE(a_cut_or_flipped_one_is_damaged),
      T_CASE(a_forged_one_does_no_harm), T_CASE(one_of_another_recording_is_not_used),
      T_CASE(what_no_trace_has_is_not_listed),
      T_CASE(a_leap_by_lists_goes_where_one_without_does))
