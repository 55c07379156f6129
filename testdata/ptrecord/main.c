/* main.c - ptrecord: records a program as if there were Intel PT hardware.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/engine.h"
#include "testdata/ptrecord/opts.h"
#include "testdata/ptrecord/symfs.h"

#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* As a shell would give it. */
static int exit_code(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* What there is now, as perf record says it at its end. */
static void end_tell(const struct opts *o, uint64_t insns, int status)
{
    struct stat s;
    double mb = stat(o->rec.output, &s) == 0 ? (double)s.st_size / 1e6 : 0;

    if (!o->quiet)
        fprintf(stderr,
                "ptrecord: wrote %.3f MB to %s, %llu instructions, exit status %d\n",
                mb, o->rec.output, (unsigned long long)insns, status);
}

int main(int argc, char **argv)
{
    struct opts opts;
    opts_read(&opts, argc, argv);
    struct engine e = {.opts = &opts, .rng.state = opts.rec.seed};
    e.rec = rec_open(&opts.rec, opts.argc, opts.argv);
    if (!e.rec)
        return 1;
    if (opts.truth)
        e.truth = truth_open(opts.truth);
    if (opts.symfs)
        e.symfs = symfs_open(opts.symfs);
    engine_run(&e);
    bool ok = truth_close(e.truth, e.started);
    ok &= symfs_close(e.symfs, e.started);
    if (!e.started)
        rec_drop(e.rec); /* the program is not there, and the old recording stays */
    else
        ok &= rec_close(e.rec) == 0;
    if (!ok)
        return 1;
    int status = e.interrupt.signal ? 128 + e.interrupt.signal
                 : e.ending         ? 0
                                    : exit_code(e.exit_status);
    if (e.started)
        end_tell(&opts, e.insns, status);
    return status;
}
