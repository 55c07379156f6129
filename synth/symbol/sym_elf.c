/* sym_elf.c - the symbols of an ELF file.
 *
 * SPDX-License-Identifier: MIT
 *
 * Two files may take part: `syms` has the names, often a separate debug file, and
 * `runtime` is what was mapped.  A symbol's value is an address of the link; what is
 * mapped is a part of the file, so values become file offsets, by the program headers
 * of `runtime`:
 *
 *     addresses   p_vaddr   |----- value -----|
 *     file        p_offset  |----- offset ----|     of the first segment that has it
 *
 * A value in no segment goes by its section; where that has no contents, as in a debug
 * file, by the section of the same number in `runtime`.
 *
 * Which symbols are taken, and in which order: docs/symbols.md.
 */
#include "synth/symbol/sym_elf.h"

#include "decoder/base/arena.h"
#include "decoder/base/refused.h"
#include "decoder/base/vec.h"
#include "synth/symbol/demangle.h"

#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>

enum { PLT_NAME_MAX = 1024, PLT_NAME_USUAL = 32, SEGMENTS_MAX = 65536 };

struct section {
    uint64_t flags, addr, off, size;
    uint32_t type;
    bool labels; /* by its name, labels in it are symbols */
};

struct segment {
    uint64_t addr, size, off;
};

struct table {
    Elf_Scn *scn; /* NULL: the file has none */
    GElf_Shdr head;
};

struct sym_elf {
    struct image_elf file;
    Elf *elf;
    size_t names; /* index of the section with the names of sections */
    uint16_t machine, type;
    struct table symtab, dynsym;
    VEC(struct section) sections;
    VEC(struct segment) segments; /* PT_LOAD */
};

/* The first section of that name; *head is its header.  perf looks by name where it
 * could look by type, and files can tell the difference. */
static Elf_Scn *section_named(const struct sym_elf *e, const char *want,
                              GElf_Shdr *head)
{
    Elf_Scn *scn = NULL;
    while ((scn = elf_nextscn(e->elf, scn)) != NULL) {
        const char *name = gelf_getshdr(scn, head)
                               ? elf_strptr(e->elf, e->names, head->sh_name)
                               : NULL;
        if (name && strcmp(name, want) == 0)
            return scn;
    }
    return NULL;
}

static struct table table_named(const struct sym_elf *e, const char *name,
                                uint32_t type)
{
    struct table t = {0};
    t.scn = section_named(e, name, &t.head);
    if (t.scn && t.head.sh_type != type)
        t.scn = NULL;
    return t;
}

static pts_status sections_read(struct sym_elf *e)
{
    Elf_Scn *scn = elf_getscn(e->elf, 0);
    for (; scn; scn = elf_nextscn(e->elf, scn)) {
        GElf_Shdr sh = {0};
        const char *name =
            gelf_getshdr(scn, &sh) ? elf_strptr(e->elf, e->names, sh.sh_name) : NULL;
        struct section *s = VEC_PUSH(&e->sections);
        if (!s)
            return PTS_E_NOMEM;
        *s = (struct section){.flags = sh.sh_flags,
                              .addr = sh.sh_addr,
                              .off = sh.sh_offset,
                              .size = sh.sh_size,
                              .type = sh.sh_type,
                              .labels = name && (strstr(name, "text") != NULL ||
                                                 strstr(name, "data") != NULL)};
    }
    return PTS_OK;
}

static pts_status segments_read(struct sym_elf *e)
{
    size_t count;
    if (elf_getphdrnum(e->elf, &count) != 0)
        return PTS_OK;
    for (size_t i = 0; i < count && i < SEGMENTS_MAX; i++) {
        GElf_Phdr ph;
        if (!gelf_getphdr(e->elf, (int)i, &ph))
            break;
        if (ph.p_type != PT_LOAD)
            continue;
        struct segment *s = VEC_PUSH(&e->segments);
        if (!s)
            return PTS_E_NOMEM;
        s->addr = ph.p_vaddr;
        /* As perf has it: an address in .bss has no bytes in the file, but a place
         * behind them. */
        s->size = ph.p_memsz > ph.p_filesz ? ph.p_memsz : ph.p_filesz;
        s->off = ph.p_offset;
    }
    return PTS_OK;
}

