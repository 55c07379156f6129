/* kernel_running.c - the kernel of this machine.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/kernel_running.h"

#include "decoder/base/bytes.h"
#include "decoder/base/sys.h"

#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { NOTES_MAX = 4096, NOTE_BUILD_ID = 3 };

static size_t padded(uint32_t n)
{
    return ((size_t)n + 3) & ~(size_t)3;
}

/* Notes: u32 lengths of name and contents, u32 type, both padded to 4 bytes. */
bool kernel_running_id(struct build_id *out)
{
    uint8_t notes[NOTES_MAX];
    int fd = sys_open("/sys/kernel/notes", O_RDONLY);
    ssize_t got = fd >= 0 ? read(fd, notes, sizeof(notes)) : -1;

    if (fd >= 0)
        close(fd);
    for (struct reader r = reader_of(notes, got > 0 ? (size_t)got : 0);
         reader_left(&r);) {
        uint32_t name_len = reader_u32(&r), len = reader_u32(&r), type = reader_u32(&r);
        const uint8_t *name = reader_take(&r, padded(name_len));
        const uint8_t *id = reader_take(&r, padded(len));
        if (!name || !id)
            return false;
        if (type == NOTE_BUILD_ID && name_len == 4 && memcmp(name, "GNU", 4) == 0) {
            *out = build_id_of(id, len);
            return true;
        }
    }
    return false;
}

bool kernel_running_is(const char *host, const char *release)
{
    struct utsname here;

    return host && release && uname(&here) == 0 && strcmp(here.nodename, host) == 0 &&
           strcmp(here.release, release) == 0;
}
