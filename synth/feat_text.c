/* feat_text.c - the header of a recording as perf prints it.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each function prints one feature.  A first reading decides whether the bytes are
 * sound; when they are not the feature is printed as if it were empty, as perf does.
 */
#include "synth/feat_text.h"

#include "decoder/perf_feat.h"
#include "synth/attr_text.h"
#include "synth/cpu_list.h"

#include <time.h>

enum { NS_PER_SEC = 1000000000, NS_PER_USEC = 1000, NS_PER_MSEC = 1000000 };

/* A feature on its way to text; `it` begins anew whenever it is read. */
struct feat {
    struct text *t;
    const struct feat_env *env;
    uint32_t id;
    struct pts_bytes bytes;
    bool sound;
};

struct pts_feature_iter feat_other(const struct feat_env *env, uint32_t id)
{
    if (env->seen && !env->seen[id])
        return pts_feature_begin(id, NULL, 0, 0);
    return perf_feature_begin(env->file, id);
}

static struct pts_feature_iter feat_begin(const struct feat *f)
{
    struct pts_feature_iter it =
        pts_feature_begin(f->id, f->bytes.ptr, f->bytes.len, f->env->file->foreign);
    struct pts_feature_iter cpus = feat_other(f->env, PTS_FEAT_NRCPUS);
    struct pts_feature_item item;
    if (pts_feature_next(&cpus, &item) == PTS_OK)
        pts_feature_set_cpus(&it, item.u.cpus.available);
    return it;
}

/* The next item of a kind, passing over others. */
static bool feat_next(struct pts_feature_iter *it, enum pts_item_kind kind,
                      struct pts_feature_item *item)
{
    while (pts_feature_next(it, item) == PTS_OK)
        if (item->kind == kind)
            return true;
    return false;
}

static bool feat_only(const struct feat *f, enum pts_item_kind kind,
                      struct pts_feature_item *item)
{
    struct pts_feature_iter it = feat_begin(f);
    *item = (struct pts_feature_item){0};
    return feat_next(&it, kind, item);
}

static void text_line(const struct feat *f, const char *lead)
{
    struct pts_feature_item item;
    text_str(f->t, lead);
    text_str(f->t, feat_only(f, PTS_ITEM_TEXT, &item) ? item.u.text : "(null)");
    text_char(f->t, '\n');
}

static void text_hostname(const struct feat *f)
{
    text_line(f, "# hostname : ");
}

static void text_osrelease(const struct feat *f)
{
    text_line(f, "# os release : ");
}

static void text_version(const struct feat *f)
{
    text_line(f, "# perf version : ");
}

static void text_arch(const struct feat *f)
{
    text_line(f, "# arch : ");
}

static void text_cpudesc(const struct feat *f)
{
    text_line(f, "# cpudesc : ");
}

static void text_cpuid(const struct feat *f)
{
    text_line(f, "# cpuid : ");
}

static void text_nrcpus(const struct feat *f)
{
    struct pts_feature_item item;
    feat_only(f, PTS_ITEM_CPUS, &item);
    text_fmt(f->t, "# nrcpus online : %u\n# nrcpus avail : %u\n", item.u.cpus.online,
             item.u.cpus.available);
}

static void text_total_mem(const struct feat *f)
{
    struct pts_feature_item item;
    feat_only(f, PTS_ITEM_NUMBER, &item);
    text_str(f->t, "# total memory : ");
    text_dec(f->t, item.u.number, 0);
    text_str(f->t, " kB\n");
}

static void text_cmdline(const struct feat *f)
{
    struct pts_feature_iter it = feat_begin(f);
    struct pts_feature_item item;
    text_str(f->t, "# cmdline : ");
    while (feat_next(&it, PTS_ITEM_TEXT, &item)) {
        for (const char *s = item.u.text; *s; s++) {
            if (*s == '\'')
                text_char(f->t, '\\');
            text_char(f->t, *s);
        }
        text_char(f->t, ' ');
    }
    text_char(f->t, '\n');
}

