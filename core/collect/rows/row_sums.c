/** @file
 * Sums of values; see row_sums.h. */
#include "core/collect/rows/row_sums.h"

#include <string.h>

/* pp_pass_build.sums */
enum { SUM_NONE, SUM_WANTED, SUM_BEGUN };

void
pp_row_sums_add(const struct pp_session *session, struct pp_value *to, const struct pp_value *from)
{
    for (uint32_t i = 0; i < session->rows.columns; i++)
        to[i] = pp_column_add(&session->rows.column[i], to[i], from[i]);
}

/* Find the columns of a pass that were measured in its actions instead. @return How many. */
static uint32_t
find_from_actions(const struct pp_session *session, const struct pp_pass_row *pass, uint16_t *from_actions)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < session->rows.columns; c++)
        if (pass->counter[c].status == PP_DISABLED)
            from_actions[count++] = (uint16_t)c;
    return count;
}

/* Add an action to the columns of its pass that are sums over the actions. */
static void
sum_action(const struct pp_session *session, struct pp_frame_rows *rows, const struct pp_action_row *action,
           const uint16_t *from_actions, uint32_t count)
{
    struct pp_value *to = rows->row.pass[action->pass].counter;
    struct pp_pass_build *build = &rows->build[action->pass];
    for (uint32_t i = 0; i < count; i++) {
        uint16_t c = from_actions[i];
        to[c] = build->sums == SUM_WANTED
                    ? action->counter[c]
                    : pp_column_add(&session->rows.column[c], to[c], action->counter[c]);
    }
    build->sums = SUM_BEGUN;
}

/* Add an action to its pass like sum_action(), where all columns are sums over the actions, each column
 * simply adds up, and the action has all values. Statuses stay unchanged. */
static void
sum_clean_action(struct pp_value *to, const struct pp_value *from, uint32_t columns)
{
    for (uint32_t c = 0; c < columns; c++)
        to[c].value += from[c].value;
}

/* Does every column simply add up: whole numbers that are additive? */
static bool
all_add_up(const struct pp_session *session)
{
    bool add_up = true;
    for (uint32_t c = 0; c < session->rows.columns; c++)
        add_up &= session->rows.column[c].number == PP_NUMBER_U64 && !session->rows.column[c].not_additive;
    return add_up;
}

void
pp_row_sums_of_passes(const struct pp_session *session, struct pp_frame_rows *rows)
{
    struct pp_frame_row *frame = &rows->row;
    for (uint32_t i = 0; i < frame->passes && frame->actions; i++) {
        rows->from_actions_count[i] = find_from_actions(
            session, &frame->pass[i], rows->from_actions + (size_t)i * session->rows.columns);
        rows->build[i].sums = rows->from_actions_count[i] ? SUM_WANTED : SUM_NONE;
    }
    bool add_up = all_add_up(session);
    /* Not in the order of passes: a continuation adds to a pass after which others may have begun. */
    for (uint32_t a = 0; a < frame->actions; a++) {
        const struct pp_action_row *action = &frame->action[a];
        uint32_t count = rows->from_actions_count[action->pass];
        if (add_up && action->clean && rows->build[action->pass].sums == SUM_BEGUN &&
            count == session->rows.columns)
            sum_clean_action(frame->pass[action->pass].counter, action->counter, count);
        else if (count)
            sum_action(session, rows, action,
                       rows->from_actions + (size_t)action->pass * session->rows.columns, count);
    }
}

void
pp_row_sums_of_frame(struct pp_session *session, struct pp_frame_rows *rows, bool complete)
{
    struct pp_frame_row *frame = &rows->row;
    for (uint32_t c = 0; c < session->rows.columns; c++)
        frame->counter[c] = !complete       ? pp_value_missing(PP_NOT_AVAILABLE)
                            : frame->passes ? pp_value_ok(0)
                                            : pp_value_missing(PP_DISABLED);
    for (uint32_t i = 0; i < frame->passes; i++) {
        const struct pp_pass_row *pass = &frame->pass[i];
        frame->draws += pass->draws;
        frame->dispatches += pass->dispatches;
        frame->copies += pass->copies;
        if (i == 0 && complete && session->rows.columns)
            memcpy(frame->counter, pass->counter, session->rows.columns * sizeof(*frame->counter));
        else
            pp_row_sums_add(session, frame->counter, pass->counter);
    }
    if (session->config.serialize && session->rows.isolated != UINT16_MAX)
        frame->counter[session->rows.isolated] =
            pp_value_missing(PP_UNSUPPORTED); /* not defined for frames */
}
