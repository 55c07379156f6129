/* attr_text.c - an event's attributes as perf lists them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Tables say in which order and how; bits that perf 6.1 has no name for are left out.
 *
 * One list serves two outputs of perf: the header has "name = value", the list of
 * events "name: value".  So what stands in front and what stands for "is" are the
 * caller's.
 *
 * A value of zero is not listed.  Members of a union have one entry with both names.
 */
#include "synth/print/header/attr_text.h"

#include <stddef.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct bit_name {
    uint8_t bit;
    const char *name;
};

/* In perf's order, which is not that of the bits. */
static const struct bit_name sample_bits[] = {
    {0,  "IP"            },
    {1,  "TID"           },
    {2,  "TIME"          },
    {3,  "ADDR"          },
    {4,  "READ"          },
    {5,  "CALLCHAIN"     },
    {6,  "ID"            },
    {7,  "CPU"           },
    {8,  "PERIOD"        },
    {9,  "STREAM_ID"     },
    {10, "RAW"           },
    {11, "BRANCH_STACK"  },
    {12, "REGS_USER"     },
    {13, "STACK_USER"    },
    {16, "IDENTIFIER"    },
    {18, "REGS_INTR"     },
    {15, "DATA_SRC"      },
    {14, "WEIGHT"        },
    {19, "PHYS_ADDR"     },
    {20, "AUX"           },
    {21, "CGROUP"        },
    {22, "DATA_PAGE_SIZE"},
    {23, "CODE_PAGE_SIZE"},
    {24, "WEIGHT_STRUCT" },
};

static const struct bit_name read_bits[] = {
    {0, "TOTAL_TIME_ENABLED"},
    {1, "TOTAL_TIME_RUNNING"},
    {2, "ID"                },
    {3, "GROUP"             },
    {4, "LOST"              },
};

static const struct bit_name branch_bits[] = {
    {0,  "USER"      },
    {1,  "KERNEL"    },
    {2,  "HV"        },
    {3,  "ANY"       },
    {4,  "ANY_CALL"  },
    {5,  "ANY_RETURN"},
    {6,  "IND_CALL"  },
    {7,  "ABORT_TX"  },
    {8,  "IN_TX"     },
    {9,  "NO_TX"     },
    {10, "COND"      },
    {11, "CALL_STACK"},
    {12, "IND_JUMP"  },
    {13, "CALL"      },
    {14, "NO_FLAGS"  },
    {15, "NO_CYCLES" },
    {16, "TYPE_SAVE" },
    {17, "HW_INDEX"  },
    {18, "PRIV_SAVE" },
};

/* Bits of attr.flags, from the lowest; the second of the two of precise_ip is empty. */
static const char *const flag_names[] = {
    "disabled",
    "inherit",
    "pinned",
    "exclusive",
    "exclude_user",
    "exclude_kernel",
    "exclude_hv",
    "exclude_idle",
    "mmap",
    "comm",
    "freq",
    "inherit_stat",
    "enable_on_exec",
    "task",
    "watermark",
    "precise_ip",
    "",
    "mmap_data",
    "sample_id_all",
    "exclude_host",
    "exclude_guest",
    "exclude_callchain_kernel",
    "exclude_callchain_user",
    "mmap2",
    "comm_exec",
    "use_clockid",
    "context_switch",
    "write_backward",
    "namespaces",
    "ksymbol",
    "bpf_event",
    "aux_output",
    "cgroup",
    "text_poke",
    "build_id",
    "inherit_thread",
    "remove_on_exec",
    "sigtrap",
};
/* precise_ip has two bits, and is a number where all others are yes or no. */
enum { PRECISE_BIT = 15 };

enum number_style { UNSIGNED, SIGNED, HEX };

/* The list so far, and how it is written. */
struct list {
    struct text *t;
    const char *next; /* what comes before the next value */
    const char *is;
};

static void list_name(struct list *l, const char *name)
{
    text_str(l->t, l->next);
    text_str(l->t, name);
    text_str(l->t, l->is);
    l->next = ", ";
}

static void list_value(struct list *l, const char *name, uint64_t v,
                       enum number_style style)
{
    if (v == 0)
        return;
    list_name(l, name);
    if (style == HEX)
        text_hex_alt(l->t, v);
    else if (style == SIGNED)
        text_int(l->t, (int64_t)v, 0);
    else
        text_dec(l->t, v, 0);
}

/* Only known bits have a name: a value of unknown ones alone is an empty list. */
static void list_bits(struct list *l, const char *name, uint64_t v,
                      const struct bit_name *bits, size_t count)
{
    const char *between = "";
    if (v == 0)
        return;
    list_name(l, name);
    for (size_t i = 0; i < count; i++) {
        if (!(v >> bits[i].bit & 1))
            continue;
        text_str(l->t, between);
        text_str(l->t, bits[i].name);
        between = "|";
    }
}

static void list_flags(struct list *l, uint64_t flags)
{
    for (unsigned i = 0; i < COUNT(flag_names); i++) {
        unsigned mask = i == PRECISE_BIT ? 3 : 1;
        if (*flag_names[i])
            list_value(l, flag_names[i], flags >> i & mask, UNSIGNED);
    }
}

void attr_text(struct text *t, const struct pts_attr *a, const char *lead,
               const char *is)
{
    struct list l = {t, lead, is};
    list_value(&l, "type", a->type, UNSIGNED);
    list_value(&l, "size", a->size, UNSIGNED);
    list_value(&l, "config", a->config, HEX);
    list_value(&l, "{ sample_period, sample_freq }", a->sample_period, UNSIGNED);
    list_bits(&l, "sample_type", a->sample_type, sample_bits, COUNT(sample_bits));
    list_bits(&l, "read_format", a->read_format, read_bits, COUNT(read_bits));
    list_flags(&l, a->flags);
    list_value(&l, "{ wakeup_events, wakeup_watermark }", a->wakeup, UNSIGNED);
    list_value(&l, "bp_type", a->bp_type, UNSIGNED);
    list_value(&l, "{ bp_addr, config1 }", a->config1, HEX);
    list_value(&l, "{ bp_len, config2 }", a->config2, HEX);
    list_bits(&l, "branch_sample_type", a->branch_sample_type, branch_bits,
              COUNT(branch_bits));
    list_value(&l, "sample_regs_user", a->sample_regs_user, HEX);
    list_value(&l, "sample_stack_user", a->sample_stack_user, UNSIGNED);
    list_value(&l, "clockid", (uint64_t)a->clockid, SIGNED);
    list_value(&l, "sample_regs_intr", a->sample_regs_intr, HEX);
    list_value(&l, "aux_watermark", a->aux_watermark, UNSIGNED);
    list_value(&l, "sample_max_stack", a->sample_max_stack, UNSIGNED);
    list_value(&l, "aux_sample_size", a->aux_sample_size, UNSIGNED);
    list_value(&l, "sig_data", a->sig_data, UNSIGNED);
}
