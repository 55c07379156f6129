/* keys.c - the keys of --sort: what makes a row of its own, and its cells.
 *
 * SPDX-License-Identifier: MIT
 *
 * Which of two rows perf takes for the greater one follows from subtraction of 64 bits,
 * so an address of the kernel can be below one of the user.
 */
#include "synth/report/keys.h"

#include <string.h>
#include <strings.h>

enum { ADDRESS_DIGITS = 16 };

/* Something stands in front of nothing. */
static int64_t by_presence(const void *a, const void *b)
{
    return (a != NULL) - (b != NULL);
}

static int64_t by_number(uint64_t a, uint64_t b)
{
    return (int64_t)(b - a);
}

static uint32_t word_of(struct key_context *c, const char *s, uint64_t *word)
{
    *word = s ? strings_kept(c->strings, s) : 0;
    return *word || !s ? 1 : 0;
}

/* --- comm, pid, cpu ---------------------------------------------------------------- */

static uint32_t comm_words(struct key_context *c, const struct subject *i,
                           uint64_t *word)
{
    return word_of(c, i->comm_key, word);
}

static int64_t comm_compare(const struct key_context *c, const struct subject *a,
                            const struct subject *b)
{
    (void)c;
    return strcmp(b->comm_key, a->comm_key);
}

static void comm_cell(const struct key_context *c, const struct subject *i,
                      size_t width, struct text *t)
{
    (void)c, (void)width;
    text_str(t, i->comm);
}

/* perf goes by the name that the thread had in the end. */
static uint32_t comm_width(const struct key_context *c, const struct subject *i)
{
    (void)c;
    return (uint32_t)strlen(i->last_comm);
}

static uint32_t pid_words(struct key_context *c, const struct subject *i,
                          uint64_t *word)
{
    (void)c;
    *word = (uint32_t)i->tid;
    return 1;
}

static int64_t pid_compare(const struct key_context *c, const struct subject *a,
                           const struct subject *b)
{
    (void)c;
    return (int64_t)b->tid - a->tid;
}

static void pid_cell(const struct key_context *c, const struct subject *i, size_t width,
                     struct text *t)
{
    enum { TID = 7 };
    size_t rest = width > TID + 1 ? width - TID - 1 : 0, n = strlen(i->last_comm);

    (void)c;
    text_fmt(t, "%7d:", (int)i->tid);
    text_put(t, i->last_comm, n < rest ? n : rest);
    text_spaces(t, n < rest ? rest - n : 0);
}

static uint32_t pid_width(const struct key_context *c, const struct subject *i)
{
    return comm_width(c, i) + 8;
}

static uint32_t cpu_words(struct key_context *c, const struct subject *i,
                          uint64_t *word)
{
    (void)c;
    *word = (uint32_t)i->cpu;
    return 1;
}

static int64_t cpu_compare(const struct key_context *c, const struct subject *a,
                           const struct subject *b)
{
    (void)c;
    return (int64_t)b->cpu - a->cpu;
}

static void number_cell(int32_t v, size_t width, struct text *t)
{
    text_int0(t, v, width + (v < 0)); /* a precision: the sign comes in addition */
}

static void cpu_cell(const struct key_context *c, const struct subject *i, size_t width,
                     struct text *t)
{
    (void)c;
    number_cell(i->cpu, width, t);
}

static uint32_t cpu_width(const struct key_context *c, const struct subject *i)
{
    (void)c, (void)i;
    return 3;
}

/* --- Files ------------------------------------------------------------------------- */

static int64_t dso_by_name(const struct place *a, const struct place *b)
{
    return a->dso_short && b->dso_short ? strcmp(a->dso_short, b->dso_short)
                                        : by_presence(b->dso_short, a->dso_short);
}

static uint32_t dso_width_of(const struct spot_of *s)
{
    return s->at.dso_short ? (uint32_t)strlen(s->at.dso_short) : 0;
}

static void dso_put(const struct place *p, struct text *t)
{
    text_str(t, p->dso_short ? p->dso_short : "[unknown]");
}

static uint32_t dso_words(struct key_context *c, const struct subject *i,
                          uint64_t *word)
{
    return word_of(c, i->spot.at.dso_short, word);
}

