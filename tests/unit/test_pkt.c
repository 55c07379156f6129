/* test_pkt.c - every packet: its size, its fields, its text, its ends.
 *
 * SPDX-License-Identifier: MIT
 *
 * The texts are those perf prints for the same bytes.
 */
#include "decoder/pt/pkt.h"
#include "decoder/pt/pkt_text.h"
#include "tests/lib/t.h"

#include <stdlib.h>

struct vector {
    enum pkt_ctx ctx;
    const char *hex;
    const char *text; /* NULL: a bad packet */
};

#define B4 PKT_CTX_BLK4
#define B8 PKT_CTX_BLK8

static const struct vector vectors[] = {
    {0,  "00",                               "PAD"                                                      },
    {0,  "04",                               "TNT N (1)"                                                },
    {0,  "06",                               "TNT T (1)"                                                },
    {0,  "80",                               "TNT NNNNNN (6)"                                           },
    {0,  "fe",                               "TNT TTTTTT (6)"                                           },
    {0,  "02a3020000000000",                 "TNT N (1)"                                                },
    {0,  "02a3030000000000",                 "TNT T (1)"                                                },
    {0,  "02a3000000000080",                 "TNT NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN (47)" },
    {0,  "02a3ffffffffffff",                 "TNT TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT (47)" },
    {0,  "02a3010000000000",                 "TNT  (0)"                                                 },
    {0,  "02a3000000000000",                 "TNT  (0)"                                                 },
    {0,  "0d",                               "TIP no ip"                                                },
    {0,  "2d0102",                           "TIP 0x201"                                                },
    {0,  "4d01020304",                       "TIP 0x4030201"                                            },
    {0,  "6d010203040506",                   "TIP 0x60504030201"                                        },
    {0,  "8d010203040506",                   "TIP 0x60504030201"                                        },
    {0,  "ad0102030405060708",               NULL                                                       },
    {0,  "cd0102030405060708",               "TIP 0x807060504030201"                                    },
    {0,  "ed0102030405060708",               NULL                                                       },
    {0,  "11",                               "TIP.PGE no ip"                                            },
    {0,  "310102",                           "TIP.PGE 0x201"                                            },
    {0,  "d10102030405060708",               "TIP.PGE 0x807060504030201"                                },
    {0,  "01",                               "TIP.PGD no ip"                                            },
    {0,  "610102030405ff",                   "TIP.PGD 0xff0504030201"                                   },
    {0,  "1d",                               "FUP no ip"                                                },
    {0,  "7d00d360b9ffff",                   "FUP 0xffffb960d300"                                       },
    {0,  "9900",                             "MODE.Exec IF:0 16"                                        },
    {0,  "9901",                             "MODE.Exec IF:0 64"                                        },
    {0,  "9902",                             "MODE.Exec IF:0 32"                                        },
    {0,  "9906",                             "MODE.Exec IF:1 32"                                        },
    {0,  "9903",                             NULL                                                       },
    {0,  "9920",                             "MODE.TSX TXAbort:0 InTX:0"                                },
    {0,  "9921",                             "MODE.TSX TXAbort:0 InTX:1"                                },
    {0,  "9922",                             "MODE.TSX TXAbort:1 InTX:0"                                },
    {0,  "9923",                             NULL                                                       },
    {0,  "9940",                             NULL                                                       },
    {0,  "99ff",                             NULL                                                       },
    {0,  "0283",                             "TraceSTOP"                                                },
    {0,
     "02430304"
     "06080a0c",                             "PIP 0x60504030201 (NR=1)"                                 },
    {0,  "02430034d43f0000",                 "PIP 0x1fea1a00 (NR=0)"                                    },
    {0,  "02030100",                         "CBR 0x1"                                                  },
    {0,  "0203ff00",                         "CBR 0xff"                                                 },
    {0,  "02030002",                         "CBR 0x200"                                                },
    {0,  "1901020304050607",                 "TSC 0x7060504030201"                                      },
    {0,  "5901",                             "MTC 0x1"                                                  },
    {0,  "027380c000ff01",                   "TMA CTC 0xc080 FC 0x1ff"                                  },
    {0,  "03",                               "CYC 0x0"                                                  },
    {0,  "0b",                               "CYC 0x1"                                                  },
    {0,  "fb",                               "CYC 0x1f"                                                 },
    {0,  "0702",                             "CYC 0x20"                                                 },
    {0,  "fffe",                             "CYC 0xfff"                                                },
    {0,  "070102",                           "CYC 0x1000"                                               },
    {0,  "fffffe",                           "CYC 0x7ffff"                                              },
    {0,  "ffffffffffffffffff0e",             "CYC 0xffffffffffffffff"                                   },
    {0,  "ffffffffffffffffff0f",             NULL                                                       },
    {0,  "02c80102030405",                   "VMCS 0x504030201"                                         },
    {0,  "02f3",                             "OVF"                                                      },
    {0,  "02820282028202820282028202820282", "PSB"                                                      },
    {0,  "0282028202820282028202820282027e", NULL                                                       },
    {0,  "0223",                             "PSBEND"                                                   },
    {0,  "02c3880102030405060708",           "MNT 0x807060504030201"                                    },
    {0,  "02c389",                           NULL                                                       },
    {0,  "021201020304",                     "PTWRITE 0x4030201 IP:0"                                   },
    {0,  "02320102030405060708",             "PTWRITE 0x807060504030201 IP:0"                           },
    {0,  "029201020304",                     "PTWRITE 0x4030201 IP:1"                                   },
    {0,  "02b20102030405060708",             "PTWRITE 0x807060504030201 IP:1"                           },
    {0,  "025201020304",                     NULL                                                       },
    {0,  "02f201020304",                     NULL                                                       },
    {0,  "0262",                             "EXSTOP IP:0"                                              },
    {0,  "02e2",                             "EXSTOP IP:1"                                              },
    {0,  "02c20000000000000000",             "MWAIT 0x0 Hints 0x0 Extensions 0x0"                       },
    {0,
     "02c2600000000100"
     "0000",                                 "MWAIT 0x100000060 Hints 0x60 Extensions 0x1"              },
    {0,  "02228034",                         "PWRE 0x3480 HW:1 CState:3 Sub-CState:4"                   },
    {0,  "0222000f",                         "PWRE 0xf00 HW:0 CState:0 Sub-CState:15"                   },
    {0,  "02a22204000000",                   "PWRX 0x422 Last CState:2 Deepest CState:2 Wake Reason 0x4"},
    {0,  "02631f",                           "BBP SZ 8-byte Type 0x1f"                                  },
    {0,  "02639f",                           "BBP SZ 4-byte Type 0x1f"                                  },
    {B4, "fc01020304",                       "BIP ID 0x1f Value 0x4030201"                              },
    {B8, "fc0102030405060708",               "BIP ID 0x1f Value 0x807060504030201"                      },
    {B8, "040102030405060708",               "BIP ID 0x00 Value 0x807060504030201"                      },
    {B8, "0c0000000000000000",               "BIP ID 0x01 Value 0x0"                                    },
    {0,  "0233",                             "BEP IP:0"                                                 },
    {0,  "02b3",                             "BEP IP:1"                                                 },
    {0,  "02131fff",                         "CFE IP:0 Type 0x1f Vector 0xff"                           },
    {0,  "02139fff",                         "CFE IP:1 Type 0x1f Vector 0xff"                           },
    {0,  "02133f02",                         "CFE IP:0 Type 0x1f Vector 0x2"                            },
    {0,  "02533f0203040506070809",           "EVD Type 0x3f Payload 0x908070605040302"                  },
    {0,  "0253000203040506070809",           "EVD Type 0x00 Payload 0x908070605040302"                  },
    {0,  "d90001",                           "TRIG IP:0 TRBV 0x1"                                       },
    {0,  "d90101",                           NULL                                                       },
    {0,  "d9e0050102",                       "TRIG IP:1 TRBV 0x5 ICNT 513 MULT"                         },
    {0,  "02ff",                             NULL                                                       },
    {0,  "39",                               NULL                                                       },
    {0,  "05",                               NULL                                                       },
    {0,  "09",                               NULL                                                       },
};

