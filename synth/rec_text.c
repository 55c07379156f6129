/* rec_text.c - the kernel's records in perf's words.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/rec_text.h"

const char *rec_type_name(uint32_t type)
{
    const char *name = pts_record_name(type);
    if (type >= PTS_RECORD_TYPES)
        return "INVALID";
    return name ? name : "UNKNOWN";
}

/* "LABEL%d" */
static void label_int(struct text *t, const char *label, int64_t v)
{
    text_str(t, label);
    text_int(t, v, 0);
}

static void label_dec(struct text *t, const char *label, uint64_t v)
{
    text_str(t, label);
    text_dec(t, v, 0);
}

static void label_hex(struct text *t, const char *label, uint64_t v)
{
    text_str(t, label);
    text_hex(t, v, 0);
}

static void label_hex_alt(struct text *t, const char *label, uint64_t v)
{
    text_str(t, label);
    text_hex_alt(t, v);
}

static void label_str(struct text *t, const char *label, const char *s)
{
    text_str(t, label);
    text_str(t, s);
}

static void text_mmap(struct text *t, const struct perf_rec *r)
{
    struct pts_mmap m;
    if (perf_rec_mmap(r, &m) != PTS_OK)
        return;
    label_int(t, " ", m.pid);
    label_int(t, "/", m.tid);
    label_hex_alt(t, ": [", m.addr);
    label_hex_alt(t, "(", m.len);
    label_hex_alt(t, ") @ ", m.pgoff);
    if (r->type == PERF_REC_MMAP) {
        text_str(t, r->misc & PERF_MISC_MMAP_DATA ? "]: r " : "]: x ");
    } else {
        text_char(t, ' ');
        if (m.build_id) {
            text_char(t, '<');
            for (unsigned i = 0; i < m.build_id_len; i++)
                text_byte(t, m.build_id[i]);
            text_char(t, '>');
        } else {
            text_fmt(t, "%02x:%02x ", m.maj, m.min);
            text_dec(t, m.ino, 0);
            label_dec(t, " ", m.ino_gen);
        }
        text_str(t, "]: ");
        text_char(t, m.prot & 1 ? 'r' : '-');
        text_char(t, m.prot & 2 ? 'w' : '-');
        text_char(t, m.prot & 4 ? 'x' : '-');
        text_str(t, m.flags & 1 ? "s " : "p ");
    }
    label_str(t, m.name, "\n");
}

static void text_comm(struct text *t, const struct perf_rec *r)
{
    struct pts_comm c;
    if (perf_rec_comm(r, &c) != PTS_OK)
        return;
    label_str(t, c.exec ? " exec: " : ": ", c.comm);
    label_int(t, ":", c.pid);
    label_int(t, "/", c.tid);
    text_char(t, '\n');
}

static void text_task(struct text *t, const struct perf_rec *r)
{
    struct pts_task k;
    if (perf_rec_task(r, &k) != PTS_OK)
        return;
    label_int(t, "(", k.pid);
    label_int(t, ":", k.tid);
    label_int(t, "):(", k.ppid);
    label_int(t, ":", k.ptid);
    text_str(t, ")\n");
}

static void text_aux(struct text *t, const struct perf_rec *r)
{
    struct pts_aux a;
    if (perf_rec_aux(r, &a) != PTS_OK)
        return;
    label_hex_alt(t, " offset: ", a.offset);
    label_hex_alt(t, " size: ", a.size);
    label_hex_alt(t, " flags: ", a.flags);
    text_str(t, a.flags & PERF_AUX_TRUNCATED ? " [T" : " [");
    text_str(t, a.flags & PERF_AUX_OVERWRITE ? "O" : "");
    text_str(t, a.flags & PERF_AUX_PARTIAL ? "P]\n" : "]\n");
}

static void text_itrace_start(struct text *t, const struct perf_rec *r)
{
    struct pts_thread p;
    if (perf_rec_pid_tid(r, &p) != PTS_OK)
        return;
    label_dec(t, " pid: ", (uint32_t)p.pid);
    label_dec(t, " tid: ", (uint32_t)p.tid);
    text_char(t, '\n');
}

