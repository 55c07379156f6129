/* code_store.c - the code of every dso of a recording, found when first asked for.
 *
 * SPDX-License-Identifier: MIT
 *
 * Several dsos may be one file (another path, a map of another process); they share
 * what was found out about its code.  An answer is kept, the one that there is no code
 * as well: a file is looked for once, and at the end it can be said which were missed.
 */
#include "walker/flow/code_store.h"

#include "walker/code/vmlinux.h"
#include "walker/flow/code_pools.h"

#include "decoder/base/arena.h"
#include "decoder/base/sys.h"
#include "walker/code/jitdump.h"

#include <sys/stat.h>
#include <unistd.h>

struct entry {
    struct code *code;  /* NULL: not looked for yet */
    struct code *own;   /* of a dso whose code is in the recording itself */
    struct code *timed; /* of a dso whose code changes: as `code`, with its changes */
    bool asked;
};

struct code_store {
    struct image_store *images;
    struct code_pools *pools; /* NULL: nobody else walks */
    bool helps;               /* these are those of who is helped */
    uint8_t manual;           /* as in struct code */
    const struct sideband *sb;
    uint32_t count;        /* dsos */
    struct entry *entry;   /* by dso */
    struct code *by_image; /* dsos of the same file share blocks */
    uint32_t image_room;
    struct code none;  /* there is no file */
    struct code names; /* a file of names, which perf takes for the code */
    uint8_t *zeros;    /* under code that only changes tell */
};

pts_status code_store_new(const struct sideband *sb, struct image_store *images,
                          struct code_store **out)
{
    struct code_store *s = mem_zalloc(1, sizeof(*s));
    if (!s)
        return PTS_E_NOMEM;
    s->images = images;
    s->sb = sb;
    s->count = sb_dso_total(sb);
    s->names.file_only = true;
    s->image_room = s->count; /* an image belongs to one dso at least */
    s->entry = mem_zalloc((size_t)s->count + 1, sizeof(*s->entry));
    s->by_image = mem_zalloc((size_t)s->count + 1, sizeof(*s->by_image));
    if (!s->entry || !s->by_image) {
        code_store_free(s);
        return PTS_E_NOMEM;
    }
    *out = s;
    return PTS_OK;
}

void code_store_by_manual(struct code_store *s)
{
    s->manual = ILD_SDM;
}

static void own_free(struct code *c)
{
    if (c)
        code_free(c);
    mem_free(c);
}

void code_store_free(struct code_store *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; s->by_image && i < s->image_room; i++)
        code_free(&s->by_image[i]);
    for (uint32_t i = 0; s->entry && i < s->count; i++) {
        own_free(s->entry[i].own);
        own_free(s->entry[i].timed);
    }
    if (!s->helps)
        code_pools_free(s->pools);
    mem_free(s->zeros);
    mem_free(s->by_image);
    mem_free(s->entry);
    mem_free(s);
}

/* The file of a dso, where it is not the kernel; a name of NULL: there is none. */
static struct image_want want_of(const struct code_store *s, const struct sb_dso *dso)
{
    struct image_want want = {.id = build_id_of(dso->build_id, dso->build_id_len),
                              .root = sb_root(sb_machine(s->sb, dso))};

    if (dso->kind == DSO_FILE || dso->kind == DSO_VDSO)
        want.name = dso->long_name;
    if (dso->kind == DSO_MODULE)
        want.name = dso->path;
    want.module = dso->kind == DSO_MODULE;
    return want;
}

static const struct image *image_of(struct code_store *s, const struct sb_dso *dso)
{
    const struct image_want want = want_of(s, dso);
    const struct image *im;

    if (dso->kind == DSO_KERNEL)
        return sb_kernel(sb_machine(s->sb, dso))->code;
    return want.name && image_get(s->images, &want, &im) == PTS_OK ? im : NULL;
}

static void pool_join(struct code_store *s, struct code *c)
{
    if (s->pools && !c->pool && c->bytes)
        c->pool = code_pools_get(s->pools, (uint32_t)(c - s->by_image), c);
}

pts_status code_store_helper(struct code_store *of, struct code_store **out)
{
    pts_status st = PTS_OK;

    if (!of->pools) {
        st = code_pools_new(of->image_room, &of->pools);
        for (uint32_t i = 0; of->pools && i < of->image_room; i++)
            pool_join(of, &of->by_image[i]);
    }
    if (st >= 0)
        st = code_store_new(of->sb, of->images, out);
    if (st >= 0) {
        (*out)->pools = of->pools;
        (*out)->helps = true;
        (*out)->manual = of->manual;
    }
    return st;
}

/* Code that came with the recording: of a BPF program, or in a jitdump. */
static struct code *recorded(struct code_store *s, const struct sb_dso *dso)
{
    struct entry *e = &s->entry[sb_dso_number(s->sb, dso)];

