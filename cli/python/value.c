/* value.c - texts and numbers as Python's objects.
 *
 * SPDX-License-Identifier: MIT
 *
 * Names of files, symbols and events come with nearly each sample.  They lie at the same
 * address each time, so the address is the key by which their objects are kept:
 *
 *     hash(address) -> slot | next | ...      open, never emptied before the end
 */
#include "python.h"

#include <stdlib.h>
#include <string.h>

/* --- What is kept ----------------------------------------------------------------- */

enum { KEPT_FIRST = 1024 };

static size_t slot_of(const struct kept *at, size_t size, const void *key)
{
    size_t i =
        (size_t)((uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (size - 1);

    while (at[i].key && at[i].key != key)
        i = (i + 1) & (size - 1);
    return i;
}

static bool kept_grow(struct script *p)
{
    size_t size = p->kept_size ? p->kept_size * 2 : KEPT_FIRST;
    struct kept *to = calloc(size, sizeof(*to));

    if (!to)
        return PyErr_NoMemory() != NULL;
    for (size_t i = 0; i < p->kept_size; i++)
        if (p->kept[i].key)
            to[slot_of(to, size, p->kept[i].key)] = p->kept[i];
    free(p->kept);
    p->kept = to;
    p->kept_size = size;
    return true;
}

static PyObject *kept_get(const struct script *p, const void *key)
{
    PyObject *v =
        p->kept_size ? p->kept[slot_of(p->kept, p->kept_size, key)].value : NULL;

    Py_XINCREF(v);
    return v;
}

static PyObject *kept_put(struct script *p, const void *key, PyObject *v)
{
    if (!v)
        return NULL;
    if (p->kept_count >= p->kept_size / 4 * 3 && !kept_grow(p)) {
        Py_DECREF(v);
        return NULL;
    }
    p->kept[slot_of(p->kept, p->kept_size, key)] = (struct kept){key, v};
    p->kept_count++;
    Py_INCREF(v);
    return v;
}

/* --- Objects ---------------------------------------------------------------------- */

PyObject *value_u64(uint64_t v)
{
    return PyLong_FromUnsignedLongLong(v);
}

PyObject *value_s32(int32_t v)
{
    return PyLong_FromLong(v);
}

/* perf ends at a text that is no UTF-8. */
PyObject *value_text(const char *s, size_t n)
{
    return PyUnicode_DecodeUTF8(s, (Py_ssize_t)n, "surrogateescape");
}

PyObject *value_name(struct script *p, const char *s)
{
    PyObject *v = kept_get(p, s);

    return v ? v : kept_put(p, s, value_text(s, strlen(s)));
}

PyObject *value_bytes(struct script *p, const void *at, size_t n)
{
    PyObject *v = kept_get(p, at);

    return v ? v : kept_put(p, at, PyBytes_FromStringAndSize(at, (Py_ssize_t)n));
}

PyObject *value_build_id(struct script *p, const uint8_t *id, uint32_t n)
{
    static const char digits[] = "0123456789abcdef";
    char text[64] = ""; /* n may be 0 */
    PyObject *v = n ? kept_get(p, id) : NULL;

    n = n < sizeof(text) / 2 ? n : sizeof(text) / 2;
    for (uint32_t i = 0; !v && i < n; i++) {
        text[2 * i] = digits[id[i] >> 4];
        text[2 * i + 1] = digits[id[i] & 15];
    }
    if (v)
        return v;
    v = value_text(text, 2 * (size_t)n);
    return n ? kept_put(p, id, v) : v;
}

/* A name may be put into the same place again, but mostly it is the last one. */
PyObject *value_comm(struct script *p, const char *comm)
{
    size_t n = strlen(comm);

    if (!p->comm || strcmp(p->comm_text, comm) != 0) {
        Py_XDECREF(p->comm);
        p->comm = value_text(comm, n);
        memcpy(p->comm_text, n < sizeof(p->comm_text) ? comm : "",
               n < sizeof(p->comm_text) ? n + 1 : 1);
    }
    Py_XINCREF(p->comm);
    return p->comm;
}

/* --- Putting them somewhere ------------------------------------------------------- */

bool value_put(struct script *p, PyObject *dict, enum key key, PyObject *v)
{
    bool ok = v && PyDict_SetItem(dict, p->key[key], v) == 0;

    Py_XDECREF(v);
    return ok;
}

bool value_at(PyObject *tuple, Py_ssize_t i, PyObject *v)
{
    return v && PyTuple_SetItem(tuple, i, v) == 0;
}

/* --- What perf leaves empty ------------------------------------------------------- */

/* perf has a place without a value there, which shows like this and cannot be touched. */
static PyObject *unset_new(void)
{
    static const char text[] =
        "type('unset', (), {'__slots__': (), '__repr__': lambda self: '<NULL>'})()";
    PyObject *code = Py_CompileString(text, "unset", Py_eval_input);
    PyObject *names = PyDict_New();
    PyObject *v =
        code && names &&
                PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins()) == 0
            ? PyEval_EvalCode(code, names, names)
            : NULL;

    Py_XDECREF(code);
    Py_XDECREF(names);
    return v;
}

bool values_init(struct script *p)
{
    static const char *const names[] = {
#define KEY(name) #name,
        KEYS
#undef KEY
    };

    for (size_t i = 0; i < KEY_COUNT; i++) {
        p->key[i] = PyUnicode_InternFromString(names[i]);
        if (!p->key[i])
            return false;
    }
    p->unset = unset_new();
    return p->unset && kept_grow(p);
}

void values_free(struct script *p)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        Py_XDECREF(p->key[i]);
    for (size_t i = 0; i < p->kept_size; i++)
        Py_XDECREF(p->kept[i].value);
    Py_XDECREF(p->comm);
    Py_XDECREF(p->unset);
    free(p->kept);
    free(p->defined);
}
