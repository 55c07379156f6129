/* resolve.c - what lies at an address: dso, symbol, instruction, source line.
 *
 * SPDX-License-Identifier: MIT
 *
 * Every answer begins with the map that holds the address for that thread at that
 * time; the map names a dso, and what is known of a dso is read from files when
 * somebody first asks for it, and kept:
 *
 *     map -> dso -> code      code_store: bytes, instructions as text
 *                -> symbols   dso_syms.tab
 *                   -> lines  dso_syms.lines: FILE:LINE, inlined functions, source text
 *
 * Lines need the table of symbols, even an empty one: it says which file they are in.
 * What is wrong with a file is no failure; then there is just no answer.
 *
 * Two structs: the base has what was read from files and is shared by all who ask
 * within a run, the resolver has what belongs to one caller, such as the text that it
 * was given last.  A text is lent until the next question.
 */
#include "synth/symbol/resolve.h"

#include "decoder/base/arena.h"
#include "decoder/base/vec.h"
#include "synth/symbol/srccode.h"
#include "synth/symbol/srcline.h"
#include "synth/symbol/sym_dso.h"
#include "synth/symbol/sym_kernel.h"
#include "walker/code/insn.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct dso_syms {
    struct symtab *tab; /* NULL: not loaded */
    struct srcline *lines;
    atomic_bool tried; /* who sees that it is set sees tab, too */
};

struct resolve_base {
    const struct sideband *sb;
    struct code_store *codes;
    struct resolve_opts opts;
    struct dso_syms *dso;        /* by number */
    struct sym_sources *symbols; /* by machine */
    uint32_t machines;
    uint32_t dso_count;
};

/* Code in one piece: the longest that perf lists. */
enum { JOINED_MAX = 16384 };

struct resolve {
    struct resolve_base *base;
    struct as_view *view;
    bool apart, missed;
    struct guest_view *guest;           /* by number */
    struct srccode *sources;            /* NULL: not asked for yet */
    VEC(struct srccode_last) last_code; /* by thread + 1 */
    struct insn_printer *printer;       /* NULL: not asked for yet */
    char text[PATH_MAX + INSN_TEXT_MAX];
    struct lookup look;
    char unnamed[24]; /* comm of a thread that has none */
    uint8_t joined[JOINED_MAX];
    uint8_t changed[JOINED_MAX]; /* code that is not as in its file */
};

/* The maps of a machine, as a number in struct sb_dso. */
static struct as_view *view_of(struct resolve *r, uint32_t machine)
{
    if (!machine)
        return r->view;
    struct as_view **at = &r->guest[machine - 1].view;
    if (!*at && as_view_new(sb_guest_at(r->base->sb, machine - 1), at) < 0)
        *at = NULL;
    return *at;
}

/* Where a thread's addresses are looked up; NULL: nowhere.  Code of a guest that is within
 * its process is that of the host. */
static struct as_view *view_for(struct resolve *r, const struct who *w, bool kernel)
{
    if (w->guest == WHO_GUEST_CODE && !kernel)
        return r->view;
    if (w->guest == WHO_GUEST_CODE) {
        uint32_t guest = sb_guest_code_kernel(r->base->sb, w->pid);
        return guest != SB_NONE ? view_of(r, guest + 1) : NULL;
    }
    return w->guest < r->base->machines ? view_of(r, w->guest) : NULL;
}

/* Maps of one side only, by what the sample says of the mode: an address alone would
 * tell, but perf goes by the mode.  In a guest there is no other machine. */
static const struct as_map *map_at(struct resolve *r, const struct who *w,
                                   uint8_t cpumode, uint64_t ip)
{
    bool kernel = cpumode == PTS_MODE_KERNEL || cpumode == PTS_MODE_GUEST_KERNEL;

    if (mode_is_guest(cpumode) && !w->guest)
        return NULL;
    if (!kernel && cpumode != PTS_MODE_USER && cpumode != PTS_MODE_GUEST_USER)
        return NULL;
    if (!kernel && w->thread == SB_NONE)
        return NULL;
    struct as_view *view = view_for(r, w, kernel);
    return view ? as_find(view, w->thread, w->epoch, ip, kernel) : NULL;
}

static void symbols_load(struct resolve *r, const struct sb_dso *dso,
                         struct dso_syms *s)
{
    struct as_view *view = view_of(r, dso->machine);

