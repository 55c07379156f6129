/* session_raw.c - opening a trace that is in no perf.data file.
 *
 * SPDX-License-Identifier: MIT
 *
 * Images become maps: of an ELF file each segment, of any other file all of it.  An ELF
 * file that is put somewhere else than where it was linked for is moved as a whole.
 */
#include "synth/run/session.h"

#include "decoder/base/address.h"
#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "decoder/open/perf_raw.h"

#include <inttypes.h>
#include <string.h>

enum { MTC_FREQ_MAX = 15, CYC_MAX = 15, RATIO_MAX = 255, SHIFT_MAX = 63 };

static const uint64_t sample_bits = PTS_SAMPLE_WEIGHT_STRUCT * 2 - 1;

/* --- Images ----------------------------------------------------------------------- */

struct raw_images {
    VEC(struct perf_raw_map) map; /* ascending by address */
    const struct pts_raw_image *image;
    uint64_t base, move; /* lowest address it was linked for; added to all */
    bool any;
    struct pts_diag *why;
};

static pts_status overlap(const struct raw_images *im, const struct perf_raw_map *a,
                          const struct perf_raw_map *b)
{
    return diag_set(im->why, PTS_E_USAGE, UINT64_MAX,
                    "images overlap: %s at %#" PRIx64 " to %#" PRIx64
                    ", %s at %#" PRIx64,
                    a->name, a->addr, a->addr + a->len, b->name, b->addr);
}

static pts_status map_add(struct raw_images *im, const struct perf_raw_map *new)
{
    size_t i = im->map.len;
    if (new->addr >= KERNEL_START || new->len > KERNEL_START - new->addr)
        return diag_set(im->why, PTS_E_USAGE, UINT64_MAX,
                        "image %s: the code of kernels, at %#" PRIx64
                        ", is not supported yet",
                        new->name, new->addr);
    /* Sorted while they are added, by insertion: there are a handful.  Neighbours must
     * not overlap, or it would depend on the order of options which code runs. */
    while (i > 0 && im->map.at[i - 1].addr > new->addr)
        i--;
    if (i > 0 && new->addr - im->map.at[i - 1].addr < im->map.at[i - 1].len)
        return overlap(im, &im->map.at[i - 1], new);
    if (i < im->map.len && im->map.at[i].addr - new->addr < new->len)
        return overlap(im, new, &im->map.at[i]);
    if (!VEC_ROOM(&im->map, 1))
        return diag_set(im->why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    memmove(im->map.at + i + 1, im->map.at + i, (im->map.len - i) * sizeof(*new));
    im->map.at[i] = *new;
    im->map.len++;
    return PTS_OK;
}

/* Two walks over the segments: first where the lowest was linked to be, then all of
 * them, moved by as much as that one is moved. */
static pts_status segment_base(void *ctx, const struct image_segment *seg)
{
    struct raw_images *im = ctx;
    if (!im->any || seg->addr < im->base)
        im->base = seg->addr;
    im->any = true;
    return PTS_OK;
}

static pts_status segment_add(void *ctx, const struct image_segment *seg)
{
    struct raw_images *im = ctx;
    const struct perf_raw_map map = {im->image->path, seg->addr + im->move, seg->len,
                                     seg->off};
    return map_add(im, &map);
}

static pts_status image_add_elf(struct raw_images *im, const struct image_elf *elf)
{
    im->any = false;
    pts_status st = image_elf_segments(elf, segment_base, im);
    if (st == PTS_OK && !im->any)
        return diag_set(im->why, PTS_E_FORMAT, UINT64_MAX,
                        "image %s: an ELF file with nothing to load (no PT_LOAD)",
                        im->image->path);
    im->move = im->image->placed ? im->image->addr - im->base : 0;
    return st == PTS_OK ? image_elf_segments(elf, segment_add, im) : st;
}

static pts_status image_add_one(struct raw_images *im)
{
    const struct pts_raw_image *image = im->image;
    struct image_elf elf;
    if (strlen(image->path) >= PATH_MAX)
        return diag_set(im->why, PTS_E_USAGE, UINT64_MAX,
                        "image: the name %.60s... is too long", image->path);
    pts_status st = image_elf_open(image->path, &elf);
    if (st != PTS_OK)
        return diag_set(im->why, st, UINT64_MAX, "image %s: %s", image->path,
                        st == PTS_E_FORMAT ? "it is empty"
                                           : "cannot be read, or is no regular file");
    if (elf.is_elf)
        st = image_add_elf(im, &elf);
    else if (!image->placed)
        st = diag_set(im->why, PTS_E_USAGE, UINT64_MAX,
                      "image %s: not an ELF file, its address must be given",
                      image->path);
    else
        st = map_add(im, &(struct perf_raw_map){image->path, image->addr, elf.size, 0});
    image_elf_close(&elf);
    return st;
}

/* --- Options ---------------------------------------------------------------------- */

struct limit {
    const char *name;
    uint64_t value, max;
};

static pts_status check_numbers(const struct pts_raw_opts *o, struct pts_diag *why)
{
    const struct limit limits[] = {
        {"mtc_freq",     o->mtc_freq,         MTC_FREQ_MAX},
        {"nom_freq",     o->nom_freq,         RATIO_MAX   },
        {"cyc_thresh",   o->cyc_thresh,       CYC_MAX     },
        {"cpu_family",   o->cpu_family,       0xffff      },
        {"cpu_model",    o->cpu_model,        0xff        },
        {"cpu_stepping", o->cpu_stepping,     0xff        },
        {"time_shift",   o->clock.time_shift, SHIFT_MAX   },
        {"sample_type",  o->sample_type,      sample_bits },
    };
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
        if (limits[i].value > limits[i].max)
            return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                            "%s: %#" PRIx64 " is more than %#" PRIx64, limits[i].name,
                            limits[i].value, limits[i].max);
    return PTS_OK;
}

