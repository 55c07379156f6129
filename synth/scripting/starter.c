/* starter.c - a script in Python to start from: script -g python.
 *
 * SPDX-License-Identifier: MIT
 *
 * A function for each tracepoint that the recording describes, with its fields by name.  What
 * the script prints when it is run is what the one prints that perf writes; its text is ours,
 * and needs no module of perf.
 *
 * Names are the recording's: one that is no name in Python never gets into the text, which
 * somebody is going to run.
 */
#include "decoder/base/diag.h"
#include "decoder/file/perf_file.h"
#include "synth/plan/options.h"
#include "synth/print/output/output.h"
#include "synth/print/tracepoint/tp_eval.h"
#include "synth/print/tracepoint/tracepoint.h"

#include <ctype.h>
#include <stdlib.h>

static const char head[] =
    "# perf-script.py - a function for each tracepoint of a recording.\n"
    "#\n"
    "# Written by ptscript script -g python, to be changed: it is yours.  Run it with\n"
    "# \"ptscript script -s perf-script.py\", or with perf.\n"
    "#\n"
    "# Each function gets what all tracepoints have, then the fields of its own, then "
    "a dict\n"
    "# with the sample.  A function that is taken away leaves its event to "
    "trace_unhandled;\n"
    "# process_event(dict), which is not here, would get all samples of other events.\n"
    "\n"
    "from perf_trace_context import *\n"
    "\n"
    "between = {}  # (event, field): what stands between the names of its bits\n"
    "texts = {}  # (event, field): {value: name}\n"
    "\n"
    "\n"
    "def trace_begin():\n"
    "    print(\"in trace_begin\")\n"
    "\n"
    "\n"
    "def trace_end():\n"
    "    print(\"in trace_end\")\n"
    "\n"
    "\n";

static const char tail[] =
    "def trace_unhandled(event_name, context, event_fields_dict, perf_sample_dict):\n"
    "    print(pairs(event_fields_dict, \" \"))\n"
    "    print(\"Sample: {\" + pairs(perf_sample_dict[\"sample\"], \", \") + \"}\")\n"
    "\n"
    "\n"
    "def print_start(event, cpu, secs, nsecs, pid, comm):\n"
    "    print(\"%-20s %5u %05u.%09u %8u %-20s \" % (event, cpu, secs, nsecs, pid, "
    "comm), "
    "end=\"\")\n"
    "\n"
    "\n"
    "def print_rest(perf_sample_dict, callchain):\n"
    "    print(\"Sample: {\" + pairs(perf_sample_dict[\"sample\"], \", \") + \"}\")\n"
    "    for caller in callchain:\n"
    "        line = \"\\t[%x]\" % caller[\"ip\"]\n"
    "        if \"sym\" in caller:\n"
    "            line += \" \" + caller[\"sym\"][\"name\"]\n"
    "            line += \"+0x%x\" % caller[\"sym_off\"] if \"sym_off\" in caller else "
    "\"\"\n"
    "            line += \" (%s)\" % caller[\"dso\"] if \"dso\" in caller else \"\"\n"
    "            line += \" \" + caller[\"sym_srcline\"] if \"sym_srcline\" in caller "
    "else \"\"\n"
    "        print(line)\n"
    "    print()\n"
    "\n"
    "\n"
    "def pairs(values, delimiter):\n"
    "    return delimiter.join(\"%s=%s\" % (k, values[k]) for k in sorted(values))\n"
    "\n"
    "\n"
    "# These four are called before the first sample of an event that has names for "
    "values.\n"
    "def define_flag_field(event, field, delimiter):\n"
    "    between[event, field] = delimiter\n"
    "\n"
    "\n"
    "def define_flag_value(event, field, value, text):\n"
    "    texts.setdefault((event, field), {})[value] = text\n"
    "\n"
    "\n"
    "def define_symbolic_field(event, field):\n"
    "    pass\n"
    "\n"
    "\n"
    "def define_symbolic_value(event, field, value, text):\n"
    "    texts.setdefault((event, field), {})[value] = text\n"
    "\n"
    "\n"
    "def flag_str(event, field, value):\n"
    "    known = texts.get((event, field), {})\n"
    "    if not value:\n"
    "        return known.get(0, \"\")\n"
    "    found = []\n"
    "    for bits in sorted(known):\n"
    "        if bits and value & bits == bits:\n"
    "            found.append(known[bits])\n"
    "            value &= ~bits\n"
    "    delimiter = between.get((event, field), \"\")\n"
    "    return (\" \" + delimiter + \" \" if delimiter else \"\").join(found)\n"
    "\n"
    "\n"
    "def symbol_str(event, field, value):\n"
    "    return texts.get((event, field), {}).get(value, \"\")\n";

