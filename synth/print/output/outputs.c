/* outputs.c - the kinds of text that there are, by name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/print/output/output.h"

#include <string.h>

#define OUTPUT(name, function) extern output_open_fn function;
#include "synth/print/output/outputs.def"
#undef OUTPUT

struct output_row {
    const char *name;
    output_open_fn *open;
};

#define OUTPUT(name, function) {name, function},
static const struct output_row rows[] = {
#include "synth/print/output/outputs.def"
};
#undef OUTPUT

output_open_fn *output_find(const char *name)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].open;
    return NULL;
}