static void text_switch(struct text *t, const struct perf_rec *r)
{
    bool out = r->misc & PERF_MISC_SWITCH_OUT;
    bool preempt = out && r->misc & PERF_MISC_SWITCH_PREEMPT;
    struct pts_thread p;
    text_str(t, preempt ? " OUT preempt" : out ? " OUT        " : " IN         ");
    if (r->type == PERF_REC_SWITCH_CPU_WIDE) {
        if (perf_rec_pid_tid(r, &p) != PTS_OK)
            return;
        text_str(t, out ? "  next pid/tid: " : "  prev pid/tid: ");
        text_int(t, p.pid, 5);
        text_char(t, '/');
        text_intl(t, p.tid, 5);
    }
    text_char(t, '\n');
}

static void text_namespaces(struct text *t, const struct perf_rec *r)
{
    static const char *const names[] = {"net",  "uts", "ipc",   "pid",
                                        "user", "mnt", "cgroup"};
    struct pts_namespaces n;
    if (perf_rec_namespaces(r, &n) != PTS_OK)
        return;
    label_int(t, " ", n.pid);
    label_int(t, "/", n.tid);
    label_dec(t, " - nr_namespaces: ", n.count);
    text_str(t, "\n\t\t[");
    for (uint64_t i = 0; i < n.count; i++) {
        if (i && i % 4 == 0)
            text_str(t, "\n\t\t ");
        text_dec(t, i, 0);
        label_str(t, "/", i < sizeof(names) / sizeof(names[0]) ? names[i] : "UNKNOWN");
        label_dec(t, ": ", rd_u64(n.at + 16 * i));
        label_hex(t, "/0x", rd_u64(n.at + 16 * i + 8));
        text_str(t, i + 1 < n.count ? ", " : "]\n");
    }
}

static void text_ksymbol(struct text *t, const struct perf_rec *r)
{
    struct pts_ksymbol k;
    if (perf_rec_ksymbol(r, &k) != PTS_OK)
        return;
    label_hex(t, " addr ", k.addr);
    label_dec(t, " len ", k.len);
    label_dec(t, " type ", k.type);
    label_hex(t, " flags 0x", k.flags);
    label_str(t, " name ", k.name);
    text_char(t, '\n');
}

static void text_bpf(struct text *t, const struct perf_rec *r)
{
    struct pts_bpf_event b;
    if (perf_rec_bpf(r, &b) != PTS_OK)
        return;
    label_dec(t, " type ", b.type);
    label_dec(t, ", flags ", b.flags);
    label_dec(t, ", id ", b.id);
    text_char(t, '\n');
}

static void text_cgroup(struct text *t, const struct perf_rec *r)
{
    struct pts_cgroup c;
    if (perf_rec_cgroup(r, &c) != PTS_OK)
        return;
    label_dec(t, " cgroup: ", c.id);
    label_str(t, " ", c.path);
    text_char(t, '\n');
}

static void text_poked(struct text *t, const char *label, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i % 16 == 0)
            label_str(t, i ? "\n            " : "            ", label);
        text_char(t, ' ');
        text_byte(t, p[i]);
    }
    if (n)
        text_char(t, '\n');
}

static void text_text_poke(struct text *t, const struct perf_rec *r,
                           const struct rec_names *names)
{
    struct pts_text_poke p;
    if (perf_rec_text_poke(r, &p) != PTS_OK)
        return;
    label_hex(t, " ", p.addr);
    text_char(t, ' ');
    if (names->symbol)
        names->symbol(names->ctx, p.addr, t);
    label_dec(t, " old len ", p.old_len);
    label_dec(t, " new len ", p.new_len);
    text_char(t, '\n');
    text_poked(t, "Old bytes:", p.bytes, p.old_len);
    text_poked(t, "New bytes:", p.bytes + p.old_len, p.new_len);
}

static void text_hw_id(struct text *t, const struct perf_rec *r)
{
    uint64_t hw_id;
    if (perf_rec_hw_id(r, &hw_id) != PTS_OK)
        return;
    label_hex_alt(t, " hw_id: ", hw_id);
    text_char(t, '\n');
}

/* perf script shows the number, the dump the id as well. */
static void text_lost(struct text *t, const struct perf_rec *r, bool dump)
{
    struct pts_lost l;
    if (perf_rec_lost(r, &l) != PTS_OK)
        return;
    if (!dump && r->type == PERF_REC_LOST)
        label_dec(t, " lost ", l.lost);
    else if (dump && r->type == PERF_REC_LOST) {
        label_dec(t, ": id:", l.id);
        label_dec(t, ": lost:", l.lost);
    } else if (dump) {
        label_dec(t, ": id:", r->id.id);
        label_dec(t, ": lost samples :", l.lost);
    }
    text_char(t, '\n');
}

