/** @file
 * One line on stderr, once an id; see log.h. */
#include "core/util/log.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "counters/util/printable.h"

#define TEXT_MAX 512

static const struct {
    uint16_t id;
    int8_t level;
} message[PP_LOG_COUNT] = {PP_MESSAGE_TABLE};

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

/* Write one line to stderr. If the reader of stderr is gone, SIGPIPE must not end the application, which
 * itself may never write to stderr. */
static void
write_line(const char *line, size_t len)
{
    const struct timespec at_once = {0};
    sigset_t broken;
    sigset_t before;
    sigset_t queued;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigemptyset(&queued);
    sigpending(&queued);
    bool theirs = sigismember(&queued, SIGPIPE) == 1;
    if (pthread_sigmask(SIG_BLOCK, &broken, &before) != 0)
        return;
    if (write(STDERR_FILENO, line, len) < 0 && errno == EPIPE && !theirs)
        (void)sigtimedwait(&broken, NULL, &at_once);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void
pp_log(enum pp_message id, const char *format, ...)
{
    int saved = errno;
    char line[TEXT_MAX + 64];
    va_list args;
    /* The first caller of an id fills its text; later ones are only counted. */
    if (atomic_fetch_add(&count[id], 1) == 0) {
        va_start(args, format);
        vsnprintf(text_of[id], TEXT_MAX, format, args);
        va_end(args);
        pp_printable_clean(text_of[id], ' ');
        atomic_store(&whole[id], true);
        if (message[id].level <= atomic_load(&threshold)) {
            int len = snprintf(line, sizeof(line), "passprobe: %s [PP-%03u]\n", text_of[id], message[id].id);
            if (len > 0)
                write_line(line, (size_t)len);
        }
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
