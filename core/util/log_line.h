/** @file
 * A message as a line on stderr. The shim and the layer print by it before they have the core and its log;
 * see log.h. */
#ifndef PP_CORE_UTIL_LOG_LINE_H
#define PP_CORE_UTIL_LOG_LINE_H

#include "pp_messages.h" /* generated from docs/messages.yaml */

/** Print "passprobe: text [PP-nnn]". @param id One of level error, warning or note. @param text Its text, of
 * at most 511 bytes; the rest is cut. Any thread; errno may change. */
void pp_log_line(enum pp_message id, const char *text);

/** Level of a message: -1 error, 0 warning, 1 note. */
int pp_log_level(enum pp_message id);

#endif
