/* jitdump.c - a compiler at run time that tells of its code in a jitdump file.
 *
 * SPDX-License-Identifier: MIT
 *
 * Functions are written, replaced, moved and closed.  The time in a record is its number
 * only, since the recorder's clock is not this machine's: just before, the thread is given
 * the name jit:NUMBER, and whoever uses the recording puts in the time of that COMM record
 * (tests/recorder/jitdump.py).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

typedef int function(void);

enum { PAGE = 4096, SECOND = 32, LOAD, MOVE, DEBUG, CLOSE, UNWIND, MACHINE = 62 };

static int dump;
static uint64_t number;

struct bytes {
    unsigned char at[1024];
    size_t len;
};

static void put(struct bytes *b, const void *p, size_t n)
{
    memcpy(b->at + b->len, p, n);
    b->len += n;
}

static void put32(struct bytes *b, uint32_t v)
{
    put(b, &v, sizeof v);
}

static void put64(struct bytes *b, uint64_t v)
{
    put(b, &v, sizeof v);
}

static struct bytes begin(uint32_t kind)
{
    struct bytes b = {.len = 0};
    char name[16];
    snprintf(name, sizeof name, "jit:%d", (int)++number);
    prctl(PR_SET_NAME, name);
    put32(&b, kind - LOAD);
    put32(&b, 0);
    put64(&b, number);
    return b;
}

static void end(struct bytes *b)
{
    uint32_t size = (uint32_t)b->len;
    memcpy(b->at + 4, &size, sizeof size);
    if (write(dump, b->at, b->len) != (ssize_t)b->len)
        _exit(1);
}

/* mov eax, VALUE; a loop of ROUNDS rounds that adds 1; ret. */
static size_t emit(unsigned char *at, int value, int rounds)
{
    static const unsigned char code[] = {0xb8, 0,    0,    0,    0,    0xb9,
                                         0,    0,    0,    0,    0x83, 0xc0,
                                         0x01, 0xff, 0xc9, 0x75, 0xf9, 0xc3};
    memcpy(at, code, sizeof code);
    memcpy(at + 1, &value, sizeof value);
    memcpy(at + 6, &rounds, sizeof rounds);
    return sizeof code;
}

static void tell_lines(const unsigned char *code)
{
    struct bytes b = begin(DEBUG);
    put64(&b, (uint64_t)code);
    put64(&b, 3);
    put64(&b, (uint64_t)code);
    put32(&b, 10);
    put32(&b, 0);
    put(&b, "/src/first.js", 14);
    put64(&b, (uint64_t)code + 10);
    put32(&b, 12);
    put32(&b, 0);
    put(&b, "\xff", 2); /* the same file */
    put64(&b, (uint64_t)code + 17);
    put32(&b, 20);
    put32(&b, 0);
    put(&b, "second.js", 10);
    end(&b);
}

static void tell_unwinding(void)
{
    static const unsigned char none[24];
    struct bytes b = begin(UNWIND);
    put64(&b, sizeof none);
    put64(&b, 16);
    put64(&b, 0);
    put(&b, none, sizeof none);
    end(&b);
}

static void tell_load(const unsigned char *code, size_t len, uint64_t index,
                      const char *name)
{
    struct bytes b = begin(LOAD);
    put32(&b, (uint32_t)getpid());
    put32(&b, (uint32_t)getpid());
    put64(&b, (uint64_t)code);
    put64(&b, (uint64_t)code);
    put64(&b, len);
    put64(&b, index);
    put(&b, name, strlen(name) + 1);
    put(&b, code, len);
    end(&b);
}

static void tell_move(const unsigned char *from, const unsigned char *to, size_t len,
                      uint64_t index)
{
    struct bytes b = begin(MOVE);
    put32(&b, (uint32_t)getpid());
    put32(&b, (uint32_t)getpid());
    put64(&b, (uint64_t)to);
    put64(&b, (uint64_t)from);
    put64(&b, (uint64_t)to);
    put64(&b, len);
    put64(&b, index);
    end(&b);
}

static int run(void *code)
{
    function *f;
    memcpy(&f, &code, sizeof f);
    return f();
}

static void *open_dump(void)
{
    char name[40];
    struct bytes b = {.len = 0};
    snprintf(name, sizeof name, "jit-%d.dump", (int)getpid());
    dump = open(name, O_CREAT | O_TRUNC | O_RDWR, 0666);
    put32(&b, 0x4a695444);
    put32(&b, 1);
    put32(&b, 40);
    put32(&b, MACHINE);
    put32(&b, 0);
    put32(&b, (uint32_t)getpid());
    put64(&b, 0);
    put64(&b, 1); /* times are ticks of the TSC */
    if (dump < 0 || write(dump, b.at, b.len) != (ssize_t)b.len)
        _exit(1);
    /* perf record sees the file by this map. */
    return mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump, 0);
}

int main(void)
{
    void *marker = open_dump();
    unsigned char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int sum = 0;
    size_t len = emit(p, 1, 3);
    tell_lines(p);
    tell_load(p, len, 0, "first");
    sum += run(p);
    emit(p + SECOND, 7, 5);
    tell_unwinding();
    tell_load(p + SECOND, len, 1, "second one");
    sum += run(p + SECOND) + run(p);
    for (int i = 0; i < 3; i++) { /* other code in the same place */
        p[10] = 0x90;
        p[11] = 0x90;
        p[12] = 0x90;
        memcpy(p + 6, &i, sizeof i);
        p[6]++;
        tell_load(p, len, 2 + (uint64_t)i, "again");
        sum += run(p);
    }
    memcpy(p + PAGE, p + SECOND, len);
    memset(p + SECOND, 0xcc, len);
    tell_move(p + SECOND, p + PAGE, len, 1);
    sum += run(p + PAGE);
    struct bytes b = begin(CLOSE);
    end(&b);
    munmap(marker, PAGE);
    printf("%d\n", sum);
    return 0;
}