static void text_ids(struct text *t, const struct pts_words *ids)
{
    if (ids->count == 0)
        return;
    text_str(t, ", id = {");
    for (uint64_t i = 0; i < ids->count; i++) {
        text_str(t, i ? ", " : " ");
        text_dec(t, pts_word(ids, i), 0);
    }
    text_str(t, " }");
}

/* An event without a size ends the list: that is how perf marks its end itself. */
static void text_event_desc(const struct feat *f)
{
    struct pts_feature_iter it = feat_begin(f);
    struct pts_feature_item item;
    if (!f->sound)
        text_str(f->t, "# event desc: not available or unable to read\n");
    while (feat_next(&it, PTS_ITEM_EVENT, &item) && item.u.event.attr.size) {
        text_str(f->t, "# event : name = ");
        text_str(f->t, item.u.event.name);
        text_str(f->t, ", ");
        text_ids(f->t, &item.u.event.ids);
        attr_text(f->t, &item.u.event.attr, ", ", " = ");
        text_char(f->t, '\n');
    }
}

static uint32_t text_siblings(const struct feat *f, enum pts_item_kind kind,
                              const char *lead)
{
    struct pts_feature_iter it = feat_begin(f);
    struct pts_feature_item item;
    uint32_t n = 0;
    for (; feat_next(&it, kind, &item); n++) {
        text_str(f->t, lead);
        text_str(f->t, item.u.text);
        text_char(f->t, '\n');
    }
    return n;
}

static void text_cpu_topology(const struct feat *f)
{
    struct pts_feature_iter it = feat_begin(f);
    struct pts_feature_item item;
    uint32_t cpus = 0;
    text_siblings(f, PTS_ITEM_SOCKET, "# sibling sockets : ");
    bool dies = text_siblings(f, PTS_ITEM_DIE, "# sibling dies    : ");
    text_siblings(f, PTS_ITEM_THREAD, "# sibling threads : ");
    for (; feat_next(&it, PTS_ITEM_CPU, &item); cpus++) {
        text_fmt(f->t, "# CPU %u: Core ID %d, ", item.index, item.u.cpu.core);
        if (dies)
            text_fmt(f->t, "Die ID %d, ", item.u.cpu.die);
        text_fmt(f->t, "Socket ID %d\n", item.u.cpu.socket);
    }
    if (cpus == 0)
        text_fmt(f->t, "# Core ID%s and Socket ID information is not available\n",
                 dies ? ", Die ID" : "");
}

/* One list that is none spoils them all. */
static bool numa_sound(const struct feat *f, struct cpu_list *l)
{
    struct pts_feature_iter it = feat_begin(f);
    struct pts_feature_item item;
    while (feat_next(&it, PTS_ITEM_NODE, &item))
        if (cpu_list_parse(l, item.u.node.cpus) != PTS_OK)
            return false;
    return true;
}

static void text_numa_topology(const struct feat *f)
{
    struct pts_feature_iter it = feat_begin(f);
    struct pts_feature_item item;
    struct cpu_list l = {0};
    if (!numa_sound(f, &l)) {
        cpu_list_free(&l);
        return;
    }
    while (feat_next(&it, PTS_ITEM_NODE, &item)) {
        text_fmt(f->t, "# node%u meminfo  : total = ", item.u.node.number);
        text_dec(f->t, item.u.node.total, 0);
        text_str(f->t, " kB, free = ");
        text_dec(f->t, item.u.node.available, 0);
        text_fmt(f->t, " kB\n# node%u cpu list : ", item.u.node.number);
        if (cpu_list_parse(&l, item.u.node.cpus) == PTS_OK)
            cpu_list_text(f->t, &l);
        text_char(f->t, '\n');
    }
    cpu_list_free(&l);
}

static void text_branch_stack(const struct feat *f)
{
    text_str(f->t, "# contains samples with branch stack\n");
}

