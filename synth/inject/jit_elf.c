/* jit_elf.c - a function of a jitdump as an ELF file.
 *
 * SPDX-License-Identifier: MIT
 *
 *     0     header, one segment
 *     0x80  .text | .eh_frame | .eh_frame_hdr | .shstrtab | .symtab | .strtab |
 *           .note.gnu.build-id | .debug_line | .debug_info | .debug_abbrev | sections
 *
 * Tables for unwinding and lines are there if the dump has them.  As perf 6.1 writes it:
 * 64-bit x86 whatever the dump says, and a segment of the code only.
 */
#include "synth/inject/jit_elf.h"

#include "decoder/base/idmap.h"
#include "synth/inject/jit_lines.h"

#include <elf.h>

enum { SECTIONS_MAX = 11, NAMES = 11 };

/* Names of sections, all in each file; the first is none. */
static const char *const names[NAMES] = {
    "",
    ".text",
    ".shstrtab",
    ".symtab",
    ".strtab",
    ".note.gnu.build-id",
    ".debug_line",
    ".debug_info",
    ".debug_abbrev",
    ".eh_frame_hdr",
    ".eh_frame",
};
enum {
    IS_TEXT = 1,
    IS_NAMES,
    IS_SYMBOLS,
    IS_STRINGS,
    IS_ID,
    IS_LINES,
    IS_UNIT,
    IS_ABBREV,
    IS_FRAMES_HDR,
    IS_FRAMES
};

struct elf {
    struct text *t;
    size_t from; /* where the file begins in it */
    const struct jit_code *code;
    Elf64_Shdr section[SECTIONS_MAX];
    uint16_t count;
};

/* --- Sections --------------------------------------------------------------------- */

static uint64_t at(const struct elf *e)
{
    return e->t->len - e->from;
}

static void align(struct elf *e, uint64_t to)
{
    while (!e->t->failed && at(e) % to)
        text_char(e->t, 0);
}

static uint32_t name_at(unsigned which)
{
    uint32_t n = 0;

    for (unsigned i = 0; i < which; i++)
        n += (uint32_t)strlen(names[i]) + 1;
    return n;
}

/* What is put from now on is in it. */
static Elf64_Shdr *begin(struct elf *e, unsigned which, uint32_t type, uint64_t to)
{
    Elf64_Shdr *s = &e->section[e->count++];

    align(e, to);
    *s = (Elf64_Shdr){.sh_name = name_at(which),
                      .sh_type = type,
                      .sh_offset = at(e),
                      .sh_addralign = to};
    return s;
}

static void end(const struct elf *e, Elf64_Shdr *s)
{
    s->sh_size = at(e) - s->sh_offset;
}

static void put_text(struct elf *e)
{
    Elf64_Shdr *s = begin(e, IS_TEXT, SHT_PROGBITS, 16);

    s->sh_addr = JIT_ELF_TEXT;
    s->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    text_put(e->t, (const char *)e->code->bytes, e->code->size);
    end(e, s);
}

static void put_frames(struct elf *e)
{
    const struct jit_code *c = e->code;
    size_t table = c->frames.len - c->frames_hdr;

    Elf64_Shdr *s = begin(e, IS_FRAMES, SHT_PROGBITS, 8);
    s->sh_addr = s->sh_offset;
    s->sh_flags = SHF_ALLOC;
    text_put(e->t, (const char *)c->frames.ptr, table);
    end(e, s);
    uint64_t behind = s->sh_addr + table;
    s = begin(e, IS_FRAMES_HDR, SHT_PROGBITS, 4);
    s->sh_addr = behind;
    s->sh_flags = SHF_ALLOC;
    text_put(e->t, (const char *)c->frames.ptr + table, c->frames_hdr);
    end(e, s);
}

static uint16_t put_names(struct elf *e)
{
    Elf64_Shdr *s = begin(e, IS_NAMES, SHT_STRTAB, 1);

    for (unsigned i = 0; i < NAMES; i++)
        text_put(e->t, names[i], strlen(names[i]) + 1);
    end(e, s);
    return e->count - 1;
}

