/* damage.c - what is wrong with a recording, once all of it has been told.
 *
 * SPDX-License-Identifier: MIT
 *
 * A fault in a file ends nothing here: what stands before and behind it is used.  But the
 * run has failed in the end, as it has for perf, and says why.
 */
#include "decoder/base/diag.h"
#include "synth/run/run.h"

#include <linux/limits.h>
#include <stdio.h>

static pts_status damaged_at(const struct perf_file *f, struct perf_shown at,
                             pts_status st, const char *text, struct pts_diag *why)
{
    bool same = at.path == f->path; /* else: of which file of the directory */

    return diag_set(why, st, at.off, "%s%s%s", same ? "" : at.path, same ? "" : ": ",
                    text);
}

static pts_status gap_at(const struct perf_file *f, struct pts_diag *why)
{
    return diag_set(why, PTS_E_FORMAT, f->damage.gap.off,
                    "a record of an impossible size: nothing was used from here to the "
                    "next piece of trace that the index has, at 0x%llx",
                    (unsigned long long)f->damage.again);
}

/* Kinds of trace that perf knows, by the type in AUXTRACE_INFO. */
static const char *const kinds[] = {
    NULL,      NULL,          "Intel BTS",    "Arm CoreSight",
    "Arm SPE", "S390 CPUMSF", "HiSilicon PTT"};

/* Trace that is there is never passed over in silence. */
static pts_status trace_left(const struct run *r, struct pts_diag *why)
{
    const struct pts_session *s = r->session;
    uint64_t at = r->counts.trace_at;
    uint32_t type = s->info.type;
    const char *kind = type < sizeof(kinds) / sizeof(kinds[0]) ? kinds[type] : NULL;

    if (at == NO_TRACE || s->has_pt || !r->plan || r->plan->opt.itrace.dont_decode)
        return PTS_END;
    const struct perf_shown shown = perf_file_shown(s->file, at);
    if (!s->file->data.info_off)
        return damaged_at(
            s->file, shown, PTS_E_FORMAT,
            "trace without an AUXTRACE_INFO record, which says of what kind "
            "it is: it was not decoded",
            why);
    return diag_set(why, PTS_E_FORMAT, shown.off,
                    "trace of type %u%s%s%s: only Intel PT (type 1) can be decoded",
                    (unsigned)type, kind ? " (" : "", kind ? kind : "",
                    kind ? ")" : "");
}

/* A file that lost its end after it was opened.  Where that was noticed in time, the
 * process was ended by SIGBUS; the last bytes of a page are just gone. */
static pts_status files_cut(const struct run *r, struct pts_diag *why)
{
    const struct perf_file *f = r->session->file;
    const char *path = NULL;
    uint64_t len;

    if (input_was_cut(&f->in, f->path, &len))
        path = f->path;
    for (size_t i = 0; !path && i < f->source.len; i++)
        if (input_was_cut(&f->source.at[i].in, f->source.at[i].path, &len))
            path = f->source.at[i].path;
    if (!path && r->session->images)
        path = image_cut(r->session->images, &len);
    if (!path)
        path = sb_jit_cut(r->session->jit, &len);
    return !path ? PTS_END
                 : damaged_at(f, (struct perf_shown){path, len}, PTS_E_TRUNCATED,
                              "it was cut while it was read: what was behind may be "
                              "missing in the text, or wrong",
                              why);
}

bool run_other_id(const struct run *r)
{
    const struct pts_session *s = r->session;

    return s->opts.require_buildid == PTS_BUILDID_ERROR && image_note_count(s->images);
}

static pts_status other_id(const struct run *r, struct pts_diag *why)
{
    struct image_note note = image_note_at(r->session->images, 0);
    char text[sizeof(why->text)];

    image_note_text(&note, text, sizeof(text));
    return diag_set(why, PTS_E_FORMAT, UINT64_MAX, "%s", text);
}

pts_status run_damage(const struct run *r, struct pts_diag *why)
{
    const struct perf_file *f = r->session->file;
    const struct perf_order *order = r->view.order;
    uint64_t off = f->damage.first < order->damaged ? f->damage.first : order->damaged;
    pts_status cut = files_cut(r, why);

    if (cut < 0)
        return cut;
    if (run_other_id(r))
        return other_id(r, why);
    if (f->damage.odd & PERF_ODD_CUT)
        return damaged_at(f, f->damage.bad, PTS_E_TRUNCATED,
                          "the data end inside a record or have one of an impossible "
                          "size: all before it was used",
                          why);
    if (f->damage.odd & PERF_ODD_GAP)
        return gap_at(f, why);
    if (f->damage.odd & PERF_ODD_PACKED)
        return damaged_at(
            f, f->damage.bad, PTS_E_FORMAT,
            "a compressed record cannot be unpacked: all before it was used", why);
    if (f->damage.odd & PERF_ODD_SWOLLEN)
        return damaged_at(f, f->damage.bad, PTS_E_FORMAT,
                          "compressed records unpack to more than 256 times their size "
                          "here: all before was used",
                          why);
    if (f->damage.odd & PERF_ODD_IDS)
        return damaged_at(f, (struct perf_shown){f->path, f->damage.ids}, PTS_E_FORMAT,
                          "the ids of an event lie outside the file: it was used "
                          "without them",
                          why);
    if (off != UINT64_MAX)
        return damaged_at(f, perf_file_shown(f, off), PTS_E_FORMAT,
                          "a damaged record: all others were used", why);
    if (r->session->info_why.status != PTS_OK) {
        *why = r->session->info_why;
        return why->status;
    }
    return trace_left(r, why);
}

void run_tell_damage(const struct run *r)
{
    const struct pts_session *s = r->session;
    struct pts_diag why = {.offset = UINT64_MAX};
    char at[40] = "", text[PATH_MAX + sizeof(why.text) + sizeof(at)];

    if (run_damage(r, &why) >= 0)
        return;
    if (why.offset != UINT64_MAX)
        snprintf(at, sizeof(at), " (at offset 0x%llx)", (unsigned long long)why.offset);
    snprintf(text, sizeof(text), "%s: %s%s", s->file->path, why.text, at);
    session_message(s, PTS_MSG_NOTE, text);
}
