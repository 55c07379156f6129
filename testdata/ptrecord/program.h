/* program.h - the child becomes the program that is to be recorded.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_PROGRAM_H
#define PTRECORD_PROGRAM_H

#include "testdata/ptrecord/opts.h"

#include <stdnoreturn.h>

/* Ends the process with a line on stderr if it cannot: 127 when there is no such program,
 * 126 when there is one that cannot be executed, as a shell does. */
noreturn void program_exec(const struct opts *o);

#endif
