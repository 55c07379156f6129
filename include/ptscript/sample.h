/* sample.h - what a recording tells as data: samples, errors, records.
 *
 * SPDX-License-Identifier: MIT
 *
 * A stream of rows is the same pass over a recording as a stream of text (session.h):
 * a row for each line that perf script would print, in the same order, without the
 * text.
 *
 *     pts_samples_open(session, &opts, &stream, &why);
 *     while ((st = pts_stream_next_batch(stream, &batch, &why)) == PTS_OK)
 *         for (size_t i = 0; i < batch.n; i++)
 *             use(&batch.rows[i]);
 *     pts_stream_close(stream);
 *
 * Rows come in batches, have a fixed layout and hold no pointers, so that programs in
 * other languages can take a whole batch at once (numpy.frombuffer, ctypes).  Strings
 * are numbers, from 1 on, which mean the same string for the life of the stream; a row
 * refers to chains, branches, bytes and records by their place in the batch.  Nothing is
 * looked up that nobody asked for (enum pts_want).
 *
 * Several streams of a session may run at once, each in a thread of its own; the
 * session's message function must bear that.
 */
#ifndef PTSCRIPT_SAMPLE_H
#define PTSCRIPT_SAMPLE_H

#include <ptscript/record.h>
#include <ptscript/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What rows are to have; what is not asked for is 0. */
enum pts_want {
    PTS_WANT_COMM = 1 << 0,   /* comm */
    PTS_WANT_SYMBOL = 1 << 1, /* sym, symoff, dso: of ip */
    PTS_WANT_TARGET =
        1 << 2, /* addr_sym, addr_symoff, addr_dso: of an address of code */
    PTS_WANT_CHAIN = 1 << 3,    /* call chains */
    PTS_WANT_BRANCHES = 1 << 4, /* stacks of branches */
    PTS_WANT_INSN = 1 << 5,     /* insn: bytes of the instruction */
    PTS_WANT_RAW = 1 << 6       /* raw data of tracepoints and such; of made events: 4
                                 * bytes of flags, and the payload, as perf stores them */
};

/* Size first, so that members can be added: start from PTS_SAMPLES_OPTS_INIT. */
struct pts_samples_opts {
    size_t size;
    /* As for pts_stream_open: itrace, time, cpu, comms, ... decide which rows there are.
     * Options that are only about the text (fields, ns, header, dump-raw-trace,
     * show-mmap-events, ...; PRINTER in ptscript/script.def) are PTS_E_USAGE unless text
     * is set. Lent during the call. */
    const struct pts_option *options;
    size_t option_count;
    uint32_t want; /* enum pts_want */
    int records;   /* side-band records are rows, too */
    int text;      /* the text of the same run comes with the batches: all of it, in
                    * order, but not in step with the rows */
};
#define PTS_SAMPLES_OPTS_INIT                                                          \
    {                                                                                  \
        sizeof(struct pts_samples_opts), 0, 0, 0, 0, 0                                 \
    }

/* opts may be NULL: nothing but what rows always have. */
PTS_API PTS_MUST_USE pts_status pts_samples_open(pts_session *s,
                                                 const struct pts_samples_opts *opts,
                                                 pts_stream **out,
                                                 struct pts_diag *why);

/* --- Rows ------------------------------------------------------------------------ */

enum pts_row_type {
    PTS_ROW_SAMPLE = 1, /* made from the trace, or recorded */
    PTS_ROW_ERROR = 2, /* a fault of the trace, or data that were lost: sym is its text,
                         * payload its code, as perf numbers them */
    PTS_ROW_RECORD = 3 /* a side-band record: record */
};

/* Which members of a row say something. */
enum pts_row_valid {
    PTS_VALID_TIME = 1 << 0,
    PTS_VALID_CPU = 1 << 1,
    PTS_VALID_IP = 1 << 2,
    PTS_VALID_ADDR = 1 << 3,
    PTS_VALID_TID = 1 << 4, /* and pid */
    PTS_VALID_IPC = 1 << 5, /* insn_cnt and cyc_cnt */
    PTS_VALID_PAYLOAD = 1 << 6
};

/* Kinds of branches, as perf numbers them: a call is a branch, too. */
enum pts_row_flags {
    PTS_FLAG_BRANCH = 1 << 0,
    PTS_FLAG_CALL = 1 << 1,
    PTS_FLAG_RETURN = 1 << 2,
    PTS_FLAG_COND = 1 << 3,
    PTS_FLAG_SYSCALL = 1 << 4, /* system call or return from one */
    PTS_FLAG_ASYNC = 1 << 5,   /* not by an instruction */
    PTS_FLAG_INTERRUPT = 1 << 6,
    PTS_FLAG_TX_ABORT = 1 << 7,
    PTS_FLAG_TRACE_BEGIN = 1 << 8,
    PTS_FLAG_TRACE_END = 1 << 9,
    PTS_FLAG_IN_TX = 1 << 10,
    PTS_FLAG_VM_ENTRY = 1 << 11,
    PTS_FLAG_VM_EXIT = 1 << 12,
    PTS_FLAG_INTR_OFF = 1 << 13,   /* interrupts are off behind it */
    PTS_FLAG_INTR_TOGGLE = 1 << 14 /* ... and were not before, or the reverse */
};

