/* doctor_text.c - what is wrong with a recording, in words.
 *
 * SPDX-License-Identifier: MIT
 *
 *     Recorded    by which command, on what, with which settings of the trace
 *     Code        images that were needed: missing, another build, found
 *     Lost        what the recorder or the processor could not keep
 *     Errors      by cause and image, with what to do
 *     Result
 *
 * A finding is a line that begins with an exclamation mark: somebody can act on it.
 */
#include "synth/run/doctor.h"

#include "synth/sample/fault.h"
#include "synth/symbol/sym_map.h"
#include "walker/flow/event.h"

#include <inttypes.h>
#include <linux/limits.h>
#include <ptscript/buildid.h>
#include <stdlib.h>
#include <string.h>

static void finding(struct doctor *d)
{
    d->findings++;
    text_str(d->text, "  ! ");
}

/* --- Recorded ---------------------------------------------------------------------- */

static void line_feature(struct text *t, const struct perf_file *f, const char *what,
                         enum pts_feature feat)
{
    const char *s = perf_feat_string(f, feat);

    if (s && *s)
        text_fmt(t, "  %-10s %s\n", what, s);
}

static void put_command(struct text *t, const struct perf_file *f)
{
    struct pts_feature_iter it = perf_feature_begin(f, PTS_FEAT_CMDLINE);
    struct pts_feature_item item;
    bool any = false;

    while (pts_feature_next(&it, &item) == PTS_OK) {
        text_str(t, any ? " " : "  command    ");
        text_str(t, item.u.text);
        any = true;
    }
    if (any)
        text_char(t, '\n');
}

/* Terms of an intel_pt event by the bits of its config, as the kernel has them in its
 * format directory since Intel PT is there (IA32_RTIT_CTL). */
static const struct term {
    const char *name;
    uint8_t shift, bits;
} terms[] = {
    {"pt",         0,  1},
    {"cyc",        1,  1},
    {"pwr_evt",    4,  1},
    {"fup_on_ptw", 5,  1},
    {"mtc",        9,  1},
    {"tsc",        10, 1},
    {"noretcomp",  11, 1},
    {"ptw",        12, 1},
    {"branch",     13, 1},
    {"mtc_period", 14, 4},
    {"cyc_thresh", 19, 4},
    {"psb_period", 24, 4},
    {"event",      31, 1},
    {"notnt",      55, 1},
};

static void put_terms(struct text *t, uint64_t config)
{
    const char *between = "";

    for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
        uint64_t v = config >> terms[i].shift & ((1u << terms[i].bits) - 1);
        if (!v)
            continue;
        text_str(t, between);
        text_str(t, terms[i].name);
        if (terms[i].bits > 1) {
            text_char(t, '=');
            text_dec(t, v, 0);
        }
        between = ",";
    }
}

static bool is_trace(const struct pts_session *s, const struct evl_attr *a)
{
    return s->has_pt && a->type == s->info.pmu_type;
}

static void put_events(struct doctor *d)
{
    const struct pts_session *s = d->run->session;
    const struct evlist *l = &d->scene.plan->evl;

    for (size_t i = 0; i < s->attrs.len; i++) {
        const struct evl_attr *a = &s->attrs.at[i];
        text_fmt(d->text, "  event      %s, config 0x%llx", l->ev.at[i].name,
                 (unsigned long long)a->config);
        if (is_trace(s, a)) {
            text_str(d->text, ": ");
            put_terms(d->text, a->config);
        }
        text_char(d->text, '\n');
    }
}

static void put_trace(struct doctor *d)
{
    const struct pts_session *s = d->run->session;

    if (!s->has_pt) {
        text_str(d->text, "  trace      none of Intel PT\n");
        return;
    }
    text_fmt(d->text, "  trace      %s, buffers by %s%s%s\n",
             s->info.snapshot ? "snapshots" : "whole",
             s->info.per_cpu ? "CPU" : "thread", s->info.filter[0] ? ", filter " : "",
             s->info.filter);
}

/* What ends the run with a message when all has been told. */
static void put_damage(struct doctor *d)
{
    struct pts_diag why = {0};

    if (run_damage(d->run, &why) >= 0)
        return;
    finding(d);
    text_str(d->text, why.text);
    if (why.offset != UINT64_MAX)
        text_fmt(d->text, " (at offset 0x%llx)", (unsigned long long)why.offset);
    text_char(d->text, '\n');
}

