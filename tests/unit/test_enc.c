/* test_enc.c - the recorder's packets, clocks and PT unit.
 *
 * SPDX-License-Identifier: MIT
 *
 * The bytes expected are the examples of the SDM's packet tables, not what the encoder
 * happens to write.
 */
#include "testdata/ptrecord/enc.h"
#include "tests/lib/t.h"

#include <stdlib.h>

/* The bytes of B are those of HEX ("02 a3 ff"); B is emptied. */
static bool holds(struct buf *b, const char *hex)
{
    size_t n = 0;
    bool same = true;
    char *end;

    for (; *hex; hex = end, n++) {
        long byte = strtol(hex, &end, 16);

        same = same && n < b->len && b->data[n] == byte;
        end += strspn(end, " ");
    }
    same = same && n == b->len;
    for (size_t i = 0; !same && i < b->len; i++)
        printf("%02x%s", b->data[i], i + 1 < b->len ? " " : "\n");
    buf_free(b);
    return same;
}

T(short_and_long_tnt)
{
    struct buf b = {0};

    pkt_tnt(&b, 0, 1);
    pkt_tnt(&b, 1, 1);
    pkt_tnt(&b, 0, 6);
    pkt_tnt(&b, 63, 6);
    CHECK(holds(&b, "04 06 80 fe"));
    pkt_tnt(&b, (1ULL << 47) - 1, 47);
    CHECK(holds(&b, "02 a3 ff ff ff ff ff ff"));
    pkt_tnt(&b, 0x40, 7);
    CHECK(holds(&b, "02 a3 c0 00 00 00 00 00"));
}

T(ip_compression)
{
    struct buf b = {0};

    pkt_ip(&b, PKT_TIP, IP_NONE, 0);
    pkt_ip(&b, PKT_TIP, IP_16, 0x0201);
    pkt_ip(&b, PKT_PGE, IP_32, 0x04030201);
    CHECK(holds(&b, "0d 2d 01 02 51 01 02 03 04"));
    pkt_ip(&b, PKT_FUP, IP_48_SEXT, 0x060504030201);
    pkt_ip(&b, PKT_TIP, IP_48, 0x060504030201);
    CHECK(holds(&b, "7d 01 02 03 04 05 06 8d 01 02 03 04 05 06"));
    pkt_ip(&b, PKT_TIP, IP_FULL, 0x0807060504030201);
    CHECK(holds(&b, "cd 01 02 03 04 05 06 07 08"));
}

T(time_packets)
{
    struct buf b = {0};

    pkt_tsc(&b, 0x07060504030201);
    pkt_mtc(&b, 0x93);
    CHECK(holds(&b, "19 01 02 03 04 05 06 07 59 93"));
    pkt_tma(&b, 0xc080, 0x1ff);
    pkt_cbr(&b, 0x18);
    CHECK(holds(&b, "02 73 80 c0 00 ff 01 02 03 18 00"));
    pkt_cyc(&b, 0x1f);
    pkt_cyc(&b, 0x20);
    CHECK(holds(&b, "fb 07 02"));
    pkt_cyc(&b, UINT64_MAX);
    CHECK(holds(&b, "ff ff ff ff ff ff ff ff ff 0e"));
}

T(event_packets)
{
    struct buf b = {0};

    pkt_ptw(&b, 0x04030201, false, false);
    pkt_ptw(&b, 0x0807060504030201, true, true);
    CHECK(holds(&b, "02 12 01 02 03 04 02 b2 01 02 03 04 05 06 07 08"));
    pkt_mwait(&b, 0x21, 1);
    pkt_pwre(&b, 6, 1, true);
    CHECK(holds(&b, "02 c2 21 00 00 00 01 00 00 00 02 22 80 61"));
    pkt_exstop(&b, true);
    pkt_pwrx(&b, 2, 3, 4);
    CHECK(holds(&b, "02 e2 02 a2 23 04 00 00 00"));
    pkt_cfe(&b, 0x1f, 0xff, true);
    pkt_evd(&b, 0x3f, 2);
    CHECK(holds(&b, "02 13 9f ff 02 53 3f 02 00 00 00 00 00 00 00"));
    pkt_bbp(&b, 0x1f, true);
    pkt_bip(&b, 0x1f, 0x04030201, true);
    pkt_bep(&b, true);
    CHECK(holds(&b, "02 63 9f fc 01 02 03 04 02 b3"));
    pkt_mode_exec(&b, true, true);
    pkt_mode_exec(&b, false, false);
    pkt_mode_tsx(&b, false, true);
    CHECK(holds(&b, "99 05 99 02 99 22"));
}

/* --- the unit
 * ------------------------------------------------------------------------- */

static const struct clock_model model = {
    .nonturbo = 10, .ctc_num = 200, .ctc_den = 2, .shift = 31, .mult = 1u << 31};

struct unit {
    struct rec_conf conf;
    struct rng rng;
    struct clock clock;
    struct enc enc;
};

static void unit_start(struct unit *u)
{
    u->conf.psb_period = 15;
    clock_init(&u->clock, &model, 1000, 10);
    enc_init(&u->enc, &u->conf, &model, &u->rng);
    enc_start(&u->enc, &u->clock);
    enc_pge(&u->enc, &u->clock, 0x401000);
    u->enc.out.len = 0;
}

static void unit_end(struct unit *u)
{
    enc_free(&u->enc);
}

