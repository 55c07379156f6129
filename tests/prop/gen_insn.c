/* gen_insn.c - bytes that look like instructions, for prop_ild.
 *
 * SPDX-License-Identifier: MIT
 *
 *     gen_insn SEED COUNT 64|32 > code
 *
 * Bytes at random hardly ever make a prefixed three-byte opcode or an EVEX prefix whose
 * fixed bits are right.  So: prefixes at random, a map, an opcode, operand bytes, and
 * then nops enough for whoever got the length wrong to find back.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed;

static uint8_t rnd(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint8_t)(seed >> 56);
}

static uint8_t pick(const char *choices)
{
    return (uint8_t)choices[rnd() % strlen(choices)];
}

static size_t put_prefixes(uint8_t *out, bool is64)
{
    size_t n = 0;
    for (int k = rnd() % 8; k > 4; k--)
        out[n++] = pick("\x66\x67\xf2\xf3\x2e\x3e\x64\x65\xf0");
    if (is64 && rnd() & 1)
        out[n++] = 0x40 | (rnd() & 15);
    return n;
}

/* The opcode with its escape or VEX, XOP, EVEX prefix. */
static size_t put_opcode(uint8_t *out, unsigned kind)
{
    size_t n = 0;
    switch (kind) {
    case 0:
    case 1:
        break;
    case 2:
    case 3:
        out[n++] = 0x0f;
        break;
    case 4:
        out[n++] = 0x0f;
        out[n++] = pick("\x38\x3a");
        break;
    case 5:
        out[n++] = 0xc5;
        out[n++] = 0xc0 | rnd();
        break;
    case 6:
        out[n++] = 0xc4;
        out[n++] = 0xe0 | pick("\1\2\3");
        out[n++] = rnd();
        break;
    case 7:
        out[n++] = 0x8f;
        out[n++] = 0xe0 | pick("\x8\x9\xa");
        out[n++] = rnd();
        break;
    default:
        out[n++] = 0x62;
        out[n++] = 0xf0 | pick("\1\2\3\5\6");
        out[n++] = 0x04 | rnd();
        out[n++] = rnd();
        break;
    }
    out[n++] = rnd();
    return n;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    seed = strtoull(argv[1], NULL, 0);
    unsigned long count = strtoul(argv[2], NULL, 0);
    bool is64 = strcmp(argv[3], "64") == 0;
    for (unsigned long i = 0; i < count; i++) {
        uint8_t code[32];
        unsigned kind = rnd() % 10;
        size_t n = kind < 5 ? put_prefixes(code, is64) : 0;
        n += put_opcode(code + n, kind);
        for (int k = 0; k < 6; k++)
            code[n++] = rnd();
        memset(code + n, 0x90, 10);
        fwrite(code, 1, n + 10, stdout);
    }
    return fflush(stdout) != 0;
}
