/* pkt_text.c - packets in the words perf uses in its dump and its debug log.
 *
 * SPDX-License-Identifier: MIT
 *
 * packets.def gives each kind's word and what follows it; those that say more have a
 * function here.  perf has no word for TRIG, the newest packet: this one is ours.
 */
#include "decoder/pt/pkt_text.h"

enum shape {
    NAME,  /* the word alone */
    VALUE, /* 0xVALUE */
    ADDR,  /* 0xVALUE or "no ip" */
    IP_NO, /* IP:0 */
    IP_YES,
    OWN /* a function of its own */
};

enum { NAME_MAX = 24 }; /* words are copied whole, with the zeros behind them */

static const struct {
    char name[NAME_MAX];
    uint8_t len;
    uint8_t shape;
} words[] = {
#define PTS_PACKET(name, number, word, text, marks, binding, event)                    \
    [number] = {word, sizeof(word) - 1, text},
#include <ptscript/packets.def>
#undef PTS_PACKET
};

static char *put_pwre(char *p, uint64_t v)
{
    p = put_dec(put_str(put_0x(p, v), " HW:"), v >> 7 & 1);
    p = put_dec(put_str(p, " CState:"), v >> 12 & 15);
    return put_dec(put_str(p, " Sub-CState:"), v >> 8 & 15);
}

static char *put_pwrx(char *p, uint64_t v)
{
    p = put_dec(put_str(put_0x(p, v), " Last CState:"), v >> 4 & 15);
    p = put_dec(put_str(p, " Deepest CState:"), v & 15);
    return put_0x(put_str(p, " Wake Reason "), v >> 8 & 15);
}

static char *put_mwait(char *p, uint64_t v)
{
    p = put_0x(put_str(put_0x(p, v), " Hints "), v & 0xff);
    return put_0x(put_str(p, " Extensions "), v >> 32 & 3);
}

static char *put_trig(char *p, const struct pts_pkt *pkt)
{
    p = put_dec(p, pkt->count >> 7 & 1);
    p = put_0x(put_str(p, " TRBV "), pkt->value);
    if (pkt->count & 0x40)
        p = put_dec(put_str(p, " ICNT "), pkt->aux);
    return pkt->count & 0x20 ? put_str(p, " MULT") : p;
}

/* The 0x%02x of perf. */
static char *put_0x2(char *p, unsigned v)
{
    return put_hex_width(put_str(p, "0x"), v, 2);
}

static char *put_own(char *p, const struct pts_pkt *pkt)
{
    uint64_t v = pkt->value;
    switch (pkt->kind) {
    case PTS_PKT_TNT:
        return pkt_put_tnt(p, pkt);
    case PTS_PKT_MODE_EXEC:
        p = put_dec(p, pkt->count >> 2 & 1);
        return put_dec(put_char(p, ' '), v);
    case PTS_PKT_MODE_TSX:
        p = put_dec(p, v >> 1 & 1);
        return put_dec(put_str(p, " InTX:"), v & 1);
    case PTS_PKT_PIP:
        p = put_dec(put_str(put_0x(p, v), " (NR="), pkt->count);
        return put_char(p, ')');
    case PTS_PKT_CBR:
        return put_0x(p, v | (uint64_t)pkt->count << 8);
    case PTS_PKT_TMA:
        return put_0x(put_str(put_0x(p, v), " FC "), pkt->count);
    case PTS_PKT_PTWRITE:
    case PTS_PKT_PTWRITE_IP:
        return put_str(put_0x(p, v), pkt->kind == PTS_PKT_PTWRITE ? " IP:0" : " IP:1");
    case PTS_PKT_MWAIT:
        return put_mwait(p, v);
    case PTS_PKT_PWRE:
        return put_pwre(p, v);
    case PTS_PKT_PWRX:
        return put_pwrx(p, v);
    case PTS_PKT_BBP:
        return put_0x(put_str(p, pkt->count ? "4-byte Type " : "8-byte Type "), v);
    case PTS_PKT_BIP:
        return put_0x(put_str(put_0x2(p, pkt->count), " Value "), v);
    case PTS_PKT_CFE:
    case PTS_PKT_CFE_IP:
        p = put_0x2(put_str(p, " Type "), pkt->count);
        return put_0x(put_str(p, " Vector "), v);
    case PTS_PKT_EVD:
        p = put_0x2(put_str(p, " Type "), pkt->count);
        return put_0x(put_str(p, " Payload "), v);
    case PTS_PKT_TRIG:
    case PTS_PKT_TRIG_IP:
        return put_trig(p, pkt);
    }
    return p;
}

char *pkt_put(char *p, const struct pts_pkt *pkt)
{
    if (pkt->kind >= sizeof(words) / sizeof(words[0]))
        return put_str(p, words[PTS_PKT_BAD].name);
    memcpy(p, words[pkt->kind].name, NAME_MAX);
    p += words[pkt->kind].len;
    switch ((enum shape)words[pkt->kind].shape) {
    case NAME:
        return p;
    case VALUE:
        return put_0x(put_char(p, ' '), pkt->value);
    case ADDR:
        if (pkt->count == 0)
            return put_str(p, " no ip");
        return put_0x(put_char(p, ' '), pkt->value);
    case IP_NO:
        return put_str(p, " IP:0");
    case IP_YES:
        return put_str(p, " IP:1");
    case OWN:
        return put_own(p, pkt);
    }
    return p;
}

size_t pts_pkt_text(const struct pts_pkt *pkt, char *buf, size_t n)
{
    char text[PTS_PKT_TEXT_MAX];
    struct pts_pkt safe = *pkt;
    if (safe.kind == PTS_PKT_TNT && safe.count > 47)
        safe.count = 47;
    size_t len = (size_t)(pkt_put(text, &safe) - text);
    if (len >= n)
        len = n - 1;
    memcpy(buf, text, len);
    buf[len] = '\0';
    return len;
}
