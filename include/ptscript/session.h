/* session.h - open a recording, run over it, get text.
 *
 * SPDX-License-Identifier: MIT
 *
 * A session is an opened perf.data file.  A stream is one pass over it under given
 * options: the same as one run of perf script.  Streams are pulled: the caller asks for
 * the next piece of text and keeps control.  Samples as data, not text: sample.h.
 *
 * Recordings and files with code are mapped, not copied, and must keep their bytes while a
 * session or a reader of records is open.  One that was cut meanwhile is told at the end,
 * PTS_E_TRUNCATED; but bytes that are gone when they are wanted end the process with
 * SIGBUS, as with any mapped file.  The library installs no handler.  A program that must
 * live on gives it a copy, or a pipe; one that wants to say why it ends handles the signal,
 * as cli/cut.c does: it writes what pts_stream_made has, says which file it was, and ends.
 * Nothing can go back into the library from there.
 */
#ifndef PTSCRIPT_SESSION_H
#define PTSCRIPT_SESSION_H

#include <ptscript/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pts_session pts_session;
typedef struct pts_stream pts_stream;

/* What a message is about; text goes where perf puts it, standard error. */
enum pts_message_kind {
    PTS_MSG_WARNING, /* perf's own text, to be printed as it is */
    PTS_MSG_NOTE /* help of ours: one line, printed with the program's name in front */
};
typedef void pts_message_fn(void *ctx, enum pts_message_kind kind, const char *text);

/* One option of perf script, by its long name ("itrace", "fields", "ns", "time", "cpu",
 * "tid", "pid", "comms", "dsos", "symbols", "show-task-events" ...), with its argument
 * or NULL.  ptscript/script.def has them all, as a table; "no-" in front takes one back.
 * Options take effect in the order given, as on perf's command line.
 * PTS_E_USAGE: the argument is wrong, *why holds perf's message; where perf finds that out
 * later (time, cpu) it is PTS_E_RANGE or PTS_E_FORMAT.
 * PTS_E_UNSUPPORTED: known to perf, not yet to this library. */
struct pts_option {
    const char *name;
    const char *value;
};

/* What becomes of files whose build id is not the recorded one. */
enum pts_require_buildid {
    PTS_BUILDID_WARN,  /* they are not used, and told at the end */
    PTS_BUILDID_ERROR, /* the stream ends with PTS_E_FORMAT when one was met */
    PTS_BUILDID_OFF /* their code is used, as perf does, and told; their symbols never */
};

/* Size first, so that fields can be added: start from PTS_OPEN_OPTS_INIT. */
struct pts_open_opts {
    size_t size;
    int force;               /* accept a file of another user */
    const char *symfs;       /* directory in front of every path; NULL or "/": none */
    const char *buildid_dir; /* build-id cache, or NULL for none */
    pts_message_fn *message; /* may be NULL */
    void *message_ctx;
    const char *temp_dir; /* for what does not fit into memory, NULL: keep it there */
    const struct pts_option *config; /* perf's configuration, lent: see config.h */
    size_t config_count;
    enum pts_require_buildid require_buildid;
    /* The kernel's symbols (and, in `kcore` beside it, its code) or the file that it was linked
     * as, in place of those that would be found; or NULL. */
    const char *kallsyms;
    const char *vmlinux;
    /* Show guests (virtual machines), too: also set by each of the others but NULL and 0.  Of
     * the one guest that the recording does not tell from others: its kernel's symbols and
     * code, as above.  guestmount: below it, by the process that runs a guest, its files.
     * guest_code: their code is that of this process. */
    int guests;
    const char *guest_kallsyms, *guest_vmlinux, *guestmount;
    int guest_code;
    int ignore_vmlinux; /* the one above is not taken, and none is looked for */
};
#define PTS_OPEN_OPTS_INIT                                                             \
    {                                                                                  \
        sizeof(struct pts_open_opts), 0, 0, 0, 0, 0, 0, 0, 0, PTS_BUILDID_WARN, 0, 0,  \
            0, 0, 0, 0, 0, 0                                                           \
    }

/* Opens path ("-": standard input); a bundle (bundle.h) is unpacked into a folder of its own
 * in temp_dir, which is removed when the session is closed, and symfs must be NULL.  The
 * options are copied, the strings are kept (lent for the life of the session).  On failure
 * *why says what was wrong and where. */
PTS_API PTS_MUST_USE pts_status pts_session_open(const char *path,
                                                 const struct pts_open_opts *opts,
                                                 pts_session **out,
                                                 struct pts_diag *why);
PTS_API void pts_session_close(pts_session *s); /* NULL is fine */
/* Removes the temporary files of a session of a bundle, for handlers of signals that end the
 * program: nothing else may be done with the session then. */
PTS_API void pts_session_abandon(const pts_session *s);

/* The text of perf script. */
PTS_API PTS_MUST_USE pts_status pts_stream_open(pts_session *s,
                                                const struct pts_option *options,
                                                size_t count, pts_stream **out,
                                                struct pts_diag *why);
/* The list of the recording's events, as perf evlist prints it.  Options: "verbose"
 * (all attributes), "freq", "group", "trace-fields" (ptscript/evlist.def). */
