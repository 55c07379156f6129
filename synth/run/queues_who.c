/* queues_who.c - for whom a queue runs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/run/queues.h"

#include "synth/sample/guest.h"

void queues_nobody(const struct queues *q, struct run_queue *one)
{
    one->known = false;
    if (q->conf.switch_to && one->cpu >= 0) {
        one->told = true;
        one->tid = -1;
    }
}

static void ask_who(const struct queues *q, struct run_queue *one,
                    const struct sideband *sb, uint32_t epoch)
{
    struct sb_who w = one->told
                          ? sb_who_is(sb, one->cpu, one->tid, epoch)
                          : sb_who(sb, one->cpu, one->tid, one->use_current, epoch);

    struct who *host = &one->who.host;

    *host = (struct who){
        .pid = w.pid, .tid = w.tid, .cpu = w.cpu, .thread = w.thread, .epoch = epoch};
    if (q->by_piece) /* not where the thread was last */
        host->cpu = one->cpu;
    one->until = w.until;
    one->who.guest = one->who.entering = *host;
    if (q->conf.guests)
        guest_whose(sb, &one->who, &one->until);
    one->known = true;
}

void queues_runs(struct queues *q, uint32_t queue, int32_t tid)
{
    struct run_queue *one = &q->at[queue];

    one->told = true;
    one->tid = tid;
    one->known = false;
}

/* The maps of guests change, too, each for itself: there all may be new at each record. */
static void whose_at(struct whose *w, const struct sideband *sb, bool guests,
                     uint32_t epoch)
{
    uint32_t any = guests ? epoch : sb_maps_since(sb, epoch, false);
    uint32_t kernel = guests ? epoch : sb_maps_since(sb, epoch, true);

    w->host.epoch = w->guest.epoch = w->entering.epoch = epoch;
    w->host.space = w->guest.space = w->entering.space = any;
    w->host.kernel_space = w->guest.kernel_space = w->entering.kernel_space = kernel;
}

/* Asked for every event, while who runs changes with a switch only.  So the answer is
 * kept as long as the side-band says that it holds (until); only the epoch goes on with
 * each record. */
const struct whose *queues_who(struct queues *q, uint32_t queue,
                               const struct sideband *sb, uint32_t epoch)
{
    struct run_queue *one = &q->at[queue];

    if (epoch != one->who.host.epoch || !one->known) {
        if (epoch >= one->until || !one->known)
            ask_who(q, one, sb, epoch);
        whose_at(&one->who, sb, q->conf.guests, epoch);
    }
    return &one->who;
}

void queues_meet(struct queues *q, uint32_t queue, const struct sideband *sb)
{
    struct run_queue *one = &q->at[queue];
    struct who *host = &one->who.host;

    if (one->met && one->met != merge_turns(q->merge))
        host->host = 1 + sb_thread_met(sb, host->tid, host->epoch, queue);
}

void queues_sampled(struct queues *q, uint32_t queue)
{
    if (!q->at[queue].met)
        q->at[queue].met = merge_turns(q->merge);
}
