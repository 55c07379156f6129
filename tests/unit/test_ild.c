/* test_ild.c - lengths and classes of hand-written encodings.
 *
 * SPDX-License-Identifier: MIT
 *
 * Encodings are from the manuals (SDM volume 2, APX and AVX10 specifications, AMD
 * volumes 3 and 4), not from an assembler: most are newer than the binutils at hand.
 */
#include "walker/code/ild.h"
#include "tests/lib/t.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* As the manuals say, not perf. */
#define SDM_64 ((enum ild_mode)(ILD_64 | ILD_SDM))
#define SDM_32 ((enum ild_mode)(ILD_32 | ILD_SDM))
#define SDM_16 ((enum ild_mode)(ILD_16 | ILD_SDM))

#define KIND(cls, branch) (INSN_##cls << 2 | BRANCH_##branch)

enum kind {
    NONE = KIND(OTHER, NONE),
    CALL = KIND(CALL, DIRECT),
    CALL_IND = KIND(CALL, INDIRECT),
    RET = KIND(RET, INDIRECT),
    JCC = KIND(JCC, COND),
    LOOP = KIND(LOOP, COND),
    JMP = KIND(JMP, DIRECT),
    JMP_IND = KIND(JMP, INDIRECT),
    IRET = KIND(IRET, INDIRECT),
    SOFT_INT = KIND(INT, INDIRECT),
    SYSCALL = KIND(SYSCALL, INDIRECT),
    SYSRET = KIND(SYSRET, INDIRECT),
    VMENTRY = KIND(VMENTRY, INDIRECT),
};

struct vector {
    const char *hex; /* the instruction; its length is what ild has to say */
    const char *what;
    enum kind kind;
    int32_t rel;
};

static size_t unhex(const char *hex, uint8_t *out)
{
    size_t n = 0;
    for (const char *p = hex; *p; p += *p == ' ' ? 1 : 2) {
        if (*p == ' ')
            continue;
        char two[3] = {p[0], p[1], 0};
        out[n++] = (uint8_t)strtoul(two, NULL, 16);
    }
    return n;
}

static void check_vector(const struct vector *v, enum ild_mode mode)
{
    uint8_t code[64];
    memset(code, 0xcc, sizeof(code));
    size_t len = unhex(v->hex, code);
    struct ild insn = ild_decode(code, sizeof(code), mode);
    int before = t_bad;
    EQ(insn.len, len);
    EQ(insn.cls << 2 | insn.branch, v->kind);
    EQ(insn.rel, v->rel);
    for (size_t n = 0; n < len; n++)
        EQ(ild_decode(code, n, mode).len, 0);
    for (size_t n = len; n < 40; n++)
        EQ(ild_decode(code, n, mode).len, len);
    if (t_bad != before)
        printf("    in %s (%s), mode %d\n", v->hex, v->what, mode);
}

#define CHECK_ALL(vectors, mode)                                                       \
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)                  \
    check_vector(&vectors[i], mode)

