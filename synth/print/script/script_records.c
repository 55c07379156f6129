/* script_records.c - the lines of --show-*-events, and of recordings of perf stat.
 *
 * SPDX-License-Identifier: MIT
 *
 * A line begins like that of a sample: with the thread that the record is about, but
 * with the pid and tid, the time and the cpu of its sample id.
 */
#include "synth/print/record/rec_text.h"
#include "synth/print/script/script.h"
#include "synth/sample/guest.h"

/* --- Names ------------------------------------------------------------------------ */

static const char *event_name_of(void *ctx, uint32_t evsel)
{
    const struct script *s = ctx;
    const struct evlist *l = s->scene.plan ? &s->scene.plan->evl : NULL;

    return l && evsel < l->ev.len ? l->ev.at[evsel].name : "unknown";
}

static void kernel_symbol(void *ctx, uint64_t addr, struct text *t)
{
    const struct script *s = ctx;
    const struct who who = {.thread = SB_NONE, .epoch = s->epoch + 1};
    struct place at = {0};

    if (!s->resolve)
        return;
    const struct lookup *look = resolve_lookup(s->resolve);
    look->place(look->ctx, &who, PTS_MODE_KERNEL, addr, &at);
    if (at.sym) {
        text_str(t, at.sym);
        text_str(t, "+0x");
        text_hex(t, at.sym_off, 0);
    }
}

struct rec_names script_names(struct script *s)
{
    return (struct rec_names){s, event_name_of, kernel_symbol, s->from.reported};
}

/* --- Which records, and of whom --------------------------------------------------- */

static struct pts_thread about_comm(const struct record *r)
{
    return (struct pts_thread){r->u.comm.pid, r->u.comm.tid};
}

static struct pts_thread about_task(const struct record *r)
{
    return (struct pts_thread){r->u.task.pid, r->u.task.tid};
}

static struct pts_thread about_mmap(const struct record *r)
{
    return (struct pts_thread){r->u.mmap.pid, r->u.mmap.tid};
}

static struct pts_thread about_namespaces(const struct record *r)
{
    return (struct pts_thread){r->u.namespaces.pid, r->u.namespaces.tid};
}

enum {
    SHOW_TASK = 1 << 0,
    SHOW_MMAP = 1 << 1,
    SHOW_SWITCH = 1 << 2,
    SHOW_NAMESPACE = 1 << 3,
    SHOW_CGROUP = 1 << 4,
    SHOW_LOST = 1 << 5,
    SHOW_ROUND = 1 << 6,
    SHOW_BPF = 1 << 7,
    SHOW_TEXT_POKE = 1 << 8
};

static unsigned asked(const struct text_options *o)
{
    return (o->show_task ? SHOW_TASK : 0u) | (o->show_mmap ? SHOW_MMAP : 0u) |
           (o->show_switch ? SHOW_SWITCH : 0u) |
           (o->show_namespace ? SHOW_NAMESPACE : 0u) |
           (o->show_cgroup ? SHOW_CGROUP : 0u) | (o->show_lost ? SHOW_LOST : 0u) |
           (o->show_round ? SHOW_ROUND : 0u) | (o->show_bpf ? SHOW_BPF : 0u) |
           (o->show_text_poke ? SHOW_TEXT_POKE : 0u);
}

/* A type without a row is never shown; about: whom a record of the type is about, if it
 * is not the thread in its sample id. */
struct showing {
    unsigned by; /* any of these options */
    struct pts_thread (*about)(const struct record *r);
};

/* clang-format off */
static const struct showing showings[] = {
    [PTS_RECORD_MMAP]            = {SHOW_MMAP, about_mmap},
    [PTS_RECORD_LOST]            = {SHOW_LOST, NULL},
    [PTS_RECORD_COMM]            = {SHOW_TASK, about_comm},
    [PTS_RECORD_EXIT]            = {SHOW_TASK, about_task},
    [PTS_RECORD_FORK]            = {SHOW_TASK, about_task},
    [PTS_RECORD_MMAP2]           = {SHOW_MMAP, about_mmap},
    [PTS_RECORD_SWITCH]          = {SHOW_SWITCH, NULL},
    [PTS_RECORD_SWITCH_CPU_WIDE] = {SHOW_SWITCH, NULL},
    [PTS_RECORD_NAMESPACES]      = {SHOW_NAMESPACE, about_namespaces},
    [PTS_RECORD_KSYMBOL]         = {SHOW_BPF | SHOW_TEXT_POKE, NULL},
    [PTS_RECORD_BPF_EVENT]       = {SHOW_BPF, NULL},
    [PTS_RECORD_CGROUP]          = {SHOW_CGROUP, NULL},
    [PTS_RECORD_TEXT_POKE]       = {SHOW_TEXT_POKE, NULL},
    [PTS_RECORD_FINISHED_ROUND]  = {SHOW_ROUND, NULL},
};
/* clang-format on */

