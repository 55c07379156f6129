/* out_brstack.c - a branch stack in one line.
 *
 * SPDX-License-Identifier: MIT
 *
 *     brstack      0x401000/0x401023/P/X/A/12/COND
 *                  from     to       | | | |  kind of branch
 *                                    | | | cycles
 *                                    | | aborted
 *                                    | in a transaction
 *                                    predicted, M mispredicted, - not known
 *     brstacksym   the same with symbols in place of addresses
 */
#include "synth/print/line/out_stack.h"

#include "synth/sample/branch_flags.h"

static void put_flags(uint64_t word, struct text *t)
{
    const struct branch_flags b = branch_flags(word);
    char judged = b.predicted ? 'P' : b.mispred ? 'M' : '-';

    text_char(t, '/');
    text_char(t, judged);
    text_put(t, b.in_tx ? "/X" : "/-", 2);
    text_put(t, b.abort ? "/A/" : "/-/", 3);
    text_dec(t, b.cycles, 0);
    text_char(t, '/');
    text_str(t, branch_type(&b));
    text_char(t, ' ');
}

static const struct place *look(const struct out_stack *o, uint64_t ip)
{
    const struct sample *s = o->sample;
    return place_at(o->spots->places, &s->who, s->cpumode | PLACE_TARGET, ip);
}

static void put_dso(const struct out_stack *o, const struct place *p, struct text *t)
{
    if (!(o->on & F_(DSO)))
        return;
    text_char(t, '(');
    spot_dso(o->spots, p, t);
    text_char(t, ')');
}

/* With brstackoff, in files whose symbols perf has no need to move. */
static uint64_t shown(const struct out_stack *o, const struct place *p)
{
    bool offsets = !(o->on & (F_(BRSTACK) | F_(BRSTACKSYM)));
    return offsets && p->dso && !p->elf ? p->map_off : p->ip;
}

static void put_address(const struct out_stack *o, uint64_t ip, struct text *t)
{
    const struct place *p = look(o, ip);

    text_put(t, "0x", 2);
    text_hex(t, shown(o, p), 0);
    put_dso(o, p, t);
}

static void put_symbol(const struct out_stack *o, uint64_t ip, struct text *t)
{
    const struct place *p = look(o, ip);

    text_str(t, p->sym ? p->sym : "[unknown]");
    if (p->sym) {
        text_put(t, "+0x", 3);
        text_hex(t, p->sym_off, 0);
    }
    put_dso(o, p, t);
}

void out_brstack(const struct out_stack *o, struct text *t)
{
    const struct sample_stacks *st = o->sample->stacks;
    bool symbols = o->on & F_(BRSTACKSYM) && !(o->on & F_(BRSTACK));
    void (*put)(const struct out_stack *, uint64_t, struct text *) =
        symbols ? put_symbol : put_address;

    for (uint32_t i = 0; i < st->branch_count; i++) {
        const struct pts_branch *b = &st->branches[i];
        if (!symbols)
            text_char(t, ' ');
        put(o, b->from, t);
        text_char(t, '/');
        put(o, b->to, t);
        put_flags(b->flags, t);
    }
}
