/* image.c - the bytes of everything that is mapped.
 *
 * SPDX-License-Identifier: MIT
 *
 * One list has both what was asked for ("name, id", and the root of a guest) and what was
 * opened ("path, id"), each with the index of its image, or NO_IMAGE for what is not there:
 *
 *     by_name    hash of name and id    -> last one with it, chain of the rest
 *
 * The lock covers the lists only: an image does not change once its index is out.
 */
#include "walker/code/image.h"

#include "decoder/base/arena.h"
#include "decoder/base/idmap.h"
#include "decoder/base/refused.h"
#include "decoder/base/vec.h"

#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define NO_IMAGE UINT32_MAX

struct image_name {
    const char *name;
    const char *root; /* of the guest that it was asked for, or NULL */
    struct build_id id;
    bool opened; /* name is the path of an opened file, not a name asked for */
    uint32_t image;
    uint32_t next; /* one with the same hash, or IDMAP_NONE */
};

struct loaded {
    struct image *image;
    struct image_elf map; /* closed with the store */
};

struct image_store {
    struct image_opts opts;
    pthread_mutex_t lock;
    struct arena arena;
    VEC(struct image_name) names;
    struct idmap by_name;
    VEC(struct loaded) images;
    VEC(struct image_note) notes;
    struct image_found found; /* too big for the stack of a worker */
};

static uint64_t name_key(const struct image_name *k)
{
    uint64_t name = idmap_hash(k->opened, k->name, strlen(k->name));
    return idmap_hash(name, k->id.bytes, k->id.len);
}

static bool root_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool name_same(const struct image_name *a, const struct image_name *b)
{
    return a->opened == b->opened && a->id.len == b->id.len &&
           root_same(a->root, b->root) &&
           memcmp(a->id.bytes, b->id.bytes, a->id.len) == 0 &&
           strcmp(a->name, b->name) == 0;
}

/* What is known under the name, the id and `opened` of k; *image: of which image.
 * False when nothing is. */
static bool name_find(const struct image_store *s, const struct image_name *k,
                      uint32_t *image)
{
    uint32_t i = idmap_get(&s->by_name, name_key(k));
    while (i != IDMAP_NONE && !name_same(&s->names.at[i], k))
        i = s->names.at[i].next;
    if (i != IDMAP_NONE)
        *image = s->names.at[i].image;
    return i != IDMAP_NONE;
}

/* Adds k, which name_find does not find; its strings are copied. */
static pts_status name_add(struct image_store *s, const struct image_name *k)
{
    uint64_t key = name_key(k);
    const char *name = arena_strndup(&s->arena, k->name, strlen(k->name));
    const char *root =
        k->root ? arena_strndup(&s->arena, k->root, strlen(k->root)) : "";
    struct image_name *slot = name && root ? VEC_PUSH(&s->names) : NULL;
    if (!slot)
        return PTS_E_NOMEM;
    *slot = *k;
    slot->name = name;
    slot->root = k->root ? root : NULL;
    slot->next = idmap_get(&s->by_name, key);
    return idmap_set(&s->by_name, key, (uint32_t)s->names.len - 1) ? PTS_OK
                                                                   : PTS_E_NOMEM;
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
    VEC_FREE(&s->names);
    idmap_free(&s->by_name);
    arena_free(&s->arena);
    pthread_mutex_destroy(&s->lock);
    mem_free(s);
}

static pts_status note_add(struct image_store *s, const struct image_want *want)
{
    const struct image_found *f = &s->found;
    /* Nothing to be noted: found as wanted, or not there at all. */
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
    /* Bytes that are no ELF file are taken for 64-bit code; x32 has 32-bit files with
     * such code. */
    im->is_64bit = !elf->is_elf || elf->is_64bit || elf->machine == EM_X86_64;
    *index = im->index;
    return PTS_OK;
}

