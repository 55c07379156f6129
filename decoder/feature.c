/* feature.c - the feature sections of perf.data, item by item.
 *
 * SPDX-License-Identifier: MIT
 *
 * A string is {u32 length, bytes padded with zeros to that length}.  Most sections are
 * one item, or {u32 count, items}; a table says which function reads the next item of
 * each.  A function says what it read by item->kind, and how it went by what it returns
 * and by the reader having run dry.
 */
#include "decoder/perf_abi.h"
#include "decoder/perf_attr.h"
#include "decoder/perf_tool.h"

#include <ptscript/features.h>

/* it.stage; sections in parts go on counting. */
enum { FRESH, OPENED, PART_2, PART_3, PART_4, DONE };

/* What is left of a section, read in its byte order. */
struct cut {
    struct reader r;
    bool foreign;
};

static uint32_t cut_u32(struct cut *c)
{
    uint32_t v = reader_u32(&c->r);
    return c->foreign ? __builtin_bswap32(v) : v;
}

static uint64_t cut_u64(struct cut *c)
{
    uint64_t v = reader_u64(&c->r);
    return c->foreign ? __builtin_bswap64(v) : v;
}

static struct pts_bytes cut_bytes(struct cut *c, uint64_t n)
{
    if (n > reader_left(&c->r))
        c->r.bad = true;
    const uint8_t *p = reader_take(&c->r, (size_t)n);
    return (struct pts_bytes){p, p ? (size_t)n : 0};
}

static struct pts_words cut_words(struct cut *c, uint64_t n)
{
    if (n > reader_left(&c->r) / 8)
        c->r.bad = true;
    const uint8_t *p = reader_take(&c->r, (size_t)n * 8);
    return (struct pts_words){p, p ? n : 0, c->foreign};
}

static const char *cut_str(struct cut *c)
{
    struct pts_bytes b = cut_bytes(c, cut_u32(c));
    if (!b.len || !memchr(b.ptr, 0, b.len)) {
        c->r.bad = true;
        return "";
    }
    return (const char *)b.ptr;
}

/* Whether a section of {count, items} has one more. */
static bool one_more(struct pts_feature_iter *it, struct cut *c)
{
    if (it->stage == FRESH) {
        it->stage = OPENED;
        it->left = cut_u32(c);
    }
    if (it->left == 0)
        return false;
    it->left--;
    return true;
}

/* --- One item -------------------------------------------------------------------- */

static pts_status item_text(struct pts_feature_iter *it, struct cut *c,
                            struct pts_feature_item *item)
{
    it->stage = DONE;
    item->kind = PTS_ITEM_TEXT;
    item->u.text = cut_str(c);
    return PTS_OK;
}

static pts_status item_number(struct pts_feature_iter *it, struct cut *c,
                              struct pts_feature_item *item)
{
    it->stage = DONE;
    item->kind = PTS_ITEM_NUMBER;
    item->u.number = cut_u64(c);
    return PTS_OK;
}

static pts_status item_bytes(struct pts_feature_iter *it, struct cut *c,
                             struct pts_feature_item *item)
{
    it->stage = DONE;
    item->kind = PTS_ITEM_BYTES;
    item->u.bytes = cut_bytes(c, reader_left(&c->r));
    return PTS_OK;
}

static pts_status item_none(struct pts_feature_iter *it, struct cut *c,
                            struct pts_feature_item *item)
{
    (void)it, (void)c, (void)item;
    return PTS_END;
}

static pts_status item_cpus(struct pts_feature_iter *it, struct cut *c,
                            struct pts_feature_item *item)
{
    it->stage = DONE;
    item->kind = PTS_ITEM_CPUS;
    item->u.cpus.available = cut_u32(c);
    item->u.cpus.online = cut_u32(c);
    return PTS_OK;
}

static pts_status item_times(struct pts_feature_iter *it, struct cut *c,
                             struct pts_feature_item *item)
{
    it->stage = DONE;
    item->kind = PTS_ITEM_TIMES;
    item->u.times.first = cut_u64(c);
    item->u.times.last = cut_u64(c);
    return PTS_OK;
}

static pts_status item_compressed(struct pts_feature_iter *it, struct cut *c,
                                  struct pts_feature_item *item)
{
    it->stage = DONE;
    item->kind = PTS_ITEM_COMPRESSED;
    item->u.compressed.version = cut_u32(c);
    item->u.compressed.type = cut_u32(c);
    item->u.compressed.level = cut_u32(c);
    item->u.compressed.ratio = cut_u32(c);
    item->u.compressed.mmap_len = cut_u32(c);
    return PTS_OK;
}

