/** @file
 * One line on stderr, once an id; see log.h. */
#include "core/util/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/util/log_line.h"
#include "counters/util/printable.h"

#define TEXT_MAX 512

/* The process has only one stderr, hence one log. This is the only mutable state outside of the session. */
static atomic_uint count[PP_LOG_COUNT];
static char text_of[PP_LOG_COUNT][TEXT_MAX];
static atomic_bool whole[PP_LOG_COUNT]; /* the text is complete, and other threads may read it */
static atomic_int threshold;

void
pp_log_set_verbosity(int verbosity)
{
    atomic_store(&threshold, verbosity);
}

void
pp_log(enum pp_message id, const char *format, ...)
{
    int saved = errno;
    va_list args;
    /* The first caller of an id fills its text; later ones are only counted. */
    if (atomic_fetch_add(&count[id], 1) == 0) {
        va_start(args, format);
        vsnprintf(text_of[id], TEXT_MAX, format, args);
        va_end(args);
        pp_printable_clean(text_of[id], ' ');
        atomic_store(&whole[id], true);
        if (pp_log_level(id) <= atomic_load(&threshold))
            pp_log_line(id, text_of[id]);
    }
    errno = saved;
}

uint32_t
pp_log_count(enum pp_message id)
{
    return atomic_load(&whole[id]) ? atomic_load(&count[id]) : 0;
}

const char *
pp_log_text(enum pp_message id)
{
    return atomic_load(&whole[id]) ? text_of[id] : "";
}
