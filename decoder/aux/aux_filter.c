/* aux_filter.c - the address filters of a recording.
 *
 * SPDX-License-Identifier: MIT
 *
 * As strict as perf 6.1, which gives up a recording whose filters it cannot parse.
 */
#include "decoder/aux/aux_filter.h"

#include <stdlib.h>
#include <string.h>

static const char *skip_spaces(const char *p)
{
    return p + strspn(p, " ");
}

/* What the filter does; the word and a space stand at *p. */
static bool verb_take(const char **p, struct aux_filter *out)
{
    static const char *const verb[] = {"filter", "tracestop", "start", "stop"};
    size_t n = strcspn(*p, " ");

    for (size_t v = 0; v < sizeof(verb) / sizeof(*verb); v++) {
        if (strlen(verb[v]) != n || strncmp(*p, verb[v], n) != 0 || !(*p)[n])
            continue;
        out->stop = v & 1;
        *p = skip_spaces(*p + n);
        return true;
    }
    return false;
}

/* A number, or a symbol and perhaps which one of that name: it is not looked for. */
static bool place_take(const char **p, uint64_t *value)
{
    char *end;

    *value = 0;
    if (**p >= '0' && **p <= '9') {
        *value = strtoull(*p, &end, 0);
        *p = end;
        return true;
    }
    size_t n = strcspn(*p, " ,/@#");
    *p = skip_spaces(*p + n);
    if (n && **p == '#')
        *p += strcspn(*p, " ,/@");
    return n != 0;
}

pts_status aux_filter_next(const char **p, struct aux_filter *out)
{
    struct aux_filter filter = {0};
    const char *at = *p;

    if (!*at)
        return PTS_END;
    at = skip_spaces(at);
    if (!verb_take(&at, &filter) || !place_take(&at, &filter.start))
        return PTS_E_RANGE;
    at = skip_spaces(at);
    if (*at == '/') {
        at = skip_spaces(at + 1);
        if (*at != '@' && !place_take(&at, &filter.size))
            return PTS_E_RANGE;
        at = skip_spaces(at);
    }
    if (*at == '@') {
        filter.file = skip_spaces(at + 1);
        filter.file_len = strcspn(filter.file, " ,");
        if (!filter.file_len)
            return PTS_E_RANGE;
        at = filter.file + filter.file_len;
    }
    *p = at + strspn(at, " ,");
    *out = filter;
    return PTS_OK;
}
