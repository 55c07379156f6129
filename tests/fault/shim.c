/* shim.c - makes calls of a program fail: the Nth of a kind, or each from the Nth on.
 *
 * SPDX-License-Identifier: MIT
 *
 * Loaded with LD_PRELOAD.  Calls count from main() on, those of libraries as well, but not
 * what the C library calls inside itself, other than the allocator.
 *
 *     FAULT_KIND   alloc, map (and protect), open, stat, read, write (and reserve), pread,
 *                  pwrite, load (of a library)
 *     FAULT_AT     which call, from 1 on; 0: none fails
 *     FAULT_ON     set: all after it fail, too
 *     FAULT_ERROR  errno of the failure; -1: the call does a part of what it was asked for
 *     FAULT_SIGNAL a signal that comes right before the call, which does not fail then
 *     FAULT_CUT    a file that is cut to one page right before the first write to standard output
 *     FAULT_SPARE  part of the name of a library whose allocations do not fail
 *     FAULT_COUNT  a file that gets "KIND CALLS" lines at the end
 *     FAULT_TRACE  set: where it failed, to standard error
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

enum kind { ALLOC, MAP, OPEN, STAT, READ, WRITE, PREAD, PWRITE, LOAD, KINDS, NONE };

static const char *const kind_name[KINDS] = {"alloc", "map",   "open",   "stat", "read",
                                             "write", "pread", "pwrite", "load"};
static atomic_ulong calls[KINDS];
static atomic_bool armed;
static enum kind kind = NONE;
static unsigned long at;
static bool on, trace;
static int error, signal_of;
static char count_path[4096], cut_path[4096], spare[64];

/* The allocator as it is below this file; the names are the C library's. */
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t align, size_t n);

static void trace_here(void)
{
    void *frames[24];

    armed = false;
    int n = backtrace(frames, 24);
    backtrace_symbols_fd(frames, n, STDERR_FILENO);
    armed = true;
}

static bool is_spared(const void *caller)
{
    Dl_info info;

    return caller && spare[0] && dladdr(caller, &info) && info.dli_fname &&
           strstr(info.dli_fname, spare);
}

/* Whether this call of caller (NULL: anybody) fails; errno then says why. */
static bool fails_for(enum kind k, const void *caller)
{
    if (!armed)
        return false;
    unsigned long n = atomic_fetch_add(&calls[k], 1) + 1;
    if (k != kind || !at || (on ? n < at : n != at) || is_spared(caller))
        return false;
    if (trace)
        trace_here();
    if (signal_of) {
        raise(signal_of);
        return false;
    }
    errno = error;
    return true;
}

static bool fails(enum kind k)
{
    return fails_for(k, NULL);
}

/* As fails(), but a call that shall do a part of its work goes on with fewer bytes. */
static bool fails_or_part(enum kind k, size_t *n)
{
    if (!fails(k))
        return false;
    if (error != -1)
        return true;
    *n = *n > 1 ? *n / 2 : *n;
    return false;
}

/* --- Beginning and end ------------------------------------------------------------- */

static int (*main_of_program)(int, char **, char **);

static unsigned long number(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : 0;
}

static void counts_write(void)
{
    armed = false;
    FILE *f = fopen(count_path, "w");
    for (int k = 0; f && k < KINDS; k++)
        fprintf(f, "%s %lu\n", kind_name[k], calls[k]);
    if (f)
        fclose(f);
}

SHOWN _Noreturn void _exit(int status)
{
    if (count_path[0])
        counts_write();
    for (;;)
        syscall(SYS_exit_group, status);
}

static int main_armed(int argc, char **argv, char **env)
{
    static const char *const ours[] = {
        "FAULT_KIND",  "FAULT_AT",    "FAULT_ON",     "FAULT_ERROR", "FAULT_COUNT",
        "FAULT_TRACE", "FAULT_SPARE", "FAULT_SIGNAL", "FAULT_CUT",   "LD_PRELOAD"};
    const char *name = getenv("FAULT_KIND");

    for (int k = 0; name && k < KINDS; k++)
        if (strcmp(name, kind_name[k]) == 0)
            kind = (enum kind)k;
    at = number("FAULT_AT");
    on = getenv("FAULT_ON");
    trace = getenv("FAULT_TRACE");
    error = (int)number("FAULT_ERROR");
    signal_of = (int)number("FAULT_SIGNAL");
    if (getenv("FAULT_SPARE"))
        snprintf(spare, sizeof(spare), "%s", getenv("FAULT_SPARE"));
    if (getenv("FAULT_CUT"))
        snprintf(cut_path, sizeof(cut_path), "%s", getenv("FAULT_CUT"));
    if (getenv("FAULT_COUNT")) {
        snprintf(count_path, sizeof(count_path), "%s", getenv("FAULT_COUNT"));
        atexit(counts_write);
    }
    if (trace) { /* it allocates when first called */
        void *frame;
        backtrace(&frame, 1);
    }
    /* Programs that are started from here run as they are, all in the same surroundings. */
    for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
        unsetenv(ours[i]);
    armed = true;
    return main_of_program(argc, argv, env);
}

