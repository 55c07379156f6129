/* parents.c - which symbols are parents (--parent).
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/parents.h"

#include "decoder/base/arena.h"
#include "decoder/base/diag.h"

#include <regex.h>

static const char standard[] = "^sys_|^do_page_fault";

struct parents {
    regex_t regex;
    struct idmap known; /* by where a name is: whether it matches */
};

pts_status parents_new(const char *pattern, struct parents **out, struct pts_diag *why)
{
    struct parents *p = mem_zalloc(1, sizeof(*p));
    char text[200];

    if (!p)
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    int error = regcomp(&p->regex, pattern ? pattern : standard, REG_EXTENDED);
    if (!error) {
        *out = p;
        return PTS_OK;
    }
    regerror(error, &p->regex, text, sizeof(text));
    mem_free(p);
    return diag_set(why, PTS_E_FORMAT, UINT64_MAX, "Invalid regex: %s\n%s",
                    pattern ? pattern : standard, text);
}

void parents_free(struct parents *p)
{
    if (!p)
        return;
    regfree(&p->regex);
    idmap_free(&p->known);
    mem_free(p);
}

bool parents_have(struct parents *p, const char *sym)
{
    uint32_t known = idmap_get(&p->known, (uintptr_t)sym);

    if (known != IDMAP_NONE)
        return known;
    bool match = regexec(&p->regex, sym, 0, NULL, 0) == 0;
    (void)idmap_set(&p->known, (uintptr_t)sym, match); /* else it is looked at again */
    return match;
}
