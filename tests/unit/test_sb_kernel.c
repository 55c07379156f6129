/* test_sb_kernel.c - the kernel's maps by a copy of its memory, also by one that lies.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/lib/sb_make.h"

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#define KERNEL  UINT64_C(0xffffffff81000000)
#define MODULES UINT64_C(0xffffffffc0200000)

static char dir[64], kallsyms[128];
static struct image_store *images;

static void put(const char *name, const void *bytes, size_t n)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    if (f) {
        fwrite(bytes, 1, n, f);
        fclose(f);
    }
}

struct segment {
    uint64_t addr, off, len;
};

static void put_kcore(const struct segment *s, uint16_t n)
{
    static uint8_t file[0x4000];
    Elf64_Ehdr head = {.e_type = ET_CORE,
                       .e_machine = EM_X86_64,
                       .e_version = EV_CURRENT,
                       .e_phoff = sizeof(head),
                       .e_ehsize = sizeof(head),
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_phnum = n};
    memcpy(head.e_ident, "\177ELF\2\1\1", 7);
    memset(file, 0x90, sizeof(file));
    memcpy(file, &head, sizeof(head));
    for (uint16_t i = 0; i < n; i++) {
        const Elf64_Phdr p = {.p_type = PT_LOAD,
                              .p_offset = s[i].off,
                              .p_vaddr = s[i].addr,
                              .p_filesz = s[i].len,
                              .p_memsz = s[i].len};
        memcpy(file + sizeof(head) + i * sizeof(p), &p, sizeof(p));
    }
    put("kcore", file, sizeof(file));
}

static const char symbols[] = "ffffffff81000000 T _text\nffffffff81000000 T _stext\n"
                              "ffffffff81000100 T __switch_to\n"
                              "ffffffff81000200 T __perf_event_task_sched_out\n"
                              "ffffffff91000200 T perf_trace_sched_switch\n";

/* A side-band of a kernel and a module, whose files are in dir. */
static void begin(const struct segment *s, uint16_t n)
{
    snprintf(dir, sizeof(dir), "/tmp/sb-kernel-XXXXXX");
    CHECK(mkdtemp(dir) != NULL);
    snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", dir);
    put("kallsyms", symbols, sizeof(symbols) - 1);
    put("modules", "fat 1 1 - Live 0xffffffffc0200000\n", 34);
    put_kcore(s, n);
    const struct image_opts opts = {.kallsyms = kallsyms};
    EQ(image_store_new(&opts, &images), PTS_OK);
    start();
    sb_look_into(sb, images);
    EQ(sb_begin(sb, 0), PTS_OK);
    kmmap_at(KERNEL, 0x1000000, KERNEL, "[kernel.kallsyms]_text");
    kmmap_at(MODULES, 0x1000, 0, "[fat]");
}

static void ksymbol(uint64_t addr, uint32_t len, const char *name, bool page)
{
    const struct sb_ksymbol k = {addr, len, name, false, page};
    EQ(sb_ksymbol(sb, &k), PTS_OK);
}

static void end(void)
{
    char command[128];
    stop();
    image_store_free(images);
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    EQ(system(command), 0);
}

/* "dso+offset" at an address. */
static const char *what_is_at(uint64_t ip)
{
    static char out[128];
    const struct as_map *m = as_find(view, SB_NONE, 9, ip, true);
    if (!m)
        return "-";
    snprintf(out, sizeof(out), "%s+%" PRIx64, m->dso->short_name,
             ip - m->start + m->pgoff);
    return out;
}

static const struct segment usual[] = {
    {KERNEL,  0x1000, 0x1000},
    {MODULES, 0x2000, 0x2000}
};

T(segments_take_the_place_of_recorded_maps)
{
    begin(usual, 2);
    finish();
    EQ(sb_kernel(sb)->source, KERNEL_KCORE);
    STREQ(what_is_at(KERNEL), "[kernel.kallsyms]+1000");
    STREQ(what_is_at(KERNEL + 0xfff), "[kernel.kallsyms]+1fff");
    STREQ(what_is_at(KERNEL + 0x1000), "-"); /* the copy ends */
    STREQ(what_is_at(MODULES + 8), "[kernel.kallsyms]+2008");
    STREQ(what_is_at(MODULES + 0x1fff), "[kernel.kallsyms]+3fff");
    EQ(sb_kernel(sb)->switch_to, KERNEL + 0x100);
    EQ(sb_kernel(sb)->sched_out, KERNEL + 0x200);
    EQ(sb_kernel(sb)->trace_switch, 0); /* not within the kernel */
    end();
}

