/* test_kernel_files.c - which files are taken for the kernel's, and its maps by them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/kernel_files.h"
#include "tests/lib/mkelf.h"
#include "tests/lib/sb_make.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define KERNEL  UINT64_C(0xffffffff81000000)
#define MODULES UINT64_C(0xffffffffc0200000)
#define ID_HEX  "abcd030000000000000000000000000000000000"

static char dir[64];
static const uint8_t id[20] = {0xab, 0xcd, 3}, other_id[20] = {0xab, 0xce, 4};

static const char *at(const char *name)
{
    static char path[8][512];
    static unsigned i;
    char *p = path[i++ % 8];
    snprintf(p, 512, "%s/%s", dir, name);
    return p;
}

static void put(const char *name, const void *bytes, size_t n)
{
    char path[512];
    snprintf(path, sizeof(path), "%s", at(name));
    for (char *p = path + strlen(dir) + 1; (p = strchr(p, '/')) != NULL; p++) {
        *p = '\0';
        mkdir(path, 0755);
        *p = '/';
    }
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    if (f) {
        fwrite(bytes, 1, n, f);
        fclose(f);
    }
}

static void put_text(const char *name, const char *text)
{
    put(name, text, strlen(text));
}

static void put_elf(const char *name, const uint8_t *build_id)
{
    static struct mkelf e;
    memset(&e, 0, sizeof(e));
    mkelf_id(&e, build_id, 20);
    mkelf_sec(&e, ".text", SHT_PROGBITS, SHF_ALLOC, KERNEL, "code", 4);
    put(name, e.bytes, mkelf_finish(&e, ET_EXEC));
}

/* A folder with all of a kernel: its symbols begin at text. */
static void put_kernel(const char *folder, const char *text, const char *module)
{
    char name[256], list[256];
    snprintf(name, sizeof(name), "%s/kallsyms", folder);
    snprintf(list, sizeof(list), "%s T _text\n%s T _stext\n", text, text);
    put_text(name, list);
    snprintf(name, sizeof(name), "%s/modules", folder);
    snprintf(list, sizeof(list), "%s 24576 1 vfat, Live 0x%s (OE)\n", "fat", module);
    put_text(name, list);
    snprintf(name, sizeof(name), "%s/kcore", folder);
    put_text(name, "core");
}

static void new_dir(void)
{
    snprintf(dir, sizeof(dir), "/tmp/kernel-files-XXXXXX");
    CHECK(mkdtemp(dir) != NULL);
}

static void drop_dir(void)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    EQ(system(command), 0);
}

static struct kernel_module module = {"[fat]", MODULES, 3};
static struct kernel_want want;

static void want_usual(void)
{
    want = (struct kernel_want){.id = build_id_of(id, 20),
                                .ref = "_text",
                                .ref_addr = KERNEL,
                                .module = &module,
                                .module_count = 1};
}

/* "source names", the path without dir. */
static const char *found(const struct image_opts *opts)
{
    static struct kernel_files files;
    static char out[600];
    static const char *const source[] = {"none", "kallsyms", "kcore", "vmlinux"};

    kernel_files_find(opts, &want, &files);
    CHECK(strncmp(files.names, dir, strlen(dir)) == 0 || !files.names[0]);
    CHECK((files.code[0] != '\0') == (files.source >= KERNEL_KCORE));
    snprintf(out, sizeof(out), "%s%s", source[files.source],
             files.names[0] ? files.names + strlen(dir) : "");
    return out;
}

T(a_kcore_beside_kallsyms_must_fit)
{
    new_dir();
    want_usual();
    put_kernel("kcore_dir", "ffffffff81000000", "ffffffffc0200000");
    const struct image_opts opts = {.kallsyms = at("kcore_dir/kallsyms")};
    STREQ(found(&opts), "kcore/kcore_dir/kallsyms");
    want.ref_addr++; /* another place of the kernel */
    STREQ(found(&opts), "kallsyms/kcore_dir/kallsyms");
    want.ref_addr--;
    want.ref = "_nothing";
    STREQ(found(&opts), "kallsyms/kcore_dir/kallsyms");
    want.ref = NULL;
    STREQ(found(&opts), "kcore/kcore_dir/kallsyms");
    module.start++; /* the module moved */
    STREQ(found(&opts), "kallsyms/kcore_dir/kallsyms");
    module.start--;
    module.name = "[fa]"; /* there is none of that name */
    STREQ(found(&opts), "kallsyms/kcore_dir/kallsyms");
    module.name = "[fat]";
    unlink(at("kcore_dir/modules"));
    STREQ(found(&opts), "kallsyms/kcore_dir/kallsyms");
    want.module_count = 0;
    STREQ(found(&opts), "kcore/kcore_dir/kallsyms");
    unlink(at("kcore_dir/kcore"));
    STREQ(found(&opts), "kallsyms/kcore_dir/kallsyms");
    /* a list of another name has nothing beside it */
    put_kernel("odd", "ffffffff81000000", "ffffffffc0200000");
    CHECK(rename(at("odd/kallsyms"), at("odd/symbols")) == 0);
    const struct image_opts odd = {.kallsyms = at("odd/symbols")};
    STREQ(found(&odd), "kallsyms/odd/symbols");
    /* what was given and is not there is not looked for elsewhere */
    const struct image_opts lost = {.kallsyms = at("lost"), .cache = dir};
    STREQ(found(&lost), "none");
    drop_dir();
}

