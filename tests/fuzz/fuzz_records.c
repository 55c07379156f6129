/* fuzz_records.c - any bytes through the public reader of records: as a file, as a
 * stream in pieces, and record by record.
 *
 * SPDX-License-Identifier: MIT
 *
 * What the records point to is read to its end: a sanitizer sees what lies outside.
 */
#include <ptscript/records.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t sink; /* so that nothing is optimised away */

static void touch(const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sink += ((const uint8_t *)p)[i];
}

static void touch_words(const struct pts_words *w)
{
    for (uint64_t i = 0; i < w->count; i++)
        sink += pts_word(w, i);
}

static void touch_sample(const struct pts_sample *s)
{
    for (uint64_t i = 0; i < s->read.count; i++)
        sink += pts_value_at(&s->read, i).value;
    touch_words(&s->callchain);
    touch(s->raw.ptr, s->raw.len);
    for (uint64_t i = 0; i < s->branch_count; i++)
        sink += pts_branch_at(s, i).flags;
    touch_words(&s->branch_counters);
    touch_words(&s->user.val);
    touch_words(&s->intr.val);
    touch(s->stack.ptr, s->stack.len);
    touch(s->aux.ptr, s->aux.len);
}

static void touch_cpu(void *ctx, int32_t cpu)
{
    (void)ctx;
    sink += (uint64_t)cpu;
}

static void touch_entries(const struct pts_record *r)
{
    if (r->type == PTS_RECORD_NAMESPACES)
        for (uint64_t i = 0; i < r->u.namespaces.count; i++)
            sink += pts_namespace_at(&r->u.namespaces, i).ino;
    if (r->type == PTS_RECORD_ID_INDEX)
        for (uint64_t i = 0; i < r->u.id_index.count; i++)
            sink += pts_id_at(&r->u.id_index, i).id;
    if (r->type == PTS_RECORD_THREAD_MAP)
        for (uint64_t i = 0; i < r->u.thread_map.count; i++)
            sink += strlen(pts_thread_map_at(&r->u.thread_map, i).comm);
    if (r->type == PTS_RECORD_CPU_MAP)
        sink += pts_cpu_map_each(r->u.bytes, touch_cpu, NULL);
    if (r->type == PTS_RECORD_READ)
        for (uint64_t i = 0; i < r->u.read.values.count; i++)
            sink += pts_value_at(&r->u.read.values, i).value;
}

static void touch_record(const struct pts_record *r)
{
    touch(r->bytes.ptr, r->bytes.len);
    touch(r->payload.ptr, r->payload.len);
    if (r->how != PTS_RECORD_WHOLE || r->type == PTS_RECORD_PAYLOAD) {
        touch(r->u.bytes.ptr, r->u.bytes.len);
        return;
    }
    touch_entries(r);
    if (r->type == PTS_RECORD_SAMPLE)
        touch_sample(&r->u.sample);
    if (r->type == PTS_RECORD_MMAP || r->type == PTS_RECORD_MMAP2) {
        sink += strlen(r->u.mmap.name);
        touch(r->u.mmap.build_id, r->u.mmap.build_id_len);
    }
    if (r->type == PTS_RECORD_COMM)
        sink += strlen(r->u.comm.comm);
    if (r->type == PTS_RECORD_KSYMBOL)
        sink += strlen(r->u.ksymbol.name);
    if (r->type == PTS_RECORD_CGROUP)
        sink += strlen(r->u.cgroup.path);
    if (r->type == PTS_RECORD_TEXT_POKE)
        touch(r->u.text_poke.bytes,
              (size_t)r->u.text_poke.old_len + r->u.text_poke.new_len);
    if (r->type == PTS_RECORD_CALLCHAIN_DEFERRED)
        touch_words(&r->u.deferred.ips);
    if (r->type == PTS_RECORD_HEADER_ATTR)
        touch_words(&r->u.attr.ids);
    if (r->type == PTS_RECORD_AUXTRACE_INFO)
        touch_words(&r->u.auxtrace_info.priv);
    if (r->type == PTS_RECORD_STAT_CONFIG)
        touch(r->u.stat_config.at, 16 * (size_t)r->u.stat_config.count);
    if (r->type == PTS_RECORD_BPF_METADATA)
        touch(r->u.bpf_metadata.at, 320 * (size_t)r->u.bpf_metadata.count);
}

static void as_file(const uint8_t *data, size_t size)
{
    struct pts_records_opts opts = PTS_RECORDS_OPTS_INIT;
    struct pts_records_facts facts = {.size = sizeof(facts)};
    struct pts_diag why;
    struct pts_record r;
    pts_records *rs;
    char path[64];
    int fd = memfd_create("recording", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    uint64_t records[2] = {0, 0};
    if (pts_records_open(path, &opts, &rs, &why) == PTS_OK) {
        for (int order = 0; order < 2; order++) {
            if (pts_records_rewind(rs, order, &why) != PTS_OK)
                break;
            for (; pts_records_next(rs, &r) == PTS_OK; records[order]++)
                touch_record(&r);
        }
        pts_records_facts(rs, &facts);
        if (records[0] != records[1] || facts.records != records[1])
            abort();
        pts_records_close(rs);
    }
    close(fd);
}

/* Pieces of a few bytes, each in memory of its own. */
static void as_stream(const uint8_t *data, size_t size)
{
    struct pts_diag why;
    struct pts_record r;
    pts_records *rs;
    pts_status st = pts_records_new(NULL, &rs, &why);
    uint64_t fed = 0;
    if (st < 0)
        return;
    for (size_t at = 0, step = 1; st >= 0 && at < size; at += step) {
        step = 1 + (at * 7 + size) % 61;
        step = step < size - at ? step : size - at;
        uint8_t *piece = malloc(step);
        if (!piece)
            abort();
        memcpy(piece, data + at, step);
        const void *p = piece;
        size_t n = step;
        while ((st = pts_records_feed(rs, &p, &n, &r, &why)) == PTS_OK) {
            if (r.offset < fed)
                abort();
            fed = r.offset;
            touch_record(&r);
        }
        if (st == PTS_END && n)
            abort();
        free(piece);
    }
    pts_records_close(rs);
}

static void one_by_one(const uint8_t *data, size_t size, int foreign)
{
    struct pts_records_opts opts = PTS_RECORDS_OPTS_INIT;
    struct pts_diag why;
    struct pts_record r;
    pts_records *rs;
    size_t at = 0;
    opts.foreign = foreign;
    if (pts_records_new(&opts, &rs, &why) < 0)
        return;
    while (at < size &&
           pts_record_parse(rs, data + at, size - at, &r, &why) == PTS_OK) {
        touch_record(&r);
        at += r.bytes.len;
        at += r.payload_size < size - at ? (size_t)r.payload_size : size - at;
    }
    pts_records_close(rs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    as_file(data, size);
    as_stream(data, size);
    if (size > 16) {
        one_by_one(data + 16, size - 16, 0);
        one_by_one(data + 16, size - 16, 1);
    }
    return 0;
}
