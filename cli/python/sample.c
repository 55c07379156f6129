/* sample.c - a sample as the dict that perf gives to scripts.
 *
 * SPDX-License-Identifier: MIT
 *
 * The order of the keys is perf's, for it shows when a script prints the dict.
 */
#include "python.h"

#include <stdio.h>
#include <string.h>

enum { ATTR_BYTES = 128 };

/* --- What lies at an address ------------------------------------------------------ */

struct place_keys {
    enum key dso, build_id, start, end, symbol, offset;
};

static const struct place_keys keys_of_ip = {
    KEY_dso, KEY_dso_bid, KEY_dso_map_start, KEY_dso_map_end, KEY_symbol, KEY_symoff};
static const struct place_keys keys_of_addr = {
    KEY_addr_dso,         KEY_addr_dso_bid, KEY_addr_dso_map_start,
    KEY_addr_dso_map_end, KEY_addr_symbol,  KEY_addr_symoff};

static bool put_place(struct script *p, PyObject *d, const struct pts_spot *at,
                      const struct place_keys *k)
{
    if (at->dso && !(value_put(p, d, k->dso, value_name(p, at->dso)) &&
                     value_put(p, d, k->build_id,
                               value_build_id(p, at->build_id, at->build_id_len)) &&
                     value_put(p, d, k->start, value_u64(at->map_start)) &&
                     value_put(p, d, k->end, value_u64(at->map_end))))
        return false;
    return !at->symbol || (value_put(p, d, k->symbol, value_name(p, at->symbol)) &&
                           value_put(p, d, k->offset, value_u64(at->symbol_offset)));
}

/* --- Call chain ------------------------------------------------------------------- */

static PyObject *symbol_dict(struct script *p, const struct pts_script_frame *f)
{
    PyObject *d = PyDict_New();
    const char *name = f->inlined ? f->inlined : f->at.symbol;

    if (d && value_put(p, d, KEY_start, value_u64(f->at.symbol_start)) &&
        value_put(p, d, KEY_end, value_u64(f->at.symbol_end)) &&
        value_put(p, d, KEY_binding, value_u64(f->at.binding)) &&
        value_put(p, d, KEY_name, value_name(p, name)))
        return d;
    Py_XDECREF(d);
    return NULL;
}

static bool put_frame(struct script *p, PyObject *d, const struct pts_script_frame *f)
{
    if (!value_put(p, d, KEY_ip, value_u64(f->ip)))
        return false;
    if (f->at.symbol && !(value_put(p, d, KEY_sym, symbol_dict(p, f)) &&
                          value_put(p, d, KEY_sym_off, value_u64(f->at.symbol_offset))))
        return false;
    if (f->at.symbol && f->source && strcmp(f->source, ":0") != 0 &&
        !value_put(p, d, KEY_sym_srcline, value_name(p, f->source)))
        return false;
    return !f->at.dso || value_put(p, d, KEY_dso, value_name(p, f->at.dso));
}

PyObject *sample_callchain(struct script *p, const struct pts_script_sample *s)
{
    PyObject *list = PyList_New((Py_ssize_t)s->frame_count);

    for (size_t i = 0; list && i < s->frame_count; i++) {
        PyObject *d = PyDict_New();
        if (!d || !put_frame(p, d, &s->frames[i])) {
            Py_XDECREF(d);
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, (Py_ssize_t)i, d);
    }
    return list;
}

/* --- Branch stack ----------------------------------------------------------------- */

enum { MISPRED = 1, PREDICTED = 2, IN_TX = 4, ABORT = 8, CYCLES_AT = 4 };

static PyObject *dso_text(struct script *p, const struct pts_spot *at)
{
    return value_name(p, at->dso ? at->dso : "[unknown]");
}

static PyObject *symbol_text(struct script *p, const struct pts_spot *at)
{
    if (!at->symbol)
        return value_name(p, "[unknown]");
    PyObject *name = value_name(p, at->symbol);
    char hex[20];
    snprintf(hex, sizeof(hex), "%llx", (unsigned long long)at->symbol_offset);
    PyObject *text = name ? PyUnicode_FromFormat("%U+0x%s", name, hex) : NULL;
    Py_XDECREF(name);
    return text;
}

