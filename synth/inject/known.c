/* known.c - build ids that were given by hand: --known-build-ids.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/inject/known.h"

#include <ctype.h>
#include <string.h>

static const char *blanks(const char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    return s;
}

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* perf counts blanks in front of an id among its digits, so that there is one too few. */
static bool item_read(const char *text, struct known_id *out)
{
    const char *id = blanks(text), *path = strchr(id, ' ');
    size_t n = path ? (size_t)(path - text) : 0;

    if (!path || n % 2 || n / 2 > sizeof(out->id))
        return false;
    *out =
        (struct known_id){.text = text, .path = blanks(path), .len = (uint8_t)(n / 2)};
    for (size_t i = 0; i < out->len; i++) {
        int high = digit(id[2 * i]), low = high < 0 ? -1 : digit(id[2 * i + 1]);
        if (low < 0)
            return false;
        out->id[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

pts_status known_read(struct known_ids *k, const char *list, struct pts_diag *why)
{
    struct pts_diag problem;
    struct known_id one;
    pts_status st = select_names(&k->lists, &k->items, list, "build id", &problem);

    if (st == PTS_E_NOMEM)
        return diag_set(why, st, UINT64_MAX, "out of memory");
    if (st < 0)
        return diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                        "Couldn't parse known build ids.");
    for (size_t i = 0; i < k->items.name.len; i++) {
        if (!item_read(k->items.name.at[i], &one))
            continue;
        struct known_id *new = VEC_PUSH(&k->id);
        if (!new)
            return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
        *new = one;
    }
    return PTS_OK;
}

/* perf has sorted them. */
const struct known_id *known_find(const struct known_ids *k, const char *path)
{
    const struct known_id *found = NULL;

    for (size_t i = 0; i < k->id.len; i++) {
        const struct known_id *one = &k->id.at[i];
        if (strcmp(one->path, path) == 0 &&
            (!found || strcmp(one->text, found->text) < 0))
            found = one;
    }
    return found;
}

void known_free(struct known_ids *k)
{
    VEC_FREE(&k->id);
    VEC_FREE(&k->items.name);
    select_free(&k->lists);
}