/* A recording without a build id takes any file; one with it only the very same, not
 * even one that has none. */
static pts_status headers_read(struct sym_elf *e, const struct build_id *id)
{
    GElf_Ehdr eh;
    if (!e->file.is_elf ||
        (id->len > 0 && (e->file.id.len == 0 || !build_id_same(id, &e->file.id))))
        return PTS_END;
    /* libelf gets the bytes that we mapped: no other look at a file that may change. */
    e->elf = elf_memory((char *)(uintptr_t)e->file.base, e->file.size);
    if (!e->elf || !gelf_getehdr(e->elf, &eh))
        return PTS_END;
    e->machine = eh.e_machine;
    e->type = eh.e_type;
    if (elf_getshdrstrndx(e->elf, &e->names) == 0) {
        e->symtab = table_named(e, ".symtab", SHT_SYMTAB);
        e->dynsym = table_named(e, ".dynsym", SHT_DYNSYM);
    }
    pts_status st = sections_read(e);
    return st < 0 ? st : segments_read(e);
}

pts_status sym_elf_of(struct image_elf *file, const struct build_id *id,
                      struct sym_elf **out)
{
    struct sym_elf *e = mem_zalloc(1, sizeof(*e));
    if (!e) {
        image_elf_close(file);
        return PTS_E_NOMEM;
    }
    e->file = *file;
    refused_watch();
    pts_status st = headers_read(e, id);
    refused_watched(NULL);
    if (st == PTS_OK)
        *out = e;
    else
        sym_elf_close(e);
    return st;
}

pts_status sym_elf_open(const char *path, const struct build_id *id,
                        struct sym_elf **out)
{
    struct image_elf file;
    if (image_elf_open(path, &file) != PTS_OK)
        return PTS_END;
    return sym_elf_of(&file, id, out);
}

void sym_elf_close(struct sym_elf *e)
{
    if (!e)
        return;
    elf_end(e->elf);
    image_elf_close(&e->file);
    VEC_FREE(&e->sections);
    VEC_FREE(&e->segments);
    mem_free(e);
}

bool sym_elf_has_symtab(const struct sym_elf *e)
{
    return e->symtab.scn != NULL;
}

bool sym_elf_has_dynsym(const struct sym_elf *e)
{
    return e->dynsym.scn != NULL;
}

uint16_t sym_elf_type(const struct sym_elf *e)
{
    return e->type;
}

uint64_t sym_elf_text_delta(const struct sym_elf *e)
{
    GElf_Shdr head;
    return section_named(e, ".text", &head) ? head.sh_addr - head.sh_offset : 0;
}

bool sym_elf_debuglink(const char *path, char name[PATH_MAX])
{
    static const struct build_id any;
    struct sym_elf *e;
    GElf_Shdr head;
    if (sym_elf_open(path, &any, &e) != PTS_OK)
        return false;
    refused_watch();
    Elf_Scn *scn = section_named(e, ".gnu_debuglink", &head);
    Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
    size_t n = data && data->d_buf ? strnlen(data->d_buf, data->d_size) : 0;
    /* A name that ends inside the section, and fits; what else is there (a checksum)
     * perf does not look at. */
    bool found = n > 0 && n < data->d_size && n < PATH_MAX;
    if (found)
        memcpy(name, data->d_buf, n + 1);
    refused_watched(NULL);
    sym_elf_close(e);
    return found;
}

/* A NUL-terminated string of a string table, or NULL. */
static const char *string_at(const Elf_Data *strings, uint64_t off, size_t *len)
{
    if (off >= strings->d_size)
        return NULL;
    const char *s = (const char *)strings->d_buf + off;
    size_t room = strings->d_size - (size_t)off;
    *len = strnlen(s, room);
    return *len < room ? s : NULL;
}

size_t sym_elf_section_at(const struct sym_elf *e, uint64_t addr, size_t after)
{
    for (size_t i = after + 1; i < e->sections.len; i++) {
        const struct section *s = &e->sections.at[i];
        if ((s->flags & SHF_ALLOC) && addr >= s->addr && addr - s->addr < s->size)
            return i;
    }
    return 0;
}

