/* sb_dso.c - the files (and things that are like files) that get mapped.
 *
 * SPDX-License-Identifier: MIT
 *
 *     by_name    hash of the path         -> first dso of that path, chain of the rest
 *     by_id      hash of path and ids     -> last dso with them, chain of the rest
 *     by_short   hash of the short name   -> of the kernel's, modules' and vdsos' only
 *
 * perf 6.1 tells dsos apart by name and, where both are known, by device, inode and
 * generation.  The first dso of a name without ids takes those of the first map that
 * has some.  One thing is done differently: when a name is mapped again with another
 * build id, perf goes on with one dso and the later id; here they become two.
 */
#include "walker/sideband/sideband_priv.h"

#include "walker/code/jitdump.h"

#include <stdio.h>
#include <string.h>

static const struct dso_id no_id;

static bool id_known(const struct dso_id *id)
{
    return id->maj || id->min || id->ino || id->ino_gen;
}

static uint64_t name_key(const char *name)
{
    return idmap_hash(0, name, strlen(name));
}

static uint64_t id_key(const char *name, const struct dso_id *id)
{
    uint64_t dev = (uint64_t)id->maj << 32 | id->min;
    return idmap_hash(idmap_hash(name_key(name), &dev, sizeof(dev)), &id->ino,
                      sizeof(id->ino));
}

/* Maps that perf itself made up when it began to record have no generation. */
static bool id_same(const struct dso_id *a, const struct dso_id *b)
{
    return a->maj == b->maj && a->min == b->min && a->ino == b->ino &&
           (a->ino_gen == b->ino_gen || !a->ino_gen || !b->ino_gen);
}

/* --- Names --- */

/* After the last slash, as basename(3) does it; in the arena. */
static const char *base_name(struct arena *a, const char *path)
{
    size_t n = strlen(path);
    if (!n)
        return ".";
    while (n > 1 && path[n - 1] == '/')
        n--;
    size_t from = n;
    while (from > 0 && path[from - 1] != '/')
        from--;
    /* Nothing but slashes. */
    if (from == n)
        return "/";
    return arena_strndup(a, path + from, n - from);
}

static const char map_prefix[] = "/tmp/perf-";

/* The number of the process whose map file that may be; its length is 0 when there is none. */
static const char *map_number(const char *path, size_t *len)
{
    *len = 0;
    if (strncmp(path, map_prefix, strlen(map_prefix)) != 0)
        return path;
    const char *number = path + strlen(map_prefix);
    size_t sign = number[0] == '-', n = strspn(number + sign, "0123456789");
    *len = n ? n + sign : 0;
    return number;
}

/* A program may lie in /tmp/perf-6.1, too. */
static bool is_map_file(const char *path)
{
    size_t n;
    const char *number = map_number(path, &n);

    return n && strcmp(number + n, ".map") == 0;
}

/* What is shown unless the path is asked for.  A map file of a JIT compiler goes by
 * the process that it is of. */
static const char *short_name(struct arena *a, const char *path)
{
    char text[64];
    size_t n;
    const char *number = map_number(path, &n);

    if (!n)
        return base_name(a, path);
    n = n < 20 ? n : 20;
    int len = snprintf(text, sizeof(text), "[JIT] tid %.*s", (int)n, number);
    return arena_strndup(a, text, (size_t)len);
}

static bool is_packed(const char *suffix)
{
    return strcmp(suffix, ".gz") == 0 || strcmp(suffix, ".xz") == 0 ||
           strcmp(suffix, ".zst") == 0;
}

static const char guest_kernel[] = "[guest.kernel.kallsyms";

/* The name that a module's dso goes by: [name], '-' made '_'.  *module: whether the
 * path is that of a module at all.  perf 6.1 does not know modules packed by zstd: it calls
 * them by their files, name.ko.zst. */
