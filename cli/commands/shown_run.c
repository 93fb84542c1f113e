/** @file
 * See shown_run.h. */
#include "cli/commands/shown_run.h"

#include "cli/print/message.h"
#include "pp_texts.h"

void
pp_shown_run_note(const struct pp_opened_session *session)
{
    if (session->runs)
        pp_message(PP_FORMAT_RUNS_SHOWN, session->folder, session->runs, session->path);
}
