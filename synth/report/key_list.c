/* key_list.c - which keys of --sort there are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/key_parts.h"

#include <strings.h>

/* perf has these, too. */
static const struct key no_socket = {.name = "socket"};
static const struct key no_local_weight = {.name = "local_weight"};
static const struct key no_weight = {.name = "weight"};
static const struct key no_transaction = {.name = "transaction"};
static const struct key no_cgroup = {.name = "cgroup"};
static const struct key no_cgroup_id = {.name = "cgroup_id"};
static const struct key no_code_page_size = {.name = "code_page_size"};
static const struct key no_local_ins_lat = {.name = "local_ins_lat"};
static const struct key no_ins_lat = {.name = "ins_lat"};
static const struct key no_local_p_stage_cyc = {.name = "local_p_stage_cyc"};
static const struct key no_p_stage_cyc = {.name = "p_stage_cyc"};

/* In perf's order: the first of which a word is the beginning is meant. */
static const struct key *const keys[] = {
    &key_pid,
    &key_comm,
    &key_dso,
    &key_symbol,
    &key_parent,
    &key_cpu,
    &no_socket,
    &key_srcline,
    &key_srcfile,
    &no_local_weight,
    &no_weight,
    &no_transaction,
    &key_trace,
    &key_symbol_size,
    &key_dso_size,
    &no_cgroup,
    &no_cgroup_id,
    &key_ipc_null,
    &key_time,
    &no_code_page_size,
    &no_local_ins_lat,
    &no_ins_lat,
    &no_local_p_stage_cyc,
    &no_p_stage_cyc,
    &key_addr,
    &key_dso_from,
    &key_dso_to,
    &key_symbol_from,
    &key_symbol_to,
    &key_mispredict,
    &key_in_tx,
    &key_abort,
    &key_cycles,
    &key_srcline_from,
    &key_srcline_to,
    &key_ipc_lbr,
    &key_addr_from,
    &key_addr_to,
};

const struct key *key_find(const char *name, size_t n)
{
    for (size_t i = 0; n && i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strncasecmp(keys[i]->name, name, n) == 0)
            return keys[i];
    return NULL;
}
