/* image_elf.c - a file mapped read-only, and what its ELF headers say.
 *
 * SPDX-License-Identifier: MIT
 *
 * Code is addressed by file offset, so the headers matter only for the class and the
 * build id.  perf takes the id from the first note section of three possible names and
 * looks nowhere else; a file without section headers has none for it.  The kernel,
 * which puts ids into MMAP2 records, reads PT_NOTE.  Both are kept.
 */
#include "walker/code/image_elf.h"

#include "decoder/base/arena.h"
#include "decoder/base/bytes.h"
#include "decoder/base/refused.h"
#include "decoder/base/sys.h"
#include "walker/code/unpack.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEGMENTS_MAX = 4096, NOTE_HEADER = 12 };

struct build_id build_id_of(const uint8_t *bytes, size_t len)
{
    struct build_id id = {0};
    id.len = (uint8_t)(len < BUILD_ID_MAX ? len : BUILD_ID_MAX);
    if (id.len)
        memcpy(id.bytes, bytes, id.len);
    return id;
}

bool build_id_is_zeros(const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (bytes[i])
            return false;
    return len > 0;
}

bool build_id_same(const struct build_id *wanted, const struct build_id *found)
{
    static const uint8_t zeros[BUILD_ID_MAX];
    if (memcmp(wanted->bytes, found->bytes, found->len) != 0)
        return false;
    if (wanted->len == found->len)
        return true;
    /* Older recordings do not say how long an id is: 20 bytes with zeros behind. */
    return wanted->len == BUILD_ID_MAX && found->len < BUILD_ID_MAX &&
           memcmp(wanted->bytes + found->len, zeros, BUILD_ID_MAX - found->len) == 0;
}

const char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    char *at = text;
    for (size_t i = 0; i < id->len; i++) {
        *at++ = digits[id->bytes[i] >> 4];
        *at++ = digits[id->bytes[i] & 15];
    }
    *at = '\0';
    return text;
}

static size_t note_align(uint32_t n)
{
    return ((size_t)n + 3) & ~(size_t)3;
}

/* Its length is rounded up to a multiple of 4, as perf has it. */
struct build_id build_id_in_notes(const void *notes, size_t n)
{
    struct reader r = reader_of(notes, n);
    while (reader_left(&r) >= NOTE_HEADER) {
        uint32_t namesz = reader_u32(&r), descsz = reader_u32(&r);
        uint32_t type = reader_u32(&r);
        const uint8_t *name = reader_take(&r, note_align(namesz));
        size_t want = note_align(descsz);
        if (!name)
            break;
        if (type == NT_GNU_BUILD_ID && namesz == sizeof("GNU") &&
            memcmp(name, "GNU", sizeof("GNU")) == 0) {
            if (want > BUILD_ID_MAX)
                want = BUILD_ID_MAX;
            const uint8_t *desc = reader_take(&r, want);
            return desc ? build_id_of(desc, want) : (struct build_id){0};
        }
        if (!reader_take(&r, want))
            break;
    }
    return (struct build_id){0};
}

static Elf_Scn *section_find(Elf *elf, size_t names, const char *want)
{
    Elf_Scn *scn = NULL;
    while ((scn = elf_nextscn(elf, scn)) != NULL) {
        GElf_Shdr sh;
        const char *name =
            gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
        if (name && strcmp(name, want) == 0)
            return scn;
    }
    return NULL;
}

static struct build_id id_from_sections(Elf *elf)
{
    static const char *const wanted[] = {".note.gnu.build-id", ".notes", ".note"};
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return (struct build_id){0};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        Elf_Scn *scn = section_find(elf, names, wanted[i]);
        if (!scn)
            continue;
        Elf_Data *data = elf_rawdata(scn, NULL);
        if (!data || !data->d_buf)
            break;
        return build_id_in_notes(data->d_buf, data->d_size);
    }
    return (struct build_id){0};
}

static struct build_id id_from_segments(Elf *elf, const struct image_elf *im)
{
    size_t count;
    if (elf_getphdrnum(elf, &count) != 0)
        return (struct build_id){0};
    for (size_t i = 0; i < count && i < SEGMENTS_MAX; i++) {
        GElf_Phdr ph;
        if (!gelf_getphdr(elf, (int)i, &ph))
            break;
        if (ph.p_type != PT_NOTE || ph.p_offset > im->size ||
            ph.p_filesz > im->size - ph.p_offset)
            continue;
        struct build_id id = build_id_in_notes(im->base + ph.p_offset, ph.p_filesz);
        if (id.len)
            return id;
    }
    return (struct build_id){0};
}

static void headers_read(struct image_elf *im)
{
    if (elf_version(EV_CURRENT) == EV_NONE)
        return;
    refused_watch();
    /* libelf wants char *, but only reads. */
    Elf *elf = elf_memory((char *)(uintptr_t)im->base, im->size);
    GElf_Ehdr eh;
    if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &eh)) {
        im->is_elf = true;
        im->is_64bit = gelf_getclass(elf) == ELFCLASS64;
        im->machine = eh.e_machine;
        im->id = id_from_sections(elf);
        im->id_phdr = id_from_segments(elf, im);
    }
    refused_watched(NULL);
    elf_end(elf);
}

pts_status image_elf_of(const void *bytes, size_t n, struct image_elf *out)
{
    if (n == 0)
        return PTS_E_FORMAT;
    *out = (struct image_elf){.base = bytes, .size = n};
    headers_read(out);
    return PTS_OK;
}

