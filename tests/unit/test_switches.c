/* test_switches.c - threads that change where the kernel switches them: each phase, and all that
 * can come in it.
 *
 * SPDX-License-Identifier: MIT
 *
 * What must come of it is what perf 6.1 does (docs/side-band.md); that it prints the same is
 * compared in tests/cases and tests/oracle.
 */
#include "walker/flow/switches.h"
#include "tests/lib/sb_make.h"

#define SWITCH_TO UINT64_C(0xffffffff81001000)
#define HOOK      UINT64_C(0xffffffff81002000)
#define ELSEWHERE UINT64_C(0xffffffff81003000)
#define USER      UINT64_C(0x401000)

enum { CPU = 2, OLD = 10, NEW = 20, TOLD = 30, NOBODY = -1 };
enum { BEFORE = 100, AT = 200, LATER = 300 }; /* times of records, and of the trace */

/* A branch: where from, where to, what kind of instruction. */
struct branch {
    uint64_t from, to;
    enum insn_class cls;
    uint16_t flags;
};

static struct flow *f;
static struct code none;

static struct code *no_code(void *ctx, const struct sb_dso *dso)
{
    (void)ctx;
    (void)dso;
    return &none;
}

/* A record of the CPU at that time. */
static void record(uint64_t tsc, enum sb_switch_how how, int32_t tid)
{
    EQ(sb_begin(sb, tsc), PTS_OK);
    EQ(sb_current(sb, CPU, tid, tid), PTS_OK);
    EQ(sb_switched(sb, CPU, tid, how), PTS_OK);
}

/* A queue of that CPU in that phase, on which OLD runs. */
static void queue(enum switch_phase phase, int32_t next)
{
    const struct flow_config conf = {
        .want = EV_BRANCH | EV_ERROR, .switch_to = SWITCH_TO, .switch_hook = HOOK};
    const struct flow_queue q = {.cpu = CPU, .tid = -1};
    const struct flow_images images = {no_code, NULL};

    finish();
    EQ(flow_new(&conf, &q, sb, &images, &f), PTS_OK);
    f->told.tsc = AT;
    f->told.sw.phase = phase;
    f->told.sw.tid = f->told.sw.told = OLD;
    f->told.sw.next = next;
}

static void done(void)
{
    flow_free(f);
    stop();
}

static void branch(const struct branch *b)
{
    f->out.ev = (struct pt_event){
        .what = EV_BRANCH, .from = b->from, .to = b->to, .flags = b->flags};
    f->walk.cls = b->cls;
    switches_after(f);
}

static const struct branch to_switch = {ELSEWHERE, SWITCH_TO, INSN_CALL, 0};

#define IS(want_phase, want_tid, want_next)                                            \
    do {                                                                               \
        EQ(f->told.sw.phase, want_phase);                                              \
        EQ(f->told.sw.tid, want_tid);                                                  \
        EQ(f->told.sw.next, want_next);                                                \
    } while (0)

/* --- Records, before an event --------------------------------------------------------- */

static void after_record(enum switch_phase phase, int32_t next, enum sb_switch_how how)
{
    start();
    record(BEFORE, how, NEW);
    queue(phase, next);
    switches_before(f);
    EQ(f->told.sw.at, 1);
}

T(a_record_of_the_next_thread_waits_for_the_branch_where_the_kernel_is_traced)
{
    after_record(SWITCH_TRACING, NOBODY, SB_SWITCH_NEXT);
    IS(SWITCH_WAITS_FOR_BRANCH, OLD, NEW);
    done();
    after_record(SWITCH_UNKNOWN, NOBODY, SB_SWITCH_NEXT);
    IS(SWITCH_WAITS_FOR_BRANCH, OLD, NEW);
    done();
}

T(else_it_counts_at_once)
{
    after_record(SWITCH_NOT_TRACING, NOBODY, SB_SWITCH_NEXT);
    IS(SWITCH_NOT_TRACING, NEW, NOBODY);
    done();
    after_record(SWITCH_WAITS_FOR_BRANCH, TOLD, SB_SWITCH_NEXT);
    IS(SWITCH_WAITS_FOR_BRANCH, NEW, NOBODY);
    done();
    after_record(SWITCH_WAITS_FOR_RECORD, NOBODY, SB_SWITCH_NEXT);
    IS(SWITCH_TRACING, NEW, NOBODY);
    done();
}