static bool put_branch(struct script *p, PyObject *d, const struct pts_script_branch *b)
{
    uint64_t f = b->branch.flags;

    return value_put(p, d, KEY_from, value_u64(b->branch.from)) &&
           value_put(p, d, KEY_to, value_u64(b->branch.to)) &&
           value_put(p, d, KEY_mispred, PyBool_FromLong((f & MISPRED) != 0)) &&
           value_put(p, d, KEY_predicted, PyBool_FromLong((f & PREDICTED) != 0)) &&
           value_put(p, d, KEY_in_tx, PyBool_FromLong((f & IN_TX) != 0)) &&
           value_put(p, d, KEY_abort, PyBool_FromLong((f & ABORT) != 0)) &&
           value_put(p, d, KEY_cycles, value_u64(f >> CYCLES_AT & 0xffff)) &&
           value_put(p, d, KEY_from_dsoname, dso_text(p, &b->from)) &&
           value_put(p, d, KEY_to_dsoname, dso_text(p, &b->to));
}

static bool put_branch_symbols(struct script *p, PyObject *d,
                               const struct pts_script_branch *b)
{
    uint64_t f = b->branch.flags;
    const char *judged = !(f & (MISPRED | PREDICTED)) ? "-" : f & MISPRED ? "M" : "P";

    return value_put(p, d, KEY_from, symbol_text(p, &b->from)) &&
           value_put(p, d, KEY_to, symbol_text(p, &b->to)) &&
           value_put(p, d, KEY_pred, value_name(p, judged)) &&
           value_put(p, d, KEY_in_tx, value_name(p, f & IN_TX ? "X" : "-")) &&
           value_put(p, d, KEY_abort, value_name(p, f & ABORT ? "A" : "-"));
}

typedef bool put_branch_fn(struct script *p, PyObject *d,
                           const struct pts_script_branch *b);

static PyObject *branch_list(struct script *p, const struct pts_script_sample *s,
                             put_branch_fn *put)
{
    PyObject *list = PyList_New((Py_ssize_t)s->branch_count);

    for (size_t i = 0; list && i < s->branch_count; i++) {
        PyObject *d = PyDict_New();
        if (!d || !put(p, d, &s->branches[i])) {
            Py_XDECREF(d);
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, (Py_ssize_t)i, d);
    }
    return list;
}

/* --- The sample itself ------------------------------------------------------------ */

/* (id, value, lost): the last one is not set where the format does not have it. */
static PyObject *counter_tuple(struct script *p, const struct pts_value *v,
                               bool has_lost)
{
    PyObject *t = PyTuple_New(3), *lost = p->unset;

    if (has_lost)
        lost = value_u64(v->lost);
    else
        Py_INCREF(lost);
    if (t && value_at(t, 0, value_u64(v->id)) && value_at(t, 1, value_u64(v->value)) &&
        value_at(t, 2, lost))
        return t;
    Py_XDECREF(t);
    return NULL;
}

static PyObject *counter_list(struct script *p, const struct pts_script_sample *s)
{
    PyObject *list = PyList_New((Py_ssize_t)s->value_count);

    for (size_t i = 0; list && i < s->value_count; i++) {
        PyObject *t =
            counter_tuple(p, &s->values[i], (s->read_format & PTS_READ_LOST) != 0);
        if (!t) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, (Py_ssize_t)i, t);
    }
    return list;
}

static bool put_counters(struct script *p, PyObject *d,
                         const struct pts_script_sample *s)
{
    return (!(s->read_format & PTS_READ_TIME_ENABLED) ||
            value_put(p, d, KEY_time_enabled, value_u64(s->enabled))) &&
           (!(s->read_format & PTS_READ_TIME_RUNNING) ||
            value_put(p, d, KEY_time_running, value_u64(s->running))) &&
           value_put(p, d, KEY_values, counter_list(p, s));
}

static PyObject *text_of(const struct pts_bytes *b)
{
    return value_text((const char *)b->ptr, b->len);
}

