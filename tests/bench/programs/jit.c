/* jit.c ROUNDS - a compiler at run time: makes functions, calls them, makes some anew.
 *
 * SPDX-License-Identifier: MIT
 *
 * Its code is told in jit-PID.dump, the time in a record being its number, as in
 * tests/recorder/programs/jitdump.c: data.py puts in the times of the recording.  Code is never
 * writable and executable at once: each batch has memory of its own.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

typedef uint32_t function(uint32_t);

enum { FUNCTIONS = 300, AT_ONCE = 4, STEPS = 40 };
enum { ROOM = 1024, PAGE = 4096, MACHINE = 62 };

static unsigned char *made[FUNCTIONS];
static unsigned char *out; /* where the next byte of code goes */
static int dump;
static uint32_t seed = 1, number;

static uint32_t chance(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

static void byte(int v)
{
    *out++ = (unsigned char)v;
}

static void word(uint32_t v)
{
    memcpy(out, &v, sizeof v);
    out += sizeof v;
}

/* One thing done to the value in eax; the bytes are x86 code. */
static void step_put(void)
{
    switch (chance() % 4) {
    case 0: /* add eax, N */
        byte(0x05);
        word(chance());
        break;
    case 1: /* xor eax, N */
        byte(0x35);
        word(chance());
        break;
    case 2: /* rol eax, N */
        byte(0xc1);
        byte(0xc0);
        byte(1 + (int)(chance() % 31));
        break;
    default: /* imul eax, eax, N */
        byte(0x69);
        byte(0xc0);
        word(chance() | 1);
    }
}

/* test eax, N; jz over what a few steps do. */
static void branch_put(void)
{
    byte(0xa9);
    word(1U << chance() % 16 | 1U << chance() % 16);
    byte(0x74);
    unsigned char *distance = out++;
    for (uint32_t i = 0; i < 1 + chance() % 2; i++)
        step_put();
    *distance = (unsigned char)(out - distance - 1);
}

/* mov rcx, AT; call rcx */
static void call_put(const void *at)
{
    uint64_t v = (uint64_t)at;
    byte(0x48);
    byte(0xb9);
    word((uint32_t)v);
    word((uint32_t)(v >> 32));
    byte(0xff);
    byte(0xd1);
}

/* Function N at AT: branches and steps in a loop, or with calls of lower
 * numbers.  Returns its size. */
static size_t compile(unsigned char *at, unsigned n)
{
    /* push rbx; mov eax, edi; mov ebx, ROUNDS */
    static const unsigned char front[] = {0x53, 0x89, 0xf8, 0xbb};
    out = at;
    for (size_t i = 0; i < sizeof front; i++)
        byte(front[i]);
    word(n < 20 ? 1 + chance() % 4 : 1);
    unsigned char *loop = out;
    for (int i = 0; i < STEPS; i++)
        if (n >= 20 && i % 16 == 5)
            call_put(made[chance() % (n / 4)]);
        else if (i % 3)
            step_put();
        else
            branch_put();
    byte(0xff); /* dec ebx; jnz loop; pop rbx; ret */
    byte(0xcb);
    byte(0x0f);
    byte(0x85);
    word((uint32_t)(loop - out - 4));
    byte(0x5b);
    byte(0xc3);
    return (size_t)(out - at);
}

static void put(const void *p, size_t n)
{
    if (write(dump, p, n) != (ssize_t)n)
        _exit(1);
}

static void tell(unsigned n, size_t size)
{
    char comm[16], name[16];
    int len = snprintf(name, sizeof name, "made_%u", n) + 1;
    uint64_t at = (uint64_t)made[n];
    uint32_t head[2] = {0, (uint32_t)(16 + 40 + (unsigned)len + size)};
    uint32_t ids[2] = {(uint32_t)getpid(), (uint32_t)getpid()};
    uint64_t rest[4] = {at, at, size, ++number}, time = number;
    snprintf(comm, sizeof comm, "jit:%u", number);
    prctl(PR_SET_NAME, comm);
    put(head, sizeof head);
    put(&time, sizeof time);
    put(ids, sizeof ids);
    put(rest, sizeof rest);
    put(name, (size_t)len);
    put(made[n], size);
}

static void dump_open(void)
{
    char name[40];
    uint32_t head[6] = {0x4a695444, 1, 40, MACHINE, 0, (uint32_t)getpid()};
    uint64_t rest[2] = {0, 1}; /* times are ticks of the TSC */
    snprintf(name, sizeof name, "jit-%d.dump", (int)getpid());
    dump = open(name, O_CREAT | O_TRUNC | O_RDWR, 0666);
    if (dump < 0)
        _exit(1);
    put(head, sizeof head);
    put(rest, sizeof rest);
    /* perf record sees the file by this map. */
    if (mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump, 0) == MAP_FAILED)
        _exit(1);
}

/* COUNT functions from FIRST on, in new memory with a gap behind it. */
static void make(unsigned first, unsigned count)
{
    size_t sizes[FUNCTIONS], room = (size_t)count * ROOM;
    unsigned char *memory = mmap(NULL, room + 2 * PAGE, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        _exit(1);
    for (unsigned i = 0; i < count; i++) {
        sizes[i] = compile(memory + (size_t)i * ROOM, first + i);
        made[first + i] = memory + (size_t)i * ROOM;
    }
    mprotect(memory, room, PROT_READ | PROT_EXEC);
    for (unsigned i = 0; i < count; i++)
        tell(first + i, sizes[i]);
}

static uint32_t run(unsigned n, uint32_t value)
{
    function *f;
    memcpy(&f, &made[n], sizeof f);
    return f(value);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 10;
    uint32_t value = 1;
    dump_open();
    make(0, FUNCTIONS);
    for (int i = 0; i < rounds; i++) {
        for (unsigned k = 0; k < 8000; k++)
            value = run(value % FUNCTIONS, value);
        make(chance() % (FUNCTIONS - AT_ONCE), AT_ONCE);
    }
    printf("%u\n", value);
    return 0;
}
