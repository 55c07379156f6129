/* test_chain.c - call depth.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/sample/chain.h"
#include "tests/lib/t.h"

#include <ptscript/sample.h>

static const struct chain_key task = {.thread = 3, .cpu = 1};
static const struct chain_key other = {.thread = 0, .cpu = 1};

static void step(struct chains *c, struct chain_key key, uint32_t flags, uint64_t from,
                 uint8_t len, uint64_t to, uint32_t trace)
{
    struct chain_branch b = {
        .from = from, .to = to, .flags = flags, .trace_nr = trace, .len = len};
    EQ(chain_step(c, key, &b), PTS_OK);
}

enum {
    CALL = PTS_FLAG_BRANCH | PTS_FLAG_CALL,
    RETURN = PTS_FLAG_BRANCH | PTS_FLAG_RETURN
};

T(calls_and_returns)
{
    struct chains c = {.calls = true};
    CHECK(!chain_is_live(&c, task));
    step(&c, task, CALL, 0x1000, 5, 0x2000, 1);
    step(&c, task, CALL, 0x2000, 5, 0x3000, 1);
    EQ(chain_depth(&c, task), 2);
    EQ(chain_depth(&c, other), 0);
    step(&c, task, PTS_FLAG_BRANCH, 0x3000, 2, 0x4000, 1); /* a jump */
    step(&c, task, RETURN, 0x4000, 1, 0x2005, 1);
    EQ(chain_depth(&c, task), 1);
    step(&c, task, RETURN, 0x4000, 1, 0x7777, 1); /* to nowhere known */
    EQ(chain_depth(&c, task), 1);
    CHECK(chain_is_live(&c, task));
    chain_free(&c);
}

/* Whatever the CPU is: threads wander. */
T(the_top_of_a_stack_is_that_of_its_thread)
{
    const struct chain_key elsewhere = {.thread = task.thread, .cpu = task.cpu + 2};
    const struct chain_branch ret = {
        .from = 0x2000, .to = 0x1005, .flags = RETURN, .trace_nr = 1};
    struct chains c = {.calls = true};

    CHECK(!chain_top(&c, task));
    step(&c, other, CALL, 0x1000, 5, 0x2000, 1);
    CHECK(!chain_top(&c, task)); /* there was no branch */
    step(&c, task, CALL, 0x1000, 5, 0x2000, 1);
    struct chain_stack *top = chain_top(&c, elsewhere);
    CHECK(top && top == chain_top(&c, task) && top != chain_top(&c, other));
    CHECK(chain_move(top, &ret));
    EQ(chain_depth(&c, task), 0);
    CHECK(!chain_top(&c, (struct chain_key){.thread = UINT32_MAX}));
    c.last_branches = 8;
    CHECK(!chain_top(&c, task)); /* chain_move keeps none of these */
    chain_free(&c);
}

T(call_of_the_next_instruction_is_none)
{
    struct chains c = {.calls = true};
    step(&c, task, CALL, 0x1000, 5, 0x1005, 1);
    step(&c, task, CALL, 0x1000, 5, 0, 1);
    EQ(chain_depth(&c, task), 0);
    chain_free(&c);
}

T(long_jumps_drop_everything_above)
{
    struct chains c = {.calls = true};
    for (uint64_t i = 1; i <= 10; i++)
        step(&c, task, CALL, i << 12, 5, (i + 1) << 12, 1);
    step(&c, task, RETURN, 0x9999, 1, 0x3005, 1);
    EQ(chain_depth(&c, task), 2);
    chain_free(&c);
}

T(traces_that_end_in_a_call)
{
    struct chains c = {.calls = true};
    step(&c, task, CALL, 0x1000, 5, 0x2000, 1);
    step(&c, task, CALL | PTS_FLAG_TRACE_END, 0x2000, 2, 0x8000, 1);
    EQ(chain_depth(&c, task), 2);
    step(&c, task, PTS_FLAG_BRANCH | PTS_FLAG_TRACE_BEGIN, 0, 0, 0x5000, 1);
    EQ(chain_depth(&c, task), 1);
    chain_free(&c);
}

T(another_trace_empties_the_stack)
{
    struct chains c = {.calls = true};
    step(&c, task, CALL, 0x1000, 5, 0x2000, 1);
    step(&c, task, CALL, 0x1000, 5, 0x2000, 2);
    EQ(chain_depth(&c, task), 1);
    chain_free(&c);
}

T(idle_has_a_stack_per_cpu)
{
    struct chains c = {.calls = true};
    struct chain_key idle0 = {.thread = 0, .cpu = 0, .idle = true};
    struct chain_key idle2 = {.thread = 0, .cpu = 2, .idle = true};
    struct chain_key nowhere = {.thread = 0, .cpu = -1, .idle = true};
    step(&c, idle2, CALL, 0x1000, 5, 0x2000, 1);
    EQ(chain_depth(&c, idle2), 1);
    EQ(chain_depth(&c, idle0), 0);
    step(&c, nowhere, CALL, 0x1000, 5, 0x2000, 1);
    EQ(chain_depth(&c, nowhere), 1);
    EQ(chain_depth(&c, idle0), 1); /* that of no cpu is this one */
    step(&c, (struct chain_key){.thread = UINT32_MAX}, CALL, 1, 1, 9, 1);
    chain_free(&c);
}

T(last_branches_of_a_thread)
{
    struct chains c = {.last_branches = 2};
    struct chain_key idle = {.thread = 0, .cpu = 0, .idle = true};
    step(&c, task, CALL, 0x1000, 5, 0x2000, 1);
    step(&c, task, PTS_FLAG_BRANCH | PTS_FLAG_IN_TX, 0x2000, 2, 0x3000, 1);
    step(&c, idle, CALL, 0x1000, 5, 0x2000, 1);
    EQ(chain_depth(&c, task), 0); /* calls are not kept */
    EQ(chain_find(&c, task)->last.count, 2);
    EQ(chain_find(&c, idle)->last.count, 0); /* and then not these, either */
    step(&c, task, CALL, 0x1000, 5, 0x2000, 2);
    EQ(chain_find(&c, task)->last.count, 1);
    chain_free(&c);
}

T_RUN(T_CASE(calls_and_returns), T_CASE(the_top_of_a_stack_is_that_of_its_thread),
      T_CASE(call_of_the_next_instruction_is_none),
      T_CASE(long_jumps_drop_everything_above), T_CASE(traces_that_end_in_a_call),
      T_CASE(another_trace_empties_the_stack), T_CASE(idle_has_a_stack_per_cpu),
      T_CASE(last_branches_of_a_thread))
