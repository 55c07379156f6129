/* test_aspace.c - what was mapped where: processes, files, the kernel.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/lib/sb_make.h"

/* --- Maps --- */

T(a_new_map_cuts_the_old_one_in_two)
{
    start();
    sb_begin(sb, 1);
    mmap_at(7, 0x1000, 0x9000, 0x500, "/a");
    sb_begin(sb, 2);
    mmap_at(7, 0x4000, 0x1000, 0, "/b");
    finish();
    uint32_t t = sb_thread(sb, 7, 7, 2);
    EQ(file_off(t, 1, 0x4800), 0x3d00);
    STREQ(dso_name(t, 1, 0x4800), "/a");
    STREQ(dso_name(t, 2, 0x3fff), "/a");
    EQ(file_off(t, 2, 0x3fff), 0x34ff);
    STREQ(dso_name(t, 2, 0x4000), "/b");
    EQ(file_off(t, 2, 0x4000), 0);
    STREQ(dso_name(t, 2, 0x4fff), "/b");
    STREQ(dso_name(t, 2, 0x5000), "/a");
    EQ(file_off(t, 2, 0x5000), 0x4500);
    STREQ(dso_name(t, 2, 0x9fff), "/a");
    STREQ(dso_name(t, 2, 0xa000), "-");
    STREQ(dso_name(t, 2, 0xfff), "-");
    stop();
}

T(equal_covering_touching_and_partial_maps)
{
    start();
    mmap_at(7, 0x1000, 0x1000, 0, "/a");
    mmap_at(7, 0x2000, 0x1000, 0, "/b");
    mmap_at(7, 0x3000, 0x1000, 0, "/c");
    mmap_at(7, 0x5000, 0x1000, 0, "/d");
    sb_begin(sb, 1);
    mmap_at(7, 0x2000, 0x1000, 0x10, "/b2"); /* equal */
    sb_begin(sb, 2);
    mmap_at(7, 0x1800, 0x2000, 0, "/w"); /* half of a, all of b, half of c */
    sb_begin(sb, 3);
    mmap_at(7, 0x4000, 0x1000, 0, "/gap"); /* just between */
    sb_begin(sb, 4);
    mmap_at(7, 0x0, 0x10000, 0, "/all");
    finish();
    uint32_t t = sb_thread(sb, 7, 7, 4);
    STREQ(dso_name(t, 0, 0x2000), "/b");
    STREQ(dso_name(t, 0, 0x4000), "-");
    STREQ(dso_name(t, 1, 0x2000), "/b2");
    STREQ(dso_name(t, 1, 0x1fff), "/a");
    STREQ(dso_name(t, 1, 0x3000), "/c");
    STREQ(dso_name(t, 2, 0x17ff), "/a");
    STREQ(dso_name(t, 2, 0x1800), "/w");
    STREQ(dso_name(t, 2, 0x37ff), "/w");
    STREQ(dso_name(t, 2, 0x3800), "/c");
    EQ(file_off(t, 2, 0x3800), 0x800);
    STREQ(dso_name(t, 2, 0x4000), "-");
    STREQ(dso_name(t, 3, 0x3fff), "/c");
    STREQ(dso_name(t, 3, 0x4000), "/gap");
    STREQ(dso_name(t, 3, 0x5000), "/d");
    STREQ(dso_name(t, 4, 0x5000), "/all");
    STREQ(dso_name(t, 4, 0x1000), "/all");
    STREQ(dso_name(t, 0, 0x2000), "/b"); /* backwards works too */
    stop();
}

T(maps_of_no_length_and_around_the_end)
{
    start();
    mmap_at(7, 0x1000, 0x1000, 0, "/a");
    mmap_at(7, 0x1800, 0, 0, "/none");
    mmap_at(7, UINT64_MAX - 0xfff, 0x2000, 0, "/wrap");
    mmap_at(7, UINT64_MAX - 0xfff, 0xfff, 0, "/top");
    finish();
    uint32_t t = sb_thread(sb, 7, 7, 0);
    STREQ(dso_name(t, 0, 0x1800), "/a");
    STREQ(dso_name(t, 0, UINT64_MAX - 1), "/top");
    STREQ(dso_name(t, 0, UINT64_MAX), "-");
    stop();
}

