/* image.c - the bytes of everything that is mapped.
 *
 * SPDX-License-Identifier: MIT
 *
 * One table of strings finds both what was asked for ("name, id") and what was opened
 * ("path, id"), each key with the index of its image, or NO_IMAGE for what is not
 * there. The lock covers the table only: an image does not change once its index is
 * out.
 */
#include "walker/image.h"

#include "decoder/arena.h"
#include "decoder/vec.h"

#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define NO_IMAGE UINT32_MAX

struct entry {
    const char *name; /* NULL: free */
    struct build_id id;
    bool opened; /* name is the path of an opened file, not a name asked for */
    uint32_t image;
};

struct loaded {
    struct image *image;
    struct image_elf map; /* closed with the store */
};

struct image_store {
    struct image_opts opts;
    pthread_mutex_t lock;
    struct arena arena;
    struct entry *table; /* a power of two, at most half full */
    size_t cap, len;
    VEC(struct loaded) images;
    VEC(struct image_note) notes;
    struct image_found found; /* too big for the stack of a worker */
};

static size_t key_hash(const struct entry *key)
{
    uint64_t h = 0xcbf29ce484222325 + key->opened;
    for (const char *s = key->name; *s; s++)
        h = (h ^ (uint8_t)*s) * 0x100000001b3;
    for (size_t i = 0; i < key->id.len; i++)
        h = (h ^ key->id.bytes[i]) * 0x100000001b3;
    return (size_t)(h ^ h >> 32);
}

static bool key_same(const struct entry *a, const struct entry *b)
{
    return a->opened == b->opened && a->id.len == b->id.len &&
           memcmp(a->id.bytes, b->id.bytes, a->id.len) == 0 &&
           strcmp(a->name, b->name) == 0;
}

/* The entry of a key, or the free one where it belongs.  There always is a free one. */
static struct entry *table_slot(struct entry *table, size_t cap,
                                const struct entry *key)
{
    size_t i = key_hash(key) & (cap - 1);
    while (table[i].name && !key_same(&table[i], key))
        i = (i + 1) & (cap - 1);
    return &table[i];
}

static bool table_grow(struct image_store *s)
{
    size_t cap = s->cap ? s->cap * 2 : 64;
    struct entry *table = mem_zalloc(cap, sizeof(*table));
    if (!table)
        return false;
    for (size_t i = 0; i < s->cap; i++) {
        if (s->table[i].name)
            *table_slot(table, cap, &s->table[i]) = s->table[i];
    }
    mem_free(s->table);
    s->table = table;
    s->cap = cap;
    return true;
}

static const struct entry *table_find(const struct image_store *s,
                                      const struct entry *key)
{
    if (s->cap == 0)
        return NULL;
    const struct entry *e = table_slot(s->table, s->cap, key);
    return e->name ? e : NULL;
}

/* Adds or replaces. */
static pts_status table_put(struct image_store *s, const struct entry *key)
{
    if (s->len + 1 > s->cap / 2 && !table_grow(s))
        return PTS_E_NOMEM;
    struct entry *e = table_slot(s->table, s->cap, key);
    const char *name = e->name;
    if (!name) {
        name = arena_strndup(&s->arena, key->name, strlen(key->name));
        if (!name)
            return PTS_E_NOMEM;
        s->len++;
    }
    *e = *key;
    e->name = name;
    return PTS_OK;
}

pts_status image_store_new(const struct image_opts *opts, struct image_store **out)
{
    struct image_store *s = mem_zalloc(1, sizeof(*s));
    if (!s)
        return PTS_E_NOMEM;
    s->opts = *opts;
    if (pthread_mutex_init(&s->lock, NULL) != 0) {
        mem_free(s);
        return PTS_E_NOMEM;
    }
    *out = s;
    return PTS_OK;
}

void image_store_free(struct image_store *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->images.len; i++)
        image_elf_close(&s->images.at[i].map);
    VEC_FREE(&s->images);
    VEC_FREE(&s->notes);
    mem_free(s->table);
    arena_free(&s->arena);
    pthread_mutex_destroy(&s->lock);
    mem_free(s);
}

static pts_status note_add(struct image_store *s, const struct image_want *want)
{
    const struct image_found *f = &s->found;
    if (!f->refused[0] && !f->other_id)
        return PTS_OK;
    const char *path = f->other_id ? f->path : f->refused;
    struct image_note note = {
        .name = arena_strndup(&s->arena, want->name, strlen(want->name)),
        .path = arena_strndup(&s->arena, path, strlen(path)),
        .wanted = want->id,
        .found = f->other_id ? f->elf.id : f->refused_id,
        .used = f->other_id,
    };
    struct image_note *slot = note.name && note.path ? VEC_PUSH(&s->notes) : NULL;
    if (slot)
        *slot = note;
    return slot ? PTS_OK : PTS_E_NOMEM;
}

