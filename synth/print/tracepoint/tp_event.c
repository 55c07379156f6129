/* tp_event.c - what a tracepoint's format is, once it was read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/print/tracepoint/tp_event.h"

#include <string.h>

struct tp_field *tp_event_field(const struct tp_event *e, const char *name, bool any)
{
    for (size_t i = any ? 0 : e->common; i < e->fields; i++)
        if (strcmp(e->field[i].name, name) == 0)
            return &e->field[i];
    return NULL;
}
