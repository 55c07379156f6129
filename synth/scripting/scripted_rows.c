/* scripted_rows.c - rows of tables for a script that exports to a database.
 *
 * SPDX-License-Identifier: MIT
 *
 * They are made by a sink beside that of the samples (synth/export); here they only get
 * another form.
 */
#include "synth/scripting/scripted.h"

enum { ROW_MAX = 32 };

static const char *const tables[] = {
#define EXPORT_TABLE(id, name, values) name,
#include "synth/export/tables.def"
#undef EXPORT_TABLE
};

static struct pts_script_value value_of(const struct export_value *v)
{
    switch (v->kind) {
    case EXPORT_TEXT:
        return (struct pts_script_value){
            .kind = PTS_VALUE_TEXT, .bytes = {(const uint8_t *)v->text, v->len}
        };
    case EXPORT_BYTES:
        return (struct pts_script_value){
            .kind = PTS_VALUE_BYTES, .bytes = {v->bytes, v->len}
        };
    case EXPORT_INT:
    case EXPORT_REAL: /* in no row of a run */
        break;
    }
    return (struct pts_script_value){.kind = PTS_VALUE_INT, .number = v->n};
}

static pts_status put_row(void *ctx, const struct export_row *row)
{
    struct scripted *s = ctx;
    struct pts_script_value value[ROW_MAX];
    size_t n = row->count < ROW_MAX ? row->count : ROW_MAX;

    if (s->over)
        return PTS_E_CANCELLED;
    for (size_t i = 0; i < n; i++)
        value[i] = value_of(&row->value[i]);
    return scripted_called(
        s, s->language->row(s->script, tables[row->table], value, n, s->status));
}

void scripted_rows_init(struct scripted *s)
{
    s->rows = s->rows && s->language->row;
    s->exporter.to = (struct export_to){s, put_row};
}