static int64_t dso_compare(const struct key_context *c, const struct subject *a,
                           const struct subject *b)
{
    (void)c;
    return dso_by_name(&b->spot.at, &a->spot.at);
}

static void dso_cell(const struct key_context *c, const struct subject *i, size_t width,
                     struct text *t)
{
    (void)c, (void)width;
    dso_put(&i->spot.at, t);
}

/* Addresses want room, unless columns are not to be looked at. */
static uint32_t dso_width(const struct key_context *c, const struct subject *i)
{
    uint32_t n = dso_width_of(&i->spot);

    return !i->spot.at.sym && n < ADDRESS_DIGITS && !c->narrow ? ADDRESS_DIGITS : n;
}

static uint32_t dso_to_width(const struct key_context *c, const struct subject *i)
{
    return dso_width(c, i);
}

static uint32_t dso_from_words(struct key_context *c, const struct subject *i,
                               uint64_t *word)
{
    return word_of(c, i->from.at.dso_short, word);
}

/* The files of branches perf compares the other way around. */
static int64_t dso_from_compare(const struct key_context *c, const struct subject *a,
                                const struct subject *b)
{
    (void)c;
    return dso_by_name(&a->from.at, &b->from.at);
}

static int64_t dso_to_compare(const struct key_context *c, const struct subject *a,
                              const struct subject *b)
{
    (void)c;
    return dso_by_name(&a->spot.at, &b->spot.at);
}

static void dso_from_cell(const struct key_context *c, const struct subject *i,
                          size_t width, struct text *t)
{
    (void)c, (void)width;
    dso_put(&i->from.at, t);
}

static uint32_t dso_from_width(const struct key_context *c, const struct subject *i)
{
    uint32_t n = dso_width_of(&i->from);

    return !i->from.at.sym && n < ADDRESS_DIGITS && !c->narrow ? ADDRESS_DIGITS : n;
}

/* --- Symbols ----------------------------------------------------------------------- */

static uint32_t sym_words_of(const struct spot_of *s, uint64_t address, uint64_t *word)
{
    word[0] = s->at.sym ? s->at.sym_start : address;
    word[1] = s->at.sym ? s->at.sym_end : 0;
    word[2] = s->at.sym != NULL;
    return 3;
}

static int64_t sym_by_range(const struct spot_of *a, const struct spot_of *b)
{
    if (!a->at.sym || !b->at.sym)
        return by_presence(a->at.sym, b->at.sym);
    int c = a->inlined || b->inlined ? strcmp(a->at.sym, b->at.sym) : 0;
    if (c || ((a->inlined || b->inlined) && a->at.sym_start <= b->at.sym_end &&
              a->at.sym_end >= b->at.sym_start))
        return c;
    return a->at.sym_start != b->at.sym_start
               ? by_number(a->at.sym_start, b->at.sym_start)
               : by_number(a->at.sym_end, b->at.sym_end);
}

static uint32_t sym_words(struct key_context *c, const struct subject *i,
                          uint64_t *word)
{
    uint32_t n = sym_words_of(&i->spot, i->spot.shown, word);

    word[3] = 0;
    return i->spot.at.sym && !c->by_dso && !word_of(c, i->spot.at.dso_short, &word[3])
               ? 0
               : n + 1;
}

static int64_t sym_compare(const struct key_context *c, const struct subject *a,
                           const struct subject *b)
{
    if (!a->spot.at.sym && !b->spot.at.sym)
        return by_number(a->spot.shown, b->spot.shown);
    int64_t dso = c->by_dso ? 0 : dso_by_name(&b->spot.at, &a->spot.at);
    return dso ? dso : sym_by_range(&a->spot, &b->spot);
}

static int64_t by_name(const struct spot_of *a, const struct spot_of *b)
{
    return a->at.sym && b->at.sym ? strcmp(b->at.sym, a->at.sym)
                                  : by_presence(a->at.sym, b->at.sym);
}

static int64_t sym_rank(const struct subject *a, const struct subject *b)
{
    return by_name(&a->spot, &b->spot);
}

