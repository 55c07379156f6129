/* test_image.c - finding, opening and sharing images.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/image.h"
#include "decoder/base/refused.h"
#include "tests/lib/mkelf.h"
#include "tests/lib/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64]; /* everything is made below it */

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

static const uint8_t id1[20] = {0xab, 0xcd, 3}, id2[20] = {0xab, 0xce, 4};

/* An ELF file whose code says which one it is. */
static size_t elf(struct mkelf *e, const uint8_t *id, const char *code)
{
    memset(e, 0, sizeof(*e));
    if (id)
        mkelf_id(e, id, 20);
    mkelf_sec(e, ".text", SHT_PROGBITS, SHF_ALLOC, 0x1000, code, strlen(code) + 1);
    return mkelf_finish(e, ET_DYN);
}

static void put_elf(const char *name, const uint8_t *id, const char *code)
{
    static struct mkelf e;
    size_t n = elf(&e, id, code);
    put(name, e.bytes, n);
}

static bool holds(const struct image *im, const char *code)
{
    return memmem(im->base, im->size, code, strlen(code) + 1) != NULL;
}

static struct image_want want_of(const char *name, const uint8_t *id)
{
    struct image_want w = {.name = name};
    if (id)
        w.id = build_id_of(id, 20);
    return w;
}

T(ids_compare_as_recorded)
{
    uint8_t b[32] = {1, 2, 3, 4};
    struct build_id four = build_id_of(b, 4), padded = build_id_of(b, 20);
    EQ(build_id_of(b, 32).len, 20);
    CHECK(build_id_same(&padded, &four));
    CHECK(!build_id_same(&four, &padded));
    padded.bytes[19] = 1;
    CHECK(!build_id_same(&padded, &four));
    char text[BUILD_ID_TEXT];
    STREQ(build_id_text(&four, text), "01020304");
}

T(elf_headers)
{
    static struct mkelf e;
    size_t n = elf(&e, id1, "x");
    struct image_elf im;
    EQ(image_elf_of(e.bytes, n, &im), PTS_OK);
    CHECK(im.is_elf && im.is_64bit);
    EQ(im.machine, EM_X86_64);
    EQ(im.id.len, 20);
    EQ(im.id.bytes[1], 0xcd);
    EQ(image_elf_of("text", 4, &im), PTS_OK);
    CHECK(!im.is_elf);
    EQ(image_elf_of("", 0, &im), PTS_E_FORMAT);
}

/* Cut at every length and broken at every byte of its headers, a file never harms. */
T(elf_broken)
{
    static struct mkelf e;
    size_t n = elf(&e, id1, "x");
    struct image_elf im;
    for (size_t cut = 1; cut < n; cut++) {
        uint8_t *copy = malloc(cut); /* exact, so that asan sees one byte too many */
        memcpy(copy, e.bytes, cut);
        EQ(image_elf_of(copy, cut, &im), PTS_OK);
        free(copy);
    }
    for (size_t i = 0; i < n; i++) {
        static const uint8_t with[] = {0, 0x7f, 0x80, 0xff};
        for (size_t k = 0; k < sizeof(with); k++) {
            uint8_t was = e.bytes[i];
            e.bytes[i] = with[k];
            EQ(image_elf_of(e.bytes, n, &im), PTS_OK);
            e.bytes[i] = was;
        }
    }
}

T(system_path_below_symfs)
{
    put_elf("sys/bin/a", id1, "from-path");
    struct image_opts o = {.symfs = at("sys")};
    struct image_store *s;
    const struct image *im, *again;
    EQ(image_store_new(&o, &s), PTS_OK);
    struct image_want w = want_of("/bin/a", id1), none = want_of("/bin/none", NULL);
    EQ(image_get(s, &w, &im), PTS_OK);
    CHECK(holds(im, "from-path"));
    CHECK(im->is_64bit);
    w.id.len = 0; /* the same file, asked for without an id */
    EQ(image_get(s, &w, &again), PTS_OK);
    CHECK(im == again);
    EQ(image_get(s, &none, &im), PTS_END);
    put_elf("sys/bin/none", NULL, "too late");
    EQ(image_get(s, &none, &im), PTS_END);
    EQ(image_note_count(s), 0);
    image_store_free(s);
}

/* Bytes of files that are mapped and in memory. */
static long resident(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[128];
    long kb = -1;

    while (f && fgets(line, sizeof(line), f))
        (void)sscanf(line, "RssFile: %ld", &kb);
    if (f)
        fclose(f);
    return kb * 1024;
}

static uint64_t sum(const struct image *im)
{
    uint64_t all = 0;
    for (size_t i = 0; i < im->size; i++)
        all += im->base[i];
    return all;
}

