/* id.c - build ids for programs: as text, of files, of the kernel that runs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/base/refused.h"
#include "decoder/base/sys.h"
#include "walker/cache/told.h"
#include "walker/code/kernel_running.h"

#include <unistd.h>

const char *pts_image_id_text(const struct pts_image_id *id,
                              char text[PTS_IMAGE_ID_TEXT])
{
    const struct build_id own = id_own(id);
    return build_id_text(&own, text);
}

static pts_status give(const struct build_id *id, struct pts_image_id *out)
{
    if (!id->len)
        return PTS_END;
    *out = id_told(id);
    return PTS_OK;
}

pts_status pts_file_build_id(const char *path, struct pts_image_id *out,
                             struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    struct image_elf elf;
    struct stat sb;
    int fd = sys_open_regular(path, &sb);
    pts_status st = PTS_END;

    if (fd >= 0 && image_elf_open_named(fd, path, path, &elf) == PTS_OK) {
        st = give(&elf.id, out);
        image_elf_close(&elf);
    }
    if (fd >= 0)
        close(fd);
    return refused_since(mark, st, why);
}

pts_status pts_kernel_build_id(struct pts_image_id *out, struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    const struct build_id id = kernel_running_id();
    return refused_since(mark, give(&id, out), why);
}
