/* evlist.c - the events of a recording, and those made from its trace.
 *
 * SPDX-License-Identifier: MIT
 *
 * Names follow perf: what the file says, else a name made from the attr with modifiers.
 * That matters even for events never printed, as the longest name sets a column's
 * width.
 */
#include "synth/evlist.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MAX_LEN = 128, SW_DUMMY = 9, HW_BRANCHES = 4, HW_INSTRUCTIONS = 1 };

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
    unsigned precise = a->flags >> PERF_ATTR_PRECISE_SHIFT & 3;

    if (a->flags &
        (PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_HV)) {
        if (!(a->flags & PERF_ATTR_EXCLUDE_KERNEL))
            mod[n++] = 'k';
        if (!(a->flags & PERF_ATTR_EXCLUDE_USER))
            mod[n++] = 'u';
        if (!(a->flags & PERF_ATTR_EXCLUDE_HV))
            mod[n++] = 'h';
        guest_default = true;
    }
    if (precise)
        guest_default = true;
    for (unsigned i = 0; i < precise; i++)
        mod[n++] = 'p';
    if (a->flags & PERF_ATTR_EXCLUDE_HOST ||
        !!(a->flags & PERF_ATTR_EXCLUDE_GUEST) == guest_default) {
        if (!(a->flags & PERF_ATTR_EXCLUDE_HOST))
            mod[n++] = 'H';
        if (!(a->flags & PERF_ATTR_EXCLUDE_GUEST))
            mod[n++] = 'G';
    }
    size_t len = strlen(buf);
    if (n)
        snprintf(buf + len, size - len, ":%.*s", (int)n, mod);
}

static void make_name(const struct evl_attr *a, char *buf, size_t size)
{
    switch (a->type) {
    case ATTR_HARDWARE:
        snprintf(buf, size, "%s",
                 a->config < COUNT(hw_names) ? hw_names[a->config]
                                             : "unknown-hardware");
        break;
    case ATTR_SOFTWARE:
        snprintf(buf, size, "%s",
                 a->config < COUNT(sw_names) ? sw_names[a->config]
                                             : "unknown-software");
        break;
    case ATTR_HW_CACHE:
        cache_name(a->config, buf, size);
        break;
    case ATTR_RAW:
        snprintf(buf, size, "raw 0x%llx", (unsigned long long)a->config);
        break;
    case ATTR_BREAKPOINT:
        breakpoint_name(a, buf, size);
        break;
    case ATTR_TRACEPOINT:
        snprintf(buf, size, "unknown tracepoint");
        return;
    default:
        snprintf(buf, size, "unknown attr type: %d", (int)a->type);
        return;
    }
    add_modifiers(a, buf, size);
}

static enum out_class class_of(uint32_t type)
{
    if (type == ATTR_SYNTH)
        return CLASS_SYNTH;
    return type < ATTR_KERNEL_TYPES ? (enum out_class)type : CLASS_OTHER;
}

pts_status evl_add(struct evlist *l, const struct evl_attr *attr)
{
    char made[NAME_MAX_LEN];
    const char *name = attr->name;

    if (!name) {
        make_name(attr, made, sizeof(made));
        name = made;
    }
    name = arena_strndup(&l->names, name, strlen(name));
    struct evl_event *e = name ? VEC_PUSH(&l->ev) : NULL;
    if (!e)
        return PTS_E_NOMEM;
    *e = (struct evl_event){.attr = *attr, .name = name};
    e->class = (uint8_t)class_of(attr->type);
    e->has_id = attr->id_count > 0;
    e->has_chain = attr->sample_type & PERF_SAMPLE_CALLCHAIN;
    e->id = e->has_id ? attr->ids[0] : 0;
    /* perf tests a bit, not the number: configs 5, 6 and 7 are "branches" too. */
    e->is_branch = attr->type == ATTR_HARDWARE && attr->config & HW_BRANCHES &&
                   attr->sample_period == 1;
    bool fault = attr->type == ATTR_SOFTWARE &&
                 (attr->config == 2 || attr->config == 5 || attr->config == 6);
    e->addr_is_code = e->is_branch || fault;
    e->attr.name = NULL;
    e->attr.ids = NULL;
    return PTS_OK;
}

