/* feat_machine.c - what a header says of the machine: its name, CPUs, memory, PMUs.
 *
 * SPDX-License-Identifier: MIT
 *
 * A function for each section, from its items.  The words are perf's, also those that
 * stand in the place of what is not there: scripts read this.
 */
#include "synth/print/header/feat_machine.h"

#include "synth/print/header/cpu_list.h"

void feat_hostname(const struct feat *f)
{
    feat_line(f, "# hostname : ");
}

void feat_osrelease(const struct feat *f)
{
    feat_line(f, "# os release : ");
}

void feat_arch(const struct feat *f)
{
    feat_line(f, "# arch : ");
}

void feat_nrcpus(const struct feat *f)
{
    struct pts_feature_item item;
    feat_only(f, PTS_ITEM_CPUS, &item);
    text_fmt(f->t, "# nrcpus online : %u\n# nrcpus avail : %u\n", item.u.cpus.online,
             item.u.cpus.available);
}

void feat_cpudesc(const struct feat *f)
{
    feat_line(f, "# cpudesc : ");
}

void feat_cpuid(const struct feat *f)
{
    feat_line(f, "# cpuid : ");
}

void feat_total_mem(const struct feat *f)
{
    struct pts_feature_item item;
    feat_only(f, PTS_ITEM_NUMBER, &item);
    text_str(f->t, "# total memory : ");
    text_dec(f->t, item.u.number, 0);
    text_str(f->t, " kB\n");
}

/* A list of CPUs for each socket, die or core, as the kernel wrote it; how many there
 * were. */
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

/* Older recordings know of no dies: whether there are any decides how all lines
 * look. */
void feat_cpu_topology(const struct feat *f)
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
/* perf reads all nodes before it prints the first, so a bad one means no lines at
 * all. */
static bool numa_sound(const struct feat *f, struct cpu_list *l)
{
    struct pts_feature_iter it = feat_begin(f);
    struct pts_feature_item item;
    while (feat_next(&it, PTS_ITEM_NODE, &item))
        if (cpu_list_parse(l, item.u.node.cpus) != PTS_OK)
            return false;
    return true;
}

void feat_numa_topology(const struct feat *f)
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

void feat_pmu_mappings(const struct feat *f)
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
    /* An empty section and a damaged one are told apart here, as perf does. */
    text_str(f->t, any ? "\n" : f->sound ? "not available\n" : "unable to read\n");
}

void feat_cache(const struct feat *f)
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

/* The blocks a node has, as ranges; perf's buffer ends the list at 99 characters. */
static void text_blocks(struct text *t, const struct pts_words *set, uint64_t bits)
{
    enum { ROOM = 99 };
    size_t begin = t->len;
    uint64_t i = 0;
    /* Ranges of ones; a file may claim many, the room bounds what is written. */
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
        /* Bits of the last word behind the end are not the set's. */
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

void feat_mem_topology(const struct feat *f)
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

void feat_cpu_pmu_caps(const struct feat *f)
{
    struct pts_feature_iter it = feat_begin(f);
    struct pts_feature_item item;
    uint32_t count = 0;
    /* The count is needed first: "not available" stands in the place of the list. */
    while (feat_next(&it, PTS_ITEM_CAP, &item))
        count++;
    it = feat_begin(f);
    text_caps(f->t, "cpu", &it, count);
}

void feat_pmu_caps(const struct feat *f)
{
    struct pts_feature_iter it = feat_begin(f);
    struct pts_feature_item item;
    /* Behind a PMU stand its capabilities, and text_caps goes past these. */
    while (feat_next(&it, PTS_ITEM_CAPS, &item))
        text_caps(f->t, item.u.caps.pmu, &it, item.u.caps.count);
}

void feat_hybrid_topology(const struct feat *f)
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
