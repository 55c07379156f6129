/* tp_net.c - addresses and the like in a tracepoint's sample.
 *
 * SPDX-License-Identifier: MIT
 *
 *     %pM 00:11:22:33:44:55  %pm without colons  %pMF with dashes  %pMR the last first
 *     %pI4 1.2.3.4  %pi4 001.002.003.004  %pI6 with colons, %pi6 without, %pI6c short
 *     %pIS[pc] a sockaddr  %pU[bBlL] a UUID  %*ph[CDN] bytes
 */
#include "synth/print/tracepoint/tp_net.h"

#include "decoder/base/bytes.h"

#include <string.h>

enum { INET = 2, INET6 = 10, INET_SIZE = 16, INET6_SIZE = 28 };

/* The bytes of a field of `size` bytes; NULL: there are none, and perf's word for it is
 * printed. */
static const uint8_t *field_bytes(struct text *t, const struct tp_record *r,
                                  const struct tp_node *arg, uint32_t size,
                                  const char *invalid)
{
    if (arg->kind != TP_FIELD) {
        text_fmt(t, "ARG TYPE NOT FIELD BUT %d", arg->kind);
        return NULL;
    }
    if (!arg->field)
        return NULL;
    /* The format is the file's: a field of another size must not be read as if it were
     * right. */
    if (arg->field->size != size) {
        text_str(t, invalid);
        return NULL;
    }
    struct pts_bytes b = tp_bytes(r, arg->field->offset, size);
    return b.len == size ? b.ptr : NULL;
}

static void put_mac(struct text *t, const char *how, const uint8_t *b)
{
    bool dashes = how[0] == 'M' && how[1] == 'F', reverse = how[1] == 'R';

    for (size_t i = 0; i < 6; i++) {
        if (i && how[0] == 'M')
            text_char(t, dashes ? '-' : ':');
        text_byte(t, b[reverse ? 5 - i : i]);
    }
}

static void put_ip4(struct text *t, char i, bool reverse, const uint8_t *b)
{
    for (size_t k = 0; k < 4; k++) {
        if (k)
            text_char(t, '.');
        if (i == 'i')
            text_int0(t, b[reverse ? 3 - k : k], 3);
        else
            text_dec(t, b[reverse ? 3 - k : k], 0);
    }
}

/* Network order: the high byte comes first, whatever machine recorded it. */
static unsigned word(const uint8_t *b, size_t i)
{
    return (unsigned)(b[2 * i] << 8 | b[2 * i + 1]);
}

/* The longest run of zero words, if it has more than one; the first of several that are
 * equally long, as RFC 5952 has it. */
static size_t zero_run(const uint8_t *b, size_t words, size_t *at)
{
    size_t longest = 1;

    for (size_t i = 0; i < words; i++) {
        size_t n = 0;
        while (i + n < words && word(b, i + n) == 0)
            n++;
        if (n > longest) {
            longest = n;
            *at = i;
        }
    }
    return longest > 1 ? longest : 0;
}

/* ::ffff:1.2.3.4, and ISATAP addresses, which end in 0:5efe:1.2.3.4 */
static bool ends_in_ip4(const uint8_t *b)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    static const uint8_t isatap[3] = {0, 0x5e, 0xfe};

    return memcmp(b, mapped, sizeof(mapped)) == 0 ||
           ((b[8] | 2) == 2 && memcmp(b + 9, isatap, sizeof(isatap)) == 0);
}

static void put_ip6_short(struct text *t, const uint8_t *b)
{
    bool has_ip4 = ends_in_ip4(b), colon = false;
    size_t words = has_ip4 ? 6 : 8, at = words, run = zero_run(b, words, &at);

    for (size_t i = 0; i < words;) {
        if (run && i == at) {
            text_put(t, "::", colon || i == 0 ? 2 : 1);
            colon = false;
            i += run;
            continue;
        }
        if (colon)
            text_char(t, ':');
        text_hex(t, word(b, i++), 0);
        colon = true;
    }
    if (!has_ip4)
        return;
    if (colon)
        text_char(t, ':');
    put_ip4(t, 'I', false, b + 12);
}

static void put_ip6(struct text *t, char i, bool is_short, const uint8_t *b)
{
    if (is_short) {
        put_ip6_short(t, b);
        return;
    }
    for (size_t k = 0; k < 16; k += 2) {
        if (k && i == 'I')
            text_char(t, ':');
        text_byte(t, b[k]);
        text_byte(t, b[k + 1]);
    }
}

