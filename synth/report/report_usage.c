/* report_usage.c - the words that --sort and --fields take, as perf lists them behind a wrong one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/print/text.h"
#include "synth/report/report_options.h"

/* Lines begin with INDENT blanks, and end with the word that goes beyond WIDTH. */
enum { INDENT = 25, WIDTH = 75 };

static void put_word(struct text *t, const char *word, size_t *column)
{
    if (*column >= WIDTH) {
        text_str(t, "\n\t\t\t ");
        *column = INDENT;
    }
    text_char(t, ' ');
    text_str(t, word);
    *column += strlen(word) + 1;
}

static void put_words(struct text *t, const char *before)
{
    size_t column = strlen(before) + INDENT;
    const char *word;

    text_str(t, before);
    for (size_t i = 0; (word = report_number_name(i)) != NULL; i++)
        put_word(t, word, &column);
    for (size_t i = 0; (word = key_name_at(i)) != NULL; i++)
        put_word(t, word, &column);
}

static void put_option(struct text *t, const char *option, const char *before)
{
    text_fmt(t, "    %s\n", option);
    text_spaces(t, INDENT + 1);
    put_words(t, before);
    text_char(t, '\n');
}

pts_status report_usage(const struct report_opts *o, bool sort, bool fields,
                        const char *text, const char *more)
{
    struct text t = {0};

    text_str(&t, text);
    text_str(&t, "\n Usage: ptscript report [<options>]\n\n");
    if (sort)
        put_option(&t, "-s, --sort <key[,key2...]>", "sort by key(s):");
    if (fields)
        put_option(&t, "-F, --fields <key[,keys...]>",
                   "output field(s): overhead period sample ");
    text_str(&t, more);
    text_char(&t, '\0');
    pts_status st = t.failed ? PTS_E_NOMEM : report_quit(o, t.at);
    text_free(&t);
    return st;
}
