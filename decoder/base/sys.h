/* sys.h - calls of the system as all of the library makes them.
 *
 * SPDX-License-Identifier: MIT
 *
 * A call that a signal interrupted is made again.  A failure is noted (refused.h) unless it
 * says that the file is missing or somebody else's, and errno says what it is.
 */
#ifndef PTS_DECODER_BASE_SYS_H
#define PTS_DECODER_BASE_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* A descriptor, closed when another program is started, or -1. */
int sys_open(const char *path, int flags);

/* The same for a regular file, whatever a recorded name may lead to, and what it is. */
int sys_open_regular(const char *path, struct stat *out);

bool sys_stat(const char *path, struct stat *out);
bool sys_is_regular(const char *path);

/* n bytes of a file to be read only, or NULL. */
void *sys_map(int fd, size_t n, const char *path);

/* CPUs that this process may run on, at least 1. */
unsigned sys_cpus(void);

/* A function of a loaded object, into the pointer at to; false: there is none. */
bool sys_function(void *object, const char *name, void *to);

/* A function that is wanted of a library, and where the pointer to it goes. */
struct sys_wanted {
    const char *name;
    void *to;
};

/* Loads a library that few runs need and finds count functions in it; false: it is not there, or
 * lacks one.  It stays loaded. */
bool sys_library(const char *soname, const struct sys_wanted *wanted, size_t count);

#endif
