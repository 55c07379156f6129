/* sideband.h - who ran where, what was mapped and named, at every point of the
 * recording.
 *
 * SPDX-License-Identifier: MIT
 *
 * The records of a file are fed once, in the order in which perf delivers them;
 * afterwards all of this is immutable and may be read by any thread.  A point in time
 * is an *epoch*: the number of records that have taken effect.  A queue's decoder at
 * time t (TSC ticks) sees all records with time <= t.  docs/side-band.md says what each
 * record does.
 */
#ifndef PTS_WALKER_SIDEBAND_SIDEBAND_H
#define PTS_WALKER_SIDEBAND_SIDEBAND_H

#include "walker/code/image.h"
#include "walker/code/kernel_files.h"
#include "walker/code/patch.h"
#include "walker/code/vmlinux.h"

#include <ptscript/record.h>
#include <stdbool.h>
#include <stdint.h>

struct sideband;
struct sb_dso;

#define SB_NONE UINT32_MAX

pts_status sb_new(struct sideband **out);
void sb_free(struct sideband *sb); /* NULL is fine */
/* Where mapped files are looked into, lent until sb_finish: a program of 32 bits may
 * map another vdso than one of 64.  Without them all is taken for 64 bits. */
void sb_look_into(struct sideband *sb, struct image_store *images);
/* When somebody first walks through code: the kernel's is looked for then, or before, where a
 * record needs it.  SB_AT_END: at the end, or when a thread with a trace of its
 * own ends.  SB_NEVER: nobody does. */
#define SB_AT_END UINT64_MAX
#define SB_NEVER  (UINT64_MAX - 1)
void sb_set_walked(struct sideband *sb, uint64_t from_tsc);
uint64_t sb_walked_from(const struct sideband *sb);
/* Whether an address is in the map of the kernel itself, for which its files are looked for. */
bool sb_in_kernel(const struct sideband *sb, uint64_t addr);
/* Nothing comes of sb_ksymbol, sb_bpf and sb_poke: perf inject passes such records on and does
 * not look at them. */
void sb_code_stays(struct sideband *sb);

/* --- Feeding: in delivery order ---
 *
 * sb_begin opens the next epoch: tsc is the record's time in TSC ticks, 0 when it has
 * none (it then takes effect together with its predecessor).  Exactly one sb_begin per
 * record, also for records that change nothing here; the calls that follow belong to
 * it.  Calls before the first sb_begin hold from the start (epoch 0). */
pts_status sb_begin(struct sideband *sb, uint64_t tsc);
/* About so many records will come, so many of which say who is on a CPU: all that is kept of each is made room
 * for at once, as growing would take as much again. */
void sb_expect(struct sideband *sb, size_t records, size_t switches);

struct sb_mmap {
    int32_t pid, tid;
    uint64_t start, len, pgoff;
    uint32_t maj, min;
    uint64_t ino, ino_gen;
    uint32_t prot, flags;    /* MMAP: prot as perf derives it from misc */
    const char *name;        /* NUL-terminated, copied */
    const uint8_t *build_id; /* NULL when the record has none */
    uint8_t build_id_len;
    bool kernel;       /* cpumode of the record is kernel */
    bool guest_kernel; /* it is that of a guest's kernel, and this is the host */
};
pts_status sb_mmap(struct sideband *sb, const struct sb_mmap *m);
/* Code that a jitdump tells of came to an address. */
struct jit_code;
struct sb_code {
    int32_t pid, tid;
    uint64_t start, len;
    const char *name;            /* of its dso, copied */
    const struct jit_code *code; /* lent for the life of the side-band */
};
pts_status sb_code(struct sideband *sb, const struct sb_code *c);
pts_status sb_comm(struct sideband *sb, int32_t pid, int32_t tid, const char *comm,
                   bool exec);
/* maps_follow_exec: perf made this record up (FORK_EXEC), the maps come separately. */
pts_status sb_fork(struct sideband *sb, int32_t pid, int32_t ppid, int32_t tid,
                   int32_t ptid, bool maps_follow_exec);