T(classes)
{
    /* Where mode makes no difference. */
    static const struct vector v[] = {
        {"0f 01 c2",       "vmlaunch",            VMENTRY,  0   },
        {"0f 01 c3",       "vmresume",            VMENTRY,  0   },
        {"0f 01 c1",       "vmcall",              NONE,     0   },
        {"0f 05",          "syscall",             SYSCALL,  0   },
        {"0f 34",          "sysenter",            SYSCALL,  0   },
        {"0f 07",          "sysret",              SYSRET,   0   },
        {"0f 35",          "sysexit",             SYSRET,   0   },
        {"70 fe",          "jo",                  JCC,      -2  },
        {"7f 10",          "jg",                  JCC,      16  },
        {"e3 80",          "jcxz",                JCC,      -128},
        {"e0 7f",          "loopne",              LOOP,     127 },
        {"e1 00",          "loope",               LOOP,     0   },
        {"e2 ff",          "loop",                LOOP,     -1  },
        {"2e 75 01",       "jne, predicted",      JCC,      1   },
        {"66 75 01",       "jne rel8",            JCC,      1   },
        {"c3",             "ret",                 RET,      0   },
        {"f3 c3",          "repz ret",            RET,      0   },
        {"f2 c3",          "bnd ret",             RET,      0   },
        {"c2 10 00",       "ret imm16",           RET,      0   },
        {"cb",             "lret",                RET,      0   },
        {"ca 10 00",       "lret imm16",          RET,      0   },
        {"cf",             "iret",                IRET,     0   },
        {"cc",             "int3",                SOFT_INT, 0   },
        {"cd 80",          "int",                 SOFT_INT, 0   },
        {"ce",             "into",                SOFT_INT, 0   },
        {"f1",             "int1",                NONE,     0   },
        {"eb fe",          "jmp rel8",            JMP,      -2  },
        {"66 eb fe",       "jmp rel8",            JMP,      -2  },
        {"ff d0",          "call *reg",           CALL_IND, 0   },
        {"ff 18",          "lcall *mem",          CALL_IND, 0   },
        {"3e ff e0",       "notrack jmp *reg",    JMP_IND,  0   },
        {"ff 2b",          "ljmp *mem",           JMP_IND,  0   },
        {"ff 33",          "push mem",            NONE,     0   },
        {"ff c0",          "inc",                 NONE,     0   },
        {"fe c0",          "incb",                NONE,     0   },
        {"0f 0b",          "ud2",                 NONE,     0   },
        {"f4",             "hlt",                 NONE,     0   },
        {"0f aa",          "rsm",                 NONE,     0   },
        {"c6 f8 01",       "xabort",              NONE,     0   },
        {"0f 01 ca",       "clac",                NONE,     0   },
        {"c5 f8 77",       "vzeroupper",          NONE,     0   },
        {"c5 f8 c2 c0 01", "vcmpps, not ret",     NONE,     0   },
        {"c4 e2 79 eb 07", "cmpnbexadd, not jmp", NONE,     0   },
    };
    CHECK_ALL(v, SDM_64);
    CHECK_ALL(v, SDM_32);
    CHECK_ALL(v, SDM_16);
}

T(classes_in_64_bit_mode)
{
    static const struct vector v[] = {
        {"e8 00 00 00 80",          "call",                CALL,     INT32_MIN },
        {"e9 fb ff ff ff",          "jmp",                 JMP,      -5        },
        {"66 e8 01 02 03 04",       "call: 66 ignored",    CALL,     0x04030201},
        {"66 e9 01 02 03 04",       "jmp: 66 ignored",     JMP,      0x04030201},
        {"66 0f 84 01 02 03 04",    "je: 66 ignored",      JCC,      0x04030201},
        {"66 48 e9 01 02 03 04",    "jmp",                 JMP,      0x04030201},
        {"0f 8f f0 ff ff ff",       "jg",                  JCC,      -16       },
        {"f2 e9 01 00 00 00",       "bnd jmp",             JMP,      1         },
        {"67 e8 01 00 00 00",       "addr32 call",         CALL,     1         },
        {"67 e3 01",                "jecxz",               JCC,      1         },
        {"ff 25 00 00 00 00",       "jmp *x(%rip)",        JMP_IND,  0         },
        {"41 ff e3",                "jmp *%r11",           JMP_IND,  0         },
        {"41 ff 14 dc",             "call *(%r12,%rbx,8)", CALL_IND, 0         },
        {"48 ff 2c 25 01 00 00 00", "ljmp *",              JMP_IND,  0         },
        {"48 cf",                   "iretq",               IRET,     0         },
        {"48 0f 07",                "sysretq",             SYSRET,   0         },
        {"48 0f 35",                "sysexitq",            SYSRET,   0         },
        {"f2 0f 01 ca",             "erets",               IRET,     0         },
        {"f3 0f 01 ca",             "eretu",               IRET,     0         },
        {"f3 0f 01 ec",             "uiret",               IRET,     0         },
        {"f3 0f 01 ed",             "testui",              NONE,     0         },
        {"f3 0f 01 ee",             "clui",                NONE,     0         },
        {"c7 f8 01 00 00 00",       "xbegin",              NONE,     0         },
        {"66 c7 f8 01 00",          "xbegin rel16",        NONE,     0         },
    };
    CHECK_ALL(v, SDM_64);
}

