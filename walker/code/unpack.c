/* unpack.c - the contents of a compressed file: kernel modules are often packed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/unpack.h"

#include "decoder/base/arena.h"

#include <string.h>

enum { FIRST_ROOM = 1 << 20 };

static const struct unpacker *unpacker_of(struct pts_bytes file)
{
    static const struct {
        const char *magic;
        size_t n;
        const struct unpacker *by;
    } kinds[] = {
        {"\x1f\x8b",         2, &unpack_gz },
        {"\xfd"
         "7zXZ\0",  6, &unpack_xz },
        {"\x28\xb5\x2f\xfd", 4, &unpack_zst},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (file.len > kinds[i].n && memcmp(file.ptr, kinds[i].magic, kinds[i].n) == 0)
            return kinds[i].by;
    return NULL;
}

bool unpack_is_packed(struct pts_bytes file)
{
    return unpacker_of(file) != NULL;
}

bool unpack_is_name(const char *name)
{
    static const char *const ends[] = {".gz", ".xz", ".ko.zst"};
    size_t len = strlen(name);

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        size_t n = strlen(ends[i]);
        if (len > n && strcmp(name + len - n, ends[i]) == 0)
            return true;
    }
    return false;
}

/* Room for as much again; the last of it is one byte too many, which tells that there is
 * more than may be. */
static pts_status room_grow(struct unpack_room *r, size_t most)
{
    size_t cap = r->cap ? 2 * r->cap : FIRST_ROOM;

    if (r->len > most)
        return PTS_E_RANGE;
    if (cap > most + 1)
        cap = most + 1;
    uint8_t *at = mem_resize(r->at, cap, 1);
    if (!at)
        return PTS_E_NOMEM;
    r->at = at;
    r->cap = cap;
    return PTS_OK;
}

pts_status unpack(struct pts_bytes file, size_t most, uint8_t **out, size_t *n)
{
    const struct unpacker *by = unpacker_of(file);
    struct unpack_room room = {0};
    void *state;

    pts_status st = by ? by->open(file, &state) : PTS_E_FORMAT;
    if (st < 0)
        return st;
    while (st == PTS_OK) {
        st = room.len == room.cap ? room_grow(&room, most) : PTS_OK;
        if (st == PTS_OK)
            st = by->next(state, &room);
    }
    by->close(state);
    if (st == PTS_END && room.len > most)
        st = PTS_E_RANGE;
    if (st != PTS_END) {
        mem_free(room.at);
        return st;
    }
    *out = room.at;
    *n = room.len;
    return PTS_OK;
}
