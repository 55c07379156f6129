/* record.c - errors, switches and throttling: the functions of a script that get them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Arguments go by their places; which there are is perf's affair.
 */
#include "python.h"

#include <string.h>

static PyObject *truth(int v)
{
    return PyBool_FromLong(v != 0);
}

/* The n objects as arguments; NULL: one of them could not be made. */
static PyObject *arguments(PyObject *const *v, Py_ssize_t n)
{
    PyObject *t = PyTuple_New(n);
    bool ok = t != NULL;

    for (Py_ssize_t i = 0; i < n; i++) {
        if (t && v[i])
            PyTuple_SetItem(t, i, v[i]);
        else
            Py_XDECREF(v[i]);
        ok = ok && v[i];
    }
    if (ok)
        return t;
    Py_XDECREF(t);
    return NULL;
}

int error_call(void *ctx, const struct pts_auxtrace_error *e, uint8_t cpumode,
               int *status)
{
    struct script *p = ctx;
    PyObject *function = script_function(p, "auxtrace_error");

    if (!function)
        return 0;
    PyObject *const v[11] = {
        value_u64(e->type),
        value_u64(e->code),
        value_s32(e->cpu),
        value_s32(e->pid),
        value_s32(e->tid),
        value_u64(e->ip),
        value_u64(e->time),
        value_text((const char *)e->msg.ptr,
                   e->msg.len ? strnlen((const char *)e->msg.ptr, e->msg.len) : 0),
        value_u64(cpumode),
        value_s32(e->machine_pid),
        value_s32(e->vcpu)};
    return script_call(function, arguments(v, 11), "auxtrace_error", status);
}

int switch_call(void *ctx, const struct pts_script_switch *s, int *status)
{
    struct script *p = ctx;
    PyObject *function = script_function(p, "context_switch");

    if (!function)
        return 0;
    PyObject *const v[11] = {value_u64(s->time),        value_s32((int32_t)s->cpu),
                             value_s32(s->pid),         value_s32(s->tid),
                             value_s32(s->other_pid),   value_s32(s->other_tid),
                             value_s32(s->machine_pid), truth(s->out),
                             truth(s->preempt),         value_s32(s->guest_pid),
                             value_s32(s->vcpu)};
    return script_call(function, arguments(v, 11), "context_switch", status);
}

int throttle_call(void *ctx, const struct pts_script_throttle *t, int *status)
{
    struct script *p = ctx;
    const char *name = t->again ? "unthrottle" : "throttle";
    PyObject *function = script_function(p, name);

    if (!function)
        return 0;
    PyObject *const v[6] = {value_u64(t->time),   value_u64(t->id),
                            value_u64(t->stream), value_s32((int32_t)t->cpu),
                            value_s32(t->pid),    value_s32(t->tid)};
    return script_call(function, arguments(v, 6), name, status);
}