T(legacy_lengths_in_64_bit_mode)
{
    static const struct vector v[] = {
        {"90",                               "nop",                    NONE, 0},
        {"66 0f 1f 84 00 00 00 00 00",       "nopw",                   NONE, 0},
        {"66 66 2e 0f 1f 84 00 00 00 00 00", "nopw",                   NONE, 0},
        {"00 00",                            "add",                    NONE, 0},
        {"8b 05 01 00 00 00",                "mov x(%rip)",            NONE, 0},
        {"8b 04 25 01 00 00 00",             "mov abs32",              NONE, 0},
        {"8b 44 25 01",                      "mov 1(%rbp)",            NONE, 0},
        {"8b 45 01",                         "mov",                    NONE, 0},
        {"8b 85 01 00 00 00",                "mov",                    NONE, 0},
        {"8b 84 85 01 00 00 00",             "mov",                    NONE, 0},
        {"67 8b 06",                         "mov (%esi)",             NONE, 0},
        {"67 8b 05 01 00 00 00",             "mov x(%eip)",            NONE, 0},
        {"41 8b 04 24",                      "mov (%r12)",             NONE, 0},
        {"41 8b 45 00",                      "mov (%r13)",             NONE, 0},
        {"43 8b 44 25 00",                   "mov (%r13,%r12)",        NONE, 0},
        {"48 b8 01 02 03 04 05 06 07 08",    "movabs",                 NONE, 0},
        {"66 48 b8 01 02 03 04 05 06 07 08", "movabs",                 NONE, 0},
        {"66 b8 01 02",                      "mov imm16",              NONE, 0},
        {"b8 01 02 03 04",                   "mov imm32",              NONE, 0},
        {"48 c7 c0 01 02 03 04",             "mov simm32",             NONE, 0},
        {"66 c7 00 01 02",                   "movw",                   NONE, 0},
        {"48 a1 01 02 03 04 05 06 07 08",    "mov moffs64",            NONE, 0},
        {"a0 01 02 03 04 05 06 07 08",       "mov moffs64",            NONE, 0},
        {"67 a1 01 02 03 04",                "mov moffs32",            NONE, 0},
        {"67 66 a3 01 02 03 04",             "mov moffs32",            NONE, 0},
        {"68 01 02 03 04",                   "push",                   NONE, 0},
        {"66 68 01 02",                      "pushw",                  NONE, 0},
        {"6a 01",                            "push",                   NONE, 0},
        {"69 c0 01 02 03 04",                "imul",                   NONE, 0},
        {"66 69 c0 01 02",                   "imul",                   NONE, 0},
        {"6b c0 01",                         "imul",                   NONE, 0},
        {"c8 10 00 01",                      "enter",                  NONE, 0},
        {"f6 c0 01",                         "test",                   NONE, 0},
        {"f6 c8 01",                         "test, reg 1",            NONE, 0},
        {"f6 d0",                            "not",                    NONE, 0},
        {"f7 c0 01 02 03 04",                "test",                   NONE, 0},
        {"48 f7 05 01 02 03 04 05 06 07 08", "test",                   NONE, 0},
        {"66 f7 c8 01 02",                   "test, reg 1",            NONE, 0},
        {"f7 d8",                            "neg",                    NONE, 0},
        {"48 f7 f9",                         "idiv",                   NONE, 0},
        {"8f 00",                            "pop",                    NONE, 0},
        {"9b",                               "fwait",                  NONE, 0},
        {"d9 c0",                            "fld",                    NONE, 0},
        {"db 6d 10",                         "fldt",                   NONE, 0},
        {"48 63 c0",                         "movslq",                 NONE, 0},
        {"e4 01",                            "in",                     NONE, 0},
        {"ec",                               "in",                     NONE, 0},
        {"0f 20 c0",                         "mov %cr0",               NONE, 0},
        {"0f 20 05",                         "mov %cr0, mod ignored",  NONE, 0},
        {"44 0f 20 c0",                      "mov %cr8",               NONE, 0},
        {"0f 23 84",                         "mov %db0, mod ignored",  NONE, 0},
        {"0f 0d 08",                         "prefetchw",              NONE, 0},
        {"0f 0e",                            "femms",                  NONE, 0},
        {"0f 0f c1 9e",                      "pfadd",                  NONE, 0},
        {"0f 0f 44 00 01 9e",                "pfadd",                  NONE, 0},
        {"0f 18 08",                         "prefetch",               NONE, 0},
        {"0f 70 c0 01",                      "pshufw",                 NONE, 0},
        {"66 0f 71 d0 01",                   "psrlw",                  NONE, 0},
        {"0f 77",                            "emms",                   NONE, 0},
        {"0f 78 c0",                         "vmread",                 NONE, 0},
        {"66 0f 78 c0 01 02",                "extrq",                  NONE, 0},
        {"f2 0f 78 c1 01 02",                "insertq",                NONE, 0},
        {"66 0f 79 c1",                      "extrq",                  NONE, 0},
        {"0f a2",                            "cpuid",                  NONE, 0},
        {"0f a4 c0 01",                      "shld",                   NONE, 0},
        {"0f a5 c0",                         "shld",                   NONE, 0},
        {"0f a7 c0",                         "xstore",                 NONE, 0},
        {"0f ae e8",                         "lfence",                 NONE, 0},
        {"f3 0f ae e8",                      "incsspd",                NONE, 0},
        {"f3 48 0f 1e c8",                   "rdsspq",                 NONE, 0},
        {"f3 0f 1e fa",                      "endbr64",                NONE, 0},
        {"f3 0f b8 c1",                      "popcnt",                 NONE, 0},
        {"0f b9 05 01 02 03 04",             "ud1",                    NONE, 0},
        {"0f ff 45 01",                      "ud0",                    NONE, 0},
        {"0f ba e0 01",                      "bt",                     NONE, 0},
        {"0f c2 c1 01",                      "cmpps",                  NONE, 0},
        {"0f c7 f0",                         "rdrand",                 NONE, 0},
        {"48 0f c7 0f",                      "cmpxchg16b",             NONE, 0},
        {"0f c8",                            "bswap",                  NONE, 0},
        {"0f 01 d0",                         "xgetbv",                 NONE, 0},
        {"0f 01 ef",                         "wrpkru",                 NONE, 0},
        {"0f 01 e8",                         "serialize",              NONE, 0},
        {"0f 01 c6",                         "wrmsrns",                NONE, 0},
        {"0f 01 cf",                         "encls",                  NONE, 0},
        {"0f 01 f8",                         "swapgs",                 NONE, 0},
        {"0f 01 3d 01 02 03 04",             "invlpg",                 NONE, 0},
        {"0f 38 00 c1",                      "pshufb",                 NONE, 0},
        {"66 0f 38 cf c1",                   "gf2p8mulb",              NONE, 0},
        {"66 0f 3a ce c1 01",                "gf2p8affineqb",          NONE, 0},
        {"0f 3a 0f c1 01",                   "palignr",                NONE, 0},
        {"f2 0f 38 f1 c0",                   "crc32",                  NONE, 0},
        {"f3 0f 38 f8 00",                   "enqcmds",                NONE, 0},
        {"f3 0f 38 d8 c0",                   "aesenc256kl",            NONE, 0},
        {"f3 0f 3a f0 c0 01",                "hreset",                 NONE, 0},
        {"48 66 0f 1f 00",                   "rex ignored, nopw",      NONE, 0},
        {"48 66 b8 01 02",                   "rex ignored, mov imm16", NONE, 0},
        {"48 40 b8 01 02 03 04",             "rex ignored, mov imm32", NONE, 0},
    };
    CHECK_ALL(v, SDM_64);
}