    if (!view || sym_dso_load(&r->base->symbols[dso->machine], view, dso, &s->tab) < 0)
        s->tab = NULL;
    /* Files of its name may be another program's: who looks for code notes that. */
    if (dso->build_id_len && !(s->tab && symtab_is_elf(s->tab)))
        (void)code_store_has(r->base->codes, dso);
    atomic_store_explicit(&s->tried, true, memory_order_release);
}

/* The symbols of a dso; NULL when there are none.  The first look-up in a table that
 * could not be read to its end finds nothing, as in perf. */
static const struct symtab *symbols_of(struct resolve *r, const struct sb_dso *dso)
{
    uint32_t number = sb_dso_number(r->base->sb, dso);

    if (number >= r->base->dso_count || dso->kind == DSO_NONE)
        return NULL;
    struct dso_syms *s = &r->base->dso[number];
    if (atomic_load_explicit(&s->tried, memory_order_acquire))
        return s->tab;
    if (r->apart) {
        r->missed = true;
        return NULL;
    }
    symbols_load(r, dso, s);
    return s->tab && symtab_failed(s->tab) ? NULL : s->tab;
}

/* Where an address is in the file; and the address by which its symbols are filed,
 * which for JIT map files is the address itself. */
static uint64_t map_offset(const struct as_map *m, uint64_t ip)
{
    return ip - m->start + m->pgoff;
}

static uint64_t map_addr(const struct as_map *m, uint64_t ip)
{
    return m->identity ? ip : map_offset(m, ip);
}

/* A copy of memory: it knows no lines, and addresses in it are those of the kernel as it ran. */
static bool is_kcore(const struct resolve *r, const struct sb_dso *dso)
{
    const struct sb_kernel *k = sb_kernel(sb_machine(r->base->sb, dso));

    return k->dso == dso && k->source == KERNEL_KCORE;
}

/* The kernel's path is that of its code, without symfs. */
static const char *kernel_path(const struct resolve *r, const struct sb_dso *dso)
{
    const struct sb_kernel *k = sb_kernel(sb_machine(r->base->sb, dso));

    return k->code && k->dso == dso
               ? image_path_told(&r->base->opts.syms.files, k->code->path)
               : dso->path;
}

/* perf's long name. */
static const char *told_path(const struct resolve *r, const struct sb_dso *dso)
{
    return dso->kind == DSO_KERNEL ? kernel_path(r, dso) : dso->path;
}

/* As much as is known: without a map there is no dso, without a table no symbol. */
static void resolve_place(void *ctx, const struct who *w, uint8_t cpumode, uint64_t ip,
                          struct place *out)
{
    struct resolve *r = ctx;
    const struct as_map *m = map_at(r, w, cpumode, ip);

    *out = (struct place){.ip = ip,
                          .addr = m ? map_addr(m, ip) : ip,
                          .map_off = m ? map_offset(m, ip) : ip};
    if (!m || !m->dso)
        return;
    out->of_dso = m->dso;
    out->dso = m->dso->long_name;
    out->dso_short = m->dso->short_name;
    out->dso_path = told_path(r, m->dso);
    out->dso_order = sb_dso_number(r->base->sb, m->dso) + 1;
    out->map_start = m->start;
    out->map_end = m->end;
    out->build_id = m->dso->build_id;
    out->build_id_len = m->dso->build_id_len;
    if (r->base->opts.kernel_path &&
        (m->dso->kind == DSO_KERNEL || m->dso->kind == DSO_MODULE))
        out->dso = out->dso_path;
    out->kernel = m->dso->kind == DSO_KERNEL || m->dso->kind == DSO_MODULE ||
                  m->dso->kind == DSO_KSYMBOL;
    /* A piece of code that the kernel made (BPF): the map is the symbol, and there is
     * no file. */
    if (m->dso->kind == DSO_KSYMBOL) {
        out->sym = m->dso->long_name;
        out->sym_off = ip - m->start;
        out->sym_ip = m->start;
        out->sym_start = map_addr(m, m->start);
        out->sym_end = map_addr(m, m->end);
        return;
    }
    const struct symtab *tab = symbols_of(r, m->dso);
    out->unread = r->missed;
    out->elf = (tab && symtab_is_elf(tab)) || is_kcore(r, m->dso);
    uint64_t addr = out->addr;
    const struct sym *sym = tab ? symtab_find(tab, addr) : NULL;
    if (!sym)
        return;
    out->of_sym = sym;
    out->sym = symtab_name(tab, sym);
    out->sym_off = sym_offset(sym, addr, m->start);
    /* Symbols are filed by offset in the file: back to where this one was mapped. */
    out->sym_ip = ip - (addr - sym->start);
    out->sym_start = sym->start;
    out->sym_end = sym->end;
    out->sym_bind = sym->bind;
    out->sym_data = sym->data;
    out->sym_tail = sym->tail;
}

