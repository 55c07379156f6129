/* jumps.c - setjmp and longjmp, out of deep calls and between coroutines.
 *
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdio.h>
#include <ucontext.h>

static jmp_buf back;
static ucontext_t here, there;
static int given;

__attribute__((noinline)) static void dive(int depth, int value)
{
    volatile int keep = depth;
    if (depth == 0)
        longjmp(back, value);
    dive(depth - 1, value);
    printf("not reached %d\n", keep);
}

static void produce(void)
{
    for (int i = 1;; i++) {
        given = i * i;
        swapcontext(&there, &here);
    }
}

int main(void)
{
    static char stack[65536];
    volatile int sum = 0;
    for (volatile int i = 1; i < 100; i += 9) {
        int value = setjmp(back);
        if (value == 0)
            dive(i, i);
        sum += value;
    }
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    makecontext(&there, produce, 0);
    for (int i = 0; i < 10; i++) {
        swapcontext(&here, &there);
        sum += given;
    }
    printf("%d\n", sum);
    return 0;
}