T(threads_share_maps_and_processes_copy_them)
{
    start();
    sb_begin(sb, 1);
    mmap_at(7, 0x1000, 0x1000, 0, "/a");
    sb_fork(sb, 7, 7, 8, 7, false); /* a thread */
    sb_begin(sb, 2);
    sb_fork(sb, 9, 7, 9, 7, false); /* a process */
    sb_begin(sb, 3);
    sb_fork(sb, 10, 7, 10, 7, true); /* made up by perf */
    sb_begin(sb, 4);
    mmap_at(7, 0x1000, 0x1000, 0, "/b");
    mmap_at(9, 0x1800, 0x100, 0, "/c");
    finish();
    uint32_t t7 = sb_thread(sb, -1, 7, 4), t8 = sb_thread(sb, -1, 8, 4);
    uint32_t t9 = sb_thread(sb, -1, 9, 4), t10 = sb_thread(sb, -1, 10, 4);
    STREQ(dso_name(t8, 3, 0x1000), "/a");
    STREQ(dso_name(t9, 3, 0x1000), "/a");
    STREQ(dso_name(t9, 3, 0x1800), "/a");
    STREQ(dso_name(t10, 3, 0x1000), "-");
    STREQ(dso_name(t7, 4, 0x1000), "/b");
    STREQ(dso_name(t8, 4, 0x1000), "/b");
    STREQ(dso_name(t9, 4, 0x1000), "/a");
    STREQ(dso_name(t9, 4, 0x1800), "/c");
    STREQ(dso_name(t9, 4, 0x1900), "/a");
    stop();
}

T(chain_of_forks_and_execs)
{
    start();
    mmap_at(1, 0x1000, 0x1000, 0, "/init");
    for (int32_t pid = 2; pid < 40; pid++) {
        sb_begin(sb, (uint64_t)pid);
        sb_fork(sb, pid, pid - 1, pid, pid - 1, false);
        if (pid % 3 == 0) {
            char name[16];
            snprintf(name, sizeof(name), "/p%d", pid);
            sb_comm(sb, pid, pid, name + 1, true);
            mmap_at(pid, 0x2000 * (uint64_t)pid, 0x1000, 0, name);
        }
    }
    finish();
    for (int32_t pid = 39; pid > 1; pid--) {
        uint32_t t = sb_thread(sb, -1, pid, 38);
        STREQ(dso_name(t, 38, 0x1000), "/init");
        for (int32_t p = 3; p < 40; p += 3) {
            char name[16];
            snprintf(name, sizeof(name), "/p%d", p);
            STREQ(dso_name(t, 38, 0x2000 * (uint64_t)p), p <= pid ? name : "-");
        }
    }
    stop();
}

T(fork_into_a_process_that_has_maps)
{
    start();
    mmap_at(7, 0x1000, 0x1000, 0, "/a");
    mmap_at(7, 0x2000, 0x1000, 0, "/b");
    mmap_at(9, 0x5000, 0x1000, 0, "/c");
    sb_begin(sb, 1);
    sb_fork(sb, 9, 7, 12, 7, false); /* a thread of 9 whose parent is 7 */
    finish();
    uint32_t t = sb_thread(sb, -1, 9, 1);
    STREQ(dso_name(t, 0, 0x1000), "-");
    STREQ(dso_name(t, 1, 0x1000), "/a");
    STREQ(dso_name(t, 1, 0x2000), "/b");
    STREQ(dso_name(t, 1, 0x5000), "/c");
    stop();
}

/* --- Dsos --- */