T(pages_are_let_go_and_come_back)
{
    enum { LARGE = 8 << 20 };
    uint8_t *bytes = malloc(LARGE);
    memset(bytes, 3, LARGE);
    put("sys/bin/large", bytes, LARGE);
    free(bytes);
    const struct image_opts o = {0};
    struct image_store *s;
    const struct image *im;
    EQ(image_store_new(&o, &s), PTS_OK);
    EQ(image_get_file(s, at("sys/bin/large"), &im), PTS_OK);
    EQ(sum(im), UINT64_C(3) * LARGE);
    const long looked_at = resident();
    image_store_let_go(s);
    CHECK(looked_at - resident() >= LARGE / 2);
    EQ(sum(im), UINT64_C(3) * LARGE);
    image_store_free(s);
}

T(cache_comes_first)
{
    put_elf("sys/bin/b", id1, "from-path");
    put_elf("sys/.debug/.build-id/ab/cd030000000000000000000000000000000000/elf", id1,
            "from-cache");
    put_elf("cache/.build-id/ab/cd030000000000000000000000000000000000", id1,
            "old-cache");
    struct image_opts o = {.symfs = at("sys"), .cache = at("cache")};
    struct image_store *s;
    const struct image *im;
    struct image_want w = want_of("/bin/b", id1);
    EQ(image_store_new(&o, &s), PTS_OK);
    EQ(image_get(s, &w, &im), PTS_OK);
    CHECK(holds(im, "from-cache")); /* symfs moves the cache */
    image_store_free(s);
    o.symfs = NULL;
    EQ(image_store_new(&o, &s), PTS_OK);
    EQ(image_get(s, &w, &im), PTS_OK);
    CHECK(holds(im, "old-cache"));
    image_store_free(s);
}

T(another_program_is_refused)
{
    put_elf("sys2/bin/c", id2, "other");
    put_elf("sys2/bin/d", NULL, "no id");
    struct image_opts o = {.symfs = at("sys2")};
    struct image_store *s;
    const struct image *im;
    struct image_want w = want_of("/bin/c", id1), d = want_of("/bin/d", id1);
    char text[256];
    EQ(image_store_new(&o, &s), PTS_OK);
    EQ(image_get(s, &w, &im), PTS_END);
    EQ(image_get(s, &w, &im), PTS_END);
    EQ(image_get(s, &d, &im), PTS_END);
    EQ(image_note_count(s), 2);
    struct image_note note = image_note_at(s, 0);
    STREQ(note.name, "/bin/c");
    EQ(note.found.bytes[1], 0xce);
    CHECK(!note.used);
    image_note_text(&note, text, sizeof(text));
    CHECK(strstr(text, "sys2//bin/c: build id abce04") != NULL);
    image_store_free(s);
    o.any_id = true;
    EQ(image_store_new(&o, &s), PTS_OK);
    EQ(image_get(s, &w, &im), PTS_OK);
    CHECK(holds(im, "other"));
    CHECK(image_note_at(s, 0).used);
    image_store_free(s);
}

T(vdso_needs_the_cache)
{
    put_elf("vc/[vdso]/abcd030000000000000000000000000000000000/vdso", id1,
            "vdso-code");
    struct image_opts o = {.cache = at("vc")};
    struct image_store *s;
    const struct image *im;
    struct image_want w = want_of("[vdso]", id1), no = want_of("[vdso]", NULL);
    EQ(image_store_new(&o, &s), PTS_OK);
    EQ(image_get(s, &w, &im), PTS_OK);
    CHECK(holds(im, "vdso-code"));
    EQ(image_get(s, &no, &im), PTS_END);
    image_store_free(s);
}

T(not_a_regular_file)
{
    put("sys3/x", "", 0);
    CHECK(mkfifo(at("sys3/fifo"), 0600) == 0);
    struct image_elf im;
    EQ(image_elf_open(at("sys3/fifo"), &im), PTS_E_IO);
    EQ(image_elf_open(at("sys3"), &im), PTS_E_IO);
    EQ(image_elf_open(at("sys3/x"), &im), PTS_E_FORMAT);
    EQ(image_elf_open(at("sys3/absent"), &im), PTS_E_IO);
}

T(more_files_than_there_was_room_for)
{
    enum { FILES = 200 };
    char symfs[512];
    struct image_opts o = {.symfs = symfs};
    struct image_store *s;
    const struct image *first = NULL, *im = NULL;
    snprintf(symfs, sizeof(symfs), "%s", at("many"));
    EQ(image_store_new(&o, &s), PTS_OK);
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < FILES; i++) {
            char name[16], many[32];
            snprintf(name, sizeof(name), "/%u", i);
            snprintf(many, sizeof(many), "many%s", name);
            if (pass == 0)
                put(many, name, strlen(name) + 1);
            struct image_want w = want_of(name, NULL);
            EQ(image_get(s, &w, &im), PTS_OK);
            EQ(im->index, i);
            CHECK(holds(im, name) && im->is_64bit);
            first = first ? first : im;
        }
    }
    struct image_want w = want_of("/0", NULL);
    EQ(image_get(s, &w, &im), PTS_OK);
    CHECK(im == first && im->size == 3); /* it has not moved */
    image_store_free(s);
}

