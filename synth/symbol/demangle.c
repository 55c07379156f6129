/* demangle.c - symbol names as their programmers wrote them.
 *
 * SPDX-License-Identifier: MIT
 *
 * The order is perf's: libiberty (C++, Rust), OCaml, Java.
 */
#include "synth/symbol/demangle.h"

#include "decoder/base/arena.h"
#include "decoder/base/digits.h"
#include "decoder/base/refused.h"

#include <libiberty/demangle.h>
#include <stddef.h>
#include <string.h>

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_alpha(char c)
{
    return is_upper(c) || (c >= 'a' && c <= 'z');
}

/* camlStdlib__List__map_123: "__" separates modules, $xx is a byte in hex.  The result
 * is never longer. */
static char *demangle_ocaml(const char *name)
{
    static const char prefix[] = "caml";
    size_t skip = sizeof(prefix) - 1;
    if (strncmp(name, prefix, skip) != 0 || !is_upper(name[skip]))
        return NULL;
    char *text = mem_resize(NULL, strlen(name) + 1, 1);
    char *to = text;
    if (!text)
        return NULL;
    for (const char *s = name + skip; *s;) {
        unsigned hi = s[0] == '$' ? digit_value(s[1]) : 16;
        unsigned lo = hi < 16 ? digit_value(s[2]) : 16;
        if (s[0] == '_' && s[1] == '_') {
            *to++ = '.';
            s += 2;
        } else if (lo < 16) {
            *to++ = (char)(hi << 4 | lo);
            s += 3;
        } else {
            *to++ = *s++;
        }
    }
    *to = '\0';
    return text;
}

/* Java signatures, Lorg/foo/Bar;baz(I[J)V, up to the last ')': a class, a method,
 * types.
 *
 *     state   begins with   ends with
 *     START   -             L  -> CLASS
 *     CLASS   L             ;  -> METHOD
 *     METHOD  ;             (  -> TYPES
 *     TYPES   (             -
 *     ARG     L             ;  -> TYPES
 *
 * A character that makes no sense in a state makes the name no Java name. */
enum java_state { START, CLASS, METHOD, TYPES, ARG };

struct java {
    enum java_state state;
    unsigned dims, args; /* [ seen for the next basic type; arguments so far */
    char *to, *last;     /* last: room for the NUL is kept behind it */
};

static const char *java_type(char c)
{
    static const struct {
        char letter;
        const char *name;
    } types[] = {
        {'B', "byte"   },
        {'C', "char"   },
        {'D', "double" },
        {'F', "float"  },
        {'I', "int"    },
        {'J', "long"   },
        {'S', "short"  },
        {'Z', "boolean"},
        {'V', "void"   }
    };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (types[i].letter == c)
            return types[i].name;
    }
    return NULL;
}

static void java_put(struct java *j, const char *s)
{
    for (; *s && j->to < j->last; s++)
        *j->to++ = *s;
}

static void java_put_basic(struct java *j, char c)
{
    if (c != 'V' && j->args++ > 0)
        java_put(j, ", ");
    java_put(j, java_type(c));
    for (; j->dims > 0 && j->to < j->last; j->dims--)
        java_put(j, "[]");
    j->dims = 0;
}

static bool java_step(struct java *j, const char *s)
{
    char plain[2] = {*s, '\0'};
    switch (*s) {
    case 'L':
        if (j->state == TYPES && j->args++ > 0)
            java_put(j, ", ");
        if (j->state != START && j->state != TYPES)
            break;
        j->state = j->state == START ? CLASS : ARG;
        return true;
    case '[':
        j->dims++;
        return j->state == TYPES;
    case '(':
        java_put(j, "(");
        if (j->state != METHOD)
            return false;
        j->state = TYPES;
        return true;
    case ')':
        java_put(j, ")");
        j->args = 0;
        return j->state == TYPES;
    case ';':
        if (j->state != CLASS && j->state != ARG)
            return false;
        if (j->state == CLASS && is_alpha(s[1]))
            java_put(j, ".");
        j->state = j->state == CLASS ? METHOD : TYPES;
        return true;
    case '/':
        java_put(j, ".");
        return j->state == CLASS || j->state == ARG;
    default:
        if (j->state != TYPES || !java_type(*s))
            break;
        java_put_basic(j, *s);
        return true;
    }
    java_put(j, plain);
    return true;
}

static char *demangle_java(const char *name)
{
    const char *end = strrchr(name, ')');
    if (!end)
        return NULL;
    size_t room = strlen(name) * 3 + 1; /* perf cuts what is longer */
    char *text = mem_resize(NULL, room, 1);
    if (!text)
        return NULL;
    struct java j = {.to = text, .last = text + room - 1};
    for (const char *s = name; s <= end && j.to < j.last; s++) {
        if (!java_step(&j, s)) {
            mem_free(text);
            return NULL;
        }
    }
    *j.to = '\0';
    return text;
}

char *demangle(const char *name, bool params)
{
    refused_watch();
    char *text = cplus_demangle(name, params ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS);
    refused_watched(NULL);
    if (!text)
        text = demangle_ocaml(name);
    if (!text)
        text = demangle_java(name);
    return text;
}
