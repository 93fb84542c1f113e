/** @file
 * See row_estimates.h. */
#include "core/collect/rows/row_estimates.h"

#include "core/engine/session_private.h"

static void
note_row(const struct pp_session *session, struct pp_value *counter)
{
    const struct pp_column *column = session->rows.column;
    for (uint32_t i = 0; i < session->rows.columns; i++)
        if (column[i].estimate)
            counter[column[i].estimate - 1] = pp_value_missing(PP_UNSUPPORTED);
    for (uint32_t i = 0; i < session->rows.columns; i++) {
        if (!column[i].estimate)
            continue;
        struct pp_value *says = &counter[column[i].estimate - 1];
        enum pp_status status = counter[i].status;
        if (pp_status_has_value(status))
            *says = pp_value_ok((says->status == PP_OK && says->value) || status == PP_PARTIAL);
        else if (says->status == PP_UNSUPPORTED)
            *says = pp_value_missing(status);
    }
}

void
pp_row_estimates_note(const struct pp_session *session, struct pp_frame_row *frame)
{
    if (!session->rows.estimates)
        return;
    for (uint32_t i = 0; i < frame->passes; i++)
        note_row(session, frame->pass[i].counter);
    for (uint32_t i = 0; i < frame->actions; i++)
        note_row(session, frame->action[i].counter);
}