T(memory_that_is_no_file)
{
    static const char *const names[] = {
        "//anon",  "/dev/zero (deleted)", "/anon_hugepage (deleted)",
        "[stack]", "[stack:12]",          "/SYSV0000",
        "[heap]"};
    start();
    for (uint32_t i = 0; i < 7; i++)
        mmap_at(7, 0x1000 * (i + 1), 0x1000, 0, names[i]);
    struct sb_mmap data = {.pid = 7,
                           .tid = 7,
                           .start = 0x9000,
                           .len = 0x1000,
                           .prot = 3,
                           .name = "//anon"};
    sb_mmap(sb, &data);
    struct sb_mmap huge = {.pid = 7,
                           .tid = 7,
                           .start = 0xa000,
                           .len = 0x1000,
                           .prot = 7,
                           .flags = 0x40002,
                           .name = "/lib/x"};
    sb_mmap(sb, &huge);
    mmap_at(7, 0xb000, 0x1000, 0, "anon_inode:x");
    finish();
    uint32_t t = sb_thread(sb, 7, 7, 0);
    for (uint32_t i = 0; i < 7; i++) {
        const struct as_map *m = as_find(view, t, 0, 0x1000 * (i + 1), false);
        STREQ(m->dso->long_name, "/tmp/perf-7.map");
        STREQ(m->dso->short_name, "[JIT] tid 7");
        EQ(m->dso->kind, DSO_ANON);
        CHECK(m->identity);
    }
    const struct as_map *m = as_find(view, t, 0, 0x9000, false);
    STREQ(m->dso->long_name, "//anon");
    STREQ(m->dso->short_name, "anon");
    EQ(m->dso->kind, DSO_NONE);
    CHECK(m->identity);
    STREQ(dso_name(t, 0, 0xa000), "/tmp/perf-7.map");
    m = as_find(view, t, 0, 0xb000, false);
    STREQ(m->dso->long_name, "anon_inode:x");
    EQ(m->dso->kind, DSO_FILE);
    CHECK(!m->identity);
    stop();
}

T(vdso_has_no_offset)
{
    start();
    mmap_at(7, 0x7000, 0x2000, 0x7000, "[vdso]");
    mmap_at(8, 0x9000, 0x2000, 0x9000, "[vdso]");
    finish();
    uint32_t t7 = sb_thread(sb, 7, 7, 0), t8 = sb_thread(sb, 8, 8, 0);
    EQ(file_off(t7, 0, 0x7123), 0x123);
    EQ(file_off(t8, 0, 0x9123), 0x123);
    EQ(as_find(view, t7, 0, 0x7000, false)->dso->kind, DSO_VDSO);
    EQ(sb_dso_count(sb), 1);
    STREQ(sb_dso_at(sb, 0)->long_name, "[vdso]");
    stop();
}

static void mmap_ino(int32_t pid, uint64_t at, const char *name, uint64_t ino,
                     uint64_t gen)
{
    struct sb_mmap m = {.pid = pid,
                        .tid = pid,
                        .start = at,
                        .len = 0x1000,
                        .maj = 8,
                        .min = 1,
                        .ino = ino,
                        .ino_gen = gen,
                        .prot = 5,
                        .name = name};
    EQ(sb_mmap(sb, &m), PTS_OK);
}

T(files_are_told_apart_by_inode)
{
    start();
    mmap_at(7, 0x1000, 0x1000, 0, "/lib"); /* nothing known: takes the next one's */
    mmap_ino(7, 0x2000, "/lib", 5, 1);
    mmap_ino(7, 0x3000, "/lib", 5, 0); /* no generation: may be any */
    mmap_ino(7, 0x4000, "/lib", 5, 2);
    mmap_ino(7, 0x5000, "/lib", 6, 1);
    mmap_at(7, 0x6000, 0x1000, 0, "/lib");
    mmap_ino(7, 0x7000, "/lib", 6, 1);
    mmap_ino(7, 0x8000, "/other", 6, 1);
    finish();
    uint32_t t = sb_thread(sb, 7, 7, 0), want[] = {0, 0, 0, 1, 2, 0, 2, 3};
    for (uint32_t i = 0; i < 8; i++)
        EQ(as_find(view, t, 0, 0x1000 * (i + 1), false)->dso->index, want[i]);
    EQ(sb_dso_count(sb), 4);
    stop();
}