static void text_auxtrace(const struct feat *f)
{
    text_str(f->t, "# contains AUX area data (e.g. instruction trace)\n");
}

static void text_stat(const struct feat *f)
{
    text_str(f->t, "# contains stat data\n");
}

static void text_pmu_mappings(const struct feat *f)
{
    struct pts_feature_iter it = feat_begin(f);
    struct pts_feature_item item;
    bool any = false;
    text_str(f->t, "# pmu mappings: ");
    for (; feat_next(&it, PTS_ITEM_PMU, &item); any = true) {
        text_str(f->t, any ? ", " : "");
        text_str(f->t, item.u.pmu.name);
        text_fmt(f->t, " = %u", item.u.pmu.type);
    }
    text_str(f->t, any ? "\n" : f->sound ? "not available\n" : "unable to read\n");
}

static void text_group_desc(const struct feat *f)
{
    struct evl_groups g = {0};
    if (evl_groups_make(&g, f->env->events, feat_begin(f)) != PTS_OK)
        f->t->failed = true;
    for (size_t i = 0; i < g.at.len; i++) {
        if (g.at.at[i].members < 2)
            continue;
        text_str(f->t, "# group: ");
        evl_group_text(f->t, f->env->events, &g.at.at[i]);
        text_char(f->t, '\n');
    }
    evl_groups_free(&g);
}

static void text_cache(const struct feat *f)
{
    struct pts_feature_iter it = feat_begin(f);
    struct pts_feature_item item;
    text_str(f->t, "# CPU cache info:\n");
    while (feat_next(&it, PTS_ITEM_CACHE, &item)) {
        text_fmt(f->t, "#  L%d ", (int)item.u.cache.level);
        text_strl(f->t, item.u.cache.type, 15);
        text_char(f->t, ' ');
        text_strw(f->t, item.u.cache.size, 8);
        text_str(f->t, " [");
        text_str(f->t, item.u.cache.cpus);
        text_str(f->t, "]\n");
    }
}

static void text_when(struct text *t, const char *lead, uint64_t ns)
{
    text_str(t, lead);
    text_dec(t, ns / NS_PER_SEC, 0);
    text_char(t, '.');
    text_int0(t, (int64_t)(ns % NS_PER_SEC / NS_PER_USEC), 6);
    text_char(t, '\n');
}

static void text_sample_time(const struct feat *f)
{
    struct pts_feature_item item;
    feat_only(f, PTS_ITEM_TIMES, &item);
    uint64_t span = item.u.times.last - item.u.times.first;
    text_when(f->t, "# time of first sample : ", item.u.times.first);
    text_when(f->t, "# time of last sample : ", item.u.times.last);
    text_fmt(f->t, "# sample duration : %10.3f ms\n", (double)span / NS_PER_MSEC);
}

/* The blocks a node has, as ranges; perf's buffer ends the list at 99 characters. */
static void text_blocks(struct text *t, const struct pts_words *set, uint64_t bits)
{
    enum { ROOM = 99 };
    size_t begin = t->len;
    uint64_t i = 0;
    while (i < bits && t->len - begin < ROOM) {
        if (!(pts_word(set, i / 64) >> i % 64 & 1)) {
            i++;
            continue;
        }
        uint64_t first = i;
        while (i < bits && pts_word(set, i / 64) >> i % 64 & 1)
            i++;
        if (t->len > begin)
            text_char(t, ',');
        text_dec(t, first, 0);
        if (i - 1 > first) {
            text_char(t, '-');
            text_dec(t, i - 1, 0);
        }
    }
    if (t->len - begin > ROOM)
        t->len = begin + ROOM;
}

static uint64_t blocks_count(const struct pts_words *set, uint64_t bits)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < set->count; i++) {
        uint64_t word = pts_word(set, i);
        if (bits - 64 * i < 64)
            word &= (UINT64_C(1) << bits % 64) - 1;
        n += (uint64_t)__builtin_popcountll(word);
    }
    return n;
}

