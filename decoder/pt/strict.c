/* strict.c - where perf 6.1 and the processor's manual disagree.
 *
 * SPDX-License-Identifier: MIT
 *
 * The models are those of Intel's specification updates: one design has an erratum under
 * many numbers (SKD022 is SKL024 and KBL023, too), the first is used here.
 */
#include "decoder/pt/strict.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *pt_place_text(enum pt_place_nr nr)
{
    static const char *const text[] = {
#define PT_PLACE(name, text) text,
#include "decoder/pt/strict.def"
#undef PT_PLACE
    };
    return text[nr];
}

enum {
    SKL = ERRATUM_SKD022 | ERRATUM_BDM70, /* all from Skylake on */
    ADL = SKL | ERRATUM_APL11
};

/* Models of a family that share the same errata; 0 ends a list. */
/* clang-format off */
static const struct design {
    uint8_t family;
    uint32_t errata;
    uint8_t model[16];
} designs[] = {
    /* Broadwell */
    {6, ERRATUM_BDM64 | ERRATUM_BDM70, {0x3d, 0x47, 0x4f, 0x56}},
    /* Skylake, Kaby Lake, Comet Lake */
    {6, SKL | ERRATUM_SKD007 | ERRATUM_SKD010, {0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6}},
    /* their servers, Ice Lake and Sapphire Rapids */
    {6, SKL, {0x55, 0x6a, 0x6c, 0x8f, 0xcf, 0xad, 0xae}},
    /* Cannon Lake to Rocket Lake */
    {6, SKL, {0x66, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7, 0xa8}},
    /* Alder Lake and later */
    {6, ADL, {0x97, 0x9a, 0xbf, 0xb7, 0xb5, 0xaa, 0xac, 0xba, 0xcc, 0xbd, 0xc5, 0xc6, 0xd5}},
    {18, ADL, {0x01, 0x03}},
    {19, SKL, {0x01}},
    /* Goldmont, and those after it */
    {6, ERRATUM_APL12 | ERRATUM_APL11, {0x5c, 0x5f}},
    {6, ERRATUM_APL11, {0x7a, 0x86, 0x96, 0x9c, 0xb6, 0xaf, 0xdd}},
};
/* clang-format on */

/* What follows the vendor; NULL: another one's, or not known. */
static const char *of_intel(const char *cpuid)
{
    static const char intel[] = "GenuineIntel,";
    const size_t n = sizeof(intel) - 1;

    return cpuid && strncmp(cpuid, intel, n) == 0 ? cpuid + n : NULL;
}

bool pt_is_later(const char *cpuid)
{
    const char *family = of_intel(cpuid);

    return family && strtoul(family, NULL, 10) >= 18;
}

uint32_t pt_errata_of(const char *cpuid)
{
    const char *from = of_intel(cpuid);
    char *end;

    if (!from)
        return 0;
    unsigned long family = strtoul(from, &end, 10);
    unsigned long model = *end == ',' ? strtoul(end + 1, NULL, 10) : 0;
    for (size_t i = 0; i < sizeof(designs) / sizeof(designs[0]); i++) {
        const struct design *d = &designs[i];
        for (size_t k = 0; k < sizeof(d->model) && d->model[k]; k++) {
            if (d->family == family && d->model[k] == model)
                return d->errata;
        }
    }
    return 0;
}