static const char *module_name(struct arena *a, const char *path, bool *module)
{
    static const char *const not_modules[] = {
        "[kernel.kallsyms]", guest_kernel, "[vdso]",
        "[vdso32]",          "[vdsox32]",  "[vsyscall]"};
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t n = strlen(name);
    *module = false;
    if (name[0] == '[') {
        *module = true;
        for (size_t i = 0; i < sizeof(not_modules) / sizeof(not_modules[0]); i++)
            if (strncmp(name, not_modules[i], strlen(not_modules[i])) == 0)
                *module = false;
        return arena_strndup(a, name, n);
    }
    const char *dot = strrchr(name, '.');
    if (!dot)
        return arena_strndup(a, name, n);
    size_t ext = (size_t)(dot - name);
    /* A packed module: name.ko.xz. */
    if (is_packed(dot) && ext > 3)
        ext -= 3;
    *module = ext > 0 && strncmp(name + ext, ".ko", 3) == 0;
    bool brackets = *module && strcmp(dot, ".zst") != 0;
    size_t keep = brackets ? ext : n;
    char *out = arena_alloc(a, keep + 3);
    if (!out)
        return NULL;
    if (brackets) {
        out[0] = '[';
        out[keep + 1] = ']';
    }
    for (size_t i = 0; i < keep; i++)
        out[brackets + i] = name[i] == '-' ? '_' : name[i];
    return out;
}

/* --- The set --- */

static struct dso *dso_at(const struct dso_set *set, uint32_t i)
{
    return i == IDMAP_NONE ? NULL : set->at.at[i].dso;
}

/* The first dso of that path. */
static struct dso *find_path(const struct dso_set *set, const char *path)
{
    struct dso *d = dso_at(set, idmap_get(&set->by_name, name_key(path)));
    while (d && strcmp(d->pub.path, path) != 0)
        d = dso_at(set, d->next_name);
    return d;
}

/* Ids decide only where both sides have some: a name alone means the first of it. */
static struct dso *find_id(const struct dso_set *set, const char *path,
                           const struct dso_id *id)
{
    struct dso *first = find_path(set, path);
    if (!first || !id_known(id) || !id_known(&first->id))
        return first;
    struct dso *d = dso_at(set, idmap_get(&set->by_id, id_key(path, id)));
    while (d && !(strcmp(d->pub.path, path) == 0 && id_same(&d->id, id)))
        d = dso_at(set, d->next_id);
    return d;
}

static bool link_id(struct dso_set *set, struct dso *d, const struct dso_id *id)
{
    uint64_t key = id_key(d->pub.path, id);
    struct dso *head = dso_at(set, idmap_get(&set->by_id, key));
    d->id = *id;
    d->next_id = head ? head->next_id : IDMAP_NONE;
    if (!head)
        return idmap_set(&set->by_id, key, d->pub.index);
    /* The first one stays the first: it is most often what perf comes to first, where no generation says which is meant. */
    head->next_id = d->pub.index;
    return true;
}

static bool link_path(struct dso_set *set, struct dso *d, const char *path)
{
    uint64_t key = name_key(path);
    d->pub.path = path;
    /* Behind the head of its chain, so that the first of a path stays the first. */
    struct dso *head = dso_at(set, idmap_get(&set->by_name, key));
    if (!head)
        return idmap_set(&set->by_name, key, d->pub.index);
    d->next_name = head->next_name;
    head->next_name = d->pub.index;
    return true;
}

/* A name that perf looks up by is taken by whoever has it first. */
static bool link_short(struct dso_set *set, struct dso *d)
{
    uint64_t key = name_key(d->pub.short_name);
    return idmap_get(&set->by_short, key) != IDMAP_NONE ||
           idmap_set(&set->by_short, key, d->pub.index);
}

static struct dso *find_short(const struct dso_set *set, const char *name)
{
    struct dso *d = dso_at(set, idmap_get(&set->by_short, name_key(name)));
    return d && strcmp(d->pub.short_name, name) == 0 ? d : NULL;
}