T(vex_and_kin)
{
    static const struct vector v[] = {
        {"c5 f9 6f c0",                      "vmovdqa",         NONE, 0},
        {"c5 f9 70 c0 01",                   "vpshufd",         NONE, 0},
        {"c5 f0 c2 c1 01",                   "vcmpps",          NONE, 0},
        {"c5 f1 c4 c0 01",                   "vpinsrw",         NONE, 0},
        {"c5 fb 93 c0",                      "kmovd",           NONE, 0},
        {"c4 e2 79 18 05 01 02 03 04",       "vbroadcastss",    NONE, 0},
        {"c4 e2 f1 92 04 85 01 02 03 04",    "vgatherdps",      NONE, 0},
        {"c4 e3 79 0f c1 01",                "vpalignr",        NONE, 0},
        {"c4 e3 7b f0 c0 01",                "rorx",            NONE, 0},
        {"c4 e2 71 50 c2",                   "vpdpbusd",        NONE, 0},
        {"c4 e2 78 49 00",                   "ldtilecfg",       NONE, 0},
        {"c4 e2 7b 4b 04 08",                "tileloadd",       NONE, 0},
        {"c4 e2 6b 5e c1",                   "tdpbssd",         NONE, 0},
        {"c4 e7 7b f8 c0 01 02 03 04",       "urdmsr imm32",    NONE, 0},
        {"c4 e5 f8 f8 04 08",                "map 5",           NONE, 0},
        {"62 f1 fd 48 6f c0",                "vmovdqa64",       NONE, 0},
        {"62 f1 7d 48 6f 40 01",             "vmovdqa32 disp8", NONE, 0},
        {"62 f1 7d 48 70 c0 01",             "vpshufd",         NONE, 0},
        {"62 f1 75 48 72 d0 01",             "vpsrld",          NONE, 0},
        {"62 f2 7d 48 7c c0",                "vpbroadcastd",    NONE, 0},
        {"62 f3 75 48 25 c2 01",             "vpternlogd",      NONE, 0},
        {"62 f3 75 48 3f 05 01 02 03 04 05", "vpcmpb",          NONE, 0},
        {"62 f5 74 48 58 c2",                "vaddph",          NONE, 0},
        {"62 f6 6d 48 98 c1",                "vfmadd132ph",     NONE, 0},
        {"62 f3 7c 48 c2 c0 01",             "vcmpph",          NONE, 0},
        {"8f e8 78 c0 c0 01",                "vprotb imm8",     NONE, 0},
        {"8f e9 78 9b c0",                   "xop map 9",       NONE, 0},
        {"8f ea 78 10 c0 01 02 03 04",       "bextr imm32",     NONE, 0},
    };
    CHECK_ALL(v, SDM_64);
    CHECK_ALL(v, SDM_32);
}

