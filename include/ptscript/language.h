/* language.h - a script that is called for what a recording tells.
 *
 * SPDX-License-Identifier: MIT
 *
 * A language (Python) is a struct of functions.  pts_script_open() has it start a script, and
 * calls it for each item of the run: in perf's order, in the thread that reads the stream.
 * The library knows no language, and a language need not know the library: what it may ask
 * is a struct of functions, too.
 *
 *     ptscript -s x.py --- pts_script_open ---> start, begin
 *                          pts_stream_next_text -> sample, error ...
 *                          pts_stream_close ---> end, close
 *
 * A language in a shared object of its own exports its struct as `pts_language`.
 */
#ifndef PTSCRIPT_LANGUAGE_H
#define PTSCRIPT_LANGUAGE_H

#include <ptscript/record.h>
#include <ptscript/sample.h>
#include <ptscript/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Structs here grow at their end only; this changes when that is not enough. */
enum { PTS_LANGUAGE_VERSION = 1 };

/* Pointers are lent for the life of the session where that is said, else for the call. */

/* What lies at an address.  Its strings live as long as the session. */
struct pts_spot {
    const char *dso;      /* as printed; NULL: in no map, then the next four are 0 */
    const char *dso_path; /* perf's long name */
    const uint8_t *build_id;
    uint32_t build_id_len;
    uint32_t binding; /* of the symbol: STB_* */
    uint64_t map_start, map_end;
    const char *symbol; /* NULL: none, then the rest is 0 */
    uint64_t symbol_offset, symbol_start, symbol_end;
};

/* A caller.  inlined: an inlined function instead of the address's symbol, and "file:line". */
struct pts_script_frame {
    uint64_t ip;
    struct pts_spot at;
    const char *inlined, *source; /* NULL: none */
};

struct pts_script_branch {
    struct pts_branch branch;
    struct pts_spot from, to;
};

/* A field of a tracepoint. */
enum pts_script_field_kind { PTS_FIELD_NUMBER, PTS_FIELD_STRING, PTS_FIELD_BYTES };
struct pts_script_field {
    const char *name; /* lives as long as the stream */
    enum pts_script_field_kind kind;
    int is_signed;
    uint64_t number;        /* its bytes, without a sign */
    struct pts_bytes bytes; /* of a string: without its end */
};

/* Something that a tracepoint's format names the values of. */
struct pts_script_name {
    const char *field;
    const char
        *between;     /* flags that are set, "" when it does not say; NULL: one value */
    const char *text; /* NULL: of the field; else of this value */
    uint64_t value;
};

struct pts_script_tracepoint {
    const char *system, *name;
    uint64_t id;
    int32_t common_pid; /* as the event says it */
    const struct pts_script_field *fields;
    size_t field_count, common_count;    /* the common ones first */
    const struct pts_script_name *names; /* lives as long as the stream */
    size_t name_count;
};

struct pts_script_sample {
    const char *event;   /* lives as long as the stream */
    const uint8_t *attr; /* perf_event_attr, 128 bytes; lives as long as the stream */
    uint32_t event_number;
    int32_t pid, tid;
    uint32_t cpu;
    int32_t machine_pid, vcpu;
    uint64_t ip, time, period, phys_addr, addr, weight, transaction, data_src;
    uint64_t insn_cnt, cyc_cnt;
    uint64_t read_format;           /* PTS_READ_*: what counters say */
    uint64_t enabled, running;      /* ns */
    const struct pts_value *values; /* one, unless it is a group */
    size_t value_count;
    uint32_t flags; /* enum pts_row_flags */
    uint8_t cpumode;
    uint8_t addr_is_code;
    struct pts_bytes flags_letters, flags_text, data_src_text, iregs_text, uregs_text;
    struct pts_bytes raw; /* len 0: none */
    const char *comm;
    struct pts_spot at, to; /* of ip; of addr, if that is code */
    const struct pts_script_frame *frames;
    size_t frame_count;
    const struct pts_script_branch *branches;
    size_t branch_count;
    const struct pts_script_tracepoint *tracepoint; /* NULL: it is none */
};