T(a_thread_that_says_that_it_runs_does)
{
    static const enum switch_phase phases[][2] = {
        {SWITCH_NOT_TRACING,      SWITCH_NOT_TRACING},
        {SWITCH_UNKNOWN,          SWITCH_UNKNOWN    },
        {SWITCH_TRACING,          SWITCH_TRACING    },
        {SWITCH_WAITS_FOR_RECORD, SWITCH_TRACING    },
        {SWITCH_WAITS_FOR_BRANCH, SWITCH_TRACING    },
    };
    for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
        after_record(phases[i][0], TOLD, SB_SWITCH_IN);
        IS(phases[i][1], NEW, NOBODY);
        done();
    }
}

T(a_start_of_tracing_changes_the_thread_only)
{
    after_record(SWITCH_WAITS_FOR_BRANCH, TOLD, SB_SWITCH_SET);
    IS(SWITCH_WAITS_FOR_BRANCH, NEW, TOLD);
    done();
}

T(records_take_effect_at_their_time)
{
    start();
    record(BEFORE, SB_SWITCH_IN, NEW);
    record(LATER, SB_SWITCH_IN, TOLD);
    queue(SWITCH_TRACING, NOBODY);
    switches_before(f);
    IS(SWITCH_TRACING, NEW, NOBODY);
    EQ(f->told.sw.at, 1);
    EQ(f->out.held.events.len, 1); /* whoever shows the events is told */
    EQ(f->out.held.events.at[0].from, NEW);
    EQ(f->out.held.events.at[0].what, EV_THREAD);
    switches_before(f);
    EQ(f->out.held.events.len, 1);
    f->told.tsc = LATER;
    switches_before(f);
    IS(SWITCH_TRACING, TOLD, NOBODY);
    EQ(f->out.held.events.len, 2);
    done();
}

/* --- The branch to __switch_to ----------------------------------------------------------- */

T(the_branch_that_a_record_has_told_changes_the_thread)
{
    start();
    queue(SWITCH_WAITS_FOR_BRANCH, NEW);
    branch(&to_switch);
    IS(SWITCH_TRACING, NEW, NOBODY);
    done();
}

T(a_branch_in_an_unknown_phase_was_told_by_nobody)
{
    static const enum switch_phase phases[] = {SWITCH_UNKNOWN, SWITCH_NOT_TRACING,
                                               SWITCH_WAITS_FOR_BRANCH};
    for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
        start();
        queue(phases[i], NOBODY);
        branch(&to_switch);
        IS(SWITCH_TRACING, OLD, NOBODY);
        done();
    }
}

T(a_branch_before_its_record_goes_on_at_the_time_of_the_record)
{
    start();
    record(LATER, SB_SWITCH_NEXT, NEW);
    queue(SWITCH_TRACING, NOBODY);
    branch(&to_switch);
    EQ(f->told.tsc, LATER);
    EQ(f->told.epoch, 1);
    IS(SWITCH_TRACING, NEW, NOBODY);
    done();
}

T(so_it_does_when_the_thread_itself_tells)
{
    start();
    record(LATER, SB_SWITCH_IN, NEW);
    queue(SWITCH_TRACING, NOBODY);
    branch(&to_switch);
    EQ(f->told.tsc, LATER);
    IS(SWITCH_TRACING, NEW, NOBODY);
    done();
}

T(what_only_says_who_runs_is_not_waited_for)
{
    start();
    record(AT + 1, SB_SWITCH_SET, TOLD);
    record(LATER, SB_SWITCH_NEXT, NEW);
    queue(SWITCH_TRACING, NOBODY);
    branch(&to_switch);
    EQ(f->told.tsc, LATER);
    EQ(f->told.sw.at, 2);
    IS(SWITCH_TRACING, NEW, NOBODY);
    done();
}

T(time_does_not_go_back_to_a_record)
{
    start();
    record(BEFORE, SB_SWITCH_NEXT, NEW);
    queue(SWITCH_TRACING, NOBODY);
    branch(&to_switch); /* before switches_before has seen it */
    EQ(f->told.tsc, AT);
    IS(SWITCH_TRACING, NEW, NOBODY);
    done();
}

