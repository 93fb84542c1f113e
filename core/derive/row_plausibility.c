/** @file
 * Checks the counters of rows; see row_plausibility.h. */
#include "core/derive/row_plausibility.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/derive/row_column.h"
#include "core/util/log.h"
#include "counters/plausibility/plausibility.h"

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
