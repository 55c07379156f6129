/* rec_text_kernel.c - the kernel's records in perf's words, SAMPLE apart.
 *
 * SPDX-License-Identifier: MIT
 *
 * Widths, signs and "0x" are perf's, to the byte: some ids are printed signed, some
 * unsigned, and zero has a prefix in some places only.
 */
#include "synth/print/record/rec_text.h"
#include "synth/print/record/rec_words.h"

/* Either the build id or device and inode are there: they share their bytes in
 * MMAP2. */
static void text_mmap_file(struct text *t, const struct pts_mmap *m)
{
    text_char(t, ' ');
    if (m->build_id) {
        text_char(t, '<');
        for (unsigned i = 0; i < m->build_id_len; i++)
            text_byte(t, m->build_id[i]);
        text_char(t, '>');
    } else {
        text_fmt(t, "%02x:%02x ", m->maj, m->min);
        text_dec(t, m->ino, 0);
        label_dec(t, " ", m->ino_gen);
    }
}

static void text_mmap(struct text *t, const struct record *r)
{
    const struct pts_mmap *m = &r->u.mmap;
    label_int(t, " ", m->pid);
    label_int(t, "/", m->tid);
    label_hex_alt(t, ": [", m->addr);
    label_hex_alt(t, "(", m->len);
    label_hex_alt(t, ") @ ", m->pgoff);
    /* MMAP knows no protection: misc says data or code. */
    if (r->head.type == PTS_RECORD_MMAP) {
        text_str(t, r->head.misc & PTS_MISC_MMAP_DATA ? "]: r " : "]: x ");
    } else {
        text_mmap_file(t, m);
        text_str(t, "]: ");
        text_char(t, m->prot & 1 ? 'r' : '-');
        text_char(t, m->prot & 2 ? 'w' : '-');
        text_char(t, m->prot & 4 ? 'x' : '-');
        text_str(t, m->flags & 1 ? "s " : "p ");
    }
    label_str(t, m->name, "\n");
}

static void text_comm(struct text *t, const struct record *r)
{
    const struct pts_comm *c = &r->u.comm;
    label_str(t, c->exec ? " exec: " : ": ", c->comm);
    label_int(t, ":", c->pid);
    label_int(t, "/", c->tid);
    text_char(t, '\n');
}

static void text_task(struct text *t, const struct record *r)
{
    const struct pts_task *k = &r->u.task;
    label_int(t, "(", k->pid);
    label_int(t, ":", k->tid);
    label_int(t, "):(", k->ppid);
    label_int(t, ":", k->ptid);
    text_str(t, ")\n");
}

static void text_aux(struct text *t, const struct record *r)
{
    const struct pts_aux *a = &r->u.aux;
    label_hex_alt(t, " offset: ", a->offset);
    label_hex_alt(t, " size: ", a->size);
    label_hex_alt(t, " flags: ", a->flags);
    text_str(t, a->flags & PTS_AUX_TRUNCATED ? " [T" : " [");
    text_str(t, a->flags & PTS_AUX_OVERWRITE ? "O" : "");
    text_str(t, a->flags & PTS_AUX_PARTIAL ? "P]\n" : "]\n");
}

static void text_itrace_start(struct text *t, const struct record *r)
{
    label_dec(t, " pid: ", (uint32_t)r->u.thread.pid);
    label_dec(t, " tid: ", (uint32_t)r->u.thread.tid);
    text_char(t, '\n');
}

/* Which way is in misc, so that is said of a record without a body, too. */
static void text_switch(struct text *t, const struct record *r)
{
    bool out = r->head.misc & PTS_MISC_SWITCH_OUT;
    bool preempt = out && r->head.misc & PTS_MISC_SWITCH_PREEMPT;
    text_str(t, preempt ? " OUT preempt" : out ? " OUT        " : " IN         ");
    if (r->how != PTS_RECORD_WHOLE)
        return;
    if (r->head.type == PTS_RECORD_SWITCH_CPU_WIDE) {
        text_str(t, out ? "  next pid/tid: " : "  prev pid/tid: ");
        text_int(t, r->u.thread.pid, 5);
        text_char(t, '/');
        text_intl(t, r->u.thread.tid, 5);
    }
    text_char(t, '\n');
}

