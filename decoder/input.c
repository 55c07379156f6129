/* input.c - a whole file as one run of bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/input.h"

#include "decoder/arena.h"
#include "decoder/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SLURP_CHUNK = 1 << 20 };

static pts_status input_fail(const char *path, int err, struct pts_diag *why)
{
    char text[128];
    return diag_set(why, PTS_E_IO, UINT64_MAX, "failed to open %s: %s", path,
                    strerror_r(err, text, sizeof(text)));
}

static pts_status input_map(int fd, size_t len, struct input *in)
{
    void *p = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED)
        return PTS_E_IO;
    in->ptr = p;
    in->len = len;
    in->mapped = true;
    return PTS_OK;
}

static pts_status input_slurp(int fd, const char *path, struct input *in,
                              struct pts_diag *why)
{
    uint8_t *at = NULL;
    size_t len = 0, cap = 0;
    for (;;) {
        if (cap - len < SLURP_CHUNK) {
            size_t want = cap ? cap * 2 : (size_t)SLURP_CHUNK * 2;
            uint8_t *more = want > cap ? mem_resize(at, want, 1) : NULL;
            if (!more) {
                mem_free(at);
                return diag_set(why, PTS_E_NOMEM, len, "%s does not fit into memory",
                                path);
            }
            at = more;
            cap = want;
        }
        ssize_t n = read(fd, at + len, cap - len);
        if (n == 0)
            break;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            int err = errno;
            mem_free(at);
            return input_fail(path, err, why);
        }
        len += (size_t)n;
    }
    in->ptr = at;
    in->len = len;
    in->owned = true;
    return PTS_OK;
}

pts_status input_open(const char *path, struct input *out, struct pts_diag *why)
{
    struct input in = {.trusted = true};
    struct stat sb;
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return input_fail(path, errno, why);
    pts_status st = PTS_OK;
    if (fstat(fd, &sb) != 0) {
        st = input_fail(path, errno, why);
        goto done;
    }
    if (S_ISDIR(sb.st_mode)) {
        st = diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                      "%s: perf.data directories are not supported", path);
        goto done;
    }
    if (S_ISREG(sb.st_mode)) {
        in.trusted = sb.st_uid == 0 || sb.st_uid == geteuid();
        in.mtime = sb.st_mtime;
    }
    /* Standard input may be a file that was partly read: map only what starts at 0. */
    bool from_start = !is_stdin || lseek(fd, 0, SEEK_CUR) == 0;
    if (!S_ISREG(sb.st_mode) || sb.st_size == 0 || !from_start ||
        input_map(fd, (size_t)sb.st_size, &in) != PTS_OK)
        st = input_slurp(fd, path, &in, why);
    if (st == PTS_OK)
        *out = in;
done:
    if (!is_stdin)
        close(fd);
    return st;
}

struct input input_of(const uint8_t *ptr, size_t len)
{
    return (struct input){.ptr = ptr, .len = len, .trusted = true};
}

void input_close(struct input *in)
{
    if (in->mapped)
        munmap((void *)(uintptr_t)in->ptr, in->len);
    else if (in->owned)
        mem_free((void *)(uintptr_t)in->ptr);
    *in = (struct input){0};
}