/* New members come behind the last one; row_size of the batch says how long rows are. */
struct pts_row {
    uint64_t time;                /* ns of perf's clock */
    uint64_t ip, addr;            /* addr: where a branch goes, or an address of data */
    uint64_t period;              /* of the event it is a sample of */
    uint64_t insn_cnt, cyc_cnt;   /* since the last row of the event that has them */
    uint64_t payload;             /* the packet's value: of ptwrite, mwait, psb, ... */
    int32_t pid, tid, cpu;        /* -1: not known */
    uint32_t type;                /* enum pts_row_type */
    uint32_t flags;               /* enum pts_row_flags */
    uint32_t event;               /* of pts_stream_event */
    uint32_t comm, sym, dso;      /* strings; 0: not known */
    uint32_t addr_sym, addr_dso;  /* strings */
    uint32_t symoff, addr_symoff; /* bytes from the symbol's start */
    uint32_t chain, chain_n;      /* addresses: place in batch->chain, and how many */
    uint8_t insn_len;             /* 0: no instruction, or not known */
    uint8_t insn[15];
    uint32_t valid;                /* enum pts_row_valid */
    uint32_t branches, branches_n; /* place in batch->branches, newest first */
    uint32_t raw, raw_n;           /* place in batch->raw, and bytes */
    uint32_t record;               /* 1 + place in batch->records; 0: no record */
    uint32_t thread, epoch;        /* these three say to pts_stream_resolve whose */
    uint32_t mode;                 /* ... addresses these are, and when */
};

/* Everything is lent until the next call for the stream.  Start from PTS_BATCH_INIT. */
struct pts_batch {
    size_t size;
    const struct pts_row *rows;
    size_t n, row_size; /* rows, and bytes from one to the next */
    const uint64_t
        *chain; /* innermost first, as the text shows them (max-stack, stop-bt,
                            * hide-call-graph) */
    size_t chain_n;
    const struct pts_branch *branches;
    size_t branches_n;
    const uint8_t *raw;
    size_t raw_n;
    const struct pts_record *records;
    size_t records_n;
    const char *text; /* not terminated */
    size_t text_n;
};
#define PTS_BATCH_INIT                                                                 \
    {                                                                                  \
        sizeof(struct pts_batch), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0                \
    }

/* The next rows, or text.  PTS_END after the last; PTS_E_TRUNCATED or PTS_E_FORMAT after
 * the last of a damaged file; PTS_E_USAGE for a stream of text. */
PTS_API PTS_MUST_USE pts_status pts_stream_next_batch(pts_stream *st,
                                                      struct pts_batch *batch,
                                                      struct pts_diag *why);

/* --- What rows refer to ---------------------------------------------------------- */

/* The string with this number, NUL-terminated, lent for the life of the stream; n may be
 * NULL. NULL: there is none (yet). */
PTS_API const char *pts_stream_string(const pts_stream *st, uint32_t id, size_t *n);

/* Start from PTS_SAMPLE_EVENT_INIT. */
struct pts_sample_event {
    size_t size;
    const char
        *name; /* as perf prints it: "branches:u"; lent for the life of the stream */
    uint32_t type; /* of its perf_event_attr */
    int made;      /* by the decoder: it is not among the recording's own */
    uint64_t config;
};
#define PTS_SAMPLE_EVENT_INIT                                                          \
    {                                                                                  \
        sizeof(struct pts_sample_event), 0, 0, 0, 0                                    \
    }
/* Event i of the stream; PTS_END: there is none. */
PTS_API PTS_MUST_USE pts_status pts_stream_event(const pts_stream *st, uint32_t i,
                                                 struct pts_sample_event *out);

struct pts_inlined {
    const char *function;
    const char *source; /* "file:line" */
};

/* Set before the call; the rest is written.  Start from PTS_PLACE_INIT. */
struct pts_place {
    size_t size;
    int want_source, want_inlined; /* these cost more than the rest */
    const char *dso; /* path of the file; NULL: the address is in no map */
    const char *symbol;
    uint64_t symbol_offset;            /* bytes from its start */
    uint64_t file_offset;              /* of the address in the file, in bytes */
    const char *source;                /* "file:line"; NULL: not known */
    const struct pts_inlined *inlined; /* innermost first; what was inlined there into
                                        * symbol; NULL: nothing */
    size_t inlined_n;
};
#define PTS_PLACE_INIT                                                                 \
    {                                                                                  \
        sizeof(struct pts_place), 0, 0, 0, 0, 0, 0, 0, 0, 0                            \
    }
/* What lies at an address, as the thread of a sample's row of this stream saw it then;
 * rows of errors and records know no thread, and only the kernel is found by them.  row
 * may be a copy of one of an earlier batch.  *out is lent until the next call. */
PTS_API PTS_MUST_USE pts_status pts_stream_resolve(pts_stream *st,
                                                   const struct pts_row *row,
                                                   uint64_t address,
                                                   struct pts_place *out,
                                                   struct pts_diag *why);

#ifdef __cplusplus
}
#endif
#endif
