/* threads.c - threads that are preempted, wait for each other, and spin.
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { WORKERS = 3, ROUNDS = 40 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int turn;
static unsigned long total;
static atomic_uint ready;
static __thread unsigned own;

static unsigned long busy(unsigned n)
{
    unsigned long h = n;
    for (unsigned i = 0; i < 300; i++)
        h = (h ^ i) * 0x100000001b3;
    return h;
}

static void *work(void *arg)
{
    int me = (int)(long)arg;
    atomic_fetch_add(&ready, 1);
    while (atomic_load(&ready) < WORKERS)
        ; /* spins: must be preempted to end */
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned long part = busy(i);
        pthread_mutex_lock(&lock);
        while (turn != me)
            pthread_cond_wait(&changed, &lock);
        total += part;
        own++;
        turn = (turn + 1) % WORKERS;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    pthread_barrier_wait(&barrier);
    return (void *)(unsigned long)own;
}

int main(void)
{
    pthread_t thread[WORKERS];
    pthread_barrier_init(&barrier, NULL, WORKERS);
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    unsigned long rounds = 0;
    for (int i = 0; i < WORKERS; i++) {
        void *one;
        pthread_join(thread[i], &one);
        rounds += (unsigned long)one;
    }
    printf("%lu %lu\n", total, rounds);
    return 0;
}