/* --- Names ------------------------------------------------------------------------ */

static bool is_name(const char *s)
{
    if (!isalpha((unsigned char)*s) && *s != '_')
        return false;
    while (isalnum((unsigned char)*s) || *s == '_')
        s++;
    return !*s;
}

/* Words of the language, and parameters that are there already. */
static bool is_taken(const char *s)
{
    static const char *const word[] = {"False",
                                       "None",
                                       "True",
                                       "and",
                                       "as",
                                       "assert",
                                       "async",
                                       "await",
                                       "break",
                                       "class",
                                       "continue",
                                       "def",
                                       "del",
                                       "elif",
                                       "else",
                                       "except",
                                       "finally",
                                       "for",
                                       "from",
                                       "global",
                                       "if",
                                       "import",
                                       "in",
                                       "is",
                                       "lambda",
                                       "nonlocal",
                                       "not",
                                       "or",
                                       "pass",
                                       "raise",
                                       "return",
                                       "try",
                                       "while",
                                       "with",
                                       "yield",
                                       "event_name",
                                       "context",
                                       "common_cpu",
                                       "common_secs",
                                       "common_nsecs",
                                       "common_pid",
                                       "common_comm",
                                       "common_callchain",
                                       "perf_sample_dict",
                                       "flag_str",
                                       "symbol_str",
                                       "print",
                                       "print_start",
                                       "print_rest"};

    for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
        if (strcmp(word[i], s) == 0)
            return true;
    return false;
}

static void put_parameter(struct text *t, const char *name)
{
    text_str(t, name);
    if (is_taken(name))
        text_char(t, '_');
}

/* As a function, all in all. */
static bool is_function(const struct tracepoint_format *f)
{
    const struct tp_event *e = f->event;

    if (!is_name(f->system) || !is_name(f->name))
        return false;
    for (size_t i = e->common; i < e->fields; i++) {
        if (!is_name(e->field[i].name))
            return false;
        for (size_t k = e->common; k < i; k++)
            if (strcmp(e->field[i].name, e->field[k].name) == 0)
                return false;
    }
    return true;
}

/* --- What a field is -------------------------------------------------------------- */

/* Whose values have names: by the first field of what is looked up, as in perf. */
static const struct tp_field *looked_up(const struct tp_node *n)
{
    while (n && n->kind != TP_FIELD)
        n = n->a;
    return n ? n->field : NULL;
}

enum { NODES_MAX = 64 };

/* TP_FLAGS or TP_SYMBOLIC if such a call in an argument is about the field; else TP_NONE. */
static uint8_t named_by(const struct tp_node *top, const struct tp_field *f)
{
    const struct tp_node *stack[NODES_MAX];
    size_t n = 0;

    if (top)
        stack[n++] = top;
    while (n) {
        const struct tp_node *at = stack[--n];
        const struct tp_node *const part[] = {at->a, at->b, at->c};
        if ((at->kind == TP_FLAGS || at->kind == TP_SYMBOLIC) && looked_up(at->a) == f)
            return at->kind;
        for (size_t i = 0; i < 3; i++)
            if (part[i] && n < NODES_MAX)
                stack[n++] = part[i];
    }
    return TP_NONE;
}

static uint8_t names_of(const struct tp_event *e, const struct tp_field *f)
{
    uint8_t found = TP_NONE;

    for (size_t i = 0; i < e->pieces && !found; i++)
        found = named_by(e->piece[i].arg, f);
    return found;
}

