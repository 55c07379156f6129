/* run_show.c - the lines of --show-*-events, and of recordings of perf stat.
 *
 * SPDX-License-Identifier: MIT
 *
 * A line begins like that of a sample: with the thread that the record is about, but
 * with the pid and tid, the time and the cpu of its sample id.
 */
#include "synth/run.h"

#include "synth/rec_text.h"

static const char *event_name(void *ctx, uint32_t evsel)
{
    const struct pts_stream *r = ctx;
    const struct evlist *l = r->synth ? synth_evlist(r->synth) : NULL;

    return l && evsel < l->ev.len ? l->ev.at[evsel].name : "unknown";
}

static void kernel_symbol(void *ctx, uint64_t addr, struct text *t)
{
    struct pts_stream *r = ctx;
    const struct lookup *look = resolve_lookup(r->resolve);
    const struct who who = {.thread = SB_NONE, .epoch = (uint32_t)r->record + 1};
    struct place at = {0};

    look->place(look->ctx, &who, CPUMODE_KERNEL, addr, &at);
    if (at.sym) {
        text_str(t, at.sym);
        text_str(t, "+0x");
        text_hex(t, at.sym_off, 0);
    }
}

struct rec_names run_rec_names(struct pts_stream *r)
{
    return (struct rec_names){r, event_name, kernel_symbol};
}

static bool shown(const struct options *o, uint32_t type)
{
    switch (type) {
    case PERF_REC_COMM:
    case PERF_REC_FORK:
    case PERF_REC_EXIT:
        return o->show_task;
    case PERF_REC_MMAP:
    case PERF_REC_MMAP2:
        return o->show_mmap;
    case PERF_REC_SWITCH:
    case PERF_REC_SWITCH_CPU_WIDE:
        return o->show_switch;
    case PERF_REC_NAMESPACES:
        return o->show_namespace;
    case PERF_REC_CGROUP:
        return o->show_cgroup;
    case PERF_REC_LOST:
        return o->show_lost;
    case PERF_REC_FINISHED_ROUND:
        return o->show_round;
    case PERF_REC_KSYMBOL:
        return o->show_bpf || o->show_text_poke;
    case PERF_REC_BPF_EVENT:
        return o->show_bpf;
    case PERF_REC_TEXT_POKE:
        return o->show_text_poke;
    default:
        return false;
    }
}

/* The thread that the record is about; *time: the one it carries itself, if any. */
static struct pts_thread subject(const struct perf_rec *rec, uint64_t *time)
{
    struct pts_thread who = {rec->id.pid, rec->id.tid};
    struct pts_comm comm;
    struct pts_task task;
    struct pts_mmap map;
    struct pts_namespaces ns;

    switch (rec->type) {
    case PERF_REC_COMM:
        if (perf_rec_comm(rec, &comm) >= 0)
            who = (struct pts_thread){comm.pid, comm.tid};
        break;
    case PERF_REC_FORK:
    case PERF_REC_EXIT:
        if (perf_rec_task(rec, &task) >= 0) {
            who = (struct pts_thread){task.pid, task.tid};
            *time = task.time;
        }
        break;
    case PERF_REC_MMAP:
    case PERF_REC_MMAP2:
        if (perf_rec_mmap(rec, &map) >= 0)
            who = (struct pts_thread){map.pid, map.tid};
        break;
    case PERF_REC_NAMESPACES:
        if (perf_rec_namespaces(rec, &ns) >= 0)
            who = (struct pts_thread){ns.pid, ns.tid};
        break;
    default:
        break;
    }
    return who;
}

pts_status run_stat(struct pts_stream *r, const struct perf_rec *rec, struct text *t)
{
    const char *extra = NULL;
    pts_status st = PTS_OK;

    if (rec->type < PERF_REC_THREAD_MAP || rec->type > PERF_REC_EVENT_UPDATE)
        return PTS_OK;
    if (!r->stat)
        st = stat_table_new(r->session->file, synth_evlist(r->synth), &r->stat);
    if (st == PTS_OK)
        st = stat_table_record(r->stat, rec, t, &extra);
    if (extra)
        session_message(r->session, PTS_MSG_WARNING, extra);
    return st;
}

void run_show(struct pts_stream *r, const struct perf_rec *rec, struct text *t)
{
    const struct rec_names names = run_rec_names(r);
    const struct options *o = synth_options(r->synth);
    uint64_t time = 0;

    if (!shown(o, rec->type))
        return;
    if (rec->type == PERF_REC_FINISHED_ROUND) {
        text_str(t, "PERF_RECORD_FINISHED_ROUND");
        rec_text(t, rec, &names);
        return;
    }
    struct pts_thread about = subject(rec, &time);
    uint32_t epoch = (uint32_t)r->record + 1;
    struct sample s = run_sample_of(r, rec);
    s.time = rec->id.time; /* all ones when it has none, as perf shows it */
    if (!perf_file_id_all(r->session->file, rec->off)) {
        s.who.cpu = 0;
        s.time = time;
        s.who.pid = about.pid;
        s.who.tid = about.tid;
    }
    s.who.epoch = s.who.space = epoch;
    s.who.thread =
        about.tid == -1 ? WHO_NOBODY : sb_thread(r->sb, about.pid, about.tid, epoch);
    if (s.event == PERF_NO_EVSEL || !synth_record_start(r->synth, &s, rec->type, t))
        return;
    text_str(t, "PERF_RECORD_");
    text_str(t, rec_type_name(rec->type));
    rec_text(t, rec, &names);
}
