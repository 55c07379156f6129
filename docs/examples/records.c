/* records.c - an example: what is in a perf.data file, through ptscript/records.h
 * alone.
 *
 * SPDX-License-Identifier: MIT
 *
 *     records [-t] FILE        its records, as they are stored or (-t) in order of time
 *     records -s < PIPE        the same of a stream, as it comes in
 *     records -e FILE          its events
 *     records -h FILE          some of its header
 *     records -c FILE          how many there are of each type
 *
 *     cc records.c $(pkg-config --cflags --libs ptscript)
 */
#include <ptscript/records.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int complain(const struct pts_diag *why)
{
    fprintf(stderr, "records: %s\n", why->text);
    return 1;
}

/* --- One line for each record ---------------------------------------------------- */

static void id_print(const struct pts_record *r)
{
    if (r->id.has & PTS_SAMPLE_TIME)
        printf(" %" PRIu64 ".%09" PRIu64, r->id.time / 1000000000,
               r->id.time % 1000000000);
    if (r->id.has & PTS_SAMPLE_CPU)
        printf(" [%03" PRIu32 "]", r->id.cpu);
    if (r->id.has & PTS_SAMPLE_TID)
        printf(" %" PRId32 "/%" PRId32, r->id.pid, r->id.tid);
}

static int mmap_print(void *ctx, const struct pts_record *r, const struct pts_mmap *m)
{
    (void)ctx, (void)r;
    printf(" %#" PRIx64 "+%#" PRIx64 " %s", m->addr, m->len, m->name);
    return 0;
}

static int comm_print(void *ctx, const struct pts_record *r, const struct pts_comm *c)
{
    (void)ctx, (void)r;
    printf(" %s%s", c->comm, c->exec ? " (exec)" : "");
    return 0;
}

static int sample_print(void *ctx, const struct pts_record *r,
                        const struct pts_sample *s)
{
    (void)ctx, (void)r;
    printf(" ip %#" PRIx64, s->ip);
    for (uint64_t i = 0; i < s->callchain.count; i++)
        printf(" < %#" PRIx64, pts_word(&s->callchain, i));
    for (uint64_t i = 0; i < s->branch_count; i++) {
        struct pts_branch b = pts_branch_at(s, i);
        printf(" %#" PRIx64 ">%#" PRIx64, b.from, b.to);
    }
    return 0;
}

static int auxtrace_print(void *ctx, const struct pts_record *r,
                          const struct pts_auxtrace *a)
{
    (void)ctx, (void)r;
    printf(" %" PRIu64 " bytes of trace of cpu %" PRId32, a->size, a->cpu);
    return 0;
}

static int other_print(void *ctx, const struct pts_record *r)
{
    (void)ctx;
    printf(r->how == PTS_RECORD_UNKNOWN ? " (unknown)" : " (damaged)");
    return 0;
}

static void record_print(const struct pts_record *r)
{
    static const struct pts_visitor v = {.size = sizeof(v),
                                         .other = other_print,
                                         .mmap = mmap_print,
                                         .comm = comm_print,
                                         .sample = sample_print,
                                         .mmap2 = mmap_print,
                                         .auxtrace = auxtrace_print};
    const char *name = pts_record_name(r->type);
    if (r->type == PTS_RECORD_PAYLOAD)
        return;
    printf("%#" PRIx64 " [%#x]: %s", r->offset, r->size, name ? name : "?");
    id_print(r);
    pts_record_visit(&v, r);
    putchar('\n');
}

/* --- What is asked for ----------------------------------------------------------- */

static int records_list(pts_records *rs)
{
    struct pts_record r;
    while (pts_records_next(rs, &r) == PTS_OK)
        record_print(&r);
    return 0;
}

static int stream_list(void)
{
    struct pts_diag why;
    struct pts_record r;
    pts_records *rs;
    pts_status st = pts_records_new(NULL, &rs, &why);
    if (st < 0)
        return complain(&why);
    static char piece[4096];
    ssize_t got;
    while (st >= 0 && (got = read(STDIN_FILENO, piece, sizeof(piece))) > 0) {
        const void *at = piece;
        size_t n = (size_t)got;
        while ((st = pts_records_feed(rs, &at, &n, &r, &why)) == PTS_OK)
            record_print(&r);
    }
    pts_records_close(rs);
    return st < 0 ? complain(&why) : 0;
}

static int events_list(const pts_records *rs)
{
    struct pts_event_info e;
    for (size_t i = 0; pts_records_event(rs, i, &e) == PTS_OK; i++)
        printf("%s: type %" PRIu32 " config %#" PRIx64 ", %zu counters\n",
               e.name ? e.name : "?", e.attr->type, e.attr->config, e.id_count);
    return 0;
}

static int header_list(const pts_records *rs)
{
    for (uint32_t id = 0; id < PTS_FEAT_END; id++) {
        struct pts_feature_iter it;
        struct pts_feature_item item;
        if (pts_records_feature(rs, id, &it) != PTS_OK)
            continue;
        printf("%s:", pts_feature_name(id) ? pts_feature_name(id) : "?");
        while (pts_feature_next(&it, &item) == PTS_OK)
            if (item.kind == PTS_ITEM_TEXT)
                printf(" %s", item.u.text);
            else if (item.kind == PTS_ITEM_NUMBER)
                printf(" %" PRIu64, item.u.number);
            else
                printf(" (%" PRIu32 ")", item.kind);
        putchar('\n');
    }
    return 0;
}

static int types_count(pts_records *rs)
{
    struct pts_records_facts facts = {.size = sizeof(facts)};
    uint64_t of[PTS_RECORD_TYPES] = {0};
    struct pts_record r;
    while (pts_records_next(rs, &r) == PTS_OK)
        if (r.type < PTS_RECORD_TYPES)
            of[r.type]++;
    for (uint32_t i = 0; i < PTS_RECORD_TYPES; i++)
        if (of[i])
            printf("%8" PRIu64 " %s\n", of[i], pts_record_name(i));
    pts_records_facts(rs, &facts);
    printf("%8" PRIu64 " records, %" PRIu64 " unknown, %" PRIu64 " damaged\n",
           facts.records, facts.unknown, facts.damaged);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 && argv[1][0] == '-' && argv[1][1] ? argv[1] + 1 : "";
    struct pts_records_opts opts = PTS_RECORDS_OPTS_INIT;
    struct pts_diag why;
    pts_records *rs;
    int rc;
    if (*what == 's')
        return stream_list();
    opts.order = *what == 't' ? PTS_ORDER_TIME : PTS_ORDER_STORED;
    if (pts_records_open(argc > 1 ? argv[argc - 1] : "perf.data", &opts, &rs, &why) < 0)
        return complain(&why);
    switch (*what) {
    case 'e':
        rc = events_list(rs);
        break;
    case 'h':
        rc = header_list(rs);
        break;
    case 'c':
        rc = types_count(rs);
        break;
    default:
        rc = records_list(rs);
    }
    pts_records_close(rs);
    return rc;
}
