/* row.c - rows of tables: the functions of a script that exports to a database.
 *
 * SPDX-License-Identifier: MIT
 *
 * The function is called as its table: sample_table(id, evsel, ...).
 */
#include "python.h"

#include <string.h>

static PyObject *value_of(const struct pts_script_value *v)
{
    const char *at = (const char *)v->bytes.ptr;

    switch (v->kind) {
    case PTS_VALUE_TEXT:
        return value_text(at, v->bytes.len);
    case PTS_VALUE_BYTES:
        return PyBytes_FromStringAndSize(at, (Py_ssize_t)v->bytes.len);
    case PTS_VALUE_INT:
        break;
    }
    return PyLong_FromLongLong(v->number);
}

int row_call(void *ctx, const char *table, const struct pts_script_value *values,
             size_t count, int *status)
{
    struct script *p = ctx;
    PyObject *function = script_function(p, table);
    PyObject *args = function ? PyTuple_New((Py_ssize_t)count) : NULL;

    if (!function)
        return 0;
    for (size_t i = 0; args && i < count; i++)
        if (!value_at(args, (Py_ssize_t)i, value_of(&values[i]))) {
            Py_DECREF(args);
            args = NULL;
        }
    return script_call(function, args, table, status);
}