bool sym_elf_raw_open(const struct sym_elf *e, struct sym_raws *out)
{
    const struct table *t = e->symtab.scn ? &e->symtab : &e->dynsym;
    refused_watch();
    Elf_Scn *strings = t->scn ? elf_getscn(e->elf, t->head.sh_link) : NULL;
    Elf_Data *data = t->scn ? elf_getdata(t->scn, NULL) : NULL;
    Elf_Data *names = strings ? elf_getdata(strings, NULL) : NULL;
    size_t each = gelf_fsize(e->elf, ELF_T_SYM, 1, EV_CURRENT);
    refused_watched(NULL);
    if (!data || !names || !names->d_buf || !each)
        return false;
    *out = (struct sym_raws){data, names, data->d_size / each};
    return true;
}

bool sym_elf_raw(const struct sym_raws *raws, size_t i, struct sym_raw *out)
{
    Elf_Data *data = raws->data;
    GElf_Sym s;
    size_t len;
    if (i >= raws->count || i > INT32_MAX || !gelf_getsym(data, (int)i, &s))
        return false;
    const char *name = string_at(raws->names, s.st_name, &len);
    *out = (struct sym_raw){.value = s.st_value,
                            .size = s.st_size,
                            .name = name ? name : "",
                            .shndx = s.st_shndx,
                            .type = GELF_ST_TYPE(s.st_info),
                            .bind = GELF_ST_BIND(s.st_info),
                            .visibility = GELF_ST_VISIBILITY(s.st_other)};
    return true;
}

/* A reading of symbols on its way. */
struct sym_reading {
    const struct sym_elf *syms, *runtime;
    const struct sym_opts *opts;
    struct symtree *tree;
    /* Of .plt, which come behind the tables: room is made for them with those. */
    size_t slots;
};

/* Adds a symbol, which gets its readable name when somebody asks for it. */
static pts_status add_named(const struct sym_reading *in, const GElf_Sym *s,
                            const char *name, size_t len)
{
    const struct sym sym = {.start = s->st_value,
                            .end = s->st_value + s->st_size,
                            .len = sym_len(len),
                            .bind = GELF_ST_BIND(s->st_info),
                            .data = GELF_ST_TYPE(s->st_info) == STT_OBJECT,
                            .raw = in->opts->demangle};
    return symtree_add(in->tree, sym, name);
}

/* A name without a type, as assembler code has them; perf takes what is not hidden. */
static bool is_label(const GElf_Sym *s)
{
    unsigned visibility = GELF_ST_VISIBILITY(s->st_other);
    return GELF_ST_TYPE(s->st_info) == STT_NOTYPE && visibility != STV_HIDDEN &&
           visibility != STV_INTERNAL;
}

/* Data symbols too: perf keeps them in the same tree. */
static bool is_wanted(const GElf_Sym *s)
{
    unsigned type = GELF_ST_TYPE(s->st_info);
    if (s->st_name == 0 || s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS)
        return false;
    return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT ||
           is_label(s);
}

/* $a, $d, $t and $x mark kinds of code on ARM. */
static bool is_arm_mark(uint16_t machine, const char *name)
{
    return (machine == EM_ARM || machine == EM_AARCH64) && name[0] == '$' && name[1] &&
           strchr("adtx", name[1]) != NULL && (name[2] == '\0' || name[2] == '.');
}

static uint64_t file_offset(const struct sym_elf *runtime, const struct section *sec,
                            uint64_t value)
{
    for (size_t i = 0; i < runtime->segments.len; i++) {
        const struct segment *s = &runtime->segments.at[i];
        if (value >= s->addr && value - s->addr < s->size)
            return value - s->addr + s->off;
    }
    return value - sec->addr + sec->off;
}

/* Adds one entry of a table if it is of interest.  PTS_E_FORMAT: names a section that
 * does not exist. */
