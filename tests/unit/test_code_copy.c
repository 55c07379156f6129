/* test_code_copy.c - code that is changed while it is followed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/flow/code_copy.h"
#include "tests/lib/sb_make.h"
#include "walker/code/leg.h"

enum { KERNEL_SIZE = 4096 };
#define KERNEL UINT64_C(0xffffffff81000000)

static uint8_t text[KERNEL_SIZE];

T(blocks_that_changed_are_decoded_anew)
{
    struct code c;
    memset(text, 0x90, sizeof(text));
    text[2000] = 0xc3;
    text[3000] = 0xc3;
    code_init(&c, text, sizeof(text), true);
    const struct block *far = block_at(&c, ILD_64, 2500);
    EQ(block_at(&c, ILD_64, 0)->bytes, 2000);
    EQ(block_at(&c, ILD_64, 1999)->bytes, 1);
    EQ(block_at(&c, ILD_32, 1000)->bytes, 1000);
    text[1500] = 0xc3;
    code_forget(&c, 1500, 1);
    EQ(block_at(&c, ILD_64, 0)->bytes, 1500);
    EQ(block_at(&c, ILD_32, 1000)->bytes, 500);
    CHECK(block_at(&c, ILD_64, 2500) == far);
    code_free(&c);
}

/* Behind a block's end, where an instruction cannot be read, or a signature may be. */
T(blocks_that_looked_at_what_changed_are_too)
{
    struct code c;
    memset(text, 0x90, sizeof(text));
    memcpy(text + 100, "\xeb\x10\x0f\x0bperf,ptwrite  ", 18);
    text[200] = 0x0f;
    text[201] = 0xff;
    code_init(&c, text, sizeof(text), true);
    CHECK(block_at(&c, ILD_64, 50)->ptwrite);
    text[117] = 'x';
    code_forget(&c, 117, 1);
    CHECK(!block_at(&c, ILD_64, 50)->ptwrite);
    const struct block *b = block_at(&c, ILD_64, 190);
    int before = b->state;
    text[201] = 0x1f;
    text[202] = 0x00; /* nopl */
    code_forget(&c, 201, 2);
    CHECK(before == BLOCK_BAD || b->bytes == 11);
    CHECK(block_at(&c, ILD_64, 190)->bytes > 11);
    code_free(&c);
}

T(forgetting_stays_within_the_code)
{
    struct code c;
    memset(text, 0x90, sizeof(text));
    code_init(&c, text, sizeof(text), true);
    CHECK(block_at(&c, ILD_64, 0) != NULL);
    CHECK(block_at(&c, ILD_64, sizeof(text) - 1) != NULL);
    code_forget(&c, 0, 0);
    code_forget(&c, sizeof(text), 1);
    code_forget(&c, UINT64_MAX, UINT64_MAX);
    code_forget(&c, sizeof(text) - 1, UINT64_MAX);
    code_forget(&c, 0, UINT64_MAX);
    CHECK(block_at(&c, ILD_64, 0) != NULL);
    code_free(&c);
    code_init(&c, NULL, 0, true);
    code_forget(&c, 0, 1);
    code_free(&c);
}

/* --- Changes of the side-band ------------------------------------------------------- */

static struct code image;

static void poke(uint32_t epoch, uint64_t off, const char *bytes, uint32_t n)
{
    EQ(sb_begin(sb, epoch), PTS_OK);
    EQ(sb_poke(sb, KERNEL + off, (const uint8_t *)bytes, n), PTS_OK);
}

/* A module of nops with a ret at 100; three changes. */
static const struct sb_dso *changing_module(void)
{
    memset(text, 0x90, sizeof(text));
    text[100] = 0xc3;
    code_init(&image, text, sizeof(text), true);
    start();
    kmmap_at(KERNEL, KERNEL_SIZE, 0, "/lib/modules/fat.ko");
    poke(1, 40, "\xc3", 1);
    poke(2, 20, "\xe8\0\0\0\0", 5);
    poke(3, 40, "\x90", 1);
    poke(3, KERNEL_SIZE + 4096, "\x90", 1); /* nothing is there */
    poke(3, KERNEL_SIZE - 2, "\x90\x90\x90\x90", 4);
    finish();
    const struct as_map *m = as_find(view, SB_NONE, 3, KERNEL, true);
    CHECK(m != NULL);
    return m ? m->dso : NULL;
}

static unsigned first_block(struct code_copies *all, const struct sb_dso *dso,
                            uint32_t epoch)
{
    struct code *c = code_copy_at(all, sb, dso, &image, epoch);
    const struct block *b = c ? block_at(c, ILD_64, 0) : NULL;
    return b ? b->bytes : 9999;
}

