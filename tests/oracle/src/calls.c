/* calls.c - calls in calls, some by pointers, by one thread or by as many as it is told.
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdlib.h>

static int odd(int n)
{
    return n & 1;
}

static int (*volatile last)(int) = odd;

static __attribute__((noinline)) int inner(int n)
{
    return n < 2 ? last(n) : inner(n - 1) + inner(n - 2);
}

static __attribute__((noinline)) int outer(int n)
{
    return n < 2 ? odd(n) : outer(n - 1) + inner(n - 2);
}

static void *work(void *n)
{
    *(int *)n = outer(*(int *)n);
    return NULL;
}

/* calls THREADS N */
int main(int argc, char **argv)
{
    enum { MOST = 8 };
    int threads = argc > 1 ? atoi(argv[1]) : 1, n[MOST];
    pthread_t id[MOST];

    if (threads > MOST || threads < 1)
        return 1;
    for (int i = 0; i < threads; i++) {
        n[i] = argc > 2 ? atoi(argv[2]) : 20;
        if (i && pthread_create(&id[i], NULL, work, &n[i]))
            return 1;
    }
    work(&n[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(id[i], NULL);
    return 0;
}
