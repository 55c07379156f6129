/* test_patch.c - code that is changed while it is followed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/lib/sb_make.h"
#include "tests/prop/chance.h"
#include "walker/code/leg.h"
#include "walker/flow/code_store.h"

enum { KERNEL_SIZE = 4096 };
#define KERNEL UINT64_C(0xffffffff81000000)

static uint8_t text[KERNEL_SIZE];

/* --- Blocks and legs ---------------------------------------------------------------- */

static struct patches changes;
static struct code c;

/* Nops, with a ret at 100 and one at 3000. */
static void begin(void)
{
    memset(text, 0x90, sizeof(text));
    text[100] = text[3000] = 0xc3;
}

static void change(uint32_t epoch, uint64_t off, const char *bytes, size_t n)
{
    CHECK(patches_add(&changes, epoch, off, (const uint8_t *)bytes, n));
}

static void changes_end(void)
{
    patches_finish(&changes);
    code_init(&c, text, sizeof(text), true);
    c.patches = &changes;
}

static void end(void)
{
    code_free(&c);
    patches_free(&changes);
}

static unsigned block_bytes(uint64_t off, uint32_t epoch)
{
    const struct block *b = block_at(&c, ILD_64, off, epoch);
    return b ? b->bytes : 9999;
}

T(code_is_read_as_it_was)
{
    uint8_t buf[64];

    begin();
    change(2, 30, "abcdef", 6); /* over two pieces */
    change(4, 32, "XY", 2);
    changes_end();
    CHECK(code_read(&c, 9, 0, buf, 16) == text);
    CHECK(code_read(&c, 9, 48, buf, 16) == text + 48);
    CHECK(!memcmp(code_read(&c, 1, 29, buf, 8), "\x90\x90\x90\x90\x90\x90\x90\x90", 8));
    CHECK(!memcmp(code_read(&c, 2, 29, buf, 8),
                  "\x90"
                  "abcdef\x90",
                  8));
    CHECK(!memcmp(code_read(&c, 4, 29, buf, 8),
                  "\x90"
                  "abXYef\x90",
                  8));
    CHECK(!memcmp(code_read(&c, 3, 33, buf, 2), "de", 2));
    EQ(text[30], 0x90); /* the image does not change */
    struct when w = when_at(3);
    patches_narrow(&changes, 0, 16, &w);
    CHECK(!w.timed && !w.from && w.until == UINT32_MAX);
    patches_narrow(&changes, 20, 20, &w);
    CHECK(w.timed && w.from == 2 && w.until == 4);
    EQ(patches_next(&changes, 0), 16);
    EQ(patches_next(&changes, 33), 33);
    EQ(patches_next(&changes, 48), UINT64_MAX);
    end();
}

T(changes_at_the_end_of_all_offsets)
{
    struct when w = when_at(1);

    begin();
    change(1, UINT64_MAX - 1, "abc", 3);
    change(1, UINT64_MAX, "a", 1);
    change(1, sizeof(text) - 1, "\x0f\x1f\0", 3);
    changes_end();
    CHECK(patches_next(&changes, sizeof(text) + 16) <= UINT64_MAX - 1);
    patches_narrow(&changes, UINT64_MAX - 1, 1, &w);
    EQ(block_at(&c, ILD_64, sizeof(text) - 1, 1)->bytes, 0);
    CHECK(block_at(&c, ILD_64, sizeof(text), 1) == NULL);
    end();
}

T(blocks_that_changed_are_decoded_anew)
{
    begin();
    change(1, 40, "\xc3", 1);
    change(2, 20, "\xe8\0\0\0\0", 5);
    change(3, 40, "\x90", 1);
    change(9, 2000, "\xc3", 1);
    changes_end();
    const struct block *first = block_at(&c, ILD_64, 0, 0);
    const struct block *far = block_at(&c, ILD_64, 2500, 0);
    EQ(block_bytes(0, 0), 100);
    EQ(block_bytes(0, 1), 40);
    EQ(block_bytes(0, 2), 20);
    EQ(block_bytes(0, 3), 20);
    EQ(block_bytes(25, 3), 75);
    EQ(block_bytes(0, 1), 40); /* time may go back */
    EQ(block_bytes(0, 0), 100);
    CHECK(block_at(&c, ILD_64, 0, 1) == first); /* in its place */
    EQ(block_bytes(1500, 8), 1500);
    EQ(block_bytes(1500, 9), 500);
    CHECK(block_at(&c, ILD_64, 2500, 9) == far);
    CHECK(!far->timed);
    end();
}

