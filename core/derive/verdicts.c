/** @file
 * See verdicts.h. Columns of events;
 *
 * Bottleneck of each row;
 *
 * Checks the counters of rows; */
#include "core/derive/verdicts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/log.h"
#include "counters/plausibility/plausibility.h"
#include "counters/speed_of_light/bottleneck.h"
#include "counters/util/array_size.h"

uint16_t
pp_row_column_find(const struct pp_session *session, const char *source, const char *event)
{
    size_t prefix = strlen(source), length = strlen(event);
    for (uint32_t i = 0; i < session->rows.columns; i++) {
        const struct pp_column *column = &session->rows.column[i];
        const char *name = column->name;
        if (column->hidden || strncmp(name, source, prefix) != 0 || name[prefix] != ':' ||
            strncmp(name + prefix + 1, event, length) != 0)
            continue;
        const char *rest = name + prefix + 1 + length;
        if (*rest == '\0' || strcmp(rest, pp_unit_suffix(column->unit)) == 0)
            return (uint16_t)i;
    }
    return UINT16_MAX;
}

double
pp_row_column_number(const struct pp_column *column, struct pp_value value)
{
    double number = 0;
    if (!pp_status_has_value(value.status))
        return NAN;
    if (column->number == PP_NUMBER_F64)
        memcpy(&number, &value.value, sizeof(number));
    else if (column->number == PP_NUMBER_I64)
        number = (double)(int64_t)value.value;
    else
        number = (double)value.value;
    return number;
}

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

/* One source of a device. */
struct pp_row_plausibility {
    struct pp_row_plausibility *next;
    const char *name;          /* "khr" */
    uint16_t column[PP_PARTS]; /* UINT16_MAX: not measured */
    struct pp_plausibility state;
};

void
pp_row_plausibility_destroy(struct pp_row_plausibility *all)
{
    while (all) {
        struct pp_row_plausibility *next = all->next;
        free(all);
        all = next;
    }
}

/* Look up the columns of a source's parts. @return Can anything be checked? */
static bool
find_columns(const struct pp_session *session, struct pp_row_plausibility *source)
{
    const char *name, *event;
    enum pp_part part;
    for (size_t i = 0; i < PP_PARTS; i++)
        source->column[i] = UINT16_MAX;
    for (uint32_t i = 0; pp_part_at(i, &name, &event, &part); i++)
        if (strcmp(name, source->name) == 0 || part >= PP_PART_VS_INVOCATIONS)
            source->column[part] = pp_row_column_find(session, name, event);
    return source->column[PP_PART_CLOCKS] != UINT16_MAX;
}

int
pp_row_plausibility_create(const struct pp_device *device, struct pp_row_plausibility **ret)
{
    *ret = NULL;
    for (uint32_t s = 0; s < device->sources; s++) {
        struct pp_row_plausibility found = {.name = device->source_name[s]};
        const struct pp_source_ops *ops = device->counter[s].ops;
        /* passprobe itself decodes the streams of the kernel, so no driver can make them wrong. */
        if (!ops || ops->reads == PP_READ_STREAM || !find_columns(device->session, &found))
            continue;
        struct pp_row_plausibility *made = malloc(sizeof(*made));
        if (!made) {
            pp_row_plausibility_destroy(*ret);
            *ret = NULL;
            return -ENOMEM;
        }
        *made = found;
        made->next = *ret;
        *ret = made;
    }
    return 0;
}

/* Check one row. @param draws Number of draws in a pass; UINT32_MAX: not known. @param counts Is the row one
 * of those that prove a fault? @return Are its values absurd? */
