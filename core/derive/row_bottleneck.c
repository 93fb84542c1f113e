/** @file
 * Bottleneck of each row; see row_bottleneck.h. */
#include "core/derive/row_bottleneck.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/derive/row_column.h"
#include "counters/speed_of_light/bottleneck.h"
#include "counters/util/array_size.h"

#define VARIABLES_MAX 16U
#define CLASSES_MAX   2U /* verdicts without the name of a unit: "under-used", and one to spare */
#define NAME_BYTES    sizeof(((struct pp_bottleneck_unit *)NULL)->name)

/* One source's model. */
struct pp_row_bottleneck {
    struct pp_row_bottleneck *next;
    const char *source;
    struct pp_peak_table table;
    struct pp_peak_variable variable[VARIABLES_MAX];
    size_t variables;
    uint16_t cycles; /* column of the GPU's clocks */
    /* Names of verdicts so far, in small letters: of units, and of classes without a unit. */
    char name[PP_BOTTLENECK_UNITS + CLASSES_MAX][NAME_BYTES];
    size_t names;
};

/* A row being judged. */
struct row {
    const struct pp_session *session;
    const char *source;
    const struct pp_value *counter;
};

void
pp_row_bottleneck_destroy(struct pp_row_bottleneck *bound)
{
    while (bound) {
        struct pp_row_bottleneck *next = bound->next;
        pp_peak_table_destroy(&bound->table);
        free(bound);
        bound = next;
    }
}

static struct pp_row_bottleneck *
make_model(const struct pp_device *device, const struct pp_event_source *source)
{
    const struct pp_source_ops *ops = source->ops;
    const struct pp_peak_builtin *builtin = pp_peak_builtin_find(ops->peaks);
    uint16_t cycles = pp_row_column_find(device->session, ops->name, ops->clocks);
    struct pp_row_bottleneck *made = builtin && cycles != UINT16_MAX ? calloc(1, sizeof(*made)) : NULL;
    if (!made)
        return NULL;
    if (pp_peak_table_parse(builtin->text, builtin->size, &made->table, NULL)) {
        free(made);
        return NULL;
    }
    made->source = ops->name;
    made->cycles = cycles;
    while (ops->variable && made->variables < VARIABLES_MAX &&
           ops->variable(source->self, (uint32_t)made->variables, &made->variable[made->variables].name,
                         &made->variable[made->variables].value) == 0)
        made->variables++;
    return made;
}

int
pp_row_bottleneck_create(const struct pp_device *device, struct pp_row_bottleneck **ret_bound)
{
    *ret_bound = NULL;
    for (uint32_t s = 0; s < device->sources; s++) {
        const struct pp_source_ops *ops = device->counter[s].ops;
        if (!ops || !ops->peaks || !ops->clocks)
            continue;
        struct pp_row_bottleneck *made = make_model(device, &device->counter[s]);
        if (!made)
            continue;
        made->next = *ret_bound;
        *ret_bound = made;
    }
    return 0;
}

static double
value_of(const struct row *row, const char *event)
{
    uint16_t column = pp_row_column_find(row->session, row->source, event);
    return column == UINT16_MAX
               ? NAN
               : pp_row_column_number(&row->session->rows.column[column], row->counter[column]);
}

static int
find(void *self, const char *quantity, double *ret_value, double *ret_maximum)
{
    char name[128];
    snprintf(name, sizeof(name), "%s.max", quantity);
    *ret_value = value_of(self, quantity);
    *ret_maximum = value_of(self, name);
    return isfinite(*ret_value) && *ret_value >= 0 ? 0 : -ENODATA;
}

static bool
judge_one(const struct pp_row_bottleneck *bound, const struct pp_session *session,
          const struct pp_value *counter, struct pp_workload *action, struct pp_bottleneck *verdict)
{
    struct row row = {session, bound->source, counter};
    const struct pp_workload_lookup lookup = {find, &row};
    double clocks = pp_row_column_number(&session->rows.column[bound->cycles], counter[bound->cycles]);
    memset(action, 0, sizeof(*action));
    return isfinite(clocks) && clocks > 0 && pp_workload_collect(action, &bound->table, &lookup) == 0 &&
           action->amounts > 0 &&
           pp_bottleneck_judge(&bound->table, action, clocks, 0, bound->variable, bound->variables,
                               verdict) == 0;
}

/* Keep a name in small letters. @return NULL: there are too many names. */
static const char *
keep_name(struct pp_row_bottleneck *bound, const char *name)
{
    char lower[NAME_BYTES];
    snprintf(lower, sizeof(lower), "%s", name);
    for (char *c = lower; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    for (size_t i = 0; i < bound->names; i++)
        if (strcmp(bound->name[i], lower) == 0)
            return bound->name[i];
    if (bound->names == PP_ARRAY_SIZE(bound->name))
        return NULL;
    memcpy(bound->name[bound->names], lower, sizeof(lower));
    return bound->name[bound->names++];
}

/* Name of what bounded a row. @return NULL: no model knows. */
static const char *
judge(struct pp_row_bottleneck *bound, const struct pp_session *session, const struct pp_value *counter)
{
    struct pp_workload action;
    struct pp_bottleneck verdict;
    const char *name = NULL;
    for (; bound && !name; bound = bound->next) {
        /* units that were seen and did nothing have not reached their peaks either */
        bool seen = judge_one(bound, session, counter, &action, &verdict) && verdict.units > verdict.unseen;
        if (!seen)
            continue;
        if (verdict.class == PP_BOTTLENECK_NO_WORK)
            verdict.class = PP_BOTTLENECK_UNDER_USED;
        bool busy = verdict.class == PP_BOTTLENECK_MIXED || verdict.class == PP_BOTTLENECK_SATURATED ||
                    verdict.class == PP_BOTTLENECK_OVER_PEAK;
        name = keep_name(bound,
                         busy ? verdict.unit[verdict.bound].name : pp_bottleneck_class_name(verdict.class));
    }
    return name;
}

void
pp_row_bottleneck_judge(struct pp_row_bottleneck *bound, const struct pp_session *session,
                        struct pp_frame_row *frame)
{
    for (uint32_t i = 0; i < frame->passes; i++)
        frame->pass[i].bound_by = judge(bound, session, frame->pass[i].counter);
    for (uint32_t i = 0; i < frame->actions; i++)
        frame->action[i].bound_by = judge(bound, session, frame->action[i].counter);
}
