/* config_file.c - the language of perf's configuration files.
 *
 * SPDX-License-Identifier: MIT
 *
 *     # a comment, as one behind a ;
 *     [section]  or [section "Part"]      -> "section.", "section.Part."
 *         name = value "with ; in it"     -> "section.name", "value with ; in it"
 *
 * Sections are of any case, names are not.  Blanks within a value count as one, outside
 * of quotes; \t \b \n \" \\ and the end of a line may be written behind a \.  What perf
 * 6.1 takes is taken, and what it calls a mistake is one at the same line.
 */
#include "config_file.h"

#include <ctype.h>
#include <errno.h>

enum { BYTES_MAX = 16 << 20, SECTION_MAX = CONFIG_KEY_MAX / 2 };

struct source {
    FILE *file;
    int line;
    long left; /* bytes: a pipe may go on for ever */
    bool ended;
    char key[CONFIG_KEY_MAX];
    char value[CONFIG_VALUE_MAX];
};

/* As getc, but an interrupted call is made again. */
static int get(FILE *file)
{
    int c;
    while ((c = getc(file)) == EOF && ferror(file) && errno == EINTR)
        clearerr(file);
    return c;
}

/* The next character; a line of DOS ends like any other, and the file ends with one. */
static int next(struct source *s)
{
    int c = s->left-- > 0 ? get(s->file) : EOF;
    if (c == '\r') {
        c = get(s->file);
        if (c != '\n') {
            ungetc(c, s->file);
            c = '\r';
        }
    }
    if (c == '\n')
        s->line++;
    if (c == EOF) {
        s->ended = true;
        c = '\n';
    }
    return c;
}

static bool in_key(int c)
{
    return isalnum(c) || c == '-' || c == '_';
}

/* Behind the blank of [section "Part"]: the part as it is, up to the bracket. */
static int part_read(struct source *s, int len)
{
    int c;
    do
        c = next(s);
    while (c != '\n' && isspace(c));
    if (c != '"')
        return 0;
    s->key[len++] = '.';
    while ((c = next(s)) != '"') {
        if (c == '\\')
            c = next(s);
        if (c == '\n')
            return 0;
        s->key[len++] = (char)c;
        if (len > SECTION_MAX)
            return 0;
    }
    return next(s) == ']' ? len : 0;
}

/* Behind the [; returns the length of the name, 0 for a mistake. */
static int section_read(struct source *s)
{
    int len = 0, c;
    while ((c = next(s)) != ']') {
        if (c != '\n' && isspace(c))
            return part_read(s, len);
        if ((!in_key(c) && c != '.') || len > SECTION_MAX)
            return 0;
        s->key[len++] = (char)tolower(c);
    }
    return len;
}

/* What a character behind a \ stands for; 0 if nothing, '\n' for the next line. */
static int escaped(int c)
{
    switch (c) {
    case 't':
        return '\t';
    case 'b':
        return '\b';
    case 'n':
        return 'n'; /* told from the end of a line by the caller */
    case '\\':
    case '"':
        return c;
    default:
        return 0;
    }
}

/* Adds the character behind a \; false for a mistake. */
static bool escape_read(struct source *s, size_t *len)
{
    int c = next(s);
    if (c == '\n')
        return true; /* the value goes on in the next line */
    int meant = escaped(c);
    if (!meant)
        return false;
    s->value[(*len)++] = c == 'n' ? '\n' : (char)meant;
    return true;
}

/* Up to the end of the line. */
static bool value_read(struct source *s)
{
    bool quoted = false, comment = false, blank = false;
    size_t len = 0;
    while (len < sizeof(s->value) - 1) {
        int c = next(s);
        if (c == '\n') {
            s->value[len] = '\0';
            return !quoted;
        }
        comment |= !quoted && (c == ';' || c == '#');
        if (comment)
            continue;
        if (!quoted && isspace(c)) {
            blank = true;
            continue;
        }
        if (blank && len)
            s->value[len++] = ' ';
        blank = false;
        if (c == '"')
            quoted = !quoted;
        else if (c != '\\')
            s->value[len++] = (char)c;
        else if (!escape_read(s, &len))
            return false;
    }
    return false; /* too long */
}

/* A name that begins with c, behind len characters of its section, and its value. */
static bool setting_read(struct source *s, int len, int c)
{
    s->key[len++] = (char)tolower(c);
    while (in_key(c = next(s))) {
        if (len >= CONFIG_KEY_MAX - 1)
            return false;
        s->key[len++] = (char)c;
    }
    s->key[len] = '\0';
    while (c == ' ' || c == '\t')
        c = next(s);
    return c == '=' && value_read(s);
}

/* Files of some editors begin with a mark.  False for a piece of one. */
static bool mark_skip(FILE *file)
{
    int c = get(file);
    if (c == 0xef)
        return get(file) == 0xbb && get(file) == 0xbf;
    ungetc(c, file);
    return true;
}

int config_file_read(FILE *file, config_setting_fn *setting, void *ctx)
{
    struct source s = {.file = file, .line = 1, .left = BYTES_MAX};
    int section = 0; /* characters of key, with the dot */
    bool comment = false;

    if (!mark_skip(file))
        return s.line;
    for (;;) {
        int line = s.line, c = next(&s);
        if (s.ended)
            return 0;
        comment = c != '\n' && (comment || c == '#' || c == ';');
        if (comment || isspace(c))
            continue;
        if (c == '[') {
            section = section_read(&s);
            if (!section)
                return s.line;
            s.key[section++] = '.';
        } else if (!isalpha(c) || !setting_read(&s, section, c) || !section) {
            return line; /* that it begins in: its end may have been read */
        } else if (!setting(ctx, s.key, s.value)) {
            return 0;
        }
    }
}
