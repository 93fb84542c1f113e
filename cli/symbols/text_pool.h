/** @file
 * A pool of texts: each text is in it once, so that equal texts have equal addresses. Knows no file. */
#ifndef PP_CLI_SYMBOLS_TEXT_POOL_H
#define PP_CLI_SYMBOLS_TEXT_POOL_H

#include <stddef.h>

#include "counters/util/name_table.h"

/** A pool. Begin with all zero. */
struct pp_text_pool {
    struct pp_name_table names;
    char **text; /**< owned */
    size_t len, cap;
};

/** The pool's copy of a text, made if it is new. Valid until pp_text_pool_finish(). @return NULL: no memory.
 */
const char *pp_text_pool_add(struct pp_text_pool *pool, const char *text, size_t len);

/** Free all texts. The struct is all zero afterwards. */
void pp_text_pool_finish(struct pp_text_pool *pool);

#endif
