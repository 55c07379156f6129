/* image_elf.h - a file mapped read-only, and what its ELF headers say.
 *
 * SPDX-License-Identifier: MIT
 *
 * A file that a recording names may be missing, be another one by now, or be no ELF
 * file at all.  The last is no error: its bytes may be code all the same (an image of
 * firmware, a dump of memory).
 */
#ifndef PTS_WALKER_CODE_IMAGE_ELF_H
#define PTS_WALKER_CODE_IMAGE_ELF_H

#include <ptscript/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BUILD_ID_MAX = 20, BUILD_ID_TEXT = 2 * BUILD_ID_MAX + 1 };

struct build_id {
    uint8_t len; /* 0: unknown */
    uint8_t bytes[BUILD_ID_MAX];
};

/* A build id of len bytes; more than BUILD_ID_MAX are cut, as perf does. */
struct build_id build_id_of(const uint8_t *bytes, size_t len);
/* Whether it is one that somebody wrote who did not know it. */
bool build_id_is_zeros(const uint8_t *bytes, size_t len);
/* Whether a file with `found` is the one that was recorded as `wanted`.  Old recordings
 * always have 20 bytes, padded with zeros. */
bool build_id_same(const struct build_id *wanted, const struct build_id *found);
/* Lower-case hex; returns text. */
const char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT]);

/* The first one in notes, as ELF sections, segments and the kernel's own file of them have
 * them; len 0: there is none. */
struct build_id build_id_in_notes(const void *notes, size_t n);

struct image_elf {
    const uint8_t *base;
    size_t size;
    uint32_t uid;      /* of the owner, when it was opened */
    uint64_t dev, ino; /* of the file; 0: of none */
    bool mapped;       /* image_elf_close unmaps it */
    bool unpacked;     /* base is memory, which image_elf_close frees */
    bool is_elf;       /* else the rest is zero; the bytes are there all the same */
    bool is_64bit;
    uint16_t machine;   /* EM_* */
    struct build_id id; /* from the section headers, the only place perf looks at */
    struct build_id id_phdr; /* from PT_NOTE, where the kernel finds it */
};

/* Maps a regular file.  PTS_E_IO when it cannot be opened or is no regular file,
 * PTS_E_FORMAT when it is empty.  A file that is not ELF is no error. */
pts_status image_elf_open(const char *path, struct image_elf *out);
/* The same; a file that was packed (unpack.h) is unpacked. */
pts_status image_elf_open_packed(const char *path, struct image_elf *out);
/* The same for an open file, which may be packed if `name` says so (unpack_is_name). */
pts_status image_elf_open_named(int fd, const char *path, const char *name,
                                struct image_elf *out);
/* The same for bytes that somebody else keeps. */
pts_status image_elf_of(const void *bytes, size_t n, struct image_elf *out);
/* Whether the file has fewer bytes by now; *len: how many. */
bool image_elf_was_cut(const struct image_elf *elf, const char *path, uint64_t *len);
/* Its pages come back when they are looked at. */
void image_elf_let_go(const struct image_elf *elf);
void image_elf_close(struct image_elf *elf);

/* Bytes of the file that are loaded to addr, at the addresses of the link. */
struct image_segment {
    uint64_t addr, off, len;
};
/* Calls fn with each segment (PT_LOAD) that has bytes in the file, until it returns something
 * else than PTS_OK, which is returned: as the headers say, or as far as these bytes are there. */
typedef pts_status image_segment_fn(void *ctx, const struct image_segment *seg);
pts_status image_elf_loads(const struct image_elf *elf, image_segment_fn *fn,
                           void *ctx);
pts_status image_elf_segments(const struct image_elf *elf, image_segment_fn *fn,
                              void *ctx);
/* Whether the file ends within one of them, or before. */
bool image_elf_is_short(const struct image_elf *elf);

#endif
