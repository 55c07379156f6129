/* place.h - what printing asks of the rest: who, where and what lies at an address.
 *
 * SPDX-License-Identifier: MIT
 *
 * The questions are a struct of functions, so that filters and printers know neither
 * side-band nor files; resolve.h answers them, and a test can make answers up.
 */
#ifndef PTS_SYNTH_SYMBOL_PLACE_H
#define PTS_SYNTH_SYMBOL_PLACE_H

#include "decoder/base/address.h"
#include "walker/code/ild.h"

#include <ptscript/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread at a point of the recording. */
struct who {
    int32_t pid, tid, cpu;
    uint32_t thread; /* as in sideband.h; UINT32_MAX: none yet; or WHO_NOBODY */
    uint32_t epoch;
    /* Change whenever any address could mean something else, any of the kernel's: the epoch
     * will do, that at which maps changed last is faster. */
    uint32_t space, kernel_space;
    uint32_t guest; /* 0: the host; 1 + the number of a guest; or WHO_IN_GUEST */
    /* Of a guest: the thread that runs it, on the host.  Without a thread: 1 + the number of
     * its call stack, if it has one. */
    uint32_t host;
    /* Of guests whose own records tell, as printed; else 0. */
    int32_t machine_pid, vcpu;
};

/* What an address means depends on this, besides itself and the mode: the kernel's maps are
 * the same for all threads of a machine. */
static inline uint64_t who_maps(const struct who *w, uint8_t cpumode, uint64_t ip)
{
    return cpumode == PTS_MODE_KERNEL && in_kernel(ip)
               ? w->kernel_space
               : (uint64_t)w->space << 32 | w->thread;
}

/* A thread at a point of the recording, and what it runs in its guest.  Where records of
 * guests tell who that is, perf takes the thread of an instruction that enters a guest for
 * that in the guest, but looks for it on the host: entering. */
struct whose {
    struct who host, guest, entering;
    bool told; /* records of guests tell */
};

/* In a guest that nothing is known of, and in one whose code is that of the thread's process. */
#define WHO_IN_GUEST   UINT32_MAX
#define WHO_GUEST_CODE (UINT32_MAX - 1)

/* A record about tid -1 is about no thread, whatever name that was given. */
#define WHO_NOBODY (UINT32_MAX - 1)

struct sb_dso;
struct sym;

/* What lies at an address.  Strings are lent for the life of the session. */
struct place {
    const char *sym;       /* NULL: no symbol */
    uint64_t sym_off;      /* as printed after the + */
    uint64_t sym_ip;       /* address of the symbol's start in this process */
    const char *dso;       /* as printed; NULL: no map */
    const char *dso_short; /* for --dsos, */
    const char *dso_path;  /* ... as is this, perf's long name */
    uint64_t ip;           /* the address itself */
    uint64_t addr;         /* where that is in the file, what symbols go by; ip without
                            * a map */
    uint64_t map_off;      /* the same, also of maps whose symbols go by ip itself */
    uint64_t sym_start, sym_end; /* of the symbol, like addr */
    uint64_t map_start, map_end;
    const uint8_t *build_id; /* of the dso */
    /* The same for who asks which they are, and not what they are called: lent for the
     * life of the run.  NULL: none; the second one also of code that is its own symbol. */
    const struct sb_dso *of_dso;
    const struct sym *of_sym;
    uint32_t dso_order;   /* that of creation, from 1; 0: no map */
    uint16_t sym_tail;    /* so much longer perf takes its name to be */
    uint8_t build_id_len; /* 0: not known */
    uint8_t sym_bind;     /* STB_* */
    bool sym_data;        /* it is no code */
    char sym_from;        /* perf's letter for where symbols came from; 0: nowhere */
    bool in_memory;       /* with it perf says ip, and not where that is in the file */
    bool kernel;          /* the kernel's or a module's */
    bool elf;             /* symbols were looked for in an ELF file */
    bool unread;          /* they have not been read, so this is void (resolve_apart) */
    uint8_t map_prot;     /* as in as_map: of mmap(2), and AS_SHARED */
};

/* What a frame of a call chain shows: where in its file; of the kernel, where in memory. */
static inline uint64_t place_frame_addr(const struct place *p)
{
    return p->kernel ? p->ip : p->addr;
}

/* Code as it was then. */
struct place_code {
    size_t want;       /* in: at most so much; 16384 at most */
    const uint8_t *at; /* lent until the next question */
    size_t len;        /* less where the file ends */
    enum ild_mode mode;
};

/* Where to look. */
struct place_query {
    const struct who *who;
    uint64_t ip;
    uint8_t cpumode;
};

struct place_insn {
    const uint8_t *code;
    size_t len;
    bool symbols;
};

/* Of the file at an address. */
struct place_file {
    const uint8_t *build_id; /* lent for the life of the session */
    uint32_t build_id_len;   /* 0: not known */
    uint8_t sym_bind;        /* STB_* of the symbol there, 0 without */
    bool is_64bit;
};

/* A function that was inlined at an address, or the one it was inlined in. */
struct place_inlined {
    const char *name;
    const char *srcline; /* "file:line" */
};

/* The questions; ctx is handed through.  place and comm must be there, others may be
 * NULL. */
struct lookup {
    void *ctx;
    /* Maps of one mode only; out is all zero (but ip) when nothing is found. */
    void (*place)(void *ctx, const struct who *w, uint8_t cpumode, uint64_t ip,
                  struct place *out);
    /* Name of the thread as it is at w->epoch; never NULL. */
    const char *(*comm)(void *ctx, const struct who *w);
    /* Code from ip on; false when there is none. */
    bool (*code)(void *ctx, const struct who *w, uint64_t ip, struct place_code *out);
    /* The instruction at ip: its bytes into buf[16], returns its length, 0 if unknown.
     */
    size_t (*insn)(void *ctx, const struct who *w, uint64_t ip, uint8_t *buf);
    /* Text about ip, lent until the next call; *n 0: perf prints nothing.  Both must be
     * asked in the order of the output. */
    pts_status (*srcline)(void *ctx, const struct place_query *q, const char **text,
                          size_t *n); /* "file:line" */
    /* The same of the address in the file that has the number of this one in memory, as perf
     * asks for callers and branches. */
    pts_status (*srcline_beside)(void *ctx, const struct place_query *q,
                                 const char **text, size_t *n);
    /* The functions at an address that has a symbol, innermost first; *n 0: there is
     * nothing to say beyond the symbol.  Lent for the life of the session. */
    pts_status (*inlined)(void *ctx, const struct place_query *q,
                          const struct place_inlined **frames, size_t *n);
    /* The same as the debug information has it: the whole path, not NUL-terminated, and the
     * line; PTS_END: not known.  Lent until the next question. */
    pts_status (*source)(void *ctx, const struct place_query *q, const char **file,
                         size_t *n, uint32_t *line);
    /* False: there is no map. */
    bool (*file)(void *ctx, const struct place_query *q, struct place_file *out);
    pts_status (*srccode)(void *ctx, const struct place_query *q, const char **text,
                          size_t *n); /* "|line     code" */
    /* An instruction in AT&T syntax; symbols: its sole immediate as symbol+0xoff. */
    pts_status (*disasm)(void *ctx, const struct place_query *q,
                         const struct place_insn *insn, const char **text, size_t *n);
};

#endif
