/* machine.h - the machine that recordings claim to come from.
 *
 * SPDX-License-Identifier: MIT
 *
 * A Skylake desktop: TSC of 24 MHz x 334 / 2 = 4008 MHz, nominal ratio 40.
 */
#ifndef PTRECORD_MACHINE_H
#define PTRECORD_MACHINE_H

#define MACHINE_CPU_ID   "GenuineIntel,6,94,3"
#define MACHINE_CPU_DESC "Intel(R) Core(TM) i7-6700K CPU @ 4.00GHz"

enum {
    MACHINE_NONTURBO = 40,
    MACHINE_CTC_NUM = 334,
    MACHINE_CTC_DEN = 2,
    MACHINE_SHIFT = 31,
    MACHINE_MULT = 535799313, /* 10^9 / 4008000000 x 2^31 */
    MACHINE_CBR_LOW = 8,
    MACHINE_CBR_HIGH = 42,
    MACHINE_MEMORY_KB = 16299868
};

#endif