T(lines_of_modules_are_read_with_care)
{
    static const struct {
        const char *text;
        bool fits;
    } lines[] = {
        {"x 1 1 - Live 0x1\nfat 1 1 - Live 0xffffffffc0200000\n",       true },
        {"fat 1 1 - Live 0xffffffffc0200000",                           true },
        {"fat 0xffffffffc0200000",                                      true },
        {"fat",                                                         false},
        {"fat ",                                                        false},
        {"",                                                            false},
        {"\n\n",                                                        false},
        {"fat 1 1 - Live 0x\n",                                         false},
        {"fat 1 1 - Live 0xffffffffc0200000f\n",                        false},
        {"fat_2 1 1 - Live 0xffffffffc0200000\n",                       false},
        {"fat 1 1 - Live 0xffffffffc0200000ffffffffffffffffffffffff\n", false},
    };
    new_dir();
    want_usual();
    put_kernel("k", "ffffffff81000000", "0");
    char list[512];
    snprintf(list, sizeof(list), "%s", at("k/kallsyms"));
    const struct image_opts opts = {.kallsyms = list};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        put_text("k/modules", lines[i].text);
        STREQ(found(&opts), lines[i].fits ? "kcore/k/kallsyms" : "kallsyms/k/kallsyms");
    }
    drop_dir();
}

T(of_the_cache_the_first_that_fits_by_date)
{
    new_dir();
    want_usual();
    put_kernel("[kernel.kcore]/" ID_HEX "/2026010100000000", "ffffffff82000000",
               "ffffffffc0200000");
    put_kernel("[kernel.kcore]/" ID_HEX "/2026030100000000", "ffffffff81000000",
               "ffffffffc0200000");
    put_kernel("[kernel.kcore]/" ID_HEX "/2026020100000000", "ffffffff81000000",
               "ffffffffc0200000");
    put_kernel("[kernel.kcore]/" ID_HEX "/a_name_that_is_no_date", "ffffffff81000000",
               "ffffffffc0200000");
    put_kernel("[kernel.kcore]/" ID_HEX "/.hidden", "ffffffff81000000",
               "ffffffffc0200000");
    CHECK(symlink("2026030100000000", at("[kernel.kcore]/" ID_HEX "/2025")) == 0);
    const struct image_opts opts = {.cache = dir};
    STREQ(found(&opts), "kcore/[kernel.kcore]/" ID_HEX "/2026020100000000/kallsyms");
    const struct image_opts below = {.cache = dir, .symfs = at("symfs")};
    STREQ(found(&below), "none");
    want.id = build_id_of(other_id, 20);
    STREQ(found(&opts), "none");
    want.id.len = 0; /* not known: nothing of the cache is */
    STREQ(found(&opts), "none");
    want_usual();
    want.ref_addr = 1; /* none fits: the list alone, by id */
    STREQ(found(&opts), "none");
    put_text("[kernel.kallsyms]/" ID_HEX "/kallsyms", "ffffffff81000000 T _text\n");
    STREQ(found(&opts), "kallsyms/[kernel.kallsyms]/" ID_HEX "/kallsyms");
    drop_dir();
}

T(a_vmlinux_has_the_id)
{
    new_dir();
    want_usual();
    put_elf("symfs/boot/vmlinux", other_id);
    const struct image_opts opts = {.symfs = at("symfs")};
    STREQ(found(&opts), "none");
    put_elf("symfs/boot/vmlinux", id);
    STREQ(found(&opts), "vmlinux/symfs//boot/vmlinux");
    put_elf("symfs/vmlinux", id); /* asked for first */
    STREQ(found(&opts), "vmlinux/symfs/vmlinux");
    want.id.len = 0; /* none was recorded: this is the folder for the recording */
    STREQ(found(&opts), "vmlinux/symfs/vmlinux");
    drop_dir();
}

/* What a recording says of its kernel is part of no path. */
T(names_lead_nowhere)
{
    new_dir();
    want_usual();
    put_elf("vmlinux", id);
    put_text("list", "ffffffff81000000 T _text\n");
    char up[600];
    snprintf(up, sizeof(up), "/../../../../../../..%s", at("vmlinux"));
    const struct image_opts opts = {.release = up, .cache = at("none")};
    STREQ(found(&opts), "none");
    module.name = "[../fat]";
    put_kernel("k", "ffffffff81000000", "ffffffffc0200000");
    const struct image_opts given = {.kallsyms = at("k/kallsyms")};
    STREQ(found(&given), "kallsyms/k/kallsyms");
    module.name = "[fat]";
    drop_dir();
}

T_RUN(T_CASE(a_kcore_beside_kallsyms_must_fit),
      T_CASE(lines_of_modules_are_read_with_care),
      T_CASE(of_the_cache_the_first_that_fits_by_date), T_CASE(a_vmlinux_has_the_id),
      T_CASE(names_lead_nowhere))