static void mmap_build(uint64_t at, const char *name, const char *id)
{
    struct sb_mmap m = {.pid = 7,
                        .tid = 7,
                        .start = at,
                        .len = 0x1000,
                        .prot = 5,
                        .name = name,
                        .build_id = (const uint8_t *)id,
                        .build_id_len = (uint8_t)strlen(id)};
    EQ(sb_mmap(sb, &m), PTS_OK);
}

static const char *id_at(uint64_t ip)
{
    static char text[33];
    const struct sb_dso *d = as_find(view, sb_thread(sb, 7, 7, 0), 0, ip, false)->dso;
    memcpy(text, d->build_id, 32);
    text[d->build_id_len] = 0;
    return text;
}

T(build_ids_of_header_and_maps)
{
    start();
    sb_build_id(sb, "/lib", (const uint8_t *)"header", 6, false);
    mmap_ino(7, 0x1000, "/lib", 5, 1);
    mmap_ino(7, 0x2000, "/lib", 6, 1);
    mmap_build(0x3000, "/prog", "one");
    mmap_build(0x4000, "/prog", "two");
    mmap_build(0x5000, "/prog", "one");
    mmap_build(0x6000, "/prog", "two");
    sb_build_id(sb, "/late", (const uint8_t *)"late", 4, false);
    mmap_build(0x7000, "/late", "newer");
    finish();
    STREQ(id_at(0x1000), "header");
    STREQ(id_at(0x2000), "header");
    STREQ(id_at(0x3000), "one");
    STREQ(id_at(0x4000), "two");
    STREQ(id_at(0x5000), "one");
    STREQ(id_at(0x6000), "two");
    STREQ(id_at(0x7000), "newer");
    EQ(sb_dso_count(sb), 5);
    stop();
}

/* --- Kernel --- */

static const struct as_map *kernel_at(uint32_t epoch, uint64_t ip)
{
    return as_find(view, SB_NONE, epoch, ip, true);
}

T(kernel_and_modules)
{
    start();
    sb_build_id(sb, "[kernel.kallsyms]", (const uint8_t *)"kid", 3, true);
    sb_begin(sb, 0);
    kmmap_at(0xffffffff81000000, 0x1000000, 0xffffffff81000000,
             "[kernel.kallsyms]_text");
    sb_begin(sb, 0);
    kmmap_at(0xffffffffc0000000, 0x4000, 0,
             "/lib/modules/6.1/kernel/drivers/my-mod.ko.xz");
    kmmap_at(0xffffffffc0004000, 0x4000, 0, "[other]");
    kmmap_at(0xfffffe0000001000, 0x1000, 0xffffffff81000100,
             "__entry_SYSCALL_64_trampoline");
    sb_begin(sb, 5);
    kmmap_at(0xffffffff82000000, 0x1000000, 0, "[kernel.kallsyms]_text");
    finish();
    const struct as_map *m = kernel_at(2, 0xffffffff81000123);
    STREQ(m->dso->long_name, "[kernel.kallsyms]");
    EQ(m->dso->kind, DSO_KERNEL);
    EQ(m->dso->build_id_len, 3);
    CHECK(m->identity);
    m = kernel_at(2, 0xffffffffc0000010);
    STREQ(m->dso->long_name, "[my_mod]");
    STREQ(m->dso->short_name, "[my_mod]");
    STREQ(m->dso->path, "/lib/modules/6.1/kernel/drivers/my-mod.ko.xz");
    EQ(m->dso->kind, DSO_MODULE);
    EQ(m->pgoff, 0);
    CHECK(!m->identity);
    STREQ(kernel_at(2, 0xffffffffc0004010)->dso->long_name, "[other]");
    m = kernel_at(2, 0xfffffe0000001004);
    STREQ(m->dso->long_name, "[kernel.kallsyms]");
    EQ(0xfffffe0000001004 - m->start + m->pgoff, 0xffffffff81000104);
    CHECK(!kernel_at(2, 0xffffffff82000123));
    CHECK(!kernel_at(3, 0xffffffff81000123));
    CHECK(kernel_at(3, 0xffffffff82000123));
    CHECK(!as_find(view, sb_thread(sb, 0, 0, 3), 3, 0xffffffff82000123, false));
    stop();
}