static void text_namespaces(struct text *t, const struct record *r)
{
    static const char *const names[] = {"net",  "uts", "ipc",   "pid",
                                        "user", "mnt", "cgroup"};
    const struct pts_namespaces *n = &r->u.namespaces;
    label_int(t, " ", n->pid);
    label_int(t, "/", n->tid);
    label_dec(t, " - nr_namespaces: ", n->count);
    text_str(t, "\n\t\t[");
    for (uint64_t i = 0; i < n->count; i++) {
        struct pts_namespace one = pts_namespace_at(n, i);
        if (i && i % 4 == 0)
            text_str(t, "\n\t\t ");
        text_dec(t, i, 0);
        /* By position: a record does not say which namespace an entry is of. */
        label_str(t, "/", i < sizeof(names) / sizeof(names[0]) ? names[i] : "UNKNOWN");
        label_dec(t, ": ", one.dev);
        text_char(t, '/');
        text_hex_alt(t, one.ino);
        text_str(t, i + 1 < n->count ? ", " : "]\n");
    }
}

static void text_ksymbol(struct text *t, const struct record *r)
{
    const struct pts_ksymbol *k = &r->u.ksymbol;
    label_hex(t, " addr ", k->addr);
    label_dec(t, " len ", k->len);
    label_dec(t, " type ", k->type);
    label_hex(t, " flags 0x", k->flags);
    label_str(t, " name ", k->name);
    text_char(t, '\n');
}

static void text_bpf_event(struct text *t, const struct record *r)
{
    const struct pts_bpf_event *b = &r->u.bpf_event;
    label_dec(t, " type ", b->type);
    label_dec(t, ", flags ", b->flags);
    label_dec(t, ", id ", b->id);
    text_char(t, '\n');
}

static void text_cgroup(struct text *t, const struct record *r)
{
    label_dec(t, " cgroup: ", r->u.cgroup.id);
    label_str(t, " ", r->u.cgroup.path);
    text_char(t, '\n');
}

/* 16 bytes to a line; the label stands in front of each. */
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

static void text_text_poke(struct text *t, const struct record *r,
                           const struct rec_around *around)
{
    const struct pts_text_poke *p = &r->u.text_poke;
    const struct rec_names *names = around->names;
    label_hex(t, " ", p->addr);
    text_char(t, ' ');
    /* Not everybody who uses these words has symbols. */
    if (names->symbol)
        names->symbol(names->ctx, p->addr, t);
    label_dec(t, " old len ", p->old_len);
    label_dec(t, " new len ", p->new_len);
    text_char(t, '\n');
    text_poked(t, "Old bytes:", p->bytes, p->old_len);
    text_poked(t, "New bytes:", p->bytes + p->old_len, p->new_len);
}

static void text_hw_id(struct text *t, const struct record *r)
{
    label_hex_alt(t, " hw_id: ", r->u.hw_id.hw_id);
    text_char(t, '\n');
}

static void text_lost(struct text *t, const struct record *r)
{
    label_dec(t, ": id:", r->u.lost.id);
    label_dec(t, ": lost:", r->u.lost.lost);
    text_char(t, '\n');
}

/* perf script shows the number alone. */
static void line_lost(struct text *t, const struct record *r)
{
    label_dec(t, " lost ", r->u.lost.lost);
    text_char(t, '\n');
}

static void text_lost_samples(struct text *t, const struct record *r)
{
    label_dec(t, ": id:", r->head.id.id);
    label_dec(t, ": lost samples :", r->u.lost.lost);
    text_char(t, '\n');
}

/* perf takes the words behind pid and tid for value, enabled, running, id and lost, one
 * of each, whatever the event's read_format says is there, and goes on into the sample
 * id; only which lines there are depends on the format. */