static pts_status entry_add(const struct sym_reading *in, GElf_Sym s,
                            const Elf_Data *strings)
{
    const struct sym_elf *syms = in->syms, *runtime = in->runtime;
    size_t len;
    const char *name = is_wanted(&s) ? string_at(strings, s.st_name, &len) : NULL;
    if (!name || is_arm_mark(syms->machine, name))
        return PTS_OK;
    if (s.st_shndx >= syms->sections.len)
        return PTS_E_FORMAT;
    const struct section *sec = &syms->sections.at[s.st_shndx];
    if (!(sec->flags & SHF_ALLOC))
        return PTS_OK;
    /* In a debug file sections keep their headers and lose their contents. */
    if (sec->type == SHT_NOBITS) {
        if (s.st_shndx >= runtime->sections.len)
            return PTS_E_FORMAT;
        sec = &runtime->sections.at[s.st_shndx];
    }
    if (GELF_ST_TYPE(s.st_info) == STT_NOTYPE && !sec->labels)
        return PTS_OK;
    if (syms->machine == EM_ARM && GELF_ST_TYPE(s.st_info) == STT_FUNC)
        /* Bit 0 of a function says Thumb. */
        s.st_value &= ~(uint64_t)1;
    s.st_value = file_offset(runtime, sec, s.st_value);
    return add_named(in, &s, name, len);
}

/* Names lie in any order, so that each would be waited for: some are asked for before the first of them is read. */
static pts_status entries_add(const struct sym_reading *in, Elf_Data *data,
                              size_t count, const Elf_Data *strings)
{
    enum { AHEAD = 32 };
    GElf_Sym some[AHEAD];
    size_t n = AHEAD;

    for (size_t i = 0; n == AHEAD; i += n) {
        for (n = 0; n < AHEAD && i + n < count && i + n < INT32_MAX &&
                    gelf_getsym(data, (int)(i + n), &some[n]);
             n++)
            if (some[n].st_name < strings->d_size)
                __builtin_prefetch((const char *)strings->d_buf + some[n].st_name);
        for (size_t k = 0; k < n; k++) {
            pts_status st = entry_add(in, some[k], strings);
            if (st < 0)
                return st;
        }
    }
    return PTS_OK;
}

/* Ends and duplicates are mended after each table, so a symbol of .dynsym meets only
 * what was left of .symtab. */
static pts_status table_read(const struct sym_reading *in, const struct table *table)
{
    const struct sym_elf *syms = in->syms;
    refused_watch();
    Elf_Data *data = elf_getdata(table->scn, NULL);
    Elf_Scn *strings_scn = elf_getscn(syms->elf, table->head.sh_link);
    Elf_Data *strings = strings_scn ? elf_getdata(strings_scn, NULL) : NULL;
    refused_watched(NULL);
    if (!data || !strings || !strings->d_buf)
        return PTS_E_FORMAT;
    size_t before = in->tree->syms.len;
    size_t each = gelf_fsize(syms->elf, ELF_T_SYM, 1, EV_CURRENT);
    size_t count = each ? data->d_size / each : 0;
    if (!symtree_room(in->tree, count + in->slots,
                      strings->d_size + in->slots * PLT_NAME_USUAL))
        return PTS_E_NOMEM;
    const pts_status st = entries_add(in, data, count, strings);
    if (st < 0)
        return st;
    image_elf_let_go(&syms->file); /* memory is needed most now, for the sorting */
    if (in->tree->syms.len > before) {
        symtree_fix_ends(in->tree);
        symtree_fix_duplicates(in->tree);
    }
    return PTS_OK;
}

/* Sizes of what comes before the first slot of .plt, and of a slot. */
struct plt_layout {
    uint64_t header, slot;
};

static struct plt_layout plt_layout(uint16_t machine, const GElf_Shdr *plt)
{
    switch (machine) {
    case EM_ARM:
        return (struct plt_layout){20, 12};
    case EM_AARCH64:
        return (struct plt_layout){32, 16};
    case EM_SPARC:
        return (struct plt_layout){48, 12};
    case EM_SPARCV9:
        return (struct plt_layout){128, 32};
    default:
        return (struct plt_layout){plt->sh_entsize, plt->sh_entsize};
    }
}

/* A call into a library goes by way of a slot of .plt, which jumps to an address that
 * the dynamic linker fills in.  Slots have no symbols; relocations say whose they are:
 *
 *     .plt        | header | slot 0 | slot 1 | ...
 *     .rela.plt            | rel. 0 | rel. 1 | ...     each names a symbol of .dynsym
 */
struct plt {
    Elf_Data *relocs, *syms, *strings;
    bool rela;
    size_t count;
    uint64_t at, slot;
};

