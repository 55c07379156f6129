/* feat_bpf.c - the BPF programs that were loaded while a recording was made.
 *
 * SPDX-License-Identifier: MIT
 *
 * BPF_PROG_INFO holds the kernel's struct bpf_prog_info of each program and, behind it,
 * the arrays that the structure points to, as offsets into them.  A program has one or
 * more functions; their names come from its BTF (section BPF_BTF):
 *
 *     | header | types: {name, info, size or type, what the kind has more} | strings |
 */
#include "synth/print/header/feat_bpf.h"

#include "decoder/base/bytes.h"
#include "decoder/base/vec.h"
#include "decoder/file/bpf_program.h"

#include <stdlib.h>

enum { TAG_LEN = 8, NAME_ROOM = 511 /* perf's buffer for a symbol */ };

/* A program or a BTF. */
struct blob {
    uint32_t id;
    struct pts_bytes data, info; /* info: of a program */
    uint64_t arrays;
    VEC(uint32_t) types; /* of a BTF once it was used: where each is in data */
};

/* Ascending by id, none twice. */
struct blobs {
    VEC(struct blob) at;
};

struct program {
    uint8_t info[INFO_END];
    struct pts_bytes data;
    uint64_t arrays;
    uint32_t functions;
    struct blob *btf; /* NULL: none */
};

/* --- Both, by id --- */

static struct blob blob_of(const struct pts_feature_item *item)
{
    if (item->kind == PTS_ITEM_BPF_BTF)
        return (struct blob){.id = item->u.bpf_btf.id, .data = item->u.bpf_btf.data};
    const struct pts_bytes *info = &item->u.bpf_program.info;
    return (struct blob){.id =
                             info->len >= INFO_ID + 4 ? rd_u32(info->ptr + INFO_ID) : 0,
                         .data = item->u.bpf_program.data,
                         .info = *info,
                         .arrays = item->u.bpf_program.arrays};
}

static int by_id(const void *a, const void *b)
{
    const struct blob *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->data.ptr > y->data.ptr) - (x->data.ptr < y->data.ptr);
}

/* perf keeps them in trees by id: they are printed in that order, and of two with one
 * id the first in the section counts. */
static bool blobs_make(struct blobs *l, struct pts_feature_iter it)
{
    struct pts_feature_item item;
    size_t n = 0;
    while (pts_feature_next(&it, &item) == PTS_OK) {
        struct blob *b = VEC_PUSH(&l->at);
        if (!b)
            return false;
        *b = blob_of(&item);
    }
    if (l->at.len)
        qsort(l->at.at, l->at.len, sizeof(*l->at.at), by_id);
    for (size_t i = 0; i < l->at.len; i++)
        if (n == 0 || l->at.at[n - 1].id != l->at.at[i].id)
            l->at.at[n++] = l->at.at[i];
    l->at.len = n;
    return true;
}

static void blobs_free(struct blobs *l)
{
    for (size_t i = 0; i < l->at.len; i++)
        VEC_FREE(&l->at.at[i].types);
    VEC_FREE(&l->at);
}

