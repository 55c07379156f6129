/* raw.c - a bare trace through the public interface.
 *
 * SPDX-License-Identifier: MIT
 */
#include <ptscript/raw.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/t.h"

enum { BASE = 0x1000, TEXT_SIZE = 4096 };

/* nop; jmp *%rax */
static const unsigned char code[] = {0x90, 0xff, 0xe0};

/* PSB, PSBEND, MODE.Exec 64, TIP.PGE to BASE, TIP back to it, TIP.PGD. */
static const unsigned char packets[] = {
    2, 0x82, 2, 0x82, 2,    0x82, 2,    0x82, 2,    0x82, 2, 0x82, 2, 0x82,
    2, 0x82, 2, 0x23, 0x99, 1,    0x31, 0,    0x10, 0x2d, 0, 0x10, 1};

static char folder[] = "/tmp/ptscript-raw-XXXXXX";

static const char *file(const char *name, const void *bytes, size_t n)
{
    static char path[64][64];
    static unsigned i;
    char *p = path[i++ % 64];
    snprintf(p, sizeof(path[0]), "%s/%s", folder, name);
    FILE *f = fopen(p, "wb");
    CHECK(f && fwrite(bytes, 1, n, f) == n);
    if (f)
        fclose(f);
    return p;
}

/* All text under one option, cut to fit. */
static void text_of(pts_session *s, const struct pts_option *options, size_t count,
                    char *to)
{
    struct pts_diag why;
    pts_stream *stream = NULL;
    const char *text;
    size_t n, len = 0;
    EQ(pts_stream_open(s, options, count, &stream, &why), PTS_OK);
    while (stream && pts_stream_next_text(stream, &text, &n, &why) == PTS_OK) {
        n = n < TEXT_SIZE - 1 - len ? n : TEXT_SIZE - 1 - len;
        memcpy(to + len, text, n);
        len += n;
    }
    to[len] = '\0';
    pts_stream_close(stream);
}

static struct pts_raw_opts raw_opts(const struct pts_raw_image *image)
{
    struct pts_raw_opts raw = PTS_RAW_OPTS_INIT;
    raw.trace = file("pt.bin", packets, sizeof(packets));
    raw.images = image;
    raw.image_count = 1;
    return raw;
}

T(bytes_at_an_address)
{
    static char got[TEXT_SIZE];
    const struct pts_raw_image image = {file("code.bin", code, sizeof(code)), BASE, 1};
    const struct pts_raw_opts raw = raw_opts(&image);
    const struct pts_option options[] = {
        {"itrace", "i0ns"            },
        {"fields", "comm,tid,ip,insn"}
    };
    struct pts_diag why;
    pts_session *s = NULL;
    EQ(pts_session_open_raw(&raw, NULL, &s, &why), PTS_OK);
    text_of(s, options, 2, got);
    STREQ(got, "        code.bin     1              1000 insn: 90\n"
               "        code.bin     1              1001 insn: ff e0\n"
               "        code.bin     1              1000 insn: 90\n"
               "        code.bin     1              1001 insn: ff e0\n");
    pts_session_close(s);
}

static pts_status opened(const struct pts_raw_opts *raw)
{
    struct pts_diag why = {PTS_OK, 0, 0, ""};
    pts_session *s = NULL;
    pts_status st = pts_session_open_raw(raw, NULL, &s, &why);
    CHECK(st == PTS_OK ? s != NULL : s == NULL && why.status == st && why.text[0]);
    pts_session_close(s);
    return st;
}

