/* key_list.c - which keys of --sort there are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/key/key_parts.h"

#include <strings.h>

/* In perf's order: the first of which a word is the beginning is meant. */
static const struct key *const keys[] = {
    &key_pid,
    &key_comm,
    &key_dso,
    &key_symbol,
    &key_parent,
    &key_cpu,
    &key_socket,
    &key_srcline,
    &key_srcfile,
    &key_local_weight,
    &key_weight,
    &key_transaction,
    &key_trace,
    &key_symbol_size,
    &key_dso_size,
    &key_cgroup,
    &key_cgroup_id,
    &key_ipc_null,
    &key_time,
    &key_code_page_size,
    &key_local_ins_lat,
    &key_ins_lat,
    &key_local_p_stage_cyc,
    &key_p_stage_cyc,
    &key_addr,
    &key_dso_from,
    &key_dso_to,
    &key_symbol_from,
    &key_symbol_to,
    &key_mispredict,
    &key_abort,
    &key_in_tx,
    &key_cycles,
    &key_srcline_from,
    &key_srcline_to,
    &key_ipc_lbr,
    &key_addr_from,
    &key_addr_to,
    &key_symbol_daddr,
    &key_dso_daddr,
    &key_locked,
    &key_tlb,
    &key_mem,
    &key_snoop,
    &key_dcacheline,
    &key_symbol_iaddr,
    &key_phys_daddr,
    &key_data_page_size,
    &key_blocked,
};

const struct key *key_find(const char *name, size_t n)
{
    for (size_t i = 0; n && i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strncasecmp(keys[i]->name, name, n) == 0)
            return keys[i];
    return NULL;
}

const char *key_name_at(size_t i)
{
    return i < sizeof(keys) / sizeof(keys[0]) ? keys[i]->name : NULL;
}