static void sym_put(const struct spot_of *s, char level, uint64_t address, size_t width,
                    struct text *t)
{
    enum { LEVEL = 4 };
    size_t n = s->at.sym ? strlen(s->at.sym) : 0,
           room = width > LEVEL ? width - LEVEL : 0;

    text_char(t, '[');
    text_char(t, level);
    text_str(t, "] ");
    if (s->at.sym) {
        text_put(t, s->at.sym, n < room ? n : room);
        text_str(t, s->inlined ? " (inlined)" : "");
        return;
    }
    if (address)
        text_str(t, "0x");
    text_fmt(t, "%016llx", (unsigned long long)address);
}

static void sym_cell(const struct key_context *c, const struct subject *i, size_t width,
                     struct text *t)
{
    (void)c;
    sym_put(&i->spot, i->level, i->spot.shown, width, t);
}

static uint32_t sym_width_of(const struct spot_of *s)
{
    return s->at.sym ? (uint32_t)strlen(s->at.sym) + 4 : ADDRESS_DIGITS + 6;
}

static uint32_t sym_width(const struct key_context *c, const struct subject *i)
{
    (void)c;
    return sym_width_of(&i->spot);
}

/* Of branches files are not looked at, and addresses are those of the process. */
static uint32_t sym_to_words(struct key_context *c, const struct subject *i,
                             uint64_t *word)
{
    (void)c;
    return sym_words_of(&i->spot, i->spot.at.ip, word);
}

static uint32_t sym_from_words(struct key_context *c, const struct subject *i,
                               uint64_t *word)
{
    (void)c;
    return sym_words_of(&i->from, i->from.at.ip, word);
}

static int64_t sym_branch(const struct spot_of *a, const struct spot_of *b)
{
    return !a->at.sym && !b->at.sym ? by_number(a->at.ip, b->at.ip)
                                    : sym_by_range(a, b);
}

static int64_t sym_to_compare(const struct key_context *c, const struct subject *a,
                              const struct subject *b)
{
    (void)c;
    return sym_branch(&a->spot, &b->spot);
}

static int64_t sym_from_compare(const struct key_context *c, const struct subject *a,
                                const struct subject *b)
{
    (void)c;
    return sym_branch(&a->from, &b->from);
}

static void sym_from_cell(const struct key_context *c, const struct subject *i,
                          size_t width, struct text *t)
{
    (void)c;
    sym_put(&i->from, i->from.level, i->from.at.addr, width, t);
}

static void sym_to_cell(const struct key_context *c, const struct subject *i,
                        size_t width, struct text *t)
{
    (void)c;
    sym_put(&i->spot, i->spot.level, i->spot.at.addr, width, t);
}

static uint32_t sym_from_width(const struct key_context *c, const struct subject *i)
{
    (void)c;
    return sym_width_of(&i->from);
}

/* --- Times -------------------------------------------------------------------------- */

static uint32_t srcline_words(struct key_context *c, const struct subject *i,
                              uint64_t *word)
{
    return word_of(c, i->srcline, word);
}

static int64_t srcline_compare(const struct key_context *c, const struct subject *a,
                               const struct subject *b)
{
    (void)c;
    return strcmp(b->srcline, a->srcline);
}

static void srcline_cell(const struct key_context *c, const struct subject *i,
                         size_t width, struct text *t)
{
    (void)c, (void)width;
    text_str(t, i->srcline);
}

static uint32_t srcline_width(const struct key_context *c, const struct subject *i)
{
    (void)c;
    return (uint32_t)strlen(i->srcline);
}

static uint32_t time_words(struct key_context *c, const struct subject *i,
                           uint64_t *word)
{
    (void)c;
    *word = i->time;
    return 1;
}

static int64_t time_compare(const struct key_context *c, const struct subject *a,
                            const struct subject *b)
{
    (void)c;
    return by_number(a->time, b->time);
}

static void time_cell(const struct key_context *c, const struct subject *i,
                      size_t width, struct text *t)
{
    const uint64_t second = 1000000000;

    (void)width;
    text_fmt(t, "%llu.", (unsigned long long)(i->time / second));
    if (c->ns)
        text_fmt(t, "%09llu", (unsigned long long)(i->time % second));
    else
        text_fmt(t, "%06llu", (unsigned long long)(i->time % second / 1000));
}

