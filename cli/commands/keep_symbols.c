/** @file
 * See keep_symbols.h. */
#include "cli/commands/keep_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/print/message.h"
#include "cli/session/session_json.h"
#include "cli/symbols/session_symbols.h"
#include "cli/symbols/symbols_file.h"
#include "pp_texts.h"

/* Find and write the symbols of one session. @retval 0, -errno. @param why PP_CALL_STACKS_WHY bytes. */
static int
keep(int dir_fd, char *why)
{
    char unused[256];
    bool missing = false;
    struct pp_call_stacks stacks = {.modules = 0};
    struct pp_saved_session rec = {.dir_fd = dir_fd};
    rec.json = pp_saved_load_json(dir_fd, unused, sizeof(unused), &missing);
    const struct pp_debug_places places = {.recorded_s = pp_session_recorded_s(&rec)};
    int rc = pp_session_symbols_read(&rec, &places, &stacks, why);
    if (rc == 0) {
        rc = pp_symbols_write(dir_fd, &stacks);
        snprintf(why, PP_CALL_STACKS_WHY, "%s", strerror(-rc));
        pp_call_stacks_finish(&stacks);
    }
    json_decref(rec.json);
    return rc == -ENOENT ? 0 : rc;
}

void
pp_keep_symbols(const struct pp_command_line *line, const struct pp_sessions *sessions)
{
    char why[PP_CALL_STACKS_WHY];
    if (line->config.symbols == PP_RECORD_SYMBOLS_LATER)
        return;
    for (size_t i = 0; i < sessions->found && i < PP_SESSIONS_NAMED; i++)
        if (sessions->by_frames[i].fd >= 0 && keep(sessions->by_frames[i].fd, why))
            pp_message(PP_FORMAT_SYMBOLS_NOT_KEPT, sessions->by_frames[i].path, why);
}