/* 3221225472 is "3G"; perf goes on to the next unit while more than one is left. */
static void text_size(struct text *t, uint64_t bytes)
{
    static const char units[] = "BKMG";
    unsigned i = 0;
    while (bytes / 1024 > 1 && i < sizeof(units) - 2) {
        bytes /= 1024;
        i++;
    }
    text_dec(t, bytes, 0);
    text_char(t, units[i]);
}

static void text_mem_topology(const struct feat *f)
{
    struct pts_feature_iter it = feat_begin(f);
    struct pts_feature_item item = {0};
    feat_next(&it, PTS_ITEM_MEMORY, &item);
    uint64_t block = item.u.memory.block_size;
    text_fmt(f->t, "# memory nodes (nr %d, block size 0x", (int)item.u.memory.nodes);
    text_hex(f->t, block, 0);
    text_str(f->t, "):\n");
    while (feat_next(&it, PTS_ITEM_MEMORY_NODE, &item)) {
        const struct pts_words *set = &item.u.memory_node.present;
        text_str(f->t, "#  ");
        text_dec(f->t, item.u.memory_node.number, 3);
        text_str(f->t, " [");
        text_size(f->t, block * blocks_count(set, item.u.memory_node.bits));
        text_str(f->t, "]: ");
        text_blocks(f->t, set, item.u.memory_node.bits);
        text_char(f->t, '\n');
    }
}

static void text_clockid(const struct feat *f)
{
    struct pts_feature_item item;
    feat_only(f, PTS_ITEM_NUMBER, &item);
    text_str(f->t, "# clockid frequency: ");
    text_dec(f->t, item.u.number * 1000, 0);
    text_str(f->t, " MHz\n");
}

static void text_dir_format(const struct feat *f)
{
    struct pts_feature_item item;
    feat_only(f, PTS_ITEM_NUMBER, &item);
    text_str(f->t, "# directory data version : ");
    text_dec(f->t, item.u.number, 0);
    text_char(f->t, '\n');
}

/* perf leaves both alone in a recording of the other byte order, and so do we: what
 * they hold are structures of that machine. */
static void text_bpf_prog_info(const struct feat *f)
{
    if (!f->env->file->foreign)
        feat_bpf_programs(f->t, f->env, feat_begin(f));
}

static void text_bpf_btf(const struct feat *f)
{
    if (!f->env->file->foreign)
        feat_bpf_btfs(f->t, feat_begin(f));
}

static void text_compressed(const struct feat *f)
{
    enum { ZSTD = 1 };
    struct pts_feature_item item;
    feat_only(f, PTS_ITEM_COMPRESSED, &item);
    text_fmt(f->t, "# compressed : %s, level = %d, ratio = %d\n",
             item.u.compressed.type == ZSTD ? "Zstd" : "Unknown",
             (int)item.u.compressed.level, (int)item.u.compressed.ratio);
}

/* "name=value, name=value" up to the last of one PMU; none: not available. */
static void text_caps(struct text *t, const char *pmu, struct pts_feature_iter *it,
                      uint32_t count)
{
    struct pts_feature_item item;
    text_str(t, "# ");
    text_str(t, pmu);
    text_str(t, " pmu capabilities: ");
    if (count == 0)
        text_str(t, "not available");
    for (uint32_t i = 0; i < count && feat_next(it, PTS_ITEM_CAP, &item); i++) {
        text_str(t, i ? ", " : "");
        text_str(t, item.u.cap.name);
        text_char(t, '=');
        text_str(t, item.u.cap.value);
    }
    text_char(t, '\n');
}

static void text_cpu_pmu_caps(const struct feat *f)
{
    struct pts_feature_iter it = feat_begin(f);
    struct pts_feature_item item;
    uint32_t count = 0;
    while (feat_next(&it, PTS_ITEM_CAP, &item))
        count++;
    it = feat_begin(f);
    text_caps(f->t, "cpu", &it, count);
}

