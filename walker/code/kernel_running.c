/* kernel_running.c - the kernel of this machine.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/kernel_running.h"

#include "decoder/base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { NOTES_MAX = 8192 }; /* they are some hundred bytes */

struct build_id kernel_notes_id(const char *path)
{
    uint8_t notes[NOTES_MAX];
    int fd = sys_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    size_t n = 0;

    if (fd < 0)
        return (struct build_id){0};
    while (n < sizeof(notes)) {
        ssize_t got = read(fd, notes + n, sizeof(notes) - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    close(fd);
    return build_id_in_notes(notes, n);
}

bool kernel_running_is(const char *host, const char *release)
{
    struct utsname here;

    return host && release && uname(&here) == 0 && strcmp(here.nodename, host) == 0 &&
           strcmp(here.release, release) == 0;
}
