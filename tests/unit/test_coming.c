/* test_coming.c - where a recording that comes through a pipe ends.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/open/perf_coming.h"
#include "tests/lib/mkdata.h"
#include "tests/lib/t.h"

static struct mkdata m;
static const uint8_t body[16] = {10, 0, 0, 0, 11, 0, 0, 0, 'l', 's'};

static void make(bool pipe, bool features)
{
    static const char host[20] = "host", arch[12] = "x86_64";
    mk_begin(&m, pipe);
    mk_event(&m, 6, MK_TYPE, 100);
    if (features) {
        mk_feature(&m, PTS_FEAT_HOSTNAME, host, sizeof(host));
        mk_feature(&m, PTS_FEAT_ARCH, arch, sizeof(arch));
    }
    mk_data(&m);
    mk_rec(&m, PTS_RECORD_COMM, 0, body, sizeof(body), 1000, 100);
    mk_auxtrace(&m, 0, 1, m.attr, 100); /* what is in it looks like records */
    mk_rec(&m, PTS_RECORD_COMM, 0, body, sizeof(body), 1000, 100);
    mk_end(&m);
}

/* How many bytes are wanted of these, `at once` each time. */
static size_t wanted(const uint8_t *bytes, size_t n, size_t at_once)
{
    struct coming c = {0};
    size_t i = 0;
    while (i < n) {
        size_t some = at_once < n - i ? at_once : n - i;
        bool more = coming_wants(&c, bytes + i, some);
        i += some;
        if (!more)
            break;
    }
    return i;
}

/* Zeros behind it, which are no record. */
static size_t wanted_of_it(size_t at_once)
{
    static uint8_t bytes[MK_CAP + 1000];
    memset(bytes, 0, sizeof(bytes));
    memcpy(bytes, m.at, m.len);
    return wanted(bytes, m.len + 1000, at_once);
}

/* And then there is some room for what the header does not tell. */
T(files_say_where_they_end)
{
    static const uint8_t zeros[1 << 20];
    for (size_t n = 1; n < 400; n++) {
        struct coming c = {0};
        make(false, n % 2);
        for (size_t i = 0; i < m.len; i += n)
            CHECK(coming_wants(&c, m.at + i, n < m.len - i ? n : m.len - i));
        EQ(c.step, COMING_LAST);
        EQ(c.skip, COMING_MORE);
        for (size_t i = 1; n == 1 && i < COMING_MORE / sizeof(zeros); i++)
            CHECK(coming_wants(&c, zeros, sizeof(zeros)));
        EQ(coming_wants(&c, zeros, sizeof(zeros)), n != 1);
    }
}

T(pipes_end_at_what_is_no_record)
{
    make(true, false);
    for (size_t n = 1; n < 40; n++)
        EQ(wanted_of_it(n), (m.len + 8 + n - 1) / n * n);
    EQ(wanted(m.at, m.len, 1), m.len);
}

T(without_a_size_records_are_followed)
{
    static const uint8_t none[8];
    make(false, false);
    memcpy(m.at + 48, none, sizeof(none));
    EQ(wanted_of_it(1), m.len + 8);
}

T(what_is_none_is_refused_at_once)
{
    static const uint8_t zeros[1000];
    static const char words[] = "y\ny\ny\ny\ny\ny\ny\ny\ny\ny\n";
    EQ(wanted(zeros, sizeof(zeros), 1), PERF_PIPE_HEADER);
    EQ(wanted((const uint8_t *)words, sizeof(words), 1), PERF_PIPE_HEADER);
    make(false, false);
    m.at[8] = 9; /* the size of the header */
    EQ(wanted_of_it(1), PERF_PIPE_HEADER);
    make(false, false);
    m.at[16] = 9; /* of an attribute */
    EQ(wanted_of_it(1), PERF_FILE_HEADER);
}

/* "PERFFILE": the byte order shows in the length of an attribute behind. */
T(the_first_version)
{
    static uint8_t old[1000] = "PERFFILE\x10";
    old[16] = 9; /* a record of type 9, 16 bytes long, then none */
    old[22] = 16;
    EQ(wanted(old, sizeof(old), 1), 16 + 16 + 8);
    old[22] = 0;
    EQ(wanted(old, sizeof(old), 1), 24);
}

T(what_lies_about_its_length_is_followed_to_the_end)
{
    static const uint64_t far = UINT64_MAX - 3;
    make(true, false);
    memcpy(m.at + 16 + 144 + 56 + 8, &far, sizeof(far)); /* of the AUXTRACE */
    EQ(wanted_of_it(1), m.len + 1000);
    make(false, true);
    memcpy(m.at + 48, &far, sizeof(far));
    EQ(wanted_of_it(1), m.len + 1000);
    make(false, true);
    m.at[40] = 20; /* its data are said to be in the header */
    EQ(wanted_of_it(1), m.len + 1000);
}

T_RUN(T_CASE(files_say_where_they_end), T_CASE(pipes_end_at_what_is_no_record),
      T_CASE(without_a_size_records_are_followed),
      T_CASE(what_is_none_is_refused_at_once), T_CASE(the_first_version),
      T_CASE(what_lies_about_its_length_is_followed_to_the_end))
