/* sideband_priv.h - the inside of a side-band, for the files of this room.
 *
 * SPDX-License-Identifier: MIT
 *
 * Threads, spaces (sets of maps), dsos and maps are numbered in order of creation and
 * never go away: a record or a view may still refer to them.
 */
#ifndef PTS_WALKER_SIDEBAND_SIDEBAND_PRIV_H
#define PTS_WALKER_SIDEBAND_SIDEBAND_PRIV_H

#include "decoder/base/arena.h"
#include "decoder/base/vec.h"
#include "decoder/base/idmap.h"
#include "walker/sideband/sideband.h"
#include "walker/sideband/timeline.h"

/* --- dsos (sb_dso.c) --- */

/* What tells files of one name apart; all zero: not known. */
struct dso_id {
    uint32_t maj, min;
    uint64_t ino, ino_gen;
};

struct dso {
    struct sb_dso pub;
    struct dso_id id;
    uint32_t next_name; /* next one whose name has the same hash */
    uint32_t next_id;   /* next one whose name and id have the same hash */
    struct patches changes;
    bool from_header; /* its build id is one of the header's */
    bool from_map;    /* its build id came with a map */
    bool mapped, in_kernel;
};

struct dso_slot {
    struct dso *dso;
};

struct dso_set {
    VEC(struct dso_slot) at;
    struct idmap by_name, by_id; /* perf's long name (path); that and id */
    struct idmap by_short;       /* only of the kernel's and the vdso */
    struct idmap by_code;        /* address of its struct jit_code */
    struct arena *arena;
    struct image_store *images; /* NULL: no file can be looked into */
    uint32_t machine;           /* as in struct sb_dso */
    const char *root;           /* of a guest: where its file system is, or NULL */
    const char *kernel_name; /* of the kernel's dso when its maps are the first of it */
};

/* 32 or 64, as its ELF file says; 0: there is none to be read. */
int dso_bits(const struct dso_set *set, const struct sb_dso *dso);
bool dso_has_file(const struct dso_set *set, const struct sb_dso *dso);
/* The dso of a user's map; no_file: it is memory, the name is not that of a file. */
pts_status dso_of_map(struct dso_set *set, const struct sb_mmap *m, const char *name,
                      bool no_file, struct dso **out);
/* The dso of a map of the vdso, by the bits of the thread. */
pts_status dso_of_vdso(struct dso_set *set, const struct sb_mmap *m, int bits,
                       struct dso **out);
pts_status dso_of_kernel(struct dso_set *set, const struct sb_mmap *m,
                         struct dso **out);
pts_status dso_of_module(struct dso_set *set, const struct sb_mmap *m,
                         struct dso **out);
/* One that is found by no name: the code of a KSYMBOL record. */
pts_status dso_of_symbol(struct dso_set *set, const char *name, struct dso **out);
/* That of code in a jitdump, the same when it moves. */
pts_status dso_of_code(struct dso_set *set, const char *name,
                       const struct jit_code *code, struct dso **out);
pts_status dso_header_id(struct dso_set *set, const char *path, const uint8_t *id,
                         uint8_t len, bool kernel);
void dso_set_free(struct dso_set *set);

/* --- spaces (aspace.c) --- */

enum { SPACE_KERNEL = 0 };

/* One change of a space: `removed` maps from index pos on give way to `added` ones. */
struct space_op {
    uint32_t pos, removed;
    uint32_t first, added; /* in sideband.map */
};

/* The maps of a process, ascending by start.  While feeding: as they are now.
 * Afterwards only base and max_len count. */
struct space {
    VEC(uint32_t) map; /* indices into sideband.map; empty while it is still its base */
    uint32_t gap; /* so many of these at the front of its room, the others at the end */
    uint32_t base; /* snapshot it began with, or SB_NONE */
    uint32_t snap; /* snapshot that is equal to it now, or SB_NONE */
    uint32_t len, max_len;
};

/* The maps of a space at the time of a fork, shared by all that began with them. */
struct space_snap {
    size_t first; /* in sideband.snap_map */
    uint32_t len;
};

pts_status space_new(struct sideband *sb, uint32_t *out);
/* Puts a map in; user maps cut those that were there. */
pts_status space_insert(struct sideband *sb, uint32_t space, const struct as_map *m);
/* Takes map number `map` out. */
pts_status space_remove(struct sideband *sb, uint32_t space, uint32_t map);
pts_status space_clone(struct sideband *sb, uint32_t to, uint32_t from);
/* Map number i of a space now, while feeding; NULL behind the last. */
const struct as_map *space_map(const struct sideband *sb, uint32_t space, uint32_t i);
/* The map that holds ip now, while feeding, or SB_NONE. */
uint32_t space_find(const struct sideband *sb, uint32_t space, uint64_t ip);
void space_free(struct space *s);

