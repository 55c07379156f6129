/* line_table.c - the rows of DWARF line tables, looked up as addr2line does.
 *
 * SPDX-License-Identifier: MIT
 *
 * Units claim ranges of addresses; which unit an address belongs to is found in a
 * sorted table of these (line_ranges.h).  A unit's rows are read when an address first
 * comes to it, sequence by sequence:
 *
 *     addr   1000   1004   1010   1018 | 2000   2008   2010
 *     line     17     18     17    end |   21     22    end
 *            '--- sequence ----------'   '--- sequence ----'    1010..1017 is line 17
 *
 * Two things of binutils 2.40 are kept because perf shows them: a unit also answers for
 * what its rows cover beyond its claims, but only once they were read; and first_files.
 */
#include "synth/symbol/line_table.h"

#include "decoder/base/arena.h"
#include "decoder/base/refused.h"
#include "decoder/base/sys.h"
#include "decoder/base/vec.h"
#include "synth/symbol/line_unpack.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct unit {
    Dwarf_Die die;
    Dwarf_Half version;
    bool read;
    VEC(struct line_row) rows; /* by address */
    struct line_files files;
    struct line_funcs funcs;
};

struct line_table {
    int fd;
    Dwarf *dwarf;
    VEC(struct unit) units;
    struct line_ranges ranges; /* what units claim */
    uint32_t found;            /* unit of the last row found */
    struct arena names;
};

/* The name libdw has for file 0 where files are counted from 1. */
static bool is_no_file(const char *raw)
{
    return raw && strcmp(raw, "???") == 0;
}

/* The path of a source file.  libdw leaves it relative to the directory of compilation,
 * which itself may be (Go's is "."): before DWARF 5 a file right in that has it in front
 * already. */
static pts_status file_name(struct line_table *t, struct unit *u, const char *raw,
                            const char **out)
{
    Dwarf_Attribute attr;
    const char *dir = dwarf_formstring(dwarf_attr(&u->die, DW_AT_comp_dir, &attr));
    *out = raw;
    if (!raw || raw[0] == '/' || !dir || is_no_file(raw))
        return PTS_OK;
    size_t len = strlen(dir), n = len + 1 + strlen(raw) + 1;
    if (dir[0] != '/' && u->version < 5 && strncmp(raw, dir, len) == 0 &&
        raw[len] == '/')
        return PTS_OK;
    char *path = arena_alloc(&t->names, n);
    if (!path)
        return PTS_E_NOMEM;
    snprintf(path, n, "%s/%s", dir, raw);
    *out = path;
    return PTS_OK;
}

/* The names of the files that a line table refers to by number. */
static pts_status files_read(struct line_table *t, struct unit *u, Dwarf_Files *files,
                             size_t count)
{
    for (size_t i = u->files.len; i < count; i++) {
        const char **name = VEC_PUSH(&u->files);
        if (!name)
            return PTS_E_NOMEM;
        *name = NULL;
        pts_status st = file_name(t, u, dwarf_filesrc(files, i, NULL, NULL), name);
        if (st < 0)
            return st;
    }
    return PTS_OK;
}

static void row_read(const struct unit *u, Dwarf_Line *line, struct line_row *row)
{
    Dwarf_Files *files;
    size_t file;
    int no = 0;
    bool end = false;
    (void)dwarf_lineno(line, &no);
    (void)dwarf_lineendsequence(line, &end);
    row->line = (uint32_t)no;
    row->end = end;
    row->file = NULL;
    if (dwarf_line_file(line, &files, &file) == 0 && file < u->files.len)
        row->file = u->files.at[file];
}

static pts_status rows_read(struct line_table *t, struct unit *u)
{
    Dwarf_Lines *lines;
    Dwarf_Files *files;
    size_t count, nfiles;
    /* Also when nothing can be read: it is not tried again. */
    u->read = true;
    if (dwarf_getsrclines(&u->die, &lines, &count) != 0 ||
        dwarf_getsrcfiles(&u->die, &files, &nfiles) != 0)
        return PTS_OK;
    pts_status st = files_read(t, u, files, nfiles);
    for (size_t i = 0; st == PTS_OK && i < count; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        Dwarf_Addr addr;
        if (!line || dwarf_lineaddr(line, &addr) != 0)
            break;
        struct line_row *row = VEC_PUSH(&u->rows);
        if (!row)
            return PTS_E_NOMEM;
        row->addr = addr;
        row_read(u, line, row);
    }
    return st;
}

/* The end of what a unit claims from addr on; addr when it does not claim that. */
static uint64_t claimed_end(const struct line_table *t, uint32_t unit, uint64_t addr)
{
    for (size_t i = line_ranges_before(&t->ranges, addr); i > 0; i--) {
        const struct line_range *r = &t->ranges.at[i - 1];
        if (r->reach <= addr)
            break;
        if (r->owner == unit && r->hi > addr)
            return r->hi;
    }
    return addr;
}