/* Behind a block's end, where an instruction cannot be read, or a signature may be. */
T(blocks_that_looked_at_what_changed_are_too)
{
    begin();
    memcpy(text + 120, "\xeb\x10\x0f\x0bperf,ptwrite  ", 18);
    memset(text + 200, 0x66, 15);
    change(1, 137, "x", 1);
    change(2, 207, "\x90", 1);
    changes_end();
    CHECK(block_at(&c, ILD_64, 110, 0)->ptwrite);
    CHECK(!block_at(&c, ILD_64, 110, 1)->ptwrite);
    const struct block *b = block_at(&c, ILD_64, 190, 1);
    EQ(b->state, BLOCK_BAD);
    EQ(b->bytes, 10);
    CHECK(block_at(&c, ILD_64, 190, 2)->bytes > 18);
    end();
}

T(legs_are_made_anew)
{
    begin();
    memcpy(text + 10, "\x74\x10", 2); /* je 28 */
    change(1, 40, "\xc3", 1);
    changes_end();
    struct leg_map *m = leg_map_of(&c, ILD_64, 0, KERNEL_SIZE);
    const struct leg *leg = leg_at(m, 28, 0);
    CHECK(leg->timed);
    EQ(leg->end, 100);
    CHECK(leg_at(m, 28, 1) == leg);
    EQ(leg->end, 40);
    EQ(leg_at(m, 28, 0)->end, 100);
    CHECK(!leg_at(m, 0, 0)->timed);
    EQ(leg_at(m, 50, 1)->end, 100);
    end();
}

/* What random changes leave, against a copy in which they are made. */
static uint8_t now[KERNEL_SIZE];
enum { EPOCHS = 40, LONG = 12 };
static struct {
    uint64_t off;
    size_t n;
    uint8_t bytes[LONG];
} made[EPOCHS];

/* Short jumps, calls, conditional ones and other instructions. */
static uint8_t some_byte(void)
{
    static const uint8_t likely[] = {0xeb, 0x75, 0xc3, 0x90, 0xe8, 0x00, 0x10, 0x0f};
    return one_in(3) ? likely[below(sizeof(likely))] : (uint8_t)below(256);
}

static void changes_random(unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        text[i] = some_byte();
    for (uint32_t e = 0; e < EPOCHS; e++) {
        made[e].off = below(size);
        made[e].n = 1 + below(LONG);
        for (size_t i = 0; i < made[e].n; i++)
            made[e].bytes[i] = some_byte();
        CHECK(patches_add(&changes, e, made[e].off, made[e].bytes, made[e].n));
    }
}

static void make_changes(unsigned size, uint32_t epoch)
{
    memcpy(now, text, size);
    for (uint32_t e = 0; e <= epoch; e++)
        for (size_t i = 0; i < made[e].n; i++)
            if (made[e].off + i < size)
                now[made[e].off + i] = made[e].bytes[i];
}

static bool same_pass(const struct leg_pass *a, const struct leg_pass *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (a[i].ret != b[i].ret || a[i].rel != b[i].rel || a[i].ninsn != b[i].ninsn ||
            a[i].call != b[i].call || a[i].len != b[i].len)
            return false;
    return true;
}

static bool same_leg(const struct leg *a, const struct leg *b)
{
    return a->end == b->end && leg_ninsn(a) == leg_ninsn(b) && a->rel == b->rel &&
           a->cls == b->cls && a->branch == b->branch && a->len == b->len &&
           a->calls == b->calls && a->direct == b->direct && a->special == b->special &&
           same_pass(a->pass, b->pass, a->direct);
}

static bool same_block(const struct block *a, const struct block *b)
{
    return a->rel == b->rel && a->bytes == b->bytes && a->ninsn == b->ninsn &&
           a->cls == b->cls && a->branch == b->branch && a->len == b->len &&
           a->state == b->state && a->ptwrite == b->ptwrite && a->special == b->special;
}

static void compare_at(unsigned size, uint32_t epoch)
{
    struct code plain;
    uint8_t buf[64];

    make_changes(size, epoch);
    code_init(&plain, now, size, true);
    struct leg_map *legs = leg_map_of(&c, ILD_64, 0, size);
    struct leg_map *plain_legs = leg_map_of(&plain, ILD_64, 0, size);
    for (uint32_t off = 0; off < size; off++) {
        size_t n = size - off < sizeof(buf) ? size - off : sizeof(buf);
        CHECK(!memcmp(code_read(&c, epoch, off, buf, n), now + off, n));
        CHECK(same_block(block_at(&c, ILD_64, off, epoch),
                         block_at(&plain, ILD_64, off, 0)));
        CHECK(same_leg(leg_at(legs, off, epoch), leg_at(plain_legs, off, 0)));
    }
    code_free(&plain);
}

T(nothing_outlives_a_change)
{
    chance = 77;
    for (unsigned round = 0; round < 20; round++) {
        unsigned size = 100 + below(600);
        changes_random(size);
        patches_finish(&changes);
        code_init(&c, text, size, true);
        c.patches = &changes;
        for (unsigned i = 0; i < 30; i++)
            compare_at(size, below(EPOCHS));
        end();
    }
}

/* --- Changes of the side-band ------------------------------------------------------- */

