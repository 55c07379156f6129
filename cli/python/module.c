/* module.c - perf_trace_context: what a script may ask while it is called.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each function is handed the script's context, which is None until the file has run.
 */
#include "python.h"

#include <stdio.h>

static struct script *script_of(PyObject *context)
{
    return PyCapsule_GetPointer(context, NULL);
}

/* The script of a function with one argument; NULL: an exception is set. */
static struct script *only_context(PyObject *args)
{
    PyObject *context;

    return PyArg_UnpackTuple(args, "context", 1, 1, &context) ? script_of(context)
                                                              : NULL;
}

static PyObject *common(PyObject *args, const char *name)
{
    const struct script *p = only_context(args);

    return p ? PyLong_FromLong((int)p->host->common(p->host->ctx, name)) : NULL;
}

static PyObject *common_pc(PyObject *self, PyObject *args)
{
    (void)self;
    return common(args, "common_preempt_count");
}

static PyObject *common_flags(PyObject *self, PyObject *args)
{
    (void)self;
    return common(args, "common_flags");
}

static PyObject *common_lock_depth(PyObject *self, PyObject *args)
{
    (void)self;
    return common(args, "common_lock_depth");
}

static PyObject *sample_insn(PyObject *self, PyObject *args)
{
    const struct script *p = only_context(args);
    uint8_t bytes[16];

    (void)self;
    if (!p)
        return NULL;
    size_t n = p->host->insn(p->host->ctx, bytes);
    if (!n)
        Py_RETURN_NONE;
    return PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)n);
}

static PyObject *sample_srcline(PyObject *self, PyObject *args)
{
    const struct script *p = only_context(args);
    const char *file;
    uint32_t line;

    (void)self;
    if (!p)
        return NULL;
    p->host->source(p->host->ctx, &file, &line);
    return Py_BuildValue("zI", file, line);
}

static PyObject *sample_srccode(PyObject *self, PyObject *args)
{
    const struct script *p = only_context(args);
    const char *file;
    uint32_t line;

    (void)self;
    if (!p)
        return NULL;
    p->host->source(p->host->ctx, &file, &line);
    const struct pts_bytes text = p->host->source_text(p->host->ctx);
    return Py_BuildValue("zIz#", file, line, (const char *)text.ptr,
                         (Py_ssize_t)text.len);
}

static PyObject *set_itrace_options(PyObject *self, PyObject *args)
{
    PyObject *context, *options = NULL;
    const char *why = NULL;

    (void)self;
    if (!PyArg_UnpackTuple(args, "itrace_options", 1, 2, &context, &options))
        return NULL;
    const struct script *p = script_of(context);
    PyObject *text = p && options ? PyUnicode_AsUTF8String(options) : NULL;
    const char *given = text ? PyBytes_AsString(text) : NULL;
    if (!p || PyErr_Occurred())
        return NULL;
    int got = p->host->set_itrace(p->host->ctx, given, &why);
    if (got < 0)
        fprintf(stderr, "%s\n", why);
    Py_XDECREF(text);
    return PyLong_FromLong(got);
}

static PyMethodDef methods[] = {
    {"common_pc",               common_pc,          METH_VARARGS, "The event's count of preemption."},
    {"common_flags",            common_flags,       METH_VARARGS, "The event's flags."              },
    {"common_lock_depth",       common_lock_depth,  METH_VARARGS, "The event's lock depth."         },
    {"perf_sample_insn",        sample_insn,        METH_VARARGS,
     "Bytes of the sample's instruction."                                                           },
    {"perf_sample_srcline",     sample_srcline,     METH_VARARGS,
     "File and line of the sample."                                                                 },
    {"perf_sample_srccode",     sample_srccode,     METH_VARARGS,
     "File, line and text of the line of the sample."                                               },
    {"perf_set_itrace_options", set_itrace_options, METH_VARARGS,
     "What --itrace would say."                                                                     },
    {NULL,                      NULL,               0,            NULL                              }
};

PyObject *module_init(void)
{
    static struct PyModuleDef module = {PyModuleDef_HEAD_INIT,
                                        "perf_trace_context",
                                        "",
                                        -1,
                                        methods,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};
    PyObject *m = PyModule_Create(&module);

    Py_INCREF(Py_None);
    if (m && PyModule_AddObject(m, "perf_script_context", Py_None) < 0) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}

bool module_context(struct script *p)
{
    PyObject *m = PyImport_ImportModule("perf_trace_context");

    p->context = m ? PyCapsule_New(p, NULL, NULL) : NULL;
    bool ok = p->context &&
              PyObject_SetAttrString(m, "perf_script_context", p->context) == 0 &&
              PyDict_SetItemString(p->globals, "perf_script_context", p->context) == 0;
    Py_XDECREF(m);
    return ok;
}
