/** @file
 * See process.h. */
#include "core/util/process.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/util/start.h"

const char *
pp_command_line(size_t *ret_len)
{
    const struct pp_start *start = pp_start();
    *ret_len = start->command ? start->command_len : 0;
    return start->command;
}

void
pp_command_line_name(char *name, size_t size)
{
    size_t len = 0;
    const char *command = pp_command_line(&len);
    const char *last = len ? command : "";
    for (const char *p = last; *p; p++)
        if ((*p == '/' || *p == '\\') && p[1])
            last = p + 1;
    snprintf(name, size, "%s", last);
}

/* Do both strings name the same variable? */
static bool
same_name(const char *a, const char *b)
{
    while (*a && *a == *b && *a != '=') {
        a++;
        b++;
    }
    return *a == '=' && *b == '=';
}

static size_t
count(char *const *vector)
{
    size_t have = 0;
    while (vector && vector[have])
        have++;
    return have;
}

char **
pp_environ_with_started(char *const *now)
{
    char *const *started = pp_start()->variables;
    size_t have = count(now);
    char **all = calloc(have + count(started) + 1, sizeof(*all));
    if (!all)
        return NULL;
    if (have)
        memcpy(all, now, have * sizeof(*all));
    size_t end = have;
    for (char *const *kept = started; kept && *kept; kept++) {
        size_t i = 0;
        while (i < have && !same_name(all[i], *kept))
            i++;
        if (i == have)
            all[end++] = *kept;
    }
    return all;
}

static int
is_ntdll(struct dl_phdr_info *object, size_t bytes, void *unused)
{
    (void)bytes;
    (void)unused;
    const char *slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
    return slash && (strcmp(slash, "/ntdll.so") == 0 || strcmp(slash, "/ntdll.dll.so") == 0);
}

bool
pp_process_has_wine(void)
{
    return dl_iterate_phdr(is_ntdll, NULL) != 0;
}

void
pp_size_signal_hold(struct pp_size_signal *ret)
{
    sigset_t queued;
    sigemptyset(&queued);
    (void)sigpending(&queued);
    ret->queued = sigismember(&queued, SIGXFSZ) == 1;
    sigemptyset(&ret->own);
    sigaddset(&ret->own, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &ret->own, &ret->before);
}

void
pp_size_signal_drop(const struct pp_size_signal *held)
{
    const struct timespec at_once = {0};
    if (!held->queued)
        (void)sigtimedwait(&held->own, NULL, &at_once);
    pthread_sigmask(SIG_SETMASK, &held->before, NULL);
}
