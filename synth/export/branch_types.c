/* branch_types.c - the table of kinds of branches.
 *
 * SPDX-License-Identifier: MIT
 *
 * First the kinds as they are, then each at the beginning and at the end of the trace; a plain
 * jump there has no word of its own.
 */
#include "synth/export/branch_types.h"

#include <stdio.h>
#include <string.h>

struct branch_type {
    uint32_t flags;
    const char *name;
};

enum {
    JUMP = PTS_FLAG_BRANCH,
    CALL = JUMP | PTS_FLAG_CALL,
    RETURN = JUMP | PTS_FLAG_RETURN,
    ASYNC = JUMP | PTS_FLAG_ASYNC,
    BEGIN = PTS_FLAG_TRACE_BEGIN,
    END = PTS_FLAG_TRACE_END
};

static const struct branch_type kinds[] = {
    {0,                                          "no branch"              },
    {CALL,                                       "call"                   },
    {RETURN,                                     "return"                 },
    {JUMP | PTS_FLAG_COND,                       "conditional jump"       },
    {JUMP,                                       "unconditional jump"     },
    {CALL | PTS_FLAG_INTERRUPT,                  "software interrupt"     },
    {RETURN | PTS_FLAG_INTERRUPT,                "return from interrupt"  },
    {CALL | PTS_FLAG_SYSCALL,                    "system call"            },
    {RETURN | PTS_FLAG_SYSCALL,                  "return from system call"},
    {ASYNC,                                      "asynchronous branch"    },
    {ASYNC | PTS_FLAG_CALL | PTS_FLAG_INTERRUPT, "hardware interrupt"     },
    {JUMP | PTS_FLAG_TX_ABORT,                   "transaction abort"      },
    {JUMP | BEGIN,                               "trace begin"            },
    {JUMP | END,                                 "trace end"              },
    {CALL | PTS_FLAG_VM_ENTRY,                   "vm entry"               },
    {CALL | PTS_FLAG_VM_EXIT,                    "vm exit"                },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static pts_status put(const struct export_to *to, uint32_t flags, const char *name)
{
    const struct export_value row[] = {EXPORT_N(flags), EXPORT_S(name)};

    return EXPORT_PUT(to, BRANCH_TYPE, row);
}

pts_status branch_types_put(const struct export_to *to)
{
    pts_status st = PTS_OK;
    char name[64];

    for (size_t i = 0; i < KINDS && st == PTS_OK; i++)
        st = put(to, kinds[i].flags, kinds[i].name);
    for (size_t i = 0; i < KINDS && st == PTS_OK; i++) {
        const struct branch_type *k = &kinds[i];
        if (k->flags == JUMP || k->flags & (BEGIN | END))
            continue;
        snprintf(name, sizeof(name), "trace begin / %s", k->name);
        st = put(to, k->flags | BEGIN, name);
        snprintf(name, sizeof(name), "%s / trace end", k->name);
        if (st == PTS_OK)
            st = put(to, k->flags | END, name);
    }
    return st;
}