/* Words that the event's read_format does not announce are shown all the same. */
static void text_read(struct text *t, const struct perf_file *f,
                      const struct perf_rec *r, const struct rec_names *names)
{
    struct perf_read v;
    if (r->evsel == PERF_NO_EVSEL || perf_rec_read(r, &v) != PTS_OK)
        return;
    uint64_t format = f->evsel.at[r->evsel].attr.read_format;
    label_int(t, ": ", v.pid);
    label_int(t, " ", v.tid);
    label_str(t, " ", names->event ? names->event(names->ctx, r->evsel) : "unknown");
    label_dec(t, " ", v.words[0]);
    text_char(t, '\n');
    if (format & PERF_READ_TIME_ENABLED) {
        label_dec(t, "... time enabled : ", v.words[1]);
        text_char(t, '\n');
    }
    if (format & PERF_READ_TIME_RUNNING) {
        label_dec(t, "... time running : ", v.words[2]);
        text_char(t, '\n');
    }
    if (format & PERF_READ_ID) {
        label_dec(t, "... id           : ", v.words[3]);
        text_char(t, '\n');
    }
    if (format & PERF_READ_LOST) {
        label_dec(t, "... lost         : ", v.words[4]);
        text_char(t, '\n');
    }
    text_str(t, ": unhandled!\n");
}

/* Like a sample whose address is the cookie. */
static void text_deferred(struct text *t, const struct perf_rec *r)
{
    struct pts_deferred d;
    if (perf_rec_deferred(r, &d) != PTS_OK)
        return;
    text_fmt(t, "(IP, 0x%x): %d/%d: %#llx\n", r->misc, r->id.pid, r->id.tid,
             (unsigned long long)d.cookie);
    text_fmt(t, "... FP chain: nr:%llu\n", (unsigned long long)d.ips.count);
    for (uint64_t i = 0; i < d.ips.count; i++)
        text_fmt(t, "..... %2d: %016llx\n", (int)i,
                 (unsigned long long)pts_word(&d.ips, i));
}

/* True when the record is one of those that both forms print alike. */
static bool text_common(struct text *t, const struct perf_rec *r,
                        const struct rec_names *names)
{
    switch (r->type) {
    case PERF_REC_MMAP:
    case PERF_REC_MMAP2:
        text_mmap(t, r);
        return true;
    case PERF_REC_COMM:
        text_comm(t, r);
        return true;
    case PERF_REC_FORK:
    case PERF_REC_EXIT:
        text_task(t, r);
        return true;
    case PERF_REC_AUX:
        text_aux(t, r);
        return true;
    case PERF_REC_ITRACE_START:
        text_itrace_start(t, r);
        return true;
    case PERF_REC_SWITCH:
    case PERF_REC_SWITCH_CPU_WIDE:
        text_switch(t, r);
        return true;
    case PERF_REC_NAMESPACES:
        text_namespaces(t, r);
        return true;
    case PERF_REC_KSYMBOL:
        text_ksymbol(t, r);
        return true;
    case PERF_REC_BPF_EVENT:
        text_bpf(t, r);
        return true;
    case PERF_REC_CGROUP:
        text_cgroup(t, r);
        return true;
    case PERF_REC_TEXT_POKE:
        text_text_poke(t, r, names);
        return true;
    case PERF_REC_AUX_OUTPUT_HW_ID:
        text_hw_id(t, r);
        return true;
    }
    return false;
}

void rec_text(struct text *t, const struct perf_rec *r, const struct rec_names *names)
{
    if (text_common(t, r, names))
        return;
    if (r->type == PERF_REC_LOST)
        text_lost(t, r, false);
    else
        text_char(t, '\n');
}

void rec_text_dump(struct text *t, const struct perf_file *f, const struct perf_rec *r,
                   const struct rec_names *names, bool errors)
{
    if (r->type >= PERF_REC_USER)
        rec_text_tool(t, r, errors);
    else if (r->type == PERF_REC_LOST || r->type == PERF_REC_LOST_SAMPLES)
        text_lost(t, r, true);
    else if (r->type == PERF_REC_READ)
        text_read(t, f, r, names);
    else if (r->type == PERF_REC_CALLCHAIN_DEFERRED)
        text_deferred(t, r);
    else
        text_common(t, r, names);
}
