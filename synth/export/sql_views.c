/* sql_views.c - the statements that make tables and views.
 *
 * SPDX-License-Identifier: MIT
 *
 * The text of a view has marks for what databases write in different ways: $X begins hexadecimal
 * digits of a number, $I instructions per cycle, $N a boolean that is not, $T a number where
 * others are texts.  Views have names, columns and rows of those that perf's scripts make.
 */
#include "synth/export/sql.h"

#include <string.h>

struct view {
    enum sql_table_id of; /* it is there when this table is */
    const char *name;
    const char *text; /* NULL: that of the dialect */
};

#define PROCESS                                                                        \
    "(SELECT pid FROM threads WHERE id=thread_id) AS pid,"                             \
    "(SELECT tid FROM threads WHERE id=thread_id) AS tid,"
#define COMMAND "(SELECT comm FROM comms WHERE id=comm_id) AS command,"
#define HOST_OR_GUEST                                                                  \
    "(SELECT host_or_guest FROM machines_view WHERE id=machine_id) AS host_or_guest,"
#define WITH_SAMPLE(table) " FROM " table " JOIN samples ON samples.id=" table ".id"
#define WHETHER(column)                                                                \
    "CASE WHEN " column "=$N THEN 'False' ELSE 'True' END AS " column

static const struct view views[] = {
    {SQL_MACHINES,         "machines_view",
     "SELECT id,pid,root_dir,"
     "CASE WHEN id=0 THEN 'unknown' WHEN pid=-1 THEN 'host' ELSE 'guest' END"
     " AS host_or_guest FROM machines"                                                                         },
    {SQL_DSOS,             "dsos_view",
     "SELECT id,machine_id," HOST_OR_GUEST "short_name,long_name,build_id FROM dsos"                           },
    {SQL_SYMBOLS,          "symbols_view",
     "SELECT id,name,(SELECT short_name FROM dsos WHERE id=dso_id) AS dso,dso_id,"
     "sym_start,sym_end,CASE binding WHEN 0 THEN 'local' WHEN 1 THEN 'global'"
     " ELSE 'weak' END AS binding FROM symbols"                                                                },
    {SQL_THREADS,          "threads_view",
     "SELECT id,machine_id," HOST_OR_GUEST "process_id,pid,tid FROM threads"                                   },
    {SQL_COMM_THREADS,     "comm_threads_view",
     "SELECT comm_id," COMMAND "thread_id,"
     "(SELECT pid FROM threads WHERE id=thread_id) AS pid,"
     "(SELECT tid FROM threads WHERE id=thread_id) AS tid FROM comm_threads"                                   },
    {SQL_CALL_PATHS,       "call_paths_view",
     "SELECT c.id,$Xc.ip) AS ip,c.symbol_id,"
     "(SELECT name FROM symbols WHERE id=c.symbol_id) AS symbol,"
     "(SELECT dso_id FROM symbols WHERE id=c.symbol_id) AS dso_id,"
     "(SELECT dso FROM symbols_view WHERE id=c.symbol_id) AS dso_short_name,"
     "c.parent_id,$Xp.ip) AS parent_ip,p.symbol_id AS parent_symbol_id,"
     "(SELECT name FROM symbols WHERE id=p.symbol_id) AS parent_symbol,"
     "(SELECT dso_id FROM symbols WHERE id=p.symbol_id) AS parent_dso_id,"
     "(SELECT dso FROM symbols_view WHERE id=p.symbol_id) AS parent_dso_short_name"
     " FROM call_paths c JOIN call_paths p ON p.id=c.parent_id"                                                },
    {SQL_CALLS_TABLE,      "calls_view",
     "SELECT calls.id,thread_id," PROCESS COMMAND "call_path_id,$Xip) AS ip,symbol_id,"
     "(SELECT name FROM symbols WHERE id=symbol_id) AS symbol,"
     "call_time,return_time,return_time-call_time AS elapsed_time,"
     "branch_count,insn_count,cyc_count,$I AS IPC,call_id,return_id,"
     "CASE flags WHEN 0 THEN '' WHEN 1 THEN 'no call' WHEN 2 THEN 'no return'"
     " WHEN 3 THEN 'no call/return' WHEN 6 THEN 'jump' ELSE flags$T END AS flags,"
     "parent_call_path_id,calls.parent_id"
     " FROM calls JOIN call_paths ON call_paths.id=call_path_id"                                               },
    {SQL_SAMPLES,          "samples_view",
     "SELECT id,time,cpu," PROCESS COMMAND
     "(SELECT name FROM selected_events WHERE id=evsel_id) AS event,$Xip) AS ip_hex,"
     "(SELECT name FROM symbols WHERE id=symbol_id) AS symbol,sym_offset,"
     "(SELECT short_name FROM dsos WHERE id=dso_id) AS dso_short_name,"
     "$Xto_ip) AS to_ip_hex,"
     "(SELECT name FROM symbols WHERE id=to_symbol_id) AS to_symbol,to_sym_offset,"
     "(SELECT short_name FROM dsos WHERE id=to_dso_id) AS to_dso_short_name,"
     "(SELECT name FROM branch_types WHERE id=branch_type) AS branch_type_name,"
     "in_tx,insn_count,cyc_count,$I AS IPC,flags FROM samples"                                                 },
    {SQL_PTWRITE,          "ptwrite_view",
     "SELECT ptwrite.id,time,cpu,$Xpayload) AS payload_hex," WHETHER("exact_ip")
         WITH_SAMPLE("ptwrite")                                                                                },
    {SQL_CBR,              "cbr_view",              "SELECT cbr.id,time,cpu,cbr,mhz,percent" WITH_SAMPLE("cbr")},
    {SQL_MWAIT,            "mwait_view",
     "SELECT mwait.id,time,cpu,$Xhints) AS hints_hex,$Xextensions) AS "
     "extensions_hex" WITH_SAMPLE("mwait")                                                                     },
    {SQL_PWRE,             "pwre_view",
     "SELECT pwre.id,time,cpu,cstate,subcstate," WHETHER("hw") WITH_SAMPLE("pwre")                             },
    {SQL_EXSTOP,           "exstop_view",
     "SELECT exstop.id,time,cpu," WHETHER("exact_ip") WITH_SAMPLE("exstop")                                    },
    {SQL_PWRX,             "pwrx_view",
     "SELECT pwrx.id,time,cpu,deepest_cstate,last_cstate,"
     "CASE wake_reason WHEN 1 THEN 'Interrupt' WHEN 2 THEN 'Timer Deadline'"
     " WHEN 4 THEN 'Monitored Address' WHEN 8 THEN 'HW' ELSE wake_reason$T END"
     " AS wake_reason" WITH_SAMPLE("pwrx")                                                                     },
    {SQL_PWRX,             "power_events_view",     NULL                                                       },
    {SQL_CONTEXT_SWITCHES, "context_switches_view",
     "SELECT s.id,s.machine_id,s.time,s.cpu,o.pid AS pid_out,o.tid AS tid_out,"
     "oc.comm AS comm_out,i.pid AS pid_in,i.tid AS tid_in,ic.comm AS comm_in,"
     "CASE s.flags WHEN 0 THEN 'in' WHEN 1 THEN 'out' WHEN 3 THEN 'out preempt'"
     " ELSE s.flags$T END AS flags FROM context_switches s"
     " JOIN threads o ON o.id=s.thread_out_id JOIN threads i ON i.id=s.thread_in_id"
     " JOIN comms oc ON oc.id=s.comm_out_id JOIN comms ic ON ic.id=s.comm_in_id"                               },
};

