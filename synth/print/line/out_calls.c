/* out_calls.c - the column callindent of branches, kept.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/print/line/out_calls.h"

#include "decoder/base/arena.h"
#include "decoder/base/digits.h"

pts_status call_texts_new(struct call_texts **out)
{
    *out = mem_zalloc(1, sizeof(**out));
    return *out ? PTS_OK : PTS_E_NOMEM;
}

/* False: no memory. */
static bool make_room(struct call_texts *all)
{
    if (!all->pool)
        all->pool = mem_resize(NULL, CALL_POOL + PUT_WIDE, 1);
    if (!all->set && all->pool)
        all->set = mem_table(CALL_SETS, sizeof(*all->set));
    return all->set;
}

void call_texts_free(struct call_texts *all)
{
    if (!all)
        return;
    mem_free(all->set);
    mem_free(all->pool);
    mem_free(all);
}

static struct call_word *word_slot(struct call_texts *all, const char *from)
{
    _Static_assert(CALL_WORDS == 1 << (64 - 54), "the hash has as many bits");
    return &all->word[(uintptr_t)from * UINT64_C(0x9e3779b97f4a7c15) >> 54];
}

/* What a text takes in the pool. */
static uint32_t room_of(size_t len)
{
    return (uint32_t)(len + PUT_WIDE - 1) / PUT_WIDE * PUT_WIDE;
}

/* Where the part is in the pool, which has room for it. */
static uint32_t part_keep(struct call_texts *all, const struct call_part *p)
{
    struct call_word *slot = p->from ? word_slot(all, p->from) : NULL;
    const uint32_t at = all->used;

    if (slot && slot->from == p->from && slot->len == p->len)
        return slot->at;
    if (!p->len)
        return at;
    memcpy(all->pool + at, p->text, p->len);
    memset(all->pool + at + p->len, ' ', room_of(p->len) - p->len);
    all->used += room_of(p->len);
    if (slot)
        *slot = (struct call_word){p->from, at, (uint16_t)p->len};
    return at;
}

void call_texts_keep(struct call_texts *all, const struct call_key *key,
                     const struct call_part *head, const struct call_part *name)
{
    const uint32_t set = call_set(key);

    if (head->len > CALL_TEXT || name->len > CALL_TEXT || !make_room(all))
        return;
    if (room_of(head->len) + room_of(name->len) > CALL_POOL - all->used) {
        memset(all->set, 0, CALL_SETS * sizeof(*all->set));
        memset(all->word, 0, sizeof(all->word));
        all->used = 0;
    }
    struct call *c = &all->set[set][all->turn[set]++ % CALL_WAYS];
    c->key = *key;
    c->head = part_keep(all, head);
    c->name = part_keep(all, name);
    c->head_len = (uint16_t)head->len;
    c->name_len = (uint16_t)name->len;
    c->known = true;
}
