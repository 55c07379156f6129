/* test_fields.c - -F; results and texts are those of perf 6.1.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/plan/fields.h"
#include "tests/lib/t.h"

static struct fields f;
static struct evlist l;
static struct pts_diag why;
static char said[1024];

static void message(void *ctx, enum pts_message_kind kind, const char *text)
{
    (void)ctx;
    (void)kind;
    strncat(said, text, sizeof(said) - strlen(said) - 1);
}

static pts_status parse(const char *str)
{
    fields_init(&f);
    said[0] = why.text[0] = '\0';
    return fields_parse(&f, str, message, NULL, &why);
}

static void add(uint32_t type, uint64_t config, uint64_t sample_type)
{
    struct evl_attr a = {.type = type,
                         .config = config,
                         .sample_type = sample_type,
                         .flags = 1 << 5 | 1 << 6};
    EQ(evl_add(&l, &a), PTS_OK);
}

T(syntax)
{
    static const struct {
        const char *str, *text;
    } bad[] = {
        {"",                 "Cannot set fields to 'none' for all event types."},
        {"foo",              "Invalid field requested."                        },
        {"ip,cgroup",        "Invalid field requested."                        },
        {"foo:ip",           "Invalid event type in field string."             },
        {"+ip,sym",          "Cannot mix +-field with overridden fields"       },
        {"ip,+sym",          "Cannot mix +-field with overridden fields"       },
        {"hw:trace,ip",      "'trace' not valid for hardware events."          },
        {"synth:bpf-output", "'bpf-output' not valid for unknown events."      },
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        EQ(parse(bad[i].str), PTS_E_USAGE);
        STREQ(why.text, bad[i].text);
    }
    EQ(parse(",ip,,sym"), PTS_OK);
    EQ(f.of[CLASS_HARDWARE].on, F_(IP) | F_(SYM));
}

T(warnings_name_each_class)
{
    EQ(parse("bpf-output,ip"), PTS_OK);
    STREQ(said, "'bpf-output' not valid for hardware events. Ignoring.\n"
                "'bpf-output' not valid for hardware-cache events. Ignoring.\n"
                "'bpf-output' not valid for unknown events. Ignoring.\n"
                "'bpf-output' not valid for unknown events. Ignoring.\n"
                "'bpf-output' not valid for unknown events. Ignoring.\n"
                "'bpf-output' not valid for unknown events. Ignoring.\n");
    said[0] = '\0';
    EQ(fields_parse(&f, "tid", message, NULL, &why), PTS_OK);
    STREQ(said, "Overriding previous field request for all events.\n");
    said[0] = '\0';
    EQ(fields_parse(&f, "hw:tid", message, NULL, &why), PTS_OK);
    STREQ(said, "Overriding previous field request for hardware events.\n");
}

T(flags_touch_no_class)
{
    EQ(parse("+flags"), PTS_OK);
    CHECK(f.flags);
    CHECK(!f.of[CLASS_HARDWARE].user_set);
    EQ(fields_parse(&f, "-flags", message, NULL, &why), PTS_OK);
    CHECK(!f.flags);
    EQ(parse("+ipc"), PTS_OK);
    CHECK(f.of[CLASS_HARDWARE].user_set);
}

T(defaults_are_dropped_requests_are_not)
{
    struct fields_check k = {.has_auxtrace = true};
    add(PTS_TYPE_HARDWARE, 0, PTS_SAMPLE_IP | PTS_SAMPLE_TID | PTS_SAMPLE_TIME);
    fields_init(&f);
    EQ(fields_check_all(&f, &l, &k, &why), PTS_OK);
    CHECK(!(f.of[CLASS_HARDWARE].on & F_(CPU)));
    CHECK(f.of[CLASS_SYNTH].on & F_(CPU));
    EQ(parse("ip,cpu"), PTS_OK);
    EQ(fields_check_all(&f, &l, &k, &why), PTS_OK);
    CHECK(f.of[CLASS_HARDWARE].on & F_(CPU));
    k.has_auxtrace = false;
    EQ(fields_check_all(&f, &l, &k, &why), PTS_E_FORMAT);
    STREQ(why.text,
          "Samples for 'cycles:u' event do not have CPU attribute set. Cannot "
          "print 'cpu' field.");
    evl_free(&l);
}

T(what_a_trace_cannot_fill)
{
    static const struct {
        const char *str, *text;
    } bad[] = {
        {"ip,symoff",  "Display of offsets requested but symbol is notselected."                      },
        {"srcline",    "Display of source line number requested but sample IP is not\n"
                    "selected. Hence, no address to lookup the source line number."},
        {"ip,uregs",
         "Samples for 'unknown attr type: 6' event do not have UREGS attribute "
         "set. Cannot print 'uregs' field."                                                           },
        {"ip,ins_lat",
         "Samples for 'unknown attr type: 6' event do not have WEIGHT_STRUCT "
         "attribute set. Cannot print 'ins_lat' field."                                               },
        {"ip,tod",     "Can't provide 'tod' time, missing clock data. Please record with "
                   "-k/--clockid option."                                           },
        {"hw:",
         "hardware events do not exist. Remove corresponding -F option to proceed."                   },
    };
    static const char *const good[] = {"ip,weight", "ip,phys_addr", "ip,iregs",
                                       "ip,addr",   "raw:ip",       "synth:tid",
                                       "hw:ip"};
    struct fields_check k = {.has_auxtrace = true};
    add(6, 0, PTS_SAMPLE_IP | PTS_SAMPLE_TID | PTS_SAMPLE_TIME | PTS_SAMPLE_CPU);
    add(PTS_TYPE_SOFTWARE, 9,
        PTS_SAMPLE_IP | PTS_SAMPLE_TID | PTS_SAMPLE_TIME | PTS_SAMPLE_CPU);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        EQ(parse(bad[i].str), PTS_OK);
        EQ(fields_check_all(&f, &l, &k, &why), PTS_E_FORMAT);
        STREQ(why.text, bad[i].text);
    }
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        EQ(parse(good[i]), PTS_OK);
        EQ(fields_check_all(&f, &l, &k, &why), PTS_OK);
    }
    evl_free(&l);
}

T(names_of_events)
{
    static const struct {
        uint32_t type;
        uint64_t config, flags;
        const char *name;
    } cases[] = {
        {0,  4,       1 << 5 | 1 << 6,           "branches:u"           },
        {0,  4,       1 << 5 | 1 << 6 | 1 << 20, "branches:uH"          },
        {0,  1,       0,                         "instructions:HG"      },
        {0,  1,       1 << 20,                   "instructions"         },
        {0,  0,       1 << 15 | 1 << 20,         "cycles:pH"            },
        {1,  9,       1 << 5 | 1 << 6,           "dummy:u"              },
        {1,  99,      1 << 20,                   "unknown-software"     },
        {3,  0x10002, 1 << 20,                   "LLC-load-misses"      },
        {3,  0x103,   1 << 20,                   "dTLB-stores"          },
        {4,  0x1c2,   1 << 20,                   "raw 0x1c2"            },
        {10, 0,       0,                         "unknown attr type: 10"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct evl_attr a = {
            .type = cases[i].type, .config = cases[i].config, .flags = cases[i].flags};
        EQ(evl_add(&l, &a), PTS_OK);
        STREQ(l.ev.at[i].name, cases[i].name);
    }
    EQ(evl_name_width(&l), 21);
    evl_free(&l);
}

T_RUN(T_CASE(syntax), T_CASE(warnings_name_each_class), T_CASE(flags_touch_no_class),
      T_CASE(defaults_are_dropped_requests_are_not), T_CASE(what_a_trace_cannot_fill),
      T_CASE(names_of_events))