pts_status sb_exit(struct sideband *sb, int32_t pid, int32_t tid);
/* The thread now current on a cpu (SWITCH*, ITRACE_START, sched_switch).  SB_NO_CPU: a
 * record that names none. */
enum { SB_NO_CPU = -1 };
pts_status sb_current(struct sideband *sb, int32_t cpu, int32_t pid, int32_t tid);
/* What records say of the thread on a CPU, in their order. */
enum sb_switch_how {
    SB_SWITCH_SET,  /* it is this one */
    SB_SWITCH_IN,   /* ... it says so itself, when it is switched to */
    SB_SWITCH_NEXT, /* it will be this one, says the one before */
};
/* How it was told, for who knows better when that is (sb_switch_at): after sb_current. */
pts_status sb_switched(struct sideband *sb, int32_t cpu, int32_t tid,
                       enum sb_switch_how how);
/* A sample or other record named this thread: perf then creates it if it is new. */
pts_status sb_seen(struct sideband *sb, int32_t pid, int32_t tid);
/* A build id for a path (feature section or HEADER_BUILD_ID). */
pts_status sb_build_id(struct sideband *sb, const char *path, const uint8_t *id,
                       uint8_t len, bool kernel);
/* Kernel code outside of modules came (BPF, kprobes) or went. */
struct sb_ksymbol {
    uint64_t addr;
    uint32_t len;
    const char *name;
    bool gone;
    bool out_of_line; /* its code comes as changes: slots of kprobes and the like */
};
/* The kernel makes such code by the page; no more of it is believed. */
enum { SB_OUT_OF_LINE_MAX = 1 << 20 };
pts_status sb_ksymbol(struct sideband *sb, const struct sb_ksymbol *k);
/* A program of the kernel was loaded: code is that of its function at addr.  Lent. */
pts_status sb_bpf(struct sideband *sb, uint64_t addr, struct pts_bytes code);
/* The kernel changed its code: n bytes, copied.  Found in sb_dso.changes. */
pts_status sb_poke(struct sideband *sb, uint64_t addr, const uint8_t *bytes,
                   uint32_t n);
/* From here on the kernel's code may be asked for: its files are looked for, and its maps
 * become those of its code.  Only the first call does anything. */
pts_status sb_find_kernel(struct sideband *sb);
/* Ends feeding; computes what the queries need. */
pts_status sb_finish(struct sideband *sb);

/* --- Queries --- */
uint32_t sb_epoch_count(const struct sideband *sb);
/* Number of records with time <= tsc: the epoch a queue at time tsc is in. */
uint32_t sb_epoch_at(const struct sideband *sb, uint64_t tsc);
/* Effective time (running maximum, TSC ticks) of record i. */
uint64_t sb_epoch_tsc(const struct sideband *sb, uint32_t i);

/* Who a queue decodes for at an epoch: its thread, or whoever is on its CPU.  `thread`
 * is SB_NONE when no such thread is known; pid and tid are -1 then unless known.
 * `until` is the next epoch at which the answer may differ. */
struct sb_who {
    int32_t pid, tid, cpu;
    uint32_t thread;
    uint32_t until;
};
struct sb_who sb_who(const struct sideband *sb, int32_t queue_cpu, int32_t queue_tid,
                     bool use_current, uint32_t epoch);

/* Whether a thread, but an idle one, comes to a CPU while it is still on another, or was so
 * few ticks before: what it does on both may come mixed then.  For recordings whose switches
 * tell of all threads. */
bool sb_on_two_cpus(const struct sideband *sb, uint64_t within);

/* Whether a thread, but an idle one, is current on two CPUs: who came to one after it has not been told of
 * yet.  *until becomes the next epoch at which that changes, if that is earlier than it was. */
bool sb_is_shared(const struct sideband *sb, int32_t tid, uint32_t epoch,
                  uint32_t *until);
/* Whether that is ever so of any. */
bool sb_shares(const struct sideband *sb);

/* As sb_who, for a thread that somebody knows to be on the CPU; -1: nobody. */
struct sb_who sb_who_is(const struct sideband *sb, int32_t cpu, int32_t tid,
                        uint32_t epoch);