static void text_pmu_caps(const struct feat *f)
{
    struct pts_feature_iter it = feat_begin(f);
    struct pts_feature_item item;
    while (feat_next(&it, PTS_ITEM_CAPS, &item))
        text_caps(f->t, item.u.caps.pmu, &it, item.u.caps.count);
}

static const char *clock_name(uint32_t id)
{
    static const char *const names[] = {[0] = "realtime",
                                        [1] = "monotonic",
                                        [4] = "monotonic_raw",
                                        [7] = "boottime",
                                        [11] = "tai"};
    bool known = id < sizeof(names) / sizeof(names[0]) && names[id];
    return known ? names[id] : "(not found)";
}

static void text_clock_data(const struct feat *f)
{
    struct pts_feature_item item;
    if (!feat_only(f, PTS_ITEM_CLOCK, &item)) {
        text_str(f->t, "# reference time disabled\n");
        return;
    }
    uint64_t day = item.u.clock.time_of_day, ref = item.u.clock.on_clock;
    unsigned usec = (unsigned)(day % NS_PER_SEC / NS_PER_USEC);
    const char *name = clock_name(item.u.clock.id);
    time_t seconds = (time_t)(day / NS_PER_SEC);
    char date[64] = "";
    struct tm tm;
    if (localtime_r(&seconds, &tm))
        strftime(date, sizeof(date), "%F %T", &tm);
    text_fmt(f->t, "# clockid: %s (%u)\n", name, item.u.clock.id);
    text_fmt(f->t, "# reference time: %s.%06u = %llu.%06u (TOD) = %llu.%09llu (%s)\n",
             date, usec, (unsigned long long)seconds, usec,
             (unsigned long long)(ref / NS_PER_SEC),
             (unsigned long long)(ref % NS_PER_SEC), name);
}

static void text_hybrid_topology(const struct feat *f)
{
    struct pts_feature_iter it = feat_begin(f);
    struct pts_feature_item item;
    text_str(f->t, "# hybrid cpu system:\n");
    while (feat_next(&it, PTS_ITEM_HYBRID, &item)) {
        text_str(f->t, "# ");
        text_str(f->t, item.u.hybrid.pmu);
        text_str(f->t, " cpu list : ");
        text_str(f->t, item.u.hybrid.cpus);
        text_char(f->t, '\n');
    }
}

typedef void feat_fn(const struct feat *f);

static const struct {
    feat_fn *text;
    bool is_long; /* only on demand */
    bool in_part; /* of one that ends early perf prints what it has read */
} table[] = {
    [PTS_FEAT_HOSTNAME] = {text_hostname,        false, false},
    [PTS_FEAT_OSRELEASE] = {text_osrelease,       false, false},
    [PTS_FEAT_VERSION] = {text_version,         false, false},
    [PTS_FEAT_ARCH] = {text_arch,            false, false},
    [PTS_FEAT_NRCPUS] = {text_nrcpus,          false, false},
    [PTS_FEAT_CPUDESC] = {text_cpudesc,         false, false},
    [PTS_FEAT_CPUID] = {text_cpuid,           false, false},
    [PTS_FEAT_TOTAL_MEM] = {text_total_mem,       false, false},
    [PTS_FEAT_CMDLINE] = {text_cmdline,         false, false},
    [PTS_FEAT_EVENT_DESC] = {text_event_desc,      false, false},
    [PTS_FEAT_CPU_TOPOLOGY] = {text_cpu_topology,    true,  true },
    [PTS_FEAT_NUMA_TOPOLOGY] = {text_numa_topology,   true,  false},
    [PTS_FEAT_BRANCH_STACK] = {text_branch_stack,    false, false},
    [PTS_FEAT_PMU_MAPPINGS] = {text_pmu_mappings,    false, false},
    [PTS_FEAT_GROUP_DESC] = {text_group_desc,      false, false},
    [PTS_FEAT_AUXTRACE] = {text_auxtrace,        false, false},
    [PTS_FEAT_STAT] = {text_stat,            false, false},
    [PTS_FEAT_CACHE] = {text_cache,           true,  false},
    [PTS_FEAT_SAMPLE_TIME] = {text_sample_time,     false, false},
    [PTS_FEAT_MEM_TOPOLOGY] = {text_mem_topology,    true,  false},
    [PTS_FEAT_CLOCKID] = {text_clockid,         false, false},
    [PTS_FEAT_DIR_FORMAT] = {text_dir_format,      false, false},
    [PTS_FEAT_BPF_PROG_INFO] = {text_bpf_prog_info,   false, true },
    [PTS_FEAT_BPF_BTF] = {text_bpf_btf,         false, true },
    [PTS_FEAT_COMPRESSED] = {text_compressed,      false, false},
    [PTS_FEAT_CPU_PMU_CAPS] = {text_cpu_pmu_caps,    false, false},
    [PTS_FEAT_CLOCK_DATA] = {text_clock_data,      false, false},
    [PTS_FEAT_HYBRID_TOPOLOGY] = {text_hybrid_topology, true,  false},
    [PTS_FEAT_PMU_CAPS] = {text_pmu_caps,        false, false},
};