static const char *mark(char c, const struct sql_dialect *d)
{
    return c == 'X' ? d->hex : c == 'I' ? d->ipc : c == 'N' ? d->no : d->as_text;
}

static void put_marked(struct text *t, const char *s, const struct sql_dialect *d)
{
    for (const char *at; (at = strchr(s, '$')) != NULL; s = at + 2) {
        text_put(t, s, (size_t)(at - s));
        text_str(t, mark(at[1], d));
    }
    text_str(t, s);
}

bool sql_create_view(struct text *t, size_t i, const uint64_t rows[SQL_TABLES],
                     const struct sql_opts *o, const struct sql_dialect *d)
{
    if (i >= sizeof(views) / sizeof(views[0]))
        return false;
    const struct view *v = &views[i];
    if (sql_has_table(v->of, o) && sql_stays(v->of, rows)) {
        text_str(t, "CREATE VIEW ");
        text_str(t, v->name);
        text_str(t, " AS ");
        put_marked(t, v->text ? v->text : d->power_events, d);
    }
    return true;
}

static void put_column(struct text *t, const struct sql_column *c, enum sql_type id,
                       const struct sql_dialect *d)
{
    bool renamed = strcmp(c->name, "transaction") == 0;

    text_str(t, renamed ? d->transaction : c->name);
    text_char(t, ' ');
    if (c->type == SQL_ID) {
        text_str(t, d->type[SQL_ID] ? d->type[SQL_ID] : d->type[id]);
        if (!d->type[SQL_ID])
            text_str(t, " NOT NULL");
        return;
    }
    text_str(t, d->type[c->type]);
    if (c->type == SQL_TEXT)
        text_fmt(t, "(%u)", (unsigned)c->len);
}

void sql_create_table(struct text *t, enum sql_table_id id, const struct sql_opts *o,
                      const struct sql_dialect *d)
{
    const struct sql_table *table = &sql_tables[id];

    text_str(t, "CREATE TABLE ");
    text_str(t, table->name);
    for (size_t i = 0; i < table->count; i++) {
        if (table->column[i].all && o->branches)
            continue;
        text_str(t, i ? "," : "(");
        put_column(t, &table->column[i], table->id, d);
    }
    text_char(t, ')');
}