/* The image of the file that was found; s->found.elf is taken or closed. */
static pts_status found_keep(struct image_store *s, uint32_t *index)
{
    struct image_found *f = &s->found;
    struct image_name file = {.name = f->path, .id = f->elf.id, .opened = true};
    /* Two names may lead to one file: it is mapped once, and blocks of its code are
     * shared. */
    if (name_find(s, &file, index)) {
        image_elf_close(&f->elf);
        return PTS_OK;
    }
    pts_status st = image_add(s, &f->elf, f->path, index);
    if (st < 0) {
        image_elf_close(&f->elf);
        return st;
    }
    file.image = *index;
    return name_add(s, &file);
}

static pts_status load(struct image_store *s, const struct image_want *want,
                       uint32_t *index)
{
    *index = NO_IMAGE;
    uint32_t mark = refused_mark(NULL);
    pts_status found = image_find(&s->opts, want, &s->found);
    if (refused_any(mark)) {
        /* Others share the store: a file that could not be read now is not missing. */
        image_elf_close(&s->found.elf);
        return refused_since(mark, found, NULL);
    }
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
    struct image_name asked = {.name = want->name, .root = want->root, .id = want->id};
    if (name_find(s, &asked, index))
        return PTS_OK;
    pts_status st = load(s, want, index);
    if (st < 0)
        return st;
    /* Kept also when nothing was found: the disk is asked once for each name. */
    asked.image = *index;
    return name_add(s, &asked);
}

/* An id of zeros is none. */
static struct build_id id_known(const struct image_want *want)
{
    struct build_id id = want->id;

    if (build_id_is_zeros(id.bytes, id.len))
        id.len = 0;
    return id;
}

pts_status image_get(struct image_store *s, const struct image_want *want,
                     const struct image **out)
{
    struct image_want known = *want;
    uint32_t index;

    known.id = id_known(want);
    pthread_mutex_lock(&s->lock);
    pts_status st = get_locked(s, &known, &index);
    if (st == PTS_OK) {
        if (index == NO_IMAGE)
            st = PTS_END;
        else
            *out = s->images.at[index].image;
    }
    pthread_mutex_unlock(&s->lock);
    return st;
}

static pts_status file_locked(struct image_store *s, const char *path, uint32_t *index)
{
    struct image_found *f = &s->found;
    size_t n = strlen(path);

    if (n >= sizeof(f->path) || image_elf_open(path, &f->elf) != PTS_OK)
        return PTS_END;
    memcpy(f->path, path, n + 1);
    return found_keep(s, index);
}

pts_status image_get_file(struct image_store *s, const char *path,
                          const struct image **out)
{
    uint32_t index;
    pthread_mutex_lock(&s->lock);
    pts_status st = file_locked(s, path, &index);
    if (st == PTS_OK)
        *out = s->images.at[index].image;
    pthread_mutex_unlock(&s->lock);
    return st;
}

const struct image_opts *image_store_opts(const struct image_store *s)
{
    return &s->opts;
}

const char *image_cut(struct image_store *s, uint64_t *len)
{
    const char *path = NULL;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; !path && i < s->images.len; i++) {
        const struct loaded *im = &s->images.at[i];
        if (image_elf_was_cut(&im->map, im->image->path, len))
            path = im->image->path;
    }
    pthread_mutex_unlock(&s->lock);
    return path;
}

void image_store_let_go(struct image_store *s)
{
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->images.len; i++)
        image_elf_let_go(&s->images.at[i].map);
    pthread_mutex_unlock(&s->lock);
}

void image_let_go(struct image_store *s, const struct image_want *want)
{
    const struct image_name asked = {
        .name = want->name, .root = want->root, .id = id_known(want)};
    uint32_t index;

    pthread_mutex_lock(&s->lock);
    if (name_find(s, &asked, &index) && index != NO_IMAGE)
        image_elf_let_go(&s->images.at[index].map);
    pthread_mutex_unlock(&s->lock);
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
             note->used ? "its code is used nevertheless" : "it is not used");
}
