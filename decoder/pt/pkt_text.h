/* pkt_text.h - packets in the words perf uses in its dump and its debug log.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_DECODER_PT_PKT_TEXT_H
#define PTS_DECODER_PT_PKT_TEXT_H

#include <ptscript/packet.h>

/* Writes at most PTS_PKT_TEXT_MAX - 1 bytes at p, no NUL; returns the new end. */
char *pkt_put(char *p, const struct pts_pkt *pkt);

#endif
