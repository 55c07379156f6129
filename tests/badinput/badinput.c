/* badinput.c - damaged copies of a recording must neither crash nor hang the library.
 *
 * SPDX-License-Identifier: MIT
 *
 *     badinput [-s SYMFS] [-b BUILDID_DIR] [-e EVERY] [-m MOST] cut STEP FILE
 *     badinput [...] flip COUNT FILE
 *
 * cut: the file ends at every STEP-th byte.  flip: COUNT copies with one to eight bytes
 * changed, from a fixed seed.  EVERY n: only each n-th of them.  MOST: no more copies
 * than so many, those of cut spread over the whole file.
 *
 * Batches of copies run in child processes that share one page with the parent, so that
 * a crash or a hang is put down to its copy, and the rest still runs.  A copy that is
 * refused must be refused with a text and a place in the file. */
#include <ptscript/session.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    BATCH = 64,
    LIMIT = 20,   /* seconds of processor time for a copy, under a sanitizer too ... */
    ASLEEP = 120, /* ... and of waiting, on a busy machine too */
    SHOWN = 20
};

struct job {
    const uint8_t *data;
    size_t size;
    int flip;        /* else cut */
    uint64_t amount; /* STEP or COUNT */
    uint64_t every;
    struct pts_open_opts opts;
};

/* What children tell the parent. */
struct shared {
    uint64_t at; /* the copy being worked on */
    uint64_t done, refused, text_missing, place_missing;
    char sample[PTS_DIAG_TEXT + 64];
};

static struct shared *shared;

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Copy number n of the job, in buf: its size. */
static size_t copy_make(const struct job *job, uint64_t n, uint8_t *buf)
{
    memcpy(buf, job->data, job->size);
    if (!job->flip)
        return (size_t)(n * job->amount);
    uint64_t state = 0x9e3779b97f4a7c15u * (n + 1);
    uint64_t flips = 1 + random_next(&state) % 8;
    for (uint64_t i = 0; i < flips; i++) {
        size_t where = (size_t)(random_next(&state) % job->size);
        /* Half of them near the front, where the structure is. */
        if (i & 1)
            where %= 2048;
        buf[where % job->size] ^= (uint8_t)(1 + random_next(&state) % 255);
    }
    return job->size;
}

/* So that there are not more copies than `most`. */
static void job_bound(struct job *job, uint64_t most)
{
    uint64_t step = job->size / most + 1;
    if (job->flip)
        job->amount = job->amount < most ? job->amount : most;
    else
        job->amount = job->amount > step ? job->amount : step;
}

static uint64_t copies(const struct job *job)
{
    return job->flip ? job->amount : job->size / job->amount + 1;
}

/* Events that contradict each other are told in perf's words, which name no place. */
static void refusal_check(pts_status st, const struct pts_diag *why, const char *path)
{
    shared->refused++;
    if (!why->text[0])
        shared->text_missing++;
    if ((st == PTS_E_FORMAT || st == PTS_E_TRUNCATED || st == PTS_E_RANGE) &&
        why->offset == UINT64_MAX && !strstr(why->text, path) &&
        !strstr(why->text, "non matching")) {
        shared->place_missing++;
        snprintf(shared->sample, sizeof(shared->sample), "copy %llu: %s",
                 (unsigned long long)shared->at, why->text);
    }
}

static void stream_drain(pts_session *s, const struct pts_option *options, size_t count,
                         const char *path)
{
    struct pts_diag why = {.offset = UINT64_MAX};
    pts_stream *stream = NULL;
    const char *text;
    size_t n;
    pts_status st = pts_stream_open(s, options, count, &stream, &why);
    if (st < 0) { /* about the options, not about a place in the file */
        refusal_check(PTS_E_USAGE, &why, path);
        return;
    }
    do {
        st = pts_stream_next_text(stream, &text, &n, &why);
    } while (st == PTS_OK);
    if (st < 0)
        refusal_check(st, &why, path);
    pts_stream_close(stream);
}

