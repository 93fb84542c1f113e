/** @file
 * See session_operand.h. */
#include "cli/commands/session_operand.h"

#include <stdio.h>

#include "cli/print/format.h"
#include "cli/session/session_open.h"

const char *
pp_session_operand(char text[PP_SESSION_OPERAND], const char *dir)
{
    char path[PATH_MAX];
    char *const argv[] = {path, NULL};
    snprintf(path, sizeof(path), "%s", dir);
    text[0] = '\0';
    if (pp_session_is_usual(dir))
        return text;
    text[0] = ' ';
    (void)pp_format_command(text + 1, PP_SESSION_OPERAND - 1, argv);
    return text;
}
