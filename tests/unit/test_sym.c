/* test_sym.c - demangling, JIT map files, symbols of sound and broken ELF files.
 *
 * SPDX-License-Identifier: MIT
 *
 * What perf prints is compared in tests/oracle/symbols.py; here is what must not need
 * it.
 */
#include "synth/symbol/sym_elf.h"

#include "decoder/base/arena.h"
#include "synth/symbol/demangle.h"
#include "synth/symbol/sym_load.h"
#include "synth/symbol/sym_map.h"
#include "tests/lib/mkelf.h"
#include "tests/lib/symfind.h"
#include "tests/lib/t.h"

#include <stdlib.h>

static void demangles(const char *name, const char *want)
{
    char *got = demangle(name, false);
    STREQ(got ? got : "(none)", want);
    mem_free(got);
}

T(demangle_names)
{
    demangles("main", "(none)");
    demangles("_Z3addii.cold", "add");
    demangles("_ZN3fooIiE3barEv.part.0", "foo<int>::bar");
    demangles("_ZTV3foo", "vtable for foo");
    demangles("_ZN4core3fmt9Formatter3new17h0123456789abcdefE",
              "core::fmt::Formatter::new");
    demangles("camlStdlib__List__map_123", "Stdlib.List.map_123");
    demangles("camlFoo$2bx", "Foo+x");
    demangles("camlfoo", "(none)");
    demangles("Lorg/foo/Bar;baz(ILjava/lang/String;[J)V",
              "org.foo.Bar.baz(int, java.lang.String, long[])");
    demangles("Lorg/foo/Bar;<init>()V", "org.foo.Bar<init>()");
    demangles("Ljava/lang/String;", "(none)");
    char *full = demangle("_ZN3fooIiE3barEv.part.0", true);
    STREQ(full, "foo<int>::bar() [clone .part.0]");
    mem_free(full);
}

static const char *map_name(const char *text, uint64_t addr)
{
    static char name[64];
    struct symtree tree;
    symtree_init(&tree);
    char *copy = malloc(strlen(text) + 1); /* no NUL behind it */
    memcpy(copy, text, strlen(text));
    EQ(sym_map_parse(copy, strlen(text), &tree), PTS_OK);
    free(copy);
    uint32_t at = symtree_find(&tree, addr);
    snprintf(name, sizeof(name), "%s", at == SYM_NONE ? "" : symtree_name(&tree, at));
    symtree_free(&tree);
    return name;
}

T(map_lines)
{
    STREQ(map_name("10 8 some name\n", 0x17), "some name");
    STREQ(map_name("10 8 some name\n", 0x18), "");
    STREQ(map_name("0x10 0x8 abc", 0x10), "");
    STREQ(map_name("0x10 0x8 abcd", 0x10), "abc");
    STREQ(map_name("10 8 ab\n20 0 abc\n", 0x10), "");
    STREQ(map_name("10 8 ab\n20 0 abc\n", 0x20), "abc");
    STREQ(map_name("", 0), "");
    STREQ(map_name("\n\n1", 1), "");
}

struct wish {
    const char *name;
    uint8_t info, other;
    uint16_t shndx;
    uint64_t value, size;
};

/* A file with .text 0x1000, .init 0x1100 and a symbol table; file offset = address. */
static size_t file_with(struct mkelf *e, const struct wish *w, size_t n)
{
    static uint8_t zeros[0x100];
    Elf64_Sym syms[16] = {{0}};
    char names[256] = "";
    size_t at = 1;
    memset(e, 0, sizeof(*e));
    mkelf_sec(e, ".text", SHT_PROGBITS, SHF_ALLOC, 0x1000, zeros, sizeof(zeros));
    mkelf_sec(e, ".init", SHT_PROGBITS, SHF_ALLOC, 0x1100, zeros, sizeof(zeros));
    for (size_t i = 0; i < n; i++) {
        syms[i + 1] = (Elf64_Sym){.st_name = (Elf64_Word)at,
                                  .st_info = w[i].info,
                                  .st_other = w[i].other,
                                  .st_shndx = w[i].shndx,
                                  .st_value = w[i].value,
                                  .st_size = w[i].size};
        memcpy(names + at, w[i].name, strlen(w[i].name) + 1);
        at += strlen(w[i].name) + 1;
    }
    unsigned str = mkelf_sec(e, ".strtab", SHT_STRTAB, 0, 0, names, at);
    unsigned tab =
        mkelf_sec(e, ".symtab", SHT_SYMTAB, 0, 0, syms, (n + 1) * sizeof(*syms));
    e->sec[tab].sh_link = str;
    e->sec[tab].sh_entsize = sizeof(*syms);
    return mkelf_finish(e, ET_EXEC);
}

static pts_status load(const void *bytes, size_t n, struct symtree *tree)
{
    static const struct build_id any;
    static const struct sym_opts opts = {.demangle = true};
    struct image_elf file;
    struct sym_elf *e;
    symtree_init(tree);
    pts_status st = image_elf_of(bytes, n, &file);
    if (st == PTS_OK)
        st = sym_elf_of(&file, &any, &e);
    if (st != PTS_OK)
        return st;
    st = sym_elf_read(e, e, &opts, tree);
    sym_elf_close(e);
    return st;
}

