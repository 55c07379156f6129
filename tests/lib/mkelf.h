/* mkelf.h - makes small 64-bit ELF files in memory.
 *
 * SPDX-License-Identifier: MIT
 *
 *     struct mkelf e = {0};
 *     mkelf_sec(&e, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code,
 * 64); size_t n = mkelf_finish(&e, ET_DYN);       the file is e.bytes[0..n)
 *
 * Sections are laid out one after the other; sections with an address get a PT_LOAD.
 */
#ifndef PTS_TESTS_MKELF_H
#define PTS_TESTS_MKELF_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

enum { MKELF_SECS = 32, MKELF_BYTES = 1 << 16, MKELF_NAMES = 1024 };

struct mkelf {
    uint8_t bytes[MKELF_BYTES];
    size_t at;
    Elf64_Shdr sec[MKELF_SECS];
    unsigned nsec;
    char names[MKELF_NAMES];
    size_t nnames;
};

enum { MKELF_FIRST = sizeof(Elf64_Ehdr) + MKELF_SECS * sizeof(Elf64_Phdr) };

/* Adds a section and returns its index. */
static inline unsigned mkelf_sec(struct mkelf *e, const char *name, uint32_t type,
                                 uint64_t flags, uint64_t addr, const void *p, size_t n)
{
    if (e->nsec == 0) {
        e->nsec = 1;
        e->nnames = 1;
        e->at = MKELF_FIRST;
    }
    Elf64_Shdr *s = &e->sec[e->nsec];
    s->sh_name = (Elf64_Word)e->nnames;
    memcpy(e->names + e->nnames, name, strlen(name) + 1);
    e->nnames += strlen(name) + 1;
    s->sh_type = type;
    s->sh_flags = flags;
    s->sh_addr = addr;
    e->at = (e->at + 15) & ~(size_t)15;
    s->sh_offset = e->at;
    s->sh_size = n;
    s->sh_addralign = 1;
    if (type != SHT_NOBITS) {
        memcpy(e->bytes + e->at, p, n);
        e->at += n;
    }
    return e->nsec++;
}

static inline size_t mkelf_finish(struct mkelf *e, uint16_t type)
{
    unsigned names = mkelf_sec(e, ".shstrtab", SHT_STRTAB, 0, 0, "", 0);
    e->sec[names].sh_size = e->nnames;
    memcpy(e->bytes + e->at, e->names, e->nnames);
    e->at = (e->at + e->nnames + 7) & ~(size_t)7;

    unsigned nphdr = 0;
    for (unsigned i = 1; i < e->nsec; i++) {
        const Elf64_Shdr *s = &e->sec[i];
        if (!s->sh_addr)
            continue;
        Elf64_Phdr ph = {.p_type = PT_LOAD,
                         .p_flags = PF_R | PF_X,
                         .p_offset = s->sh_offset,
                         .p_vaddr = s->sh_addr,
                         .p_filesz = s->sh_type == SHT_NOBITS ? 0 : s->sh_size,
                         .p_memsz = s->sh_size};
        memcpy(e->bytes + sizeof(Elf64_Ehdr) + nphdr++ * sizeof(ph), &ph, sizeof(ph));
    }
    Elf64_Ehdr eh = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                    EV_CURRENT},
        .e_type = type,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof(Elf64_Ehdr),
        .e_shoff = e->at,
        .e_ehsize = sizeof(Elf64_Ehdr),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = (Elf64_Half)nphdr,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = (Elf64_Half)e->nsec,
        .e_shstrndx = (Elf64_Half)names
    };
    memcpy(e->bytes, &eh, sizeof(eh));
    memcpy(e->bytes + e->at, e->sec, e->nsec * sizeof(Elf64_Shdr));
    return e->at + e->nsec * sizeof(Elf64_Shdr);
}

/* The section .note.gnu.build-id of an id of n bytes (n a multiple of 4, up to 20). */
static inline unsigned mkelf_id(struct mkelf *e, const uint8_t *id, uint32_t n)
{
    uint8_t note[36];
    uint32_t head[3] = {4, n, NT_GNU_BUILD_ID};
    memcpy(note, head, 12);
    memcpy(note + 12, "GNU", 4);
    memcpy(note + 16, id, n);
    return mkelf_sec(e, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0, note, 16 + n);
}

#endif