static const char *resolve_comm(void *ctx, const struct who *w)
{
    struct resolve *r = ctx;
    if (w->thread == WHO_NOBODY)
        return ":-1";
    if (w->guest == WHO_GUEST_CODE) {
        snprintf(r->unnamed, sizeof(r->unnamed), "[guest/%d]", (int)w->pid);
        return r->unnamed;
    }
    if (w->thread == SB_NONE) { /* named by nothing so far: perf invents this */
        snprintf(r->unnamed, sizeof(r->unnamed), ":%d", (int)w->tid);
        return r->unnamed;
    }
    return sb_comm_at(w->guest ? sb_guest_at(r->base->sb, w->guest - 1) : r->base->sb,
                      w->thread, w->epoch);
}

/* Bytes of code at ip, `want` of them at most, or 0. */
/* By the address, not by the sample's mode: bytes are asked for at branch targets,
 * too. */
static size_t code_at(struct resolve *r, const struct who *w, uint64_t ip, size_t want,
                      const uint8_t **bytes, enum ild_mode *mode)
{
    const struct as_map *m = map_at(r, w, mode_at_addr(ip, w->guest != 0), ip);
    if (!m || !m->dso)
        return 0;
    const struct code *c = code_store_get(r->base->codes, m->dso);
    uint64_t off = as_code_off(m, ip);
    if (!c->bytes || off >= c->size)
        return 0;
    size_t n = want < JOINED_MAX ? want : JOINED_MAX;
    if (n > c->size - off)
        n = (size_t)(c->size - off);
    *bytes = code_read(c, w->epoch, off, r->changed, n);
    *mode = c->is_64bit ? ILD_64 : ILD_32;
    return n;
}

/* The same of a bare trace: no further than the map, and on in the next one. */
static size_t code_over_maps(struct resolve *r, const struct who *w, uint64_t ip,
                             size_t want, const uint8_t **bytes, enum ild_mode *mode)
{
    size_t most = want < JOINED_MAX ? want : JOINED_MAX, n = 0, got = 0;
    enum ild_mode other;

    while (n < most) {
        uint64_t at = ip + n;
        const struct as_map *m = map_at(r, w, mode_at_addr(at, w->guest != 0), at);
        got = code_at(r, w, at, most - n, bytes, n ? &other : mode);
        if (m && got > m->end - at)
            got = (size_t)(m->end - at);
        if (!got || got == most)
            break;
        memcpy(r->joined + n, *bytes, got);
        n += got;
    }
    if (!n)
        return got;
    *bytes = r->joined;
    return n;
}

static bool resolve_code(void *ctx, const struct who *w, uint64_t ip,
                         struct place_code *out)
{
    struct resolve *r = ctx;
    enum ild_mode mode = ILD_64;

    out->len = r->base->opts.bare ? code_over_maps(r, w, ip, out->want, &out->at, &mode)
                                  : code_at(r, w, ip, out->want, &out->at, &mode);
    out->is_64bit = mode == ILD_64;
    return out->len != 0;
}

static size_t resolve_insn(void *ctx, const struct who *w, uint64_t ip, uint8_t *buf)
{
    const uint8_t *bytes = NULL;
    enum ild_mode mode = ILD_64;
    size_t n = code_at(ctx, w, ip, ILD_MAX, &bytes, &mode);
    size_t len = n ? ild_decode(bytes, n, mode).len : 0;

    if (len)
        memcpy(buf, bytes, len);
    return len;
}

/* --- Source lines --- */

/* The source lines of a map's dso; NULL when it has no symbols, either. */
static pts_status lines_of(struct resolve *r, const struct as_map *m,
                           struct srcline **out)
{
    const struct sb_dso *dso = m->dso;

    *out = NULL;
    symbols_of(r, dso);
    if (dso->jit)
        return PTS_OK; /* lines are in the dump, see jit_text */
    uint32_t number = sb_dso_number(r->base->sb, dso);
    if (number >= r->base->dso_count || !r->base->dso[number].tab)
        return PTS_OK;
    struct dso_syms *s = &r->base->dso[number];
    if (!s->lines) {
        struct sym_want want = {dso->long_name,
                                build_id_of(dso->build_id, dso->build_id_len), NULL};
        pts_status st =
            srcline_new(&r->base->opts.syms, &want, dso->short_name, s->tab, &s->lines);
        if (st < 0)
            return st;
    }
    *out = s->lines;
    return PTS_OK;
}