T(apx)
{
    static const struct vector v[] = {
        {"d5 00 a1 01 02 03 04 05 06 07 08", "jmpabs",             JMP_IND,  0},
        {"d5 18 89 c0",                      "mov %rax, %r16",     NONE,     0},
        {"d5 19 b8 01 02 03 04 05 06 07 08", "movabs r24",         NONE,     0},
        {"d5 10 b8 01 02 03 04",             "mov r16d",           NONE,     0},
        {"66 d5 10 b8 01 02",                "mov r16w",           NONE,     0},
        {"d5 11 ff d0",                      "call *%r24",         CALL_IND, 0},
        {"d5 11 ff 64 24 01",                "jmp *1(%r28)",       JMP_IND,  0},
        {"d5 18 50",                         "pushp",              NONE,     0},
        {"d5 90 af c0",                      "imul",               NONE,     0},
        {"d5 98 ba e0 01",                   "bt",                 NONE,     0},
        {"d5 10 8b 05 01 02 03 04",          "mov x(%rip)",        NONE,     0},
        {"d5 10 f6 c0 01",                   "test",               NONE,     0},
        {"d5 10 f6 d0",                      "not",                NONE,     0},
        {"62 f4 7c 18 01 c0",                "add ndd",            NONE,     0},
        {"62 f4 7c 18 80 c0 01",             "add ndd imm8",       NONE,     0},
        {"62 f4 7c 18 81 c0 01 02 03 04",    "add ndd imm32",      NONE,     0},
        {"62 f4 7d 18 81 c0 01 02",          "add ndd imm16",      NONE,     0},
        {"62 f4 fd 18 81 c0 01 02 03 04",    "add ndd, W over 66", NONE,     0},
        {"62 f4 7c 18 83 c0 01",             "add ndd",            NONE,     0},
        {"62 f4 7c 18 69 c0 01 02 03 04",    "imulzu",             NONE,     0},
        {"62 f4 7c 18 6b c0 01",             "imulzu",             NONE,     0},
        {"62 f4 7c 18 24 c0 01",             "shld",               NONE,     0},
        {"62 f4 7c 18 2c c0 01",             "shrd",               NONE,     0},
        {"62 f4 7c 18 a5 c0",                "shld %cl",           NONE,     0},
        {"62 f4 7c 18 c0 e0 01",             "shl",                NONE,     0},
        {"62 f4 7c 18 c1 e0 01",             "shl",                NONE,     0},
        {"62 f4 7c 18 d1 e0",                "shl",                NONE,     0},
        {"62 f4 7c 18 f7 d8",                "neg",                NONE,     0},
        {"62 f4 04 02 f6 c0 01",             "ctestb",             NONE,     0},
        {"62 f4 05 02 f7 c0 01 02",          "ctestw",             NONE,     0},
        {"62 f4 04 02 f7 c8 01 02 03 04",    "ctestl",             NONE,     0},
        {"62 f4 04 02 39 c0",                "ccmp",               NONE,     0},
        {"62 f4 04 02 83 f8 01",             "ccmp",               NONE,     0},
        {"62 f4 3c 18 ff f0",                "push2",              NONE,     0},
        {"62 f4 3c 18 8f c0",                "pop2",               NONE,     0},
        {"62 f4 7c 18 44 c1",                "cmov ndd",           NONE,     0},
        {"62 f4 7f 18 44 c0",                "setzu",              NONE,     0},
        {"62 fc 7c 08 60 04 24",             "movbe (%r20)",       NONE,     0},
        {"62 f4 7c 08 f8 c0",                "map 4 f8",           NONE,     0},
        {"62 f7 7f 08 f8 c0 01 02 03 04",    "urdmsr imm32",       NONE,     0},
    };
    CHECK_ALL(v, SDM_64);
}

