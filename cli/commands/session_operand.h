/** @file
 * How a hint names the session that it is about. Prints nothing. */
#ifndef PP_CLI_COMMANDS_SESSION_OPERAND_H
#define PP_CLI_COMMANDS_SESSION_OPERAND_H

#include <limits.h>

/** Size of the text. */
#define PP_SESSION_OPERAND (PATH_MAX + 8)

/** Write what follows `passprobe report` so that it reads the session at @p dir: " DIR", quoted for a shell,
 * or "" if `passprobe report` reads this session anyway. @return @p text. */
const char *pp_session_operand(char text[PP_SESSION_OPERAND], const char *dir);

#endif