static pts_status item_clock(struct pts_feature_iter *it, struct cut *c,
                             struct pts_feature_item *item)
{
    it->stage = DONE;
    if (cut_u32(c) != 1)
        return PTS_E_UNSUPPORTED;
    item->kind = PTS_ITEM_CLOCK;
    item->u.clock.id = cut_u32(c);
    item->u.clock.time_of_day = cut_u64(c);
    item->u.clock.on_clock = cut_u64(c);
    return PTS_OK;
}

/* --- Counted items --------------------------------------------------------------- */

static pts_status item_word(struct pts_feature_iter *it, struct cut *c,
                            struct pts_feature_item *item)
{
    if (!one_more(it, c))
        return PTS_END;
    item->kind = PTS_ITEM_TEXT;
    item->u.text = cut_str(c);
    return PTS_OK;
}

static pts_status item_event(struct pts_feature_iter *it, struct cut *c,
                             struct pts_feature_item *item)
{
    bool fresh = it->stage == FRESH;
    bool more = one_more(it, c);
    if (fresh)
        it->extra = cut_u32(c);
    if (!more)
        return PTS_END;
    struct pts_bytes attr = cut_bytes(c, it->extra);
    uint32_t ids = cut_u32(c);
    item->kind = PTS_ITEM_EVENT;
    if (attr.ptr)
        attr_read(attr.ptr, attr.len, c->foreign, &item->u.event.attr);
    item->u.event.name = cut_str(c);
    item->u.event.ids = cut_words(c, ids);
    return PTS_OK;
}

static pts_status item_node(struct pts_feature_iter *it, struct cut *c,
                            struct pts_feature_item *item)
{
    if (!one_more(it, c))
        return PTS_END;
    item->kind = PTS_ITEM_NODE;
    item->u.node.number = cut_u32(c);
    item->u.node.total = cut_u64(c);
    item->u.node.available = cut_u64(c);
    item->u.node.cpus = cut_str(c);
    return PTS_OK;
}

static pts_status item_pmu(struct pts_feature_iter *it, struct cut *c,
                           struct pts_feature_item *item)
{
    if (!one_more(it, c))
        return PTS_END;
    item->kind = PTS_ITEM_PMU;
    item->u.pmu.type = cut_u32(c);
    item->u.pmu.name = cut_str(c);
    return PTS_OK;
}

static pts_status item_group(struct pts_feature_iter *it, struct cut *c,
                             struct pts_feature_item *item)
{
    if (!one_more(it, c))
        return PTS_END;
    item->kind = PTS_ITEM_GROUP;
    item->u.group.name = cut_str(c);
    item->u.group.leader = cut_u32(c);
    item->u.group.members = cut_u32(c);
    return PTS_OK;
}

static pts_status item_cache(struct pts_feature_iter *it, struct cut *c,
                             struct pts_feature_item *item)
{
    if (it->stage == FRESH && cut_u32(c) != 1)
        return PTS_E_UNSUPPORTED;
    if (!one_more(it, c))
        return PTS_END;
    item->kind = PTS_ITEM_CACHE;
    item->u.cache.level = cut_u32(c);
    item->u.cache.line_size = cut_u32(c);
    item->u.cache.sets = cut_u32(c);
    item->u.cache.ways = cut_u32(c);
    item->u.cache.type = cut_str(c);
    item->u.cache.size = cut_str(c);
    item->u.cache.cpus = cut_str(c);
    return PTS_OK;
}

static pts_status item_hybrid(struct pts_feature_iter *it, struct cut *c,
                              struct pts_feature_item *item)
{
    if (!one_more(it, c))
        return PTS_END;
    item->kind = PTS_ITEM_HYBRID;
    item->u.hybrid.pmu = cut_str(c);
    item->u.hybrid.cpus = cut_str(c);
    return PTS_OK;
}

static pts_status item_bpf_program(struct pts_feature_iter *it, struct cut *c,
                                   struct pts_feature_item *item)
{
    if (!one_more(it, c))
        return PTS_END;
    uint32_t info = cut_u32(c), data = cut_u32(c);
    item->kind = PTS_ITEM_BPF_PROGRAM;
    item->u.bpf_program.arrays = cut_u64(c);
    item->u.bpf_program.info = cut_bytes(c, info);
    item->u.bpf_program.data = cut_bytes(c, data);
    return PTS_OK;
}

