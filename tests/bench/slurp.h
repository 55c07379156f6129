/* slurp.h - a whole file as memory, for the programs of the benchmark.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_TESTS_BENCH_SLURP_H
#define PTS_TESTS_BENCH_SLURP_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Ends the program when it cannot be read. */
static inline uint8_t *slurp(const char *path, size_t *n)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0 || st.st_size == 0) {
        fprintf(stderr, "%s: cannot be read, or empty\n", path);
        exit(1);
    }
    *n = (size_t)st.st_size;
    void *at = mmap(NULL, *n, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED) {
        perror(path);
        exit(1);
    }
    close(fd);
    return at;
}

#endif