static struct srcline_ask ask_of(const struct as_map *m, uint64_t ip)
{
    return (struct srcline_ask){map_addr(m, ip), m->pgoff};
}

/* "file:line" of code in a jitdump, 0: not known. */
static size_t jit_text(struct resolve *r, const struct jit_code *jit, uint64_t off)
{
    const char *file, *slash;
    uint32_t line;

    if (!jit_line(jit, off, &file, &line))
        return 0;
    slash = r->base->opts.full_source_path ? NULL : strrchr(file, '/');
    int n = snprintf(r->text, sizeof(r->text), "%s:%u", slash ? slash + 1 : file,
                     (unsigned)line);
    return n < 0 ? 0 : (size_t)n < sizeof(r->text) ? (size_t)n : sizeof(r->text) - 1;
}

/* beside: where it lies in memory is taken for an address in the file. */
static pts_status text_of_line(struct resolve *r, const struct place_query *q,
                               bool beside, const char **text, size_t *n)
{
    const struct as_map *m = map_at(r, q->who, q->cpumode, q->ip);
    struct srcline *lines = NULL;

    *text = r->text;
    *n = 0;
    if (!m || !m->dso)
        return PTS_OK;
    bool in_kcore = is_kcore(r, m->dso);
    pts_status st = in_kcore ? PTS_OK : lines_of(r, m, &lines);
    if (st < 0)
        return st;
    struct srcline_ask ask = ask_of(m, q->ip);
    if (beside)
        ask.addr = q->ip;
    if (m->dso->jit && !beside) {
        *n = jit_text(r, m->dso->jit, as_code_off(m, q->ip));
        return PTS_OK;
    }
    if (lines) {
        *n = srcline_text(lines, &ask, r->base->opts.full_source_path, r->text,
                          sizeof(r->text));
        return PTS_OK;
    }
    /* perf's way to say that it does not know the line. */
    int len = snprintf(r->text, sizeof(r->text), "%s[%" PRIx64 "]", m->dso->short_name,
                       in_kcore ? q->ip : ask.addr);
    *n = len < 0                         ? 0
         : (size_t)len < sizeof(r->text) ? (size_t)len
                                         : sizeof(r->text) - 1;
    return PTS_OK;
}

static pts_status resolve_srcline(void *ctx, const struct place_query *q,
                                  const char **text, size_t *n)
{
    return text_of_line(ctx, q, false, text, n);
}

static pts_status resolve_srcline_beside(void *ctx, const struct place_query *q,
                                         const char **text, size_t *n)
{
    return text_of_line(ctx, q, true, text, n);
}

static pts_status resolve_source(void *ctx, const struct place_query *q,
                                 const char **file, size_t *n, uint32_t *line)
{
    struct resolve *r = ctx;
    const struct as_map *m = map_at(r, q->who, q->cpumode, q->ip);
    struct srcline *lines = NULL;
    struct srcline_at at;

    pts_status st = m && m->dso ? lines_of(r, m, &lines) : PTS_OK;
    if (st < 0)
        return st;
    const struct srcline_ask ask = {m ? map_addr(m, q->ip) : 0, m ? m->pgoff : 0};
    if (m && m->dso && m->dso->jit) {
        if (!jit_line(m->dso->jit, as_code_off(m, q->ip), file, line))
            return PTS_END;
        *n = strlen(*file);
        return PTS_OK;
    }
    st = lines ? srcline_find(lines, &ask, &at) : PTS_END;
    if (st != PTS_OK)
        return st;
    *file = at.file;
    *n = at.len;
    *line = at.line;
    return PTS_OK;
}

static bool resolve_file(void *ctx, const struct place_query *q, struct place_file *out)
{
    struct resolve *r = ctx;
    const struct as_map *m = map_at(r, q->who, q->cpumode, q->ip);

    *out = (struct place_file){0};
    if (!m || !m->dso)
        return false;
    const struct symtab *tab = symbols_of(r, m->dso);
    const struct sym *sym = tab ? symtab_find(tab, map_addr(m, q->ip)) : NULL;
    const struct code *c = code_store_get(r->base->codes, m->dso);
    out->build_id = m->dso->build_id;
    out->build_id_len = m->dso->build_id_len;
    out->sym_bind = sym ? sym->bind : 0;
    out->is_64bit = !c->bytes || c->is_64bit;
    return true;
}

