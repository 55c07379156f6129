/* event_name.c - what perf calls an event that has no name.
 *
 * SPDX-License-Identifier: MIT
 *
 * A name is made from the attributes: the kind, the number, and a letter for each level
 * of privilege that is not left out.  That matters even for events never printed, as the
 * longest name sets a column's width.
 */
#include "synth/plan/event_name.h"

#include "decoder/file/perf_abi.h"

#include <stdio.h>
#include <string.h>

static const char *const hw_names[] = {
    "cycles",
    "instructions",
    "cache-references",
    "cache-misses",
    "branches",
    "branch-misses",
    "bus-cycles",
    "stalled-cycles-frontend",
    "stalled-cycles-backend",
    "ref-cycles",
};

/* perf 6.1 has no names for those that came later. */
static const char *const sw_names[] = {
    "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
    "emulation-faults", "dummy",
};

static const struct {
    const char *name;
    uint8_t ops; /* bit 0 load, 1 store, 2 prefetch */
} caches[] = {
    {"L1-dcache", 7},
    {"L1-icache", 5},
    {"LLC",       7},
    {"dTLB",      7},
    {"iTLB",      1},
    {"branch",    1},
    {"node",      7},
};
static const char *const cache_op[] = {"load", "store", "prefetch"};
static const char *const cache_ops[] = {"loads", "stores", "prefetches"};
static const char *const cache_result[] = {"refs", "misses"};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int cache_name(uint64_t config, char *buf, size_t size)
{
    uint8_t cache = (uint8_t)config, op = (uint8_t)(config >> 8);
    uint8_t result = (uint8_t)(config >> 16);

    if (cache >= COUNT(caches))
        return snprintf(buf, size, "unknown-ext-hardware-cache-type");
    if (op >= COUNT(cache_op))
        return snprintf(buf, size, "unknown-ext-hardware-cache-op");
    if (result >= COUNT(cache_result))
        return snprintf(buf, size, "unknown-ext-hardware-cache-result");
    if (!(caches[cache].ops & 1u << op))
        return snprintf(buf, size, "invalid-cache");
    if (result)
        return snprintf(buf, size, "%s-%s-%s", caches[cache].name, cache_op[op],
                        cache_result[result]);
    return snprintf(buf, size, "%s-%s", caches[cache].name, cache_ops[op]);
}

static int breakpoint_name(const struct evl_attr *a, char *buf, size_t size)
{
    return snprintf(buf, size, "mem:0x%llx:%s%s%s", (unsigned long long)a->bp_addr,
                    a->bp_type & 1 ? "r" : "", a->bp_type & 2 ? "w" : "",
                    a->bp_type & 4 ? "x" : "");
}

/* ":u" and the like: a letter for each level that is not excluded. */
static void add_modifiers(const struct evl_attr *a, char *buf, size_t size)
{
    char mod[12];
    size_t n = 0;
    bool guest_default = false;
    unsigned precise = a->flags >> PTS_ATTR_PRECISE_SHIFT & 3;

    if (a->flags &
        (PTS_ATTR_EXCLUDE_KERNEL | PTS_ATTR_EXCLUDE_USER | PTS_ATTR_EXCLUDE_HV)) {
        if (!(a->flags & PTS_ATTR_EXCLUDE_KERNEL))
            mod[n++] = 'k';
        if (!(a->flags & PTS_ATTR_EXCLUDE_USER))
            mod[n++] = 'u';
        if (!(a->flags & PTS_ATTR_EXCLUDE_HV))
            mod[n++] = 'h';
        guest_default = true;
    }
    if (precise)
        guest_default = true;
    for (unsigned i = 0; i < precise; i++)
        mod[n++] = 'p';
    /* H and G are said only where they are not what follows from the other letters:
     * perf leaves guests out by itself when a level is chosen or an event is
     * precise. */
    if (a->flags & PTS_ATTR_EXCLUDE_HOST ||
        !!(a->flags & PTS_ATTR_EXCLUDE_GUEST) == guest_default) {
        if (!(a->flags & PTS_ATTR_EXCLUDE_HOST))
            mod[n++] = 'H';
        if (!(a->flags & PTS_ATTR_EXCLUDE_GUEST))
            mod[n++] = 'G';
    }
    size_t len = strlen(buf);
    if (n)
        snprintf(buf + len, size - len, ":%.*s", (int)n, mod);
}

void event_name(const struct evl_attr *a, char *buf, size_t size)
{
    switch (a->type) {
    case PTS_TYPE_HARDWARE:
        snprintf(buf, size, "%s",
                 a->config < COUNT(hw_names) ? hw_names[a->config]
                                             : "unknown-hardware");
        break;
    case PTS_TYPE_SOFTWARE:
        snprintf(buf, size, "%s",
                 a->config < COUNT(sw_names) ? sw_names[a->config]
                                             : "unknown-software");
        break;
    case PTS_TYPE_HW_CACHE:
        cache_name(a->config, buf, size);
        break;
    case PTS_TYPE_RAW:
        snprintf(buf, size, "raw 0x%llx", (unsigned long long)a->config);
        break;
    case PTS_TYPE_BREAKPOINT:
        breakpoint_name(a, buf, size);
        break;
    case PTS_TYPE_TRACEPOINT:
        /* No letters behind this, nor behind the next one. */
        snprintf(buf, size, "unknown tracepoint");
        return;
    default:
        snprintf(buf, size, "unknown attr type: %d", (int)a->type);
        return;
    }
    add_modifiers(a, buf, size);
}