static struct blob *blob_find(const struct blobs *l, uint32_t id)
{
    size_t lo = 0, hi = l->at.len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (l->at.at[mid].id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < l->at.len && l->at.at[lo].id == id ? &l->at.at[lo] : NULL;
}

/* --- Names from BTF --- */

struct btf {
    struct pts_bytes types, strings;
};

static bool btf_open(struct pts_bytes data, struct btf *out)
{
    enum { MAGIC = 0xeb9f };
    if (!data.ptr)
        return false;
    struct reader r = reader_of(data.ptr, data.len);
    uint32_t magic = reader_u16(&r);
    reader_u16(&r);
    uint64_t header = reader_u32(&r);
    /* In 64 bits, so that sums of numbers from the file cannot wrap. */
    uint64_t type_at = header + reader_u32(&r), types = reader_u32(&r);
    uint64_t string_at = header + reader_u32(&r), strings = reader_u32(&r);
    if (r.bad || magic != MAGIC || type_at + types > data.len ||
        string_at + strings > data.len)
        return false;
    out->types = (struct pts_bytes){data.ptr + type_at, (size_t)types};
    out->strings = (struct pts_bytes){data.ptr + string_at, (size_t)strings};
    return true;
}

/* Bytes of a type behind its first three words, by its kind. */
static size_t type_extra(uint32_t info)
{
    enum { INT = 1, ARRAY = 3, STRUCT = 4, UNION = 5, ENUM = 6, FUNC_PROTO = 13 };
    enum { VAR = 14, DATASEC = 15, DECL_TAG = 17, ENUM64 = 19 };
    size_t n = info & 0xffff;
    switch (info >> 24 & 0x1f) {
    case INT:
    case VAR:
    case DECL_TAG:
        return 4;
    case ARRAY:
        return 12;
    case STRUCT:
    case UNION:
    case DATASEC:
    case ENUM64:
        return n * 12;
    case ENUM:
    case FUNC_PROTO:
        return n * 8;
    }
    return 0;
}

/* Types differ in size, so the way to one leads over all before it; it is gone once. */
static void types_find(struct blob *b, const struct btf *btf)
{
    struct reader r = reader_of(btf->types.ptr, btf->types.len);
    while (reader_left(&r) >= 12) {
        uint32_t *at = VEC_PUSH(&b->types);
        if (!at)
            return;
        *at = (uint32_t)(r.at - btf->types.ptr);
        reader_take(&r, 4);
        uint32_t info = reader_u32(&r);
        reader_take(&r, 4);
        if (!reader_take(&r, type_extra(info)))
            return;
    }
}

/* The name of type `id` (from 1 on), or NULL. */
static const char *type_name(struct blob *b, uint32_t id)
{
    struct btf btf;
    if (!btf_open(b->data, &btf))
        return NULL;
    if (b->types.len == 0)
        types_find(b, &btf);
    if (id == 0 || id > b->types.len)
        return NULL;
    uint32_t name = rd_u32(btf.types.ptr + b->types.at[id - 1]);
    if (name >= btf.strings.len)
        return NULL;
    const uint8_t *s = btf.strings.ptr + name;
    return memchr(s, 0, btf.strings.len - name) ? (const char *)s : NULL;
}

/* --- Programs --- */

/* Entry i of an array of `size` byte entries, or NULL. */
static const uint8_t *entry(const struct program *p, unsigned array, unsigned at,
                            uint32_t i, uint32_t size)
{
    uint64_t off = rd_u64(p->info + at), in = (uint64_t)i * size;
    if (!(p->arrays & array) || off > p->data.len || p->data.len - off < in ||
        p->data.len - off - in < size)
        return NULL;
    return p->data.ptr + off + in;
}

static const char *function_name(const struct program *p, uint32_t i)
{
    const char *own = (const char *)p->info + INFO_NAME;
    if (p->btf) {
        uint32_t size = rd_u32(p->info + INFO_FUNC_SIZE);
        const uint8_t *func = entry(p, ARRAY_FUNC, INFO_FUNC_AT, i, size);
        return func && size >= 8 ? type_name(p->btf, rd_u32(func + 4)) : NULL;
    }
    if (p->functions > 1)
        return "F";
    return *own ? own : NULL;
}

/* "bpf_prog_", the function's tag, "_" and its name. */
static void text_name(struct text *t, const struct program *p, uint32_t i)
{
    const uint8_t *tag = entry(p, ARRAY_TAG, INFO_TAG_AT, i, TAG_LEN);
    const char *name = function_name(p, i);
    size_t begin = t->len;
    text_str(t, "bpf_prog_");
    for (unsigned k = 0; tag && k < TAG_LEN; k++)
        text_byte(t, tag[k]);
    if (name) {
        text_char(t, '_');
        text_str(t, name);
    }
    if (t->len - begin > NAME_ROOM)
        t->len = begin + NAME_ROOM;
}

static void text_function(struct text *t, const struct program *p, uint32_t i)
{
    const uint8_t *addr = entry(p, ARRAY_ADDR, INFO_ADDR_AT, i, 8);
    const uint8_t *len = entry(p, ARRAY_LENGTH, INFO_LENGTH_AT, i, 4);
    text_name(t, p, i);
    text_str(t, " addr 0x");
    text_hex(t, addr ? rd_u64(addr) : 0, 0);
    text_fmt(t, " size %u\n", len ? rd_u32(len) : 0);
}

static void text_program(struct text *t, const struct program *p, uint32_t id)
{
    /* Each array says how long it is; perf prints a program only where they agree. */
    if (p->functions != rd_u32(p->info + INFO_LENGTHS) ||
        p->functions != rd_u32(p->info + INFO_TAGS))
        return;
    text_fmt(t, "# bpf_prog_info %u:", id);
    text_char(t, p->functions == 1 ? ' ' : '\n');
    for (uint32_t i = 0; i < p->functions; i++) {
        if (i && !entry(p, ARRAY_ADDR, INFO_ADDR_AT, i, 8))
            return; /* fewer than it claims */
        if (p->functions > 1)
            text_fmt(t, "# \tsub_prog %u: ", i);
        text_function(t, p, i);
    }
}

static void text_blob(struct text *t, const struct blob *b, const struct blobs *btfs)
{
    struct program p = {.data = b->data, .arrays = b->arrays};
    memcpy(p.info, b->info.ptr, b->info.len < INFO_END ? b->info.len : INFO_END);
    /* A name from a file need not end. */
    p.info[INFO_NAME + INFO_NAME_LEN - 1] = 0;
    p.functions = rd_u32(p.info + INFO_FUNCTIONS);
    p.btf = blob_find(btfs, rd_u32(p.info + INFO_BTF));
    text_program(t, &p, b->id);
}

/* perf leaves both alone in a recording of the other byte order, and so do we: what
 * they hold are structures of that machine. */
void feat_bpf_prog_info(const struct feat *f)
{
    struct blobs l = {0}, btfs = {0};
    if (f->env->file->foreign)
        return;
    if (blobs_make(&l, feat_begin(f)) &&
        blobs_make(&btfs, feat_other(f->env, PTS_FEAT_BPF_BTF)))
        for (size_t i = 0; i < l.at.len; i++)
            text_blob(f->t, &l.at.at[i], &btfs);
    else
        f->t->failed = true;
    blobs_free(&btfs);
    blobs_free(&l);
}

void feat_bpf_btf(const struct feat *f)
{
    struct blobs l = {0};
    if (f->env->file->foreign)
        return;
    if (!blobs_make(&l, feat_begin(f)))
        f->t->failed = true;
    for (size_t i = 0; i < l.at.len; i++)
        text_fmt(f->t, "# btf info of id %u\n", l.at.at[i].id);
    blobs_free(&l);
}
