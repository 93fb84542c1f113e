/** @file
 * An application sets a seccomp filter that kills the process at any system call that docs/sandboxes.md does
 * not list. Its own threads make no other calls either, so the filter applies to all of them. Each case runs
 * in a child process, and the test reads its files afterwards. */
#include "tests/lib/cmocka_test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/config/control_place.h"
#include "core/engine/session_private.h"
#include "tests/fake/frontend.h"
#include "tests/fake/sandbox/filter.h"
#include "tests/unit/core/session/session_child.h"

#define BEFORE      5U
#define BEFORE_TEXT "\"frames\": 5,"
#define AFTER       40U

static struct sandbox_list list;
static int json[2]; /* session.json and its spare, whichever is written in place */

static void
frame(struct fake_frontend *fake)
{
    fake_frontend_draw(fake, 1, 3, 3, 1000);
    fake_frontend_swap(fake);
}

/* A file's text. */
static bool
read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* The collector's thread; 0: none. */
static int
collector_thread(void)
{
    char path[64], name[32];
    int found = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry = tasks ? readdir(tasks) : NULL; entry && !found; entry = readdir(tasks)) {
        snprintf(path, sizeof(path), "/proc/self/task/%.16s/comm", entry->d_name);
        if (read_text(path, name, sizeof(name)) && strcmp(name, "passprobe\n") == 0)
            found = atoi(entry->d_name);
    }
    if (tasks)
        closedir(tasks);
    return found;
}

/* Does the collector sleep? */
static bool
is_asleep(int thread)
{
    char path[64], text[512];
    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
    const char *state = read_text(path, text, sizeof(text)) ? strrchr(text, ')') : NULL;
    return state && strncmp(state, ") S", 3) == 0;
}

/* Set the filter while the collector sleeps. session.json shows all frames then, so the collector exchanges
 * the file for its spare a second later at the earliest. The collector makes that exchange by system calls
 * that the list does not name, and a filter that came in the middle of it would kill the process. */
static void
enter_sandbox(void)
{
    char text[32768];
    int thread = collector_thread();
    for (unsigned i = 0; !read_text("data/session.json", text, sizeof(text)) || !strstr(text, BEFORE_TEXT) ||
                         !is_asleep(thread);
         i++) {
        if (i == 60000 || thread == 0)
            _exit(4);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    json[0] = open("data/session.json", O_RDONLY | O_CLOEXEC);
    json[1] = open("data/session.json.new", O_RDONLY | O_CLOEXEC);
    if (json[0] < 0 || json[1] < 0)
        _exit(5);
    if (sandbox_enter(&list, SECCOMP_RET_KILL_PROCESS, 0))
        _exit(77);
}

static bool
says(const char *text)
{
    char bytes[32768];
    for (unsigned i = 0; i < 2; i++) {
        ssize_t got = pread(json[i], bytes, sizeof(bytes) - 1, 0);
        bytes[got > 0 ? got : 0] = '\0';
        if (strstr(bytes, text))
            return true;
    }
    return false;
}

/* Wait until session.json has rows that the collector wrote under the filter. */
static void
wait_for(const char *text)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    for (unsigned i = 0; !says(text); i++) {
        if (i == 60000)
            _exit(6);
        nanosleep(&nap, NULL);
    }
}

static void
usual(void)
{
    struct fake_frontend fake;
    char text[64];
    fake_frontend_start(&fake);
    for (unsigned i = 0; i < BEFORE; i++)
        frame(&fake);
    enter_sandbox();
    for (unsigned i = 0; i < AFTER; i++)
        frame(&fake);
    snprintf(text, sizeof(text), "\"frames\": %u,", BEFORE + AFTER);
    wait_for(text);
    frame(&fake); /* the last one is written at the end */
}

/* User counters widen frames.csv, once before the filter and twice after it. */
static void
late_counters(void)
{
    struct fake_frontend fake;
    struct pp_session *session = fake_frontend_start(&fake);
    pp_user_counters_set(&session->user_counters, "early", 1);
    for (unsigned i = 0; i < BEFORE; i++)
        frame(&fake);
    enter_sandbox();
    frame(&fake);
    pp_user_counters_set(&session->user_counters, "late", 2);
    frame(&fake);
    wait_for("\"frames\": 7,");
    pp_user_counters_set(&session->user_counters, "last", 3);
    frame(&fake);
}

