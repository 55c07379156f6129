/* msg.h - what ptrecord says on standard error.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_MSG_H
#define PTRECORD_MSG_H

#include <stdnoreturn.h>

/* "ptrecord: " FMT and a newline. */
__attribute__((format(printf, 1, 2))) void msg_warn(const char *fmt, ...);
/* The same and the end: the kernel ends the traced programs with us. */
__attribute__((format(printf, 1, 2))) noreturn void msg_die(const char *fmt, ...);

#endif