static pts_status item_bpf_btf(struct pts_feature_iter *it, struct cut *c,
                               struct pts_feature_item *item)
{
    if (!one_more(it, c))
        return PTS_END;
    item->kind = PTS_ITEM_BPF_BTF;
    item->u.bpf_btf.id = cut_u32(c);
    item->u.bpf_btf.data = cut_bytes(c, cut_u32(c));
    return PTS_OK;
}

static pts_status item_cap(struct pts_feature_iter *it, struct cut *c,
                           struct pts_feature_item *item)
{
    if (!one_more(it, c))
        return PTS_END;
    item->kind = PTS_ITEM_CAP;
    item->u.cap.pmu = "cpu";
    item->u.cap.name = cut_str(c);
    item->u.cap.value = cut_str(c);
    return PTS_OK;
}

/* {u64 count, {u64 offset, size} ...} */
static pts_status item_auxtrace(struct pts_feature_iter *it, struct cut *c,
                                struct pts_feature_item *item)
{
    if (it->stage == FRESH) {
        it->stage = OPENED;
        uint64_t n = cut_u64(c);
        it->left = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
    }
    if (it->left == 0)
        return PTS_END;
    it->left--;
    item->kind = PTS_ITEM_AUXTRACE;
    item->u.auxtrace.offset = cut_u64(c);
    item->u.auxtrace.size = cut_u64(c);
    return PTS_OK;
}

/* --- Sections in parts ----------------------------------------------------------- */

/* {u64 version, block size, count, {u64 number, blocks, bits, words} ...} */
static pts_status item_memory(struct pts_feature_iter *it, struct cut *c,
                              struct pts_feature_item *item)
{
    if (it->stage == FRESH) {
        it->stage = OPENED;
        if (cut_u64(c) != 1)
            return PTS_E_UNSUPPORTED;
        item->kind = PTS_ITEM_MEMORY;
        item->u.memory.block_size = cut_u64(c);
        uint64_t n = item->u.memory.nodes = cut_u64(c);
        it->left = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
        return PTS_OK;
    }
    if (it->left == 0)
        return PTS_END;
    it->left--;
    item->kind = PTS_ITEM_MEMORY_NODE;
    item->u.memory_node.number = cut_u64(c);
    item->u.memory_node.blocks = cut_u64(c);
    uint64_t bits = item->u.memory_node.bits = cut_u64(c);
    item->u.memory_node.present = cut_words(c, bits / 64 + (bits % 64 != 0));
    return PTS_OK;
}

/* The caps of a PMU stand before its name: look ahead for it. */
static const char *caps_name(struct cut c, uint32_t caps)
{
    for (uint32_t i = 0; i < caps && !c.r.bad; i++) {
        cut_str(&c);
        cut_str(&c);
    }
    const char *name = cut_str(&c);
    return c.r.bad ? NULL : name;
}

static pts_status item_caps(struct pts_feature_iter *it, struct cut *c,
                            struct pts_feature_item *item)
{
    if (it->stage == PART_2 && it->extra > 0) {
        it->extra--;
        item->kind = PTS_ITEM_CAP;
        item->u.cap.pmu = it->name;
        item->u.cap.name = cut_str(c);
        item->u.cap.value = cut_str(c);
        return PTS_OK;
    }
    if (it->stage == PART_2)
        cut_str(c);
    if (!one_more(it, c))
        return PTS_END;
    it->stage = PART_2;
    it->extra = cut_u32(c);
    it->name = caps_name(*c, it->extra);
    if (!it->name)
        return PTS_E_RANGE;
    item->kind = PTS_ITEM_CAPS;
    item->u.caps.pmu = it->name;
    item->u.caps.count = it->extra;
    return PTS_OK;
}

/*     sockets, threads | {core, socket} of each CPU | dies | die of each CPU
 *                      ^ older perf ends here       ^ or here
 * The parts are OPENED (sockets), PART_2 (threads), PART_3 (dies) and PART_4 (CPUs). */