T(without_a_record_the_queue_goes_on)
{
    /* perf 6.1 drops the rest of it (docs/compat.md, Kernel code) */
    start();
    queue(SWITCH_TRACING, NOBODY);
    branch(&to_switch);
    EQ(f->told.tsc, AT);
    IS(SWITCH_TRACING, OLD, NOBODY);
    done();
    start();
    record(LATER, SB_SWITCH_SET, NEW);
    queue(SWITCH_TRACING, NOBODY);
    branch(&to_switch);
    EQ(f->told.tsc, AT);
    IS(SWITCH_TRACING, NEW, NOBODY);
    done();
}

T(only_plain_branches_switch)
{
    static const struct branch no[] = {
        {ELSEWHERE, SWITCH_TO, INSN_CALL, EVF_ASYNC   }, /* an interrupt */
        {ELSEWHERE, SWITCH_TO, INSN_CALL, EVF_TX_ABORT},
        {ELSEWHERE, SWITCH_TO, INSN_JCC,  0           },
        {ELSEWHERE, SWITCH_TO, INSN_IRET, 0           },
    };
    static const struct branch yes[] = {
        {0,         SWITCH_TO, INSN_OTHER,   0}, /* tracing begins there */
        {ELSEWHERE, SWITCH_TO, INSN_RET,     0},
        {ELSEWHERE, SWITCH_TO, INSN_JMP,     0},
        {ELSEWHERE, SWITCH_TO, INSN_SYSCALL, 0},
        {ELSEWHERE, SWITCH_TO, INSN_SYSRET,  0},
        {ELSEWHERE, SWITCH_TO, INSN_VMENTRY, 0},
    };
    start();
    queue(SWITCH_WAITS_FOR_BRANCH, NEW);
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
        branch(&no[i]);
        IS(SWITCH_WAITS_FOR_BRANCH, OLD, NEW);
    }
    done();
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        start();
        queue(SWITCH_WAITS_FOR_BRANCH, NEW);
        branch(&yes[i]);
        IS(SWITCH_TRACING, NEW, NOBODY);
        done();
    }
}

/* --- Other branches ---------------------------------------------------------------------- */

T(where_tracing_stops_nothing_is_waited_for)
{
    static const struct branch end = {ELSEWHERE, 0, INSN_SYSRET, 0};
    for (int phase = SWITCH_NOT_TRACING; phase <= SWITCH_WAITS_FOR_BRANCH; phase++) {
        start();
        queue((enum switch_phase)phase, NEW);
        branch(&end);
        IS(SWITCH_NOT_TRACING, OLD, NEW);
        done();
    }
}

T(where_it_goes_on_nothing_is_known)
{
    static const struct branch begin = {0, ELSEWHERE, INSN_OTHER, 0};
    start();
    queue(SWITCH_NOT_TRACING, NOBODY);
    branch(&begin);
    IS(SWITCH_UNKNOWN, OLD, NOBODY);
    done();
}

T(what_the_kernel_calls_to_tell_perf_shows_that_it_is_traced)
{
    static const struct branch call = {ELSEWHERE, HOOK, INSN_CALL, 0};
    static const struct branch jump = {ELSEWHERE, HOOK, INSN_JMP, 0};
    start();
    queue(SWITCH_UNKNOWN, NOBODY);
    branch(&jump);
    IS(SWITCH_UNKNOWN, OLD, NOBODY);
    branch(&call);
    IS(SWITCH_TRACING, OLD, NOBODY);
    done();
    start();
    queue(SWITCH_NOT_TRACING, NOBODY);
    branch(&call);
    IS(SWITCH_UNKNOWN, OLD, NOBODY);
    done();
}

T(other_branches_and_events_change_nothing)
{
    static const struct branch other = {USER, USER + 2, INSN_JCC, 0};
    for (int phase = SWITCH_UNKNOWN; phase <= SWITCH_WAITS_FOR_BRANCH; phase++) {
        start();
        queue((enum switch_phase)phase, NEW);
        branch(&other);
        IS(phase, OLD, NEW);
        f->out.ev = (struct pt_event){.what = EV_CBR};
        switches_after(f);
        IS(phase, OLD, NEW);
        done();
    }
}