T(kernel_with_hidden_addresses)
{
    start();
    kmmap_at(0, 0, 0, "[kernel.kallsyms]_text");
    finish();
    CHECK(kernel_at(0, 0xffffffff82000123));
    stop();
}

static void ksymbol(uint64_t addr, const char *name, bool gone)
{
    const struct sb_ksymbol k = {addr, 0x100, name, gone, false};

    EQ(sb_ksymbol(sb, &k), PTS_OK);
}

T(ksymbols_come_and_go)
{
    start();
    kmmap_at(0xffffffff81000000, 0x1000000, 0, "[kernel.kallsyms]_text");
    sb_begin(sb, 1);
    ksymbol(0xffffffffc0001000, "bpf_prog_1_x", false);
    ksymbol(0xffffffff81000000, "within", false);
    sb_begin(sb, 2);
    ksymbol(0xffffffffc0001000, "bpf_prog_1_x", true);
    ksymbol(0xffffffff81000000, "within", true);
    ksymbol(0x1234, "never", true);
    finish();
    STREQ(kernel_at(1, 0xffffffffc00010ff)->dso->long_name, "bpf_prog_1_x");
    EQ(kernel_at(1, 0xffffffffc00010ff)->dso->kind, DSO_KSYMBOL);
    CHECK(!kernel_at(1, 0xffffffffc0001100));
    CHECK(!kernel_at(2, 0xffffffffc0001000));
    STREQ(kernel_at(2, 0xffffffff81000000)->dso->long_name, "[kernel.kallsyms]");
    stop();
}

/* What was found out about an address is kept as long as this says nothing else. */
T(maps_are_the_same_until_one_changes)
{
    start();
    sb_begin(sb, 1);
    mmap_at(7, 0x1000, 0x1000, 0, "/a");
    sb_begin(sb, 2);
    sb_comm(sb, 7, 7, "seven", false);
    sb_begin(sb, 3);
    ksymbol(0xffffffffc0001000, "bpf_prog_1_x", false);
    ksymbol(0xffffffffc0002000, "bpf_prog_2_x", false);
    sb_begin(sb, 4);
    sb_fork(sb, 9, 7, 9, 7, false);
    sb_begin(sb, 5);
    sb_begin(sb, 6);
    mmap_at(9, 0x1800, 0x100, 0, "/c");
    finish();
    static const uint32_t any[] = {0, 1, 1, 3, 4, 4, 6, 6};
    static const uint32_t kernel[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 3,
                                      3,          3,          3,          3};
    for (uint32_t epoch = 0; epoch < 8; epoch++) {
        EQ(sb_maps_since(sb, epoch, false), any[epoch]);
        EQ(sb_maps_since(sb, epoch, true), kernel[epoch]);
    }
    stop();
}

T_RUN(T_CASE(a_new_map_cuts_the_old_one_in_two),
      T_CASE(equal_covering_touching_and_partial_maps),
      T_CASE(maps_of_no_length_and_around_the_end),
      T_CASE(threads_share_maps_and_processes_copy_them),
      T_CASE(chain_of_forks_and_execs), T_CASE(fork_into_a_process_that_has_maps),
      T_CASE(memory_that_is_no_file), T_CASE(vdso_has_no_offset),
      T_CASE(files_are_told_apart_by_inode), T_CASE(build_ids_of_header_and_maps),
      T_CASE(kernel_and_modules), T_CASE(kernel_with_hidden_addresses),
      T_CASE(ksymbols_come_and_go), T_CASE(maps_are_the_same_until_one_changes))
