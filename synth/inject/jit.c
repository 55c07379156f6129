/* jit.c - the jitdumps of a recording: files of their functions, and maps of these.
 *
 * SPDX-License-Identifier: MIT
 *
 * A file is written under another name and renamed, so that none is half there; what was
 * called so is gone then, as functions of an index that is used again replace the one before.
 */
#include "synth/inject/jit.h"

#include "decoder/base/diag.h"
#include "decoder/base/sys.h"
#include "synth/inject/put_record.h"
#include "walker/cache/folder.h"
#include "walker/code/jitdump.h"
#include "walker/sideband/sb_jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* One dump on its way. */
struct dump {
    struct jit *j;
    struct out_file *out;
    struct jitdump from;
    const struct pts_mmap *map;
    uint32_t after;
    int folder;        /* the dump's, open */
    struct idmap last; /* process and index -> the last code that has them */
};

static void say(const struct jit *j, enum pts_message_kind kind, const char *text)
{
    if (j->message)
        j->message(j->message_ctx, kind, text);
}

/* --- Files ------------------------------------------------------------------------ */

/* Of the dump's folder as it was recorded. */
static bool name_of(const struct dump *d, const struct jit_event *e,
                    char name[PATH_MAX], const char **leaf)
{
    const char *dump = d->map->name, *slash = strrchr(dump, '/');
    int dir = slash ? (int)(slash - dump) : 1;
    int n = snprintf(name, PATH_MAX, "%.*s/jitted-%d-%llu.so", dir, slash ? dump : ".",
                     (int)e->pid, (unsigned long long)d->from.code[e->code].index);

    *leaf = name + dir + 1;
    return n > 0 && n < PATH_MAX;
}

/* Zero or an errno. */
static int write_file(const struct dump *d, const char *leaf, const struct text *elf)
{
    struct folder_new file;
    int err = folder_new_begin(&file, d->folder, 0644);

    if (err)
        return err;
    err = folder_put(file.fd, elf->at, elf->len);
    if (err) {
        folder_new_drop(&file);
        return err;
    }
    return folder_new_rename(&file, leaf);
}

static struct jit_made *made_find(const struct jit *j, uint64_t hash, const char *name)
{
    uint32_t i = idmap_get(&j->by_name, hash);

    return i != IDMAP_NONE && strcmp(j->made.at[i].name, name) == 0 ? &j->made.at[i]
                                                                    : NULL;
}

static pts_status note_made(const struct dump *d, const char *name,
                            const uint8_t id[JIT_ELF_ID])
{
    struct jit *j = d->j;
    uint64_t hash = idmap_hash(0, name, strlen(name));
    struct jit_made *m = made_find(j, hash, name);

    if (!m) {
        const char *keep = arena_strndup(&j->arena, name, strlen(name));
        m = VEC_PUSH(&j->made);
        if (!m || !keep || !idmap_set(&j->by_name, hash, (uint32_t)j->made.len - 1))
            return PTS_E_NOMEM;
        *m = (struct jit_made){.name = keep, .after = d->after};
    }
    memcpy(m->id, id, JIT_ELF_ID);
    return PTS_OK;
}

/* A file that is written twice would become another one, and the first map tell of none. */
static uint64_t key_of(const struct dump *d, const struct jit_event *e)
{
    return idmap_hash((uint32_t)e->pid, &d->from.code[e->code].index, sizeof(uint64_t));
}

static pts_status find_last(struct dump *d)
{
    for (size_t i = 0; i < d->from.event_count; i++) {
        const struct jit_event *e = &d->from.event[i];
        if (!e->moved && !idmap_set(&d->last, key_of(d, e), e->code))
            return PTS_E_NOMEM;
    }
    return PTS_OK;
}

static bool is_written(const struct jit *j, const char *name,
                       const uint8_t id[JIT_ELF_ID])
{
    const struct jit_made *m = made_find(j, idmap_hash(0, name, strlen(name)), name);

    return m && memcmp(m->id, id, JIT_ELF_ID) == 0;
}