static const struct wish wishes[] = {
    {"func",     ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),   0,          1,       0x1000, 0x10},
    {"object",   ELF64_ST_INFO(STB_LOCAL,  STT_OBJECT), 0,          1,       0x1010, 0x10},
    {"label",    ELF64_ST_INFO(STB_LOCAL,  STT_NOTYPE), 0,          1,       0x1020, 0   },
    {"hidden",   ELF64_ST_INFO(STB_LOCAL,  STT_NOTYPE), STV_HIDDEN, 1,       0x1030, 0   },
    {"in_init",  ELF64_ST_INFO(STB_LOCAL,  STT_NOTYPE), 0,          2,       0x1100, 0   },
    {"_Z1fv",    ELF64_ST_INFO(STB_WEAK,   STT_FUNC),   0,          2,       0x1110, 4   },
    {"absolute", ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),   0,          SHN_ABS, 0x1050, 4   },
    {"tls",      ELF64_ST_INFO(STB_GLOBAL, STT_TLS),    0,          1,       0x1060, 4   },
};

static const char *elf_name(struct symtree *tree, const struct mkelf *e, uint64_t addr)
{
    uint32_t at = symtree_find(tree, addr - 0x1000 + e->sec[1].sh_offset);
    return at == SYM_NONE ? "" : symtree_name(tree, at);
}

T(elf_symbols)
{
    static struct mkelf e;
    struct symtree tree;
    size_t n = file_with(&e, wishes, sizeof(wishes) / sizeof(wishes[0]));
    EQ(load(e.bytes, n, &tree), PTS_OK);
    STREQ(elf_name(&tree, &e, 0x1000), "func");
    STREQ(elf_name(&tree, &e, 0x100f), "func");
    STREQ(elf_name(&tree, &e, 0x1010), "object");
    STREQ(elf_name(&tree, &e, 0x1020), "label");
    STREQ(elf_name(&tree, &e, 0x1030), "label"); /* it stretches up to the next */
    STREQ(elf_name(&tree, &e, 0x1100), "label");
    STREQ(elf_name(&tree, &e, 0x1110), "_Z1fv");
    STREQ(elf_name(&tree, &e, 0x1114), "");
    symtree_free(&tree);
}

static const char *table_name(const struct symtab *t, const struct mkelf *e,
                              uint64_t addr)
{
    const struct sym *s = symtab_find(t, addr - 0x1000 + e->sec[1].sh_offset);
    return s ? symtab_name(t, s) : "";
}

T(names_are_made_readable_once)
{
    static const struct sym_origin nowhere;
    static struct mkelf e;
    struct symtree tree;
    struct symtab *t;
    size_t n = file_with(&e, wishes, sizeof(wishes) / sizeof(wishes[0]));
    EQ(load(e.bytes, n, &tree), PTS_OK);
    EQ(symtab_from(&tree, &nowhere, &t), PTS_OK);
    const char *name = table_name(t, &e, 0x1110);
    STREQ(name, "f");
    CHECK(table_name(t, &e, 0x1111) == name);
    STREQ(table_name(t, &e, 0x1000), "func");
    symtab_free(t);
}

/* Of two with one start the longer readable name is kept, which may have the shorter one in the file. */
T(duplicates_are_chosen_by_readable_names)
{
    static const struct wish w[] = {
        {"_Z1fv",      ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0x1000, 0x10},
        {"first",      ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0x1000, 0x10},
        {"_ZTV3foo",   ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0x1010, 0x10},
        {"ten_bytes_", ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0x1010, 0x10},
    };
    static const struct sym_origin nowhere;
    static struct mkelf e;
    struct symtree tree;
    struct symtab *t;
    size_t n = file_with(&e, w, sizeof(w) / sizeof(w[0]));
    EQ(load(e.bytes, n, &tree), PTS_OK);
    EQ(symtab_from(&tree, &nowhere, &t), PTS_OK);
    STREQ(table_name(t, &e, 0x1000), "first");
    STREQ(table_name(t, &e, 0x1010), "vtable for foo");
    symtab_free(t);
}

T(elf_missing_section_stops)
{
    static const struct wish w[] = {
        {"first",  ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),   0, 1,          0x1000, 0x10},
        {"common", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 0, SHN_COMMON, 0,      0x10},
        {"after",  ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),   0, 1,          0x1010, 0x10},
    };
    static struct mkelf e;
    struct symtree tree;
    size_t n = file_with(&e, w, 3);
    EQ(load(e.bytes, n, &tree), PTS_E_FORMAT);
    EQ(tree.syms.len, 1);
    symtree_free(&tree);
}

/* Any byte changed to something nasty, and any length: no harm, no endless loop. */
T(elf_broken)
{
    static struct mkelf e;
    size_t n = file_with(&e, wishes, sizeof(wishes) / sizeof(wishes[0]));
    struct symtree tree;
    for (size_t cut = 1; cut < n; cut++) {
        uint8_t *copy = malloc(cut);
        memcpy(copy, e.bytes, cut);
        (void)load(copy, cut, &tree);
        symtree_free(&tree);
        free(copy);
    }
    for (size_t i = 0; i < n; i++) {
        static const uint8_t with[] = {0, 1, 0x7f, 0x80, 0xff};
        for (size_t k = 0; k < sizeof(with); k++) {
            uint8_t was = e.bytes[i];
            e.bytes[i] = with[k];
            (void)load(e.bytes, n, &tree);
            symtree_free(&tree);
            e.bytes[i] = was;
        }
    }
}

T(nothing_there)
{
    struct sym_opts opts = {.files = {.symfs = "/nonexistent"}};
    struct sym_want want = {.name = "/no/such/file"};
    struct symtab *t;
    EQ(symtab_load(&opts, &want, &t), PTS_OK);
    CHECK(symtab_find(t, 0) == NULL);
    STREQ(symtab_file(t), "");
    CHECK(!symtab_failed(t));
    symtab_free(t);
}

T_RUN(T_CASE(demangle_names), T_CASE(map_lines), T_CASE(elf_symbols),
      T_CASE(names_are_made_readable_once),
      T_CASE(duplicates_are_chosen_by_readable_names),
      T_CASE(elf_missing_section_stops), T_CASE(elf_broken), T_CASE(nothing_there))