/* A dso that is in no index yet. */
static struct dso *dso_push(struct dso_set *set, const char *name)
{
    if (set->at.len >= IDMAP_NONE || !VEC_ROOM(&set->at, 1))
        return NULL;
    struct dso *d = arena_alloc(set->arena, sizeof(*d));
    const char *copy = arena_strndup(set->arena, name, strlen(name));
    const char *base = copy ? short_name(set->arena, copy) : NULL;
    if (!d || !base)
        return NULL;
    *d = (struct dso){
        .pub = {.index = (uint32_t)set->at.len,
                .long_name = copy,
                .path = copy,
                .short_name = base,
                .kind = DSO_FILE},
        .next_name = IDMAP_NONE,
        .next_id = IDMAP_NONE
    };
    d->pub.machine = set->machine;
    if (is_map_file(name))
        d->pub.kind = DSO_ANON;
    set->at.at[set->at.len++].dso = d;
    return d;
}

static struct dso *dso_add(struct dso_set *set, const char *name,
                           const struct dso_id *id)
{
    struct dso *d = dso_push(set, name);
    if (!d || !link_path(set, d, d->pub.path) || (id_known(id) && !link_id(set, d, id)))
        return NULL;
    if (image_is_vdso(name)) {
        d->pub.kind = DSO_VDSO;
        if (!link_short(set, d))
            return NULL;
    }
    return d;
}

static struct dso *find_or_add(struct dso_set *set, const char *name,
                               const struct dso_id *id)
{
    struct dso *d = find_id(set, name, id);
    if (!d)
        return dso_add(set, name, id);
    /* The first of the name had no ids, and gets these. */
    if (id_known(id) && !id_known(&d->id) && !link_id(set, d, id))
        return NULL;
    return d;
}

static void set_build_id(struct dso *d, const uint8_t *id, uint8_t len)
{
    d->pub.build_id_len = len < sizeof(d->pub.build_id) ? len : sizeof(d->pub.build_id);
    memcpy(d->pub.build_id, id, d->pub.build_id_len);
}

static bool has_build_id(const struct dso *d, const uint8_t *id, uint8_t len)
{
    return d->pub.build_id_len == len && memcmp(d->pub.build_id, id, len) == 0;
}

static bool map_has_build_id(const struct sb_mmap *m)
{
    return m->build_id && m->build_id_len > 0 && m->build_id_len <= SB_BUILD_ID_MAX &&
           !build_id_is_zeros(m->build_id, m->build_id_len);
}

/* Which of the dsos of a name: stands in for device and inode when maps come with
 * build ids instead.  Four bytes, then what is the inode for perf, which reads the one
 * in the place of the other. */
static struct dso_id id_of_build(const uint8_t *id, uint8_t len)
{
    uint8_t part[SB_BUILD_ID_MAX] = {0};
    memcpy(part, id, len < sizeof(part) ? len : sizeof(part));
    /* A device that there is not, so it cannot be taken for a real file's. */
    struct dso_id out = {.maj = UINT32_MAX};
    memcpy(&out.min, part, 4);
    memcpy(&out.ino, part + 4, 8);
    memcpy(&out.ino_gen, part + 12, 8);
    return out;
}

static struct dso *dso_of_build(struct dso_set *set, const char *name,
                                const struct sb_mmap *m)
{
    struct dso *d = find_or_add(set, name, &no_id);
    /* Mapped before with another build id: the one that is there gets its id as an
     * identity now, so that both can be told apart from here on. */
    if (d && d->from_map && !has_build_id(d, m->build_id, m->build_id_len)) {
        struct dso_id id = id_of_build(m->build_id, m->build_id_len);
        struct dso_id first = id_of_build(d->pub.build_id, d->pub.build_id_len);
        if (!id_known(&d->id) && !link_id(set, d, &first))
            return NULL;
        d = find_or_add(set, name, &id);
    }
    if (!d)
        return NULL;
    set_build_id(d, m->build_id, m->build_id_len);
    d->from_map = true;
    /* What a map says is of the very file; the header's list was made at the end of
     * recording. */
    d->from_header = false;
    return d;
}

/* A map without a build id has the one that the header knows for its name, if any. */
static struct dso *dso_of_inode(struct dso_set *set, const char *name,
                                const struct sb_mmap *m)
{
    struct dso_id id = {m->maj, m->min, m->ino, m->ino_gen};
    struct dso *d = find_or_add(set, name, &id);
    struct dso *head = d ? find_path(set, name) : NULL;
    if (head && head != d && head->from_header) {
        set_build_id(d, head->pub.build_id, head->pub.build_id_len);
        d->from_header = true;
    }
    return d;
}