/* One symbol, behind the one that every table begins with. */
static void put_symbols(struct elf *e)
{
    const Elf64_Sym none = {0};
    const Elf64_Sym code = {.st_name = 1,
                            .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
                            .st_shndx = 1,
                            .st_value = JIT_ELF_TEXT,
                            .st_size = e->code->size};
    Elf64_Shdr *s = begin(e, IS_SYMBOLS, SHT_SYMTAB, 8);

    s->sh_entsize = sizeof(none);
    s->sh_link = e->count;
    text_put(e->t, (const char *)&none, sizeof(none));
    text_put(e->t, (const char *)&code, sizeof(code));
    end(e, s);
    s = begin(e, IS_STRINGS, SHT_STRTAB, 1);
    text_char(e->t, 0);
    text_put(e->t, e->code->name, strlen(e->code->name) + 1);
    end(e, s);
}

/* Where the id is to be, which is known when all else is. */
static size_t put_note(struct elf *e)
{
    const struct {
        Elf64_Nhdr head;
        char name[4];
        uint8_t id[JIT_ELF_ID];
    } note = {
        {sizeof(note.name), sizeof(note.id), NT_GNU_BUILD_ID},
        "GNU", {0 }
    };
    Elf64_Shdr *s = begin(e, IS_ID, SHT_NOTE, 4);

    s->sh_flags = SHF_ALLOC;
    text_put(e->t, (const char *)&note, sizeof(note));
    end(e, s);
    return e->t->len - JIT_ELF_ID;
}

static void put_lines(struct elf *e)
{
    Elf64_Shdr *s = begin(e, IS_LINES, SHT_PROGBITS, 1);

    if (!jit_lines_put(e->t, e->code, JIT_ELF_TEXT)) {
        e->count--;
        return;
    }
    end(e, s);
    s = begin(e, IS_UNIT, SHT_PROGBITS, 1);
    jit_lines_unit(e->t);
    end(e, s);
    s = begin(e, IS_ABBREV, SHT_PROGBITS, 1);
    jit_lines_abbrev(e->t);
    end(e, s);
}

/* --- All of it -------------------------------------------------------------------- */

static void put_front(struct elf *e)
{
    static const uint8_t none[JIT_ELF_TEXT];

    _Static_assert(sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) <= JIT_ELF_TEXT,
                   "both are in front of the code");
    text_put(e->t, (const char *)none, sizeof(none));
}

static void set_front(const struct elf *e, uint64_t sections, uint16_t named)
{
    const Elf64_Ehdr head = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                    EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_entry = JIT_ELF_TEXT,
        .e_phoff = sizeof(Elf64_Ehdr),
        .e_shoff = sections,
        .e_ehsize = sizeof(Elf64_Ehdr),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = 1,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = e->count,
        .e_shstrndx = named
    };
    const Elf64_Phdr segment = {.p_type = PT_LOAD,
                                .p_flags = PF_R | PF_X,
                                .p_offset = JIT_ELF_TEXT,
                                .p_vaddr = JIT_ELF_TEXT,
                                .p_paddr = JIT_ELF_TEXT,
                                .p_filesz = e->code->size,
                                .p_memsz = e->code->size,
                                .p_align = 8};

    memcpy(e->t->at + e->from, &head, sizeof(head));
    memcpy(e->t->at + e->from + sizeof(head), &segment, sizeof(segment));
}

/* Of the file without it, and where the code was. */
static void make_id(const struct elf *e, uint8_t id[JIT_ELF_ID])
{
    uint64_t h = e->code->addr;

    for (size_t i = 0; i < JIT_ELF_ID; i += sizeof(uint32_t)) {
        h = idmap_hash(h + 1, e->t->at + e->from, at(e));
        uint32_t word = (uint32_t)(h ^ h >> 32);
        memcpy(id + i, &word, sizeof(word));
    }
}

void jit_elf_put(struct text *t, const struct jit_code *code, uint8_t id[JIT_ELF_ID])
{
    struct elf e = {.t = t, .from = t->len, .code = code, .count = 1};

    put_front(&e);
    put_text(&e);
    if (code->frames.len)
        put_frames(&e);
    uint16_t named = put_names(&e);
    put_symbols(&e);
    size_t id_at = put_note(&e);
    put_lines(&e);
    align(&e, 8);
    uint64_t sections = at(&e);
    text_put(t, (const char *)e.section, e.count * sizeof(e.section[0]));
    if (t->failed)
        return;
    set_front(&e, sections, named);
    make_id(&e, id);
    memcpy(t->at + id_at, id, JIT_ELF_ID);
}