T(programs_of_bpf_keep_their_maps)
{
    begin(usual, 2);
    ksymbol(MODULES + 0x1100, 0x100, "bpf_prog_1", false);
    ksymbol(MODULES + 0x1800, 0x100, "bpf_prog_2", false);
    ksymbol(MODULES + 0x1400, 0x100, "kprobe_insn_page", true);
    ksymbol(MODULES + 0x1f80, 0x100, "bpf_prog_3", false);
    EQ(sb_find_kernel(sb), PTS_OK);
    finish();
    STREQ(what_is_at(MODULES + 0x10ff), "[kernel.kallsyms]+30ff");
    STREQ(what_is_at(MODULES + 0x1100), "bpf_prog_1+0");
    STREQ(what_is_at(MODULES + 0x1200), "[kernel.kallsyms]+3200");
    STREQ(what_is_at(MODULES + 0x1400), "[kernel.kallsyms]+3400"); /* a page does not */
    STREQ(what_is_at(MODULES + 0x18ff), "bpf_prog_2+ff");
    STREQ(what_is_at(MODULES + 0x1900), "[kernel.kallsyms]+3900");
    STREQ(what_is_at(MODULES + 0x1f7f), "[kernel.kallsyms]+3f7f");
    STREQ(what_is_at(MODULES + 0x1fff), "bpf_prog_3+7f");
    STREQ(what_is_at(MODULES + 0x2000), "bpf_prog_3+80"); /* longer than the segment */
    end();
}

T(code_of_programs_is_told_to_their_maps)
{
    static const uint8_t code[] = {0x90, 0xc3};
    begin(usual, 2);
    EQ(sb_find_kernel(sb), PTS_OK);
    ksymbol(MODULES + 0x5000, 2, "bpf_prog_1", false);
    EQ(sb_bpf(sb, MODULES + 0x5000, (struct pts_bytes){code, 2}), PTS_OK);
    EQ(sb_bpf(sb, MODULES, (struct pts_bytes){code, 2}), PTS_OK); /* the kernel's own */
    EQ(sb_bpf(sb, 5, (struct pts_bytes){code, 2}), PTS_OK);       /* nothing is there */
    finish();
    const struct as_map *m = as_find(view, SB_NONE, 9, MODULES + 0x5000, true);
    CHECK(m && m->dso->code == code && m->dso->code_len == 2);
    CHECK(!as_find(view, SB_NONE, 9, MODULES, true)->dso->code);
    end();
}

T(segments_that_lie)
{
    static const struct segment lies[] = {
        {KERNEL,             0x1000,     0x1000    },
        {KERNEL + 0x800,     0x2000,     0x1000    }, /* over the other one */
        {UINT64_MAX - 0x7ff, 0x1000,     0x1000    }, /* around the end */
        {MODULES,            0x3000,     0x2000    }, /* longer than the file */
        {MODULES + 0x8000,   0x3000,     UINT64_MAX},
        {0,                  UINT64_MAX, 0x1000    },
        {MODULES + 0x10000,  0x2000,     0         },
    };
    begin(lies, sizeof(lies) / sizeof(lies[0]));
    finish();
    STREQ(what_is_at(KERNEL + 0x900), "[kernel.kallsyms]+1900");
    STREQ(what_is_at(KERNEL + 0x1100), "[kernel.kallsyms]+2900");
    STREQ(what_is_at(MODULES + 0xfff), "[kernel.kallsyms]+3fff");
    STREQ(what_is_at(MODULES + 0x1fff),
          "[kernel.kallsyms]+4fff"); /* no code, but a name */
    STREQ(what_is_at(MODULES + 0x2000), "-");
    STREQ(what_is_at(MODULES + 0x8000), "-");
    STREQ(what_is_at(UINT64_MAX), "-");
    end();
}

T(no_segment_with_the_kernel)
{
    begin(usual + 1, 1);
    finish();
    STREQ(what_is_at(KERNEL), "-");
    STREQ(what_is_at(MODULES), "[kernel.kallsyms]+2000");
    EQ(sb_kernel(sb)->switch_to, 0);
    end();
}

T(many_programs_cut_a_segment_in_time)
{
    enum { PROGRAMS = 20000 };
    begin(usual, 2);
    for (uint64_t i = 0; i < PROGRAMS; i++)
        ksymbol(MODULES + 0x1000 + i * 16, 8, "bpf_prog_x", false);
    EQ(sb_find_kernel(sb), PTS_OK);
    finish();
    STREQ(what_is_at(MODULES + 0x1010), "bpf_prog_x+0");
    STREQ(what_is_at(MODULES + 0x1018), "[kernel.kallsyms]+3018");
    STREQ(what_is_at(MODULES + 0x2018), "-");
    end();
}

T_RUN(T_CASE(segments_take_the_place_of_recorded_maps),
      T_CASE(programs_of_bpf_keep_their_maps),
      T_CASE(code_of_programs_is_told_to_their_maps), T_CASE(segments_that_lie),
      T_CASE(no_segment_with_the_kernel), T_CASE(many_programs_cut_a_segment_in_time))
