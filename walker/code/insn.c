/* insn.c - instruction text; the seam to Capstone.
 *
 * SPDX-License-Identifier: MIT
 *
 * Capstone 4 lacks years of instructions and sizes some wrongly, so it is never asked
 * how long an instruction is, only for the text of bytes whose length is known.
 *
 * Its tables are full of addresses, so that putting it in place takes as long as all else that
 * happens at the start of a program; few ask for texts, and it is loaded for these. */
#include "walker/code/insn.h"

#include "decoder/base/arena.h"
#include "decoder/base/digits.h"
#include "decoder/base/refused.h"
#include "decoder/base/sys.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <pthread.h>

enum { N_MODES = ILD_16 + 1 };

struct insn_printer {
    csh handle[N_MODES]; /* 0: not opened yet */
    cs_insn *insn;
    bool has_target;
    uint64_t target;
    size_t prefix;
};

#define TEXT_OF(number) #number
#define NAMED(api)      "libcapstone.so." TEXT_OF(api)
#define LIBRARY         NAMED(CS_API_MAJOR)

/* Its functions, once it is loaded. */
static struct {
    __typeof__(cs_open) *open;
    __typeof__(cs_close) *close;
    __typeof__(cs_option) *option;
    __typeof__(cs_malloc) *malloc;
    __typeof__(cs_free) *free;
    __typeof__(cs_disasm_iter) *disasm;
    bool there;
} lib;

/* Where it is not there, what was asked for fails, and says so. */
static bool is_there(void)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    static const struct sys_wanted wanted[] = {
        {"cs_open",        &lib.open  },
        {"cs_close",       &lib.close },
        {"cs_option",      &lib.option},
        {"cs_malloc",      &lib.malloc},
        {"cs_free",        &lib.free  },
        {"cs_disasm_iter", &lib.disasm},
    };

    pthread_mutex_lock(&one);
    if (!lib.there)
        lib.there = sys_library(LIBRARY, wanted, sizeof(wanted) / sizeof(wanted[0]));
    bool there = lib.there;
    pthread_mutex_unlock(&one);
    if (!there)
        refused_file(LIBRARY, ELIBACC);
    return there;
}

struct insn_printer *insn_open(void)
{
    return mem_zalloc(1, sizeof(struct insn_printer));
}

void insn_close(struct insn_printer *p)
{
    if (!p)
        return;
    if (p->insn)
        lib.free(p->insn, 1);
    for (int mode = 0; mode < N_MODES; mode++)
        if (p->handle[mode & ILD_SIZE])
            lib.close(&p->handle[mode]);
    mem_free(p);
}

/* Capstone does not look whether it got the tables that it makes at its first
 * instructions, so there must be memory for them before it is asked. */
static bool has_room(void)
{
    enum { TABLES = 64 * 1024 };
    void *room = mem_resize(NULL, TABLES, 1);
    bool has = room != NULL;
    mem_free(room);
    return has;
}

/* Opens the disassembler on first use: traces rarely have more than one mode. */
static bool ready(struct insn_printer *p, enum ild_mode mode)
{
    static const cs_mode cs_modes[N_MODES] = {
        [ILD_64] = CS_MODE_64, [ILD_32] = CS_MODE_32, [ILD_16] = CS_MODE_16};
    if (p->handle[mode & ILD_SIZE])
        return true;
    csh handle;
    if (!is_there() || !has_room() ||
        lib.open(CS_ARCH_X86, cs_modes[mode & ILD_SIZE], &handle) != CS_ERR_OK)
        return false;
    lib.option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
    lib.option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    if (!p->insn)
        p->insn = lib.malloc(handle);
    if (!p->insn) {
        lib.close(&handle);
        return false;
    }
    p->handle[mode & ILD_SIZE] = handle;
    return true;
}

static bool disassemble(struct insn_printer *p, const uint8_t *code, size_t len,
                        uint64_t ip, enum ild_mode mode)
{
    refused_watch();
    bool done = ready(p, mode) &&
                lib.disasm(p->handle[mode & ILD_SIZE], &code, &len, &ip, p->insn) &&
                len == 0;
    refused_watched(NULL);
    return done;
}

static char *put_bytes(char *at, const uint8_t *code, size_t len)
{
    at = put_str(at, ".byte ");
    for (size_t i = 0; i < len; i++) {
        at = put_str(at, i ? ", 0x" : "0x");
        at = put_hex_width(at, code[i], 2);
    }
    return at;
}

size_t insn_text(struct insn_printer *p, const uint8_t *code, size_t len, uint64_t ip,
                 enum ild_mode mode, char *buf, size_t cap)
{
    char text[INSN_TEXT_MAX], *at = text;
    p->has_target = false;
    if (len > ILD_MAX)
        len = ILD_MAX;
    if (disassemble(p, code, len, ip, mode)) {
        const cs_x86 *x86 = &p->insn->detail->x86;
        at = put_char(put_str(at, p->insn->mnemonic), ' ');
        p->prefix = (size_t)(at - text);
        at = put_str(at, p->insn->op_str);
        p->has_target = x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM;
        if (p->has_target)
            p->target = (uint64_t)x86->operands[0].imm;
    } else {
        at = put_bytes(at, code, len);
    }
    size_t n = (size_t)(at - text);
    if (n >= cap)
        n = cap ? cap - 1 : 0;
    memcpy(buf, text, n);
    if (cap)
        buf[n] = 0;
    return n;
}

bool insn_target(const struct insn_printer *p, uint64_t *target, size_t *prefix)
{
    if (!p->has_target)
        return false;
    *target = p->target;
    *prefix = p->prefix;
    return true;
}

_Static_assert(sizeof(((cs_insn *)0)->mnemonic) + sizeof(((cs_insn *)0)->op_str) <
                   INSN_TEXT_MAX,
               "text[] in insn_text has room for what Capstone writes");
