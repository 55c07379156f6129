"""record.py - docs/add-a-record.md: a record of the kernel that nobody has thought of yet.

SPDX-License-Identifier: MIT

WEATHER says how warm it was near a CPU.
"""
import os
import re

from run import Edit, read

PAGE = 'docs/add-a-record.md'
MOST = 5


def edits(tree):
    public = 'include/ptscript/record.h'
    table = 'include/ptscript/records.def'
    taken = re.findall(r'^PTS_RECORD\(\w+, *(\d+),', read(os.path.join(tree, table)), re.M)
    number = 1 + max(n for n in map(int, taken) if n < 64)
    return [
        Edit(public, r'^enum pts_record_how', '''\
/* WEATHER: how warm it was. */
struct pts_weather {
    int32_t cpu;
    uint32_t degrees;
    const char *station;
};

''', before=True),
        Edit(public, r'^union pts_record_body', '    struct pts_weather weather;\n'),
        Edit(table, r'^PTS_RECORD\(',
             'PTS_RECORD(WEATHER, %d, weather, weather, struct pts_weather, "WEATHER", none)\n'
             % number),
        Edit('decoder/record/perf_body.c', None, '''
void read_weather(struct body *b, union pts_record_body *u)
{
    struct pts_weather *w = &u->weather;
    w->cpu = body_i32(b);
    w->degrees = body_u32(b);
    w->station = body_str(b);
}
'''),
        Edit('decoder/record/perf_swap.c', r'^static const struct layout layouts\[\]',
             '    [PTS_RECORD_WEATHER] = {"dd.", NULL},\n'),
        Edit('synth/print/record/rec_text_kernel.c', r'^const struct rec_words \*', '''\
static void text_weather(struct text *t, const struct record *r)
{
    const struct pts_weather *w = &r->u.weather;
    label_int(t, " cpu ", w->cpu);
    label_dec(t, " degrees ", w->degrees);
    label_str(t, " at ", w->station);
    text_char(t, '\\n');
}

''', before=True),
        Edit('synth/print/record/rec_text_kernel.c', r'static const struct rec_words words\[\]',
             '        [PTS_RECORD_WEATHER] = {text_weather},\n'),
    ]


# One record in either byte order, by way of the public interface; then its text.
PROGRAM = r'''
#include "synth/print/record/rec_text.h"

#include <ptscript/records.h>
#include <stdio.h>

enum { SIZE = 24 };

static void turn(uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        uint8_t b = p[i];
        p[i] = p[n - 1 - i];
        p[n - 1 - i] = b;
    }
}

static void build(uint8_t rec[SIZE], bool foreign)
{
    const uint32_t type = PTS_RECORD_WEATHER, body[2] = {3, 21};
    const uint16_t rest[2] = {0, SIZE};
    memset(rec, 0, SIZE);
    memcpy(rec, &type, 4);
    memcpy(rec + 4, rest, 4);
    memcpy(rec + 8, body, 8);
    memcpy(rec + 16, "attic", 5);
    for (size_t i = 0; foreign && i < 4; i++)
        turn(rec + 4 * i, i == 1 ? 2 : 4);
    if (foreign)
        turn(rec + 6, 2);
}

static int weather(void *ctx, const struct pts_record *r, const struct pts_weather *w)
{
    printf("%s %s: cpu %d, %u degrees, %s\n", (const char *)ctx, pts_record_name(r->type),
           (int)w->cpu, (unsigned)w->degrees, w->station);
    return 0;
}

static void parse(int foreign)
{
    struct pts_visitor v = {.size = sizeof(v), .ctx = foreign ? "theirs" : "ours",
                            .weather = weather};
    struct pts_records_opts o = PTS_RECORDS_OPTS_INIT;
    struct pts_diag why;
    struct pts_record r;
    pts_records *rs = NULL;
    uint8_t rec[SIZE];
    o.foreign = foreign;
    build(rec, foreign);
    if (pts_records_new(&o, &rs, &why) == PTS_OK &&
        pts_record_parse(rs, rec, sizeof(rec), &r, &why) == PTS_OK)
        pts_record_visit(&v, &r);
    pts_records_close(rs);
}

static void print(void)
{
    const struct rec_names names = {0};
    struct text t = {0};
    uint8_t rec[SIZE];
    build(rec, false);
    struct record r = {.head = {.ptr = rec, .type = PTS_RECORD_WEATHER, .size = SIZE,
                                .body_end = SIZE, .evsel = PTS_NO_EVENT}};
    r.how = record_body(NULL, &r.head, &r.u);
    rec_text_dump(&t, NULL, &r, &names);
    printf("PERF_RECORD_%s%.*s", rec_type_name(r.head.type), (int)t.len, t.at);
    text_free(&t);
}

int main(void)
{
    parse(0);
    parse(1);
    print();
    return 0;
}
'''
EXPECT = '''\
ours WEATHER: cpu 3, 21 degrees, attic
theirs WEATHER: cpu 3, 21 degrees, attic
PERF_RECORD_WEATHER cpu 3 degrees 21 at attic
'''
