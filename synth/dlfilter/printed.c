/* printed.c - what a filter prints, kept, so that it stands between the right lines.
 *
 * SPDX-License-Identifier: MIT
 *
 * stdout is a variable in the GNU C library, documented to be assigned to.
 */
#include "synth/dlfilter/printed.h"

#include "decoder/base/arena.h"
#include "decoder/base/refused.h"

#include <stdbool.h>

pts_status printed_open(struct printed *p)
{
    p->into = open_memstream(&p->text, &p->len);
    if (p->into)
        return PTS_OK;
    refused_memory();
    return PTS_E_NOMEM;
}

void printed_close(struct printed *p)
{
    if (p->into)
        fclose(p->into);
    mem_free(p->text);
    *p = (struct printed){0};
}

void printed_begin(struct printed *p)
{
    p->real = stdout;
    stdout = p->into;
}

pts_status printed_end(struct printed *p)
{
    /* A filter may have put something else there. */
    if (stdout == p->into)
        stdout = p->real;
    bool fine = fflush(p->into) == 0 && !ferror(p->into);
    long len = fine ? ftell(p->into) : -1;

    /* Back to the start: the next text is written over this one. */
    if (len < 0 || fseek(p->into, 0, SEEK_SET) != 0) {
        refused_memory();
        return PTS_E_NOMEM;
    }
    p->len = (size_t)len;
    return PTS_OK;
}