static pts_status map_file(int fd, const char *path, const struct stat *st,
                           struct pts_bytes *out)
{
    if (st->st_size <= 0)
        return PTS_E_FORMAT;
    size_t n = (size_t)st->st_size;
    void *p = sys_map(fd, n, path);
    if (!p)
        return PTS_E_IO;
    *out = (struct pts_bytes){p, n};
    return PTS_OK;
}

pts_status image_elf_open(const char *path, struct image_elf *out)
{
    struct stat what;
    int fd = sys_open_regular(path, &what);
    if (fd < 0)
        return PTS_E_IO;
    struct pts_bytes file;
    pts_status st = map_file(fd, path, &what, &file);
    close(fd);
    if (st < 0)
        return st;
    st = image_elf_of(file.ptr, file.len, out);
    out->mapped = true;
    out->uid = what.st_uid;
    out->dev = what.st_dev;
    out->ino = what.st_ino;
    return st;
}

/* Larger than any module. */
enum { UNPACKED_MAX = 256 << 20 };

/* What came out takes the place of the file. */
static pts_status elf_unpack(struct image_elf *elf)
{
    uint8_t *bytes;
    size_t n;

    pts_status st =
        unpack((struct pts_bytes){elf->base, elf->size}, UNPACKED_MAX, &bytes, &n);
    image_elf_close(elf);
    if (st == PTS_E_NOMEM)
        refused_memory();
    if (st < 0)
        return st;
    st = image_elf_of(bytes, n, elf);
    if (st < 0) {
        mem_free(bytes);
        return st;
    }
    elf->unpacked = true;
    return st;
}

pts_status image_elf_open_packed(const char *path, struct image_elf *out)
{
    pts_status st = image_elf_open(path, out);
    if (st == PTS_OK && unpack_is_packed((struct pts_bytes){out->base, out->size}))
        st = elf_unpack(out);
    return st;
}

pts_status image_elf_open_named(int fd, const char *path, const char *name,
                                struct image_elf *out)
{
    struct stat what;
    struct pts_bytes file;
    if (fstat(fd, &what) != 0) {
        refused_file(path, errno);
        return PTS_E_IO;
    }
    if (map_file(fd, path, &what, &file) < 0)
        return PTS_E_IO;
    pts_status st = image_elf_of(file.ptr, file.len, out);
    out->mapped = true;
    if (unpack_is_name(name) && unpack_is_packed(file))
        st = elf_unpack(out);
    return st;
}

bool image_elf_was_cut(const struct image_elf *elf, const char *path, uint64_t *len)
{
    struct stat sb;
    if (!elf->ino || stat(path, &sb) != 0 || sb.st_dev != elf->dev ||
        sb.st_ino != elf->ino || (size_t)sb.st_size >= elf->size)
        return false;
    *len = (uint64_t)sb.st_size;
    return true;
}

pts_status image_elf_loads(const struct image_elf *im, image_segment_fn *fn, void *ctx)
{
    pts_status st = PTS_OK;
    size_t count = 0;
    refused_watch();
    /* libelf wants char *, but only reads. */
    Elf *elf = elf_memory((char *)(uintptr_t)im->base, im->size);
    if (elf && elf_getphdrnum(elf, &count) != 0)
        count = 0;
    for (size_t i = 0; st == PTS_OK && i < count && i < SEGMENTS_MAX; i++) {
        GElf_Phdr ph;
        if (!gelf_getphdr(elf, (int)i, &ph))
            break;
        const struct image_segment seg = {ph.p_vaddr, ph.p_offset, ph.p_filesz};
        if (ph.p_type == PT_LOAD && seg.len)
            st = fn(ctx, &seg);
    }
    refused_watched(NULL);
    elf_end(elf);
    return st;
}

struct there {
    const struct image_elf *im;
    image_segment_fn *fn;
    void *ctx;
};

static pts_status there_give(void *ctx, const struct image_segment *seg)
{
    const struct there *t = ctx;
    struct image_segment part = *seg;

    if (seg->off >= t->im->size)
        return PTS_OK;
    if (part.len > t->im->size - seg->off)
        part.len = t->im->size - seg->off;
    return t->fn(t->ctx, &part);
}

pts_status image_elf_segments(const struct image_elf *im, image_segment_fn *fn,
                              void *ctx)
{
    struct there t = {im, fn, ctx};

    return image_elf_loads(im, there_give, &t);
}

static pts_status short_find(void *ctx, const struct image_segment *seg)
{
    const struct image_elf *im = ctx;

    return seg->off > im->size || seg->len > im->size - seg->off ? PTS_END : PTS_OK;
}

bool image_elf_is_short(const struct image_elf *im)
{
    struct image_elf all = *im;

    return image_elf_loads(im, short_find, &all) == PTS_END;
}

void image_elf_let_go(const struct image_elf *elf)
{
    if (elf->mapped)
        (void)madvise((void *)(uintptr_t)elf->base, elf->size, MADV_DONTNEED);
}

void image_elf_close(struct image_elf *elf)
{
    if (elf->mapped)
        munmap((void *)(uintptr_t)elf->base, elf->size);
    if (elf->unpacked)
        mem_free((void *)(uintptr_t)elf->base);
    *elf = (struct image_elf){0};
}
