/* branches.c - how many branches each function of a recording took.
 *
 * SPDX-License-Identifier: MIT
 *
 *     branches RECORDING [SYMFS]
 *
 * Prints "COUNT FUNCTION" for each, as they come; [unknown] stands for code without a
 * symbol.
 */
#include <ptscript/sample.h>
#include <stdio.h>
#include <stdlib.h>

struct counts {
    uint64_t *of; /* by the number of the function's name; 0 has none */
    uint32_t room;
};

static void count(struct counts *c, uint32_t sym)
{
    if (sym >= c->room) {
        uint32_t room = sym * 2 + 64;
        c->of = (uint64_t *)realloc(c->of, room * sizeof(*c->of));
        if (!c->of) {
            fputs("branches: out of memory\n", stderr);
            exit(1);
        }
        while (c->room < room)
            c->of[c->room++] = 0;
    }
    c->of[sym]++;
}

static void print(const pts_stream *st, const struct counts *c)
{
    for (uint32_t id = 0; id < c->room; id++)
        if (c->of[id])
            printf("%llu %s\n", (unsigned long long)c->of[id],
                   id ? pts_stream_string(st, id, NULL) : "[unknown]");
}

static int fail(const struct pts_diag *why)
{
    fprintf(stderr, "branches: %s\n", why->text);
    return 1;
}

static int read_all(pts_stream *st)
{
    struct pts_batch batch = PTS_BATCH_INIT;
    struct counts c = {NULL, 0};
    struct pts_diag why;
    pts_status status;

    while ((status = pts_stream_next_batch(st, &batch, &why)) == PTS_OK)
        for (size_t i = 0; i < batch.n; i++)
            if (batch.rows[i].type == PTS_ROW_SAMPLE)
                count(&c, batch.rows[i].sym);
    print(st, &c);
    free(c.of);
    return status == PTS_END ? 0 : fail(&why);
}

int main(int argc, char **argv)
{
    const struct pts_option itrace = {"itrace", "b"};
    struct pts_samples_opts opts = PTS_SAMPLES_OPTS_INIT;
    struct pts_open_opts open = PTS_OPEN_OPTS_INIT;
    pts_session *session;
    pts_stream *st;
    struct pts_diag why;

    if (argc < 2)
        return fprintf(stderr, "branches RECORDING [SYMFS]\n"), 129;
    open.symfs = argc > 2 ? argv[2] : NULL;
    if (pts_session_open(argv[1], &open, &session, &why) < 0)
        return fail(&why);
    opts.options = &itrace;
    opts.option_count = 1;
    opts.want = PTS_WANT_SYMBOL;
    if (pts_samples_open(session, &opts, &st, &why) < 0)
        return fail(&why);
    int rc = read_all(st);
    pts_stream_close(st);
    pts_session_close(session);
    return rc;
}
