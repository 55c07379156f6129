/* language.c - Python as a script language: a file is run, its functions are called.
 *
 * SPDX-License-Identifier: MIT
 *
 *     start   the interpreter, then the file: as __main__, its folder first in sys.path
 *     begin   trace_begin()
 *     ...     process_event(dict) and the others, looked up by name at each call
 *     end     trace_end()
 *     close   the interpreter ends, and with it what the script printed is written
 *
 * Where perf ends by abort() since a function raised, the run ends here with a message.
 */
#include "python.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_RAISED = 255 };

/* --- Exceptions ------------------------------------------------------------------- */

/* What sys.exit(code) makes of its argument; a text is printed. */
static int exit_status(PyObject *raised)
{
    PyObject *code = raised ? PyObject_GetAttrString(raised, "code") : NULL;
    int status = 0;

    if (code && PyLong_Check(code)) {
        status = (int)PyLong_AsLong(code);
    } else if (code && code != Py_None) {
        PyObject *err = PySys_GetObject("stderr");
        if (!err || PyFile_WriteObject(code, err, Py_PRINT_RAW) < 0 ||
            PyFile_WriteString("\n", err) < 0)
            PyErr_Clear();
        status = 1;
    }
    Py_XDECREF(code);
    PyErr_Clear();
    return status & 0xff;
}

/* Says what was raised; true: that the script wants to end, with *status. */
static bool exception_say(int *status)
{
    PyObject *type, *value, *trace;

    if (!PyErr_ExceptionMatches(PyExc_SystemExit)) {
        PyErr_Print();
        *status = EXIT_RAISED;
        return false;
    }
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    *status = exit_status(value);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return true;
}

/* --- Functions -------------------------------------------------------------------- */

PyObject *script_function(const struct script *p, const char *name)
{
    PyObject *f = PyDict_GetItemString(p->globals, name);

    return f && PyCallable_Check(f) ? f : NULL;
}

int script_call(PyObject *function, PyObject *args, const char *name, int *status)
{
    PyObject *got = args ? PyObject_CallObject(function, args) : NULL;

    Py_XDECREF(args);
    if (got) {
        Py_DECREF(got);
        return 0;
    }
    if (!exception_say(status))
        fprintf(stderr, "ptscript: the script raised in %s, which ends the run\n",
                name);
    return 1;
}

static int call_plain(void *ctx, const char *name, int *status)
{
    const struct script *p = ctx;
    PyObject *function = script_function(p, name);

    return function ? script_call(function, PyTuple_New(0), name, status) : 0;
}

/* --- The script's file ------------------------------------------------------------ */

/* sys.argv: the script, and its own arguments. */
static bool set_arguments(const struct pts_script_call *call)
{
    PyObject *list = PyList_New(call->argc + 1);
    bool ok = list != NULL;

    for (int i = 0; ok && i <= call->argc; i++) {
        PyObject *v = PyUnicode_DecodeFSDefault(i ? call->argv[i - 1] : call->path);
        ok = v && PyList_SetItem(list, i, v) == 0;
    }
    ok = ok && PySys_SetObject("argv", list) == 0;
    Py_XDECREF(list);
    return ok;
}

/* sys.path[0]: the folder of the script, behind all links. */
static bool set_folder(const struct pts_script_call *call)
{
    PyObject *list = PySys_GetObject("path");
    char *path = realpath(call->path, NULL), *slash = path ? strrchr(path, '/') : NULL;

    if (!slash || !list) {
        free(path);
        return true;
    }
    slash[slash == path] = '\0';
    PyObject *folder = PyUnicode_DecodeFSDefault(path);
    bool ok = folder && PyList_Insert(list, 0, folder) == 0;
    Py_XDECREF(folder);
    free(path);
    return ok;
}

/* The whole file, with a NUL behind it; NULL: errno says why not. */
static char *file_read(const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t len = 0, room = 0, n = 1;
    char *text = NULL;

    while (f && n) {
        if (room - len < 2) {
            char *grown = realloc(text, room = room ? room * 2 : 1 << 16);
            if (!grown)
                break;
            text = grown;
        }
        n = fread(text + len, 1, room - len - 1, f);
        len += n;
    }
    bool whole = f && !n && !ferror(f);
    if (f)
        fclose(f);
    if (!whole) {
        free(text);
        return NULL;
    }
    text[len] = '\0';
    return text;
}

static bool file_run(struct script *p, const char *path)
{
    char *text = file_read(path);

    if (!text) {
        PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
        return false;
    }
    PyObject *name = PyUnicode_DecodeFSDefault(path);
    PyObject *code = name && PyDict_SetItemString(p->globals, "__file__", name) == 0
                         ? Py_CompileString(text, path, Py_file_input)
                         : NULL;
    PyObject *got = code ? PyEval_EvalCode(code, p->globals, p->globals) : NULL;
    Py_XDECREF(name);
    Py_XDECREF(code);
    Py_XDECREF(got);
    free(text);
    return got != NULL;
}

/* --- Start and end ---------------------------------------------------------------- */

/* As an interpreter of its own would do with signals, but for SIGINT: a pipe whose reader
 * is gone raises. */
static void interpreter_start(void)
{
    PyImport_AppendInittab("perf_trace_context", module_init);
    Py_InitializeEx(0);
    signal(SIGPIPE, SIG_IGN);
}

static void close_script(void *ctx)
{
    struct script *p = ctx;

    values_free(p);
    Py_XDECREF(p->context);
    free(p);
    Py_FinalizeEx();
}

static bool run_script(struct script *p, const struct pts_script_call *call)
{
    PyObject *main = PyImport_AddModule("__main__");

    p->globals = main ? PyModule_GetDict(main) : NULL;
    return p->globals && set_arguments(call) && set_folder(call) && values_init(p) &&
           file_run(p, call->path);
}

static int start(const struct pts_script_call *call, const struct pts_script_host *host,
                 void **ctx, int *status)
{
    struct script *p = calloc(1, sizeof(*p));

    if (!p) {
        fputs("ptscript: out of memory\n", stderr);
        *status = EXIT_RAISED;
        return 1;
    }
    p->host = host;
    interpreter_start();
    *ctx = p;
    if (run_script(p, call) && module_context(p))
        return 0;
    if (!exception_say(status))
        fprintf(stderr, "Error running python script %s\n", call->path);
    return 1;
}

static bool is_true(const struct script *p, const char *name)
{
    PyObject *v = PyDict_GetItemString(p->globals, name);

    return v && PyObject_IsTrue(v) == 1;
}

static int begin(void *ctx, int *status)
{
    const struct script *p = ctx;
    int ended = call_plain(ctx, "trace_begin", status);

    if (!ended && is_true(p, "perf_db_export_mode"))
        p->host->want_rows(p->host->ctx, is_true(p, "perf_db_export_calls"),
                           is_true(p, "perf_db_export_callchains"));
    return ended;
}

static int end(void *ctx, int *status)
{
    return call_plain(ctx, "trace_end", status);
}

__attribute__((visibility("default"))) extern const struct pts_language pts_language;

const struct pts_language pts_language = {.version = PTS_LANGUAGE_VERSION,
                                          .name = "Python",
                                          .start = start,
                                          .begin = begin,
                                          .sample = sample_call,
                                          .end = end,
                                          .close = close_script,
                                          .error = error_call,
                                          .switched = switch_call,
                                          .throttled = throttle_call,
                                          .row = row_call};
