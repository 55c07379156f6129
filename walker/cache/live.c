/* live.c - what the machine says of itself: the kernel that runs, the vdso.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/cache/live.h"

#include "decoder/base/sys.h"
#include "walker/code/kernel_running.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Files of the kernel have no size: read until there is no more.  *n: at most size. */
static size_t read_some(int fd, uint8_t *to, size_t size)
{
    size_t n = 0;
    while (n < size) {
        ssize_t got = read(fd, to + n, size - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    return n;
}

struct build_id live_notes_id(const char *path)
{
    uint8_t notes[8192]; /* they are some hundred bytes */
    int fd = sys_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return (struct build_id){0};
    size_t n = read_some(fd, notes, sizeof(notes));
    close(fd);
    return build_id_in_notes(notes, n);
}

struct build_id live_kernel_id(void)
{
    struct build_id id = {0};
    return kernel_running_id(&id) ? id : (struct build_id){0};
}

/* It has no size either: its section headers stand at its end, as linkers put them, and
 * the rest of the page belongs to it. */
struct pts_bytes live_vdso(struct build_id *id)
{
    enum {
        VDSO_MAX = 1 << 16,
        AT_SHOFF = 0x28,
        AT_SHENTSIZE = 0x3a,
        AT_SHNUM = 0x3c,
        PAGE = 4096
    };
    const uint8_t *p = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
    struct image_elf elf;

    if (!p || memcmp(p, "\177ELF\2", 5) != 0)
        return (struct pts_bytes){0};
    uint64_t size = rd_u64(p + AT_SHOFF) +
                    (uint64_t)rd_u16(p + AT_SHENTSIZE) * rd_u16(p + AT_SHNUM);
    size = (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    if (size > VDSO_MAX || image_elf_of(p, size, &elf) < 0)
        return (struct pts_bytes){0};
    *id = elf.id.len ? elf.id : elf.id_phdr;
    return (struct pts_bytes){p, size};
}