static void put_recorded(struct doctor *d)
{
    const struct perf_file *f = d->scene.file;

    text_fmt(d->text, "Recorded\n  file       %s\n", f->path);
    put_command(d->text, f);
    line_feature(d->text, f, "perf", PTS_FEAT_VERSION);
    line_feature(d->text, f, "host", PTS_FEAT_HOSTNAME);
    line_feature(d->text, f, "kernel", PTS_FEAT_OSRELEASE);
    line_feature(d->text, f, "CPU", PTS_FEAT_CPUDESC);
    line_feature(d->text, f, "CPUID", PTS_FEAT_CPUID);
    put_events(d);
    put_trace(d);
    put_damage(d);
}

/* --- Code -------------------------------------------------------------------------- */

static void put_id(struct text *t, const char *before, const struct build_id *id)
{
    char hex[BUILD_ID_TEXT];

    if (id->len)
        text_fmt(t, "%s%s", before, build_id_text(id, hex));
}

static void put_place(struct text *t, const char *path)
{
    text_fmt(t, "      looked for: %s\n", path);
}

/* Whether --store would look for a dso of this recording where a decode finds it. */
static bool can_store(const struct pts_session *s, const struct sb_dso *dso)
{
    return s->path && !s->bundle.dir && dso->long_name[0] == '/' &&
           sb_machine(s->sb, dso) == s->sb && pts_cache_can_fetch();
}

static void put_fetch(struct doctor *d, const struct sb_dso *dso,
                      const struct build_id *id)
{
    const struct pts_session *s = d->run->session;
    const char *symfs = s->opts.symfs;
    char hex[BUILD_ID_TEXT];

    if (!can_store(s, dso)) {
        text_fmt(d->text, "      fetch it:   debuginfod-find executable %s\n",
                 build_id_text(id, hex));
        return;
    }
    text_fmt(
        d->text,
        "      fetch it:   ptscript buildid-list --store --debuginfod=URLS%s%s "
        "-i %s\n"
        "                  (without =URLS: the servers that DEBUGINFOD_URLS names)\n",
        symfs ? " --symfs " : "", symfs ? symfs : "", s->path);
}

/* Where it would have been taken from, and how to get it. */
static void put_places(struct doctor *d, const struct sb_dso *dso,
                       const struct build_id *id)
{
    const struct image_opts *files = &d->run->session->files;
    bool vdso = image_is_vdso(dso->long_name);
    char path[PATH_MAX];

    if (image_path_cache(files, id, vdso ? "vdso" : "elf", path))
        put_place(d->text, path);
    if (image_path_vdso(files, dso->long_name, id, path))
        put_place(d->text, path);
    if (image_path_file(files, dso->long_name, path))
        put_place(d->text, path);
    if (vdso)
        text_str(d->text, "      copy it:    from the build-id cache of the recording "
                          "machine, where perf record keeps it\n");
    else if (id->len)
        put_fetch(d, dso, id);
    else
        text_str(d->text, "      no build id was recorded: copy it from the recording "
                          "machine, below --symfs\n");
}

static void put_memory(struct doctor *d, const struct sb_dso *dso)
{
    const struct sb_jit *jit = d->run->session->jit;
    int pid = sym_map_pid(dso->long_name);

    for (size_t i = 0; i < sb_jit_count(jit); i++)
        if (sb_jit_at(jit, i).pid == pid)
            return; /* told with the dump */
    finding(d);
    text_fmt(d->text, "missing: memory of process %d, which holds no file\n", pid);
    text_fmt(
        d->text,
        "      code made at run time: record while the compiler writes jit-%d.dump "
        "(node --perf-prof,\n      java with libperf-jvmti.so); %s has names only\n",
        pid, dso->long_name);
}