static const char *conversion(const struct tp_event *e, const struct tp_field *f)
{
    if (f->string || f->array || names_of(e, f))
        return "%s";
    return f->is_signed ? "%d" : "%u";
}

/* --- Functions -------------------------------------------------------------------- */

static void put_value(struct text *t, const struct tracepoint_format *f,
                      const struct tp_field *field)
{
    uint8_t names = names_of(f->event, field);

    if (!names) {
        put_parameter(t, field->name);
        return;
    }
    text_str(t, names == TP_FLAGS ? "flag_str(\"" : "symbol_str(\"");
    text_str(t, f->system);
    text_str(t, "__");
    text_str(t, f->name);
    text_str(t, "\", \"");
    text_str(t, field->name);
    text_str(t, "\", ");
    put_parameter(t, field->name);
    text_char(t, ')');
}

static void put_print(struct text *t, const struct tracepoint_format *f)
{
    const struct tp_event *e = f->event;

    text_str(t, "    print(\"");
    for (size_t i = e->common; i < e->fields; i++) {
        text_str(t, i > e->common ? ", " : "");
        text_str(t, e->field[i].name);
        text_char(t, '=');
        text_str(t, conversion(e, &e->field[i]));
    }
    text_str(t, "\" % (");
    for (size_t i = e->common; i < e->fields; i++) {
        text_str(t, "\n        ");
        put_value(t, f, &e->field[i]);
        text_char(t, ',');
    }
    text_str(t, "))\n");
}

static void put_function(struct text *t, const struct tracepoint_format *f)
{
    const struct tp_event *e = f->event;

    text_str(t, "def ");
    text_str(t, f->system);
    text_str(t, "__");
    text_str(t, f->name);
    text_str(t, "(event_name, context, common_cpu, common_secs, common_nsecs,\n"
                "        common_pid, common_comm, common_callchain,\n        ");
    for (size_t i = e->common; i < e->fields; i++) {
        put_parameter(t, e->field[i].name);
        text_str(t, ", ");
    }
    text_str(t, "perf_sample_dict):\n"
                "    print_start(event_name, common_cpu, common_secs, common_nsecs,\n"
                "                common_pid, common_comm)\n");
    put_print(t, f);
    text_str(t, "    print_rest(perf_sample_dict, common_callchain)\n\n\n");
}

static pts_status put_functions(struct text *t, struct tracepoints *tp)
{
    struct tracepoint_format f;
    size_t left = 0;
    pts_status st;

    for (size_t i = 0; (st = tracepoint_format_nth(tp, i, &f)) == PTS_OK; i++) {
        if (is_function(&f))
            put_function(t, &f);
        left += !is_function(&f);
    }
    if (left) {
        text_str(t,
                 "# Events whose names are none in Python, left to trace_unhandled: ");
        text_dec(t, left, 0);
        text_str(t, "\n\n\n");
    }
    return st < 0 ? st : PTS_OK;
}

static pts_status put_script(struct text *t, struct pts_bytes formats)
{
    struct tracepoints *tp;
    pts_status st = tracepoints_new(formats, false, &tp);

    if (st < 0)
        return st;
    text_str(t, head);
    st = put_functions(t, tp);
    text_str(t, tail);
    tracepoints_free(tp);
    return t->failed ? PTS_E_NOMEM : st;
}

extern output_open_fn output_starter; /* outputs.def */

pts_status output_starter(const struct output_from *from, struct output *out,
                          struct pts_diag *why)
{
    struct options o;

    options_init(&o, NULL, NULL);
    pts_status st = options_parse(&o, from->option, from->option_count, why);
    if (st < 0)
        return st;
    if (o.text.header || o.text.header_only)
        return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                        "the header together with -g is not supported");
    st = put_script(&out->text, from->file->feature[PTS_FEAT_TRACING_DATA]);
    return st < 0 ? diag_set(why, st, UINT64_MAX, "out of memory") : PTS_OK;
}
