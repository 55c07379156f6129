/* notes_kernel.c - help of ours at the end: files of the kernel that were of no use.
 *
 * SPDX-License-Identifier: MIT
 *
 * Those that were given by hand, and those that lie beside the recording: perf 6.1 does without
 * them and says nothing.
 */
#include "synth/run/run.h"

#include <limits.h>
#include <stdio.h>

static void tell(const struct run *r, const char *path, const char *what)
{
    char text[PATH_MAX + 400];

    snprintf(text, sizeof(text), "%s: %s", path, what);
    session_message(r->session, PTS_MSG_NOTE, text);
}

static void tell_other_id(const struct run *r, const struct sb_kernel *k)
{
    char want[BUILD_ID_TEXT], found[BUILD_ID_TEXT], text[300];

    snprintf(text, sizeof(text), "build id %s, but %s was recorded: it is not used",
             k->given_id.len ? build_id_text(&k->given_id, found) : "missing",
             build_id_text(&k->want.id, want));
    tell(r, k->given, text);
}

static void tell_ref(const struct run *r, const struct sb_kernel *k)
{
    char text[300];

    snprintf(
        text, sizeof(text),
        "it has no symbol %.80s, by which the recording says where the kernel was: "
        "it is not used",
        k->ref);
    tell(r, k->given, text);
}

static void note_kernel(const struct run *r, const struct sb_kernel *k)
{
    if (!k->given)
        return;
    switch (k->trouble) {
    case KERNEL_FINE:
        break;
    case KERNEL_NO_LIST:
        tell(
            r, k->given,
            "it is no list of a kernel's symbols, or all its addresses are hidden (0): "
            "it is not used");
        break;
    case KERNEL_NO_LINKED:
        tell(r, k->given, "it is no vmlinux: it is not used");
        break;
    case KERNEL_OTHER_ID:
        tell_other_id(r, k);
        break;
    case KERNEL_NO_REF:
        tell_ref(r, k);
        break;
    case KERNEL_ELSEWHERE:
        tell(r, k->given,
             "the kcore beside it is not used: by the kallsyms and modules there the "
             "kernel, or a module, was not where the recording has it");
        break;
    case KERNEL_CUT_CORE:
        tell(r, k->given,
             "the kcore beside it is shorter than its headers say: code that would be "
             "behind its end is missing");
        break;
    case KERNEL_NO_CORE:
        tell(r, k->given, "the kcore beside it is not used: it has no memory in it");
        break;
    }
}

void notes_kernel(const struct run *r)
{
    const struct sideband *sb = r->view.sb;

    note_kernel(r, sb_kernel(sb));
    for (uint32_t i = 0; i < sb_guest_count(sb); i++)
        note_kernel(r, sb_kernel(sb_guest_at(sb, i)));
}