static void
stops(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    for (unsigned i = 0; i < BEFORE; i++)
        frame(&fake);
    enter_sandbox();
    const struct timespec nap = {.tv_nsec = 200000};
    for (unsigned i = 0; i < 40000 && pp_session_active(fake.session); i++) {
        frame(&fake);
        nanosleep(&nap, NULL);
    }
}

/* The application's limit for file sizes: the collector's writes fail during the session. */
static void
fails(void)
{
    struct fake_frontend fake;
    signal(SIGXFSZ, SIG_IGN);
    fake_frontend_start(&fake);
    for (unsigned i = 0; i < BEFORE; i++)
        frame(&fake);
    enter_sandbox();
    wait_for("\"frames\": 5,");
    if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 20000, .rlim_max = 20000}))
        _exit(7);
    const struct timespec nap = {.tv_nsec = 200000};
    for (unsigned i = 0; i < 40000 && pp_session_active(fake.session); i++) {
        frame(&fake);
        nanosleep(&nap, NULL);
    }
}

static void
drops(void)
{
    struct fake_frontend fake;
    struct pp_session *session = fake_frontend_start(&fake);
    for (unsigned i = 0; i < BEFORE; i++)
        frame(&fake);
    enter_sandbox();
    session->transport.waiting_bytes_max = (size_t)160 << 10;
    for (unsigned i = 0; i < 400; i++) {
        fake_frontend_draw(&fake, 1, 300, 3, 10);
        fake_frontend_swap(&fake);
    }
}

/* A client is connected to the control socket when the filter comes. */
static void
connected(void)
{
    struct fake_frontend fake;
    char name[PP_CONTROL_NAME_MAX], text[64];
    fake_frontend_start(&fake);
    int folder = pp_control_place_open(environ, 0, false, (char[PATH_MAX]){""});
    pp_control_name(name, getpid(), PP_CONTROL_SOCKET);
    int fd = folder < 0 ? -1 : pp_control_connect(folder, name);
    if (fd < 0 || write(fd, "watch 100\n", 10) != 10 || read(fd, text, 1) != 1)
        _exit(10);
    for (unsigned i = 0; i < BEFORE; i++)
        frame(&fake);
    enter_sandbox();
    for (unsigned i = 0; i < AFTER; i++)
        frame(&fake);
    snprintf(text, sizeof(text), "\"frames\": %u,", BEFORE + AFTER);
    wait_for(text);
}

/* The filter of an application that loads its driver after it: files are opened and read, too. */
static void
enter_early(void)
{
    sandbox_allow(&list, SYS_openat);
    sandbox_allow(&list, SYS_read);
    if (sandbox_enter(&list, SECCOMP_RET_KILL_PROCESS, 0))
        _exit(77);
}

/* With a filter between the session and its first device, the device is not measured. */
static void
confined_before_device(void)
{
    struct fake_frontend fake;
    struct pp_session *session = pp_session_get();
    if (!session)
        _exit(9);
    enter_early();
    _exit(fake_frontend_init(&fake, session, "window 1") ? 0 : 8);
}