    e->own = mem_zalloc(1, sizeof(*e->own));
    if (!e->own)
        return &s->none;
    code_init(e->own, dso->code, dso->code_len, !dso->jit || dso->jit->is_64bit);
    e->own->manual = s->manual;
    return e->own;
}

/* perf 6.1 opens SYMFS/tmp/perf-PID.map, and then reads far behind its end. */
static struct code *memory(struct code_store *s, const struct sb_dso *dso)
{
    char path[PATH_MAX];
    struct stat what;

    if (!image_path_file(image_store_opts(s->images), dso->long_name, path))
        return &s->none;
    int fd = sys_open_regular(path, &what);
    if (fd < 0)
        return &s->none;
    close(fd);
    return &s->names;
}

/* A module is mapped from its .text on. */
static void module_init(struct code *c, const struct image *im)
{
    uint64_t off, size;

    if (module_text(im, &off, &size))
        code_init(c, im->base + off, size, im->is_64bit);
}

static struct code *find(struct code_store *s, const struct sb_dso *dso)
{
    if (dso->code)
        return recorded(s, dso);
    if (dso->kind == DSO_ANON)
        return memory(s, dso);
    const struct image *im = image_of(s, dso);

    if (!im || im->index >= s->image_room)
        return &s->none;
    struct code *c = &s->by_image[im->index];
    if (!c->bytes && dso->kind == DSO_MODULE)
        module_init(c, im);
    else if (!c->bytes)
        code_init(c, im->base, im->size, im->is_64bit);
    c->manual = s->manual;
    pool_join(s, c);
    c->given |= dso->kind == DSO_FILE && image_is_given(s->images, dso->long_name);
    return c;
}

static struct code *look_up(struct code_store *s, const struct sb_dso *dso)
{
    uint32_t number = sb_dso_number(s->sb, dso);
    if (number >= s->count)
        return &s->none;
    struct entry *e = &s->entry[number];
    if (!e->code)
        e->code = find(s, dso);
    return e->code;
}

/* Code that changes is the image's, with what changed in it beside.  Blocks and legs of it are
 * its own, but all who walk have them in common, at whatever time they are. */
static struct code *with_changes(struct code_store *s, const struct sb_dso *dso,
                                 const struct code *from)
{
    struct code *c = mem_zalloc(1, sizeof(*c));
    if (!c)
        return NULL;
    if (!from->bytes && !s->zeros)
        s->zeros = mem_zalloc(SB_OUT_OF_LINE_MAX, 1);
    if (from->bytes)
        code_init(c, from->bytes, from->size, from->is_64bit);
    else
        code_init(c, s->zeros, dso->code_len, true);
    c->given = from->given;
    c->manual = s->manual;
    c->patches = dso->changes;
    return c;
}

struct code *code_store_get(void *ctx, const struct sb_dso *dso)
{
    struct code_store *s = ctx;
    uint32_t number = sb_dso_number(s->sb, dso);

    if (number < s->count)
        s->entry[number].asked = true;
    return code_store_peek(s, dso);
}

struct code *code_store_peek(void *ctx, const struct sb_dso *dso)
{
    struct code_store *s = ctx;
    uint32_t number = sb_dso_number(s->sb, dso);
    struct code *code = look_up(s, dso);

    if (number >= s->count)
        return code;
    struct entry *e = &s->entry[number];
    /* Without its code changes of it are of no use, unless there is nothing else. */
    bool page = dso->kind == DSO_KSYMBOL && dso->code_len <= SB_OUT_OF_LINE_MAX;
    if (!dso->changes || (!code->bytes && !(page && dso->code_len)))
        return code;
    if (!e->timed)
        e->timed = with_changes(s, dso, code);
    return e->timed ? e->timed : &s->none;
}

const struct image *code_store_image(struct code_store *s, const struct sb_dso *dso)
{
    return image_of(s, dso);
}

void code_store_let_go(struct code_store *s, const struct sb_dso *dso)
{
    const struct image_want want = want_of(s, dso);

    if (dso->kind == DSO_KERNEL) /* its list of symbols is long */
        image_store_let_go(s->images);
    else if (want.name)
        image_let_go(s->images, &want);
}

bool code_store_has(struct code_store *s, const struct sb_dso *dso)
{
    return look_up(s, dso)->bytes;
}

bool code_store_asked(const struct code_store *s, const struct sb_dso *dso)
{
    return dso->index < s->count && s->entry[dso->index].asked;
}

bool code_store_missed(const struct code_store *s, const struct sb_dso *dso)
{
    uint32_t number = sb_dso_number(s->sb, dso);

    if (number >= s->count || dso->kind == DSO_NONE)
        return false;
    const struct entry *e = &s->entry[number];
    return e->asked && !e->code->bytes;
}