static void put_missing(struct doctor *d, const struct sb_dso *dso)
{
    struct build_id id = build_id_of(dso->build_id, dso->build_id_len);

    if (dso->kind == DSO_ANON) {
        put_memory(d, dso);
        return;
    }
    finding(d);
    text_fmt(d->text, "missing: %s", dso->long_name);
    put_id(d->text, ", build id ", &id);
    text_char(d->text, '\n');
    if (dso->kind == DSO_FILE || dso->kind == DSO_VDSO)
        put_places(d, dso, &id);
    else
        text_str(d->text, "      code of the kernel: record it with perf record "
                          "--kcore\n");
}

static void put_stale(struct doctor *d)
{
    struct image_store *images = d->run->session->images;

    for (uint32_t i = 0; i < image_note_count(images); i++) {
        const struct image_note n = image_note_at(images, i);
        finding(d);
        text_fmt(d->text, "another build: %s", n.path);
        if (n.found.len)
            put_id(d->text, " has build id ", &n.found);
        else
            text_str(d->text, " has no build id");
        put_id(d->text, ", recorded was ", &n.wanted);
        text_fmt(d->text, "%s\n", n.used ? " (it was used nevertheless)" : "");
    }
}

static void put_found(struct doctor *d, const struct sb_dso *dso)
{
    const struct build_id id = build_id_of(dso->build_id, dso->build_id_len);
    const struct image *im = code_store_image(d->run->codes, dso);

    if (!im)
        return;
    text_fmt(d->text, "    found: %s", dso->long_name);
    if (strcmp(im->path, dso->long_name) != 0)
        text_fmt(d->text, ", in %s", im->path);
    put_id(d->text, ", build id ", &id);
    text_char(d->text, '\n');
}

static void put_dumps(struct doctor *d)
{
    const struct sb_jit *jit = d->run->session->jit;

    for (size_t i = 0; i < sb_jit_count(jit); i++) {
        const struct sb_jit_note n = sb_jit_at(jit, i);
        if (n.state != SB_JIT_USED) {
            finding(d);
            text_fmt(d->text, "not used: %s: %s\n", n.path, sb_jit_why(n.state));
            continue;
        }
        text_fmt(d->text, "    found: %s, ", n.path);
        text_count(d->text, n.codes, "function", "functions");
        text_str(d->text, " made at run time\n");
        if (n.guessed || n.odd.bad || n.odd.lost || n.odd.cut || n.odd.too_many) {
            finding(d);
            text_fmt(d->text, "%s: %s\n", n.path,
                     n.guessed ? "its clock is not the recording's: times are estimated"
                               : "it is damaged: a part was used");
        }
    }
}

static void put_code(struct doctor *d)
{
    const struct code_store *codes = d->run->codes;
    const struct sideband *sb = d->scene.sb;

    text_str(d->text, "\nCode that was needed\n");
    put_stale(d);
    for (uint32_t i = 0; i < sb_dso_count(sb); i++)
        if (code_store_missed(codes, sb_dso_at(sb, i)))
            put_missing(d, sb_dso_at(sb, i));
    put_dumps(d);
    for (uint32_t i = 0; i < sb_dso_count(sb); i++) {
        const struct sb_dso *dso = sb_dso_at(sb, i);
        if (dso->kind != DSO_JIT && code_store_asked(codes, dso) &&
            !code_store_missed(codes, dso))
            put_found(d, dso);
    }
}

/* --- Lost -------------------------------------------------------------------------- */

static uint64_t trace_bytes(const struct queues *q)
{
    uint64_t n = 0;

    for (size_t i = 0; i < q->aux.at.len; i++)
        for (size_t k = 0; k < q->aux.at.at[i].buf.len; k++)
            n += q->aux.at.at[i].buf.at[k].len;
    return n;
}

static void put_lost(struct doctor *d, uint64_t n, const char *one, const char *more,
                     const char *next)
{
    if (!n)
        return;
    finding(d);
    text_count(d->text, n, one, more);
    text_fmt(d->text, "\n      %s\n", next);
}

static uint64_t faults_of(const struct doctor *d, uint32_t code)
{
    uint64_t n = 0;

    for (size_t i = 0; i < d->group.len; i++)
        n += d->group.at[i].code == code ? d->group.at[i].count : 0;
    return n;
}

