/* unwind_table.c - where a file has its table of unwind information.
 *
 * SPDX-License-Identifier: MIT
 *
 *     .eh_frame_hdr: version, how the next three are encoded | address of .eh_frame |
 *                    number of entries | entries
 *
 * What is looked for is a table that is sorted by address and can be searched where it
 * lies; the tables behind it (.eh_frame) are libunwind's affair.  Only files of 64 bits
 * and little endian come here: stacks are unwound for x86-64 alone.
 */
#include "walker/unwind/unwind_table.h"

#include "decoder/base/bytes.h"

#include <elf.h>

static const void *part(struct pts_bytes file, uint64_t off, uint64_t len)
{
    if (off > file.len || len > file.len - off)
        return NULL;
    return file.ptr + off;
}

static bool section_at(struct pts_bytes file, const Elf64_Ehdr *eh, uint64_t i,
                       Elf64_Shdr *out)
{
    if (eh->e_shentsize != sizeof(*out) || eh->e_shoff > file.len)
        return false;
    const void *p = part(file, eh->e_shoff + i * sizeof(*out), sizeof(*out));
    if (p)
        memcpy(out, p, sizeof(*out));
    return p != NULL;
}

static bool find_section(struct pts_bytes file, const Elf64_Ehdr *eh, const char *name,
                         Elf64_Shdr *out)
{
    size_t n = strlen(name) + 1;
    Elf64_Shdr names;

    if (!section_at(file, eh, eh->e_shstrndx, &names) || names.sh_offset > file.len)
        return false;
    for (uint64_t i = 1; i < eh->e_shnum; i++) {
        if (!section_at(file, eh, i, out))
            return false;
        const void *p = part(file, names.sh_offset + out->sh_name, n);
        if (p && memcmp(p, name, n) == 0)
            return true;
    }
    return false;
}

static uint64_t first_segment(struct pts_bytes file, const Elf64_Ehdr *eh)
{
    enum { PAGE = 4096 };
    Elf64_Phdr ph;

    for (uint64_t i = 0; i < eh->e_phnum && eh->e_phentsize == sizeof(ph); i++) {
        const void *p = eh->e_phoff <= file.len
                            ? part(file, eh->e_phoff + i * sizeof(ph), sizeof(ph))
                            : NULL;
        if (!p)
            break;
        memcpy(&ph, p, sizeof(ph));
        /* Addresses in the file are relative to this one when it is mapped. */
        if (ph.p_type == PT_LOAD)
            return ph.p_vaddr & ~(uint64_t)(PAGE - 1);
    }
    return 0;
}

/* An encoded number; only its size and, if it is a plain one, its value matter. */
static bool take_encoded(struct reader *r, uint8_t how, uint64_t *out)
{
    enum { OMIT = 0xff, WHOLE = 0, APPLIED = 0x70, PCREL = 0x10, FORMAT = 0x0f };

    *out = 0;
    if (how == OMIT)
        return true;
    if (how != WHOLE && (how & APPLIED) != 0 && (how & APPLIED) != PCREL)
        return false;
    switch (how == WHOLE ? 4 : how & 7 ? how & FORMAT : 3) {
    case 3:
        *out = reader_u32(r);
        break;
    case 11:
        *out = (uint64_t)(int32_t)reader_u32(r);
        break;
    case 4:
    case 12:
        *out = reader_u64(r);
        break;
    default:
        return false;
    }
    return !r->bad;
}

bool unwind_table_find(struct pts_bytes file, struct unwind_table *out)
{
    Elf64_Ehdr eh;
    Elf64_Shdr sh;
    uint64_t frames;
    const void *p = part(file, 0, sizeof(eh));

    if (!p)
        return false;
    memcpy(&eh, p, sizeof(eh));
    if (memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 ||
        eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB ||
        !find_section(file, &eh, ".eh_frame_hdr", &sh) || sh.sh_offset == 0)
        return false;
    enum { HEADER = 20, ENCODINGS = 4 };
    const uint8_t *h = part(file, sh.sh_offset, HEADER);
    if (!h)
        return false;
    struct reader r = reader_of(h + ENCODINGS, HEADER - ENCODINGS);
    if (!take_encoded(&r, h[1], &frames) || !take_encoded(&r, h[2], &out->count))
        return false;
    out->header = sh.sh_addr;
    out->skip = (uint64_t)(r.at - h);
    out->first = first_segment(file, &eh);
    return true;
}