static void poke(uint32_t epoch, uint64_t off, const char *bytes, uint32_t n)
{
    EQ(sb_begin(sb, epoch), PTS_OK);
    EQ(sb_poke(sb, KERNEL + off, (const uint8_t *)bytes, n), PTS_OK);
}

T(changes_are_of_what_is_mapped_there)
{
    start();
    kmmap_at(KERNEL, KERNEL_SIZE, 0, "/lib/modules/fat.ko");
    kmmap_at(KERNEL + 2 * KERNEL_SIZE, KERNEL_SIZE, 0, "/lib/modules/thin.ko");
    poke(1, 40, "\xc3", 1);
    poke(2, 20, "\xe8\0\0\0\0", 5);
    poke(3, KERNEL_SIZE + 1024, "\x90", 1); /* nothing is there */
    poke(3, 50, "", 0);
    finish();
    const struct sb_dso *fat = as_find(view, SB_NONE, 3, KERNEL, true)->dso;
    EQ(fat->changes->at.len, 2);
    EQ(fat->changes->at.at[0].epoch, 2);
    EQ(fat->changes->at.at[0].told, 0x1f0);
    const struct as_map *thin =
        as_find(view, SB_NONE, 3, KERNEL + 2 * KERNEL_SIZE, true);
    CHECK(thin && !thin->dso->changes);
    stop();
}

/* The code of a dso of the side-band, of which there is no file. */
static struct image_store *images;
static struct code_store *codes;

static const struct code *code_of(uint64_t addr)
{
    static const struct image_opts none = {0};
    const struct as_map *m = as_find(view, SB_NONE, 2, addr, true);

    EQ(image_store_new(&none, &images), PTS_OK);
    EQ(code_store_new(sb, images, &codes), PTS_OK);
    return m ? code_store_get(codes, m->dso) : NULL;
}

static void codes_end(void)
{
    code_store_free(codes);
    image_store_free(images);
}

/* Slots of kprobes: there is no file, and no more code than the record says. */
T(code_that_only_changes_tell)
{
    struct sb_ksymbol page = {KERNEL, 32, "kprobe_insn_page", false, true};
    uint8_t buf[4];

    start();
    EQ(sb_begin(sb, 1), PTS_OK);
    EQ(sb_ksymbol(sb, &page), PTS_OK);
    poke(2, 30, "\x90\xc3\xc3", 3);
    poke(3, 0, "\xc3", 1);
    finish();
    const struct code *code = code_of(KERNEL);
    EQ(code->size, 32);
    EQ(code_read(code, 2, 30, buf, 2)[0], 0x90);
    EQ(code_read(code, 2, 30, buf, 2)[1], 0xc3);
    EQ(code_read(code, 3, 0, buf, 1)[0], 0xc3);
    EQ(code_read(code, 1, 30, buf, 1)[0], 0);
    codes_end();
    stop();
}

/* Without its code changes are of no use. */
T(code_without_a_file)
{
    start();
    kmmap_at(KERNEL, KERNEL_SIZE, 0, "/lib/modules/fat.ko");
    poke(1, 40, "\xc3", 1);
    finish();
    CHECK(!code_of(KERNEL)->bytes);
    codes_end();
    stop();
}

/* A record may say 4 GB. */
T(a_page_is_not_believed_to_be_large)
{
    const uint64_t low = UINT64_C(0xffffc90000000000);
    struct sb_ksymbol page = {low, UINT32_MAX, "kprobe_insn_page", false, true};
    struct sb_ksymbol wraps = {KERNEL, UINT32_MAX, "kprobe_insn_page", false, true};
    static const uint8_t ret = 0xc3;

    start();
    EQ(sb_begin(sb, 1), PTS_OK);
    EQ(sb_ksymbol(sb, &page), PTS_OK);
    EQ(sb_ksymbol(sb, &wraps), PTS_OK);
    EQ(sb_poke(sb, low + UINT32_MAX - 1, &ret, 1), PTS_OK);
    finish();
    const struct as_map *m = as_find(view, SB_NONE, 2, low, true);
    CHECK(m && m->dso->code_len <= SB_OUT_OF_LINE_MAX);
    /* it would end behind the last byte */
    CHECK(!as_find(view, SB_NONE, 2, KERNEL, true));
    CHECK(code_of(low)->size <= SB_OUT_OF_LINE_MAX);
    codes_end();
    stop();
}

T_RUN(T_CASE(code_is_read_as_it_was), T_CASE(changes_at_the_end_of_all_offsets),
      T_CASE(blocks_that_changed_are_decoded_anew),
      T_CASE(blocks_that_looked_at_what_changed_are_too), T_CASE(legs_are_made_anew),
      T_CASE(nothing_outlives_a_change), T_CASE(changes_are_of_what_is_mapped_there),
      T_CASE(code_that_only_changes_tell), T_CASE(code_without_a_file),
      T_CASE(a_page_is_not_believed_to_be_large))