/* So many files are open that no other can be. */
static struct rlimit files_shut(void)
{
    struct rlimit usual, none;
    getrlimit(RLIMIT_NOFILE, &usual);
    none = usual;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &none);
    return usual;
}

/* (I13) */
T(refused_is_not_missing)
{
    put_elf("shut/a", id1, "code");
    struct image_opts o = {.symfs = at("shut")};
    struct image_store *s;
    const struct image *im;
    struct image_want w = want_of("/a", id1);
    EQ(image_store_new(&o, &s), PTS_OK);
    uint32_t mark = refused_mark(NULL);
    const struct rlimit usual = files_shut();
    CHECK(image_get(s, &w, &im) < 0);
    setrlimit(RLIMIT_NOFILE, &usual);
    CHECK(refused_any(mark));
    EQ(image_get(s, &w, &im), PTS_OK);
    CHECK(holds(im, "code"));
    image_store_free(s);
}

static void sweep(void)
{
    char cmd[128];
    snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
    if (system(cmd) != 0)
        printf("could not remove %s\n", dir);
}

static void prepare(void)
{
    snprintf(dir, sizeof(dir), "/tmp/pts-image-XXXXXX");
    if (!mkdtemp(dir))
        dir[0] = '\0';
    atexit(sweep);
}

T(starts_clean)
{
    prepare();
    CHECK(dir[0] != '\0');
}

static pts_status note_segment(void *ctx, const struct image_segment *seg)
{
    struct image_segment *last = ctx;
    *last = *seg;
    return seg->addr == 0x3000 ? PTS_END : PTS_OK;
}

/* Those with bytes in the file, as far as these are there. */
T(segments)
{
    static struct mkelf e;
    static const uint8_t code[64];
    memset(&e, 0, sizeof(e));
    mkelf_sec(&e, ".bss", SHT_NOBITS, SHF_ALLOC, 0x1000, NULL, 32);
    unsigned text = mkelf_sec(&e, ".text", SHT_PROGBITS, SHF_ALLOC, 0x2000, code, 64);
    size_t n = mkelf_finish(&e, ET_DYN), off = e.sec[text].sh_offset;
    struct image_elf im;
    struct image_segment seg = {0, 0, 0};
    EQ(image_elf_of(e.bytes, n, &im), PTS_OK);
    EQ(image_elf_segments(&im, note_segment, &seg), PTS_OK);
    EQ(seg.addr, 0x2000);
    EQ(seg.off, off);
    EQ(seg.len, 64);
    CHECK(!image_elf_is_short(&im));
    seg.len = 0;
    EQ(image_elf_of(e.bytes, off + 10, &im), PTS_OK);
    EQ(image_elf_segments(&im, note_segment, &seg), PTS_OK);
    EQ(seg.len, 10);
    CHECK(image_elf_is_short(&im));
    seg.len = 0;
    /* Right in front of it. */
    EQ(image_elf_of(e.bytes, off, &im), PTS_OK);
    EQ(image_elf_segments(&im, note_segment, &seg), PTS_OK);
    EQ(seg.len, 0);
    CHECK(image_elf_is_short(&im));
    EQ(image_elf_of("no ELF", 6, &im), PTS_OK);
    EQ(image_elf_segments(&im, note_segment, &seg), PTS_OK);
    EQ(seg.len, 0);
}

/* A file that was named for a dso is taken as it is, below symfs or not. */
T(given_files)
{
    const struct image_given given[] = {
        {"[vdso]",  at("sysg/vdso")},
        {"/bin/me", at("sysg/me")  }
    };
    const struct image_opts opts = {
        .symfs = at("sysg"), .given = given, .given_count = 2};
    char path[PATH_MAX];
    CHECK(image_path_file(&opts, "[vdso]", path));
    STREQ(path, at("sysg/vdso"));
    CHECK(image_path_file(&opts, "/bin/me", path));
    STREQ(path, at("sysg/me"));
    CHECK(image_path_file(&opts, "/bin/you", path));
    STREQ(path, at("sysg//bin/you"));
}

T_RUN(T_CASE(segments), T_CASE(given_files), T_CASE(starts_clean),
      T_CASE(ids_compare_as_recorded), T_CASE(elf_headers), T_CASE(elf_broken),
      T_CASE(system_path_below_symfs), T_CASE(pages_are_let_go_and_come_back),
      T_CASE(cache_comes_first), T_CASE(another_program_is_refused),
      T_CASE(vdso_needs_the_cache), T_CASE(not_a_regular_file),
      T_CASE(more_files_than_there_was_room_for), T_CASE(refused_is_not_missing))
