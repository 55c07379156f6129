/* notes.c - help of ours at the end: what was missed, and what to do.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/run/run.h"

#include "decoder/file/perf_feat.h"
#include "synth/sample/fault.h"
#include "walker/code/kallsyms.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was asked for: no failure, but whoever reads the text should know. */
static void note_limit(const struct run *r)
{
    const struct queues *q = &r->queues;
    const double mb = 1e6;
    char text[160], trace[80] = "";

    if (!r->sink.left || r->sink.left(r->sink.wants.ctx))
        return;
    if (q->merge)
        snprintf(trace, sizeof(trace), ", %.1f of %.1f MB of trace were decoded",
                 (double)queues_passed(q) / mb, (double)q->bytes / mb);
    snprintf(text, sizeof(text), "the text ends where --limit says%s", trace);
    session_message(r->session, PTS_MSG_NOTE, text);
}

/* The options that left samples out, as they are written: " --time --tid". */
static void filters_join(const struct options *o, char *to, size_t size)
{
    const struct {
        const char *value, *name;
    } all[] = {
        {o->time,           "--time"          },
        {o->cpu,            "-C"              },
        {o->pids,           "--pid"           },
        {o->tids,           "--tid"           },
        {o->comms,          "--comms"         },
        {o->dsos,           "--dsos"          },
        {o->symbols,        "-S"              },
        {o->graph_function, "--graph-function"}
    };
    size_t n = 0;

    *to = '\0';
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].value)
            n += (size_t)snprintf(to + n, size - n, " %s", all[i].name);
}

/* Errors are no samples: where only they were asked for, none may be the good end. */
static bool samples_wanted(const struct run *r)
{
    const struct itrace *it = &r->plan->opt.itrace;

    return r->delivery.hidden || !it->asked ||
           itrace_on(it, ~(ITRACE_ON(ERRORS) | ITRACE_ON(LOG) | ITRACE_ON(QUICK)));
}

/* An empty text may be what was looked for, or a slip of the pen. */
static void note_nothing(const struct run *r)
{
    const uint64_t second = 1000000000;
    uint64_t first = 0, last = 0;
    char filters[100], times[100] = "", text[260];

    if (!r->plan->filtering || r->plan->opt.debug_mode || r->delivery.passed ||
        r->dumping || !samples_wanted(r))
        return;
    filters_join(&r->plan->opt, filters, sizeof(filters));
    perf_feat_sample_time(r->session->file, &first, &last);
    if (r->plan->opt.time && last)
        snprintf(
            times, sizeof(times),
            "; the recording's samples are from %llu.%09llu to %llu.%09llu",
            (unsigned long long)(first / second), (unsigned long long)(first % second),
            (unsigned long long)(last / second), (unsigned long long)(last % second));
    snprintf(text, sizeof(text), "no sample passed the filters%s%s", filters, times);
    session_message(r->session, PTS_MSG_NOTE, text);
}

/* perf does not mind: so this is no failure, either. */
static void note_samples(const struct run *r)
{
    char text[200];

    if (!r->counts.aux_samples || r->session->has_pt || r->dumping ||
        r->plan->opt.itrace.dont_decode)
        return;
    snprintf(text, sizeof(text),
             "%llu sample%s of trace, which %s not decoded: no AUXTRACE_INFO record "
             "says that it "
             "is Intel PT",
             (unsigned long long)r->counts.aux_samples,
             r->counts.aux_samples > 1 ? "s have pieces" : " has a piece",
             r->counts.aux_samples > 1 ? "were" : "was");
    session_message(r->session, PTS_MSG_NOTE, text);
}

/* perf decodes nothing, and says nothing. */
static void note_no_trace(const struct run *r)
{
    const struct itrace *it = &r->plan->opt.itrace;

    if (it->asked && !it->dont_decode && !r->session->file->data.info_off &&
        !r->counts.aux_samples)
        session_message(r->session, PTS_MSG_NOTE,
                        "there is no trace in the recording: --itrace had nothing to "
                        "decode");
}

/* perf takes what lies behind such a record for the rest of it. */
static void note_cut(const struct run *r)
{
    const struct run_counts *c = &r->counts;
    const struct perf_shown at = perf_file_shown(r->session->file, c->cut_at);
    char text[160];

    if (!c->cut)
        return;
    snprintf(text, sizeof(text),
             "%llu record%s shorter than what %s type says: what was not there was not "
             "used (the first at offset 0x%llx)",
             (unsigned long long)c->cut, c->cut > 1 ? "s are" : " is",
             c->cut > 1 ? "their" : "its", (unsigned long long)at.off);
    session_message(r->session, PTS_MSG_NOTE, text);
}

/* Without the letter e perf says nothing of them. */
static void note_untold(const struct run *r)
{
    uint32_t n = r->maker ? maker_untold(r->maker) : 0;
    char text[160];

    if (!n)
        return;
    snprintf(
        text, sizeof(text),
        "%u part%s of the trace could not be decoded: the letter e of --itrace shows "
        "where and why",
        (unsigned)n, n > 1 ? "s" : "");
    session_message(r->session, PTS_MSG_NOTE, text);
}

/* In two lines what ptscript doctor says in many. */
static void note_errors(const struct run *r)
{
    const char *between = "";
    char text[600];
    size_t n = 0;

    if (!r->maker || !maker_errors(r->maker))
        return;
    for (uint32_t code = 1; code <= FAULT_PTWRITE; code++) {
        uint32_t count = maker_errors_of(r->maker, code);
        if (!count)
            continue;
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u: %s", between,
                              (unsigned)count, fault_text(code));
        between = "; ";
    }
    session_message(r->session, PTS_MSG_NOTE, text);
    session_message(r->session, PTS_MSG_NOTE,
                    "the command doctor says where, which files are missing, what was "
                    "lost, and what to do");
}

