/* feat_recording.h - what a header says of the recording: command, events, clocks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_HEADER_FEAT_RECORDING_H
#define PTS_SYNTH_PRINT_HEADER_FEAT_RECORDING_H

#include "synth/print/header/feat_parts.h"

feat_fn feat_version, feat_cmdline, feat_event_desc, feat_branch_stack, feat_auxtrace,
    feat_stat, feat_group_desc, feat_sample_time, feat_clockid, feat_dir_format,
    feat_compressed, feat_clock_data;

#endif
