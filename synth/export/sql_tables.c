/* sql_tables.c - the tables of a database, and which rows go into them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Most tables take rows as they are.  What made samples carry as raw data is taken apart here
 * (packets: SDM, "Power Event Tracing", PTWRITE; the data: perf's struct perf_synth_*).
 */
#include "synth/export/sql.h"

#include "decoder/base/bytes.h"

#include <string.h>

#define ID                                                                             \
    {                                                                                  \
        "id", SQL_ID, 0, false                                                         \
    }
#define BIG(name)                                                                      \
    {                                                                                  \
        name, SQL_BIGINT, 0, false                                                     \
    }
#define INT(name)                                                                      \
    {                                                                                  \
        name, SQL_INTEGER, 0, false                                                    \
    }
#define BOOL(name)                                                                     \
    {                                                                                  \
        name, SQL_BOOLEAN, 0, false                                                    \
    }
#define FLAG(name)                                                                     \
    {                                                                                  \
        name, SQL_FLAG, 0, false                                                       \
    }
#define STR(name, n)                                                                   \
    {                                                                                  \
        name, SQL_TEXT, n, false                                                       \
    }
#define ALL(name)                                                                      \
    {                                                                                  \
        name, SQL_BIGINT, 0, true                                                      \
    }

/* clang-format off */
static const struct sql_column
    selected_events[] = {ID, STR("name", 80)},
    machines[] = {ID, INT("pid"), STR("root_dir", 4096)},
    threads[] = {ID, BIG("machine_id"), BIG("process_id"), INT("pid"), INT("tid")},
    comms[] = {ID, STR("comm", 16), BIG("c_thread_id"), BIG("c_time"), BOOL("exec_flag")},
    comm_threads[] = {ID, BIG("comm_id"), BIG("thread_id")},
    dsos[] = {ID, BIG("machine_id"), STR("short_name", 256), STR("long_name", 4096),
              STR("build_id", 64)},
    symbols[] = {ID, BIG("dso_id"), BIG("sym_start"), BIG("sym_end"), INT("binding"),
                 STR("name", 2048)},
    branch_types[] = {ID, STR("name", 80)},
    samples[] = {ID, BIG("evsel_id"), BIG("machine_id"), BIG("thread_id"), BIG("comm_id"),
                 BIG("dso_id"), BIG("symbol_id"), BIG("sym_offset"), BIG("ip"), BIG("time"),
                 INT("cpu"), BIG("to_dso_id"), BIG("to_symbol_id"), BIG("to_sym_offset"),
                 BIG("to_ip"), ALL("period"), ALL("weight"), ALL("transaction"),
                 ALL("data_src"), INT("branch_type"), BOOL("in_tx"), BIG("call_path_id"),
                 BIG("insn_count"), BIG("cyc_count"), INT("flags")},
    call_paths[] = {ID, BIG("parent_id"), BIG("symbol_id"), BIG("ip")},
    calls[] = {ID, BIG("thread_id"), BIG("comm_id"), BIG("call_path_id"), BIG("call_time"),
               BIG("return_time"), BIG("branch_count"), BIG("call_id"), BIG("return_id"),
               BIG("parent_call_path_id"), INT("flags"), BIG("parent_id"), BIG("insn_count"),
               BIG("cyc_count")},
    ptwrite[] = {ID, BIG("payload"), FLAG("exact_ip")},
    cbr[] = {ID, INT("cbr"), INT("mhz"), INT("percent")},
    mwait[] = {ID, INT("hints"), INT("extensions")},
    pwre[] = {ID, INT("cstate"), INT("subcstate"), FLAG("hw")},
    exstop[] = {ID, FLAG("exact_ip")},
    pwrx[] = {ID, INT("deepest_cstate"), INT("last_cstate"), INT("wake_reason")},
    context_switches[] = {ID, BIG("machine_id"), BIG("time"), INT("cpu"),
                          BIG("thread_out_id"), BIG("comm_out_id"), BIG("thread_in_id"),
                          BIG("comm_in_id"), INT("flags")};

#define TABLE(name, when, id) {#name, when, id, name, sizeof(name) / sizeof((name)[0])}

