/* python.h - a Python script that is called for what a recording tells: what its files share.
 *
 * SPDX-License-Identifier: MIT
 *
 * This folder is an object of its own, loaded when a script is to be run: ptscript needs no
 * Python.  It knows the public header ptscript/language.h and CPython's stable interface.
 *
 *     language.c   start, begin, end: the script's file, the functions that it defines
 *     module.c     perf_trace_context, what the script may ask
 *     sample.c     a sample as a dict
 *     trace.c      tracepoints: SYSTEM__EVENT and trace_unhandled
 *     record.c     errors, switches, throttling
 *     row.c        rows of tables, for scripts that export to a database
 *     value.c      texts and numbers as objects; those that come again and again are kept
 */
#ifndef PTS_PYTHON_PYTHON_H
#define PTS_PYTHON_PYTHON_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include <ptscript/language.h>
#include <stdbool.h>

/* Keys of the dicts, made once. */
#define KEYS                                                                           \
    KEY(ev_name)                                                                       \
    KEY(attr)                                                                          \
    KEY(sample)                                                                        \
    KEY(raw_buf)                                                                       \
    KEY(comm)                                                                          \
    KEY(dso)                                                                           \
    KEY(dso_bid)                                                                       \
    KEY(dso_map_start)                                                                 \
    KEY(dso_map_end)                                                                   \
    KEY(symbol)                                                                        \
    KEY(symoff)                                                                        \
    KEY(callchain)                                                                     \
    KEY(brstack)                                                                       \
    KEY(brstacksym)                                                                    \
    KEY(iregs)                                                                         \
    KEY(uregs)                                                                         \
    KEY(pid)                                                                           \
    KEY(tid)                                                                           \
    KEY(cpu)                                                                           \
    KEY(ip)                                                                            \
    KEY(time)                                                                          \
    KEY(period)                                                                        \
    KEY(phys_addr)                                                                     \
    KEY(addr)                                                                          \
    KEY(time_enabled)                                                                  \
    KEY(time_running)                                                                  \
    KEY(values)                                                                        \
    KEY(weight)                                                                        \
    KEY(transaction)                                                                   \
    KEY(datasrc)                                                                       \
    KEY(datasrc_decode)                                                                \
    KEY(machine_pid)                                                                   \
    KEY(vcpu)                                                                          \
    KEY(cpumode)                                                                       \
    KEY(addr_correlates_sym)                                                           \
    KEY(addr_dso)                                                                      \
    KEY(addr_dso_bid)                                                                  \
    KEY(addr_dso_map_start)                                                            \
    KEY(addr_dso_map_end)                                                              \
    KEY(addr_symbol)                                                                   \
    KEY(addr_symoff)                                                                   \
    KEY(flags)                                                                         \
    KEY(flags_disp)                                                                    \
    KEY(insn_cnt)                                                                      \
    KEY(cyc_cnt)                                                                       \
    KEY(sym)                                                                           \
    KEY(start)                                                                         \
    KEY(end)                                                                           \
    KEY(binding)                                                                       \
    KEY(name)                                                                          \
    KEY(sym_off)                                                                       \
    KEY(sym_srcline)                                                                   \
    KEY(from)                                                                          \
    KEY(to)                                                                            \
    KEY(mispred)                                                                       \
    KEY(predicted)                                                                     \
    KEY(in_tx)                                                                         \
    KEY(abort)                                                                         \
    KEY(cycles)                                                                        \
    KEY(from_dsoname)                                                                  \
    KEY(to_dsoname)                                                                    \
    KEY(pred)                                                                          \
    KEY(common_cpu)                                                                    \
    KEY(common_s)                                                                      \
    KEY(common_ns)                                                                     \
    KEY(common_pid)                                                                    \
    KEY(common_comm)                                                                   \
    KEY(common_callchain)

enum key {
#define KEY(name) KEY_##name,
    KEYS
#undef KEY
        KEY_COUNT
};

/* Objects by the address of what they were made of. */
struct kept {
    const void *key;
    PyObject *value;
};

struct script {
    const struct pts_script_host *host;
    PyObject *globals; /* of the script; lent by the interpreter */
    PyObject *context; /* what the script hands to the module's functions */
    PyObject *key[KEY_COUNT];
    PyObject *unset;   /* what perf leaves empty */
    struct kept *kept; /* kept_size slots, a power of two; a quarter is free at least */
    size_t kept_size, kept_count;
    PyObject *comm; /* the last one */
    char comm_text[64];
    uint64_t
        *defined; /* ids of tracepoints whose values the script knows the names of */
    size_t defined_count;
};

/* --- value.c ---------------------------------------------------------------------- */

/* Each returns a new object; NULL: an exception is set. */
PyObject *value_u64(uint64_t v);
PyObject *value_s32(int32_t v);
PyObject *value_text(const char *s, size_t n);
/* Of what lives as long as the script: made once. */
PyObject *value_name(struct script *p, const char *s);
PyObject *value_bytes(struct script *p, const void *at, size_t n);
PyObject *value_build_id(struct script *p, const uint8_t *id, uint32_t n);
PyObject *value_comm(struct script *p, const char *comm);

/* Puts v into a dict and gives it up; false: an exception is set (NULL: it was). */
bool value_put(struct script *p, PyObject *dict, enum key key, PyObject *v);
/* The same at place i of a tuple. */
bool value_at(PyObject *tuple, Py_ssize_t i, PyObject *v);

bool values_init(struct script *p);
void values_free(struct script *p);

/* --- language.c ------------------------------------------------------------------- */

/* A function of the script; NULL: it has none of this name.  Lent. */
PyObject *script_function(const struct script *p, const char *name);
/* Calls it; args are given up, NULL: making them has failed.  Not 0: it raised, and *status
 * is that of the process. */
int script_call(PyObject *function, PyObject *args, const char *name, int *status);

/* --- module.c --------------------------------------------------------------------- */

PyObject *module_init(void);
/* The script's context, also as global variables. */
bool module_context(struct script *p);

/* --- sample.c, trace.c, record.c, row.c ------------------------------------------- */

PyObject *sample_dict(struct script *p, const struct pts_script_sample *s);
PyObject *sample_callchain(struct script *p, const struct pts_script_sample *s);
int sample_call(void *ctx, const struct pts_script_sample *s, int *status);
int trace_call(struct script *p, const struct pts_script_sample *s, int *status);
int error_call(void *ctx, const struct pts_auxtrace_error *e, uint8_t cpumode,
               int *status);
int switch_call(void *ctx, const struct pts_script_switch *s, int *status);
int throttle_call(void *ctx, const struct pts_script_throttle *t, int *status);
int row_call(void *ctx, const char *table, const struct pts_script_value *values,
             size_t count, int *status);

#endif
