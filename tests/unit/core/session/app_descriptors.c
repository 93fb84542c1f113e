/** @file
 * A session changes no descriptors and signals of the application. */

#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/collect/collector.h"
#include "core/engine/session_private.h"
#include "counters/util/own_fd.h"
#include "counters/util/sandbox.h"
#include "tests/fake/frontend.h"
#include "tests/fake/sandbox/filter.h"
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

/* What the application closes is closed: a reader sees the end of a pipe, a lock is given up. In the table of
 * the collector there is nothing of the application. */
static void
closes_its_own(void)
{
    struct fake_frontend fake;
    struct pollfd reader = {.events = POLLIN};
    int ends[2];
    int held = open("lock", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (held < 0 || flock(held, LOCK_EX) || pipe(ends))
        exit(3);
    fake_frontend_start(&fake);
    fake_frontend_swap(&fake);
    (void)close(held);
    (void)close(ends[1]);
    reader.fd = ends[0];
    if (poll(&reader, 1, 10000) != 1 || !(reader.revents & POLLHUP))
        exit(4);
    held = open("lock", O_RDWR | O_CLOEXEC);
    if (held < 0 || flock(held, LOCK_EX | LOCK_NB))
        exit(5);
}

static void
closed_descriptors_are_released(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "released", NULL};
    assert_int_equal(in_child(closes_its_own, env), 0);
}

/* What the application closes is closed on a kernel without close_range(), too: descriptors that are not open
 * are not closed. */
static void
closes_its_own_on_old_kernel(void)
{
    const struct rlimit limit = {8192, 8192};
    if (setrlimit(RLIMIT_NOFILE, &limit) || sandbox_without_close_range(4096))
        exit(77);
    pp_sandbox_note_start();
    for (int i = 0; i < 300; i++) /* more than one piece of a list */
        if (open("/dev/null", O_WRONLY | O_CLOEXEC) < 0)
            exit(3);
    closes_its_own();
    _exit(0);
}

static void
only_open_descriptors_are_closed(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "old-kernel", NULL};
    int status = in_child(closes_its_own_on_old_kernel, env);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

/* Let the application's standard error be a pipe. @return The end that is read. */
static int
pipe_stderr(void)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) || dup2(ends[1], STDERR_FILENO) != STDERR_FILENO || close(ends[1]))
        exit(3);
    return ends[0];
}

/* The reader of the application's standard error sees its end, if the application closes it, or puts another
 * file there; the process goes on. */
static void
stderr_ends(bool replace)
{
    struct fake_frontend fake;
    struct pollfd reader = {.fd = pipe_stderr(), .events = POLLIN};
    char text[4096];
    fake_frontend_start(&fake);
    fake_frontend_swap(&fake);
    int other = open("other", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    (void)usleep(100000); /* the collector has looked once */
    if (other < 0 || (replace ? dup2(other, STDERR_FILENO) < 0 : close(STDERR_FILENO) != 0))
        exit(4);
    do { /* what passprobe said before */
        if (poll(&reader, 1, 10000) != 1)
            exit(5);
    } while (read(reader.fd, text, sizeof(text)) > 0);
    for (unsigned i = 0; i < 20; i++)
        fake_frontend_swap(&fake);
    struct stat st;
    if (fstat(other, &st) || st.st_size != 0)
        exit(6);
}

static void
close_stderr(void)
{
    stderr_ends(false);
}

static void
replace_stderr(void)
{
    stderr_ends(true);
}

static void
closed_stderr_is_released(void **state)
{
    (void)state;
    const char *closed[] = {"PASSPROBE_OUTPUT", "no-stderr", NULL};
    const char *other[] = {"PASSPROBE_OUTPUT", "other-stderr", NULL};
    assert_int_equal(in_child(close_stderr, closed), 0);
    assert_int_equal(in_child(replace_stderr, other), 0);
    read_table("no-stderr/frames.csv");
    assert_int_equal(table.rows, 1 + 21);
}

/* A file of the application is none of passprobe's, in no thread. */
static void *
ask_for_file(void *ret_own)
{
    int own = open("lock", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    *(bool *)ret_own = own < 0 || pp_fd_is_own_file(own) || pp_fd_is_own(own);
    (void)close(own);
    return NULL;
}

/* After the end of the collector's thread, a thread of the application may get its memory, and so its number.
 */
static void
begin_threads_after_the_end(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    struct pp_session *session = pp_session_get();
    if (!session)
        exit(3);
    atomic_store(&session->active, false);
    pp_collector_finish(session->collector);
    session->collector = NULL;
    pthread_attr_t attr;
    pthread_t thread;
    if (pthread_attr_init(&attr))
        exit(4);
    for (size_t kib = 64; kib <= 1024; kib += 32) {
        bool own = true;
        if (pthread_attr_setstacksize(&attr, kib << 10) ||
            pthread_create(&thread, &attr, ask_for_file, &own) || pthread_join(thread, NULL))
            exit(4);
        if (own)
            exit(5);
    }
}

static void
later_threads_are_of_the_application(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "later", NULL};
    assert_int_equal(in_child(begin_threads_after_the_end, env), 0);
}

/* Files that the application puts at passprobe's numbers keep their bytes. */
static void
take_numbers(void)
{
    char path[32], text[16] = "";
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    for (int fd = 512; fd < 560; fd++) {
        snprintf(path, sizeof(path), "own-%d", fd);
        int own = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (own < 0 || write(own, "MINE\n", 5) != 5 || dup2(own, fd) != fd || close(own))
            exit(3);
    }
    for (unsigned i = 0; i < 20; i++) {
        fake_frontend_draw(&fake, 1, 2, 30, 1000);
        fake_frontend_swap(&fake);
    }
    struct pp_session *session = pp_session_get();
    if (session) { /* as at the end of the process */
        atomic_store(&session->active, false);
        pp_collector_finish(session->collector);
        session->collector = NULL;
    }
    for (int fd = 512; fd < 560; fd++)
        if (pread(fd, text, sizeof(text), 0) != 5 || memcmp(text, "MINE\n", 5) != 0 ||
            lseek(fd, 0, SEEK_CUR) != 5)
            exit(fd - 512 + 10);
}

static void
take_shared_numbers(void)
{
    if (sandbox_refuse_tables())
        exit(77);
    pp_sandbox_note_start();
    take_numbers();
}

static void
files_at_own_numbers_are_kept(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "taken", NULL};
    const char *shared[] = {"PASSPROBE_OUTPUT", "shared", NULL};
    assert_int_equal(in_child(take_numbers, env), 0);
    read_table("taken/frames.csv");
    assert_int_equal(table.rows, 1 + 20);
    int status = in_child(take_shared_numbers, shared);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_streams_stay_closed),
        cmocka_unit_test(size_limits_end_nothing),
        cmocka_unit_test(own_signals_stay),
        cmocka_unit_test(closed_descriptors_are_released),
        cmocka_unit_test(closed_stderr_is_released),
        cmocka_unit_test(only_open_descriptors_are_closed),
        cmocka_unit_test(later_threads_are_of_the_application),
        cmocka_unit_test(files_at_own_numbers_are_kept),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