static const struct image *dso_image(const struct dso_set *set, const struct sb_dso *d)
{
    const struct image_want want = {.name = d->long_name,
                                    .id = build_id_of(d->build_id, d->build_id_len),
                                    .root = set->root};
    const struct image *im;

    return set->images && image_get(set->images, &want, &im) == PTS_OK ? im : NULL;
}

bool dso_has_file(const struct dso_set *set, const struct sb_dso *dso)
{
    return dso_image(set, dso) != NULL;
}

int dso_bits(const struct dso_set *set, const struct sb_dso *dso)
{
    const struct image *im = dso_image(set, dso);

    return !im || !im->is_elf ? 0 : im->is_64bit ? 64 : 32;
}

/* perf 6.1 has a name of its own for the vdso of 32 bits, unless there is one already
 * by the usual name (from the header, say) that turns out to be of 32 bits. */
pts_status dso_of_vdso(struct dso_set *set, const struct sb_mmap *m, int bits,
                       struct dso **out)
{
    const char *name = bits == 32 ? "[vdso32]" : "[vdso]";
    struct dso *d = find_short(set, name);

    if (!d && bits == 32) {
        d = find_short(set, "[vdso]");
        if (d && dso_bits(set, &d->pub) != bits)
            d = NULL;
    }
    if (!d)
        d = dso_add(set, name, &no_id);
    if (!d)
        return PTS_E_NOMEM;
    if (map_has_build_id(m))
        set_build_id(d, m->build_id, m->build_id_len);
    d->mapped = true;
    *out = d;
    return PTS_OK;
}

/* What was memory at first and then is mapped as a file is a file. */
pts_status dso_of_map(struct dso_set *set, const struct sb_mmap *m, const char *name,
                      bool no_file, struct dso **out)
{
    struct dso *d;
    if (map_has_build_id(m)) {
        d = dso_of_build(set, name, m);
    } else {
        d = dso_of_inode(set, name, m);
    }
    if (!d)
        return PTS_E_NOMEM;
    if (no_file && d->pub.kind == DSO_FILE && !d->mapped)
        d->pub.kind = DSO_NONE;
    else if (!no_file && d->pub.kind == DSO_NONE)
        d->pub.kind = DSO_FILE;
    d->mapped = true;
    *out = d;
    return PTS_OK;
}

/* There is one kernel, whatever its maps are called and whoever named it first: the
 * header, or a record. */
pts_status dso_of_kernel(struct dso_set *set, const struct sb_mmap *m, struct dso **out)
{
    struct dso *d = NULL;
    /* Through all of them: this runs for the kernel's own map only. */
    for (size_t i = 0; i < set->at.len && !d; i++)
        if (set->at.at[i].dso->in_kernel && set->at.at[i].dso->pub.kind == DSO_KERNEL)
            d = set->at.at[i].dso;
    if (!d)
        d = find_or_add(set, set->kernel_name, &no_id);
    if (!d)
        return PTS_E_NOMEM;
    d->in_kernel = true;
    d->pub.kind = DSO_KERNEL;
    if (map_has_build_id(m))
        set_build_id(d, m->build_id, m->build_id_len);
    *out = d;
    return PTS_OK;
}

/* To perf it is a module of the host, and there are no symbols of it. */
static bool is_guest_kernel(const char *name)
{
    return strncmp(name, guest_kernel, sizeof(guest_kernel) - 1) == 0;
}

/* Modules are looked up by the name in brackets, since the kernel and the header may
 * know them by different paths. */
pts_status dso_of_module(struct dso_set *set, const struct sb_mmap *m, struct dso **out)
{
    bool module;
    const char *name = module_name(set->arena, m->name, &module);
    struct dso *d = name ? find_short(set, name) : NULL;
    if (!d) {
        const struct dso *head = find_path(set, m->name);
        const char *path = arena_strndup(set->arena, m->name, strlen(m->name));
        d = name && path ? dso_push(set, name) : NULL;
        if (!d)
            return PTS_E_NOMEM;
        d->pub.short_name = name;
        if (head && head->from_header)
            set_build_id(d, head->pub.build_id, head->pub.build_id_len);
        if (!link_path(set, d, path) || !link_short(set, d))
            return PTS_E_NOMEM;
        d->in_kernel = true;
        d->pub.kind = module                  ? DSO_MODULE
                      : is_guest_kernel(name) ? DSO_NONE
                                              : DSO_KERNEL;
    }
    if (map_has_build_id(m))
        set_build_id(d, m->build_id, m->build_id_len);
    *out = d;
    return PTS_OK;
}

