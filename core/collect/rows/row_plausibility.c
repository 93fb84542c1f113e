/** @file
 * Judges the counters of rows; see row_plausibility.h. */
#include "core/collect/rows/row_plausibility.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/collect/rows/row_column.h"
#include "core/util/log.h"
#include "counters/plausibility/plausibility.h"

/* One source of a device. */
struct pp_row_plausibility {
    struct pp_row_plausibility *next;
    const char *source;
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

/* Look up the columns of a source's parts. @return Can anything be judged? */
static bool
find_columns(const struct pp_session *session, struct pp_row_plausibility *of)
{
    const char *source, *event;
    enum pp_part part;
    for (size_t i = 0; i < PP_PARTS; i++)
        of->column[i] = UINT16_MAX;
    for (uint32_t i = 0; pp_part_at(i, &source, &event, &part); i++)
        if (strcmp(source, of->source) == 0 || part >= PP_PART_VS_INVOCATIONS)
            of->column[part] = pp_row_column_find(session, source, event);
    return of->column[PP_PART_CLOCKS] != UINT16_MAX;
}

int
pp_row_plausibility_create(const struct pp_device *device, struct pp_row_plausibility **ret)
{
    *ret = NULL;
    for (uint32_t s = 0; s < device->sources; s++) {
        struct pp_row_plausibility found = {.source = device->source_name[s]};
        const struct pp_source_ops *ops = device->counter[s].ops;
        /* Streams of the kernel are decoded by passprobe itself: no driver is between that may be wrong. */
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

/* Judge one row. @param draws Draws of a pass; UINT32_MAX: not known. */
static void
judge_row(struct pp_row_plausibility *of, const struct pp_session *session, const struct pp_value *counter,
          struct pp_value gpu_time_ns, uint32_t draws)
{
    struct pp_part_values values = {
        .gpu_time_ns = pp_status_has_value(gpu_time_ns.status) ? (double)gpu_time_ns.value : NAN};
    for (size_t i = 0; i < PP_PARTS; i++) {
        uint16_t column = of->column[i];
        values.part[i] =
            column == UINT16_MAX ? NAN : pp_row_column_number(&session->rows.column[column], counter[column]);
        /* No shader of a draw is invoked without draws, whether statistics are measured or not. */
        if (i >= PP_PART_VS_INVOCATIONS && isnan(values.part[i]) && draws == 0)
            values.part[i] = 0;
    }
    (void)pp_plausibility_add(&of->state, &values);
}

/* Report once that a source is wrong. */
static void
report(const struct pp_row_plausibility *of, struct pp_device *device, uint64_t frame)
{
    char text[PP_NOTE_BYTES];
    snprintf(text, sizeof(text), PP_FORMAT_IMPLAUSIBLE, pp_contradiction_text(of->state.found),
             (unsigned long long)frame);
    pp_device_missing(device, of->source, text);
}

/* Empty a source's cells of one row, and the hidden ones ("oa#...") from which others would be computed. */
static void
empty_row(const struct pp_row_plausibility *of, const struct pp_session *session, struct pp_value *counter)
{
    size_t prefix = strlen(of->source);
    for (uint32_t i = 0; i < session->rows.columns; i++) {
        const char *name = session->rows.column[i].name;
        if (strncmp(name, of->source, prefix) == 0 && (name[prefix] == ':' || name[prefix] == '#') &&
            pp_status_has_value(counter[i].status))
            counter[i] = pp_value_missing(PP_REJECTED);
    }
}

static void
empty_frame(const struct pp_row_plausibility *of, const struct pp_session *session,
            struct pp_frame_row *frame)
{
    empty_row(of, session, frame->counter);
    for (uint32_t i = 0; i < frame->passes; i++)
        empty_row(of, session, frame->pass[i].counter);
    for (uint32_t i = 0; i < frame->actions; i++) {
        empty_row(of, session, frame->action[i].counter);
        frame->action[i].clean = false;
    }
}

void
pp_row_plausibility_judge(struct pp_row_plausibility *all, struct pp_device *device,
                          struct pp_frame_row *frame, bool draft)
{
    const struct pp_session *session = device->session;
    for (struct pp_row_plausibility *of = all; of; of = of->next) {
        bool judges = of->state.found == PP_CONTRADICTION_NONE && !draft;
        for (uint32_t i = 0; i < frame->passes && judges; i++)
            judge_row(of, session, frame->pass[i].counter, frame->pass[i].gpu_time_ns, frame->pass[i].draws);
        for (uint32_t i = 0; i < frame->actions && judges; i++)
            judge_row(of, session, frame->action[i].counter, frame->action[i].gpu_time_ns, UINT32_MAX);
        if (judges && frame->level == PP_LEVEL_FRAME)
            judge_row(of, session, frame->counter, frame->gpu_time_ns, UINT32_MAX);
        if (judges && of->state.found != PP_CONTRADICTION_NONE)
            report(of, device, frame->frame);
        if (of->state.found != PP_CONTRADICTION_NONE)
            empty_frame(of, session, frame);
    }
}
