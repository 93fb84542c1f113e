/** @file
 * Module: messages on stderr, and ids of all texts that users see. Ids and formats are rows of
 * docs/messages.yaml: PP_MSG_x is the id and the format of row x, so that the compiler checks the arguments.
 * pp_log() prints an id once and counts it; the counts go into session.json. A message is one line on stderr,
 * never on stdout. Messages do not depend on the locale and allocate nothing. */
#ifndef PP_CORE_UTIL_LOG_H
#define PP_CORE_UTIL_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "pp_messages.h" /* generated from docs/messages.yaml: enum pp_message, PP_MSG_x, PP_TEXT_x */

/** Print a message, once for each id, as "passprobe: text [PP-nnn]". Call it as pp_log(PP_MSG_FULL, why).
 * @param id One of level error, warning or note. Any thread; errno is kept. */
__attribute__((visibility("default"), format(printf, 2, 3))) void pp_log(enum pp_message id,
                                                                         const char *format, ...);

/** Set the verbosity, once at start. -1: errors only, 0: normal, 1: all. */
void pp_log_set_verbosity(int verbosity);

/** Message ids that were already reported. All zero: none. */
struct pp_once {
    _Atomic(uint64_t) reported[(PP_MESSAGE_COUNT + 63) / 64];
};

/** Is this the first call with this id? Any thread. Further calls cost one read. */
static inline bool
pp_once(struct pp_once *once, enum pp_message id)
{
    const uint64_t bit = UINT64_C(1) << ((unsigned)id % 64);
    _Atomic(uint64_t) *word = &once->reported[(unsigned)id / 64];
    return !(atomic_load_explicit(word, memory_order_relaxed) & bit) &&
           !(atomic_fetch_or_explicit(word, bit, memory_order_relaxed) & bit);
}

/** How often an id was logged. */
uint32_t pp_log_count(enum pp_message id);

/** The last text logged under an id; "" if none. Static storage. */
const char *pp_log_text(enum pp_message id);

#endif
