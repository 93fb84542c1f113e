/** @file
 * See log_line.h. */
#include "core/util/log_line.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const struct {
    uint16_t id;
    int8_t level;
} message[PP_LOG_COUNT] = {PP_MESSAGE_TABLE};

int
pp_log_level(enum pp_message id)
{
    return message[id].level;
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
pp_log_line(enum pp_message id, const char *text)
{
    char line[512 + 64];
    int len = snprintf(line, sizeof(line), "passprobe: %.511s [PP-%03u]\n", text, message[id].id);
    if (len > 0)
        write_line(line, (size_t)len);
}