/* --- all --- */

struct thread {
    int32_t pid, tid;
    int32_t name_pid;   /* pid when it was first seen: goes into /tmp/perf-PID.map */
    uint32_t pid_epoch; /* pid is -1 before */
    uint32_t space, comm;
    bool comm_set;
};

/* See struct sb_probe. */
struct probe {
    uint32_t epoch, count;
    size_t first; /* in sideband.probe_dso */
};

struct guest_slot {
    struct sideband *sb;
};

/* What a host knows of its guests (sb_guest.c). */
struct guests {
    struct sb_guest_opts opts;
    VEC(struct guest_slot) at;
    VEC(int32_t) unmounted; /* processes whose guest has no folder below opts.mount */
    struct idmap by_pid;
    struct idmap vcpu; /* by tid of the host's thread that runs it */
    uint32_t since; /* epoch from which records tell who is on a vcpu; SB_NONE: never */
    uint32_t dso_total; /* after sb_finish: dsos of all machines */
};

struct sideband {
    struct arena arena;

    struct guests guests;
    struct sideband *host; /* NULL: it is one */
    int32_t guest_pid;  /* of a guest: the process that runs it; 0: the default one */
    uint32_t first_dso; /* of a guest: the number of its first one */
    bool code_stays;    /* records do not change the kernel's code */
    const char *given_names, *given_file; /* of a guest: kallsyms, vmlinux; or NULL */

    VEC(uint64_t) tsc; /* effective time of each record */

    VEC(struct thread) thread;
    struct idmap tid_slot;      /* tid -> number of the tid */
    VEC(uint32_t) tid_thread;   /* by that number: who has it now */
    struct timeline tid_time;   /* same over time */
    VEC(const char *) name;     /* thread names */
    struct idmap name_of;       /* hash -> last name with it */
    struct timeline comm_time;  /* thread -> name */
    struct timeline space_time; /* thread -> space */
    struct timeline thread_cpu; /* thread -> cpu it was last put on */
    struct idmap cpu_slot;      /* cpu -> number of the cpu */
    VEC(struct sb_switch) switched;
    struct timeline switch_time;  /* by that number: switched */
    struct timeline current_time; /* by that number: tid */
    VEC(int32_t) now_on;          /* the same, while records are read */
    VEC(uint32_t) cpus_of; /* number of the tid -> CPUs that it is on, likewise */
    struct timeline
        shared_time; /* number of the tid -> whether that is more than one */
    bool shares;     /* it was so of some thread */

    VEC(struct space) space;
    VEC(struct as_map) map;
    VEC(struct space_op) op;
    struct timeline op_time; /* space -> op */
    struct timeline changed; /* enum maps_of -> the epoch itself */
    VEC(struct space_snap) snap;
    VEC(uint32_t) snap_map;
    uint64_t owned; /* maps that forks had of their parents and have copied since */
    uint32_t bare;  /* forks that began without maps: there were too many (I12) */
    uint32_t kernel_map; /* the map of the kernel itself, or SB_NONE */
    struct dso *kernel;
    struct sb_kernel kern;
    uint64_t walked_from; /* see sb_set_walked */

    VEC(struct probe) probe;
    VEC(uint32_t) probe_dso;

    struct dso_set dsos;
};

/* The kernel's maps, from the vmlinux that was found (sb_vmlinux.c). */
pts_status sb_map_vmlinux(struct sideband *sb);

/* --- threads (sb_thread.c) --- */

/* The idle task. */
pts_status thread_idle(struct sideband *sb);
/* The thread of a record. */
pts_status thread_findnew(struct sideband *sb, int32_t pid, int32_t tid, uint32_t *out);

/* Whose maps changed: key of sideband.changed. */
enum maps_of {
    MAPS_ANY,
    MAPS_KERNEL,
    MAPS_ELSE, /* no map: code in them, or whose they are */
    MAPS_OF
};

/* Notes that maps change here. */
pts_status sb_note_change(struct sideband *sb, enum maps_of whose);

/* Where the records fed so far have taken effect; a guest has the epochs of its host. */
static inline uint32_t sb_now(const struct sideband *sb)
{
    return (uint32_t)(sb->host ? sb->host : sb)->tsc.len;
}

#endif
