/* perf_rec.h - records of a perf.data file, and what the kernel's ones say.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nothing is copied: a record is a place in the file plus its sample id.  Bodies are
 * parsed on demand; a body that is shorter than it claims is PTS_E_RANGE, and such a
 * record is to be passed over.  Strings are NUL-terminated and end inside the record.
 */
#ifndef PTS_DECODER_PERF_REC_H
#define PTS_DECODER_PERF_REC_H

#include "decoder/perf_file.h"

/* Who, when, where.  `has` says which came with the record (PERF_SAMPLE_TID, _TIME,
 * _ID, _STREAM_ID, _CPU; _ID also for an IDENTIFIER); the others are -1, as in perf.
 * All are zero for perf's own records. */
struct perf_sample_id {
    uint64_t has;
    int32_t pid, tid;
    uint64_t time, id, stream;
    uint32_t cpu;
};

struct perf_rec {
    uint64_t off;       /* on the tape */
    const uint8_t *ptr; /* its header */
    uint64_t payload;   /* bytes behind the record that belong to it, all readable */
    uint32_t type;
    uint16_t misc, size;
    uint16_t body_end; /* offset of the sample id, or size */
    uint32_t evsel;    /* index, or PERF_NO_EVSEL: perf's own, or its id is unknown */
    struct perf_sample_id id;
};

/* The header of the record at the front of `bytes`, which will be at off.  unpacked: it
 * was packed, which its payload cannot be.  PTS_E_RANGE when there is no whole record.
 * For perf_scan. */
pts_status perf_rec_parse(struct span bytes, uint64_t off, bool unpacked,
                          struct perf_rec *out);
/* The same for the record at off on the tape. */
pts_status perf_rec_header(const struct perf_file *f, uint64_t off,
                           struct perf_rec *out);
/* Its payload as it claims, of which r->payload bytes are there. */
uint64_t perf_rec_claim(const struct perf_rec *r);

/* COMPRESSED and COMPRESSED2: what they pack. */
static inline bool perf_rec_is_packed(const struct perf_rec *r)
{
    return r->type == PERF_REC_COMPRESSED || r->type == PERF_REC_COMPRESSED2;
}
struct span perf_rec_packed_data(const struct perf_rec *r);

/* The record at off < f->data_end, an offset that this iteration gave.  PTS_E_RANGE:
 * too short for its sample id; *out is then filled up to evsel. for (uint64_t off =
 * f->data_off; off < f->data_end; off = perf_rec_next(&r)) */
pts_status perf_rec_at(const struct perf_file *f, uint64_t off, struct perf_rec *out);

static inline uint64_t perf_rec_next(const struct perf_rec *r)
{
    return r->off + r->size + r->payload;
}

static inline struct reader perf_rec_body(const struct perf_rec *r)
{
    return reader_of(r->ptr + PERF_REC_HEADER, (size_t)(r->body_end - PERF_REC_HEADER));
}

/* MMAP and MMAP2 alike; what MMAP does not tell is zero. */
struct perf_mmap {
    int32_t pid, tid;
    uint64_t addr, len, pgoff;
    uint32_t maj, min;
    uint64_t ino, ino_gen;
    uint32_t prot, flags;
    const uint8_t *build_id; /* NULL: maj to ino_gen are given instead */
    uint8_t build_id_len;    /* at most 20 */
    const char *name;
};
pts_status perf_rec_mmap(const struct perf_rec *r, struct perf_mmap *out);

struct perf_comm {
    int32_t pid, tid;
    const char *comm;
    bool exec;
};
pts_status perf_rec_comm(const struct perf_rec *r, struct perf_comm *out);

/* FORK and EXIT. */
struct perf_task {
    int32_t pid, ppid, tid, ptid;
    uint64_t time;
};
pts_status perf_rec_task(const struct perf_rec *r, struct perf_task *out);

struct perf_aux {
    uint64_t offset, size, flags; /* PERF_AUX_* */
};
pts_status perf_rec_aux(const struct perf_rec *r, struct perf_aux *out);

/* ITRACE_START; SWITCH_CPU_WIDE, where it is the next or previous thread. */
struct perf_pid_tid {
    int32_t pid, tid;
};
pts_status perf_rec_pid_tid(const struct perf_rec *r, struct perf_pid_tid *out);

/* LOST, and LOST_SAMPLES with id 0. */
struct perf_lost {
    uint64_t id, lost;
};
pts_status perf_rec_lost(const struct perf_rec *r, struct perf_lost *out);

struct perf_namespaces {
    int32_t pid, tid;
    uint64_t count;    /* capped to what the record holds */
    const uint8_t *at; /* count times {u64 dev, ino} */
};
pts_status perf_rec_namespaces(const struct perf_rec *r, struct perf_namespaces *out);

struct perf_ksymbol {
    uint64_t addr;
    uint32_t len;
    uint16_t type;  /* 1 BPF, 2 out of line */
    uint16_t flags; /* 1: gone */
    const char *name;
};
pts_status perf_rec_ksymbol(const struct perf_rec *r, struct perf_ksymbol *out);

struct perf_bpf {
    uint16_t type; /* 1 loaded, 2 unloaded */
    uint16_t flags;
    uint32_t id;
    const uint8_t *tag; /* 8 bytes */
};
pts_status perf_rec_bpf(const struct perf_rec *r, struct perf_bpf *out);

struct perf_cgroup {
    uint64_t id;
    const char *path;
};
pts_status perf_rec_cgroup(const struct perf_rec *r, struct perf_cgroup *out);

struct perf_text_poke {
    uint64_t addr;
    uint16_t old_len, new_len;
    const uint8_t *bytes; /* old, then new */
};
pts_status perf_rec_text_poke(const struct perf_rec *r, struct perf_text_poke *out);

pts_status perf_rec_hw_id(const struct perf_rec *r, uint64_t *out);

/* THROTTLE and UNTHROTTLE. */
struct perf_throttle {
    uint64_t time, id, stream;
};
pts_status perf_rec_throttle(const struct perf_rec *r, struct perf_throttle *out);

/* CALLCHAIN_DEFERRED (of newer kernels): the user part of the call chains that end with
 * this cookie. */
struct perf_deferred {
    uint64_t cookie;
    uint64_t count;    /* capped to what the record holds */
    const uint8_t *at; /* count words */
};
pts_status perf_rec_deferred(const struct perf_rec *r, struct perf_deferred *out);

/* READ: the words after pid and tid as one counter's read_format has them in this
 * order: value, enabled, running, id, lost; words[] beyond the record are zero. */
struct perf_read {
    int32_t pid, tid;
    uint64_t words[5];
};
pts_status perf_rec_read(const struct perf_rec *r, struct perf_read *out);

#endif
