/* scripted_record.c - side-band records as a script gets them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/scripting/scripted.h"

#include "decoder/record/record.h"

bool scripted_wants(uint32_t type)
{
    return type == PTS_RECORD_SWITCH || type == PTS_RECORD_SWITCH_CPU_WIDE ||
           type == PTS_RECORD_THROTTLE || type == PTS_RECORD_UNTHROTTLE;
}

static const struct pts_counter *counter_of(const struct scripted *s,
                                            const struct pts_sample_id *id)
{
    return id->has & (PTS_SAMPLE_ID | PTS_SAMPLE_IDENTIFIER)
               ? perf_file_id(s->scene.file, id->id)
               : NULL;
}

static pts_status take_switch(struct scripted *s, const struct record *rec)
{
    const struct pts_sample_id *id = &rec->head.id;
    const struct pts_counter *counter = counter_of(s, id);
    const struct pts_language *l = s->language;
    bool wide = rec->head.type == PTS_RECORD_SWITCH_CPU_WIDE;
    bool out = rec->head.misc & PTS_MISC_SWITCH_OUT;
    const struct pts_script_switch one = {
        .time = id->time,
        .cpu = id->cpu,
        .pid = id->pid,
        .tid = id->tid,
        .other_pid = wide ? rec->u.thread.pid : -1,
        .other_tid = wide ? rec->u.thread.tid : -1,
        .machine_pid = counter && counter->machine_pid ? counter->machine_pid : -1,
        .guest_pid = counter ? counter->machine_pid : 0,
        .vcpu = counter ? counter->vcpu : -1,
        .out = out,
        .preempt = out && rec->head.misc & PTS_MISC_SWITCH_PREEMPT};

    if (!l->switched || s->rows ||
        cpus_skip(&s->scene.plan->sel.cpus, (int32_t)id->cpu))
        return PTS_OK;
    return scripted_called(s, l->switched(s->script, &one, s->status));
}

static pts_status take_throttle(struct scripted *s, const struct record *rec)
{
    const struct pts_sample_id *id = &rec->head.id;
    const struct pts_throttle *t = &rec->u.throttle;
    const struct pts_language *l = s->language;
    const struct pts_script_throttle one = {.time = t->time,
                                            .id = t->id,
                                            .stream = t->stream,
                                            .cpu = id->cpu,
                                            .pid = id->pid,
                                            .tid = id->tid,
                                            .again = rec->head.type ==
                                                     PTS_RECORD_UNTHROTTLE};

    if (!l->throttled)
        return PTS_OK;
    return scripted_called(s, l->throttled(s->script, &one, s->status));
}

pts_status scripted_record(struct scripted *s, const struct item *item)
{
    struct record rec;

    if (record_read(s->scene.file, item->record, &rec) < 0)
        return PTS_OK;
    if (record_is(&rec, PTS_RECORD_SWITCH) ||
        record_is(&rec, PTS_RECORD_SWITCH_CPU_WIDE))
        return take_switch(s, &rec);
    if (record_is(&rec, PTS_RECORD_THROTTLE) || record_is(&rec, PTS_RECORD_UNTHROTTLE))
        return take_throttle(s, &rec);
    return PTS_OK;
}
