/* cmd_buildid_list.c - ptscript buildid-list: which builds of which files were recorded.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commands.h"
#include "cut.h"
#include "fail.h"
#include "given.h"
#include "lines.h"
#include "recording.h"
#include "store.h"

#include <ptscript/buildid.h>
#include <stdio.h>
#include <string.h>

static const struct option options[] = {
#include <ptscript/buildid_list.def>
    OPTIONS_END,
};

/* perf takes words, and does nothing with them. */
static bool word_pass(struct cli_opts *opts, const char *word)
{
    (void)opts;
    (void)word;
    return true;
}

static int list_kernel(struct out_lines *l)
{
    struct pts_image_id id;
    struct pts_diag why;
    char hex[PTS_IMAGE_ID_TEXT];
    pts_status st = pts_kernel_build_id(&id, &why);
    if (st < 0)
        return fail_call("/sys/kernel/notes", &why);
    if (st == PTS_END)
        return 1;
    lines_put(l, pts_image_id_text(&id, hex));
    lines_end(l);
    return 0;
}

static void map_put(void *ctx, const struct pts_kernel_map *map)
{
    struct out_lines *l = ctx;
    char hex[PTS_IMAGE_ID_TEXT], span[64];
    snprintf(span, sizeof(span), " %16llx %16llx ", (unsigned long long)map->start,
             (unsigned long long)map->end);
    lines_put(l, pts_image_id_text(&map->id, hex));
    lines_put(l, span);
    lines_put(l, map->path);
    lines_end(l);
}

static int list_maps(struct out_lines *l)
{
    struct pts_diag why;
    return pts_kernel_maps(map_put, l, &why) < 0 ? fail_call("/proc/kallsyms", &why)
                                                 : 0;
}

static void dso_put(struct out_lines *l, const struct pts_dso *dso)
{
    char hex[PTS_IMAGE_ID_TEXT], column[64];
    snprintf(column, sizeof(column), "%-40s ", pts_image_id_text(&dso->id, hex));
    lines_put(l, column);
    lines_put(l, dso->path);
    lines_end(l);
}

static int list_recording(struct out_lines *l, const struct cli_opts *opts)
{
    struct recording r = {0};
    struct pts_diag why;
    pts_dsos *list = NULL;
    int which = is_given(opts, "with-hits") ? PTS_DSOS_HIT : PTS_DSOS_LISTED;

    if (is_given(opts, "verbose"))
        which |= PTS_DSOS_TELL;
    int rc = recording_open(&r, opts);
    if (rc)
        return rc;
    if (opts->store) {
        rc = store_recording(&r, opts, l);
        recording_close(&r);
        return rc;
    }
    if (pts_dsos_open(r.session, which, &list, &why) < 0)
        rc = fail_call(r.path, &why);
    const struct pts_dso *dso;
    for (size_t i = 0; !rc && (dso = pts_dsos_at(list, i)) != NULL; i++)
        dso_put(l, dso);
    pts_dsos_close(list);
    recording_close(&r);
    return rc;
}

/* What is given may be a program: then its own id is what is wanted. */
static int list_input(struct out_lines *l, const struct cli_opts *opts)
{
    const char *path = opts->input ? opts->input : "perf.data";
    struct pts_image_id id;
    struct pts_diag why;
    char hex[PTS_IMAGE_ID_TEXT];
    pts_status st =
        strcmp(path, "-") == 0 ? PTS_END : pts_file_build_id(path, &id, &why);
    if (st < 0)
        return fail_call(path, &why);
    if (st == PTS_END)
        return list_recording(l, opts);
    lines_put(l, pts_image_id_text(&id, hex));
    lines_end(l);
    return 0;
}

static int run(const struct cli_opts *opts)
{
    static struct out_lines lines;
    int rc;

    cut_watch();
    if (is_given(opts, "kernel"))
        rc = list_kernel(&lines);
    else if (is_given(opts, "kernel-maps"))
        rc = list_maps(&lines);
    else
        rc = list_input(&lines, opts);
    return lines_close(&lines, rc);
}

const struct command cmd_buildid_list = {
    .name = "buildid-list",
    .usage = "Usage: ptscript buildid-list [OPTION]...\n"
             "Lists the build ids of the programs and libraries that a perf.data file "
             "knows.\n",
    .options = options,
    .word = word_pass,
    .run = run,
};