static bool
check_row(struct pp_row_plausibility *source, const struct pp_session *session,
          const struct pp_value *counter, struct pp_value gpu_time_ns, uint32_t draws, bool counts)
{
    struct pp_part_values values = {
        .gpu_time_ns = pp_status_has_value(gpu_time_ns.status) ? (double)gpu_time_ns.value : NAN};
    for (size_t i = 0; i < PP_PARTS; i++) {
        uint16_t column = source->column[i];
        values.part[i] =
            column == UINT16_MAX ? NAN : pp_row_column_number(&session->rows.column[column], counter[column]);
        /* No shader of a draw is invoked without draws, whether statistics are measured or not. */
        if (i >= PP_PART_VS_INVOCATIONS && isnan(values.part[i]) && draws == 0)
            values.part[i] = 0;
    }
    if (counts)
        (void)pp_plausibility_add(&source->state, &values);
    return pp_plausibility_is_absurd(&values);
}

/* Report once that a source is wrong. */
static void
report(const struct pp_row_plausibility *source, struct pp_device *device, uint64_t frame)
{
    char text[PP_NOTE_BYTES];
    snprintf(text, sizeof(text), PP_FORMAT_IMPLAUSIBLE, pp_contradiction_text(source->state.found),
             (unsigned long long)frame);
    pp_device_missing(device, source->name, text);
}

/* Empty the cells of a source in one row, and the hidden cells ("oa#...") from which metrics would be
 * computed. */
static void
empty_row(const struct pp_row_plausibility *source, const struct pp_session *session,
          struct pp_value *counter)
{
    size_t prefix = strlen(source->name);
    for (uint32_t i = 0; i < session->rows.columns; i++) {
        const char *name = session->rows.column[i].name;
        if (strncmp(name, source->name, prefix) == 0 && (name[prefix] == ':' || name[prefix] == '#') &&
            pp_status_has_value(counter[i].status))
            counter[i] = pp_value_missing(PP_REJECTED);
    }
}

static void
empty_frame(const struct pp_row_plausibility *source, const struct pp_session *session,
            struct pp_frame_row *frame)
{
    empty_row(source, session, frame->counter);
    for (uint32_t i = 0; i < frame->passes; i++)
        empty_row(source, session, frame->pass[i].counter);
    for (uint32_t i = 0; i < frame->actions; i++) {
        empty_row(source, session, frame->action[i].counter);
        frame->action[i].clean = false;
    }
}

/* Check the rows of a frame. The cells of absurd rows become empty, and those of the rows that have them as a
 * part. */
static void
check_frame(struct pp_row_plausibility *source, const struct pp_session *session, struct pp_frame_row *frame,
            bool counts)
{
    bool absurd = false;
    for (uint32_t i = 0; i < frame->passes; i++) {
        struct pp_pass_row *pass = &frame->pass[i];
        if (!check_row(source, session, pass->counter, pass->gpu_time_ns, pass->draws, counts))
            continue;
        empty_row(source, session, pass->counter);
        absurd = true;
    }
    for (uint32_t i = 0; i < frame->actions; i++) {
        struct pp_action_row *action = &frame->action[i];
        if (!check_row(source, session, action->counter, action->gpu_time_ns, UINT32_MAX, counts))
            continue;
        empty_row(source, session, action->counter);
        if (action->pass < frame->passes)
            empty_row(source, session, frame->pass[action->pass].counter);
        action->clean = false;
        absurd = true;
    }
    if (frame->level == PP_LEVEL_FRAME)
        absurd |= check_row(source, session, frame->counter, frame->gpu_time_ns, UINT32_MAX, counts);
    if (absurd)
        empty_row(source, session, frame->counter);
}

void
pp_row_plausibility_check(struct pp_row_plausibility *all, struct pp_device *device,
                          struct pp_frame_row *frame, bool draft)
{
    const struct pp_session *session = device->session;
    for (struct pp_row_plausibility *source = all; source; source = source->next) {
        bool sound = source->state.found == PP_CONTRADICTION_NONE;
        if (sound)
            check_frame(source, session, frame, !draft);
        if (sound && source->state.found != PP_CONTRADICTION_NONE)
            report(source, device, frame->frame);
        if (source->state.found != PP_CONTRADICTION_NONE)
            empty_frame(source, session, frame);
    }
}
