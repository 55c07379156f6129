/* jitdump.h - code that was made at run time, as its compiler wrote it down.
 *
 * SPDX-License-Identifier: MIT
 *
 * A compiler that wants its code to be seen writes jit-PID.dump: each function when it is
 * made, with its name, its bytes and its lines, and when it is moved.  perf record sees
 * the file because the compiler maps it.
 */
#ifndef PTS_WALKER_CODE_JITDUMP_H
#define PTS_WALKER_CODE_JITDUMP_H

#include <ptscript/bytes.h>
#include <ptscript/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function.  Everything that it points to is the dump's. */
struct jit_code {
    const char *name; /* NUL-terminated */
    const uint8_t *bytes;
    uint64_t addr, size;    /* where it was when it was made */
    uint64_t index;         /* by which moves name it */
    struct pts_bytes lines; /* body of its DEBUG_INFO record; len 0: none */
    struct pts_bytes
        frames; /* of its UNWINDING_INFO record: .eh_frame, then .eh_frame_hdr */
    uint64_t frames_hdr;    /* how much of it is the second; len 0: there is none */
    bool is_64bit, foreign; /* foreign: lines are of the other byte order */
};

/* Something that happened at a time: code came to an address. */
struct jit_event {
    uint64_t time; /* as the dump counts */
    uint64_t addr, size;
    uint64_t mapped; /* unwinding tables behind the code, as far as the dump says so */
    uint32_t code;   /* index in jitdump.code */
    int32_t pid, tid;
    bool moved; /* code that was there already came from elsewhere */
};

/* What a dump has that cannot be used, or is of no use here. */
struct jit_odd {
    uint32_t bad;  /* records that say the impossible: passed over */
    uint32_t lost; /* moves of code that was never loaded */
    bool cut;      /* it ends inside a record */
    bool too_many; /* JIT_CODES_MAX were used, there are more */
};

enum { JIT_CODES_MAX = 1 << 18 };

struct jitdump {
    bool ticks; /* times are of the processor's counter (TSC), else CLOCK_MONOTONIC */
    bool foreign;
    uint32_t machine; /* EM_* */
    int32_t pid;
    uint64_t begun; /* time in its header */
    struct jit_event *event;
    size_t event_count;
    struct jit_code *code;
    size_t code_count;
    struct jit_odd odd;
};

/* Whether a path is that of process pid's dump. */
bool jitdump_is(const char *path, int32_t pid);

/* Reads a dump; bytes are lent for its life.  PTS_E_FORMAT: it is none, PTS_E_UNSUPPORTED:
 * one of another version. */
pts_status jitdump_read(struct pts_bytes bytes, struct jitdump *out);
void jitdump_free(struct jitdump *d);

/* The line of the instruction at offset off of the code; false: not known.  The file's
 * name is lent, and ends with a NUL. */
bool jit_line(const struct jit_code *code, uint64_t off, const char **file,
              uint32_t *line);

/* A line of the source, from an address on. */
struct jit_entry {
    uint64_t addr;
    uint32_t line;
    const char *file; /* as it stands there: "\xff" may mean the one before */
};
/* Calls fn with each of them, in order, until one is not whole. */
typedef void jit_line_fn(void *ctx, const struct jit_entry *l);
void jit_lines(const struct jit_code *code, jit_line_fn *fn, void *ctx);

/* A dump's file, mapped. */
struct jit_file {
    struct pts_bytes bytes;
    uint64_t dev, ino;
};
enum jit_found {
    JIT_FOUND,
    JIT_MISSING,
    JIT_FOREIGN, /* a link, no regular file, or somebody else's */
};
/* Opens the file of a dump: only a regular one, which belongs to root or to who runs this
 * (force: to anybody); a link is not followed. */
enum jit_found jit_file_open(const char *path, bool force, struct jit_file *out);
void jit_file_close(struct jit_file *f);

#endif
