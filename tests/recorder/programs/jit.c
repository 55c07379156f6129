/* jit.c - code made and changed while the program runs.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef int function(void);

enum { PAGE = 4096 };

/* mov eax, VALUE; a loop of three rounds that adds 1; ret. */
static void emit(unsigned char *at, int value)
{
    static const unsigned char code[] = {0xb8, 0,    0,    0,    0,    0xb9,
                                         3,    0,    0,    0,    0x83, 0xc0,
                                         0x01, 0xff, 0xc9, 0x75, 0xf9, 0xc3};
    memcpy(at, code, sizeof code);
    memcpy(at + 1, &value, sizeof value);
}

static int run(void *code)
{
    function *f;
    memcpy(&f, &code, sizeof f);
    return f();
}

/* Writable and executable at once. */
static int both(void)
{
    unsigned char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int sum = 0;
    for (int i = 0; i < 5; i++) {
        emit(p, i * 100);
        sum += run(p);
    }
    munmap(p, PAGE);
    return sum;
}

/* pushf; popf; ret, one by one: the thread keeps no trap flag of whoever follows it. */
static void flags(void)
{
    unsigned char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(p, "\x9c\x9d\xc3", 3);
    run(p);
    munmap(p, PAGE);
}

/* In turns. */
static int either(void)
{
    unsigned char *p =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int sum = 0;
    for (int i = 0; i < 5; i++) {
        mprotect(p, PAGE, PROT_READ | PROT_WRITE);
        emit(p, i * 1000);
        mprotect(p, PAGE, PROT_READ | PROT_EXEC);
        sum += run(p) + run(p);
    }
    munmap(p, PAGE);
    return sum;
}

/* The same memory at two addresses. */
static int twice(void)
{
    int fd = memfd_create("code", 0), sum = 0;
    if (fd < 0 || ftruncate(fd, PAGE) < 0)
        return -1;
    unsigned char *w = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    void *x = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    for (int i = 0; i < 5; i++) {
        emit(w, i * 10);
        sum += run(x);
    }
    return sum;
}

/* A page that is dropped and comes back as the file has it. */
static int moved(void)
{
    unsigned char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    emit(p, 7);
    mprotect(p, PAGE, PROT_READ | PROT_EXEC);
    int sum = run(p);
    void *q = mremap(p, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, p + PAGE);
    return q == MAP_FAILED ? -1 : sum + run(q);
}

int main(void)
{
    flags();
    int a = both(), b = either(), c = twice(), d = moved();
    printf("%d %d %d %d\n", a, b, c, d);
    return 0;
}
