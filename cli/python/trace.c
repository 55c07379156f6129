/* trace.c - tracepoints: a function of the script for each, or one for all the others.
 *
 * SPDX-License-Identifier: MIT
 *
 *     SYSTEM__EVENT(name, context, cpu, secs, nsecs, pid, comm, callchain, fields... [, dict])
 *     trace_unhandled(name, context, fields [, dict])
 *
 * The last argument is given to functions that have a place for it.  Before the first
 * sample of an event the script is told what the values of its fields are called.
 */
#include "python.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256, SECOND = 1000000000 };

/* --- Names of values -------------------------------------------------------------- */

/* define_flag_field(event, field, delimiter), define_flag_value(event, field, value, text)
 * and the same of symbolic ones. */
static int define(struct script *p, const char *event, const struct pts_script_name *n,
                  int *status)
{
    static const char *const names[2][2] = {
        {"define_symbolic_field", "define_symbolic_value"},
        {"define_flag_field",     "define_flag_value"    }
    };
    const char *name = names[n->between != NULL][n->text != NULL];
    PyObject *function = script_function(p, name), *args;

    if (!function)
        return 0;
    if (n->text)
        args = Py_BuildValue("ssKs", event, n->field, (unsigned long long)n->value,
                             n->text);
    else if (n->between)
        args = Py_BuildValue("sss", event, n->field, n->between);
    else
        args = Py_BuildValue("ss", event, n->field);
    return script_call(function, args, name, status);
}

static bool is_defined(const struct script *p, uint64_t id)
{
    size_t i = 0;

    while (i < p->defined_count && p->defined[i] != id)
        i++;
    return i < p->defined_count;
}

static int define_all(struct script *p, const char *event,
                      const struct pts_script_tracepoint *t, int *status)
{
    int ended = 0;

    if (is_defined(p, t->id))
        return 0;
    uint64_t *grown = realloc(p->defined, (p->defined_count + 1) * sizeof(*grown));
    if (!grown)
        return 0; /* they are told again with the next one */
    p->defined = grown;
    p->defined[p->defined_count++] = t->id;
    for (size_t i = 0; !ended && i < t->name_count; i++)
        ended = define(p, event, &t->names[i], status);
    return ended;
}

/* --- Fields ----------------------------------------------------------------------- */

static PyObject *field_value(const struct pts_script_field *f)
{
    switch (f->kind) {
    case PTS_FIELD_STRING:
        return value_text((const char *)f->bytes.ptr, f->bytes.len);
    case PTS_FIELD_BYTES:
        return PyByteArray_FromStringAndSize((const char *)f->bytes.ptr,
                                             (Py_ssize_t)f->bytes.len);
    case PTS_FIELD_NUMBER:
        break;
    }
    return f->is_signed ? PyLong_FromLongLong((long long)f->number)
                        : value_u64(f->number);
}

static PyObject *fields_dict(struct script *p, const struct pts_script_sample *s)
{
    const struct pts_script_tracepoint *t = s->tracepoint;
    PyObject *d = PyDict_New();
    bool ok = d && value_put(p, d, KEY_common_cpu, value_s32((int32_t)s->cpu)) &&
              value_put(p, d, KEY_common_s, value_u64(s->time / SECOND)) &&
              value_put(p, d, KEY_common_ns, value_u64(s->time % SECOND)) &&
              value_put(p, d, KEY_common_pid, value_s32(t->common_pid)) &&
              value_put(p, d, KEY_common_comm, value_comm(p, s->comm)) &&
              value_put(p, d, KEY_common_callchain, sample_callchain(p, s));

    for (size_t i = t->common_count; ok && i < t->field_count; i++) {
        PyObject *name = value_name(p, t->fields[i].name);
        PyObject *v = name ? field_value(&t->fields[i]) : NULL;
        ok = v && PyDict_SetItem(d, name, v) == 0;
        Py_XDECREF(name);
        Py_XDECREF(v);
    }
    if (ok)
        return d;
    Py_XDECREF(d);
    return NULL;
}

/* --- Calling ---------------------------------------------------------------------- */

/* How many arguments a function names; -1: it is none of Python's. */
static long arguments_of(PyObject *function)
{
    PyObject *code = PyObject_GetAttrString(function, "__code__");
    PyObject *n = code ? PyObject_GetAttrString(code, "co_argcount") : NULL;
    long count = n ? PyLong_AsLong(n) : -1;

    Py_XDECREF(code);
    Py_XDECREF(n);
    PyErr_Clear();
    return count;
}

static bool put_start(struct script *p, PyObject *args, const char *name)
{
    Py_INCREF(p->context);
    return value_at(args, 1, p->context) &&
           value_at(args, 0, value_text(name, strlen(name)));
}

/* The long form, without what may follow the fields; n: how many arguments it has. */
static bool put_each(struct script *p, PyObject *args,
                     const struct pts_script_sample *s, Py_ssize_t *n)
{
    const struct pts_script_tracepoint *t = s->tracepoint;
    bool ok = value_at(args, 2, value_s32((int32_t)s->cpu)) &&
              value_at(args, 3, value_u64(s->time / SECOND)) &&
              value_at(args, 4, value_u64(s->time % SECOND)) &&
              value_at(args, 5, value_s32(t->common_pid)) &&
              value_at(args, 6, value_comm(p, s->comm)) &&
              value_at(args, 7, sample_callchain(p, s));

    *n = 8;
    for (size_t i = t->common_count; ok && i < t->field_count; i++)
        ok = value_at(args, (*n)++, field_value(&t->fields[i]));
    return ok;
}

static PyObject *arguments(struct script *p, PyObject *function, const char *name,
                           const struct pts_script_sample *s, bool each)
{
    const struct pts_script_tracepoint *t = s->tracepoint;
    Py_ssize_t n = each ? 8 + (Py_ssize_t)(t->field_count - t->common_count) : 3;
    bool dict = arguments_of(function) == n + 1;
    PyObject *args = PyTuple_New(n + dict);
    bool ok =
        args && put_start(p, args, name) &&
        (each ? put_each(p, args, s, &n) : value_at(args, 2, fields_dict(p, s))) &&
        (!dict || value_at(args, n, sample_dict(p, s)));

    if (ok)
        return args;
    Py_XDECREF(args);
    return NULL;
}

int trace_call(struct script *p, const struct pts_script_sample *s, int *status)
{
    const struct pts_script_tracepoint *t = s->tracepoint;
    char name[NAME_BYTES];

    snprintf(name, sizeof(name), "%s__%s", t->system, t->name);
    int ended = define_all(p, name, t, status);
    PyObject *own = script_function(p, name);
    PyObject *function = own ? own : script_function(p, "trace_unhandled");
    if (ended || !function)
        return ended;
    return script_call(function, arguments(p, function, name, s, own != NULL),
                       own ? name : "trace_unhandled", status);
}
