/* live.c - what the machine says of itself: the vdso.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/cache/live.h"

#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* It has no size: its section headers stand at its end, as linkers put them, and
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

int live_vdso_file(char path[LIVE_PATH])
{
    struct build_id id;
    struct pts_bytes vdso = live_vdso(&id);
    int fd = vdso.len ? memfd_create("vdso", MFD_CLOEXEC) : -1;

    if (fd < 0)
        return -1;
    if (write(fd, vdso.ptr, vdso.len) != (ssize_t)vdso.len) {
        close(fd);
        return -1;
    }
    snprintf(path, LIVE_PATH, "/proc/self/fd/%d", fd);
    return fd;
}
