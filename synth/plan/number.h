/* number.h - numbers in option strings.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PLAN_NUMBER_H
#define PTS_SYNTH_PLAN_NUMBER_H

#include <stdint.h>

/* As strtoull without the errors: *end is s when there is no number. */
uint64_t read_number(const char *s, const char **end, int base);

#endif