static void copy_run(const struct job *job, const char *path)
{
    static const struct pts_option sets[][3] = {
        {{"itrace", "bexwpoI"},    {"fields", "+flags,+insn,+ipc"}, {"ns", NULL}},
        {{"dump-raw-trace", NULL},
         {"show-task-events", NULL},
         {"show-mmap-events", NULL}                                             },
        {{"itrace", "i99iegl8"},
         {"fields", "-period,+brstackinsn"},
         {"show-switch-events", NULL}                                           },
    };
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        struct pts_diag why = {.offset = UINT64_MAX};
        pts_session *s = NULL;
        pts_status st = pts_session_open(path, &job->opts, &s, &why);
        if (st < 0) {
            refusal_check(st, &why, path);
            return;
        }
        stream_drain(s, sets[i], 3, path);
        pts_session_close(s);
    }
}

/* Ends the process when a copy takes too long; 0: it does not any more. */
static void watch(int limit, unsigned asleep)
{
    const struct itimerval used = {.it_value.tv_sec = limit};
    if (setitimer(ITIMER_PROF, &used, NULL) < 0)
        _exit(2);
    alarm(asleep);
}

/* The copies from shared->at on, in this process. */
static void batch_run(const struct job *job, uint64_t end)
{
    char path[64];
    uint8_t *buf = malloc(job->size);
    int fd = memfd_create("copy", 0);
    if (!buf || fd < 0)
        _exit(2);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);

    for (; shared->at < end; shared->at += job->every) {
        size_t size = copy_make(job, shared->at, buf);
        if (ftruncate(fd, 0) < 0 || pwrite(fd, buf, size, 0) != (ssize_t)size)
            _exit(2);
        watch(LIMIT, ASLEEP);
        copy_run(job, path);
        watch(0, 0);
        shared->done++;
    }
    free(buf);
    close(fd);
    exit(0);
}

static const char *end_name(int status, char *buf, size_t size)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        snprintf(buf, size, "ran longer than %d s", LIMIT);
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(buf, size, "was not done after %d s", ASLEEP);
    else if (WIFSIGNALED(status))
        snprintf(buf, size, "died of signal %d", WTERMSIG(status));
    else
        snprintf(buf, size, "exited with %d", WEXITSTATUS(status));
    return buf;
}

/* Number of copies that ended their process. */
static int job_run(const struct job *job)
{
    char how[64];
    int bad = 0;
    uint64_t total = copies(job);
    shared->at = 0;
    while (shared->at < total) {
        uint64_t end = shared->at + BATCH * job->every;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            batch_run(job, end < total ? end : total);
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) < 0)
            return -1;
        if (status == 0)
            continue;
        if (bad++ < SHOWN)
            printf("  copy %llu %s\n", (unsigned long long)shared->at,
                   end_name(status, how, sizeof(how)));
        shared->at += job->every;
    }
    return bad;
}

static int file_map(const char *path, struct job *job)
{
    struct stat sb;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &sb) < 0)
        return -1;
    job->size = (size_t)sb.st_size;
    job->data = mmap(NULL, job->size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    return job->data == MAP_FAILED ? -1 : 0;
}

int main(int argc, char **argv)
{
    struct job job = {.every = 1, .opts = PTS_OPEN_OPTS_INIT};
    uint64_t most = UINT64_MAX;
    int opt;
    while ((opt = getopt(argc, argv, "s:b:e:m:")) != -1) {
        if (opt == 's')
            job.opts.symfs = optarg;
        else if (opt == 'b')
            job.opts.buildid_dir = optarg;
        else if (opt == 'e')
            job.every = strtoull(optarg, NULL, 10);
        else if (opt == 'm')
            most = strtoull(optarg, NULL, 10);
        else
            return 2;
    }
    if (argc - optind != 3 || job.every == 0 || most == 0)
        return 2;
    job.flip = strcmp(argv[optind], "flip") == 0;
    job.amount = strtoull(argv[optind + 1], NULL, 10);
    if (job.amount == 0 || file_map(argv[optind + 2], &job) < 0) {
        fprintf(stderr, "%s: %s\n", argv[optind + 2], strerror(errno));
        return 2;
    }
    job_bound(&job, most);
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 2;

    int bad = job_run(&job);
    printf("%s %s: %llu copies, %llu refusals, %d crashed or hung, %llu without a "
           "text, %llu "
           "without a place\n",
           argv[optind], argv[optind + 2], (unsigned long long)shared->done,
           (unsigned long long)shared->refused, bad,
           (unsigned long long)shared->text_missing,
           (unsigned long long)shared->place_missing);
    if (shared->place_missing)
        printf("  %s\n", shared->sample);
    return bad != 0 || shared->text_missing != 0 || shared->place_missing != 0;
}