/* h: the order of the recorded machine, l: little endian; else as it is. */
static bool is_reversed(const struct tp_record *r, const char *how)
{
    return how[0] == 'l' || (how[0] == 'h' && !r->event->big_endian);
}

static void put_sockaddr(struct text *t, const struct tp_record *r, const char *how,
                         const struct tp_field *f)
{
    bool port = how[0] == 'I' && how[2] == 'p';
    const char *more = how + 2 + port;
    bool is_short = how[0] == 'I' && more[0] == 'c';
    struct pts_bytes b = tp_bytes(r, f->offset, INET6_SIZE);
    unsigned family = b.len >= 2 ? rd_u16(b.ptr) : 0; /* as perf reads it */

    more += is_short;
    if (family == INET && f->size < INET_SIZE) {
        text_str(t, "INVALIDIPv4");
    } else if (family == INET6 && f->size < INET6_SIZE) {
        text_str(t, "INVALIDIPv6");
    } else if (family == INET && b.len >= INET_SIZE) {
        put_ip4(t, how[0], is_reversed(r, more), b.ptr + 4);
        if (port)
            text_fmt(t, ":%u", word(b.ptr, 1));
    } else if (family == INET6 && b.len >= INET6_SIZE) {
        if (port)
            text_char(t, '[');
        put_ip6(t, how[0], is_short, b.ptr + 8);
        if (port)
            text_fmt(t, "]:%u", word(b.ptr, 1));
    }
}

static void put_ip(struct text *t, const struct tp_record *r, const char *how,
                   const struct tp_node *arg)
{
    const uint8_t *b;

    if (how[1] == '4') {
        b = field_bytes(t, r, arg, 4, "INVALIDIPv4");
        if (b)
            put_ip4(t, how[0], is_reversed(r, how + 2), b);
    } else if (how[1] == '6') {
        b = field_bytes(t, r, arg, 16, "INVALIDIPv6");
        if (b)
            put_ip6(t, how[0], how[0] == 'I' && how[2] == 'c', b);
    } else if (how[1] == 'S' && arg->kind != TP_FIELD) {
        text_fmt(t, "ARG TYPE NOT FIELD BUT %d", arg->kind);
    } else if (how[1] == 'S' && arg->field) {
        put_sockaddr(t, r, how, arg->field);
    }
}

/* l: the first three numbers are in little endian, as in a GUID. */
static void put_uuid(struct text *t, const char *how, const uint8_t *b)
{
    static const uint8_t plain[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                      8, 9, 10, 11, 12, 13, 14, 15};
    static const uint8_t guid[16] = {3, 2, 1,  0,  5,  4,  7,  6,
                                     8, 9, 10, 11, 12, 13, 14, 15};
    const uint8_t *index = (how[1] | 0x20) == 'l' ? guid : plain;
    bool upper = how[1] == 'L' || how[1] == 'B';

    for (size_t i = 0; i < 16; i++) {
        uint8_t v = b[index[i]];
        const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
        text_char(t, digits[v >> 4]);
        text_char(t, digits[v & 15]);
        /* 8-4-4-4-12: dashes behind bytes 3, 5, 7 and 9. */
        if (i >= 3 && i <= 9 && i % 2)
            text_char(t, '-');
    }
}

static void put_buffer(struct text *t, const struct tp_record *r, const char *how,
                       int64_t most, const struct tp_node *arg)
{
    const char *between = how[1] == 'C'   ? ":"
                          : how[1] == 'D' ? "-"
                          : how[1] == 'N' ? ""
                                          : " ";

    if (arg->kind != TP_DYNAMIC) {
        text_fmt(t, "ARG TYPE NOT FIELD BUT %d", arg->kind);
        return;
    }
    struct pts_bytes b = tp_field_data(r, arg->field, false);
    for (size_t i = 0; i < b.len && (int64_t)i < most; i++) {
        if (i)
            text_str(t, between);
        text_byte(t, b.ptr[i]);
    }
}

void tp_put_net(struct text *t, const struct tp_record *r, const char *suffix,
                int64_t most, const struct tp_node *arg)
{
    const uint8_t *b;

    switch (suffix[0]) {
    case 'M':
    case 'm':
        b = field_bytes(t, r, arg, 6, "INVALIDMAC");
        if (b)
            put_mac(t, suffix, b);
        break;
    case 'I':
    case 'i':
        put_ip(t, r, suffix, arg);
        break;
    case 'U':
        b = field_bytes(t, r, arg, 16, "INVALIDUUID");
        if (b)
            put_uuid(t, suffix, b);
        break;
    default:
        put_buffer(t, r, suffix, most, arg);
        break;
    }
}