T(numbers_are_checked)
{
    const struct pts_raw_image image = {file("code.bin", code, sizeof(code)), BASE, 1};
    struct pts_raw_opts raw = raw_opts(&image);
    EQ(opened(&raw), PTS_OK);
    raw.mtc_freq = 16;
    EQ(opened(&raw), PTS_E_USAGE);
    raw = raw_opts(&image);
    raw.nom_freq = 256;
    EQ(opened(&raw), PTS_E_USAGE);
    raw = raw_opts(&image);
    raw.cpu_model = 256;
    EQ(opened(&raw), PTS_E_USAGE);
    raw = raw_opts(&image);
    raw.clock.time_shift = 64;
    EQ(opened(&raw), PTS_E_USAGE);
    raw = raw_opts(&image);
    raw.cyc_thresh = 16;
    EQ(opened(&raw), PTS_E_USAGE);
    raw = raw_opts(&image);
    raw.filter[3].cfg = PTS_RAW_FILTER_STOP + 1;
    EQ(opened(&raw), PTS_E_USAGE);
    raw.filter[3].cfg = PTS_RAW_FILTER_STOP;
    raw.filter[3].a = 8;
    raw.filter[3].b = 7;
    EQ(opened(&raw), PTS_E_USAGE);
    for (int i = 0; i < PTS_RAW_FILTERS; i++) { /* the longest text of them */
        raw.filter[i].cfg = PTS_RAW_FILTER_STOP;
        raw.filter[i].a = UINT64_MAX / 2;
        raw.filter[i].b = UINT64_MAX;
    }
    EQ(opened(&raw), PTS_OK);
    raw.filter[0].a = 0;
    EQ(opened(&raw), PTS_OK);
    raw = raw_opts(&image);
    raw.sample_type = UINT64_C(1) << 25;
    EQ(opened(&raw), PTS_E_USAGE);
    raw = raw_opts(&image);
    raw.trace = NULL;
    EQ(opened(&raw), PTS_E_USAGE);
}

T(images_are_checked)
{
    const char *path = file("code.bin", code, sizeof(code));
    struct pts_raw_image two[] = {
        {path, BASE,                1},
        {path, BASE + sizeof(code), 1}
    };
    struct pts_raw_opts raw = raw_opts(two);
    raw.image_count = 2;
    EQ(opened(&raw), PTS_OK);
    two[1].addr--;
    EQ(opened(&raw), PTS_E_USAGE);
    two[1].addr = BASE - 2;
    EQ(opened(&raw), PTS_E_USAGE);
    two[1].addr = UINT64_MAX;
    EQ(opened(&raw), PTS_E_USAGE);
    two[1].addr = (UINT64_C(1) << 63) - sizeof(code);
    EQ(opened(&raw), PTS_OK);
    two[1].placed = 0;
    EQ(opened(&raw), PTS_E_USAGE);
    two[1].path = "/nowhere";
    EQ(opened(&raw), PTS_E_IO);
}

/* Options of callers that know fewer: what lies beyond their size counts as absent. */
T(older_options)
{
    const struct pts_raw_image image = {file("code.bin", code, sizeof(code)), BASE, 1};
    struct pts_raw_opts raw = raw_opts(&image);
    raw.mtc_freq = 99;
    raw.size = offsetof(struct pts_raw_opts, mtc_freq);
    EQ(opened(&raw), PTS_OK);
}

T(side_band_without_a_clock)
{
    const struct pts_raw_image image = {file("code.bin", code, sizeof(code)), BASE, 1};
    const char *sideband = file("side.pevent", "", 0);
    struct pts_raw_opts raw = raw_opts(&image);
    raw.sideband = &sideband;
    raw.sideband_count = 1;
    EQ(opened(&raw), PTS_OK);
    raw.sample_type = PTS_SAMPLE_TIME;
    EQ(opened(&raw), PTS_E_USAGE);
    raw.clock.time_mult = 1;
    EQ(opened(&raw), PTS_OK);
    sideband = "/nowhere";
    EQ(opened(&raw), PTS_E_IO);
}

int main(void)
{
    static const struct t_case cases[] = {
        T_CASE(bytes_at_an_address), T_CASE(numbers_are_checked),
        T_CASE(images_are_checked), T_CASE(older_options),
        T_CASE(side_band_without_a_clock)};
    CHECK(mkdtemp(folder) != NULL);
    int rc = t_main(cases, sizeof(cases) / sizeof(*cases));
    char command[96];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command) != 0 || rc;
}