/* Of the records that say who is on a CPU. */
struct sb_switch {
    uint32_t epoch; /* in effect from here on */
    int32_t tid;
    enum sb_switch_how how;
};
/* Number i of a CPU; false: there are not so many. */
bool sb_switch_at(const struct sideband *sb, int32_t cpu, uint32_t i,
                  struct sb_switch *out);

/* The thread record that (pid, tid) means at an epoch, SB_NONE if there is none yet.
 * perf creates the thread of a record when it handles it: ask for that of record i at
 * epoch i + 1. */
uint32_t sb_thread(const struct sideband *sb, int32_t pid, int32_t tid, uint32_t epoch);
/* The number of a thread that no record has told of at an epoch, but a sample: the one that it
 * will have when a record does, else one of its own, `spare` behind those of all threads. */
uint32_t sb_thread_met(const struct sideband *sb, int32_t tid, uint32_t epoch,
                       uint32_t spare);
/* Its pid as known in the end: it may have been -1 for a while. */
int32_t sb_thread_pid(const struct sideband *sb, uint32_t thread);
int32_t sb_thread_tid(const struct sideband *sb, uint32_t thread);
/* ... and as known at an epoch. */
int32_t sb_thread_pid_at(const struct sideband *sb, uint32_t thread, uint32_t epoch);
/* Its name at an epoch: the comm, or ":TID" as perf makes up.  Never NULL. */
const char *sb_comm_at(const struct sideband *sb, uint32_t thread, uint32_t epoch);
/* The same, but while the name is made up the first that comes after it, if any does: perf
 * then corrects what it has remembered. */
const char *sb_comm_known(const struct sideband *sb, uint32_t thread, uint32_t epoch);
/* From which epoch on it has another name than that; 0: it always had, or never. */
uint32_t sb_named_at(const struct sideband *sb, uint32_t thread);
/* Number i of the names that a thread has in the course of the recording; the first is the
 * one that perf makes up.  False: it has not so many. */
struct sb_name {
    uint32_t epoch; /* from here on: record number epoch - 1 gave it */
    const char *name;
};
bool sb_name_at(const struct sideband *sb, uint32_t thread, uint32_t i,
                struct sb_name *out);

/* The kernel that was recorded, as far as its files were found. */
struct sb_kernel {
    bool looked, not_found;
    bool
        hides; /* a KSYMBOL or a change of code is in its maps, and would have its own, or none,
                  had nobody looked yet */
    bool names_cut; /* `names` is longer than anybody reads (KALLSYMS_MAX) */
    enum kernel_source source;
    enum kernel_trouble
        trouble;       /* with the file that was given; KERNEL_FINE without one */
    const char *given; /* ... its path */
    struct build_id given_id;
    const char *names;        /* path of its kallsyms or vmlinux */
    const struct image *code; /* NULL: none */
    struct vmlinux vmlinux;   /* of KERNEL_VMLINUX: its sections, and whose they are */
    uint32_t epoch;           /* its maps are in effect from here on */
    uint64_t moved; /* addresses in `names` are this much above those recorded */
    struct kernel_want want; /* as recorded, with the modules then */
    const struct sb_dso *dso;
    const char *ref; /* a symbol, and where the recording has it; NULL: none */
    uint64_t ref_addr;
    /* Addresses of __switch_to, __perf_event_task_sched_out, perf_trace_sched_switch;
     * 0: not found. */
    uint64_t switch_to, sched_out, trace_switch;
};
const struct sb_kernel *sb_kernel(const struct sideband *sb);

/* --- Guests ---
 *
 * The machine of a guest is a side-band within that of its host, with which it shares the
 * epochs.  Strings are lent for the life of the side-band. */