T(lengths_in_32_bit_mode)
{
    static const struct vector v[] = {
        {"40",                   "inc",         NONE,     0         },
        {"4f",                   "dec",         NONE,     0         },
        {"06",                   "push %es",    NONE,     0         },
        {"27",                   "daa",         NONE,     0         },
        {"60",                   "pusha",       NONE,     0         },
        {"62 00",                "bound",       NONE,     0         },
        {"62 44 24 08",          "bound",       NONE,     0         },
        {"63 c0",                "arpl",        NONE,     0         },
        {"82 c0 01",             "add",         NONE,     0         },
        {"c4 00",                "les",         NONE,     0         },
        {"c5 44 24 01",          "lds",         NONE,     0         },
        {"d4 0a",                "aam",         NONE,     0         },
        {"d5 0a",                "aad",         NONE,     0         },
        {"d6",                   "salc",        NONE,     0         },
        {"a1 01 02 03 04",       "mov moffs32", NONE,     0         },
        {"67 a1 01 02",          "mov moffs16", NONE,     0         },
        {"b8 01 02 03 04",       "mov",         NONE,     0         },
        {"8b 05 01 02 03 04",    "mov abs32",   NONE,     0         },
        {"67 8b 06 01 02",       "mov abs16",   NONE,     0         },
        {"67 8b 44 01",          "mov 1(%si)",  NONE,     0         },
        {"67 8b 84 01 02",       "mov x(%si)",  NONE,     0         },
        {"67 8b 04",             "mov (%si)",   NONE,     0         },
        {"67 8b 05",             "mov (%di)",   NONE,     0         },
        {"e8 01 02 03 04",       "call",        CALL,     0x04030201},
        {"66 e8 01 82",          "callw",       CALL,     -0x7dff   },
        {"66 e9 01 02",          "jmpw",        JMP,      0x201     },
        {"66 0f 84 fe ff",       "jew",         JCC,      -2        },
        {"9a 01 02 03 04 05 06", "lcall",       CALL_IND, 0         },
        {"66 9a 01 02 03 04",    "lcallw",      CALL_IND, 0         },
        {"ea 01 02 03 04 05 06", "ljmp",        JMP_IND,  0         },
    };
    CHECK_ALL(v, SDM_32);
}

T(lengths_in_16_bit_mode)
{
    static const struct vector v[] = {
        {"b8 01 02",                "mov",         NONE,    0         },
        {"66 b8 01 02 03 04",       "movl",        NONE,    0         },
        {"8b 06 01 02",             "mov abs16",   NONE,    0         },
        {"67 8b 05 01 02 03 04",    "mov abs32",   NONE,    0         },
        {"a1 01 02",                "mov moffs16", NONE,    0         },
        {"67 a1 01 02 03 04",       "mov moffs32", NONE,    0         },
        {"e8 01 02",                "call",        CALL,    0x201     },
        {"66 e8 01 02 03 04",       "calll",       CALL,    0x04030201},
        {"ea 01 02 03 04",          "ljmp",        JMP_IND, 0         },
        {"66 ea 01 02 03 04 05 06", "ljmpl",       JMP_IND, 0         },
    };
    CHECK_ALL(v, SDM_16);
}

T(ptwrite_is_told)
{
    static const struct {
        const char *hex;
        bool is;
    } v[] = {
        {"f3 0f ae e0",             true },
        {"f3 48 0f ae e7",          true },
        {"f3 0f ae 25 01 02 03 04", true },
        {"f3 d5 90 ae e0",          true },
        {"0f ae e0",                false},
        {"f2 0f ae e0",             false},
        {"66 f3 0f ae e0",          false},
        {"f3 0f ae e8",             false},
        {"f3 0f 0d e0",             false},
    };
    uint8_t code[16];
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        size_t n = unhex(v[i].hex, code);
        struct ild insn = ild_decode(code, n, SDM_64);
        EQ(insn.len, n);
        EQ(insn.special == INSN_PTWRITE, v[i].is);
    }
}

