/* jitdump.c - code that was made at run time, as its compiler wrote it down.
 *
 * SPDX-License-Identifier: MIT
 *
 *     header   magic, version, size, machine, -, pid, time, flags
 *     record   kind, size, time                 | the body, by kind
 *       LOAD     pid, tid, -, address, size, index, name, bytes
 *       MOVE     pid, tid, -, from, to, size, index
 *       DEBUG    address, count, count * (address, line, column, file)   of the next LOAD
 *       CLOSE    the writer is done: the code stays, so nothing changes
 *       UNWIND   size, size of the header, size mapped, .eh_frame, .eh_frame_hdr
 *                                                                          of the next LOAD
 *
 * Numbers are of the byte order of the magic.  The writer may have been killed, so the
 * file may end anywhere; a size that cannot be is passed over by the size of its record,
 * and ends the file when that cannot be either.
 */
#include "walker/code/jitdump.h"

#include "decoder/base/arena.h"
#include "decoder/base/bytes.h"
#include "decoder/base/idmap.h"
#include "decoder/base/refused.h"
#include "decoder/base/sys.h"
#include "decoder/base/vec.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    JIT_MAGIC = 0x4a695444,
    JIT_MAGIC_TURNED = 0x4454694a,
    JIT_VERSION = 1,
    JIT_HEADER = 40,
    JIT_PREFIX = 16,
    JIT_FLAG_TICKS = 1,
    JIT_LINE = 16, /* of an entry, in front of the name */
    JIT_MAPPED_MAX = 1 << 30
};

enum jit_kind { JIT_LOAD, JIT_MOVE, JIT_DEBUG, JIT_CLOSE, JIT_UNWIND };

struct parse {
    struct jitdump *d;
    VEC(struct jit_event) event;
    VEC(struct jit_code) code;
    struct idmap by_index;  /* index -> last code that has it */
    struct pts_bytes lines; /* of the next code */
    struct pts_bytes frames;
    uint64_t frames_hdr, mapped;
};

static uint32_t take_u32(struct reader *r, bool foreign)
{
    uint32_t v = reader_u32(r);
    return foreign ? __builtin_bswap32(v) : v;
}

static uint64_t take_u64(struct reader *r, bool foreign)
{
    uint64_t v = reader_u64(r);
    return foreign ? __builtin_bswap64(v) : v;
}

bool jitdump_is(const char *path, int32_t pid)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *end;

    if (strncmp(name, "jit-", 4) != 0 || name[4] < '0' || name[4] > '9')
        return false;
    errno = 0;
    unsigned long n = strtoul(name + 4, &end, 10);
    return strcmp(end, ".dump") == 0 && errno == 0 && pid > 0 &&
           n == (unsigned long)pid;
}

/* --- Records ---------------------------------------------------------------------- */

/* False: without memory. */
static bool put_event(struct parse *p, const struct jit_event *e)
{
    struct jit_event *slot = VEC_PUSH(&p->event);
    if (slot)
        *slot = *e;
    return slot;
}

static bool bad(struct parse *p)
{
    p->d->odd.bad++;
    return true;
}

/* Code that reaches over the end of the addresses, or is none. */
static bool place_is_sound(uint64_t addr, uint64_t size)
{
    return size && addr && addr + size > addr;
}

static bool read_load(struct parse *p, uint64_t time, struct reader *r)
{
    bool foreign = p->d->foreign;
    struct jit_event e = {.time = time, .mapped = p->mapped};
    struct jit_code c = {.foreign = foreign,
                         .lines = p->lines,
                         .frames = p->frames,
                         .frames_hdr = p->frames_hdr};
    size_t n;

    p->lines = p->frames = (struct pts_bytes){0};
    p->frames_hdr = p->mapped = 0;
    e.pid = (int32_t)take_u32(r, foreign);
    e.tid = (int32_t)take_u32(r, foreign);
    (void)take_u64(r, foreign);
    c.addr = e.addr = take_u64(r, foreign);
    c.size = e.size = take_u64(r, foreign);
    c.index = take_u64(r, foreign);
    if (r->bad)
        return bad(p);
    const uint8_t *end = r->end;
    c.name = reader_str(r, &n);
    if ((const uint8_t *)c.name + n == end || reader_left(r) < c.size ||
        !place_is_sound(c.addr, c.size))
        return bad(p);
    c.bytes = reader_take(r, (size_t)c.size);
    c.is_64bit = p->d->machine != EM_386;
    if (p->code.len >= JIT_CODES_MAX) {
        p->d->odd.too_many = true;
        return true;
    }
    struct jit_code *slot = VEC_PUSH(&p->code);
    if (!slot)
        return false;
    *slot = c;
    e.code = (uint32_t)p->code.len - 1;
    return idmap_set(&p->by_index, c.index, e.code) && put_event(p, &e);
}

