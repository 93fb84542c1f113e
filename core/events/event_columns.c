/** @file
 * Columns of events; see event_columns.h. */
#include "core/events/event_columns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/events/event_names.h"
#include "counters/metric/metric_eval.h"

#define NAME_BYTES 320U

void
pp_event_columns_name(char *out, size_t size, const char *source, const char *name, enum pp_unit unit)
{
    snprintf(out, size, "%s:%s%s", source, name, pp_event_name_suffix(name, unit));
}

uint16_t
pp_event_columns_get_locked(struct pp_session *session, const char *name, const struct pp_column *like)
{
    for (uint32_t i = 0; i < session->rows.columns; i++)
        if (strcmp(session->rows.column[i].name, name) == 0)
            return (uint16_t)i;
    if (!like || session->begun || session->rows.columns == PP_MAX_COLUMNS)
        return UINT16_MAX;
    struct pp_column *column = &session->rows.column[session->rows.columns];
    *column = *like;
    column->name = strdup(name);
    return column->name ? (uint16_t)session->rows.columns++ : UINT16_MAX;
}

uint32_t
pp_event_columns_map_fields(struct pp_session *session, const char *source, struct pp_source_set *set,
                            bool make)
{
    const struct pp_layout *layout = set->set.layout;
    uint32_t without = 0;
    for (uint32_t i = 0; i < layout->fields; i++) {
        const struct pp_field *field = &layout->field[i];
        const struct pp_column like = {.unit = (enum pp_unit)field->unit,
                                       .number = pp_number_image((enum pp_number)field->number),
                                       .not_additive = field->not_additive || field->mode == PP_FIELD_GAUGE};
        char name[NAME_BYTES];
        pp_event_columns_name(name, sizeof(name), source, field->name, (enum pp_unit)field->unit);
        set->column[i] = pp_event_columns_get_locked(session, name, make ? &like : NULL);
        without += set->column[i] == UINT16_MAX;
    }
    return without;
}

/* Key of hidden columns that are measured together. The same field can mean something else in another
 * counter set. */
static uint32_t
key_of(const struct pp_event_source *counter, const struct pp_device_set *set)
{
    uint32_t key = 2166136261U;
    struct pp_event event;
    for (uint32_t i = 0; i < set->events; i++) {
        if (counter->ops->event(counter->self, set->event[i], &event))
            continue;
        for (const char *p = event.group ? event.group : ""; *p; p++)
            key = (key ^ (unsigned char)*p) * 16777619U;
        for (const char *p = event.name; *p; p++)
            key = (key ^ (unsigned char)*p) * 16777619U;
    }
    return key;
}

static struct pp_formulas *
new_formulas(uint32_t inputs, uint32_t outputs)
{
    struct pp_formulas *made = calloc(1, sizeof(*made));
    if (!made)
        return NULL;
    made->input = calloc(inputs + 1, sizeof(*made->input));
    made->output = calloc(outputs + 1, sizeof(*made->output));
    made->inputs = inputs;
    made->outputs = outputs;
    if (made->input && made->output)
        return made;
    free(made->input);
    free(made->output);
    free(made);
    return NULL;
}

int
pp_event_columns_map_formulas(struct pp_session *session, const struct pp_event_source *counter,
                              struct pp_source_set *set)
{
    const struct pp_layout *layout = set->set.layout;
    const char *source = counter->ops->name;
    char name[NAME_BYTES];
    uint32_t key = key_of(counter, &set->set);
    struct pp_formulas *made = new_formulas(layout->fields, set->set.events);
    int rc = made ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < layout->fields && !rc; i++) {
        const struct pp_field *field = &layout->field[i];
        const struct pp_column like = {.number = pp_number_image((enum pp_number)field->number),
                                       .not_additive = field->not_additive || field->mode == PP_FIELD_GAUGE,
                                       .hidden = true};
        snprintf(name, sizeof(name), "%s#%08x#%s", source, key, field->name);
        made->input[i] = set->column[i] = pp_event_columns_get_locked(session, name, &like);
        rc = made->input[i] == UINT16_MAX ? -ENOSPC : 0;
    }
    if (!rc && !session->begun)
        rc = counter->ops->formulas(counter->self, set->set.event, set->set.events, &made->formula_program);
    for (uint32_t i = 0; i < set->set.events && !rc; i++) {
        struct pp_event event;
        if (counter->ops->event(counter->self, set->set.event[i], &event))
            continue;
        bool real = made->formula_program && pp_metric_output_type(made->formula_program, i) == PP_METRIC_F64;
        const struct pp_column like = {
            .unit = event.unit, .number = real ? PP_NUMBER_F64 : PP_NUMBER_U64, .computed = true};
        pp_event_columns_name(name, sizeof(name), source, event.name, event.unit);
        made->output[i] = pp_event_columns_get_locked(session, name, &like);
        rc = made->output[i] == UINT16_MAX ? -ENOSPC : 0;
    }
    /* With the collector running, an equal set of an earlier device computes these columns. */
    if (!rc && made->formula_program) {
        made->next = session->rows.formulas;
        session->rows.formulas = made;
        return 0;
    }
    if (made) {
        pp_metric_destroy(made->formula_program);
        free(made->input);
        free(made->output);
        free(made);
    }
    return rc;
}

int
pp_event_columns_note_words(struct pp_source_set *set)
{
    const struct pp_layout *layout = set->set.layout;
    if (!layout || !pp_layout_is_words(layout))
        return 0;
    set->word = calloc(layout->fields + 1, sizeof(*set->word));
    if (!set->word)
        return -ENOMEM;
    for (uint32_t i = 0; i < layout->fields; i++)
        if (set->column[i] != UINT16_MAX)
            set->word[set->words++] =
                (struct pp_word_column){layout->field[i].part[0].offset, set->column[i]};
    set->run = true;
    for (uint32_t i = 0; i < set->words; i++)
        set->run &= set->word[i].offset == set->word[0].offset + i * sizeof(uint64_t) &&
                    set->word[i].column == set->word[0].column + i;
    return 0;
}

void
pp_event_columns_add_estimate(struct pp_session *session, const char *source, const struct pp_source_set *set,
                              uint32_t sets)
{
    const struct pp_column like = {.number = PP_NUMBER_U64, .not_additive = true, .single = true};
    char name[NAME_BYTES];
    snprintf(name, sizeof(name), "estimate:%s", source);
    uint16_t column = pp_event_columns_get_locked(session, name, &like);
    /* Later devices use columns of the first one, which the collector reads without a lock. */
    if (column == UINT16_MAX || session->begun)
        return;
    session->rows.estimates = true;
    for (uint32_t k = 0; k < sets; k++)
        for (uint32_t i = 0; set[k].set.layout && i < set[k].set.layout->fields; i++)
            if (set[k].column[i] != UINT16_MAX)
                session->rows.column[set[k].column[i]].estimate = (uint16_t)(column + 1);
}