static pts_status resolve_inlined(void *ctx, const struct place_query *q,
                                  const struct place_inlined **frames, size_t *n)
{
    struct resolve *r = ctx;
    const struct as_map *m = map_at(r, q->who, q->cpumode, q->ip);
    const struct srcline_style style = {r->base->opts.full_source_path,
                                        r->base->opts.syms.demangle,
                                        r->base->opts.syms.params};
    struct srcline *lines = NULL;

    *n = 0;
    pts_status st = m && m->dso ? lines_of(r, m, &lines) : PTS_OK;
    if (st < 0 || !lines)
        return st;
    const struct srcline_ask ask = ask_of(m, q->ip);
    return srcline_inlined(lines, &ask, &style, frames, n);
}

pts_status resolve_line(struct resolve *r, const struct place_query *q,
                        struct resolve_line *out)
{
    const struct as_map *m = map_at(r, q->who, q->cpumode, q->ip);
    struct srcline *lines = NULL;
    struct srcline_at at;

    *out = (struct resolve_line){.known = false, .file = ""};
    if (!m || !m->dso)
        return PTS_OK;
    if (m->dso->jit) {
        out->known =
            jit_line(m->dso->jit, as_code_off(m, q->ip), &out->file, &out->line);
        out->file_len = strlen(out->file);
        return PTS_OK;
    }
    pts_status st = lines_of(r, m, &lines);
    const struct srcline_ask ask = ask_of(m, q->ip);
    if (st == PTS_OK && lines)
        st = srcline_find(lines, &ask, &at);
    if (st != PTS_OK || !lines)
        return st < 0 ? st : PTS_OK;
    out->known = true;
    out->file = at.file;
    out->file_len = at.len;
    out->line = at.line;
    return PTS_OK;
}

struct pts_bytes resolve_line_text(struct resolve *r, const struct resolve_line *at)
{
    const struct srcline_at line = {at->file, at->file_len, at->line};
    struct pts_bytes none = {0}, text;

    if (!at->line || (!r->sources && srccode_new(&r->sources) < 0))
        return none;
    return srccode_line(r->sources, &line, &text) == PTS_OK ? text : none;
}

/* What of the source was last shown for a thread. */
static struct srccode_last *last_code_of(struct resolve *r, uint32_t thread)
{
    size_t i = thread == SB_NONE ? 0 : (size_t)thread + 1;

    while (r->last_code.len <= i) {
        struct srccode_last *l = VEC_PUSH(&r->last_code);
        if (!l)
            return NULL;
        *l = (struct srccode_last){0};
    }
    return &r->last_code.at[i];
}

static pts_status resolve_srccode(void *ctx, const struct place_query *q,
                                  const char **text, size_t *n)
{
    struct resolve *r = ctx;
    const struct as_map *m = map_at(r, q->who, q->cpumode, q->ip);
    struct srcline *lines = NULL;
    struct srcline_at at;

    *n = 0;
    pts_status st = m && m->dso ? lines_of(r, m, &lines) : PTS_OK;
    if (st < 0 || !lines)
        return st;
    const struct srcline_ask ask = ask_of(m, q->ip);
    st = srcline_find(lines, &ask, &at);
    if (st != PTS_OK)
        return st < 0 ? st : PTS_OK;
    if (!r->sources) {
        st = srccode_new(&r->sources);
        if (st < 0)
            return st;
    }
    struct srccode_last *last = last_code_of(r, q->who->thread);
    if (!last)
        return PTS_E_NOMEM;
    st = srccode_text(r->sources, &at, last, text, n);
    return st < 0 ? st : PTS_OK;
}

/* --- Instructions as text --- */

/* Whether code at ip is 64-bit: the kernel is, and so is what is not known. */
static enum ild_mode mode_at(struct resolve *r, const struct place_query *q)
{
    const uint8_t *bytes;
    enum ild_mode mode = ILD_64;

    /* None of its bytes: somebody may still read those that were asked for before. */
    code_at(r, q->who, q->ip, 0, &bytes, &mode);
    return mode;
}