T(undecodable_in_64_bit_mode)
{
    static const char *const v[] = {
        "d5 00 70 01", /* rex2: reserved rows */
        "d5 00 a0 01 02 03 04 05 06 07 08 09 0a",
        "d5 00 e8 01 02 03 04",
        "d5 00 40 90 90 90 90",
        "d5 80 38 00 c0 90 90",
        "d5 80 84 01 02 03 04",
        "d5 00 66 90 90 90 90", /* rex2: prefixes after it */
        "d5 00 0f 05 90 90 90",
        "d5 00 c5 f8 77 90 90",
        "d5 00 d5 00 90 90 90",
        "c4 e0 78 00 c0 90 90", /* vex maps 0, 4, 8 */
        "c4 e4 78 00 c0 90 90",
        "c4 e8 78 00 c0 90 90",
        "62 f0 7c 48 00 c0 90", /* evex map 0 */
        "8f eb 78 00 c0 90 90", /* xop map 11 */
        "c5 48 85 c0 90 90 90", /* the middle of mov %rax,%rbp; test %rax,%rax */
        "c5 f8 05 c0 90 90 90",
        "c5 fa 77 90 90 90 90", /* vzeroupper has no prefix */
        "c5 f8 ae c0 90 90 90", /* vldmxcsr and vstmxcsr are 2 and 3 */
        "c4 e5 78 10 c0 90 90", /* of map 5 AMX only */
    };
    uint8_t code[64] = {0};
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        unhex(v[i], code);
        int before = t_bad;
        EQ(ild_decode(code, sizeof(code), SDM_64).len, 0);
        EQ(ild_decode(code, 15, SDM_64).len, 0);
        if (t_bad != before)
            printf("    in %s\n", v[i]);
    }
}

/* Prefixes in front of each of these until the instruction has 15 bytes, then 16. */
T(fifteen_bytes_are_the_limit)
{
    static const char *const v[] = {
        "90",
        "e8 01 02 03 04",
        "0f 05",
        "48 b8 01 02 03 04 05 06 07 08",
        "c7 84 85 01 02 03 04 05 06 07 08",
        "48 c7 84 85 01 02 03 04 05 06 07 08",
        "0f 3a 0f 84 85 01 02 03 04 01",
        "c5 f9 6f 84 85 01 02 03 04",
        "62 f3 75 48 25 84 85 01 02 03 04 05",
        "d5 00 a1 01 02 03 04 05 06 07 08",
        "8f ea 78 10 84 85 01 02 03 04 01 02 03 04",
    };
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        uint8_t code[64] = {0}, plain[64];
        size_t len = unhex(v[i], plain);
        memset(code, 0x2e, ILD_MAX + 1 - len);
        memcpy(code + ILD_MAX + 1 - len, plain, len);
        EQ(ild_decode(code + 1, 63, SDM_64).len, ILD_MAX);
        EQ(ild_decode(code + 1, 15, SDM_64).len, ILD_MAX);
        EQ(ild_decode(code + 1, 14, SDM_64).len, 0);
        EQ(ild_decode(code, 64, SDM_64).len, 0);
        EQ(ild_decode(code, 16, SDM_64).len, 0);
    }
    uint8_t prefixes[64];
    memset(prefixes, 0x66, sizeof(prefixes));
    for (size_t n = 0; n <= sizeof(prefixes); n++)
        EQ(ild_decode(prefixes, n, SDM_64).len, 0);
}

static void any_bytes(uint32_t *seed, uint8_t *code, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        *seed = *seed * 1664525u + 1013904223u;
        code[k] = (uint8_t)(*seed >> 24);
    }
}

/* A length does not depend on how much more there is, whatever the bytes. */
T(any_bytes_any_length)
{
    uint32_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        uint8_t code[48];
        any_bytes(&seed, code, sizeof(code));
        enum ild_mode mode = (enum ild_mode)(i % 3);
        struct ild full = ild_decode(code, sizeof(code), mode);
        CHECK(full.len <= ILD_MAX);
        size_t n = seed % 20;
        EQ(ild_decode(code, n, mode).len, full.len <= n ? full.len : 0);
    }
}

