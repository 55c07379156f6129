/* kernel_running.c - the kernel of this machine.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/kernel_running.h"

#include "decoder/base/sys.h"

#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { NOTES_MAX = 4096 };

bool kernel_running_id(struct build_id *out)
{
    uint8_t notes[NOTES_MAX];
    int fd = sys_open("/sys/kernel/notes", O_RDONLY);
    ssize_t got = fd >= 0 ? read(fd, notes, sizeof(notes)) : -1;

    if (fd >= 0)
        close(fd);
    *out = build_id_in_notes(notes, got > 0 ? (size_t)got : 0);
    return out->len > 0;
}

bool kernel_running_is(const char *host, const char *release)
{
    struct utsname here;

    return host && release && uname(&here) == 0 && strcmp(here.nodename, host) == 0 &&
           strcmp(here.release, release) == 0;
}
