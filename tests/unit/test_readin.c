/* test_readin.c - parts of a mapped file that are read in have the file's bytes, whoever looks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/base/huge.h"
#include "decoder/file/readin.h"
#include "tests/lib/t.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = (24 << 20) + 12345, FRONT = 3 << 12 };

struct mapped {
    int fd;
    uint8_t *all; /* room is in front of the file */
    uint8_t *ptr;
    struct readin *r;
};

static uint8_t byte_at(size_t i)
{
    return (uint8_t)(i * 7 ^ i >> 8 ^ i >> 16);
}

static void write_file(int fd)
{
    static uint8_t some[1 << 20];

    for (size_t i = 0; i < BYTES; i += sizeof(some)) {
        const size_t n = BYTES - i < sizeof(some) ? BYTES - i : sizeof(some);
        for (size_t k = 0; k < n; k++)
            some[k] = byte_at(i + k);
        EQ(write(fd, some, n), (ssize_t)n);
    }
}

/* At an address that is no multiple of a huge page. */
static struct mapped map_file(void)
{
    char name[] = "/tmp/readin-XXXXXX";
    struct mapped m = {.fd = mkstemp(name)};

    CHECK(m.fd >= 0 && unlink(name) == 0);
    write_file(m.fd);
    m.all = mmap(NULL, BYTES + FRONT + HUGE_BYTES, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(m.all != MAP_FAILED);
    m.ptr = m.all + FRONT;
    CHECK(mmap(m.ptr, BYTES, PROT_READ, MAP_PRIVATE | MAP_FIXED, m.fd, 0) == m.ptr);
    m.r = readin_new(m.fd, m.ptr, BYTES);
    CHECK(m.r != NULL);
    return m;
}

static struct mapped map_slowly(void)
{
    struct mapped m = map_file();

    readin_always(m.r);
    return m;
}

static void unmap(struct mapped *m)
{
    readin_free(m->r);
    munmap(m->all, BYTES + FRONT + HUGE_BYTES);
    close(m->fd);
}

static bool same(const uint8_t *p, size_t from, size_t end, size_t step)
{
    for (size_t i = from; i < end; i += step) {
        if (p[i] != byte_at(i))
            return false;
    }
    return true;
}

/* Else nothing is read in. */
static bool has_huge_pages(void)
{
    unsigned char last = 0;
    uint8_t *p = huge_new();

    CHECK(p != NULL);
    *p = 1;
    CHECK(mincore(p + HUGE_BYTES - 4096, 4096, &last) == 0);
    huge_free(p);
    return last & 1;
}

static void read_all(struct mapped m)
{
    for (size_t i = 0; i < BYTES; i += 100000) {
        readin_soon(m.r, m.ptr + i, 300000 < BYTES - i ? 300000 : BYTES - i);
        CHECK(same(m.ptr, i, i + 100000 < BYTES ? i + 100000 : BYTES, 1));
        if (i % 700000 == 0)
            readin_let_go(m.r);
    }
    CHECK(same(m.ptr, 0, BYTES, 1));
    unmap(&m);
}

T(from_front_to_end)
{
    read_all(map_file());
    read_all(map_slowly());
}

T(here_and_there)
{
    struct mapped m = map_slowly();

    readin_for_many(m.r);
    for (unsigned i = 0; i < 60; i++) {
        const size_t at = (size_t)i * 7654321 % BYTES;
        readin_soon(m.r, m.ptr + at, i % 3 ? BYTES - at : 0);
        readin_let_go(m.r);
        CHECK(same(m.ptr, at, BYTES, 4096) && same(m.ptr, 0, at, 4096));
    }
    unmap(&m);
}

/* What is let go is not what was read in, until others take its place: the file shows through where it was not. */
T(stays_for_a_while)
{
    struct mapped m = map_slowly();
    const size_t at = BYTES / 2, first = 5 << 20;
    const uint8_t other = (uint8_t)~byte_at(at), was = byte_at(at);

    readin_soon(m.r, m.ptr + at, 1);
    EQ(pwrite(m.fd, &other, 1, (off_t)at), 1);
    readin_let_go(m.r);
    EQ(m.ptr[at], has_huge_pages() ? was : other);
    for (size_t i = 0; i < 4; i++)
        readin_soon(m.r, m.ptr + first + i * HUGE_BYTES / 2, HUGE_BYTES / 2);
    readin_soon(m.r, m.ptr + BYTES - first, first);
    EQ(m.ptr[at], other);
    unmap(&m);
}

/* Too small a one is left alone. */
T(small)
{
    struct mapped m = map_slowly();
    const uint8_t other = (uint8_t)~byte_at(4 << 20);

    readin_free(m.r);
    m.r = readin_new(m.fd, m.ptr, 8 << 20);
    readin_soon(m.r, m.ptr, 8 << 20);
    EQ(pwrite(m.fd, &other, 1, 4 << 20), 1);
    EQ(m.ptr[4 << 20], other);
    readin_let_go(m.r);
    unmap(&m);
}

T(copies)
{
    struct mapped m = map_slowly();
    uint8_t some[5000];

    CHECK(readin_copy(m.r, m.ptr + 4321, some, sizeof(some)));
    for (size_t i = 0; i < sizeof(some); i++)
        CHECK(some[i] == byte_at(4321 + i));
    CHECK(!readin_copy(m.r, m.ptr + BYTES - 10, some, 11));
    unmap(&m);
}

/* A file that became shorter is left to its mapping. */
T(cut)
{
    struct mapped m = map_slowly();

    EQ(ftruncate(m.fd, BYTES / 2), 0);
    readin_soon(m.r, m.ptr, BYTES);
    readin_soon(m.r, m.ptr + BYTES / 2, BYTES / 2);
    CHECK(same(m.ptr, 0, BYTES / 2, 1));
    unmap(&m);
}

struct reading {
    const struct mapped *m;
    _Atomic bool end;
};

static void *look_on(void *ctx)
{
    struct reading *r = ctx;
    bool good = true;

    for (size_t from = 0; good && !r->end; from = (from + 977) % 4096)
        good = same(r->m->ptr, from, BYTES, 4096);
    return good ? r : NULL;
}

T(while_others_read)
{
    enum { READERS = 2 };
    struct mapped m = map_slowly();
    struct reading r = {.m = &m};
    pthread_t id[READERS];

    for (int i = 0; i < READERS; i++)
        EQ(pthread_create(&id[i], NULL, look_on, &r), 0);
    for (size_t i = 0; i < BYTES; i += 100000) {
        readin_soon(m.r, m.ptr + i, 1);
        readin_let_go(m.r);
    }
    r.end = true;
    for (int i = 0; i < READERS; i++) {
        void *good;
        EQ(pthread_join(id[i], &good), 0);
        CHECK(good);
    }
    unmap(&m);
}

T_RUN(T_CASE(from_front_to_end), T_CASE(here_and_there), T_CASE(stays_for_a_while),
      T_CASE(small), T_CASE(copies), T_CASE(cut), T_CASE(while_others_read))
