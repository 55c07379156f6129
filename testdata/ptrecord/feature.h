/* feature.h - feature sections of a perf.data file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_FEATURE_H
#define PTRECORD_FEATURE_H

#include "testdata/ptrecord/perfdata.h"

/* Which features there are, a bit each. */
uint64_t feature_bits(const struct perfdata_head *h, const struct perfdata *p);
/* The table of sections and the sections, which begin at offset AT of the file. */
void feature_put(struct buf *b, const struct perfdata_head *h, const struct perfdata *p,
                 uint64_t data_at, uint64_t at);

#endif
