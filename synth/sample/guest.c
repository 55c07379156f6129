/* guest.c - whose samples of guests are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/sample/guest.h"

static uint32_t guest_number(const struct sb_inside *in)
{
    if (in->guest == SB_NONE)
        return WHO_IN_GUEST;
    return in->guest == SB_GUEST_CODE ? WHO_GUEST_CODE : in->guest + 1;
}

void guest_whose(const struct sideband *sb, struct whose *whose, uint32_t *until)
{
    const struct who *host = &whose->host;
    const struct sb_who w = {host->pid, host->tid, host->cpu, host->thread, *until};
    const struct sb_inside in = sb_inside(sb, &w, host->epoch);
    struct who *guest = &whose->guest;

    if (in.until < *until)
        *until = in.until;
    *guest = *host;
    guest->guest = guest_number(&in);
    guest->thread = in.thread;
    guest->host = host->thread;
    guest->pid = in.pid;
    guest->tid = in.tid;
    guest->machine_pid = in.machine_pid;
    guest->vcpu = in.vcpu;
    /* Nobody is known to be on the CPU: the trace may be followed, but perf looks for the names
     * on the host, where such addresses have none. */
    if (host->pid == -1 && !in.told) {
        guest->guest = WHO_IN_GUEST;
        guest->thread = SB_NONE;
    }
    whose->told = in.told;
    whose->entering = *host;
    if (!in.told)
        return;
    whose->entering = *guest;
    whose->entering.guest = 0;
    whose->entering.thread = sb_thread(sb, in.pid, in.tid, host->epoch);
}

void guest_record(const struct sideband *sb, const struct guest_of *g, struct who *who)
{
    bool told = g->from && g->from->machine_pid;
    uint32_t guest = sb_guest_of(sb, told ? g->from->machine_pid : g->runner);

    who->host = who->thread;
    if (told) {
        who->machine_pid = g->from->machine_pid;
        who->vcpu = g->from->vcpu;
    }
    if (sb_guest_has_code(sb) && !told) {
        who->guest = WHO_GUEST_CODE;
    } else if (guest == SB_NONE) {
        who->guest = WHO_IN_GUEST;
        who->thread = SB_NONE;
    } else {
        who->guest = guest + 1;
        who->thread =
            sb_thread(sb_guest_at(sb, guest), g->about.pid, g->about.tid, who->epoch);
    }
}
