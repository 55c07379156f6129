/* sym_print.c - prints the symbols of addresses of one dso, for comparison with perf.
 *
 * SPDX-License-Identifier: MIT
 *
 *     sym_print [--no-demangle] [--symfs DIR] [--cache DIR] [--id HEX]
 *               [--map-start HEX] [--srcline | --full-source-path | --srccode] NAME
 *
 * Standard input has addresses (file offsets) in hex, one a line; the answers are
 * NAME+0xOFFSET or [unknown], one a line too.  With --srcline they are what perf prints
 * for that field, FILE:LINE or nothing; with --srccode, the text of that line or
 * nothing.
 */
#include "synth/symbol/srccode.h"
#include "synth/symbol/sym_load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct build_id id_parse(const char *hex)
{
    uint8_t bytes[BUILD_ID_MAX] = {0};
    size_t n = strlen(hex) / 2;
    for (size_t i = 0; i < n && i < sizeof(bytes); i++) {
        char two[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        bytes[i] = (uint8_t)strtoul(two, NULL, 16);
    }
    return build_id_of(bytes, n);
}

static void answer(const struct symtab *t, uint64_t addr, uint64_t map_start)
{
    const struct sym *s = symtab_find(t, addr);
    if (s)
        printf("%s+0x%" PRIx64 "\n", symtab_name(t, s), sym_offset(s, addr, map_start));
    else
        printf("[unknown]\n");
}

/* Everything that is printed for an address. */
struct printer {
    const struct symtab *symtab;
    struct srcline *srcline;
    struct srccode *srccode;
    struct srccode_last last;
    uint64_t map_start;
    bool lines, full, code;
};

static void print_code(struct printer *p, uint64_t addr)
{
    struct srcline_at at;
    const char *text;
    size_t n;
    if (srcline_find(p->srcline, &(struct srcline_ask){addr, 0}, &at) == PTS_OK &&
        srccode_text(p->srccode, &at, &p->last, &text, &n) == PTS_OK)
        printf("%.*s", (int)n, text);
    printf("\n");
}

static void print(struct printer *p, uint64_t addr)
{
    char text[4096];
    if (p->code) {
        print_code(p, addr);
    } else if (p->lines) {
        srcline_text(p->srcline, &(struct srcline_ask){addr, 0}, p->full, text,
                     sizeof(text));
        printf("%s\n", text);
    } else {
        answer(p->symtab, addr, p->map_start);
    }
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int main(int argc, char **argv)
{
    struct sym_opts opts = {.demangle = true};
    struct sym_want want = {0};
    struct printer p = {0};
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--no-demangle") == 0)
            opts.demangle = false;
        else if (strcmp(argv[i], "--symfs") == 0)
            opts.files.symfs = next, i++;
        else if (strcmp(argv[i], "--cache") == 0)
            opts.files.cache = next, i++;
        else if (strcmp(argv[i], "--id") == 0)
            want.id = id_parse(next), i++;
        else if (strcmp(argv[i], "--map-start") == 0)
            p.map_start = strtoull(next, NULL, 16), i++;
        else if (strcmp(argv[i], "--srcline") == 0)
            p.lines = true;
        else if (strcmp(argv[i], "--full-source-path") == 0)
            p.lines = p.full = true;
        else if (strcmp(argv[i], "--srccode") == 0)
            p.code = true;
        else
            want.name = argv[i];
    }
    struct symtab *t;
    pts_status st = want.name ? symtab_load(&opts, &want, &t) : PTS_E_USAGE;
    if (st < 0) {
        fprintf(stderr, "sym_print: %s\n", pts_status_name(st));
        return 1;
    }
    p.symtab = t;
    if (srcline_new(&opts, &want, base_name(want.name), t, &p.srcline) < 0 ||
        srccode_new(&p.srccode) < 0)
        return 1;
    char line[64];
    bool skip = symtab_failed(t) && !p.lines && !p.code;
    for (; fgets(line, sizeof(line), stdin); skip = false) {
        if (skip)
            printf("[unknown]\n");
        else
            print(&p, strtoull(line, NULL, 16));
    }
    fprintf(stderr, "from %s\n", symtab_file(t));
    srccode_free(p.srccode);
    srcline_free(p.srcline);
    symtab_free(t);
    return 0;
}
