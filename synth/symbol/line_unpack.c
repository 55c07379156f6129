/* line_unpack.c - debug sections that were packed by zstd, which libdw 0.188 cannot read.
 *
 * SPDX-License-Identifier: MIT
 *
 * libdw gets another file instead, in memory, with the same sections:
 *
 *     head | .debug_line, unpacked | .debug_info, unpacked | ... | table of sections
 *
 * Of those that lines do not need only the name is left.  Only 64-bit files are looked at.
 */
#include "synth/symbol/line_unpack.h"

#include "decoder/base/arena.h"
#include "decoder/base/bytes.h"
#include "decoder/base/refused.h"
#include "decoder/base/sys.h"
#include "walker/code/unpack.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PACKED_ZSTD = 2, /* ELFCOMPRESS_ZSTD, which older elf.h lack */
    UNPACKED_LEAST = 64 << 20,
    UNPACKED_TIMES = 256 /* as of bundles (I12) */
};

struct elf64 {
    struct pts_bytes file;
    Elf64_Ehdr head;
    Elf64_Shdr *section; /* a copy */
    size_t count;
    struct pts_bytes names;
};

static bool span_of(const struct elf64 *e, uint64_t off, uint64_t len,
                    struct pts_bytes *out)
{
    if (off > e->file.len || len > e->file.len - off)
        return false;
    *out = (struct pts_bytes){e->file.ptr + off, (size_t)len};
    return true;
}

static bool bytes_of(const struct elf64 *e, const Elf64_Shdr *s, struct pts_bytes *out)
{
    return s->sh_type != SHT_NOBITS && span_of(e, s->sh_offset, s->sh_size, out);
}

static pts_status read_head(struct elf64 *e)
{
    struct pts_bytes table;

    if (e->file.len < sizeof(e->head))
        return PTS_END;
    memcpy(&e->head, e->file.ptr, sizeof(e->head));
    e->count = e->head.e_shnum;
    if (memcmp(e->head.e_ident, ELFMAG, SELFMAG) != 0 ||
        e->head.e_ident[EI_CLASS] != ELFCLASS64 ||
        e->head.e_ident[EI_DATA] != ELFDATA2LSB ||
        e->head.e_shentsize != sizeof(Elf64_Shdr) || !e->count ||
        e->head.e_shstrndx >= e->count ||
        !span_of(e, e->head.e_shoff, e->count * sizeof(Elf64_Shdr), &table))
        return PTS_END;
    e->section = mem_resize(NULL, e->count, sizeof(*e->section));
    if (!e->section)
        return PTS_E_NOMEM;
    memcpy(e->section, table.ptr, table.len);
    return bytes_of(e, &e->section[e->head.e_shstrndx], &e->names) ? PTS_OK : PTS_END;
}

static bool is_packed(const struct elf64 *e, const Elf64_Shdr *s, Elf64_Chdr *how,
                      struct pts_bytes *packed)
{
    if (!(s->sh_flags & SHF_COMPRESSED) || !bytes_of(e, s, packed) ||
        packed->len < sizeof(*how))
        return false;
    memcpy(how, packed->ptr, sizeof(*how));
    packed->ptr += sizeof(*how);
    packed->len -= sizeof(*how);
    return how->ch_type == PACKED_ZSTD;
}

static bool any_packed(const struct elf64 *e)
{
    struct pts_bytes packed;
    Elf64_Chdr how;

    for (size_t i = 0; i < e->count; i++)
        if (is_packed(e, &e->section[i], &how, &packed))
            return true;
    return false;
}

/* Whether lines and inlined functions need it. */
static bool is_needed(const struct elf64 *e, size_t i)
{
    static const char *const needed[] = {
        ".debug_line",   ".debug_info",     ".debug_abbrev",    ".debug_str",
        ".debug_ranges", ".debug_rnglists", ".debug_line_str",  ".debug_str_offsets",
        ".debug_addr",   ".debug_types",    ".gnu_debugaltlink"};
    const uint32_t at = e->section[i].sh_name;
    const size_t left = at < e->names.len ? e->names.len - at : 0;

    if (i == e->head.e_shstrndx)
        return true;
    for (size_t k = 0; k < sizeof(needed) / sizeof(needed[0]); k++) {
        const size_t n = strlen(needed[k]) + 1;
        if (n <= left && memcmp(e->names.ptr + at, needed[k], n) == 0)
            return true;
    }
    return false;
}