static bool is_claimed(const struct line_table *t, uint32_t unit, uint64_t lo,
                       uint64_t hi)
{
    for (uint64_t end; lo < hi; lo = end) {
        end = claimed_end(t, unit, lo);
        if (end == lo)
            return false;
    }
    return true;
}

/* libdw sorts rows by address, and an end before other rows of its address; so a row of
 * no length at the end of a sequence comes to stand behind it.  Such rows are dropped.
 * They can be told from the beginning of another sequence only by what the unit claims.
 */
static void rows_trim(const struct line_table *t, uint32_t index)
{
    struct unit *u = &t->units.at[index];
    size_t kept = 0;
    for (size_t i = 0; i < u->rows.len; i++) {
        const struct line_row *row = &u->rows.at[i],
                              *prev = kept ? &u->rows.at[kept - 1] : NULL;
        bool behind = prev && prev->end && prev->addr == row->addr;
        if (!behind || claimed_end(t, index, row->addr) != row->addr)
            u->rows.at[kept++] = *row;
    }
    u->rows.len = kept;
}

/* In DWARF 5, where the first file has number 0, a sequence nevertheless begins in file
 * 1 and assemblers rely on that.  binutils 2.40 reads it as the file with number 0. */
static void first_files(struct unit *u)
{
    bool first = true;
    if (u->files.len < 2 || !u->files.at[0] || is_no_file(u->files.at[0]))
        return;
    for (size_t i = 0; i < u->rows.len; i++) {
        struct line_row *row = &u->rows.at[i];
        first = first && row->file == u->files.at[1];
        if (first)
            row->file = u->files.at[0];
        first = first || row->end;
    }
}

/* The next sequence of rows, from row *at on: [*lo, *hi).  False when there is no more.
 */
static bool sequence_next(const struct unit *u, size_t *at, uint64_t *lo, uint64_t *hi)
{
    size_t end = *at;
    while (end < u->rows.len && !u->rows.at[end].end)
        end++;
    if (end == u->rows.len)
        return false;
    *lo = u->rows.at[*at].addr;
    *hi = u->rows.at[end].addr;
    *at = end + 1;
    return true;
}

/* Reads the rows of a unit that claims ranges, and adds what its sequences cover
 * beyond. */
static pts_status unit_read(struct line_table *t, uint32_t index)
{
    refused_watch();
    struct unit *u = &t->units.at[index];
    /* Collected first and added behind the loop: what a unit claims is asked while it
     * runs. */
    VEC(struct line_range) more = {0};
    pts_status st = rows_read(t, u);
    refused_watched(NULL);
    uint64_t lo, hi;
    rows_trim(t, index);
    first_files(u);
    for (size_t at = 0; st == PTS_OK && sequence_next(u, &at, &lo, &hi);) {
        if (is_claimed(t, index, lo, hi))
            continue;
        struct line_range *r = VEC_PUSH(&more);
        st = r ? PTS_OK : PTS_E_NOMEM;
        if (r)
            *r = (struct line_range){.lo = lo, .hi = hi};
    }
    for (size_t i = 0; st == PTS_OK && i < more.len; i++)
        st = line_ranges_add(&t->ranges, more.at[i].lo, more.at[i].hi, index);
    if (more.len > 0)
        line_ranges_sort(&t->ranges);
    VEC_FREE(&more);
    return st;
}

/* The ranges that a unit claims; without any, those of its line table. */
static pts_status unit_ranges(struct line_table *t, uint32_t index)
{
    Dwarf_Addr base, lo, hi;
    ptrdiff_t at = 0;
    pts_status st = PTS_OK;
    bool any = false;
    bool known = line_ranges_known(&t->units.at[index].die);
    while (st == PTS_OK && known &&
           (at = dwarf_ranges(&t->units.at[index].die, at, &base, &lo, &hi)) > 0) {
        any = true;
        st = line_ranges_add(&t->ranges, lo, hi, index);
    }
    if (any || st < 0)
        return st;
    st = rows_read(t, &t->units.at[index]);
    first_files(&t->units.at[index]);
    for (size_t row = 0;
         st == PTS_OK && sequence_next(&t->units.at[index], &row, &lo, &hi);)
        st = line_ranges_add(&t->ranges, lo, hi, index);
    return st;
}

/* Type units and the like have no code.  Of a unit whose rest is in a .dwo file the rows are here;
 * gcc lists its code by what addr2line does not know (DW_RLE_startx_length), and then it has none. */
