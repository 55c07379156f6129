/* kcore_copy.c - the kernel's code out of an image of all memory.
 *
 * SPDX-License-Identifier: MIT
 *
 * No libelf: /proc/kcore can neither be mapped nor read from one end to the other.
 */
#include "walker/cache/kcore_copy.h"

#include "decoder/base/bytes.h"
#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "walker/cache/folder.h"
#include "walker/code/modules.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    PLACES_MAX = 2 + 8192, /* a trampoline for each processor */
    PARTS_MAX = 2 * PLACES_MAX,
    PIECE = 1 << 16
};
_Static_assert((int)PARTS_MAX < (int)PN_XNUM, "more would need another header");
static const uint64_t copy_most = UINT64_C(4) << 30;

/* Where code is: that of the kernel, of modules, trampolines.  end: UINT64_MAX for all that
 * follows; none: it is that of start. */
enum { KERNEL, MODULES };
struct place {
    uint64_t start, end;
};

/* A place in a segment, and where its bytes go. */
struct part {
    uint64_t addr, len, from, to;
    bool again; /* the bytes are those of a part in front */
};

struct copying {
    int from, to;
    struct pts_diag *why;
    VEC(struct place) place;
    VEC(struct part) part;
    uint64_t end; /* of what was given out of the new file */
};

static pts_status bad(const struct copying *c, const char *what)
{
    return diag_set(c->why, PTS_E_FORMAT, UINT64_MAX, "%s", what);
}

static uint64_t page_of(uint64_t addr)
{
    return addr & ~(uint64_t)(PAGE - 1);
}

/* The page behind, 0 when there is none. */
static uint64_t page_behind(uint64_t addr)
{
    return page_of(addr + PAGE - 1);
}

/* --- Where code is ---------------------------------------------------------------- */

/* What the list of symbols tells; 0: it does not. */
struct told {
    uint64_t stext, etext, first, last; /* of the kernel */
    uint64_t first_module, last_module; /* symbols of modules */
};

static pts_status place_add(struct copying *c, uint64_t start, uint64_t end)
{
    if (c->place.len == PLACES_MAX)
        return bad(c, "kallsyms has too many trampolines");
    struct place *p = VEC_PUSH(&c->place);
    if (!p)
        return PTS_E_NOMEM;
    *p = (struct place){start, end};
    return PTS_OK;
}

static void widen(uint64_t *first, uint64_t *last, uint64_t addr)
{
    if (!*first || addr < *first)
        *first = addr;
    if (addr > *last)
        *last = addr;
}

static pts_status symbol_take(struct copying *c, const struct kallsym *s,
                              struct told *told)
{
    size_t n;

    if (!kallsym_is_code(s))
        return PTS_OK;
    if (kallsym_module(s, &n))
        widen(&told->first_module, &told->last_module, s->addr);
    else if (kallsym_is(s, "_stext"))
        told->stext = s->addr;
    else if (kallsym_is(s, "_etext"))
        told->etext = s->addr;
    else if (kallsym_is(s, "__entry_SYSCALL_64_trampoline"))
        return place_add(c, page_of(s->addr), UINT64_MAX);
    if (s->addr && !kallsym_module(s, &n))
        widen(&told->first, &told->last, s->addr);
    return PTS_OK;
}

static pts_status modules_place(struct copying *c, const struct told *told,
                                const struct whole *modules)
{
    struct modules_iter it = modules_begin(modules);
    struct module_line line;
    uint64_t first = told->first_module;

    while (modules_next(&it, &line))
        if (line.start && (!first || line.start < first))
            first = line.start;
    if (!first)
        return PTS_OK;
    if (!told->last_module)
        return bad(c, "kallsyms has no symbol of the modules");
    c->place.at[MODULES] =
        (struct place){page_of(first), page_behind(told->last_module) + PAGE};
    return PTS_OK;
}

static pts_status places_find(struct copying *c, const struct kallsyms *names,
                              const struct whole *modules)
{
    struct kallsyms_iter it = kallsyms_begin(names);
    struct told told = {0};
    struct kallsym s;
    pts_status st = place_add(c, 0, 0);

    if (st == PTS_OK)
        st = place_add(c, 0, 0);
    while (st == PTS_OK && kallsyms_next(&it, &s))
        st = symbol_take(c, &s, &told);
    if (st < 0)
        return st;
    if (!told.first)
        return bad(c, "kallsyms has no functions");
    uint64_t start = page_of(told.stext ? told.stext : told.first);
    uint64_t end = told.etext ? page_behind(told.etext) : page_behind(told.last) + PAGE;
    if (start >= end)
        return bad(c, "kallsyms does not say where the kernel is");
    c->place.at[KERNEL] = (struct place){start, end};
    return modules_place(c, &told, modules);
}

/* --- Where it is in the file ------------------------------------------------------ */

/* n bytes at off, or an end too early. */
static pts_status read_at(const struct copying *c, void *to, size_t n, uint64_t off)
{
    uint8_t *p = to;

    while (n) {
        ssize_t got = pread(c->from, p, n, (off_t)off);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            refused_file("kcore", errno);
            return bad(c, "kcore cannot be read");
        }
        if (!got)
            return bad(c, "kcore ends too early");
        p += got;
        off += (uint64_t)got;
        n -= (size_t)got;
    }
    return PTS_OK;
}

/* What is there of one that lies in another is not written twice. */
static void part_place(struct copying *c, size_t k)
{
    struct part *p = &c->part.at[k];

    for (size_t i = 0; i < k && !p->again; i++) {
        const struct part *in = &c->part.at[i];
        if (p->from < in->from || p->from - in->from > in->len ||
            p->len > in->len - (p->from - in->from))
            continue;
        p->to = in->to + (p->from - in->from);
        p->again = true;
    }
    if (p->again)
        return;
    p->to = c->end;
    c->end += p->len;
}

