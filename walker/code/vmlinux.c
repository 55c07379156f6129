/* vmlinux.c - the kernel as the file that it was linked as.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/vmlinux.h"

#include "decoder/base/refused.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>

enum { SECTIONS_MAX = 65536 };

static Elf *elf_of(const struct image_elf *file)
{
    /* libelf wants char *, but only reads. */
    return file->is_elf ? elf_memory((char *)(uintptr_t)file->base, file->size) : NULL;
}

static pts_status sections_read(Elf *elf, struct arena *arena, struct vmlinux *out)
{
    size_t names, count;

    if (elf_getshdrnum(elf, &count) != 0 || elf_getshdrstrndx(elf, &names) != 0 ||
        count > SECTIONS_MAX)
        return PTS_END;
    out->section = arena_alloc(arena, (count + 1) * sizeof(*out->section));
    if (!out->section)
        return PTS_E_NOMEM;
    for (out->count = 0; out->count < count; out->count++) {
        Elf_Scn *scn = elf_getscn(elf, out->count);
        GElf_Shdr head;
        const char *name = scn && gelf_getshdr(scn, &head)
                               ? elf_strptr(elf, names, head.sh_name)
                               : NULL;
        if (!name)
            continue;
        name = arena_strndup(arena, name, strlen(name));
        if (!name)
            return PTS_E_NOMEM;
        out->section[out->count] =
            (struct vmlinux_section){.name = name,
                                     .addr = head.sh_addr,
                                     .off = head.sh_offset,
                                     .size = head.sh_size,
                                     .loaded = head.sh_flags & SHF_ALLOC,
                                     .is_text = strcmp(name, ".text") == 0};
    }
    return PTS_OK;
}

/* The table of symbols and their names. */
static Elf_Data *symtab_of(Elf *elf, size_t *strings)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr head;

    while ((scn = elf_nextscn(elf, scn)) != NULL) {
        if (!gelf_getshdr(scn, &head) || head.sh_type != SHT_SYMTAB)
            continue;
        *strings = head.sh_link;
        return elf_getdata(scn, NULL);
    }
    return NULL;
}

static bool is_defined(const GElf_Sym *s)
{
    unsigned type = GELF_ST_TYPE(s->st_info);

    return s->st_name && s->st_shndx != SHN_UNDEF && s->st_shndx < SHN_LORESERVE &&
           (type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE ||
            type == STT_GNU_IFUNC);
}

static void mark_named(Elf *elf, struct vmlinux *out)
{
    size_t strings;
    Elf_Data *data = symtab_of(elf, &strings);
    GElf_Sym s;

    for (int i = 0; data && gelf_getsym(data, i, &s); i++)
        if (is_defined(&s) && s.st_shndx < out->count)
            out->section[s.st_shndx].named = true;
}

pts_status vmlinux_read(const struct image_elf *file, struct arena *arena,
                        struct vmlinux *out)
{
    *out = (struct vmlinux){0};
    refused_watch();
    Elf *elf = elf_of(file);
    pts_status st = elf ? sections_read(elf, arena, out) : PTS_END;
    if (st == PTS_OK)
        mark_named(elf, out);
    refused_watched(NULL);
    elf_end(elf);
    return st;
}

bool module_text(const struct image *im, uint64_t *off, uint64_t *size)
{
    struct arena arena = {0};
    struct vmlinux v;
    struct image_elf file;
    bool found = false;

    if (image_elf_of(im->base, im->size, &file) != PTS_OK ||
        vmlinux_read(&file, &arena, &v) != PTS_OK)
        v.count = 0;
    for (size_t i = 0; i < v.count && !found; i++) {
        const struct vmlinux_section *s = &v.section[i];
        found = s->is_text && s->off < im->size;
        *off = s->off;
        *size = s->size < im->size - s->off ? s->size : im->size - s->off;
    }
    arena_free(&arena);
    return found;
}

void vmlinux_symbols(const struct image_elf *file, vmlinux_symbol_fn *fn, void *ctx)
{
    size_t strings;
    GElf_Sym s;

    refused_watch();
    Elf *elf = elf_of(file);
    Elf_Data *data = elf ? symtab_of(elf, &strings) : NULL;
    for (int i = 0; data && gelf_getsym(data, i, &s); i++) {
        const char *name = is_defined(&s) ? elf_strptr(elf, strings, s.st_name) : NULL;
        if (name)
            fn(ctx, &(struct vmlinux_symbol){name, s.st_value,
                                             GELF_ST_BIND(s.st_info) == STB_GLOBAL});
    }
    refused_watched(NULL);
    elf_end(elf);
}