/* The code itself stays as it was written when it was loaded. */
static bool read_move(struct parse *p, uint64_t time, struct reader *r)
{
    bool foreign = p->d->foreign;
    struct jit_event e = {.time = time, .mapped = p->mapped, .moved = true};

    e.pid = (int32_t)take_u32(r, foreign);
    e.tid = (int32_t)take_u32(r, foreign);
    (void)take_u64(r, foreign);
    (void)take_u64(r, foreign);
    e.addr = take_u64(r, foreign);
    e.size = take_u64(r, foreign);
    uint64_t index = take_u64(r, foreign);
    if (r->bad || !place_is_sound(e.addr, e.size))
        return bad(p);
    e.code = idmap_get(&p->by_index, index);
    if (e.code >= p->code.len) { /* IDMAP_NONE */
        p->d->odd.lost++;
        return true;
    }
    if (e.size > p->code.at[e.code].size)
        return bad(p);
    if (p->event.len >= 2 * (size_t)JIT_CODES_MAX) {
        p->d->odd.too_many = true;
        return true;
    }
    return put_event(p, &e);
}

/* Tables that would not fit into what is there are none; no trace needs them. */
static void read_unwind(struct parse *p, struct reader *r)
{
    bool foreign = p->d->foreign;
    uint64_t size = take_u64(r, foreign), hdr = take_u64(r, foreign),
             mapped = take_u64(r, foreign);

    if (r->bad || hdr > size || size > reader_left(r) || mapped > JIT_MAPPED_MAX)
        return;
    p->frames = (struct pts_bytes){reader_take(r, (size_t)size), (size_t)size};
    p->frames_hdr = hdr;
    p->mapped = mapped;
}

static bool read_record(struct parse *p, uint32_t kind, uint64_t time,
                        struct pts_bytes body)
{
    struct reader r = reader_of(body.ptr, body.len);

    if (kind == JIT_LOAD)
        return read_load(p, time, &r);
    if (kind == JIT_MOVE)
        return read_move(p, time, &r);
    if (kind == JIT_DEBUG)
        p->lines = body;
    if (kind == JIT_UNWIND)
        read_unwind(p, &r);
    return true;
}

/* False: without memory. */
static bool read_records(struct parse *p, struct reader *r)
{
    struct jitdump *d = p->d;

    while (reader_left(r) > 0) {
        uint32_t kind = take_u32(r, d->foreign), size = take_u32(r, d->foreign);
        uint64_t time = take_u64(r, d->foreign);
        if (r->bad || size < JIT_PREFIX || reader_left(r) < size - JIT_PREFIX) {
            d->odd.cut = true;
            return true;
        }
        struct pts_bytes body = {reader_take(r, size - JIT_PREFIX), size - JIT_PREFIX};
        if (!read_record(p, kind, time, body))
            return false;
    }
    return true;
}

static pts_status read_header(struct reader *r, struct jitdump *d)
{
    struct reader whole = *r;
    uint32_t magic = reader_u32(r);

    if (r->bad || (magic != JIT_MAGIC && magic != JIT_MAGIC_TURNED))
        return PTS_E_FORMAT;
    d->foreign = magic == JIT_MAGIC_TURNED;
    uint32_t version = take_u32(r, d->foreign), size = take_u32(r, d->foreign);
    d->machine = take_u32(r, d->foreign);
    (void)take_u32(r, d->foreign);
    d->pid = (int32_t)take_u32(r, d->foreign);
    d->begun = take_u64(r, d->foreign);
    uint64_t flags = take_u64(r, d->foreign);
    if (r->bad || size < JIT_HEADER || !reader_take(&whole, size))
        return PTS_E_FORMAT;
    if (version != JIT_VERSION || flags & ~(uint64_t)JIT_FLAG_TICKS)
        return PTS_E_UNSUPPORTED;
    d->ticks = flags & JIT_FLAG_TICKS;
    *r = whole; /* a later version may have more in it */
    return PTS_OK;
}