static bool put_rest(struct script *p, PyObject *d, const struct pts_script_sample *s)
{
    if (s->addr_is_code) {
        Py_INCREF(Py_True);
        if (!value_put(p, d, KEY_addr_correlates_sym, Py_True) ||
            !put_place(p, d, &s->to, &keys_of_addr))
            return false;
    }
    if (s->flags && !(value_put(p, d, KEY_flags, text_of(&s->flags_letters)) &&
                      value_put(p, d, KEY_flags_disp, text_of(&s->flags_text))))
        return false;
    return !s->insn_cnt || !s->cyc_cnt ||
           (value_put(p, d, KEY_insn_cnt, value_u64(s->insn_cnt)) &&
            value_put(p, d, KEY_cyc_cnt, value_u64(s->cyc_cnt)));
}

static bool put_numbers(struct script *p, PyObject *d,
                        const struct pts_script_sample *s)
{
    return value_put(p, d, KEY_pid, value_u64((uint32_t)s->pid)) &&
           value_put(p, d, KEY_tid, value_u64((uint32_t)s->tid)) &&
           value_put(p, d, KEY_cpu, value_u64(s->cpu)) &&
           value_put(p, d, KEY_ip, value_u64(s->ip)) &&
           value_put(p, d, KEY_time, value_u64(s->time)) &&
           value_put(p, d, KEY_period, value_u64(s->period)) &&
           value_put(p, d, KEY_phys_addr, value_u64(s->phys_addr)) &&
           value_put(p, d, KEY_addr, value_u64(s->addr));
}

static PyObject *inner_dict(struct script *p, const struct pts_script_sample *s)
{
    PyObject *d = PyDict_New();

    if (d && put_numbers(p, d, s) && put_counters(p, d, s) &&
        value_put(p, d, KEY_weight, value_u64(s->weight)) &&
        value_put(p, d, KEY_transaction, value_u64(s->transaction)) &&
        value_put(p, d, KEY_datasrc, value_u64(s->data_src)) &&
        value_put(p, d, KEY_datasrc_decode, text_of(&s->data_src_text)) &&
        (!s->machine_pid ||
         (value_put(p, d, KEY_machine_pid, value_s32(s->machine_pid)) &&
          value_put(p, d, KEY_vcpu, value_s32(s->vcpu)))) &&
        value_put(p, d, KEY_cpumode, value_u64(s->cpumode)) && put_rest(p, d, s))
        return d;
    Py_XDECREF(d);
    return NULL;
}

static PyObject *raw_bytes(const struct pts_script_sample *s)
{
    return PyBytes_FromStringAndSize((const char *)s->raw.ptr, (Py_ssize_t)s->raw.len);
}

static bool put_all(struct script *p, PyObject *d, const struct pts_script_sample *s)
{
    return value_put(p, d, KEY_ev_name, value_name(p, s->event)) &&
           value_put(p, d, KEY_attr, value_bytes(p, s->attr, ATTR_BYTES)) &&
           value_put(p, d, KEY_sample, inner_dict(p, s)) &&
           value_put(p, d, KEY_raw_buf, raw_bytes(s)) &&
           value_put(p, d, KEY_comm, value_comm(p, s->comm)) &&
           put_place(p, d, &s->at, &keys_of_ip) &&
           value_put(p, d, KEY_callchain, sample_callchain(p, s)) &&
           value_put(p, d, KEY_brstack, branch_list(p, s, put_branch)) &&
           value_put(p, d, KEY_brstacksym, branch_list(p, s, put_branch_symbols)) &&
           value_put(p, d, KEY_iregs, text_of(&s->iregs_text)) &&
           value_put(p, d, KEY_uregs, text_of(&s->uregs_text));
}

PyObject *sample_dict(struct script *p, const struct pts_script_sample *s)
{
    PyObject *d = PyDict_New();

    if (d && put_all(p, d, s))
        return d;
    Py_XDECREF(d);
    return NULL;
}

int sample_call(void *ctx, const struct pts_script_sample *s, int *status)
{
    struct script *p = ctx;

    if (s->tracepoint)
        return trace_call(p, s, status);
    PyObject *function = script_function(p, "process_event");
    if (!function)
        return 0;
    PyObject *d = sample_dict(p, s), *args = d ? PyTuple_New(1) : NULL;
    if (args)
        PyTuple_SetItem(args, 0, d);
    else
        Py_XDECREF(d);
    return script_call(function, args, "process_event", status);
}