T(a_switch_of_which_no_record_was_seen_has_an_estimated_time)
{
    start();
    queue(SWITCH_UNKNOWN, NOBODY);
    f->out.ev =
        (struct pt_event){.what = EV_BRANCH, .from = ELSEWHERE, .to = SWITCH_TO};
    f->walk.cls = INSN_CALL;
    CHECK(switches_unseen(f));
    f->told.sw.next = NEW;
    CHECK(!switches_unseen(f));
    f->told.sw.next = NOBODY;
    f->told.sw.phase = SWITCH_TRACING;
    CHECK(!switches_unseen(f));
    f->told.sw.phase = SWITCH_UNKNOWN;
    f->out.ev.to = ELSEWHERE;
    CHECK(!switches_unseen(f));
    done();
}

/* --- Errors ------------------------------------------------------------------------------ */

T(an_error_in_the_kernel_ends_it_for_the_queue)
{
    start();
    record(LATER, SB_SWITCH_NEXT, TOLD);
    queue(SWITCH_WAITS_FOR_BRANCH, NEW);
    switches_error(f, ELSEWHERE);
    CHECK(!f->told.sw.on);
    IS(SWITCH_WAITS_FOR_BRANCH, NEW, NOBODY); /* it was told, and runs now */
    EQ(f->out.held.events.len, 1);
    EQ(f->out.held.events.at[0].what, EV_THREAD | EV_ERROR);
    branch(&to_switch);
    IS(SWITCH_WAITS_FOR_BRANCH, NEW, NOBODY);
    f->told.tsc = LATER;
    switches_before(f); /* from here on records alone tell */
    EQ(f->told.sw.tid, TOLD);
    done();
}

T(an_error_in_a_program_does_not)
{
    start();
    queue(SWITCH_WAITS_FOR_BRANCH, NEW);
    switches_error(f, USER);
    CHECK(f->told.sw.on);
    IS(SWITCH_WAITS_FOR_BRANCH, OLD, NEW);
    EQ(f->out.held.events.len, 0);
    done();
}

T(a_queue_begins_without_a_thread)
{
    start();
    queue(SWITCH_TRACING, NEW);
    switches_init(f);
    IS(SWITCH_NOT_TRACING, NOBODY, NOBODY);
    CHECK(f->told.sw.on);
    CHECK(switches_any(f));
    f->conf.switch_to = 0;
    switches_init(f);
    CHECK(!f->told.sw.on);
    CHECK(!switches_any(f));
    done();
}

T_RUN(
    T_CASE(a_record_of_the_next_thread_waits_for_the_branch_where_the_kernel_is_traced),
    T_CASE(else_it_counts_at_once), T_CASE(a_thread_that_says_that_it_runs_does),
    T_CASE(a_start_of_tracing_changes_the_thread_only),
    T_CASE(records_take_effect_at_their_time),
    T_CASE(the_branch_that_a_record_has_told_changes_the_thread),
    T_CASE(a_branch_in_an_unknown_phase_was_told_by_nobody),
    T_CASE(a_branch_before_its_record_goes_on_at_the_time_of_the_record),
    T_CASE(so_it_does_when_the_thread_itself_tells),
    T_CASE(what_only_says_who_runs_is_not_waited_for),
    T_CASE(time_does_not_go_back_to_a_record),
    T_CASE(without_a_record_the_queue_goes_on), T_CASE(only_plain_branches_switch),
    T_CASE(where_tracing_stops_nothing_is_waited_for),
    T_CASE(where_it_goes_on_nothing_is_known),
    T_CASE(what_the_kernel_calls_to_tell_perf_shows_that_it_is_traced),
    T_CASE(other_branches_and_events_change_nothing),
    T_CASE(a_switch_of_which_no_record_was_seen_has_an_estimated_time),
    T_CASE(an_error_in_the_kernel_ends_it_for_the_queue),
    T_CASE(an_error_in_a_program_does_not), T_CASE(a_queue_begins_without_a_thread))