static struct pts_thread about_of(const struct record *r)
{
    const struct showing *row = &RECORD_ROW(showings, r->head.type);

    if (row->about && r->how == PTS_RECORD_WHOLE)
        return row->about(r);
    return (struct pts_thread){r->head.id.pid, r->head.id.tid};
}

/* The time that the record carries itself, if any. */
static uint64_t own_time(const struct record *r)
{
    bool task = record_is(r, PTS_RECORD_FORK) || record_is(r, PTS_RECORD_EXIT);

    return task ? r->u.task.time : 0;
}

/* --- Lines ------------------------------------------------------------------------ */

static const struct pts_counter *counter_of(const struct script *s,
                                            const struct record *rec)
{
    const struct pts_sample_id *id = &rec->head.id;

    return id->has & (PTS_SAMPLE_ID | PTS_SAMPLE_IDENTIFIER)
               ? perf_file_id(s->from.file, id->id)
               : NULL;
}

/* Who runs the guest of a record, as perf takes it. */
static int32_t runner_of(const struct record *rec)
{
    bool map = record_is(rec, PTS_RECORD_MMAP) || record_is(rec, PTS_RECORD_MMAP2);

    return map && rec->how == PTS_RECORD_WHOLE ? rec->u.mmap.pid : rec->head.id.pid;
}

/* What stands in front: of whom, when and where. */
static struct sample front_of(const struct script *s, const struct record *rec)
{
    const struct pts_thread about = about_of(rec);
    uint32_t epoch = s->epoch + 1;
    struct sample front = sample_of_record(rec, epoch);

    front.time = rec->head.id.time; /* all ones when it has none, as perf shows it */
    if (!perf_file_id_all(s->from.file, rec->head.off)) {
        front.who.cpu = 0;
        front.time = own_time(rec);
        front.who.pid = about.pid;
        front.who.tid = about.tid;
    }
    front.who.thread = about.tid == -1
                           ? WHO_NOBODY
                           : sb_thread(s->scene.sb, about.pid, about.tid, epoch);
    if (mode_is_guest(front.cpumode) && s->scene.plan->guests && about.tid != -1)
        guest_record(s->scene.sb,
                     &(struct guest_of){counter_of(s, rec), runner_of(rec), about},
                     &front.who);
    return front;
}

/* False: the record is filtered by -C. */
static bool put_front(struct script *s, const struct record *rec)
{
    const struct plan *p = s->scene.plan;
    struct sample front = front_of(s, rec);

    if (front.event == PTS_NO_EVENT || cpus_skip(&p->sel.cpus, front.who.cpu))
        return false;
    if (front.event < p->evl.ev.len)
        out_perf_start(s->lines, &front, rec->head.type, s->text);
    return true;
}

bool script_shows(const struct script *s, uint32_t type)
{
    return RECORD_ROW(showings, type).by & asked(&s->opt.text);
}

void script_show(struct script *s, const struct record *rec)
{
    const struct rec_names names = script_names(s);
    uint32_t type = rec->head.type;

    if (!script_shows(s, type))
        return;
    /* rounds have nothing in front */
    if (type != PTS_RECORD_FINISHED_ROUND && !put_front(s, rec))
        return;
    text_str(s->text, "PERF_RECORD_");
    text_str(s->text, rec_type_name(type));
    rec_text(s->text, rec, &names);
}

/* --- Counters of perf stat -------------------------------------------------------- */

pts_status script_stat(struct script *s, const struct record *rec)
{
    const struct options *o = &s->opt;
    const char *extra = NULL;
    pts_status st = PTS_OK;

    if (!stat_table_wants(rec->head.type))
        return PTS_OK;
    if (!s->stat)
        st = stat_table_new(s->from.file, &s->scene.plan->evl, &s->stat);
    if (st == PTS_OK)
        st = stat_table_record(s->stat, rec, s->text, &extra);
    if (extra && o->message)
        o->message(o->message_ctx, PTS_MSG_WARNING, extra);
    return st;
}