static size_t from_hex(const char *hex, uint8_t *out)
{
    size_t n = strlen(hex) / 2;
    for (size_t i = 0; i < n; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], 0};
        out[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return n;
}

static void check_decode(const struct vector *v, const uint8_t *bytes, size_t n,
                         size_t want)
{
    enum pkt_ctx ctx = v->ctx;
    struct pts_pkt pkt;
    char text[PTS_PKT_TEXT_MAX];
    int size = pkt_next(bytes, bytes + n, &ctx, &pkt);
    if (!v->text) {
        EQ(size, PKT_BAD);
        EQ(pkt.kind, PTS_PKT_BAD);
        EQ(ctx, v->ctx);
        return;
    }
    EQ(size, want);
    EQ(pkt.size, want);
    EQ(pts_pkt_text(&pkt, text, sizeof(text)), strlen(v->text));
    STREQ(text, v->text);
}

/* With other bytes behind it, and as the last packet of a buffer. */
T(every_vector)
{
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        uint8_t bytes[48];
        memset(bytes, 0xff, sizeof(bytes));
        size_t n = from_hex(vectors[i].hex, bytes);
        check_decode(&vectors[i], bytes, sizeof(bytes), n);
        check_decode(&vectors[i], bytes, n, n);
    }
}

/* A packet that lacks its last bytes is neither good nor bad. */
T(every_vector_cut)
{
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        uint8_t bytes[48];
        size_t n = from_hex(vectors[i].hex, bytes);
        for (size_t cut = 1; cut < n && vectors[i].text; cut++) {
            enum pkt_ctx ctx = vectors[i].ctx;
            struct pts_pkt pkt;
            EQ(pkt_next(bytes, bytes + cut, &ctx, &pkt), 0);
            EQ(ctx, vectors[i].ctx);
        }
    }
}