SHOWN int __libc_start_main(int (*start)(int, char **, char **), int argc, char **argv,
                            void (*init)(void), void (*fini)(void),
                            void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(int (*start)(int, char **, char **), int argc, char **argv,
                      void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
                      void *stack_end)
{
    int (*next)(int (*)(int, char **, char **), int, char **, void (*)(void),
                void (*)(void), void (*)(void), void *);
    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    main_of_program = start;
    return next(main_armed, argc, argv, init, fini, rtld_fini, stack_end);
}

/* --- The allocator ------------------------------------------------------------------ */

#define NO_MEMORY() fails_for(ALLOC, __builtin_return_address(0))

SHOWN void *malloc(size_t n)
{
    return NO_MEMORY() ? NULL : __libc_malloc(n);
}

SHOWN void *calloc(size_t count, size_t size)
{
    return NO_MEMORY() ? NULL : __libc_calloc(count, size);
}

SHOWN void *realloc(void *p, size_t n)
{
    return NO_MEMORY() ? NULL : __libc_realloc(p, n);
}

SHOWN void *reallocarray(void *p, size_t count, size_t size)
{
    size_t n;
    if (__builtin_mul_overflow(count, size, &n)) {
        errno = ENOMEM;
        return NULL;
    }
    return NO_MEMORY() ? NULL : __libc_realloc(p, n);
}

SHOWN void *memalign(size_t align, size_t n)
{
    return NO_MEMORY() ? NULL : __libc_memalign(align, n);
}

SHOWN void *aligned_alloc(size_t align, size_t n)
{
    return NO_MEMORY() ? NULL : __libc_memalign(align, n);
}

SHOWN int posix_memalign(void **out, size_t align, size_t n)
{
    int before = errno;
    void *p = NO_MEMORY() ? NULL : __libc_memalign(align, n);
    errno = before; /* it tells by what it returns */
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

/* --- Libraries ---------------------------------------------------------------------- */

SHOWN void *dlopen(const char *name, int how)
{
    void *(*next)(const char *, int);

    *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    return fails(LOAD) ? NULL : next(name, how);
}

/* --- Files ------------------------------------------------------------------------- */

SHOWN void *mmap(void *addr, size_t n, int prot, int flags, int fd, off_t off)
{
    if (fails(MAP))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, addr, n, prot, flags, fd, off);
}

SHOWN void *mmap64(void *addr, size_t n, int prot, int flags, int fd, off_t off)
    __attribute__((alias("mmap")));

static int open_of(int dir, const char *path, int flags, va_list ap)
{
    int mode =
        flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(ap, int) : 0;
    return fails(OPEN) ? -1 : (int)syscall(SYS_openat, dir, path, flags, mode);
}

SHOWN int open(const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    int fd = open_of(AT_FDCWD, path, flags, ap);
    va_end(ap);
    return fd;
}

SHOWN int open64(const char *path, int flags, ...) __attribute__((alias("open")));

SHOWN int openat(int dir, const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    int fd = open_of(dir, path, flags, ap);
    va_end(ap);
    return fd;
}

SHOWN int openat64(int dir, const char *path, int flags, ...)
    __attribute__((alias("openat")));

/* What they are called when the compiler checks sizes. */

SHOWN int __open_2(const char *path, int flags)
{
    return open(path, flags);
}

SHOWN int __open64_2(const char *path, int flags) __attribute__((alias("__open_2")));

SHOWN int stat(const char *path, struct stat *out)
{
    return fails(STAT) ? -1 : (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, 0);
}

SHOWN int lstat(const char *path, struct stat *out)
{
    return fails(STAT)
               ? -1
               : (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}

SHOWN int fstat(int fd, struct stat *out)
{
    return fails(STAT) ? -1 : (int)syscall(SYS_fstat, fd, out);
}

SHOWN int stat64(const char *path, struct stat64 *out) __attribute__((alias("stat")));
SHOWN int lstat64(const char *path, struct stat64 *out) __attribute__((alias("lstat")));
SHOWN int fstat64(int fd, struct stat64 *out) __attribute__((alias("fstat")));

SHOWN ssize_t read(int fd, void *to, size_t n)
{
    return fails_or_part(READ, &n) ? -1 : syscall(SYS_read, fd, to, n);
}

SHOWN ssize_t __read_chk(int fd, void *to, size_t n, size_t room)
{
    (void)room;
    return read(fd, to, n);
}

SHOWN ssize_t pread(int fd, void *to, size_t n, off_t off)
{
    return fails_or_part(PREAD, &n) ? -1 : syscall(SYS_pread64, fd, to, n, off);
}

SHOWN ssize_t pread64(int fd, void *to, size_t n, off_t off)
    __attribute__((alias("pread")));

SHOWN ssize_t __pread_chk(int fd, void *to, size_t n, off_t off, size_t room)
{
    (void)room;
    return pread(fd, to, n, off);
}

SHOWN ssize_t __pread64_chk(int fd, void *to, size_t n, off_t off, size_t room)
    __attribute__((alias("__pread_chk")));

static void file_cut(void)
{
    enum { PAGE = 4096 };

    syscall(SYS_truncate, cut_path, PAGE);
    cut_path[0] = '\0';
}

SHOWN ssize_t write(int fd, const void *from, size_t n)
{
    if (fd == STDOUT_FILENO && cut_path[0])
        file_cut();
    /* What is said of a failure can still be said. */
    if (fd == STDERR_FILENO)
        return syscall(SYS_write, fd, from, n);
    return fails_or_part(WRITE, &n) ? -1 : syscall(SYS_write, fd, from, n);
}

SHOWN ssize_t pwrite(int fd, const void *from, size_t n, off_t off)
{
    return fails_or_part(PWRITE, &n) ? -1 : syscall(SYS_pwrite64, fd, from, n, off);
}

SHOWN ssize_t pwrite64(int fd, const void *from, size_t n, off_t off)
    __attribute__((alias("pwrite")));

SHOWN int mprotect(void *addr, size_t n, int prot)
{
    return fails(MAP) ? -1 : (int)syscall(SYS_mprotect, addr, n, prot);
}

SHOWN int posix_fallocate(int fd, off_t off, off_t n)
{
    if (error > 0 && fails(WRITE))
        return error;
    return syscall(SYS_fallocate, fd, 0, off, n) == 0 ? 0 : errno;
}

SHOWN int posix_fallocate64(int fd, off_t off, off_t n)
    __attribute__((alias("posix_fallocate")));

/* --- What the C library does inside itself ------------------------------------------ */

#define NEXT(name) (*(void **)&next = dlsym(RTLD_NEXT, name))

/* Interrupted calls it makes again itself, or its callers cannot. */

SHOWN FILE *fopen(const char *path, const char *mode)
{
    FILE *(*next)(const char *, const char *);
    return error != EINTR && fails(OPEN) ? NULL : (NEXT("fopen"), next(path, mode));
}

SHOWN FILE *fdopen(int fd, const char *mode)
{
    FILE *(*next)(int, const char *);
    return error != EINTR && fails(OPEN) ? NULL : (NEXT("fdopen"), next(fd, mode));
}

SHOWN DIR *opendir(const char *path)
{
    DIR *(*next)(const char *);
    return error != EINTR && fails(OPEN) ? NULL : (NEXT("opendir"), next(path));
}

SHOWN DIR *fdopendir(int fd)
{
    DIR *(*next)(int);
    return error != EINTR && fails(OPEN) ? NULL : (NEXT("fdopendir"), next(fd));
}

SHOWN int mkostemp(char *path, int flags)
{
    int (*next)(char *, int);
    return error != EINTR && fails(OPEN) ? -1 : (NEXT("mkostemp"), next(path, flags));
}

SHOWN struct dirent *readdir(DIR *list)
{
    struct dirent *(*next)(DIR *);
    bool can = error != EINTR && error != -1;
    return can && fails(READ) ? NULL : (NEXT("readdir"), next(list));
}

/* What ferror() looks at. */
static bool broken(enum kind k, FILE *f)
{
    enum { ERROR_SEEN = 0x20 };

    if (f == stderr || f == stdout || error == -1 || error == EINTR || !fails(k))
        return false;
    f->_flags |= ERROR_SEEN;
    return true;
}

SHOWN char *fgets(char *to, int n, FILE *f)
{
    char *(*next)(char *, int, FILE *);
    return broken(READ, f) ? NULL : (NEXT("fgets"), next(to, n, f));
}

SHOWN char *__fgets_chk(char *to, size_t room, int n, FILE *f)
{
    (void)room;
    return fgets(to, n, f);
}

SHOWN size_t fread(void *to, size_t size, size_t n, FILE *f)
{
    size_t (*next)(void *, size_t, size_t, FILE *);
    return broken(READ, f) ? 0 : (NEXT("fread"), next(to, size, n, f));
}

SHOWN size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *f)
{
    (void)room;
    return fread(to, size, n, f);
}

SHOWN size_t fwrite(const void *from, size_t size, size_t n, FILE *f)
{
    size_t (*next)(const void *, size_t, size_t, FILE *);
    return broken(WRITE, f) ? 0 : (NEXT("fwrite"), next(from, size, n, f));
}

SHOWN int fflush(FILE *f)
{
    int (*next)(FILE *);
    return f && broken(WRITE, f) ? EOF : (NEXT("fflush"), next(f));
}

SHOWN int fclose(FILE *f)
{
    int (*next)(FILE *);
    bool fail = broken(WRITE, f);
    NEXT("fclose");
    return next(f) || fail ? EOF : 0;
}