PTS_API PTS_MUST_USE pts_status pts_evlist_open(pts_session *s,
                                                const struct pts_option *options,
                                                size_t count, pts_stream **out,
                                                struct pts_diag *why);
/* Whether pts_stream_open ("script") or pts_inject ("inject") would refuse these options whatever
 * the recording is, with the same status.  message, which may be NULL, is told what else there is to
 * say of them: of good ones it is told again by who opens a stream. */
PTS_API PTS_MUST_USE pts_status pts_options_check(const char *command,
                                                  const struct pts_option *options,
                                                  size_t count, pts_message_fn *message,
                                                  void *ctx, struct pts_diag *why);
/* What is wrong with the recording, and what could be done about it: how it was recorded,
 * code that is missing or of another build, where it was looked for and how to get it, what
 * was lost, errors by cause and image.  All of the trace is decoded before there is text; no
 * messages are sent.  Options: "jobs" as of a text; those of the session are passed over
 * (ptscript/doctor.def). */
PTS_API PTS_MUST_USE pts_status pts_doctor_open(pts_session *s,
                                                const struct pts_option *options,
                                                size_t count, pts_stream **out,
                                                struct pts_diag *why);
/* When the recording has trace, by CPU or thread, and what was lost, as a table: all packets are
 * looked at, but no code is followed or needed.  Times are in seconds of perf's clock, as --time
 * takes them; lengths of trace in bytes.  Options (ptscript/time.def): "index" also writes FILE.ptidx
 * beside a recording in one file, whole or not at all, and over nothing but an older index
 * (PTS_E_IO); PTS_E_UNSUPPORTED: of standard input, a directory, a bundle or a recording of the other
 * byte order.  An index is used by itself from then on, as long as the recording is the same: here,
 * and for selected times.  One that is not of use is told by a note. */
PTS_API PTS_MUST_USE pts_status pts_time_open(pts_session *s,
                                              const struct pts_option *options,
                                              size_t count, pts_stream **out,
                                              struct pts_diag *why);
/* Of a stream of pts_doctor_open that has been read to its end: how many things it found;
 * 0: nothing is wrong.  Of pts_time_open: how many kinds of losses.  Of others: 0. */
PTS_API unsigned pts_stream_findings(const pts_stream *st);
/* Of a stream that ended with PTS_E_FILTER: what the compiled filter (--dlfilter) gave that
 * ended it, its start function or for a sample; 0: nothing.  perf ends with this value. */
PTS_API int pts_stream_filter_result(const pts_stream *st);
/* The same by the name of the output: "script", "evlist".  PTS_E_USAGE: there is none of
 * this name. */
PTS_API PTS_MUST_USE pts_status pts_text_open(pts_session *s, const char *output,
                                              const struct pts_option *options,
                                              size_t count, pts_stream **out,
                                              struct pts_diag *why);
/* The next piece of text: *text is lent until the next call.  PTS_END after the last;
 * PTS_E_TRUNCATED or PTS_E_FORMAT after the last of a damaged file. */
PTS_API PTS_MUST_USE pts_status pts_stream_next_text(pts_stream *st, const char **text,
                                                     size_t *n, struct pts_diag *why);
/* What the call that is on its way has made of it so far: whole lines, which it will not
 * give out if it does not return.  For handlers of signals that it was interrupted by,
 * such as SIGBUS (see above); the stream is of no use any more then. */
PTS_API void pts_stream_made(const pts_stream *st, const char **text, size_t *n);
/* How far a stream has come.  Size first: start from PTS_PROGRESS_INIT. */
struct pts_progress {
    size_t size;
    uint64_t done,
        all;      /* bytes of trace gone through, of those to be decoded; or records */
    int in_trace; /* it is bytes of trace */
    uint64_t given; /* samples, errors and records that were given out */
    uint64_t
        time_ns; /* of the last of them, on the recording's clock; 0: none had a time */
};
#define PTS_PROGRESS_INIT                                                              \
    {                                                                                  \
        sizeof(struct pts_progress), 0, 0, 0, 0, 0                                     \
    }
/* Costs next to nothing for each queue of the trace.  Of a stream whose text was there when it
 * was opened all is 0.  To be called where pts_stream_next_text may be: by the thread that
 * reads, between calls or from a pts_watch_fn. */
PTS_API void pts_stream_progress(const pts_stream *st, struct pts_progress *out);

/* Called by pts_stream_next_text and pts_stream_next_batch, in their thread, many times a
 * second: for somebody who waits, and to stop.  Nothing but pts_stream_progress and
 * pts_stream_made may be called from it with the stream.  Not 0: the stream ends.  What was
 * decoded is given out, whole lines of it, and the next call fails with PTS_E_CANCELLED,
 * without the messages that stand at the end of a run. */
typedef int pts_watch_fn(void *ctx, const pts_stream *st);
/* NULL: nobody watches any longer. */
PTS_API void pts_stream_watch(pts_stream *st, pts_watch_fn *watch, void *ctx);
PTS_API void pts_stream_close(pts_stream *st); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
