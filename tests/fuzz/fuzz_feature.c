/* fuzz_feature.c - any bytes as a feature section: item by item, and as text.
 *
 * SPDX-License-Identifier: MIT
 *
 * The first byte is the section's number, the second its byte order.
 */
#include "decoder/file/trace_field.h"
#include "synth/print/header/feat_text.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Strings are not longer than the section, words lie inside: reading them tells. */
static size_t item_touch(const struct pts_feature_item *item, size_t n)
{
    size_t sum = 0;
    switch ((enum pts_item_kind)item->kind) {
    case PTS_ITEM_TEXT:
    case PTS_ITEM_SOCKET:
    case PTS_ITEM_THREAD:
    case PTS_ITEM_DIE:
        return strlen(item->u.text);
    case PTS_ITEM_EVENT:
        for (uint64_t i = 0; i < item->u.event.ids.count; i++)
            sum += pts_word(&item->u.event.ids, i) & 1;
        return sum % 2 + strlen(item->u.event.name);
    case PTS_ITEM_NODE:
        return strlen(item->u.node.cpus);
    case PTS_ITEM_PMU:
        return strlen(item->u.pmu.name);
    case PTS_ITEM_GROUP:
        return strlen(item->u.group.name);
    case PTS_ITEM_CACHE:
        return strlen(item->u.cache.type) + strlen(item->u.cache.size) +
               strlen(item->u.cache.cpus);
    case PTS_ITEM_MEMORY_NODE:
        for (uint64_t i = 0; i < item->u.memory_node.present.count; i++)
            sum += pts_word(&item->u.memory_node.present, i) & 1;
        return sum % 2;
    case PTS_ITEM_CAPS:
        return strlen(item->u.caps.pmu);
    case PTS_ITEM_CAP:
        return strlen(item->u.cap.name) + strlen(item->u.cap.value);
    case PTS_ITEM_HYBRID:
        return strlen(item->u.hybrid.pmu) + strlen(item->u.hybrid.cpus);
    case PTS_ITEM_BUILD_ID:
        return strlen(item->u.build_id.path) + item->u.build_id.id.len / 32;
    case PTS_ITEM_BYTES:
        return item->u.bytes.len;
    case PTS_ITEM_BPF_PROGRAM:
        return item->u.bpf_program.info.len + item->u.bpf_program.data.len;
    case PTS_ITEM_BPF_BTF:
        return item->u.bpf_btf.data.len;
    case PTS_ITEM_NUMBER:
    case PTS_ITEM_CPUS:
    case PTS_ITEM_CPU:
    case PTS_ITEM_AUXTRACE:
    case PTS_ITEM_TIMES:
    case PTS_ITEM_MEMORY:
    case PTS_ITEM_COMPRESSED:
    case PTS_ITEM_CLOCK:
        break;
    }
    return n;
}

static void items(uint32_t id, int foreign, struct pts_bytes bytes)
{
    struct pts_feature_iter it = pts_feature_begin(id, bytes.ptr, bytes.len, foreign);
    struct pts_feature_item item;
    size_t count = 0;
    pts_feature_set_cpus(&it, 3);
    while (pts_feature_next(&it, &item) == PTS_OK)
        if (item_touch(&item, bytes.len) > bytes.len || count++ > bytes.len)
            abort();
    if (pts_feature_next(&it, &item) != PTS_END)
        abort();
}

static void text(uint32_t id, struct pts_bytes bytes)
{
    static const uint8_t cpus[8] = {3, 0, 0, 0, 2};
    static struct perf_file f;
    struct evlist events = {0};
    struct evl_attr attr = {.name = "e"};
    const struct feat_env env = {&f, &events, NULL};
    struct text t = {0};
    memset(f.feature, 0, sizeof(f.feature));
    f.feature[PTS_FEAT_NRCPUS] = (struct pts_bytes){cpus, sizeof(cpus)};
    f.feature[id] = bytes;
    for (int i = 0; i < 3; i++)
        if (evl_add(&events, &attr) != PTS_OK)
            abort();
    (void)!feat_text(&t, &env, id, bytes, true);
    text_free(&t);
    evl_free(&events);
}

static void formats(struct pts_bytes bytes)
{
    struct trace_iter it = trace_begin(bytes);
    struct trace_format format;
    struct trace_field field;
    size_t sum = 0;
    while (trace_next(&it, &format)) {
        sum += format.name.len + strlen(format.system) % 2;
        struct trace_fields all = trace_fields_of(&format);
        while (trace_field_next(&all, &field))
            sum += field.name.len;
    }
    if (sum > 4 * bytes.len)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 2)
        return 0;
    struct pts_bytes bytes = {data + 2, n - 2};
    items(data[0], data[1] & 1, bytes);
    text(data[0], bytes);
    if (data[0] == PTS_FEAT_TRACING_DATA)
        formats(bytes);
    return 0;
}