/* PTS_END: it could not be written, which is said. */
static pts_status make_file(const struct dump *d, const struct jit_event *e,
                            const char *name, const char *leaf)
{
    struct jit *j = d->j;
    char text[PATH_MAX + 200], buf[100];
    uint8_t id[JIT_ELF_ID] = {0};

    j->elf.len = 0;
    jit_elf_put(&j->elf, &d->from.code[idmap_get(&d->last, key_of(d, e))], id);
    if (j->elf.failed)
        return PTS_E_NOMEM;
    int err = is_written(j, name, id) ? 0 : write_file(d, leaf, &j->elf);
    if (!err)
        return note_made(d, name, id);
    snprintf(text, sizeof(text), "cannot create jit ELF %s: %s\n", name,
             strerror_r(err, buf, sizeof(buf)));
    say(j, PTS_MSG_WARNING, text);
    return PTS_END;
}

/* --- Records ---------------------------------------------------------------------- */

static uint64_t time_of(const struct dump *d, uint64_t time)
{
    return d->from.ticks ? tsc_to_ns(time, &d->j->conv) : time;
}

/* Who and when stand in front; perf leaves what else there is zero. */
static void put_sample_id(const struct dump *d, const struct jit_event *e,
                          struct text *t)
{
    static const uint64_t each[] = {PTS_SAMPLE_TID, PTS_SAMPLE_TIME,
                                    PTS_SAMPLE_ID,  PTS_SAMPLE_STREAM_ID,
                                    PTS_SAMPLE_CPU, PTS_SAMPLE_IDENTIFIER};
    const struct perf_file *f = d->j->file;
    const struct pts_attr *a = f->evsel.len ? &f->evsel.at[0].attr : NULL;

    if (!a || !(a->flags & PTS_ATTR_SAMPLE_ID_ALL))
        return;
    for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
        if (!(a->sample_type & each[i]))
            continue;
        put_u64(t, i == 0   ? (uint32_t)e->pid | (uint64_t)(uint32_t)e->tid << 32
                   : i == 1 ? time_of(d, e->time)
                            : 0);
    }
}

/* Which inode it is, perf takes from the file, and the protection from its mode. */
static void put_map(const struct dump *d, const struct jit_event *e, const char *name,
                    const char *leaf)
{
    struct text *t = &d->out->buf;
    struct stat st = {0};
    size_t from = t->len, n = strlen(name) + 1;

    if (fstatat(d->folder, leaf, &st, AT_SYMLINK_NOFOLLOW) != 0)
        st = (struct stat){0};
    put_u64(t, 0); /* its head */
    put_u32(t, (uint32_t)e->pid);
    put_u32(t, (uint32_t)e->tid);
    put_u64(t, e->addr);
    put_u64(t, e->mapped ? (e->size + 7) / 8 * 8 + e->mapped : e->size);
    put_u64(t, JIT_ELF_TEXT);
    put_u32(t, major(st.st_dev));
    put_u32(t, minor(st.st_dev));
    put_u64(t, st.st_ino);
    put_u64(t, 1); /* generation of the inode */
    put_u32(t, st.st_mode);
    put_u32(t, MAP_SHARED);
    put_bytes(t, name, n);
    for (; n % 8; n++)
        text_char(t, 0);
    put_sample_id(d, e, t);
    if (t->failed)
        return;
    const uint16_t head[] = {PTS_RECORD_MMAP2, 0, PTS_MODE_USER,
                             (uint16_t)(t->len - from)};
    memcpy(t->at + from, head, sizeof(head));
}

static pts_status put_event(const struct dump *d, const struct jit_event *e)
{
    char name[PATH_MAX];
    const char *leaf;
    pts_status st = PTS_OK;

    if (!name_of(d, e, name, &leaf))
        return PTS_OK;
    if (!e->moved)
        st = make_file(d, e, name, leaf);
    if (st == PTS_OK)
        put_map(d, e, name, leaf);
    return st == PTS_END ? PTS_OK : st;
}