/* Makes an image with the next index; elf is kept and closed with the store. */
static pts_status image_add(struct image_store *s, const struct image_elf *elf,
                            const char *path, uint32_t *index)
{
    struct image *im = arena_alloc(&s->arena, sizeof(*im));
    char *name = arena_strndup(&s->arena, path, strlen(path));
    struct loaded *slot = im && name ? VEC_PUSH(&s->images) : NULL;
    if (!slot)
        return PTS_E_NOMEM;
    *slot = (struct loaded){im, *elf};
    im->path = name;
    im->base = elf->base;
    im->size = elf->size;
    im->index = (uint32_t)s->images.len - 1;
    im->is_elf = elf->is_elf;
    im->is_64bit = !elf->is_elf || elf->is_64bit || elf->machine == EM_X86_64;
    im->id = elf->id.len ? elf->id : elf->id_phdr;
    *index = im->index;
    return PTS_OK;
}

/* The image of the file that was found; s->found.elf is taken or closed. */
static pts_status found_keep(struct image_store *s, uint32_t *index)
{
    struct image_found *f = &s->found;
    struct entry key = {.name = f->path, .id = f->elf.id, .opened = true};
    const struct entry *known = table_find(s, &key);
    if (known) {
        *index = known->image;
        image_elf_close(&f->elf);
        return PTS_OK;
    }
    pts_status st = image_add(s, &f->elf, f->path, index);
    if (st < 0) {
        image_elf_close(&f->elf);
        return st;
    }
    key.image = *index;
    return table_put(s, &key);
}

static pts_status load(struct image_store *s, const struct image_want *want,
                       uint32_t *index)
{
    *index = NO_IMAGE;
    pts_status found = image_find(&s->opts, want, &s->found);
    pts_status st = note_add(s, want);
    if (found == PTS_OK) {
        pts_status kept = found_keep(s, index);
        st = st < 0 ? st : kept;
    }
    return st;
}

static pts_status get_locked(struct image_store *s, const struct image_want *want,
                             uint32_t *index)
{
    struct entry key = {.name = want->name, .id = want->id};
    const struct entry *known = table_find(s, &key);
    if (known) {
        *index = known->image;
        return PTS_OK;
    }
    pts_status st = load(s, want, index);
    if (st < 0)
        return st;
    key.image = *index;
    return table_put(s, &key);
}

pts_status image_get(struct image_store *s, const struct image_want *want,
                     const struct image **out)
{
    uint32_t index;
    pthread_mutex_lock(&s->lock);
    pts_status st = get_locked(s, want, &index);
    if (st == PTS_OK) {
        if (index == NO_IMAGE)
            st = PTS_END;
        else
            *out = s->images.at[index].image;
    }
    pthread_mutex_unlock(&s->lock);
    return st;
}

static pts_status put_locked(struct image_store *s, const struct image_want *want,
                             const struct image_elf *elf, const struct image **out)
{
    struct entry key = {.name = want->name, .id = want->id};
    pts_status st = image_add(s, elf, want->name, &key.image);
    if (st == PTS_OK)
        st = table_put(s, &key);
    if (st == PTS_OK && out)
        *out = s->images.at[key.image].image;
    return st;
}

pts_status image_put(struct image_store *s, const struct image_want *want,
                     const void *bytes, size_t n, bool is_64bit,
                     const struct image **out)
{
    struct image_elf elf = {
        .base = bytes, .size = n, .is_elf = true, .is_64bit = is_64bit, .id = want->id};
    pthread_mutex_lock(&s->lock);
    pts_status st = put_locked(s, want, &elf, out);
    pthread_mutex_unlock(&s->lock);
    return st;
}

bool image_is_given(const struct image_store *s, const char *name)
{
    if (!name)
        return s->opts.given_count > 0;
    for (size_t i = 0; i < s->opts.given_count; i++)
        if (strcmp(s->opts.given[i].name, name) == 0)
            return true;
    return false;
}

uint32_t image_count(struct image_store *s)
{
    pthread_mutex_lock(&s->lock);
    uint32_t n = (uint32_t)s->images.len;
    pthread_mutex_unlock(&s->lock);
    return n;
}

const struct image *image_at(struct image_store *s, uint32_t index)
{
    pthread_mutex_lock(&s->lock);
    const struct image *im = s->images.at[index].image;
    pthread_mutex_unlock(&s->lock);
    return im;
}

uint32_t image_note_count(struct image_store *s)
{
    pthread_mutex_lock(&s->lock);
    uint32_t n = (uint32_t)s->notes.len;
    pthread_mutex_unlock(&s->lock);
    return n;
}

struct image_note image_note_at(struct image_store *s, uint32_t i)
{
    pthread_mutex_lock(&s->lock);
    struct image_note note = s->notes.at[i];
    pthread_mutex_unlock(&s->lock);
    return note;
}

void image_note_text(const struct image_note *note, char *text, size_t n)
{
    char wanted[BUILD_ID_TEXT], found[BUILD_ID_TEXT];
    build_id_text(&note->wanted, wanted);
    build_id_text(&note->found, found);
    snprintf(text, n, "%s: build id %s, but %s was recorded: %s", note->path,
             note->found.len ? found : "missing", wanted,
             note->used ? "its code is used nevertheless" : "its code is not used");
}