struct sb_guest_opts {
    bool
        shown; /* somebody asked for guests; a recording with ids of guests does, too */
    bool
        code; /* their code is that of the process that runs them, at the same addresses */
    const char *kallsyms, *vmlinux; /* of the kernel of guest 0, or NULL */
    const char *mount;              /* MOUNT/PID: the file systems of others, or NULL */
    const char *dir;                /* DIR/kcore_dir__PID/kallsyms: the same, or NULL */
};
/* Before feeding. */
void sb_show_guests(struct sideband *sb, const struct sb_guest_opts *opts);
/* The guest of a process (0: of none), made if it is new.  PTS_END: it cannot be made. */
pts_status sb_guest_add(struct sideband *host, int32_t pid, struct sideband **out);
/* A recording with ids of guests: thread tid of the process runs the guest's vcpu. */
pts_status sb_guest_runs(struct sideband *host, int32_t pid, int32_t tid, int32_t vcpu);
/* A record of a guest: `now` is on the processor of the counter, or (out) leaves it. */
pts_status sb_guest_switched(struct sideband *host, const struct pts_counter *from,
                             struct pts_thread now, bool out);

/* Number i of the processes whose guest has no folder below `mount`; false: no more. */
bool sb_guest_unmounted(const struct sideband *sb, uint32_t i, int32_t *pid);

bool sb_guests_shown(const struct sideband *sb);
bool sb_guest_has_code(const struct sideband *sb);
uint32_t sb_guest_count(const struct sideband *sb);
struct sideband *sb_guest_at(const struct sideband *sb, uint32_t i);
/* The number of the guest that a process runs, else of guest 0; SB_NONE: nor is that there. */
uint32_t sb_guest_of(const struct sideband *sb, int32_t pid);
/* The process that runs a guest; 0: not known. */
int32_t sb_guest_pid(const struct sideband *guest);
/* Whether records of guests tell which of their threads are on their processors. */
bool sb_guests_switch(const struct sideband *sb);

/* What a thread of the host runs while it is in its guest. */
struct sb_inside {
    uint32_t guest;  /* number of the machine; SB_NONE: not known; or SB_GUEST_CODE */
    uint32_t thread; /* there, or of SB_GUEST_CODE on the host; SB_NONE */
    int32_t pid, tid;
    int32_t machine_pid, vcpu; /* 0 and -1 where records do not tell */
    uint32_t until;            /* the next epoch at which the answer may differ */
    bool told;                 /* records of guests tell it */
    bool user;                 /* not only code of its kernel can be looked for */
};
#define SB_GUEST_CODE (UINT32_MAX - 1)
/* The number of the machine with the maps of a guest's kernel, where its programs are those of
 * the process that runs it; SB_NONE: nobody told of maps. */
uint32_t sb_guest_code_kernel(const struct sideband *sb, int32_t pid);
struct sb_inside sb_inside(const struct sideband *sb, const struct sb_who *who,
                           uint32_t epoch);

/* The machine of a dso: the host, or one of its guests. */
const struct sideband *sb_machine(const struct sideband *host,
                                  const struct sb_dso *dso);
/* The folder in which a machine's files are looked for first; NULL: there is none. */
const char *sb_root(const struct sideband *machine);
/* Its number among those of all machines, and how many there are.  (Those of the host have
 * theirs.) */
uint32_t sb_dso_number(const struct sideband *host, const struct sb_dso *dso);
uint32_t sb_dso_total(const struct sideband *host);

/* --- What is mapped --- */
enum { SB_BUILD_ID_MAX = 32 };

/* Code of a jitdump is mapped as if it were in a file, behind headers of this size: those of
 * the file that perf inject makes.  The offset shows in call chains. */
enum { SB_JIT_OFF = 0x80 };

