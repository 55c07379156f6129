/* msg.c - what ptrecord says on standard error.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/msg.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void msg_print(const char *fmt, va_list args)
{
    fputs("ptrecord: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
}

void msg_warn(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    msg_print(fmt, args);
    va_end(args);
}

void msg_die(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    msg_print(fmt, args);
    va_end(args);
    exit(1);
}