T(block_ctx)
{
    static const struct {
        const char *hex;
        bool stays;
    } inside[] = {
        {"00",                               true },
        {"1901020304050607",                 true },
        {"027380c000ff01",                   true },
        {"5901",                             true },
        {"1d",                               true },
        {"03",                               true },
        {"02030100",                         true },
        {"02c3880102030405060708",           true },
        {"0262",                             true },
        {"02e2",                             true },
        {"02228034",                         true },
        {"02a22204000000",                   true },
        {"fc01020304",                       true },
        {"ed",                               true },
        {"0233",                             false},
        {"02b3",                             false},
        {"06",                               false},
        {"02131fff",                         false},
        {"02533f0203040506070809",           false},
        {"02f3",                             false},
        {"0d",                               false},
        {"02820282028202820282028202820282", false},
    };
    for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++) {
        uint8_t bytes[32] = {0};
        enum pkt_ctx ctx = PKT_CTX_BLK4;
        struct pts_pkt pkt;
        size_t n = from_hex(inside[i].hex, bytes);
        CHECK(pkt_next(bytes, bytes + n, &ctx, &pkt) != 0);
        EQ(ctx, inside[i].stays ? PKT_CTX_BLK4 : PKT_CTX_NONE);
    }
}

T(cursor_walks_and_syncs)
{
    uint8_t bytes[64];
    size_t n = from_hex("02829905ed02820282028202820282028202820282"
                        "02639ffc0102030402330602",
                        bytes);
    struct pts_pkt_cursor c = pts_pkt_cursor_of(bytes, n);
    struct pts_pkt pkt;
    static const uint8_t kinds[] = {PTS_PKT_PSB, PTS_PKT_BBP, PTS_PKT_BIP, PTS_PKT_BEP,
                                    PTS_PKT_TNT};
    EQ(pts_pkt_next(&c, &pkt), PTS_OK);
    EQ(pkt.kind, PTS_PKT_BAD);
    EQ(c.at - bytes, 1);
    EQ(pts_pkt_sync(&c), PTS_OK);
    EQ(c.at - bytes, 5);
    for (size_t i = 0; i < sizeof(kinds); i++) {
        EQ(pts_pkt_next(&c, &pkt), PTS_OK);
        EQ(pkt.kind, kinds[i]);
    }
    EQ(pts_pkt_next(&c, &pkt), PTS_END);
    EQ(c.end - c.at, 1);
    EQ(pts_pkt_sync(&c), PTS_END);
    CHECK(c.at == c.end);
    EQ(pts_pkt_next(&c, &pkt), PTS_END);
}

T(text_is_cut_to_fit)
{
    struct pts_pkt pkt = {.kind = PTS_PKT_PSBEND};
    char text[4];
    EQ(pts_pkt_text(&pkt, text, sizeof(text)), 3);
    STREQ(text, "PSB");
    pkt.kind = 200;
    EQ(pts_pkt_text(&pkt, text, sizeof(text)), 3);
}

/* Any bytes at all: sizes stay inside, a whole packet decodes alike everywhere. */
T(random_bytes)
{
    uint64_t seed = 88172645463325252u;
    for (unsigned round = 0; round < 200000; round++) {
        uint8_t bytes[PKT_WIDE + 8];
        for (size_t i = 0; i < sizeof(bytes); i++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            bytes[i] = (uint8_t)(i == 0 && round & 1 ? 2 : seed >> 32);
        }
        enum pkt_ctx ctx = PKT_CTX_NONE, tail_ctx = PKT_CTX_NONE;
        struct pts_pkt pkt = {0}, tail = {0};
        char text[PTS_PKT_TEXT_MAX];
        int size = pkt_next(bytes, bytes + sizeof(bytes), &ctx, &pkt);
        CHECK(size == PKT_BAD || (size > 0 && size <= PKT_WIDE));
        CHECK(pts_pkt_text(&pkt, text, sizeof(text)) < sizeof(text) - 1);
        if (size > 0) {
            EQ(pkt_next(bytes, bytes + size, &tail_ctx, &tail), size);
            EQ(memcmp(&pkt, &tail, sizeof(pkt)), 0);
            EQ(ctx, tail_ctx);
        }
    }
}

_Static_assert(sizeof(struct pts_pkt) == 16,
               "two words, so that arrays of them stay small");

T_RUN(T_CASE(every_vector), T_CASE(every_vector_cut), T_CASE(block_ctx),
      T_CASE(cursor_walks_and_syncs), T_CASE(text_is_cut_to_fit), T_CASE(random_bytes))