static uint32_t time_width(const struct key_context *c, const struct subject *i)
{
    (void)i;
    return c->ns ? 16 : 12;
}

/* --- What branches are like -------------------------------------------------------- */

enum { MISPREDICTED = 1, PREDICTED = 2, IN_TX = 4, ABORTED = 8, CYCLES_AT = 4 };

static uint64_t cycles_of(const struct subject *i)
{
    return i->flags >> CYCLES_AT & 0xffff;
}

static uint32_t cycles_words(struct key_context *c, const struct subject *i,
                             uint64_t *word)
{
    (void)c;
    *word = cycles_of(i);
    return 1;
}

static int64_t cycles_compare(const struct key_context *c, const struct subject *a,
                              const struct subject *b)
{
    (void)c;
    return (int64_t)cycles_of(a) - (int64_t)cycles_of(b);
}

static void cycles_cell(const struct key_context *c, const struct subject *i,
                        size_t width, struct text *t)
{
    (void)c, (void)width;
    if (cycles_of(i)) /* as perf shows 16 bits */
        text_int(t, (int16_t)cycles_of(i), 0);
    else
        text_char(t, '-');
}

static uint32_t flag_words(const struct subject *i, uint64_t mask, uint64_t *word)
{
    *word = i->flags & mask;
    return 1;
}

/* perf only knows that they differ. */
static int64_t flag_compare(const struct subject *a, const struct subject *b,
                            uint64_t mask)
{
    return (a->flags & mask) != (b->flags & mask);
}

static uint32_t mispredict_words(struct key_context *c, const struct subject *i,
                                 uint64_t *word)
{
    (void)c;
    return flag_words(i, MISPREDICTED | PREDICTED, word);
}

static int64_t mispredict_compare(const struct key_context *c, const struct subject *a,
                                  const struct subject *b)
{
    (void)c;
    return flag_compare(a, b, MISPREDICTED | PREDICTED);
}

static void mispredict_cell(const struct key_context *c, const struct subject *i,
                            size_t width, struct text *t)
{
    (void)c, (void)width;
    text_str(t, i->flags & PREDICTED ? "N" : i->flags & MISPREDICTED ? "Y" : "N/A");
}

static uint32_t in_tx_words(struct key_context *c, const struct subject *i,
                            uint64_t *word)
{
    (void)c;
    return flag_words(i, IN_TX, word);
}

static int64_t in_tx_compare(const struct key_context *c, const struct subject *a,
                             const struct subject *b)
{
    (void)c;
    return flag_compare(a, b, IN_TX);
}

static void in_tx_cell(const struct key_context *c, const struct subject *i,
                       size_t width, struct text *t)
{
    (void)c, (void)width;
    text_str(t, i->flags & IN_TX ? "T" : ".");
}

static uint32_t abort_words(struct key_context *c, const struct subject *i,
                            uint64_t *word)
{
    (void)c;
    return flag_words(i, ABORTED, word);
}

static int64_t abort_compare(const struct key_context *c, const struct subject *a,
                             const struct subject *b)
{
    (void)c;
    return flag_compare(a, b, ABORTED);
}

static void abort_cell(const struct key_context *c, const struct subject *i,
                       size_t width, struct text *t)
{
    (void)c, (void)width;
    text_str(t, i->flags & ABORTED ? "A" : ".");
}

/* --- IPC --------------------------------------------------------------------------- */

/* Of what perf adds where somebody sorts by symbol: synthesized stacks have no cycles. */
static uint32_t ipc_words(struct key_context *c, const struct subject *i,
                          uint64_t *word)
{
    (void)c, (void)i;
    *word = 0;
    return 1;
}

static void ipc_null_cell(const struct key_context *c, const struct subject *i,
                          size_t width, struct text *t)
{
    (void)c, (void)i, (void)width;
    text_str(t, "-      -");
}

static void ipc_lbr_cell(const struct key_context *c, const struct subject *i,
                         size_t width, struct text *t)
{
    (void)c, (void)width;
    text_str(t, i->spot.at.sym ? "0.00  [  0.0%]" : "-");
}

static uint32_t no_width(const struct key_context *c, const struct subject *i)
{
    (void)c, (void)i;
    return 0;
}

