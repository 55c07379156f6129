/* crew.c - threads that work off tasks for one who waits for the results.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/base/crew.h"

#include "decoder/base/arena.h"
#include "decoder/base/sys.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum { LOOKS = 4096 }; /* for news, before it is waited for them: 0.1 ms or so */

struct hand {
    struct crew *crew;
    pthread_t thread;
    uint32_t number;
};

struct crew {
    pthread_mutex_t lock;
    pthread_cond_t given, done;
    struct crew_task *first, *last; /* given, not begun */
    bool closing;
    bool all_run;     /* there is a CPU for each */
    atomic_uint news; /* changes when a task is given, or done */
    uint32_t count;   /* hands that work */
    struct hand hand[];
};

/* --- Tasks; with the lock held ----------------------------------------------------- */

static void take_out(struct crew *c, struct crew_task *task)
{
    struct crew_task *before = NULL;

    for (struct crew_task *t = c->first; t != task; t = t->next)
        before = t;
    *(before ? &before->next : &c->first) = task->next;
    if (c->last == task)
        c->last = before;
    task->state = CREW_IDLE;
}

/* The first one, or the first brief one; NULL: there is none. */
static struct crew_task *first_given(const struct crew *c, bool brief)
{
    struct crew_task *t = c->first;

    while (t && brief && !t->brief)
        t = t->next;
    return t;
}

/* What the owner does while it waits: nobody else should begin what it waits for, and where that is soon done it must
 * not be found at something long. */
static struct crew_task *meanwhile(const struct crew *c, struct crew_task *awaited)
{
    return awaited->state == CREW_GIVEN ? awaited : first_given(c, awaited->brief);
}

/* To sleep and be woken takes longer than many a task, so there is news first without that:
 * true.  It is not asked for where another one needs the CPU. */
static bool look_out(struct crew *c)
{
    const unsigned seen = atomic_load_explicit(&c->news, memory_order_relaxed);
    bool news = false;

    if (!c->all_run)
        return false;
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < LOOKS && !news; i++) {
#ifdef __x86_64__
        __builtin_ia32_pause();
#endif
        news = atomic_load_explicit(&c->news, memory_order_relaxed) != seen;
    }
    pthread_mutex_lock(&c->lock);
    return news || atomic_load_explicit(&c->news, memory_order_relaxed) != seen;
}

static void tell_news(struct crew *c)
{
    atomic_fetch_add_explicit(&c->news, 1, memory_order_relaxed);
}

static void do_task(struct crew *c, struct crew_task *t, uint32_t who)
{
    take_out(c, t);
    t->state = CREW_BEGUN;
    pthread_mutex_unlock(&c->lock);
    uint32_t mark = refused_mark(NULL);
    t->run(t, who);
    refused_keep(mark, &t->refused);
    pthread_mutex_lock(&c->lock);
    t->state = CREW_DONE;
    tell_news(c);
    pthread_cond_broadcast(&c->done);
}

static void *work(void *arg)
{
    struct hand *h = arg;
    struct crew *c = h->crew;

    pthread_mutex_lock(&c->lock);
    while (!c->closing) {
        struct crew_task *t = first_given(c, false);
        if (t)
            do_task(c, t, h->number);
        else if (!look_out(c))
            pthread_cond_wait(&c->given, &c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* --- Calls of the owner ------------------------------------------------------------ */

void crew_give(struct crew *c, struct crew_task *task)
{
    pthread_mutex_lock(&c->lock);
    task->next = NULL;
    task->state = CREW_GIVEN;
    atomic_store_explicit(&task->recalled, false, memory_order_relaxed);
    task->refused = (struct refusal){0};
    *(c->last ? &c->last->next : &c->first) = task;
    c->last = task;
    tell_news(c);
    pthread_cond_signal(&c->given);
    pthread_mutex_unlock(&c->lock);
}

void crew_await(struct crew *c, struct crew_task *task)
{
    pthread_mutex_lock(&c->lock);
    while (task->state != CREW_DONE) {
        struct crew_task *t = meanwhile(c, task);
        if (t)
            do_task(c, t, 0);
        else if (!look_out(c))
            pthread_cond_wait(&c->done, &c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    refused_again(&task->refused);
}

void crew_recall(struct crew *c, struct crew_task *task)
{
    pthread_mutex_lock(&c->lock);
    if (task->state == CREW_GIVEN)
        take_out(c, task);
    atomic_store_explicit(&task->recalled, true, memory_order_relaxed);
    while (task->state == CREW_BEGUN)
        pthread_cond_wait(&c->done, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

uint32_t crew_size(const struct crew *c)
{
    return c->count + 1;
}

/* --- Life -------------------------------------------------------------------------- */

static bool lock_init(struct crew *c)
{
    if (pthread_mutex_init(&c->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&c->given, NULL) == 0) {
        if (pthread_cond_init(&c->done, NULL) == 0)
            return true;
        pthread_cond_destroy(&c->given);
    }
    pthread_mutex_destroy(&c->lock);
    return false;
}

enum { STACK_BYTES = 1 << 20 };

/* Signals are for the program's own thread. */
static void hire(struct crew *c, uint32_t hands)
{
    sigset_t all, before;
    pthread_attr_t attr;

    if (pthread_attr_init(&attr) != 0)
        return;
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    sigfillset(&all);
    sigdelset(&all,
              SIGBUS); /* of a mapped file that was cut: whoever reads it is told */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (uint32_t i = 0; i < hands; i++) {
        struct hand *h = &c->hand[c->count];
        h->crew = c;
        h->number = c->count + 1;
        if (pthread_create(&h->thread, &attr, work, h) != 0)
            break;
        c->count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
}

pts_status crew_new(uint32_t hands, struct crew **out)
{
    struct crew *c = mem_zalloc(1, sizeof(*c) + hands * sizeof(c->hand[0]));

    if (!c)
        return PTS_E_NOMEM;
    if (!lock_init(c)) {
        mem_free(c);
        return PTS_E_NOMEM;
    }
    c->all_run = sys_cpus() > hands;
    hire(c, hands);
    *out = c;
    return PTS_OK;
}

void crew_free(struct crew *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->closing = true;
    tell_news(c);
    pthread_cond_broadcast(&c->given);
    pthread_mutex_unlock(&c->lock);
    for (uint32_t i = 0; i < c->count; i++)
        pthread_join(c->hand[i].thread, NULL);
    pthread_cond_destroy(&c->given);
    pthread_cond_destroy(&c->done);
    pthread_mutex_destroy(&c->lock);
    mem_free(c);
}
