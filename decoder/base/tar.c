/* tar.c - the members of a tar archive: their heads.
 *
 * SPDX-License-Identifier: MIT
 *
 *     0 name 100 | 100 mode, uid, gid 8 each | 124 size 12 | 136 mtime 12 | 148 sum 8
 *     156 type 1 | 157 link 100 | 257 "ustar" 00 | 265 user, group 32 each
 *     329 device 8 and 8 | 345 prefix 155 | 500
 */
#include "decoder/base/tar.h"

#include "decoder/base/bytes.h"

#include <stdio.h>

enum {
    AT_NAME = 0,
    AT_MODE = 100,
    AT_SIZE = 124,
    AT_MTIME = 136,
    AT_SUM = 148,
    AT_TYPE = 156,
    AT_TARGET = 157,
    AT_MAGIC = 257,
    AT_PREFIX = 345,
    NAME_LEN = 100,
    NUMBER_LEN = 12,
    PREFIX_LEN = 155
};

/* --- Writing ----------------------------------------------------------------------- */

static const char types[] = {[TAR_FILE] = '0',
                             [TAR_DIR] = '5',
                             [TAR_LINK] = '2',
                             [TAR_PAX] = 'x',
                             [TAR_OTHER] = '7'};
static const uint8_t magic[8] = {'u', 's', 't', 'a', 'r', 0, '0', '0'};

static void put_octal(uint8_t *to, size_t len, uint64_t v)
{
    for (size_t i = len - 1; i-- > 0; v >>= 3)
        to[i] = (uint8_t)('0' + (v & 7));
}

static void put_number(uint8_t *to, uint64_t v)
{
    if (v >> 33 == 0) {
        put_octal(to, NUMBER_LEN, v);
        return;
    }
    to[0] = 0x80;
    for (size_t i = NUMBER_LEN; i-- > NUMBER_LEN - 8; v >>= 8)
        to[i] = (uint8_t)v;
}

static uint64_t sum_of(const uint8_t *block)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < TAR_BLOCK; i++)
        sum += i >= AT_SUM && i < AT_SUM + 8 ? ' ' : block[i];
    return sum;
}

/* One block; name: what of it stands there. */
/* A field that is full has no NUL. */
static void put_text(uint8_t *to, const char *text, size_t len)
{
    for (size_t i = 0; i < len && i < NAME_LEN; i++)
        to[i] = (uint8_t)text[i];
}

static void put_block(uint8_t *to, const struct tar_member *m, const char *name,
                      uint64_t size, char type)
{
    memset(to, 0, TAR_BLOCK);
    put_text(to + AT_NAME, name, strnlen(name, NAME_LEN));
    if (type == types[TAR_LINK])
        put_text(to + AT_TARGET, m->target, strnlen(m->target, NAME_LEN));
    put_octal(to + AT_MODE, 8, m->mode);
    put_octal(to + AT_MODE + 8, 8, m->uid);
    put_octal(to + AT_MODE + 16, 8, m->gid);
    put_number(to + AT_SIZE, size);
    put_number(to + AT_MTIME, m->mtime > 0 ? (uint64_t)m->mtime : 0);
    to[AT_TYPE] = (uint8_t)type;
    memcpy(to + AT_MAGIC, magic, sizeof(magic));
    put_octal(to + AT_SUM, 7, sum_of(to));
    to[AT_SUM + 7] = ' ';
}

/* "LENGTH KEY=TEXT\n", where LENGTH counts itself, too; nothing for a text that has room in the
 * head. */
static size_t put_pax(uint8_t *to, const char *key, const char *text)
{
    size_t len = strlen(text), rest = strlen(key) + len + 3, total = rest;
    char digits[24];
    int n = 0;

    if (len <= NAME_LEN)
        return 0;
    for (int i = 0; i < 3; i++) {
        n = snprintf(digits, sizeof(digits), "%zu", total);
        total = rest + (size_t)n;
    }
    memcpy(to, digits, (size_t)n);
    to[n++] = ' ';
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): an equals sign ends it */
    memcpy(to + n, key, strlen(key));
    n += (int)strlen(key);
    to[n++] = '=';
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): a line feed ends it */
    memcpy(to + n, text, len);
    to[total - 1] = '\n';
    return total;
}

