/* evlist.c - the events of a recording, and those made from its trace.
 *
 * SPDX-License-Identifier: MIT
 *
 * What the events of the file and those made from its trace have in common is worked
 * out once, when one is added: its class, by which columns go, and whether it counts as
 * branches.
 */
#include "synth/plan/evlist.h"

#include "synth/plan/event_name.h"

#include <string.h>

enum { SW_DUMMY = 9 };

static enum out_class class_of(uint32_t type)
{
    if (type == PTS_TYPE_SYNTH)
        return CLASS_SYNTH;
    return type < PTS_KERNEL_TYPES ? (enum out_class)type : CLASS_OTHER;
}

pts_status evl_add(struct evlist *l, const struct evl_attr *attr)
{
    char made[EVENT_NAME_MAX];
    const char *name = attr->name;

    if (!name) {
        event_name(attr, made, sizeof(made));
        name = made;
    }
    name = arena_strndup(&l->names, name, strlen(name));
    struct evl_event *e = name ? VEC_PUSH(&l->ev) : NULL;
    if (!e)
        return PTS_E_NOMEM;
    *e = (struct evl_event){.attr = *attr, .name = name};
    e->class = (uint8_t)class_of(attr->type);
    e->has_id = attr->id_count > 0;
    e->has_chain = attr->sample_type & PTS_SAMPLE_CALLCHAIN;
    e->id = e->has_id ? attr->ids[0] : 0;
    /* perf tests a bit, not the number: configs 5, 6 and 7 are "branches" too. */
    e->is_branch = attr->type == PTS_TYPE_HARDWARE && attr->config & EVL_HW_BRANCHES &&
                   attr->sample_period == 1;
    bool fault = attr->type == PTS_TYPE_SOFTWARE &&
                 (attr->config == 2 || attr->config == 5 || attr->config == 6);
    e->addr_is_code = e->is_branch || fault;
    /* Lent by the caller for this call only. */
    e->attr.name = NULL;
    e->attr.ids = NULL;
    return PTS_OK;
}

pts_status evl_add_all(struct evlist *l, const struct evl_attr *attr, size_t count,
                       bool made_up)
{
    pts_status st = PTS_OK;

    for (size_t i = 0; i < count && st == PTS_OK; i++) {
        struct evl_attr a = attr[i];
        /* Names come with the header of a file; of a pipe perf makes them from the
         * attributes. */
        if (made_up)
            a.name = NULL;
        st = evl_add(l, &a);
    }
    return st;
}

void evl_add_chains(struct evlist *l)
{
    for (size_t i = 0; i < l->ev.len; i++)
        l->ev.at[i].has_chain = true;
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
    return e->attr.type == PTS_TYPE_SOFTWARE && e->attr.config == SW_DUMMY;
}