static pts_status check_filters(const struct pts_raw_opts *o, struct pts_diag *why)
{
    for (int i = 0; i < PTS_RAW_FILTERS; i++) {
        const struct pts_raw_filter *f = &o->filter[i];
        if (f->cfg > PTS_RAW_FILTER_STOP)
            return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                            "address range %d: there is no use %" PRIu32 " of it", i,
                            f->cfg);
        if (f->cfg != PTS_RAW_FILTER_OFF && f->b < f->a)
            return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                            "address range %d: its end %#" PRIx64
                            " is before its start %#" PRIx64,
                            i, f->b, f->a);
    }
    return PTS_OK;
}

/* The files named here are found whatever symfs is. */
static pts_status give_files(struct pts_session *s, const struct pts_raw_opts *o)
{
    struct image_given *given =
        arena_alloc(&s->arena, (o->image_count + 2) * sizeof(*given));
    if (!given)
        return PTS_E_NOMEM;
    s->given = given;
    for (size_t i = 0; i < o->image_count; i++)
        given[s->given_count++] =
            (struct image_given){o->images[i].path, o->images[i].path};
    if (o->vdso)
        given[s->given_count++] = (struct image_given){"[vdso]", o->vdso};
    if (o->vdso_ia32)
        given[s->given_count++] = (struct image_given){"[vdso32]", o->vdso_ia32};
    return PTS_OK;
}

/* A file that is named must be there now.  Later it would just be code that is
 * missing. */
static pts_status check_vdso(const char *path, struct pts_diag *why)
{
    struct image_elf elf;
    if (!path)
        return PTS_OK;
    pts_status st = image_elf_open(path, &elf);
    if (st != PTS_OK)
        return diag_set(why, st, UINT64_MAX, "vdso %s: cannot be read", path);
    image_elf_close(&elf);
    return PTS_OK;
}

static pts_status open_raw(struct pts_session *s, const struct pts_raw_opts *o,
                           struct pts_diag *why)
{
    struct raw_images im = {.why = why};
    pts_status st = o->trace ? check_numbers(o, why)
                             : diag_set(why, PTS_E_USAGE, UINT64_MAX, "no trace");
    if (st == PTS_OK)
        st = check_filters(o, why);
    if (st == PTS_OK)
        st = check_vdso(o->vdso, why);
    if (st == PTS_OK)
        st = check_vdso(o->vdso_ia32, why);
    for (size_t i = 0; st == PTS_OK && i < o->image_count; i++) {
        im.image = &o->images[i];
        st = image_add_one(&im);
    }
    if (st == PTS_OK)
        st = give_files(s, o);
    if (st == PTS_OK) {
        const struct perf_file_how how = session_how(s);
        const struct perf_raw raw = {o, im.map.at, im.map.len};
        st = perf_raw_open(&raw, &how, &s->file, why);
    }
    VEC_FREE(&im.map);
    return st;
}

pts_status pts_session_open_raw(const struct pts_raw_opts *raw,
                                const struct pts_open_opts *opts, pts_session **out,
                                struct pts_diag *why)
{
    struct pts_raw_opts o = PTS_RAW_OPTS_INIT;
    uint32_t mark = refused_mark(why);
    struct pts_session *s = session_new(opts, why);
    if (!s)
        return PTS_E_NOMEM;
    memcpy(&o, raw, raw->size < sizeof(o) ? raw->size : sizeof(o));
    return session_opened(s, mark, open_raw(s, &o, why), out, why);
}
