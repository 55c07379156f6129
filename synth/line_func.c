/* line_func.c - the functions in debug information, looked up as addr2line does.
 *
 * SPDX-License-Identifier: MIT
 *
 * Which function an address belongs to is decided by the smallest range of code that
 * holds it, whatever encloses what; only then is an inlined one followed to those
 * around it.
 */
#include "synth/line_table_priv.h"

#include <dwarf.h>

enum { DEEPEST = 256, MOST_RANGES = 1 << 21 };

/* Languages whose functions are called in the program what they are called by linkers.
 */
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

static void read_func(const struct unit *u, Dwarf_Die *die, struct line_func *f)
{
    uint64_t file = number_of(die, DW_AT_call_file);
    Dwarf_Die unit = u->die;

    f->name = text_of(die, DW_AT_linkage_name);
    if (!f->name)
        f->name = text_of(die, DW_AT_MIPS_linkage_name);
    f->is_linkage = f->name != NULL;
    if (!f->name) {
        f->name = text_of(die, DW_AT_name);
        f->is_linkage = f->name && is_plain(&unit);
    }
    f->is_inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;
    f->call_file = file < u->files.len ? u->files.at[file] : NULL;
    f->call_line = (uint32_t)number_of(die, DW_AT_call_line);
}

/* *number: of the function that die is, or (as it comes in) of the one around it. */
static pts_status add_func(struct unit *u, Dwarf_Die *die, uint32_t *number)
{
    int tag = dwarf_tag(die);
    Dwarf_Addr base, lo, hi;
    ptrdiff_t at = 0;
    pts_status st = PTS_OK;
    bool first = true;

    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine &&
        tag != DW_TAG_entry_point)
        return PTS_OK;
    if (!vec_room((void **)&u->func, &u->func_cap, u->funcs + 1, sizeof(*u->func)))
        return PTS_E_NOMEM;
    struct line_func *f = &u->func[u->funcs++];
    *f = (struct line_func){0};
    read_func(u, die, f);
    f->caller = f->is_inlined ? *number : 0;
    *number = (uint32_t)u->funcs;
    /* many may share a long list of ranges: no sound file has that many */
    while (st == PTS_OK && u->code.len < MOST_RANGES &&
           (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
        if (first)
            f->low = lo;
        first = false;
        st = ranges_add(&u->code, lo, hi, *number - 1);
    }
    return st;
}

/* All of a unit, level by level; what is nested too deep is left out. */
static pts_status read_funcs(struct unit *u)
{
    struct {
        Dwarf_Die die;
        uint32_t around; /* number of the function around it */
    } stack[DEEPEST];
    size_t depth = 0;
    pts_status st = PTS_OK;

    u->funcs_read = true;
    stack[0].around = 0;
    if (dwarf_child(&u->die, &stack[0].die) == 0)
        depth = 1;
    while (depth && st == PTS_OK) {
        uint32_t number = stack[depth - 1].around;
        st = add_func(u, &stack[depth - 1].die, &number);
        if (depth < DEEPEST &&
            dwarf_child(&stack[depth - 1].die, &stack[depth].die) == 0) {
            stack[depth++].around = number;
            continue;
        }
        while (depth &&
               dwarf_siblingof(&stack[depth - 1].die, &stack[depth - 1].die) != 0)
            depth--;
    }
    ranges_sort(&u->code);
    return st;
}

pts_status line_table_function(struct line_table *t, uint64_t addr,
                               struct line_func **out)
{
    struct unit *u = &t->units.at[t->found];
    pts_status st = u->funcs_read ? PTS_OK : read_funcs(u);
    const struct range *best = NULL;

    *out = NULL;
    for (size_t i = ranges_before(&u->code, addr); i > 0; i--) {
        const struct range *r = &u->code.at[i - 1];
        if (r->reach <= addr)
            break;
        if (r->hi <= addr)
            continue;
        uint64_t len = r->hi - r->lo, least = best ? best->hi - best->lo : UINT64_MAX;
        if (!best || len < least || (len == least && r->unit > best->unit))
            best = r;
    }
    if (best)
        *out = &u->func[best->unit];
    return st;
}

struct line_func *line_table_caller(struct line_table *t, const struct line_func *f)
{
    struct unit *u = &t->units.at[t->found];

    return f->caller ? &u->func[f->caller - 1] : NULL;
}
