/* shrink.c - recordings that get shorter while they are open.
 *
 * SPDX-License-Identifier: MIT
 *
 *     shrink FILE...
 *
 * Bytes at the end of the last page become zeros then, with no signal: those that were
 * checked when the file was opened, too.  Nothing may crash or hang for that, and no run
 * may end as if all were well.
 *
 * What hangs is told by the time that it computes, not by the clock, which goes on while other
 * tests have the processor.  For the same reason the file is in memory, not on a disk.
 */
#include <ptscript/records.h>
#include <ptscript/session.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds: of computing (the longest takes less than one), and by the clock, of one that sleeps. */
enum { LENGTHS = 8, LIMIT = 60, SLEEP_LIMIT = 500, FILE_MAX = 1 << 20 };

static char copy[32]; /* its path */
static int copy_fd;
static uint8_t bytes[FILE_MAX];
static size_t size;

static void copy_write(void)
{
    if (ftruncate(copy_fd, 0) != 0 || pwrite(copy_fd, bytes, size, 0) != (ssize_t)size)
        abort();
}

static void copy_cut(size_t len)
{
    if (ftruncate(copy_fd, (off_t)len) != 0)
        abort();
}

static pts_status drain(pts_stream *stream)
{
    struct pts_diag why;
    const char *text;
    size_t n;
    pts_status st;
    while ((st = pts_stream_next_text(stream, &text, &n, &why)) == PTS_OK)
        ;
    pts_stream_close(stream);
    return st;
}

/* Cut before or after the first look at all records.  Whether it ended well. */
static int run(const struct pts_option *options, size_t count, size_t len, int early)
{
    struct pts_open_opts opts = PTS_OPEN_OPTS_INIT;
    struct pts_diag why;
    pts_session *s;
    pts_stream *stream;
    copy_write();
    if (pts_session_open(copy, &opts, &s, &why) < 0)
        return 0; /* damaged from the start */
    if (early)
        copy_cut(len);
    pts_status st = pts_stream_open(s, options, count, &stream, &why);
    if (!early)
        copy_cut(len);
    if (st == PTS_OK)
        st = drain(stream);
    pts_session_close(s);
    return st >= 0;
}

static void records(int order, size_t len)
{
    struct pts_records_opts opts = PTS_RECORDS_OPTS_INIT;
    struct pts_record r;
    struct pts_diag why;
    pts_records *rs;
    opts.order = order;
    copy_write();
    if (pts_records_open(copy, &opts, &rs, &why) < 0)
        return;
    copy_cut(len);
    while (pts_records_next(rs, &r) == PTS_OK)
        ;
    pts_records_close(rs);
}

static int lengths_run(void)
{
    static const struct pts_option dump[] = {
        {"dump-raw-trace", NULL}
    };
    static const struct pts_option branches[] = {
        {"itrace",           "bepwI"},
        {"show-task-events", NULL   },
        {"show-mmap-events", NULL   }
    };
    size_t page = (size_t)sysconf(_SC_PAGESIZE), from = (size - 1) / page * page;
    int well = 0;
    for (size_t i = 0; i < LENGTHS; i++) {
        size_t len = from + 1 + (size - 1 - from) * i / LENGTHS;
        if (len >= size)
            continue;
        for (int early = 0; early < 2; early++) {
            well += run(NULL, 0, len, early);
            well += run(dump, 1, len, early);
            well += run(branches, 3, len, early);
        }
        records(PTS_ORDER_STORED, len);
        records(PTS_ORDER_TIME, len);
    }
    return well;
}

static int file_read(const char *path)
{
    int fd = open(path, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));
    if (fd >= 0)
        close(fd);
    size = n > 0 ? (size_t)n : 0;
    return n > 0;
}

static void limits_set(void)
{
    const struct itimerval computing = {.it_value = {.tv_sec = LIMIT}};
    setitimer(ITIMER_PROF, &computing, NULL);
    alarm(SLEEP_LIMIT);
}

/* Each in a process of its own, so that one that crashes or hangs does not hide others. */
static int file_run(const char *path)
{
    int status = 0;
    if (!file_read(path))
        return 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        limits_set();
        exit(lengths_run() ? 1 : 0);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        abort();
    if (WIFSIGNALED(status))
        printf("%s: signal %d\n", path, WTERMSIG(status));
    else if (WEXITSTATUS(status))
        printf("%s: %s\n", path,
               WEXITSTATUS(status) == 1 ? "ends as if all were well" : "a fault");
    return status != 0;
}

int main(int argc, char **argv)
{
    int bad = 0;
    copy_fd = memfd_create("recording", MFD_CLOEXEC);
    if (copy_fd < 0)
        return 2;
    snprintf(copy, sizeof(copy), "/proc/self/fd/%d", copy_fd);
    for (int i = 1; i < argc; i++)
        bad += file_run(argv[i]);
    printf("%d files, %d bad\n", argc - 1, bad);
    return bad != 0;
}