void evl_free(struct evlist *l)
{
    VEC_FREE(&l->ev);
    arena_free(&l->names);
}

uint32_t evl_first_of(const struct evlist *l, enum out_class class)
{
    for (size_t i = 0; i < l->ev.len; i++)
        if (l->ev.at[i].class == class)
            return (uint32_t)i;
    return EVL_NONE;
}

uint32_t evl_by_id(const struct evlist *l, uint64_t id)
{
    for (size_t i = 0; i < l->ev.len; i++)
        if (l->ev.at[i].has_id && l->ev.at[i].id == id)
            return (uint32_t)i;
    return EVL_NONE;
}

size_t evl_name_width(const struct evlist *l)
{
    size_t width = 0;

    for (size_t i = 0; i < l->ev.len; i++) {
        size_t n = strlen(l->ev.at[i].name);
        width = n > width ? n : width;
    }
    return width;
}

const char *evl_class_name(enum out_class class)
{
    switch (class) {
    case CLASS_HARDWARE:
        return "hardware";
    case CLASS_SOFTWARE:
        return "software";
    case CLASS_TRACEPOINT:
        return "tracepoint";
    case CLASS_HW_CACHE:
        return "hardware-cache";
    case CLASS_RAW:
    case CLASS_BREAKPOINT:
    case CLASS_SYNTH:
    case CLASS_OTHER:
    case CLASSES:
        break;
    }
    return "unknown";
}

bool evl_is_dummy(const struct evl_event *e)
{
    return e->attr.type == ATTR_SOFTWARE && e->attr.config == SW_DUMMY;
}

/* Groups come in the order of their leaders; a group reaches up to the next one. */
pts_status evl_groups_make(struct evl_groups *g, const struct evlist *l,
                           struct pts_feature_iter desc)
{
    struct pts_feature_iter whole = desc;
    struct pts_feature_item item;
    pts_status st;
    while ((st = pts_feature_next(&whole, &item)) == PTS_OK) {
    }
    bool any = st == PTS_END && pts_feature_next(&desc, &item) == PTS_OK;
    uint32_t left = 0; /* members that the group before still takes */
    for (uint32_t i = 0; i < l->ev.len; i++) {
        bool leads = any && item.u.group.leader == i;
        if (left > 0 && !leads) {
            left--;
            g->at.at[g->at.len - 1].members++;
            continue;
        }
        struct evl_group *one = VEC_PUSH(&g->at);
        if (!one)
            return PTS_E_NOMEM;
        *one = (struct evl_group){"", i, 1};
        if (!leads)
            continue;
        if (strcmp(item.u.group.name, "{anon_group}") != 0)
            one->name = item.u.group.name;
        left = item.u.group.members ? item.u.group.members - 1 : 0;
        any = pts_feature_next(&desc, &item) == PTS_OK;
    }
    return PTS_OK;
}

void evl_groups_free(struct evl_groups *g)
{
    VEC_FREE(&g->at);
}

void evl_group_text(struct text *t, const struct evlist *l, const struct evl_group *g)
{
    if (g->members > 1) {
        text_str(t, g->name);
        text_char(t, '{');
    }
    for (uint32_t i = 0; i < g->members; i++) {
        text_str(t, i ? "," : "");
        text_str(t, l->ev.at[g->leader + i].name);
    }
    if (g->members > 1)
        text_char(t, '}');
}

/* How each made event differs from the one before.  The first two keep the names that
 * perf gives their attrs; the others get these when all are made. */
