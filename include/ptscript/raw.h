/* raw.h - open a trace that is in no perf.data file.
 *
 * SPDX-License-Identifier: MIT
 *
 * What debuggers, fuzzers, simulators and programs that call perf_event_open(2) have:
 * packets in one file, programs in others, and maybe the kernel's records.
 *
 *     struct pts_raw_opts raw = PTS_RAW_OPTS_INIT;
 *     const struct pts_raw_image image = {"firmware.bin", 0x100000, 1};
 *     raw.trace = "pt.bin";
 *     raw.images = &image;
 *     raw.image_count = 1;
 *     st = pts_session_open_raw(&raw, NULL, &session, &why);
 *
 * The session is like any other: ptscript/session.h has streams of it.
 *
 * Without side-band all code is of one process, number 1, whose name is that of the
 * first image (of the trace when there is none).  With side-band the trace is that of
 * the CPU which the records of the first file were written on, or of one thread: when
 * these name several CPUs, or do not say who was current.  When they name none it is that
 * of a CPU if their switches are of several threads.
 */
#ifndef PTSCRIPT_RAW_H
#define PTSCRIPT_RAW_H

#include <ptscript/attr.h>
#include <ptscript/session.h>
#include <ptscript/status.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Code in memory, the same all the time, also of a guest (PIP with NR set): the segments of an ELF file, or all bytes of
 * another one, at addresses below 1 << 63.  With side-band it is mapped from the start
 * in the process that is traced first. */
struct pts_raw_image {
    const char *path;
    uint64_t addr; /* of the lowest byte, if placed */
    int placed;    /* 0: an ELF file at the addresses it was linked for */
};

/* A range of addresses that was to be traced, or to end the trace: IA32_RTIT_ADDRn_A and
 * _B, and what IA32_RTIT_CTL.ADDRn_CFG says they are for. */
enum {
    PTS_RAW_FILTER_OFF = 0,
    PTS_RAW_FILTER_ON = 1,  /* only code there was traced (FilterEn) */
    PTS_RAW_FILTER_STOP = 2 /* tracing ended there (TraceStop) */
};
enum { PTS_RAW_FILTERS = 4 };
struct pts_raw_filter {
    uint32_t cfg;
    uint64_t a, b; /* the first address and the last one */
};

/* What the kernel says of the clock, in struct perf_event_mmap_page:
 * ns = time_zero + (ticks * time_mult >> time_shift). */
struct pts_raw_clock {
    uint64_t time_zero;
    uint32_t time_mult;  /* 0: not known */
    uint32_t time_shift; /* 0 to 63 */
};

/* Size first, so that fields can be added: start from PTS_RAW_OPTS_INIT.  Everything is
 * copied but the strings, which are lent for the life of the session. */
struct pts_raw_opts {
    size_t size;
    const char
        *trace; /* packets of one AUX buffer, oldest first; "-": standard input */
    const struct pts_raw_image *images;
    size_t image_count;

    /* The processor, and how it was set up (Intel SDM 3, chapter on Intel PT). */
    uint32_t cpu_family, cpu_model, cpu_stepping; /* as displayed; family 0: unknown */
    uint32_t mtc_freq;                            /* IA32_RTIT_CTL.MTCFreq, 0 to 15 */
    uint32_t nom_freq; /* MSR_PLATFORM_INFO[15:8], times 100 MHz; 0: unknown */
    uint32_t cpuid_15_eax, cpuid_15_ebx; /* crystal clock to TSC; 0: unknown */
    int no_ret_compression;              /* IA32_RTIT_CTL.DisRETC */
    int event_trace;                     /* IA32_RTIT_CTL.EventEn */

    /* Side-band: files of records as they came out of the ring buffers of
     * perf_event_open(2).  The first is of the event that made the trace, others are
     * of other CPUs and events.  All have the same sample ids: sample_type
     * (PTS_SAMPLE_*) is that of their perf_event_attr, 0 when sample_id_all was not
     * set. SAMPLE records are passed over. */
    const char *const *sideband;
    size_t sideband_count;
    uint64_t sample_type;
    /* Not known: that of the first TIME_CONV record.  Without side-band, too: ticks
     * count from the TSC's zero at nom_freq, or as nanoseconds when that is unknown. */
    struct pts_raw_clock clock;
    uint64_t tsc_offset;   /* ticks by which side-band takes effect earlier */
    const char *vdso;      /* ELF file that 64-bit programs map as [vdso], or NULL */
    const char *vdso_ia32; /* the same of 32-bit programs */

    /* More of how the trace was set up. */
    struct pts_raw_filter filter[PTS_RAW_FILTERS];
    uint32_t cyc_thresh; /* IA32_RTIT_CTL.CycThresh, 0 to 15 */
};
/* clang-format off */
#define PTS_RAW_OPTS_INIT                                                              \
    {                                                                                  \
        sizeof(struct pts_raw_opts), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,      \
            {0, 0, 0}, 0, 0, 0, {{0, 0, 0}}, 0                                         \
    }
/* clang-format on */

/* Like pts_session_open.  PTS_E_USAGE: a number is out of range, images overlap, or the
 * times of the side-band cannot be told. */
PTS_API PTS_MUST_USE pts_status pts_session_open_raw(const struct pts_raw_opts *raw,
                                                     const struct pts_open_opts *opts,
                                                     pts_session **out,
                                                     struct pts_diag *why);

#ifdef __cplusplus
}
#endif
#endif