/* False: this is not laid out as perf knows it. */
static bool plt_find(const struct sym_elf *e, struct plt *plt)
{
    GElf_Shdr rel, head;
    Elf_Scn *scn = section_named(e, ".rela.plt", &rel);
    if (!scn)
        scn = section_named(e, ".rel.plt", &rel);
    if (!scn || !e->dynsym.scn || rel.sh_link != elf_ndxscn(e->dynsym.scn) ||
        !section_named(e, ".plt", &head))
        return false;
    if ((rel.sh_type != SHT_RELA && rel.sh_type != SHT_REL) || rel.sh_entsize == 0)
        return false;
    Elf_Scn *strings = elf_getscn(e->elf, e->dynsym.head.sh_link);
    plt->relocs = elf_getdata(scn, NULL);
    plt->syms = elf_getdata(e->dynsym.scn, NULL);
    plt->strings = strings ? elf_getdata(strings, NULL) : NULL;
    if (!plt->relocs || !plt->syms || !plt->strings || !plt->strings->d_buf)
        return false;
    struct plt_layout layout = plt_layout(e->machine, &head);
    plt->rela = rel.sh_type == SHT_RELA;
    plt->count = rel.sh_size / rel.sh_entsize;
    plt->at = head.sh_offset + layout.header;
    plt->slot = layout.slot;
    return true;
}

static void plt_open(const struct sym_elf *e, struct plt *plt)
{
    *plt = (struct plt){0};
    refused_watch();
    if (!plt_find(e, plt))
        plt->count = 0;
    refused_watched(NULL);
}

/* The symbol index of relocation i; false behind the last one. */
static bool plt_symbol(const struct plt *plt, size_t i, int *index)
{
    GElf_Rela rela;
    GElf_Rel rel;
    if (i >= plt->count || i > INT32_MAX)
        return false;
    uint64_t info;
    if (plt->rela) {
        if (!gelf_getrela(plt->relocs, (int)i, &rela))
            return false;
        info = rela.r_info;
    } else {
        if (!gelf_getrel(plt->relocs, (int)i, &rel))
            return false;
        info = rel.r_info;
    }
    *index = (int)GELF_R_SYM(info);
    return true;
}

/* How many of its relocations the file has, whatever its headers say. */
static size_t plt_there(const struct sym_elf *e, const struct plt *plt)
{
    size_t each = gelf_fsize(e->elf, plt->rela ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
    size_t there = plt->count && each ? plt->relocs->d_size / each : 0;

    return there < plt->count ? there : plt->count;
}

/* Adds NAME@plt for slot i. */
static pts_status plt_add(const struct sym_reading *in, const struct plt *plt,
                          int index, uint64_t start)
{
    GElf_Sym s;
    size_t len;
    const char *name = index >= 0 && gelf_getsym(plt->syms, index, &s)
                           ? string_at(plt->strings, s.st_name, &len)
                           : NULL;
    if (!name)
        name = "";
    char text[PLT_NAME_MAX]; /* perf cuts there too */
    char *nice = in->opts->demangle ? demangle(name, in->opts->params) : NULL;
    snprintf(text, sizeof(text), "%s@plt", nice ? nice : name);
    mem_free(nice);
    const struct sym sym = {.start = start,
                            .end = start + plt->slot,
                            .len = sym_len(strlen(text)),
                            .bind = STB_GLOBAL};
    return symtree_add(in->tree, sym, text);
}

/* perf 6.1 knows one layout of .plt: slot n belongs to relocation n, in their order. */
static pts_status plt_read(const struct sym_reading *in, const struct plt *plt)
{
    int index;

    for (size_t i = 0; plt_symbol(plt, i, &index); i++) {
        pts_status st = plt_add(in, plt, index, plt->at + i * plt->slot);
        if (st < 0)
            return st;
    }
    return PTS_OK;
}

pts_status sym_elf_read(const struct sym_elf *syms, const struct sym_elf *runtime,
                        const struct sym_opts *opts, struct symtree *tree)
{
    struct plt plt;
    plt_open(runtime, &plt);
    const struct sym_reading in = {syms, runtime, opts, tree, plt_there(runtime, &plt)};
    tree->params = opts->params;
    pts_status st = syms->symtab.scn ? table_read(&in, &syms->symtab) : PTS_OK;
    if (st == PTS_OK && syms->dynsym.scn)
        st = table_read(&in, &syms->dynsym);
    return st == PTS_OK && tree->syms.len > 0 ? plt_read(&in, &plt) : st;
}