T(changes_are_made_in_their_order_and_undone)
{
    struct code_copies all = {0}, other = {0};
    const struct sb_dso *dso = changing_module();
    struct sb_change change;

    EQ(sb_changes(sb, dso), 4);
    CHECK(sb_change_at(sb, dso, 1, &change));
    EQ(change.off, 20);
    EQ(change.len, 5);
    CHECK(!sb_change_at(sb, dso, 4, &change));
    EQ(first_block(&all, dso, 0), 100);
    EQ(first_block(&all, dso, 1), 40);
    EQ(first_block(&all, dso, 2), 20);
    EQ(first_block(&all, dso, 3), 20);
    EQ(first_block(&all, dso, 1), 40);
    EQ(first_block(&all, dso, 0), 100);
    EQ(first_block(&other, dso, 3), 20); /* of its own */
    EQ(first_block(&all, dso, 0), 100);
    EQ(text[40], 0x90); /* the image does not change */
    code_copies_free(&all);
    code_copies_free(&other);
    code_free(&image);
    stop();
}

T(legs_are_made_anew)
{
    struct code_copies all = {0};
    const struct sb_dso *dso = changing_module();
    struct code *c = code_copy_at(&all, sb, dso, &image, 0);
    struct leg_map *legs = leg_map_of(c, ILD_64, 0, KERNEL_SIZE);
    EQ(leg_at(legs, 0)->end, 100);
    CHECK(code_copy_at(&all, sb, dso, &image, 1) == c);
    legs = leg_map_of(c, ILD_64, 0, KERNEL_SIZE);
    EQ(leg_at(legs, 0)->end, 40);
    code_copies_free(&all);
    stop();
}

T(code_without_changes_is_not_copied)
{
    struct code_copies all = {0};
    const struct sb_dso *dso = changing_module();
    struct code none;
    code_init(&none, NULL, 0, true);
    /* nor is what has no file */
    CHECK(code_copy_at(&all, sb, dso, &none, 3) == &none);
    EQ(all.at.len, 0);
    stop();
    start();
    kmmap_at(KERNEL, KERNEL_SIZE, 0, "/lib/modules/fat.ko");
    finish();
    dso = as_find(view, SB_NONE, 0, KERNEL, true)->dso;
    CHECK(code_copy_at(&all, sb, dso, &image, 3) == &image);
    EQ(all.at.len, 0);
    stop();
}

/* Slots of kprobes: there is no file, and no more code than the record says. */
T(code_that_only_changes_tell)
{
    struct code_copies all = {0};
    struct sb_ksymbol page = {KERNEL, 32, "kprobe_insn_page", false, true};
    struct code none;

    code_init(&none, NULL, 0, true);
    start();
    EQ(sb_begin(sb, 1), PTS_OK);
    EQ(sb_ksymbol(sb, &page), PTS_OK);
    poke(2, 30, "\x90\xc3\xc3", 3);
    poke(3, 0, "\xc3", 1);
    finish();
    const struct sb_dso *dso = as_find(view, SB_NONE, 3, KERNEL, true)->dso;
    struct code *c = code_copy_at(&all, sb, dso, &none, 2);
    EQ(c->size, 32);
    EQ(c->bytes[30], 0x90);
    EQ(c->bytes[31], 0xc3);
    EQ(code_copy_at(&all, sb, dso, &none, 3)->bytes[0], 0xc3);
    EQ(code_copy_at(&all, sb, dso, &none, 1)->bytes[30], 0);
    code_copies_free(&all);
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
    CHECK(m && m->dso->code_len <= 1 << 20);
    CHECK(!as_find(view, SB_NONE, 2, KERNEL,
                   true)); /* it would end behind the last byte */
    struct code none;
    struct code_copies all = {0};
    code_init(&none, NULL, 0, true);
    CHECK(m && code_copy_at(&all, sb, m->dso, &none, 2)->size <= 1 << 20);
    code_copies_free(&all);
    stop();
}

T_RUN(T_CASE(blocks_that_changed_are_decoded_anew),
      T_CASE(blocks_that_looked_at_what_changed_are_too),
      T_CASE(forgetting_stays_within_the_code),
      T_CASE(changes_are_made_in_their_order_and_undone), T_CASE(legs_are_made_anew),
      T_CASE(code_without_changes_is_not_copied), T_CASE(code_that_only_changes_tell),
      T_CASE(a_page_is_not_believed_to_be_large))