/* Two segments in front, which mean nothing, and it is not the common instruction any more. */
T(common_ones_are_as_all_others)
{
    static const uint8_t first[] = {0x48, 0x66, 0xf2, 0xf3, 0x65, 0x0f, 0x41, 0xf0};
    uint8_t code[48] = {0x2e, 0x2e}, *insn = code + 2;
    uint32_t seed = 3;
    for (int i = 0; i < 200000; i++) {
        any_bytes(&seed, insn, sizeof(code) - 2);
        for (int k = 0; k < i % 4; k++)
            insn[k] = first[insn[k] % sizeof(first)];
        struct ild bare = ild_decode(insn, sizeof(code) - 2, SDM_64);
        struct ild same = ild_decode(code, sizeof(code), SDM_64);
        if (!bare.len || bare.len + 2 > ILD_MAX) {
            EQ(same.len, 0);
            continue;
        }
        bare.len = (uint8_t)(bare.len + 2);
        CHECK(memcmp(&bare, &same, sizeof(bare)) == 0);
    }
}

static void check_runs(enum ild_mode mode)
{
    uint8_t code[200];
    uint32_t seed = 5, longest = 0, branches = 0;
    for (int i = 0; i < 20000; i++) {
        any_bytes(&seed, code, sizeof(code));
        for (size_t k = 0; k < sizeof(code) && i % 2; k += 1 + code[k] % 8)
            code[k] = 0x48; /* mostly */
        uint32_t most = seed >> 8 & 15, count = most, stepped = 0;
        struct ild branch, next;
        size_t n = sizeof(code) - (seed & 63), at = 0;
        size_t run = ild_run(code, n, mode, &count, &branch);
        for (; at < run; stepped++) {
            struct ild insn = ild_decode(code + at, n - at, mode);
            CHECK(insn.len && insn.branch == BRANCH_NONE && insn.cls == INSN_OTHER);
            EQ(insn.special, 0);
            at += insn.len;
        }
        EQ(at, run);
        EQ(stepped, count);
        CHECK(count <= most && run <= n);
        longest = count > longest ? count : longest;
        branches += branch.len != 0;
        next = ild_decode(code + run, n - run, mode);
        CHECK(!branch.len || memcmp(&branch, &next, sizeof(next)) == 0);
        CHECK(!branch.len || (count < most && branch.branch != BRANCH_NONE));
    }
    EQ(longest, 15);
    CHECK(branches > 100);
}

T(a_run_ends_before_what_is_to_be_looked_at)
{
    check_runs(ILD_64);
    check_runs(SDM_64);
}

/* What perf makes of bytes that no compiler writes (tests/oracle/opcodes.py has all of them). */
T(as_perf_sees)
{
    static const struct {
        const char *hex;
        size_t len;
    } v[] = {
        {"48 66 90 90",             2}, /* a REX and a prefix behind it */
        {"66 40 48 90",             3},
        {"d5 00 70 01",             2}, /* rex2 */
        {"8f ea 78 10 c0 90 90",    2}, /* xop */
        {"0f 19 c0",                2}, /* no such opcode: without operands */
        {"f3 0f 90 c0",             3},
        {"0f 38 20 c0",             3},
        {"66 0f 38 0c c0",          0}, /* one of VEX */
        {"0f 38 f2 c0",             0},
        {"66 0f 73 d8 08",          5}, /* psrldq, and what has another ModRM.reg */
        {"66 0f 73 c0 08",          4},
        {"0f 73 d8 08",             3},
        {"0f 22 44 90 90",          5}, /* mov cr: with a displacement */
        {"48 9a 01 02 03 04 05 06", 0},
        {"62 f4 7c 08 00 c0",       0}, /* EVEX map 4 */
        {"62 f1 7c 48 58 c0",       6},
        {"0f 38 fc c8",             4}, /* aadd: later than perf 6.1 */
    };
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        uint8_t code[64] = {0};
        unhex(v[i].hex, code);
        EQ(ild_decode(code, sizeof(code), ILD_64).len, v[i].len);
    }
}

T_RUN(T_CASE(classes), T_CASE(classes_in_64_bit_mode),
      T_CASE(legacy_lengths_in_64_bit_mode), T_CASE(vex_and_kin), T_CASE(apx),
      T_CASE(lengths_in_32_bit_mode), T_CASE(lengths_in_16_bit_mode),
      T_CASE(ptwrite_is_told), T_CASE(undecodable_in_64_bit_mode),
      T_CASE(fifteen_bytes_are_the_limit), T_CASE(any_bytes_any_length),
      T_CASE(common_ones_are_as_all_others),
      T_CASE(a_run_ends_before_what_is_to_be_looked_at), T_CASE(as_perf_sees))