size_t tar_head(const struct tar_member *m, uint8_t out[TAR_HEAD_MAX])
{
    size_t len = strnlen(m->name, TAR_NAME), at = 0;
    uint8_t *body = out + TAR_BLOCK;

    if (len == TAR_NAME || !len)
        return 0;
    if (m->type == TAR_LINK && strnlen(m->target, TAR_NAME) == TAR_NAME)
        return 0;
    size_t n = put_pax(body, "path", m->name);
    if (m->type == TAR_LINK)
        n += put_pax(body + n, "linkpath", m->target);
    if (n) {
        memset(body + n, 0, tar_padding(n));
        put_block(out, m, "pax", n, types[TAR_PAX]);
        at = TAR_BLOCK + n + tar_padding(n);
    }
    put_block(out + at, m, m->name, m->size, types[m->type]);
    return at + TAR_BLOCK;
}

/* --- Reading ----------------------------------------------------------------------- */

static bool read_number(const uint8_t *from, size_t len, uint64_t *out)
{
    uint64_t v = 0;
    size_t i = 0;

    if (from[0] & 0x80) {
        for (i = 0; i < len - 8; i++)
            if (from[i] & (i ? 0xff : 0x7f))
                return false;
        for (; i < len; i++)
            v = v << 8 | from[i];
        *out = v;
        return true;
    }
    while (i < len && from[i] == ' ')
        i++;
    for (; i < len && from[i] >= '0' && from[i] <= '7'; i++)
        v = v << 3 | (uint64_t)(from[i] - '0');
    *out = v;
    return i == len || !from[i] || from[i] == ' ';
}

static bool is_zero(const uint8_t *block)
{
    for (size_t i = 0; i < TAR_BLOCK; i++)
        if (block[i])
            return false;
    return true;
}

static enum tar_type type_of(uint8_t c)
{
    for (enum tar_type t = TAR_FILE; t < TAR_OTHER; t++)
        if (types[t] == (char)c)
            return t;
    return c ? TAR_OTHER : TAR_FILE;
}

pts_status tar_read(const uint8_t block[TAR_BLOCK], struct tar_member *out)
{
    const char *name = (const char *)block + AT_NAME;
    const char *prefix = (const char *)block + AT_PREFIX;
    uint64_t sum, mtime;

    if (is_zero(block))
        return PTS_END;
    if (memcmp(block + AT_MAGIC, "ustar", 5) != 0 ||
        !read_number(block + AT_SUM, 8, &sum) || sum != sum_of(block) ||
        !read_number(block + AT_SIZE, NUMBER_LEN, &out->size) ||
        !read_number(block + AT_MTIME, NUMBER_LEN, &mtime) || mtime > INT64_MAX)
        return PTS_E_FORMAT;
    int in_front = (int)strnlen(prefix, PREFIX_LEN);
    snprintf(out->name, sizeof(out->name), "%.*s%s%.*s", in_front, prefix,
             in_front ? "/" : "", (int)strnlen(name, NAME_LEN), name);
    out->mtime = (int64_t)mtime;
    out->type = type_of(block[AT_TYPE]);
    return PTS_OK;
}

bool tar_read_pax(struct pts_bytes bytes, struct tar_member *next)
{
    const uint8_t *at = bytes.ptr, *end = bytes.ptr + bytes.len;

    while (at < end) {
        uint64_t len = 0;
        const uint8_t *p = at;
        for (; p < end && *p >= '0' && *p <= '9' && len < TAR_NAME * 2; p++)
            len = len * 10 + (uint64_t)(*p - '0');
        if (p == end || *p != ' ' || len > (uint64_t)(end - at) ||
            len < (uint64_t)(p - at) + 2 || at[len - 1] != '\n')
            return false;
        const char *text = (const char *)p + 1;
        size_t n = (size_t)(at + len - 1 - (p + 1));
        if (n > 5 && memcmp(text, "path=", 5) == 0) {
            if (n - 5 >= TAR_NAME)
                return false;
            memcpy(next->name, text + 5, n - 5);
            next->name[n - 5] = '\0';
        }
        at += len;
    }
    return true;
}
