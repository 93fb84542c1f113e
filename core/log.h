/** @file
 * Room: the one line on stderr. Each message has an id in docs/messages.yaml; a repeated id is said once and
 * counted; the counts go into session.json. Never stdout, never more than a line, no locale, no allocation.
 */
#ifndef PP_CORE_LOG_H
#define PP_CORE_LOG_H

#include <stdint.h>

#include "pp_messages.h" /* generated from docs/messages.yaml: enum pp_message, PP_MESSAGE_COUNT */

/** Say it (once an id) as "passprobe: text [PP-nnn]". Any thread; errno is kept. */
__attribute__((visibility("default"), format(printf, 2, 3))) void pp_log(enum pp_message id,
                                                                         const char *format, ...);

/** -1: errors only, 0: normal, 1: all. Set once at start. */
void pp_log_set_verbosity(int verbosity);

/** How often an id was logged. */
uint32_t pp_log_count(enum pp_message id);

/** The last text logged under an id; "" if none. Static storage. */
const char *pp_log_text(enum pp_message id);

#endif