static void text_read(struct text *t, const struct record *r,
                      const struct rec_around *around)
{
    static const struct {
        uint64_t bit;
        const char *label;
    } lines[] = {
        {PTS_READ_TIME_ENABLED, "... time enabled : "},
        {PTS_READ_TIME_RUNNING, "... time running : "},
        {PTS_READ_ID,           "... id           : "},
        {PTS_READ_LOST,         "... lost         : "}
    };
    const struct rec_names *names = around->names;
    struct reader words = reader_of(r->head.ptr + PERF_REC_HEADER,
                                    (size_t)(r->head.size - PERF_REC_HEADER));
    uint32_t pid = reader_u32(&words), tid = reader_u32(&words);
    uint32_t event = r->head.evsel;
    /* Without the event its format is not known, and nothing can be told. */
    if (event == PTS_NO_EVENT || words.bad || !around->file)
        return;
    uint64_t format = around->file->evsel.at[event].attr.read_format;
    label_int(t, ": ", (int32_t)pid);
    label_int(t, " ", (int32_t)tid);
    label_str(t, " ", names->event ? names->event(names->ctx, event) : "unknown");
    label_dec(t, " ", reader_u64(&words));
    text_char(t, '\n');
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        /* Read even if it is not shown: the next line is of the next word. */
        uint64_t word = reader_u64(&words);
        if (!(format & lines[i].bit))
            continue;
        label_dec(t, lines[i].label, word);
        text_char(t, '\n');
    }
    if (!names->counts)
        text_str(t, ": unhandled!\n");
}

/* Like a sample whose address is the cookie. */
static void text_deferred(struct text *t, const struct record *r)
{
    const struct pts_deferred *d = &r->u.deferred;
    text_fmt(t, "(IP, 0x%x): %d/%d: %#llx\n", r->head.misc, r->head.id.pid,
             r->head.id.tid, (unsigned long long)d->cookie);
    text_fmt(t, "... FP chain: nr:%llu\n", (unsigned long long)d->ips.count);
    for (uint64_t i = 0; i < d->ips.count; i++)
        text_fmt(t, "..... %2d: %016llx\n", (int)i,
                 (unsigned long long)pts_word(&d->ips, i));
}

const struct rec_words *rec_words_kernel(uint32_t type)
{
    /* clang-format off */
    static const struct rec_words words[] = {
        [PTS_RECORD_MMAP]               = {text_mmap},
        [PTS_RECORD_LOST]               = {text_lost, .line = line_lost},
        [PTS_RECORD_COMM]               = {text_comm},
        [PTS_RECORD_EXIT]               = {text_task},
        [PTS_RECORD_FORK]               = {text_task},
        [PTS_RECORD_READ]               = {.named = text_read, .damaged = true},
        [PTS_RECORD_MMAP2]              = {text_mmap},
        [PTS_RECORD_AUX]                = {text_aux},
        [PTS_RECORD_ITRACE_START]       = {text_itrace_start},
        [PTS_RECORD_LOST_SAMPLES]       = {text_lost_samples},
        [PTS_RECORD_SWITCH]             = {text_switch},
        [PTS_RECORD_SWITCH_CPU_WIDE]    = {text_switch, .damaged = true},
        [PTS_RECORD_NAMESPACES]         = {text_namespaces},
        [PTS_RECORD_KSYMBOL]            = {text_ksymbol},
        [PTS_RECORD_BPF_EVENT]          = {text_bpf_event},
        [PTS_RECORD_CGROUP]             = {text_cgroup},
        [PTS_RECORD_TEXT_POKE]          = {.named = text_text_poke},
        [PTS_RECORD_AUX_OUTPUT_HW_ID]   = {text_hw_id},
        [PTS_RECORD_CALLCHAIN_DEFERRED] = {text_deferred},
    };
    /* clang-format on */
    return &RECORD_ROW(words, type);
}
