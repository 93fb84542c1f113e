/** @file
 * A session changes no descriptors and signals of the application. */

#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fake/frontend.h"
#include "tests/unit/core/session/session_child.h"

static bool
play(void)
{
    struct fake_frontend fake;
    struct pp_session *session = pp_session_get();
    if (!session || fake_frontend_init(&fake, session, "window 1"))
        return false;
    for (unsigned i = 0; i < 20; i++) {
        fake_frontend_draw(&fake, 1, 2, 30, 1000);
        fake_frontend_swap(&fake);
    }
    return fake.misuse == 0;
}

/* The application starts with all standard streams closed: files that it opens get their numbers, passprobe's
 * files do not. */
static void
without_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        (void)close(fd);
    bool played = play();
    for (int fd = 0; fd < 3; fd++)
        if (write(fd, "?", 1) == 1 || errno != EBADF)
            exit(3);
    /* A file that the collector opens has the lowest number for some microseconds, until it is moved up: no
     * kernel can open a file with a higher number. */
    for (int fd = 0, got = -1, tries = 0; fd < 3; fd += got == fd) {
        got = open("/dev/null", O_WRONLY);
        if (got == fd)
            continue;
        (void)close(got);
        (void)usleep(1000);
        if (++tries == 5000)
            exit(4);
    }
    exit(played ? 0 : 5);
}

static void
standard_streams_stay_closed(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "closed", NULL};
    assert_int_equal(in_child(without_streams, env), 0);
    read_table("closed/frames.csv");
    assert_int_equal(table.rows, 1 + 20);
}

/* A low limit for file sizes, and SIGXFSZ, which ends an application that exceeds it. */
static void
with_small_files(void)
{
    const struct rlimit limit = {4096, 4096};
    sigset_t queued;
    signal(SIGXFSZ, SIG_DFL);
    if (setrlimit(RLIMIT_FSIZE, &limit))
        exit(3);
    (void)play();
    sigset_t blocked;
    if (sigpending(&queued) || sigismember(&queued, SIGXFSZ) || pthread_sigmask(SIG_BLOCK, NULL, &blocked) ||
        sigismember(&blocked, SIGXFSZ))
        exit(4);
    exit(0);
}

static void
size_limits_end_nothing(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "small", NULL};
    assert_int_equal(in_child(with_small_files, env), 0);
    assert_int_equal(access("small/frames.csv", F_OK), 0);
}

/* A SIGXFSZ of the application that is blocked and pending stays pending. */
static void
with_own_signal(void)
{
    sigset_t size, queued;
    sigemptyset(&size);
    sigaddset(&size, SIGXFSZ);
    if (pthread_sigmask(SIG_BLOCK, &size, NULL) || raise(SIGXFSZ) || !play())
        exit(3);
    if (sigpending(&queued) || !sigismember(&queued, SIGXFSZ))
        exit(4);
    (void)signal(SIGXFSZ, SIG_IGN);
    exit(0);
}

static void
own_signals_stay(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "own", NULL};
    assert_int_equal(in_child(with_own_signal, env), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_streams_stay_closed),
        cmocka_unit_test(size_limits_end_nothing),
        cmocka_unit_test(own_signals_stay),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