struct pts_script_switch {
    uint64_t time;
    uint32_t cpu;
    int32_t pid, tid, other_pid, other_tid, machine_pid, guest_pid, vcpu;
    int out, preempt;
};

struct pts_script_throttle {
    uint64_t time, id, stream;
    uint32_t cpu;
    int32_t pid, tid;
    int again; /* it runs on */
};

/* A value of a row of a table. */
enum pts_script_value_kind { PTS_VALUE_INT, PTS_VALUE_TEXT, PTS_VALUE_BYTES };
struct pts_script_value {
    enum pts_script_value_kind kind;
    int64_t number;         /* addresses are negative where their highest bit is set */
    struct pts_bytes bytes; /* of text: any bytes but NUL */
};

/* What a script may ask of the run, while it is called. */
struct pts_script_host {
    uint32_t version; /* PTS_LANGUAGE_VERSION */
    void *ctx;
    /* What --itrace would say: 0 taken, 1 something else was said before (or it is too
     * late), -22: wrong, *why is perf's message.  */
    int (*set_itrace)(void *ctx, const char *options, const char **why);
    /* The next ones are about the sample at hand.  The length of its instruction, 0: not
     * known. */
    size_t (*insn)(void *ctx, uint8_t bytes[16]);
    /* Its source line: *file NULL in no map, "" when not known; lent until the next call. */
    void (*source)(void *ctx, const char **file, uint32_t *line);
    /* The text of the line that source told last; len 0: not known.  Lent likewise. */
    struct pts_bytes (*source_text)(void *ctx);
    /* A number of the tracepoint at hand by its name (common_flags); 0: it has none. */
    uint64_t (*common)(void *ctx, const char *name);
    /* Rows of tables (docs/export.md) instead of samples and switches: those of `row`.  To be
     * called by `begin`, not later.  calls: also of calls; chains: call chains as paths of
     * calls. */
    void (*want_rows)(void *ctx, int calls, int chains);
};

/* What a script is called with. */
struct pts_script_call {
    const char *path;  /* of its file, as messages have it */
    const char *given; /* the same, as the command line has it */
    int argc;          /* its own arguments */
    char *const *argv;
};

/* Functions return 0; not 0: the script ends here, and *status is that of the process.  Of
 * those behind end each may be NULL. */
struct pts_language {
    uint32_t version; /* PTS_LANGUAGE_VERSION */
    const char *name;
    /* Runs the file itself.  *ctx goes to the others; unless it is NULL, close is called at
     * last, and end before that if nothing has ended the script. */
    int (*start)(const struct pts_script_call *call, const struct pts_script_host *host,
                 void **ctx, int *status);
    int (*begin)(void *ctx, int *status);
    int (*sample)(void *ctx, const struct pts_script_sample *s, int *status);
    int (*end)(void *ctx, int *status);
    void (*close)(void *ctx);
    int (*error)(void *ctx, const struct pts_auxtrace_error *e, uint8_t cpumode,
                 int *status);
    int (*switched)(void *ctx, const struct pts_script_switch *s, int *status);
    int (*throttled)(void *ctx, const struct pts_script_throttle *t, int *status);
    int (*row)(void *ctx, const char *table, const struct pts_script_value *values,
               size_t count, int *status);
};

/* A stream whose samples and errors a script gets instead of a text.  What else is printed
 * (header, show-mmap-events ...) is its text, to be read with pts_stream_next_text until its
 * end as if it were one.  PTS_E_CANCELLED: the script ended.  *status is not touched unless it
 * ends: up to pts_stream_close it may be set to that of the process.  language, call and status are lent for the life of the stream. */
PTS_API PTS_MUST_USE pts_status pts_script_open(pts_session *s,
                                                const struct pts_language *language,
                                                const struct pts_script_call *call,
                                                const struct pts_option *options,
                                                size_t count, int *status,
                                                pts_stream **out, struct pts_diag *why);

#ifdef __cplusplus
}
#endif
#endif