/* A function that came while the recording ran (of a BPF program): a dso of its own,
 * and its only symbol. */
pts_status dso_of_symbol(struct dso_set *set, const char *name, struct dso **out)
{
    struct dso *d = dso_push(set, name);
    if (!d)
        return PTS_E_NOMEM;
    d->pub.kind = DSO_KSYMBOL;
    if (strncmp(name, "bpf_trampoline_", 15) == 0 ||
        strncmp(name, "bpf_dispatcher_", 15) == 0)
        d->pub.path = ""; /* in no file */
    d->in_kernel = true;
    *out = d;
    return PTS_OK;
}

/* The name tells nothing apart: an index may be used again. */
pts_status dso_of_code(struct dso_set *set, const char *name,
                       const struct jit_code *code, struct dso **out)
{
    uint64_t key = (uintptr_t)code;
    struct dso *d = dso_at(set, idmap_get(&set->by_code, key));

    if (!d) {
        d = dso_push(set, name);
        if (!d || !idmap_set(&set->by_code, key, d->pub.index))
            return PTS_E_NOMEM;
        d->pub.kind = DSO_JIT;
        d->pub.jit = code;
        d->pub.code = code->bytes;
        d->pub.code_len = code->size < UINT32_MAX ? (uint32_t)code->size : UINT32_MAX;
        d->mapped = true;
    }
    *out = d;
    return PTS_OK;
}

/* The header is read before all records, so its dsos are there before they are
 * mapped. */
pts_status dso_header_id(struct dso_set *set, const char *path, const uint8_t *id,
                         uint8_t len, bool kernel)
{
    struct dso *d = find_or_add(set, path, &no_id);
    if (!d)
        return PTS_E_NOMEM;
    set_build_id(d, id, len);
    d->from_header = true;
    if (!kernel)
        return PTS_OK;
    bool module;
    const char *name = module_name(set->arena, path, &module);
    if (!name)
        return PTS_E_NOMEM;
    if (module && name[0] == '[')
        d->pub.short_name = name;
    d->in_kernel = true;
    d->pub.kind = module ? DSO_MODULE : DSO_KERNEL;
    return link_short(set, d) ? PTS_OK : PTS_E_NOMEM;
}

void dso_set_free(struct dso_set *set)
{
    for (size_t i = 0; i < set->at.len; i++)
        patches_free(&set->at.at[i].dso->changes);
    VEC_FREE(&set->at);
    idmap_free(&set->by_name);
    idmap_free(&set->by_id);
    idmap_free(&set->by_short);
    idmap_free(&set->by_code);
}

/* A map with a build id has that in place of an inode. */
static struct dso_id id_of(const struct sb_dso *dso)
{
    const struct dso *d = (const struct dso *)dso; /* pub is its first member */

    return d->from_map && !id_known(&d->id)
               ? id_of_build(dso->build_id, dso->build_id_len)
               : d->id;
}

uint64_t sb_dso_inode(const struct sb_dso *dso)
{
    return id_of(dso).ino;
}

bool sb_dso_has_inode(const struct sb_dso *dso)
{
    const struct dso_id id = id_of(dso);

    return id_known(&id);
}

static int before(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

/* Maps that perf made up know no generation. */
int sb_dso_compare(const struct sb_dso *a, const struct sb_dso *b)
{
    const struct dso_id x = id_of(a), y = id_of(b);
    int order = before(x.maj, y.maj);

    order = order ? order : before(x.min, y.min);
    order = order ? order : before(x.ino, y.ino);
    return order || !x.ino_gen || !y.ino_gen ? order : before(x.ino_gen, y.ino_gen);
}