pts_status jitdump_read(struct pts_bytes bytes, struct jitdump *out)
{
    struct jitdump d = {0};
    struct parse p = {.d = &d};
    struct reader r = reader_of(bytes.ptr, bytes.len);
    pts_status st = read_header(&r, &d);

    if (st < 0)
        return st;
    bool ok = read_records(&p, &r);
    idmap_free(&p.by_index);
    if (!ok) {
        VEC_FREE(&p.event);
        VEC_FREE(&p.code);
        return PTS_E_NOMEM;
    }
    d.event = p.event.at;
    d.event_count = p.event.len;
    d.code = p.code.at;
    d.code_count = p.code.len;
    *out = d;
    return PTS_OK;
}

void jitdump_free(struct jitdump *d)
{
    mem_free(d->event);
    mem_free(d->code);
    *d = (struct jitdump){0};
}

/* --- Lines ------------------------------------------------------------------------ */

void jit_lines(const struct jit_code *code, jit_line_fn *fn, void *ctx)
{
    struct reader r = reader_of(code->lines.ptr, code->lines.len);
    uint64_t base = take_u64(&r, code->foreign), count = take_u64(&r, code->foreign);

    (void)base; /* where the code was; the same as code->addr */
    for (; count && reader_left(&r) > JIT_LINE; count--) {
        struct jit_entry l = {.addr = take_u64(&r, code->foreign)};
        l.line = take_u32(&r, code->foreign);
        size_t n;
        (void)take_u32(&r, code->foreign);
        const uint8_t *end = r.end;
        l.file = reader_str(&r, &n);
        if ((const uint8_t *)l.file + n == end)
            break;
        fn(ctx, &l);
    }
}

struct line_at {
    uint64_t at; /* the instruction */
    const char *name;
    struct jit_entry best;
};

/* Entries need not ascend: the one that begins last at or before the instruction counts.
 * A name of one byte, 0xff, is that of the entry before. */
static void line_look(void *ctx, const struct jit_entry *l)
{
    struct line_at *f = ctx;

    if (strcmp(l->file, "\xff") != 0)
        f->name = l->file;
    if (f->name && l->addr <= f->at && (!f->best.file || l->addr >= f->best.addr))
        f->best = (struct jit_entry){l->addr, l->line, f->name};
}

bool jit_line(const struct jit_code *code, uint64_t off, const char **file,
              uint32_t *line)
{
    struct line_at f = {.at = code->addr + off};

    jit_lines(code, line_look, &f);
    if (!f.best.file)
        return false;
    *file = f.best.file;
    *line = f.best.line;
    return true;
}

/* --- Files ------------------------------------------------------------------------ */

/* Compilers write into directories where others may write, too. */
enum jit_found jit_file_open(const char *path, bool force, struct jit_file *out)
{
    struct stat st;
    int fd = sys_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);

    if (fd < 0)
        return errno == ELOOP || errno == EACCES ? JIT_FOREIGN : JIT_MISSING;
    enum jit_found found = JIT_FOREIGN;
    int err = fstat(fd, &st) == 0 ? 0 : errno;
    refused_file(path, err);
    if (!err && S_ISREG(st.st_mode) &&
        (force || st.st_uid == 0 || st.st_uid == geteuid())) {
        void *p = st.st_size > 0 ? sys_map(fd, (size_t)st.st_size, path) : NULL;
        found = p ? JIT_FOUND : JIT_MISSING;
        *out = (struct jit_file){
            {p, p ? (size_t)st.st_size : 0},
            st.st_dev, st.st_ino
        };
    }
    close(fd);
    return found;
}

void jit_file_close(struct jit_file *f)
{
    if (f->bytes.ptr)
        munmap((void *)(uintptr_t)f->bytes.ptr, f->bytes.len);
    *f = (struct jit_file){0};
}