static void
run(void (*program)(void), const char *option, const char *value)
{
    const char *env[] = {"PASSPROBE_OUTPUT", "data", "PASSPROBE_QUIET", "1", option, value, NULL};
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* sanitizers make calls that are not in the list */
#endif
    assert_true(sandbox_read_list(PP_TEST_DOCS "/sandboxes.md", &list));
    sandbox_allow(&list, SYS_exit_group); /* descriptors of the application */
    sandbox_allow(&list, SYS_prlimit64);
    assert_int_equal(system("rm -rf data"), 0); // NOLINT(cert-env33-c): a folder of ours
    int status = in_child(program, env);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

static const char *
json_text(void)
{
    static char text[1 << 18];
    int fd = open("data/session.json", O_RDONLY);
    ssize_t got = read(fd, text, sizeof(text) - 1);
    assert_true(got > 0);
    close(fd);
    while (got > 1 && text[got - 1] == '\n') /* the padding of a shorter version */
        got--;
    text[got] = '\0';
    assert_int_equal(text[got - 1], '}'); /* whole */
    return text;
}

static off_t
size_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

static void
a_confined_session_continues(void **state)
{
    (void)state;
    run(usual, NULL, NULL);
    read_table("data/frames.csv");
    assert_int_equal(table.rows, 1 + BEFORE + AFTER + 1);
    read_table("data/passes.csv");
    assert_int_equal(table.rows, 1 + BEFORE + AFTER + 1);
    assert_non_null(strstr(json_text(), "\"ended\": \"exit\""));
    assert_non_null(strstr(json_text(), "\"frames\": 46,"));
    assert_int_equal(size_of("data/session.json.new"), 0);
    assert_int_equal(size_of("data/frames.csv.new"), 0);
}

static void
late_user_counters_widen_frames_csv(void **state)
{
    (void)state;
    run(late_counters, NULL, NULL);
    read_table("data/frames.csv");
    assert_int_equal(table.rows, 1 + BEFORE + 3);
    for (unsigned i = 0; i < BEFORE + 3; i++) {
        assert_string_equal(at(i, "app:early"), "1");
        assert_string_equal(at(i, "app:late"), i > BEFORE ? "2" : "");
        assert_string_equal(at(i, "app:last"), i > BEFORE + 1 ? "3" : "");
    }
    assert_int_equal(size_of("data/frames.csv.new"), 0);
}

static void
max_size_ends_a_confined_session(void **state)
{
    (void)state;
    run(stops, "PASSPROBE_MAX_SIZE", "100K");
    assert_non_null(strstr(json_text(), "\"ended\": \"the session reached its --max-size\""));
}

static void
failed_writes_end_a_confined_session(void **state)
{
    (void)state;
    run(fails, NULL, NULL);
    assert_non_null(strstr(json_text(), "File too large"));
    read_table("data/frames.csv");
    assert_in_range(table.rows, 1 + BEFORE, 1000);
}

static void
a_confined_session_counts_dropped_frames(void **state)
{
    (void)state;
    run(drops, "PASSPROBE_LEVEL", "draw");
    assert_null(strstr(json_text(), "\"dropped\": {\n    \"frames\": 0,"));
}

static void
an_application_confined_before_its_device_has_no_files(void **state)
{
    struct stat st;
    (void)state;
    run(confined_before_device, NULL, NULL);
    run(confined_before_device, "PASSPROBE_EVENTS", "time,hwmon");
    assert_int_equal(stat("data", &st), -1); /* no directory was made */
}

static void
a_confined_session_closes_its_control_socket(void **state)
{
    char runtime[128];
    (void)state;
    assert_int_equal(system("rm -rf run && mkdir -m 700 run"), 0); // NOLINT(cert-env33-c): a folder of ours
    assert_non_null(getcwd(runtime, sizeof(runtime) - 4));
    strcat(runtime, "/run");
    run(connected, "XDG_RUNTIME_DIR", runtime);
    read_table("data/frames.csv");
    assert_int_equal(table.rows, 1 + BEFORE + AFTER);
    assert_non_null(
        strstr(json_text(), "the application set a seccomp filter: the control socket is closed"));
    int folder = open("run/passprobe", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = folder < 0 ? NULL : fdopendir(folder);
    unsigned sockets = 0;
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (!strstr(entry->d_name, ".sock"))
            continue;
        assert_int_equal(pp_control_connect(folder, entry->d_name),
                         -ECONNREFUSED); /* still there, and closed */
        sockets++;
    }
    assert_int_equal(sockets, 1);
    closedir(dir);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_confined_session_continues),
        cmocka_unit_test(late_user_counters_widen_frames_csv),
        cmocka_unit_test(max_size_ends_a_confined_session),
        cmocka_unit_test(failed_writes_end_a_confined_session),
        cmocka_unit_test(a_confined_session_counts_dropped_frames),
        cmocka_unit_test(a_confined_session_closes_its_control_socket),
        cmocka_unit_test(an_application_confined_before_its_device_has_no_files),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