struct sb_dso {
    uint32_t index;        /* 0, 1, 2 ... in order of creation, within its machine */
    uint32_t machine;      /* 0: the host; 1 + the number of a guest */
    const char *long_name; /* as printed by script: path, [vdso], /tmp/perf-N.map ... */
    const char *path;      /* perf's long name: that of its file, "" for BPF images */
    const char *short_name;
    uint8_t build_id[SB_BUILD_ID_MAX];
    uint8_t build_id_len; /* 0 when unknown */
    /* Of DSO_KSYMBOL and DSO_JIT: its machine code, as recorded; NULL: not recorded, or only
     * as changes (then code_len is how much there is). */
    const uint8_t *code;
    uint32_t code_len;
    const struct patches *changes; /* of its code, by offset in it; NULL: none */
    enum {
        DSO_FILE,
        DSO_ANON, /* memory with code, called by where its names may be: /tmp/perf-N.map */
        DSO_VDSO,
        DSO_KERNEL,
        DSO_MODULE,
        DSO_NONE, /* other memory */
        DSO_KSYMBOL,
        DSO_JIT /* code that a jitdump tells of */
    } kind;
    const struct jit_code *jit; /* of DSO_JIT */
};
/* --- Address spaces ---
 *
 * A view follows the maps of all processes forward in time for one reader.  Going back
 * is allowed but slow. */
enum { AS_EXECUTE = 4, AS_SHARED = 8 };

struct as_map {
    uint64_t start, end, pgoff; /* off = ip - start + pgoff */
    const struct sb_dso *dso;
    uint32_t prot; /* of mmap(2), and AS_SHARED */
    bool identity; /* symbols are looked up by ip itself: addresses as at run time */
};
/* Where the code at ip is among the bytes of the map's dso. */
static inline uint64_t as_code_off(const struct as_map *m, uint64_t ip)
{
    return ip - m->start + m->pgoff - (m->dso->jit ? SB_JIT_OFF : 0);
}
struct as_view;
struct guest_view {
    struct as_view *view; /* NULL: not asked for yet */
};
pts_status as_view_new(const struct sideband *sb, struct as_view **out);
void as_view_free(struct as_view *v); /* NULL is fine */
/* The map that holds ip for a thread (SB_NONE: kernel maps only), or NULL.  Lent for
 * the life of the side-band.  kernel: look in the kernel maps instead of the user's. */
const struct as_map *as_find(struct as_view *v, uint32_t thread, uint32_t epoch,
                             uint64_t ip, bool kernel);
/* The maps of a thread by address, but for the kernel's: number i, NULL behind the
 * last. Lent like those of as_find. */
const struct as_map *as_at(struct as_view *v, uint32_t thread, uint32_t epoch,
                           uint32_t i);
/* Whether all that as_find said last of the kernel, and of a thread, holds of this thread at that
 * epoch, too. */
bool as_stays(struct as_view *v, uint32_t thread, uint32_t epoch);
/* The epoch at which any map changed last, or any of the kernel's, as seen at an epoch: in
 * between each address of this machine means the same.  UINT32_MAX: none did yet. */
uint32_t sb_maps_since(const struct sideband *sb, uint32_t epoch, bool kernel);
/* The next epoch at which any map changes, code in one, or what is known of a thread; UINT32_MAX: there
 * is none. */
uint32_t sb_next_change(const struct sideband *sb, uint32_t epoch);
/* Whether memory ran out: maps may have been missed since. */
bool as_view_failed(const struct as_view *v);

/* To know which vdso a thread maps, perf looks whether it runs 32 or 64 bits, in the
 * first of its mapped files that can be opened.  It remembers of those before that they
 * cannot.  Into code that changes it looks when it changes.  Probe i, with their dsos in this
 * order. */
struct sb_probe {
    uint32_t epoch; /* in effect from here on */
    uint32_t count;
    const uint32_t *dso;
};
uint32_t sb_probe_count(const struct sideband *sb);
struct sb_probe sb_probe_at(const struct sideband *sb, uint32_t i);

/* Forks whose parents' maps were too many in all to be kept for each (I12). */
uint32_t sb_bare_forks(const struct sideband *sb);
uint32_t sb_dso_count(const struct sideband *sb);
/* The inode of its file, as recorded; 0: not known. */
uint64_t sb_dso_inode(const struct sb_dso *dso);
/* Whether anything of that is known, and in which order perf has two files by it: above 0, b is in front. */
bool sb_dso_has_inode(const struct sb_dso *dso);
int sb_dso_compare(const struct sb_dso *a, const struct sb_dso *b);
const struct sb_dso *sb_dso_at(const struct sideband *sb, uint32_t i);

#endif