static pts_status segment_take(struct copying *c, const Elf64_Phdr *ph)
{
    for (size_t i = 0; ph->p_type == PT_LOAD && i < c->place.len; i++) {
        const struct place *place = &c->place.at[i];
        if (place->start >= place->end || place->start < ph->p_vaddr ||
            place->start - ph->p_vaddr >= ph->p_filesz)
            continue;
        uint64_t skipped = place->start - ph->p_vaddr, left = ph->p_filesz - skipped,
                 wanted = place->end - place->start;
        if (c->part.len == PARTS_MAX || ph->p_offset > INT64_MAX ||
            ph->p_filesz > INT64_MAX - ph->p_offset)
            return bad(c, "kcore is damaged: its segments are impossible");
        struct part *p = VEC_PUSH(&c->part);
        if (!p)
            return PTS_E_NOMEM;
        *p = (struct part){.addr = place->start,
                           .len = left < wanted ? left : wanted,
                           .from = ph->p_offset + skipped};
    }
    return PTS_OK;
}

static pts_status parts_find(struct copying *c, const Elf64_Ehdr *eh)
{
    Elf64_Phdr ph;
    pts_status st = PTS_OK;

    for (uint64_t i = 0; st == PTS_OK && i < eh->e_phnum; i++) {
        st = read_at(c, &ph, sizeof(ph), eh->e_phoff + i * sizeof(ph));
        if (st == PTS_OK)
            st = segment_take(c, &ph);
    }
    if (st < 0)
        return st;
    /* The headers first, up to a page. */
    c->end = page_behind(sizeof(*eh) + c->part.len * sizeof(ph));
    bool has_kernel = false;
    for (size_t i = 0; i < c->part.len; i++) {
        has_kernel |= c->part.at[i].addr == c->place.at[KERNEL].start;
        part_place(c, i);
        if (c->part.at[i].len > copy_most || c->end > copy_most)
            return diag_set(c->why, PTS_E_RANGE, UINT64_MAX,
                            "kcore has more code than any kernel");
    }
    return has_kernel ? PTS_OK : bad(c, "kcore does not have the kernel of kallsyms");
}

/* --- The copy --------------------------------------------------------------------- */

static pts_status put(const struct copying *c, const void *bytes, size_t n)
{
    char text[128];
    int err = folder_put(c->to, bytes, n);

    return err ? diag_set(c->why, PTS_E_IO, UINT64_MAX, "kcore: %s",
                          strerror_r(err, text, sizeof(text)))
               : PTS_OK;
}

static pts_status headers_put(const struct copying *c, const Elf64_Ehdr *from)
{
    static const uint8_t zeros[PAGE];
    const Elf64_Half count = (Elf64_Half)c->part.len;
    const Elf64_Ehdr eh = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                    EV_CURRENT},
        .e_type = from->e_type,
        .e_machine = from->e_machine,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof(eh),
        .e_ehsize = sizeof(eh),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = count,
    };
    pts_status st = put(c, &eh, sizeof(eh));

    for (size_t i = 0; st == PTS_OK && i < c->part.len; i++) {
        const struct part *p = &c->part.at[i];
        const Elf64_Phdr ph = {.p_type = PT_LOAD,
                               .p_flags = PF_R | PF_W | PF_X,
                               .p_offset = p->to,
                               .p_vaddr = p->addr,
                               .p_filesz = p->len,
                               .p_memsz = p->len,
                               .p_align = PAGE};
        st = put(c, &ph, sizeof(ph));
    }
    const uint64_t n = sizeof(eh) + c->part.len * sizeof(Elf64_Phdr);
    return st == PTS_OK ? put(c, zeros, (size_t)(page_behind(n) - n)) : st;
}

static pts_status part_put(const struct copying *c, const struct part *p, uint8_t *buf)
{
    pts_status st = PTS_OK;

    for (uint64_t done = 0; st == PTS_OK && done < p->len && !p->again;) {
        uint64_t left = p->len - done;
        size_t n = left < PIECE ? (size_t)left : PIECE;
        st = read_at(c, buf, n, p->from + done);
        if (st == PTS_OK)
            st = put(c, buf, n);
        done += n;
    }
    return st;
}

static pts_status copy(struct copying *c, uint8_t *buf)
{
    Elf64_Ehdr eh;
    pts_status st = read_at(c, &eh, sizeof(eh), 0);

    if (st == PTS_OK &&
        (memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 ||
         eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB ||
         eh.e_phentsize != sizeof(Elf64_Phdr) || eh.e_phoff > INT64_MAX / 2))
        return bad(c, "kcore is no 64-bit ELF file of this kind of machine");
    if (st == PTS_OK)
        st = parts_find(c, &eh);
    if (st == PTS_OK)
        st = headers_put(c, &eh);
    for (size_t i = 0; st == PTS_OK && i < c->part.len; i++)
        st = part_put(c, &c->part.at[i], buf);
    return st;
}

pts_status kcore_copy(int from, int to, const struct kallsyms *names,
                      const struct whole *modules, struct pts_diag *why)
{
    struct copying c = {.from = from, .to = to, .why = why};
    uint8_t *buf = mem_resize(NULL, PIECE, 1);
    pts_status st = buf ? places_find(&c, names, modules) : PTS_E_NOMEM;

    if (st == PTS_OK)
        st = copy(&c, buf);
    VEC_FREE(&c.place);
    VEC_FREE(&c.part);
    mem_free(buf);
    return st;
}