/* --- Writing ---------------------------------------------------------------------- */

struct target {
    int fd;
    uint64_t at;   /* where the next bytes go */
    uint64_t left; /* that may be unpacked */
    const char *path;
};

static pts_status put(struct target *to, const void *from, size_t n)
{
    const uint8_t *p = from;

    while (n) {
        const ssize_t done = write(to->fd, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            refused_file(to->path, errno);
            return PTS_E_IO;
        }
        p += done;
        n -= (size_t)done;
        to->at += (uint64_t)done;
    }
    return PTS_OK;
}

static pts_status put_unpacked(struct target *to, struct pts_bytes packed,
                               const Elf64_Chdr *how, Elf64_Shdr *s)
{
    uint8_t *all;
    size_t n;

    if (how->ch_size > to->left)
        return PTS_END;
    pts_status st = unpack(packed, (size_t)how->ch_size, &all, &n);
    if (st < 0)
        return st == PTS_E_NOMEM ? st : PTS_END;
    to->left -= n;
    s->sh_size = n;
    s->sh_flags &= ~(uint64_t)SHF_COMPRESSED;
    s->sh_addralign = how->ch_addralign;
    st = n == how->ch_size ? put(to, all, n) : PTS_END;
    mem_free(all);
    return st;
}

static pts_status put_section(const struct elf64 *e, size_t i, struct target *to)
{
    Elf64_Shdr *s = &e->section[i];
    const uint64_t at = to->at;
    struct pts_bytes bytes;
    Elf64_Chdr how;
    pts_status st = PTS_OK;

    if (!is_needed(e, i) || !bytes_of(e, s, &bytes))
        s->sh_type = s->sh_type == SHT_NULL ? SHT_NULL : SHT_NOBITS;
    else if (is_packed(e, s, &how, &bytes))
        st = put_unpacked(to, bytes, &how, s);
    else
        st = put(to, bytes.ptr, bytes.len);
    s->sh_offset = at;
    return st;
}

static pts_status put_all(struct elf64 *e, struct target *to)
{
    pts_status st = put(to, &e->head, sizeof(e->head));

    for (size_t i = 0; st == PTS_OK && i < e->count; i++)
        st = put_section(e, i, to);
    e->head.e_shoff = (to->at + 7) & ~UINT64_C(7);
    e->head.e_phnum = 0;
    e->head.e_phoff = 0;
    if (st == PTS_OK)
        st = put(to, (const uint8_t[8]){0}, (size_t)(e->head.e_shoff - to->at));
    if (st == PTS_OK)
        st = put(to, e->section, e->count * sizeof(*e->section));
    if (st == PTS_OK &&
        pwrite(to->fd, &e->head, sizeof(e->head), 0) != (ssize_t)sizeof(e->head)) {
        refused_file(to->path, errno);
        st = PTS_E_IO;
    }
    return st;
}

pts_status line_unpack(int fd, const char *path, int *to)
{
    struct stat what;

    if (fstat(fd, &what) != 0 || what.st_size <= 0)
        return PTS_END;
    const size_t size = (size_t)what.st_size;
    void *map = sys_map(fd, size, path);
    if (!map)
        return PTS_END; /* it was noted */
    struct elf64 e = {
        .file = {map, size}
    };
    struct target t = {.fd = -1,
                       .left = UNPACKED_LEAST + UNPACKED_TIMES * (uint64_t)size,
                       .path = path};
    pts_status st = read_head(&e);
    if (st == PTS_OK && !any_packed(&e))
        st = PTS_END;
    if (st == PTS_OK) {
        t.fd = memfd_create("lines", MFD_CLOEXEC);
        if (t.fd < 0)
            refused_file(path, errno);
        st = t.fd < 0 ? PTS_E_IO : put_all(&e, &t);
    }
    if (st == PTS_OK)
        *to = t.fd;
    else if (t.fd >= 0)
        close(t.fd);
    mem_free(e.section);
    munmap(map, size);
    return st;
}