const struct sql_table sql_tables[SQL_TABLES] = {
    [SQL_SELECTED_EVENTS]  = TABLE(selected_events, SQL_ALWAYS, SQL_BIGINT),
    [SQL_MACHINES]         = TABLE(machines, SQL_ALWAYS, SQL_BIGINT),
    [SQL_THREADS]          = TABLE(threads, SQL_ALWAYS, SQL_BIGINT),
    [SQL_COMMS]            = TABLE(comms, SQL_ALWAYS, SQL_BIGINT),
    [SQL_COMM_THREADS]     = TABLE(comm_threads, SQL_ALWAYS, SQL_BIGINT),
    [SQL_DSOS]             = TABLE(dsos, SQL_ALWAYS, SQL_BIGINT),
    [SQL_SYMBOLS]          = TABLE(symbols, SQL_ALWAYS, SQL_BIGINT),
    [SQL_BRANCH_TYPES]     = TABLE(branch_types, SQL_ALWAYS, SQL_INTEGER),
    [SQL_SAMPLES]          = TABLE(samples, SQL_ALWAYS, SQL_BIGINT),
    [SQL_CALL_PATHS]       = TABLE(call_paths, SQL_PATHS, SQL_BIGINT),
    [SQL_CALLS_TABLE]      = TABLE(calls, SQL_CALLS, SQL_BIGINT),
    [SQL_PTWRITE]          = TABLE(ptwrite, SQL_IF_USED, SQL_BIGINT),
    [SQL_CBR]              = TABLE(cbr, SQL_IF_USED, SQL_BIGINT),
    [SQL_MWAIT]            = TABLE(mwait, SQL_IF_USED, SQL_BIGINT),
    [SQL_PWRE]             = TABLE(pwre, SQL_IF_USED, SQL_BIGINT),
    [SQL_EXSTOP]           = TABLE(exstop, SQL_IF_USED, SQL_BIGINT),
    [SQL_PWRX]             = TABLE(pwrx, SQL_IF_USED, SQL_BIGINT),
    [SQL_CONTEXT_SWITCHES] = TABLE(context_switches, SQL_IF_USED, SQL_BIGINT),
};

static const uint8_t table_of[EXPORT_TABLES] = {
    [EXPORT_EVSEL] = SQL_SELECTED_EVENTS,
    [EXPORT_MACHINE] = SQL_MACHINES,
    [EXPORT_THREAD] = SQL_THREADS,
    [EXPORT_COMM] = SQL_COMMS,
    [EXPORT_COMM_THREAD] = SQL_COMM_THREADS,
    [EXPORT_DSO] = SQL_DSOS,
    [EXPORT_SYMBOL] = SQL_SYMBOLS,
    [EXPORT_BRANCH_TYPE] = SQL_BRANCH_TYPES,
    [EXPORT_SAMPLE] = SQL_SAMPLES,
    [EXPORT_CALL_PATH] = SQL_CALL_PATHS,
    [EXPORT_CALL] = SQL_CALLS_TABLE,
    [EXPORT_CONTEXT_SWITCH] = SQL_CONTEXT_SWITCHES,
    [EXPORT_SYNTH] = SQL_TABLES, /* several */
};
/* clang-format on */

/* --- Raw data of made samples ----------------------------------------------------- */

static void add_int(struct sql_row *r, uint64_t n)
{
    r->own[r->count++] = (struct export_value){.kind = EXPORT_INT, .n = (int64_t)n};
}

static void add_real(struct sql_row *r, double real)
{
    r->own[r->count++] = (struct export_value){.kind = EXPORT_REAL, .real = real};
}

/* Flags, whose lowest bit says that the ip is exact, then the payload of the packet. */
struct synth {
    uint32_t flags;
    uint64_t payload;
    struct export_value raw;
};

static void take_ptwrite(const struct synth *s, struct sql_row *r)
{
    r->table = SQL_PTWRITE;
    add_int(r, s->payload);
    add_int(r, s->flags & 1);
}

static void take_mwait(const struct synth *s, struct sql_row *r)
{
    r->table = SQL_MWAIT;
    add_int(r, s->payload & 0xff);
    add_int(r, s->payload >> 32 & 3);
}

static void take_pwre(const struct synth *s, struct sql_row *r)
{
    r->table = SQL_PWRE;
    add_int(r, s->payload >> 12 & 0xf);
    add_int(r, s->payload >> 8 & 0xf);
    add_int(r, s->payload >> 7 & 1);
}

static void take_exstop(const struct synth *s, struct sql_row *r)
{
    r->table = SQL_EXSTOP;
    add_int(r, s->flags & 1);
}

static void take_pwrx(const struct synth *s, struct sql_row *r)
{
    r->table = SQL_PWRX;
    add_int(r, s->payload & 0xf);
    add_int(r, s->payload >> 4 & 0xf);
    add_int(r, s->payload >> 8 & 0xf);
}

/* Its bytes: the ratio, one not used, the greatest without turbo, one more; then the frequency in kHz.
 * The scripts mean to round, but their language divides without. */