/* With symbols the one operand that is an address is replaced by its name. */
static pts_status resolve_disasm(void *ctx, const struct place_query *q,
                                 const struct place_insn *insn, const char **text,
                                 size_t *n)
{
    struct resolve *r = ctx;
    uint64_t target;
    size_t prefix;

    if (!r->printer)
        r->printer = insn_open();
    if (!r->printer)
        return PTS_E_NOMEM;
    *text = r->text;
    *n = insn_text(r->printer, insn->code, insn->len, q->ip, mode_at(r, q), r->text,
                   sizeof(r->text));
    if (!insn->symbols) { /* xed has no space behind a lone mnemonic */
        *n -= *n && r->text[*n - 1] == ' ';
        return PTS_OK;
    }
    /* An immediate that is the only operand: mostly of direct jumps and calls. */
    if (!insn_target(r->printer, &target, &prefix))
        return PTS_OK;
    struct place to;
    resolve_place(r, q->who, q->cpumode, target, &to);
    if (!to.sym)
        return PTS_OK;
    int len = snprintf(r->text + prefix, sizeof(r->text) - prefix, "%s+0x%" PRIx64,
                       to.sym, to.sym_off);
    size_t room = sizeof(r->text) - prefix - 1;
    *n = prefix + (len < 0 ? 0 : (size_t)len < room ? (size_t)len : room);
    return PTS_OK;
}

/* --- Making one ------------------------------------------------------------------- */

pts_status resolve_base_new(const struct sideband *sb, struct code_store *codes,
                            const struct resolve_opts *opts, struct resolve_base **out)
{
    struct resolve_base *b = mem_zalloc(1, sizeof(*b));
    if (!b)
        return PTS_E_NOMEM;
    b->sb = sb;
    b->codes = codes;
    b->opts = *opts;
    b->dso_count = sb_dso_total(sb);
    b->machines = sb_guest_count(sb) + 1;
    b->dso = mem_zalloc((size_t)b->dso_count + 1, sizeof(*b->dso));
    b->symbols = mem_zalloc(b->machines, sizeof(*b->symbols));
    if (!b->dso || !b->symbols) {
        resolve_base_free(b);
        return PTS_E_NOMEM;
    }
    for (uint32_t i = 0; i < b->machines; i++)
        b->symbols[i] = (struct sym_sources){
            .sb = i ? sb_guest_at(sb, i - 1) : sb, .codes = codes, .opts = opts->syms};
    *out = b;
    return PTS_OK;
}

void resolve_base_free(struct resolve_base *b)
{
    if (!b)
        return;
    for (uint32_t i = 0; b->dso && i < b->dso_count; i++) {
        srcline_free(b->dso[i].lines);
        symtab_free(b->dso[i].tab);
    }
    for (uint32_t i = 0; b->symbols && i < b->machines; i++)
        kernel_syms_free(b->symbols[i].kernel);
    mem_free(b->symbols);
    mem_free(b->dso);
    mem_free(b);
}

bool resolve_asked(const struct resolve_base *b, const struct sb_dso *dso)
{
    uint32_t number = sb_dso_number(b->sb, dso);

    return number < b->dso_count && b->dso[number].tried;
}

pts_status resolve_new(struct resolve_base *base, struct resolve **out)
{
    struct resolve *r = mem_zalloc(1, sizeof(*r));
    if (!r)
        return PTS_E_NOMEM;
    r->base = base;
    r->look = (struct lookup){.ctx = r,
                              .place = resolve_place,
                              .comm = resolve_comm,
                              .code = resolve_code,
                              .insn = resolve_insn,
                              .srcline = resolve_srcline,
                              .srcline_beside = resolve_srcline_beside,
                              .source = resolve_source,
                              .file = resolve_file,
                              .inlined = resolve_inlined,
                              .srccode = resolve_srccode,
                              .disasm = resolve_disasm};
    r->guest = mem_zalloc(base->machines, sizeof(*r->guest));
    pts_status st = r->guest ? as_view_new(base->sb, &r->view) : PTS_E_NOMEM;
    if (st < 0) {
        mem_free(r->guest);
        mem_free(r);
        return st;
    }
    *out = r;
    return PTS_OK;
}

void resolve_free(struct resolve *r)
{
    if (!r)
        return;
    srccode_free(r->sources);
    insn_close(r->printer);
    VEC_FREE(&r->last_code);
    as_view_free(r->view);
    for (uint32_t i = 0; i + 1 < r->base->machines; i++)
        as_view_free(r->guest[i].view);
    mem_free(r->guest);
    mem_free(r);
}

void resolve_apart(struct resolve *r)
{
    r->apart = true;
}

bool resolve_missed(struct resolve *r)
{
    bool missed = r->missed;

    r->missed = false;
    return missed;
}

const struct lookup *resolve_lookup(struct resolve *r)
{
    return &r->look;
}