static const struct {
    uint32_t type;
    uint64_t config;
    const char *name;
} recipes[MADE_EVENTS] = {
    [MADE_BRANCHES] = {ATTR_HARDWARE, HW_BRANCHES,     "branches"    },
    [MADE_INSTRUCTIONS] = {ATTR_HARDWARE, HW_INSTRUCTIONS, "instructions"},
    [MADE_TRANSACTIONS] = {ATTR_HARDWARE, HW_INSTRUCTIONS, "transactions"},
    [MADE_PTWRITE] = {ATTR_SYNTH,    SYNTH_PTWRITE,   "ptwrite"     },
    [MADE_CBR] = {ATTR_SYNTH,    SYNTH_CBR,       "cbr"         },
    [MADE_PSB] = {ATTR_SYNTH,    SYNTH_PSB,       "psb"         },
    [MADE_MWAIT] = {ATTR_SYNTH,    SYNTH_MWAIT,     "mwait"       },
    [MADE_PWRE] = {ATTR_SYNTH,    SYNTH_PWRE,      "pwre"        },
    [MADE_EXSTOP] = {ATTR_SYNTH,    SYNTH_EXSTOP,    "exstop"      },
    [MADE_PWRX] = {ATTR_SYNTH,    SYNTH_PWRX,      "pwrx"        },
    [MADE_EVT] = {ATTR_SYNTH,    SYNTH_EVT,       "evt"         },
    [MADE_IFLAG] = {ATTR_SYNTH,    SYNTH_IFLAG,     "iflag"       },
};

/* sample_type of made event i, from that of the traced event. */
static uint64_t made_sample_type(uint64_t traced, const struct evl_make *m, size_t i)
{
    static const uint64_t kept = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                                 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
                                 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
                                 PERF_SAMPLE_PERIOD | PERF_SAMPLE_IDENTIFIER;
    uint64_t st =
        (traced & kept) | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD;

    st = m->timeless ? st & ~(uint64_t)PERF_SAMPLE_TIME : st | PERF_SAMPLE_TIME;
    if (!m->per_cpu)
        st &= ~(uint64_t)PERF_SAMPLE_CPU;
    if (i == MADE_BRANCHES)
        return st | PERF_SAMPLE_ADDR;
    if (m->wanted[MADE_BRANCHES]) /* made first, it takes the bit away again */
        st &= ~(uint64_t)PERF_SAMPLE_ADDR;
    st |= m->chains ? PERF_SAMPLE_CALLCHAIN : 0;
    st |= m->branch_stacks ? PERF_SAMPLE_BRANCH_STACK : 0;
    if (i > MADE_INSTRUCTIONS)
        st &= ~(uint64_t)PERF_SAMPLE_PERIOD;
    return i > MADE_TRANSACTIONS ? st | PERF_SAMPLE_RAW : st;
}

void evl_add_chains(struct evlist *l)
{
    for (size_t i = 0; i < l->ev.len; i++)
        l->ev.at[i].has_chain = true;
}

pts_status evl_make(struct evlist *l, uint32_t pt, const struct evl_make *m,
                    uint32_t made[MADE_EVENTS])
{
    static const uint64_t id_offset = 1000000000;
    const struct evl_event traced = l->ev.at[pt];
    uint64_t id = traced.id + id_offset;

    id += id == 0;
    for (size_t i = 0; i < MADE_EVENTS; i++) {
        made[i] = EVL_NONE;
        if (!m->wanted[i])
            continue;
        struct evl_attr a = {
            .type = recipes[i].type,
            .config = recipes[i].config,
            .sample_type = made_sample_type(traced.attr.sample_type, m, i),
            .flags =
                traced.attr.flags & (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL |
                                     PERF_ATTR_EXCLUDE_HV | PERF_ATTR_EXCLUDE_HOST |
                                     PERF_ATTR_EXCLUDE_GUEST | PERF_ATTR_SAMPLE_ID_ALL),
            .sample_period = i == MADE_INSTRUCTIONS ? m->period : 1,
            .ids = &id,
            .id_count = 1,
        };
        pts_status st = evl_add(l, &a);
        if (st < 0)
            return st;
        made[i] = (uint32_t)l->ev.len - 1;
        id++;
    }
    return PTS_OK;
}

const char *evl_made_name(enum made_event i)
{
    return recipes[i].name;
}

void evl_name_made(struct evlist *l, const uint32_t made[MADE_EVENTS])
{
    for (size_t i = MADE_TRANSACTIONS; i < MADE_EVENTS; i++)
        if (made[i] != EVL_NONE)
            l->ev.at[made[i]].name = recipes[i].name;
}