static void take_cbr(const struct synth *s, struct sql_row *r)
{
    enum { MAX_RATIO = 2, KHZ = 4, LEN = 12 };
    const uint8_t *raw = s->raw.bytes;

    r->table = SQL_CBR;
    if (s->raw.len < LEN || !raw[MAX_RATIO])
        return;
    add_int(r, raw[0]);
    add_real(r, (rd_u32(raw + KHZ) + 500.0) / 1000);
    add_real(r, (raw[0] * 1000.0 / raw[MAX_RATIO] + 5) / 10);
}

/* By the config of the event; others have no table. */
static void (*const take_synth[])(const struct synth *, struct sql_row *) = {
    take_ptwrite, take_mwait, take_pwre, take_exstop, take_pwrx, take_cbr};
enum { SYNTHS = sizeof(take_synth) / sizeof(take_synth[0]) };

static bool synth_row(const struct export_row *row, struct sql_row *out)
{
    enum { FLAGS_LEN = 4, LEN = 12 };
    const struct export_value raw = row->value[2];
    uint64_t config = (uint64_t)row->value[1].n;
    struct synth s = {.raw = raw};

    if (config >= SYNTHS || raw.len < FLAGS_LEN)
        return false;
    s.flags = rd_u32(raw.bytes);
    if (raw.len >= LEN)
        s.payload = rd_u64(raw.bytes + FLAGS_LEN);
    out->value = out->own;
    out->own[0] = row->value[0];
    out->count = 1;
    take_synth[config](&s, out);
    return out->count == sql_tables[out->table].count;
}

/* --- Rows ------------------------------------------------------------------------- */

/* Without the columns that nobody asked for. */
static void sample_row(struct sql_row *out)
{
    const struct export_value *all = out->value;
    size_t n = 0;

    for (size_t i = 0; i < out->count; i++)
        if (!samples[i].all)
            out->own[n++] = all[i];
    out->value = out->own;
    out->count = n;
}

bool sql_row_of(const struct export_row *row, const struct sql_opts *o,
                struct sql_row *out)
{
    if (row->table == EXPORT_SYNTH)
        return synth_row(row, out);
    out->table = (enum sql_table_id)table_of[row->table];
    out->count = row->count;
    out->value = row->value;
    if (!sql_has_table(out->table, o))
        return false;
    if (out->table == SQL_SAMPLES && o->branches)
        sample_row(out);
    return true;
}

bool sql_has_table(enum sql_table_id t, const struct sql_opts *o)
{
    switch (sql_tables[t].when) {
    case SQL_ALWAYS:
    case SQL_IF_USED:
        return true;
    case SQL_PATHS:
        return o->calls || o->callchains;
    case SQL_CALLS:
        return o->calls;
    }
    return true;
}

bool sql_stays(enum sql_table_id t, const uint64_t rows[SQL_TABLES])
{
    bool power =
        rows[SQL_MWAIT] || rows[SQL_PWRE] || rows[SQL_EXSTOP] || rows[SQL_PWRX];

    if (sql_tables[t].when != SQL_IF_USED || rows[t])
        return true;
    return power && t != SQL_PTWRITE && t != SQL_CONTEXT_SWITCHES;
}

/* --- What is not known ------------------------------------------------------------ */

/* Number 0 of tables to which others refer, so that what they refer to is always there. */
static bool refers_to_nothing(enum sql_table_id t)
{
    return t <= SQL_CALLS_TABLE && t != SQL_COMM_THREADS && t != SQL_BRANCH_TYPES;
}

static bool names_unknown(enum sql_table_id t, size_t column)
{
    const struct sql_column *c = &sql_tables[t].column[column];

    return c->type == SQL_TEXT && strcmp(c->name, "build_id") != 0;
}

bool sql_unknown(size_t i, const struct sql_opts *o, struct sql_row *out)
{
    size_t t = 0;

    for (; t < SQL_TABLES; t++)
        if (refers_to_nothing((enum sql_table_id)t) &&
            sql_has_table((enum sql_table_id)t, o) && !i--)
            break;
    if (t == SQL_TABLES)
        return false;
    *out =
        (struct sql_row){.table = (enum sql_table_id)t, .count = sql_tables[t].count};
    for (size_t c = 0; c < out->count; c++) {
        const struct export_value none = EXPORT_S(""), unknown = EXPORT_S("unknown"),
                                  zero = EXPORT_N(0), nobody = EXPORT_N(-1);
        bool text = sql_tables[t].column[c].type == SQL_TEXT;
        bool task = out->table == SQL_THREADS && c >= 3;
        out->own[c] = names_unknown(out->table, c) ? unknown
                      : text                       ? none
                      : task                       ? nobody
                                                   : zero;
    }
    out->value = out->own;
    if (out->table == SQL_SAMPLES && o->branches)
        sample_row(out);
    return true;
}