static pts_status put_all(struct dump *d, struct pts_diag *why)
{
    pts_status st = find_last(d);

    for (size_t i = 0; st == PTS_OK && i < d->from.event_count; i++) {
        st = put_event(d, &d->from.event[i]);
        if (st == PTS_OK)
            st = out_flush_full(d->out, why);
    }
    return st;
}

/* --- Dumps ------------------------------------------------------------------------ */

/* Whether its times can be told, as perf demands it. */
static const char *times_missing(const struct jit *j, const struct jitdump *d)
{
    return d->ticks && !j->has_conv ? "jitdump file uses arch timestamps but there is "
                                      "no timestamp conversion"
           : !d->ticks && !sb_jit_is_monotonic(j->file)
               ? "error, jitted code must be sampled with perf record -k 1"
               : NULL;
}

/* perf ends where it cannot use one. */
static pts_status refuse(const char *path, enum sb_jit_state state,
                         struct pts_diag *why)
{
    return diag_set(why, PTS_E_FORMAT, UINT64_MAX, "%s: %s", path, sb_jit_why(state));
}

static pts_status read_dump(struct dump *d, const char *path, struct jit_file *file,
                            struct pts_diag *why)
{
    enum jit_found found = jit_file_open(path, d->j->force, file);
    const char *leaf;

    if (found != JIT_FOUND)
        return refuse(path, found == JIT_MISSING ? SB_JIT_MISSING : SB_JIT_REFUSED,
                      why);
    pts_status st = jitdump_read(file->bytes, &d->from);
    if (st == PTS_E_FORMAT || st == PTS_E_UNSUPPORTED)
        return refuse(path, st == PTS_E_FORMAT ? SB_JIT_WRONG : SB_JIT_NEWER, why);
    const char *missing = st == PTS_OK ? times_missing(d->j, &d->from) : NULL;
    if (missing)
        return diag_set(why, PTS_E_FORMAT, UINT64_MAX, "%s", missing);
    if (st == PTS_OK && (d->folder = folder_above(path, &leaf)) < 0)
        return refuse(path, SB_JIT_MISSING, why);
    return st;
}

static pts_status take_dump(struct jit *j, const struct pts_mmap *m, uint32_t after,
                            struct out_file *out, struct pts_diag *why)
{
    struct dump d = {.j = j, .out = out, .map = m, .after = after, .folder = -1};
    struct jit_file file = {0};
    char path[PATH_MAX];
    pts_status st = image_path_symfs(j->files, m->name, path)
                        ? read_dump(&d, path, &file, why)
                        : refuse(m->name, SB_JIT_REFUSED, why);

    if (st == PTS_OK)
        st = put_all(&d, why);
    if (st == PTS_OK && !idmap_set(&j->done, (uint32_t)m->pid, 1))
        st = PTS_E_NOMEM;
    jitdump_free(&d.from);
    idmap_free(&d.last);
    jit_file_close(&file);
    if (d.folder >= 0)
        close(d.folder);
    return st;
}

pts_status jit_map(struct jit *j, const struct pts_mmap *m, uint32_t after,
                   struct out_file *out, bool *taken, struct pts_diag *why)
{
    *taken = false;
    if (!strchr(m->name, '/') || !jitdump_is(m->name, m->pid)) {
        *taken = sb_jit_is_memory(m->name) &&
                 idmap_get(&j->done, (uint32_t)m->pid) != IDMAP_NONE;
        return PTS_OK;
    }
    *taken = true;
    return take_dump(j, m, after, out, why);
}

void jit_note_conv(struct jit *j, const struct pts_time_conv *c)
{
    j->has_conv = (uint32_t)c->mult != 0;
    j->conv = tsc_conv_of(c->shift, c->mult, c->zero);
    j->conv_zero = c->is_long && c->cap_zero;
}

void jit_free(struct jit *j)
{
    VEC_FREE(&j->made);
    idmap_free(&j->by_name);
    idmap_free(&j->done);
    arena_free(&j->arena);
    text_free(&j->elf);
}
