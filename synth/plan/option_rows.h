/* option_rows.h - the rows of a command's option table, as the library reads them.
 *
 * SPDX-License-Identifier: MIT
 *
 * A table in include/ptscript (script.def tells of its columns) is written once, for
 * the program and for the library.  Here a row says where in a struct the option goes:
 *
 *     #define OPTIONS struct options
 *     #include "synth/plan/option_rows.h"
 *     static const struct option_row rows[] = {
 *     #include <ptscript/script.def>
 *         OPTION_ROWS_END,
 *     };
 *
 * Only LIBRARY, OURS, OURS_TEXT, PRINTER, NOT_YET and SESSION make rows; of the rest the library knows nothing.
 */
#ifndef PTS_SYNTH_PLAN_OPTION_ROWS_H
#define PTS_SYNTH_PLAN_OPTION_ROWS_H

#include <ptscript/session.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,
    OPTION_STRING,
    OPTION_NUMBER,
    OPTION_COUNT, /* a number without a minus */
    OPTION_CALL,
    OPTION_PASS_OVER,
    OPTION_REFUSE
};

enum option_argument { OPTION_NONE, OPTION_MAYBE, OPTION_MUST };

/* options: the struct that the rows are about. */
typedef pts_status option_fn(void *options, const char *value, struct pts_diag *why);

struct option_row {
    const char *name;
    enum option_argument argument;
    bool printer; /* it is only about the text */
    enum option_kind kind;
    size_t at; /* of the member */
    option_fn *call, *undo;
};

/* Takes list into options, in the order given; "no-" in front of a name takes it back
 * where perf can.  PTS_E_USAGE: perf's text; PTS_E_UNSUPPORTED names the option. */
pts_status option_rows_take(const struct option_row *rows, void *options,
                            const struct pts_option *list, size_t count,
                            struct pts_diag *why);

/* PTS_E_USAGE when one of them is only about the text. */
pts_status option_rows_no_printer(const struct option_row *rows,
                                  const struct pts_option *list, size_t count,
                                  struct pts_diag *why);

/* A member's place; _Generic sees to it that it is of the type that is stored there. */
#define MEMBER(member) ((OPTIONS *)NULL)->member
#define AT(member)     offsetof(OPTIONS, member)

#define FLAG(member)                                                                   \
    OPTION_FLAG, _Generic(MEMBER(member), bool : AT(member)), NULL, NULL
#define STRING(member)                                                                 \
    OPTION_STRING, _Generic(MEMBER(member), const char * : AT(member)), NULL, NULL
#define NUMBER(member)                                                                 \
    OPTION_NUMBER, _Generic(MEMBER(member), int64_t : AT(member)), NULL, NULL
#define COUNT(member)                                                                  \
    OPTION_COUNT, _Generic(MEMBER(member), int64_t : AT(member)), NULL, NULL
#define CALL(name)    OPTION_CALL, 0, option_##name, NULL
#define CALL_NO(name) OPTION_CALL, 0, option_##name, option_no_##name

#define OPTION_ARGUMENT_NONE   OPTION_NONE
#define OPTION_ARGUMENT_MAYBE  OPTION_MAYBE
#define OPTION_ARGUMENT_NEXT   OPTION_MAYBE
#define OPTION_ARGUMENT_TEXT   OPTION_MUST
#define OPTION_ARGUMENT_NUMBER OPTION_MUST
#define OPTION_ARGUMENT_COUNT  OPTION_MUST

#define OPTION_ROW_LIBRARY(name, argument, ...)   {name, argument, false, __VA_ARGS__},
#define OPTION_ROW_OURS(name, argument, ...)      {name, argument, false, __VA_ARGS__},
#define OPTION_ROW_OURS_TEXT(name, argument, ...) {name, argument, true, __VA_ARGS__},
#define OPTION_ROW_PRINTER(name, argument, ...)   {name, argument, true, __VA_ARGS__},
#define OPTION_ROW_SESSION(name, ...)                                                  \
    {name, OPTION_MAYBE, false, OPTION_PASS_OVER, 0, NULL, NULL},
#define OPTION_ROW_NOT_YET(name, ...)                                                  \
    {name, OPTION_MAYBE, false, OPTION_REFUSE, 0, NULL, NULL},
#define OPTION_ROW_RAW(...)
#define OPTION_ROW_PROGRAM(...)

#define PTS_OPTION(letter, name, argument, taker, does, arg_name, help)                \
    OPTION_ROW_##taker(name, OPTION_ARGUMENT_##argument, does)
#define OPTION_ROWS_END                                                                \
    {                                                                                  \
        NULL, OPTION_NONE, false, OPTION_REFUSE, 0, NULL, NULL                         \
    }

#endif