pts_status feat_text(struct text *t, const struct feat_env *env, uint32_t id,
                     struct pts_bytes bytes, bool full)
{
    struct feat f = {t, env, id, bytes, true};
    struct pts_feature_iter it = feat_begin(&f);
    struct pts_feature_item item;
    pts_status st;
    if (id >= sizeof(table) / sizeof(table[0]) || !table[id].text)
        return PTS_OK;
    if (table[id].is_long && !full) {
        text_fmt(t, "# %s info available, use -I to display\n", pts_feature_name(id));
        return PTS_OK;
    }
    while ((st = pts_feature_next(&it, &item)) == PTS_OK) {
    }
    f.sound = st == PTS_END;
    if (!f.sound && !table[id].in_part)
        f.bytes = (struct pts_bytes){0};
    table[id].text(&f);
    return f.sound ? PTS_OK : st;
}

static void text_captured(struct text *t, const struct perf_file *f)
{
    time_t when = (time_t)f->in.mtime;
    char date[64] = "(null)\n";
    ctime_r(&when, date);
    text_str(t, "# captured on    : ");
    text_str(t, date);
    text_str(t, "# header version : "); /* perf counts from 0 */
    text_dec(t, f->version - 1u, 0);
    text_str(t, "\n# data offset    : ");
    text_dec(t, f->pipe ? 0 : f->data_off, 0);
    text_str(t, "\n# data size      : ");
    text_dec(t, f->pipe ? 0 : f->data_size, 0);
    text_str(t, "\n# feat offset    : ");
    text_dec(t, f->pipe ? 0 : f->data_off + f->data_size, 0);
    text_char(t, '\n');
}

static bool announced(const struct perf_file *f, uint32_t id)
{
    return f->announced[id / 8] >> id % 8 & 1;
}

/* All of a file.  One that is announced but not there is printed like an empty one. */
static void text_file(struct text *t, const struct feat_env *env, bool full)
{
    const struct perf_file *f = env->file;
    for (uint32_t id = 1; !f->no_table && id < PERF_FEAT_LIMIT; id++)
        if (announced(f, id))
            (void)!feat_text(t, env, id, f->feature[id], full);
    text_str(t, "# missing features: ");
    for (uint32_t id = 1; pts_feature_name(id); id++) {
        if (announced(f, id))
            continue;
        text_str(t, pts_feature_name(id));
        text_char(t, ' ');
    }
    text_char(t, '\n');
}

void head_text(struct text *t, const struct feat_env *env, bool full)
{
    text_str(t, "# ========\n");
    text_captured(t, env->file);
    if (!env->file->pipe)
        text_file(t, env, full);
    text_str(t, "# ========\n#\n");
}
