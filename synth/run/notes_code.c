/* notes_code.c - help of ours at the end: code and names that were not found.
 *
 * SPDX-License-Identifier: MIT
 *
 * What would have helped depends on what the code is: a file, or memory that a compiler
 * wrote, which tells of its code in a jitdump (bytes and names) or a map file (names).
 */
#include "synth/run/run.h"

#include "synth/symbol/sym_map.h"

#include <limits.h>
#include <stdio.h>

/* What came of the trace, or of other samples, without the code. */
static const char *without_code(const struct run *r)
{
    return r->plan->decode.on ? "its part of the trace could not be decoded"
                              : "call chains may end there";
}

static void missing_file(const struct run *r, const struct sb_dso *dso)
{
    char id[BUILD_ID_TEXT], text[PATH_MAX + 200];
    struct build_id bid = build_id_of(dso->build_id, dso->build_id_len);

    snprintf(text, sizeof(text),
             "no code for %s%s%s: %s; give the file below --symfs or in the build-id "
             "cache (--buildid-dir)",
             dso->long_name, bid.len ? ", build id " : "",
             bid.len ? build_id_text(&bid, id) : "", without_code(r));
    session_message(r->session, PTS_MSG_NOTE, text);
}

/* Whether a record named a dump of the process. */
static bool has_dump(const struct run *r, int pid)
{
    for (size_t i = 0; i < sb_jit_count(r->session->jit); i++)
        if (sb_jit_at(r->session->jit, i).pid == pid)
            return true;
    return false;
}

/* Memory goes by the name of the map file that would have its names. */
static void missing_memory(const struct run *r, const struct sb_dso *dso)
{
    char text[2 * PATH_MAX];
    int pid = sym_map_pid(dso->long_name);

    if (has_dump(r, pid))
        return; /* told with the dump */
    snprintf(
        text, sizeof(text),
        "no code for memory of process %d, which holds no file: %s; a compiler that "
        "writes jit-%d.dump while it is recorded gives code and names (node "
        "--perf-prof, java with libperf-jvmti.so); %s gives names only",
        pid, without_code(r), pid, dso->long_name);
    session_message(r->session, PTS_MSG_NOTE, text);
}

static void note_dump(const struct run *r, const struct sb_jit_note *n)
{
    char text[2 * PATH_MAX];

    if (n->state != SB_JIT_USED) {
        snprintf(text, sizeof(text),
                 "%s: code made at run time by process %d was not decoded: %s", n->path,
                 (int)n->pid, sb_jit_why(n->state));
        session_message(r->session, PTS_MSG_NOTE, text);
        return;
    }
    if (n->guessed) {
        snprintf(text, sizeof(text),
                 "%s: its clock is not the recording's: when code was replaced is "
                 "estimated",
                 n->path);
        session_message(r->session, PTS_MSG_NOTE, text);
    }
    if (n->odd.bad || n->odd.lost) {
        snprintf(text, sizeof(text),
                 "%s: %u of its records say the impossible, and %u move code that it "
                 "does not have: all others were used",
                 n->path, (unsigned)n->odd.bad, (unsigned)n->odd.lost);
        session_message(r->session, PTS_MSG_NOTE, text);
    }
    if (n->odd.cut || n->odd.too_many) {
        snprintf(text, sizeof(text), "%s: %s: all before was used", n->path,
                 n->odd.cut ? "it ends inside a record" : "it tells of too much code");
        session_message(r->session, PTS_MSG_NOTE, text);
    }
}

/* Names of memory are in its map file.  perf 6.1 takes those in a file of anybody. */
static void note_map(const struct run *r, const struct sb_dso *dso, bool code_told)
{
    char text[2 * PATH_MAX], path[PATH_MAX];
    const struct sym_opts opts = {.files = r->session->files,
                                  .force = r->session->opts.force};
    bool refused = sym_map_refused(&opts, dso->long_name);

    if (!resolve_asked(r->places, dso) || (code_told && !refused) ||
        sym_map_path(&opts, dso->long_name, path))
        return;
    if (refused)
        snprintf(
            text, sizeof(text),
            "%s is not owned by current user or root: its names were not used (use "
            "-f to override)",
            dso->long_name);
    else
        snprintf(text, sizeof(text),
                 "no names for memory of process %d, which holds no file: %s is not "
                 "there, which a compiler writes when it is asked to (node "
                 "--perf-basic-prof, java with perf-map-agent)",
                 sym_map_pid(dso->long_name), dso->long_name);
    session_message(r->session, PTS_MSG_NOTE, text);
}

void notes_code(const struct run *r)
{
    const struct sideband *sb = r->view.sb;

    for (size_t i = 0; i < sb_jit_count(r->session->jit); i++) {
        const struct sb_jit_note n = sb_jit_at(r->session->jit, i);
        if (r->plan->decode.on)
            note_dump(r, &n);
    }
    for (uint32_t i = 0; i < sb_dso_count(sb); i++) {
        const struct sb_dso *dso = sb_dso_at(sb, i);
        bool missed = code_store_missed(r->codes, dso);
        if (dso->kind == DSO_ANON && missed)
            missing_memory(r, dso);
        else if (missed)
            missing_file(r, dso);
        if (dso->kind == DSO_ANON)
            note_map(r, dso, missed);
    }
}
