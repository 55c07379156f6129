/* line_func.c - the functions in the debug information of a unit.
 *
 * SPDX-License-Identifier: MIT
 *
 * Which function an address belongs to is decided by the smallest range of code that
 * holds it, whatever encloses what; only then is an inlined one followed to those
 * around it.
 */
#include "synth/symbol/line_func.h"

#include "decoder/base/vec.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

enum { DEEPEST = 256, MOST_RANGES = 1 << 21 };

/* Languages whose functions are called in the program what they are called by linkers;
 * in others the name of a function without a linkage name is not to be trusted, and
 * addr2line takes that of the closest symbol. */
static bool is_plain(Dwarf_Die *unit)
{
    switch (dwarf_srclang(unit)) {
    case DW_LANG_C89:
    case DW_LANG_C:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case DW_LANG_Ada83:
    case DW_LANG_Cobol74:
    case DW_LANG_Cobol85:
    case DW_LANG_Fortran77:
    case DW_LANG_Pascal83:
    case DW_LANG_PLI:
    case DW_LANG_UPC:
    case DW_LANG_Mips_Assembler:
        return true;
    default:
        return false;
    }
}

/* An inlined copy says little itself: attributes are looked for in what it refers to,
 * too. */
static const char *text_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attr;

    return dwarf_formstring(dwarf_attr_integrate(die, name, &attr));
}

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attr;
    Dwarf_Word v = 0;

    if (dwarf_formudata(dwarf_attr(die, name, &attr), &v) != 0)
        return 0;
    return v;
}

/* A unit that is being read. */
struct reading {
    struct line_funcs *to;
    const struct line_files *files;
    bool plain;
};

static void read_func(const struct reading *in, Dwarf_Die *die, struct line_func *f)
{
    uint64_t file = number_of(die, DW_AT_call_file);

    f->name = text_of(die, DW_AT_linkage_name);
    if (!f->name)
        f->name = text_of(die, DW_AT_MIPS_linkage_name);
    f->is_linkage = f->name != NULL;
    if (!f->name) {
        f->name = text_of(die, DW_AT_name);
        f->is_linkage = f->name && in->plain;
    }
    f->is_inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;
    f->call_file = file < in->files->len ? in->files->at[file] : NULL;
    f->call_line = (uint32_t)number_of(die, DW_AT_call_line);
}

/* Ranges by index (as clang writes them in DWARF 5) are none to addr2line, which then has
 * no idea where the code is. */
bool line_ranges_known(void *die)
{
    Dwarf_Attribute attr;

    return dwarf_hasattr(die, DW_AT_high_pc) || !dwarf_attr(die, DW_AT_ranges, &attr) ||
           dwarf_whatform(&attr) != DW_FORM_rnglistx;
}

/* The range of those from `first` on that ends where lo..hi begins, or begins where it
 * ends: the first or one of the last, for a list may be long. */
static struct line_range *neighbour(const struct line_ranges *code, size_t first,
                                    uint64_t lo, uint64_t hi)
{
    enum { LAST = 32 };

    for (size_t i = first; i < code->len; i++) {
        if (code->at[i].hi == lo || code->at[i].lo == hi)
            return &code->at[i];
        if (i == first && code->len - first > LAST)
            i = code->len - LAST;
    }
    return NULL;
}

/* addr2line goes by the lengths of ranges, those that touch put together. */
static pts_status add_code(struct line_ranges *code, size_t first, uint64_t lo,
                           uint64_t hi, uint32_t owner)
{
    struct line_range *r = lo < hi ? neighbour(code, first, lo, hi) : NULL;

    if (!r)
        return line_ranges_add(code, lo, hi, owner);
    if (r->hi == lo)
        r->hi = hi;
    else
        r->lo = lo;
    return PTS_OK;
}

/* The code of function `owner`; many may share a long list of ranges, but no sound file
 * has that many. */
static pts_status read_code(struct line_funcs *to, Dwarf_Die *die, uint32_t owner)
{
    Dwarf_Addr base, lo, hi;
    ptrdiff_t at = 0;
    size_t first = to->code.len;
    pts_status st = PTS_OK;

    if (!line_ranges_known(die))
        return PTS_OK;
    for (uint32_t n = 0;
         st == PTS_OK && n < MOST_RANGES && to->code.len < MOST_RANGES &&
         (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0;
         n++)
        st = add_code(&to->code, first, lo, hi, owner);
    if (to->code.len > first)
        to->at[owner].low = to->code.at[first].lo;
    return st;
}

/* *number: of the function that die is, or (as it comes in) of the one around it. */
static pts_status add_func(const struct reading *in, Dwarf_Die *die, uint32_t *number)
{
    struct line_funcs *to = in->to;
    int tag = dwarf_tag(die);

    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine &&
        tag != DW_TAG_entry_point)
        return PTS_OK;
    struct line_func *f = VEC_PUSH(to);
    if (!f)
        return PTS_E_NOMEM;
    *f = (struct line_func){0};
    read_func(in, die, f);
    f->caller = f->is_inlined ? *number : 0;
    *number = (uint32_t)to->len;
    return read_code(to, die, *number - 1);
}

/* All of a unit, level by level; what is nested too deep is left out. */
static pts_status read_all(const struct reading *in, Dwarf_Die *unit)
{
    struct {
        Dwarf_Die die;
        uint32_t around; /* number of the function around it */
    } stack[DEEPEST];
    size_t depth = 0;
    pts_status st = PTS_OK;

    stack[0].around = 0;
    if (dwarf_child(unit, &stack[0].die) == 0)
        depth = 1;
    while (depth && st == PTS_OK) {
        uint32_t number = stack[depth - 1].around;
        st = add_func(in, &stack[depth - 1].die, &number);
        if (depth < DEEPEST &&
            dwarf_child(&stack[depth - 1].die, &stack[depth].die) == 0) {
            stack[depth++].around = number;
            continue;
        }
        while (depth &&
               dwarf_siblingof(&stack[depth - 1].die, &stack[depth - 1].die) != 0)
            depth--;
    }
    return st;
}

pts_status line_funcs_read(struct line_funcs *f, struct Dwarf_CU *unit,
                           const struct line_files *files)
{
    Dwarf_Die die;

    f->read = true;
    if (!dwarf_cu_die(unit, &die, NULL, NULL, NULL, NULL, NULL, NULL))
        return PTS_OK;
    const struct reading in = {f, files, is_plain(&die)};
    pts_status st = read_all(&in, &die);
    line_ranges_sort(&f->code);
    return st;
}

void line_funcs_free(struct line_funcs *f)
{
    VEC_FREE(&f->code);
    VEC_FREE(f);
}

/* Of two ranges of one length the function that comes later in the information wins:
 * it is nested in the other. */
struct line_func *line_funcs_find(const struct line_funcs *f, uint64_t addr)
{
    const struct line_range *best = NULL;

    for (size_t i = line_ranges_before(&f->code, addr); i > 0; i--) {
        const struct line_range *r = &f->code.at[i - 1];
        if (r->reach <= addr)
            break;
        if (r->hi <= addr)
            continue;
        uint64_t len = r->hi - r->lo, least = best ? best->hi - best->lo : UINT64_MAX;
        if (!best || len < least || (len == least && r->owner > best->owner))
            best = r;
    }
    return best ? &f->at[best->owner] : NULL;
}

struct line_func *line_funcs_caller(const struct line_funcs *f,
                                    const struct line_func *inlined)
{
    return inlined->caller ? &f->at[inlined->caller - 1] : NULL;
}