static void note_bare(const struct run *r)
{
    uint32_t n = sb_bare_forks(r->view.sb);
    char text[160];

    if (!n)
        return;
    snprintf(
        text, sizeof(text),
        "%u process%s without the code of %s: their maps, each time all of them, are "
        "too many for a recording of this size",
        (unsigned)n, n > 1 ? "es begin" : " begins",
        n > 1 ? "their parents" : "its parent");
    session_message(r->session, PTS_MSG_NOTE, text);
}

static void note_names(const struct run *r, const struct sb_kernel *k)
{
    char text[PATH_MAX + 80];

    if (!k->names_cut)
        return;
    snprintf(text, sizeof(text),
             "%s: longer than %d MB, symbols behind them are not read", k->names,
             KALLSYMS_MAX >> 20);
    session_message(r->session, PTS_MSG_NOTE, text);
}

/* Lists of symbols of which only the beginning was read. */
static void note_long_names(const struct run *r)
{
    const struct sideband *sb = r->view.sb;

    note_names(r, sb_kernel(sb));
    for (uint32_t i = 0; i < sb_guest_count(sb); i++)
        note_names(r, sb_kernel(sb_guest_at(sb, i)));
}

/* A buffer of the recorder is of one CPU or thread, so this is damage. */
static void note_mixed(const struct run *r)
{
    uint64_t off = r->queues.aux.mixed;
    char text[160];

    if (!off)
        return;
    snprintf(text, sizeof(text),
             "a piece of trace names another CPU or thread than those before it in its "
             "queue: it was decoded with them (at offset 0x%llx)",
             (unsigned long long)perf_file_shown(r->session->file, off).off);
    session_message(r->session, PTS_MSG_NOTE, text);
}

static bool code_is_missed(const struct run *r)
{
    const struct sideband *sb = r->view.sb;

    for (uint32_t i = 0; i < sb_dso_count(sb); i++) {
        if (code_store_missed(r->codes, sb_dso_at(sb, i)))
            return true;
    }
    return false;
}

/* Without code there are gaps everywhere: that is said, and how they end matters less. */
static uint32_t places_met(const struct run *r)
{
    uint32_t met = 0;

    for (uint32_t i = 0; i < r->queues.count; i++)
        met |= relay_met(r->queues.at[i].relay);
    return code_is_missed(r) ? met & ~(uint32_t)PLACE_RESYNC : met;
}

/* Where perf's text is not what happened: whoever reads it should know. */
static void note_places(const struct run *r)
{
    char text[PLACE_COUNT * 80 + 200];
    size_t n;

    uint32_t met = places_met(r);
    if (!met)
        return;
    n = (size_t)snprintf(text, sizeof(text), "%s",
                         r->queues.conf.strict
                             ? "decoded as the processor's manual says, not as perf "
                               "does"
                             : "decoded as perf does, against the processor's manual "
                               "(--strict-pt)");
    const char *between = ": ";
    for (; met; met &= met - 1, between = "; ") {
        unsigned nr = (unsigned)__builtin_ctz(met);
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", between,
                              pt_place_text((enum pt_place_nr)nr));
    }
    session_message(r->session, PTS_MSG_NOTE, text);
}

/* perf drops them without a word. */
static void note_guests(const struct run *r)
{
    char text[120];

    if (!r->delivery.guests)
        return;
    snprintf(text, sizeof(text),
             "%llu sample%s not shown (--guestkallsyms, --guest-code)",
             (unsigned long long)r->delivery.guests,
             r->delivery.guests > 1 ? "s of guests (virtual machines) are"
                                    : " of a guest (a virtual machine) is");
    session_message(r->session, PTS_MSG_NOTE, text);
}

static int by_name(const void *a, const void *b)
{
    const struct image_note *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Files with another build id.  They were met by several threads (I8), so in no order. */
static void note_images(const struct run *r)
{
    struct image_store *images = r->session->images;
    /* The first one is what the run has failed of. */
    uint32_t from = run_other_id(r), count = image_note_count(images);
    struct image_note *note = mem_zalloc((size_t)count + 1, sizeof(*note));
    char text[2 * PATH_MAX];

    for (uint32_t i = 0; note && i < count; i++)
        note[i] = image_note_at(images, i);
    if (note && count > from)
        qsort(note + from, count - from, sizeof(*note), by_name);
    for (uint32_t i = from; note && i < count; i++) {
        image_note_text(&note[i], text, sizeof(text));
        session_message(r->session, PTS_MSG_NOTE, text);
    }
    mem_free(note);
}

static void note_log(const struct run *r)
{
    char why[80], text[120];

    if (!r->log.cut)
        return;
    snprintf(text, sizeof(text), "intel_pt.log: %s: it is not whole",
             strerror_r(r->log.cut, why, sizeof(why)));
    session_message(r->session, PTS_MSG_NOTE, text);
}

void run_notes(const struct run *r)
{
    const struct pts_session *s = r->session;
    const struct sideband *sb = r->view.sb;

    note_limit(r);
    note_log(r);
    note_nothing(r);
    note_samples(r);
    note_no_trace(r);
    note_cut(r);
    note_mixed(r);
    note_bare(r);
    note_long_names(r);
    note_errors(r);
    note_untold(r);
    note_places(r);
    note_guests(r);
    if (s->file->raw && r->queues.merge && !sb_dso_count(sb))
        session_message(s, PTS_MSG_NOTE,
                        "no code was given: the trace cannot be followed (--image)");
    note_images(r);
    notes_kernel(r);
    notes_code(r);
}