static bool has_rows(Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    const int tag = dwarf_tag(die);

    return tag == DW_TAG_compile_unit ||
           (tag == DW_TAG_skeleton_unit && (!dwarf_attr(die, DW_AT_ranges, &attr) ||
                                            dwarf_whatform(&attr) == DW_FORM_rnglistx));
}

static pts_status units_read(struct line_table *t)
{
    Dwarf_Off off = 0, next;
    size_t head;
    Dwarf_Half version;
    while (dwarf_next_unit(t->dwarf, off, &next, &head, &version, NULL, NULL, NULL,
                           NULL, NULL) == 0) {
        Dwarf_Die die;
        bool good = dwarf_offdie(t->dwarf, off + head, &die) != NULL;
        /* libdw 0.188 does not look whether it got its table of abbreviations, and
         * then uses it. */
        if (refused_watched(NULL))
            return PTS_E_NOMEM;
        /* A damaged header must not send us back. */
        if (next <= off)
            break;
        off = next;
        if (!good || !has_rows(&die))
            continue;
        struct unit *u = VEC_PUSH(&t->units);
        if (!u)
            return PTS_E_NOMEM;
        *u = (struct unit){.die = die, .version = version};
        pts_status st = unit_ranges(t, (uint32_t)t->units.len - 1);
        if (st < 0)
            return st;
    }
    line_ranges_sort(&t->ranges);
    return PTS_OK;
}

/* *fd: -1 when it is not there. */
static pts_status file_open(const char *path, int *fd)
{
    struct stat what;
    int unpacked;

    *fd = sys_open_regular(path, &what);
    if (*fd < 0)
        return PTS_OK;
    pts_status st = line_unpack(*fd, path, &unpacked);
    if (st == PTS_OK) {
        close(*fd);
        *fd = unpacked;
    }
    return st < 0 ? st : PTS_OK;
}

pts_status line_table_open(const char *path, struct line_table **out)
{
    struct line_table *t = mem_zalloc(1, sizeof(*t));
    if (!t)
        return PTS_E_NOMEM;
    Dwarf_Off next;
    size_t head;
    pts_status st = file_open(path, &t->fd);
    if (st < 0) {
        line_table_close(t);
        return st;
    }
    refused_watch();
    st = PTS_END;
    t->dwarf = t->fd >= 0 ? dwarf_begin(t->fd, DWARF_C_READ) : NULL;
    if (t->dwarf && dwarf_nextcu(t->dwarf, 0, &next, &head, NULL, NULL, NULL) == 0)
        st = units_read(t);
    refused_watched(path);
    if (st == PTS_OK)
        *out = t;
    else
        line_table_close(t);
    return st;
}

void line_table_close(struct line_table *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->units.len; i++) {
        VEC_FREE(&t->units.at[i].rows);
        VEC_FREE(&t->units.at[i].files);
        line_funcs_free(&t->units.at[i].funcs);
    }
    VEC_FREE(&t->units);
    VEC_FREE(&t->ranges);
    arena_free(&t->names);
    dwarf_end(t->dwarf);
    if (t->fd >= 0)
        close(t->fd);
    mem_free(t);
}

/* The last row at or before addr, unless a sequence ends there. */
static const struct line_row *row_at(const struct unit *u, uint64_t addr)
{
    size_t lo = 0, hi = u->rows.len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (u->rows.at[mid].addr <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo > 0 && !u->rows.at[lo - 1].end ? &u->rows.at[lo - 1] : NULL;
}

/* The row of an address.  Reading a unit may add ranges, so it is looked for again
 * then; a unit is read only once, which bounds the loop. */
pts_status line_table_find(struct line_table *t, uint64_t addr,
                           const struct line_row **out)
{
    *out = NULL;
    for (size_t i = line_ranges_before(&t->ranges, addr); i > 0 && !*out; i--) {
        const struct line_range *r = &t->ranges.at[i - 1];
        if (r->reach <= addr)
            break;
        if (r->hi <= addr)
            continue;
        struct unit *u = &t->units.at[r->owner];
        if (!u->read) {
            pts_status st = unit_read(t, r->owner);
            if (st < 0)
                return st;
            i = line_ranges_before(&t->ranges, addr) + 1;
            continue;
        }
        *out = row_at(u, addr);
        t->found = r->owner;
    }
    return PTS_OK;
}

pts_status line_table_function(struct line_table *t, uint64_t addr,
                               struct line_func **out)
{
    struct unit *u = &t->units.at[t->found];
    pts_status st = PTS_OK;

    refused_watch();
    if (!u->funcs.read)
        st = line_funcs_read(&u->funcs, u->die.cu, &u->files);
    refused_watched(NULL);
    *out = line_funcs_find(&u->funcs, addr);
    return st;
}

struct line_func *line_table_caller(struct line_table *t, const struct line_func *f)
{
    return line_funcs_caller(&t->units.at[t->found].funcs, f);
}