static void put_losses(struct doctor *d)
{
    const struct run_counts *c = &d->run->counts;
    uint32_t before = d->findings;

    text_str(d->text, "\nLost\n    trace: ");
    text_count(d->text, trace_bytes(&d->run->queues), "byte", "bytes");
    text_str(d->text, " in ");
    text_count(d->text, d->run->queues.count, "buffer\n", "buffers\n");
    put_lost(d, faults_of(d, FAULT_OVERFLOW), "time the processor dropped packets",
             "times the processor dropped packets", doctor_advice(FAULT_OVERFLOW));
    put_lost(d, c->aux_truncated, "time the trace buffer was full",
             "times the trace buffer was full", doctor_advice(FAULT_LOST));
    put_lost(d, c->aux_partial, "gap while a guest ran with Intel PT of its own",
             "gaps while a guest ran with Intel PT of its own",
             "stop guests, or trace them with kvm_intel.pt_mode=1");
    put_lost(d, c->aux_collision, "collision of trace data", "collisions of trace data",
             "nobody else may use the trace unit meanwhile");
    put_lost(d, c->lost_records, "time records of the kernel were lost",
             "times records of the kernel were lost",
             "larger buffers (perf record -m 4M), fewer events, a faster disk");
    put_lost(d, c->lost_samples, "sample was lost", "samples were lost",
             "a lower frequency of sampling");
    if (d->findings == before)
        text_str(d->text, "    nothing\n");
}

/* --- Errors ------------------------------------------------------------------------ */

const char *doctor_advice(uint32_t code)
{
    switch (code) {
    case FAULT_NO_INSN:
        return "give the code: see above what is missing";
    case FAULT_MISMATCH:
        return "follows a gap or another error; alone: the code changed since, or was "
               "made at run time";
    case FAULT_OVERFLOW:
        return "fewer packets: no cyc, a larger cyc_thresh, a filter, or only user "
               "space";
    case FAULT_LOST:
        return "a larger trace buffer (perf record -m,64M), a filter, or a snapshot "
               "(-S)";
    case FAULT_BAD_PACKET:
        return "the trace is damaged there";
    case FAULT_LOOP:
        return "the code changed since, or the trace is damaged";
    default:
        return "please report it";
    }
}

static int by_count(const void *a, const void *b)
{
    const struct doctor_group *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    if (x->code != y->code)
        return x->code < y->code ? -1 : 1;
    return x->dso < y->dso ? -1 : x->dso > y->dso;
}

static void put_group(struct doctor *d, const struct doctor_group *g)
{
    const struct sideband *sb = d->scene.sb;

    finding(d);
    text_fmt(d->text, "%llu: %s (code %u)", (unsigned long long)g->count,
             fault_text(g->code), (unsigned)g->code);
    if (g->dso != SB_NONE)
        text_fmt(d->text, " in %s", sb_dso_at(sb, g->dso)->long_name);
    else if (g->first_ip)
        text_str(d->text, g->first_ip >> 63 ? " in the kernel, where nothing is mapped"
                                            : " where nothing is mapped");
    text_str(d->text, "\n      the first");
    if (g->first_time) {
        text_str(d->text, " at ");
        text_fmt(d->text, "%llu.%09llu",
                 (unsigned long long)(g->first_time / 1000000000),
                 (unsigned long long)(g->first_time % 1000000000));
    }
    if (g->first_ip)
        text_fmt(d->text, " ip 0x%llx", (unsigned long long)g->first_ip);
    text_fmt(d->text, "; %s\n", doctor_advice(g->code));
}

static void put_errors(struct doctor *d)
{
    text_fmt(d->text, "\nErrors\n");
    if (!d->group.len) {
        text_str(d->text, "    none\n");
        return;
    }
    qsort(d->group.at, d->group.len, sizeof(d->group.at[0]), by_count);
    for (size_t i = 0; i < d->group.len; i++)
        put_group(d, &d->group.at[i]);
}

void doctor_text(struct doctor *d)
{
    put_recorded(d);
    put_code(d);
    put_losses(d);
    put_errors(d);
    if (!d->findings) {
        text_str(d->text, "\nResult: nothing is wrong\n");
        return;
    }
    text_str(d->text, "\nResult: ");
    text_count(d->text, d->findings, "finding, ", "findings, ");
    text_count(d->text, d->faults, "error", "errors");
    text_str(d->text, " (lines with !)\n");
}