static void topology_part(struct pts_feature_iter *it, struct cut *c)
{
    switch (it->stage++) {
    case OPENED:
        it->left = cut_u32(c);
        return;
    case PART_2:
        if (!reader_left(&c->r))
            it->cpus = 0;
        it->cores = cut_bytes(c, (uint64_t)it->cpus * 8).ptr;
        if (reader_left(&c->r)) {
            it->left = cut_u32(c);
            return;
        }
        it->stage = PART_4;
        break;
    case PART_3:
        it->dies = cut_bytes(c, (uint64_t)it->cpus * 4).ptr;
        break;
    }
    it->left = it->cpus;
}

static void topology_cpu(const struct pts_feature_iter *it,
                         struct pts_feature_item *item)
{
    size_t i = it->cpus - it->left;
    struct cut core = {reader_of(it->cores + 8 * i, 8), it->swap};
    item->kind = PTS_ITEM_CPU;
    item->u.cpu.core = (int32_t)cut_u32(&core);
    item->u.cpu.socket = (int32_t)cut_u32(&core);
    item->u.cpu.die = -1;
    item->u.cpu.has_die = it->dies != NULL;
    if (it->dies) {
        struct cut die = {reader_of(it->dies + 4 * i, 4), it->swap};
        item->u.cpu.die = (int32_t)cut_u32(&die);
    }
}

static pts_status item_topology(struct pts_feature_iter *it, struct cut *c,
                                struct pts_feature_item *item)
{
    static const uint8_t kinds[] = {[OPENED] = PTS_ITEM_SOCKET,
                                    [PART_2] = PTS_ITEM_THREAD,
                                    [PART_3] = PTS_ITEM_DIE};
    if (it->stage == PART_4 && --it->left == 0)
        return PTS_END;
    while (it->stage != PART_4 && !c->r.bad && !one_more(it, c))
        topology_part(it, c);
    if (c->r.bad || (it->stage == PART_4 && it->left == 0))
        return PTS_END;
    if (it->stage == PART_4) {
        topology_cpu(it, item);
        return PTS_OK;
    }
    item->kind = kinds[it->stage];
    item->u.text = cut_str(c);
    return PTS_OK;
}

/* Records as HEADER_BUILD_ID, one behind the other.  perf 2.6.33 had no pid in them, by
 * which the first, which is the kernel's, gives itself away. */
static pts_status item_build_id(struct pts_feature_iter *it, struct cut *c,
                                struct pts_feature_item *item)
{
    enum { HEAD = 8, PID = 4, ID = 24, SIZE_AT = 20 };
    static const char cut_name[] = "nel.kallsyms]";
    const uint8_t *p = c->r.at;
    size_t left = reader_left(&c->r);
    if (left == 0)
        return PTS_END;
    if (it->stage == FRESH) {
        it->stage = OPENED;
        it->extra = left >= HEAD + PID + ID + sizeof(cut_name) &&
                            !memcmp(p + HEAD + PID + ID, cut_name, sizeof(cut_name))
                        ? 0
                        : PID;
    }
    if (left < HEAD)
        return PTS_E_RANGE;
    uint16_t misc = rd_u16(p + 4), size = rd_u16(p + 6);
    if (c->foreign) {
        misc = __builtin_bswap16(misc);
        size = __builtin_bswap16(size);
    }
    struct cut one = {reader_of(p, size <= left ? size : 0), c->foreign};
    cut_bytes(&one, HEAD);
    item->kind = PTS_ITEM_BUILD_ID;
    item->u.build_id.misc = misc;
    item->u.build_id.pid = it->extra ? (int32_t)cut_u32(&one) : -1;
    item->u.build_id.id = cut_bytes(&one, ID);
    const uint8_t *id = item->u.build_id.id.ptr;
    item->u.build_id.id.len = PERF_BUILD_ID_MAX;
    if (id && misc & PERF_MISC_BUILD_ID_SIZE && id[SIZE_AT] < PERF_BUILD_ID_MAX)
        item->u.build_id.id.len = id[SIZE_AT];
    item->u.build_id.path = (const char *)one.r.at;
    if (one.r.bad || !memchr(one.r.at, 0, reader_left(&one.r)))
        return PTS_E_RANGE;
    cut_bytes(c, size);
    return PTS_OK;
}

/* --- All of them ----------------------------------------------------------------- */

typedef pts_status item_fn(struct pts_feature_iter *it, struct cut *c,
                           struct pts_feature_item *item);