/* In perf's order: the first of which a word is the beginning is meant. */
static const struct key keys[] = {
    {"pid",               "    Pid:Command",       false, false, false, pid_words,        pid_compare,     NULL,
     pid_cell,                                                                                                                        pid_width     },
    {"comm",              "Command",               false, true,  false, comm_words,       comm_compare,    NULL,     comm_cell,
     comm_width                                                                                                                                     },
    {"dso",               "Shared Object",         false, true,  false, dso_words,        dso_compare,     NULL,     dso_cell,
     dso_width                                                                                                                                      },
    {"symbol",            "Symbol",                false, false, false, sym_words,        sym_compare,     sym_rank,
     sym_cell,                                                                                                                        sym_width     },
    {"parent",            NULL,                    false, false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"cpu",               "CPU",                   false, false, false, cpu_words,        cpu_compare,     NULL,     cpu_cell,
     cpu_width                                                                                                                                      },
    {"socket",            NULL,                    false, false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"srcline",           "Source:Line",           false, false, false, srcline_words,    srcline_compare,
     NULL,                                                                                                           srcline_cell,    srcline_width },
    {"srcfile",           NULL,                    false, false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"local_weight",      NULL,                    false, false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"weight",            NULL,                    false, false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"transaction",       NULL,                    false, false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"trace",             NULL,                    false, false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"symbol_size",       NULL,                    false, false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"dso_size",          NULL,                    false, false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"cgroup",            NULL,                    false, false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"cgroup_id",         NULL,                    false, false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"ipc_null",          "IPC   [IPC Coverage]",  false, true,  false, ipc_words,        sym_compare,
     NULL,                                                                                                           ipc_null_cell,   no_width      },
    {"time",              "Time",                  false, false, false, time_words,       time_compare,    NULL,     time_cell,
     time_width                                                                                                                                     },
    {"code_page_size",    NULL,                    false, false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"local_ins_lat",     NULL,                    false, false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"ins_lat",           NULL,                    false, false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"local_p_stage_cyc", NULL,                    false, false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"p_stage_cyc",       NULL,                    false, false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"addr",              NULL,                    false, false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"dso_from",          "Source Shared Object",  true,  true,  false, dso_from_words,
     dso_from_compare,                                                                                     NULL,     dso_from_cell,   dso_from_width},
    {"dso_to",            "Target Shared Object",  true,  true,  false, dso_words,        dso_to_compare,
     NULL,                                                                                                           dso_cell,        dso_to_width  },
    {"symbol_from",       "Source Symbol",         true,  false, false, sym_from_words,
     sym_from_compare,                                                                                     NULL,     sym_from_cell,   sym_from_width},
    {"symbol_to",         "Target Symbol",         true,  false, false, sym_to_words,     sym_to_compare,
     NULL,                                                                                                           sym_to_cell,     sym_width     },
    {"mispredict",        "Branch Mispredicted",   true,  true,  true,  mispredict_words,
     mispredict_compare,                                                                                   NULL,     mispredict_cell, no_width      },
    {"in_tx",             "Branch in transaction", true,  true,  true,  in_tx_words,      in_tx_compare,
     NULL,                                                                                                           in_tx_cell,      no_width      },
    {"abort",             "Transaction abort",     true,  true,  true,  abort_words,      abort_compare,   NULL,
     abort_cell,                                                                                                                      no_width      },
    {"cycles",            "Basic Block Cycles",    true,  true,  false, cycles_words,     cycles_compare,
     NULL,                                                                                                           cycles_cell,     no_width      },
    {"srcline_from",      NULL,                    true,  false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"srcline_to",        NULL,                    true,  false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"ipc_lbr",           "IPC   [IPC Coverage]",  true,  true,  false, ipc_words,        sym_compare,     NULL,
     ipc_lbr_cell,                                                                                                                    no_width      },
    {"addr_from",         NULL,                    true,  false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
    {"addr_to",           NULL,                    true,  false, false, NULL,             NULL,            NULL,     NULL,            NULL          },
};

const struct key *key_find(const char *name, size_t n)
{
    for (size_t i = 0; n && i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strncasecmp(keys[i].name, name, n) == 0)
            return &keys[i];
    return NULL;
}
