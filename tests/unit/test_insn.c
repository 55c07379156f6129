/* test_insn.c - instruction text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/insn.h"
#include "tests/lib/t.h"

#include <string.h>

static const char *text_of(struct insn_printer *p, const char *code, size_t len,
                           uint64_t ip, enum ild_mode mode)
{
    static char buf[INSN_TEXT_MAX];
    size_t n = insn_text(p, (const uint8_t *)code, len, ip, mode, buf, sizeof(buf));
    EQ(n, strlen(buf));
    return buf;
}

T(text_is_att_syntax)
{
    struct insn_printer *p = insn_open();
    STREQ(text_of(p, "\x48\x89\xe5", 3, 0, ILD_64), "movq %rsp, %rbp");
    STREQ(text_of(p, "\xc3", 1, 0, ILD_64), "retq ");
    STREQ(text_of(p, "\x8b\x45\xfc", 3, 0, ILD_64), "movl -4(%rbp), %eax");
    STREQ(text_of(p, "\x40", 1, 0, ILD_32), "incl %eax");
    STREQ(text_of(p, "\x8b\x04", 2, 0, ILD_16), "movw (%si), %ax");
    STREQ(text_of(p, "\x55", 1, 0, ILD_64), "pushq %rbp");
    insn_close(p);
}

T(sole_immediates_are_targets)
{
    struct insn_printer *p = insn_open();
    uint64_t target = 7;
    size_t prefix = 7;
    STREQ(text_of(p, "\xe8\xfb\xff\xff\xff", 5, 0x401000, ILD_64), "callq 0x401000");
    CHECK(insn_target(p, &target, &prefix));
    EQ(target, 0x401000);
    EQ(prefix, strlen("callq "));
    STREQ(text_of(p, "\x74\x10", 2, 0x401000, ILD_64), "je 0x401012");
    CHECK(insn_target(p, &target, &prefix));
    EQ(target, 0x401012);
    EQ(prefix, strlen("je "));

    target = prefix = 7;
    text_of(p, "\xff\xd0", 2, 0, ILD_64);
    CHECK(!insn_target(p, &target, &prefix));
    text_of(p, "\x83\xc0\x01", 3, 0, ILD_64);
    CHECK(!insn_target(p, &target, &prefix));
    text_of(p, "\x74\x10", 2, 0, ILD_64);
    text_of(p, "\x0f\xff\x00", 3, 0, ILD_64);
    CHECK(!insn_target(p, &target, &prefix));
    EQ(target, 7);
    EQ(prefix, 7);
    insn_close(p);
}

T(bytes_when_lengths_differ)
{
    struct insn_printer *p = insn_open();
    STREQ(text_of(p, "\x66\xe9\x01\x02\x03\x04", 6, 0, ILD_64),
          ".byte 0x66, 0xe9, 0x01, 0x02, 0x03, 0x04");
    STREQ(text_of(p, "\x0f\xff\x00", 3, 0, ILD_64), ".byte 0x0f, 0xff, 0x00");
    STREQ(text_of(p, "\x90\x90", 2, 0, ILD_64), ".byte 0x90, 0x90");
    STREQ(text_of(p, "\x48", 1, 0, ILD_64), ".byte 0x48");
    insn_close(p);
    insn_close(NULL);
}

T(text_is_cut_to_the_buffer)
{
    struct insn_printer *p = insn_open();
    char buf[32];
    memset(buf, 'x', sizeof(buf));
    EQ(insn_text(p, (const uint8_t *)"\x48\x89\xe5", 3, 0, ILD_64, buf, 6), 5);
    STREQ(buf, "movq ");
    EQ(buf[6], 'x');
    EQ(insn_text(p, (const uint8_t *)"\x90", 1, 0, ILD_64, buf + 6, 0), 0);
    EQ(buf[6], 'x');
    insn_close(p);
}

T_RUN(T_CASE(text_is_att_syntax), T_CASE(sole_immediates_are_targets),
      T_CASE(bytes_when_lengths_differ), T_CASE(text_is_cut_to_the_buffer))