static const struct {
    const char *name;
    item_fn *next;
} features[] = {
    [PTS_FEAT_TRACING_DATA] = {"TRACING_DATA",    item_bytes      },
    [PTS_FEAT_BUILD_ID] = {"BUILD_ID",        item_build_id   },
    [PTS_FEAT_HOSTNAME] = {"HOSTNAME",        item_text       },
    [PTS_FEAT_OSRELEASE] = {"OSRELEASE",       item_text       },
    [PTS_FEAT_VERSION] = {"VERSION",         item_text       },
    [PTS_FEAT_ARCH] = {"ARCH",            item_text       },
    [PTS_FEAT_NRCPUS] = {"NRCPUS",          item_cpus       },
    [PTS_FEAT_CPUDESC] = {"CPUDESC",         item_text       },
    [PTS_FEAT_CPUID] = {"CPUID",           item_text       },
    [PTS_FEAT_TOTAL_MEM] = {"TOTAL_MEM",       item_number     },
    [PTS_FEAT_CMDLINE] = {"CMDLINE",         item_word       },
    [PTS_FEAT_EVENT_DESC] = {"EVENT_DESC",      item_event      },
    [PTS_FEAT_CPU_TOPOLOGY] = {"CPU_TOPOLOGY",    item_topology   },
    [PTS_FEAT_NUMA_TOPOLOGY] = {"NUMA_TOPOLOGY",   item_node       },
    [PTS_FEAT_BRANCH_STACK] = {"BRANCH_STACK",    item_none       },
    [PTS_FEAT_PMU_MAPPINGS] = {"PMU_MAPPINGS",    item_pmu        },
    [PTS_FEAT_GROUP_DESC] = {"GROUP_DESC",      item_group      },
    [PTS_FEAT_AUXTRACE] = {"AUXTRACE",        item_auxtrace   },
    [PTS_FEAT_STAT] = {"STAT",            item_none       },
    [PTS_FEAT_CACHE] = {"CACHE",           item_cache      },
    [PTS_FEAT_SAMPLE_TIME] = {"SAMPLE_TIME",     item_times      },
    [PTS_FEAT_MEM_TOPOLOGY] = {"MEM_TOPOLOGY",    item_memory     },
    [PTS_FEAT_CLOCKID] = {"CLOCKID",         item_number     },
    [PTS_FEAT_DIR_FORMAT] = {"DIR_FORMAT",      item_number     },
    [PTS_FEAT_BPF_PROG_INFO] = {"BPF_PROG_INFO",   item_bpf_program},
    [PTS_FEAT_BPF_BTF] = {"BPF_BTF",         item_bpf_btf    },
    [PTS_FEAT_COMPRESSED] = {"COMPRESSED",      item_compressed },
    [PTS_FEAT_CPU_PMU_CAPS] = {"CPU_PMU_CAPS",    item_cap        },
    [PTS_FEAT_CLOCK_DATA] = {"CLOCK_DATA",      item_clock      },
    [PTS_FEAT_HYBRID_TOPOLOGY] = {"HYBRID_TOPOLOGY", item_hybrid     },
    [PTS_FEAT_PMU_CAPS] = {"PMU_CAPS",        item_caps       },
};

enum { KNOWN = sizeof(features) / sizeof(features[0]) };

const char *pts_feature_name(uint32_t id)
{
    return id < KNOWN ? features[id].name : NULL;
}

struct pts_feature_iter pts_feature_begin(uint32_t id, const void *bytes, size_t n,
                                          int foreign)
{
    static const uint8_t none[1];
    const uint8_t *p = n ? bytes : none;
    return (struct pts_feature_iter){
        .at = p, .end = p + n, .id = id, .kind = UINT32_MAX, .swap = foreign != 0};
}

pts_status pts_feature_next(struct pts_feature_iter *it, struct pts_feature_item *item)
{
    struct cut c = {reader_of(it->at, (size_t)(it->end - it->at)), it->swap};
    struct pts_feature_item got = {0};
    if (it->stage == DONE)
        return PTS_END;
    item_fn *next =
        it->id < KNOWN && features[it->id].next ? features[it->id].next : item_bytes;
    pts_status st = next(it, &c, &got);
    if (c.r.bad)
        st = PTS_E_RANGE;
    if (st != PTS_OK) {
        it->stage = DONE;
        return st;
    }
    it->index = got.kind == it->kind ? it->index + 1 : 0;
    it->kind = got.kind;
    got.index = it->index;
    it->at = c.r.at;
    *item = got;
    return PTS_OK;
}