T(starts_with_psb)
{
    struct unit u = {
        .conf = {.branch = true, .tsc = true, .mtc = true, .mtc_period = 3}
    };

    clock_init(&u.clock, &model, 1042, 10);
    enc_init(&u.enc, &u.conf, &model, &u.rng);
    enc_start(&u.enc, &u.clock);
    enc_pge(&u.enc, &u.clock, 0x401000);
    /* TSC 1042 is CTC 10 and 42 ticks */
    CHECK(holds(&u.enc.out, "02 82 02 82 02 82 02 82 02 82 02 82 02 82 02 82 "
                            "19 12 04 00 00 00 00 00 02 73 0a 00 00 2a 00 02 03 0a 00 "
                            "02 23 99 01 51 00 10 40 00"));
}

T(compressed_returns)
{
    struct unit u = {
        .conf = {.branch = true, .psb_period = 0}
    };

    unit_start(&u);
    enc_call(&u.enc, 0x401005);
    enc_ret(&u.enc, &u.clock, 0x401005); /* known: a taken bit */
    enc_ret(&u.enc, &u.clock, 0x401005); /* none left: a TIP */
    CHECK(holds(&u.enc.out, "06 2d 05 10"));
    enc_call(&u.enc, 0x401005);
    enc_ret(&u.enc, &u.clock, 0x401006); /* elsewhere: a TIP, and gone */
    enc_ret(&u.enc, &u.clock, 0x401005);
    CHECK(holds(&u.enc.out, "2d 06 10 2d 05 10"));
    unit_end(&u);
}

T(return_stack_holds_64)
{
    struct unit u = {
        .conf = {.branch = true, .psb_period = 0}
    };

    unit_start(&u);
    for (unsigned i = 0; i < 65; i++)
        enc_call(&u.enc, 0x401000 + i);
    for (unsigned i = 64; i > 0; i--)
        enc_ret(&u.enc, &u.clock, 0x401000 + i);
    enc_flush(&u.enc);
    u.enc.out.len = 0;
    enc_ret(&u.enc, &u.clock, 0x401000);
    CHECK(holds(&u.enc.out, "2d 00 10"));
    unit_end(&u);
}

T(no_compression_when_off)
{
    struct unit u = {
        .conf = {.branch = true, .noretcomp = true}
    };

    unit_start(&u);
    enc_call(&u.enc, 0x401005);
    enc_ret(&u.enc, &u.clock, 0x401005);
    CHECK(holds(&u.enc.out, "2d 05 10"));
    unit_end(&u);
}

T(mtc_falls_between_branches)
{
    struct unit u = {
        .conf = {.branch = true, .tsc = true, .mtc = true, .cyc = true}
    };

    unit_start(&u);
    u.clock.cyc += 30;
    enc_cond(&u.enc, &u.clock, true, 0x401010);
    u.clock.cyc += 80; /* over CTC 11, at cycle 100 */
    enc_time(&u.enc, &u.clock);
    enc_cond(&u.enc, &u.clock, false, 0x401020);
    enc_pgd(&u.enc, &u.clock);
    /* 30 cycles, T; 70 cycles, MTC; 10 cycles, N; PGD */
    CHECK(holds(&u.enc.out, "f3 06 37 04 59 0b 53 04 01"));
    unit_end(&u);
}

T(overflow_loses_packets)
{
    struct unit u = {
        .conf = {.branch = true, .psb_period = 0}
    };

    unit_start(&u);
    enc_cond(&u.enc, &u.clock, true, 0x401010);
    enc_lose(&u.enc);
    enc_indirect(&u.enc, &u.clock, 0x401020);
    enc_found(&u.enc, &u.clock);
    CHECK(holds(&u.enc.out, "02 f3 02 03 0a 00 7d 20 10 40 00 00 00"));
    unit_end(&u);
}

T(interrupt_in_user_space)
{
    struct unit u = {
        .conf = {.branch = true, .psb_period = 0}
    };

    unit_start(&u);
    enc_cond(&u.enc, &u.clock, true, 0x401010);
    enc_async(&u.enc, &u.clock, 0x401010);
    enc_pge(&u.enc, &u.clock, 0x401010);
    CHECK(holds(&u.enc.out, "06 3d 10 10 01 31 10 10"));
    unit_end(&u);
}

T(clock_keeps_time_when_speed_changes)
{
    struct clock c;

    clock_init(&c, &model, 1000, 5); /* two ticks a cycle */
    c.cyc = 50;
    EQ(clock_tsc(&c), 1100);
    clock_set_cbr(&c, 20); /* two cycles a tick */
    EQ(clock_tsc(&c), 1100);
    c.cyc += 50;
    EQ(clock_tsc(&c), 1125);
    EQ(clock_cyc_at(&c, 1130), 110);
    clock_wait_tsc(&c, 1130);
    EQ(clock_tsc(&c), 1130);
}

T_RUN(T_CASE(short_and_long_tnt), T_CASE(ip_compression), T_CASE(time_packets),
      T_CASE(event_packets), T_CASE(starts_with_psb), T_CASE(compressed_returns),
      T_CASE(return_stack_holds_64), T_CASE(no_compression_when_off),
      T_CASE(mtc_falls_between_branches), T_CASE(overflow_loses_packets),
      T_CASE(interrupt_in_user_space), T_CASE(clock_keeps_time_when_speed_changes))
