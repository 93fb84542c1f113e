/** @file
 * A process that is asleep (--paused) on the fake front end: what it does and does not do until its page
 * orders it to wake, and what a damaged page, a fork, a filter and an end do to it. Each case runs in a child
 * process, which is the application and the command at once. */
#include "tests/lib/cmocka_test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/config/sleep_page.h"
#include "core/engine/session_private.h"
#include "tests/fake/frontend.h"
#include "tests/fake/sandbox/filter.h"
#include "tests/lib/session_json.h"
#include "tests/unit/core/session/session_child.h"

static struct fake_frontend fake;

/* End the case: cmocka's asserts do not work in a child process. */
#define EXPECT(what)                                                                                         \
    do {                                                                                                     \
        if (!(what)) {                                                                                       \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                                       \
            _exit(9);                                                                                        \
        }                                                                                                    \
    } while (0)

static void
play(unsigned frames)
{
    for (unsigned i = 0; i < frames; i++) {
        fake.tracker.level = (uint8_t)pp_timeline_level(fake.timeline);
        fake_frontend_draw(&fake, 1, 2, 3, 1000);
        fake_frontend_swap(&fake);
    }
}

/* Threads of passprobe's. Sanitizers have threads of their own. */
static unsigned
threads(void)
{
    char path[64], name[32];
    unsigned count = 0;
    DIR *tasks = opendir("/proc/self/task");
    EXPECT(tasks);
    for (struct dirent *entry = readdir(tasks); entry; entry = readdir(tasks)) {
        snprintf(path, sizeof(path), "/proc/self/task/%.16s/comm", entry->d_name);
        FILE *file = fopen(path, "re");
        count += file && fgets(name, sizeof(name), file) && strcmp(name, "passprobe\n") == 0;
        if (file)
            fclose(file);
    }
    closedir(tasks);
    return count;
}

static int
folder(void)
{
    int fd = pp_control_place_open(environ, 0, false, (char[PATH_MAX]){""});
    EXPECT(fd >= 0);
    return fd;
}

static int
open_page(struct pp_sleep_file *ret)
{
    int fd = folder();
    int rc = pp_sleep_open(fd, getpid(), ret);
    close(fd);
    return rc;
}

static bool
listens(void)
{
    char name[PP_CONTROL_NAME_MAX];
    int fd = folder();
    pp_control_name(name, getpid(), PP_CONTROL_SOCKET);
    int client = pp_control_connect(fd, name);
    if (client >= 0)
        close(client);
    close(fd);
    return client >= 0;
}

/* Write the path of this process's file. */
static const char *
file_path(void)
{
    static char path[PATH_MAX];
    char name[PP_CONTROL_NAME_MAX];
    pp_control_name(name, getpid(), PP_CONTROL_ASLEEP);
    snprintf(path, sizeof(path), "run/passprobe/%s", name);
    return path;
}

static void
order(unsigned what)
{
    struct pp_sleep_file file;
    EXPECT(open_page(&file) == 0);
    EXPECT(file.page->pid == getpid() && strcmp(file.page->level, "pass") == 0);
    EXPECT(pp_sleep_is_shared(&file));
    atomic_store(&file.page->order, what);
    pp_sleep_close(&file);
}

static void
fall_asleep(void)
{
    fake_frontend_start(&fake);
    EXPECT(threads() == 0 && !listens() && access(file_path(), F_OK) == 0);
    EXPECT(access("data", F_OK) != 0); /* nothing is written yet */
}

static int
run(void (*program)(void), const char *paused)
{
    char runtime[128];
    const char *env[] = {
        "PASSPROBE_OUTPUT", "data", "XDG_RUNTIME_DIR", runtime, "PASSPROBE_PAUSED", paused, NULL};
    assert_int_equal(system("rm -rf data data.* run err && mkdir -m 700 run"), 0); // NOLINT(cert-env33-c)
    assert_non_null(getcwd(runtime, sizeof(runtime) - 4));
    strcat(runtime, "/run");
    return in_child(program, env);
}

/* No file is left. */
static void
assert_removed(void)
{
    assert_int_equal(rmdir("run/passprobe"), 0);
}

static void
is_started(void)
{
    fall_asleep();
    play(20);
    EXPECT(threads() == 0 && !listens() && fake.begins == 0);
    order(PP_SLEEP_START);
    EXPECT(threads() == 0);
    play(1); /* its end wakes the process */
    EXPECT(threads() == 1 && listens() && access(file_path(), F_OK) != 0);
    play(3);
}

static void
it_wakes_when_it_is_started(void **state)
{
    (void)state;
    assert_int_equal(run(is_started, "1"), 0);
    read_table("data/frames.csv");
    assert_int_equal(table.rows, 1 + 3);
    assert_int_equal(number(0, "frame"), 21);
    assert_int_equal(session_json_number("data/session.json", "counts", "not_recorded_frames"), 21);
    assert_int_equal(session_json_number("data/session.json", "recording", "count"), 1);
    assert_removed();
}

static void
waits_and_presents(void)
{
    fall_asleep();
    play(5);
    for (unsigned i = 0; i < 4; i++) /* as glFinish() in an application that presents */
        pp_timeline_end_frame(fake.timeline, &(struct pp_frame_times){.present_begin_ns = fake.now.ticks,
                                                                      .present_end_ns = fake.now.ticks,
                                                                      .end = PP_END_WAIT,
                                                                      .waits_min = 100});
    order(PP_SLEEP_START);
    play(1);
    play(1);
}

static void
waits_are_no_frames_that_it_slept_through(void **state)
{
    (void)state;
    assert_int_equal(run(waits_and_presents, "1"), 0);
    read_table("data/frames.csv");
    assert_int_equal(number(0, "frame"), 6);
    assert_int_equal(session_json_number("data/session.json", "counts", "not_recorded_frames"), 6);
}

static void
is_only_waked(void)
{
    fall_asleep();
    order(PP_SLEEP_WAKE);
    play(5);
    EXPECT(threads() == 1 && listens() && pp_session_paused(fake.session));
}

static void
it_wakes_and_stays_paused(void **state)
{
    (void)state;
    assert_int_equal(run(is_only_waked, "1"), 0);
    assert_int_equal(session_json_number("data/session.json", "counts", "not_recorded_frames"), 5);
    assert_int_equal(session_json_number("data/session.json", "counts", "frames"), 0);
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZER_CALLS true /* the sanitizer makes system calls of its own */
#else
#define SANITIZER_CALLS false
#endif

/* End the process at any system call but the last one. */
static void
forbid_all(void)
{
    static struct sandbox_list none;
    sandbox_allow(&none, SYS_exit_group);
    if (sandbox_enter(&none, SECCOMP_RET_KILL_PROCESS, 0))
        _exit(77);
}

static void
sleeps_under_a_filter(void)
{
    fall_asleep();
    play(2); /* the clock's first call may be a system call */
    forbid_all();
    play(100000);
    _exit(0);
}

static void
it_makes_no_system_call(void **state)
{
    (void)state;
    if (SANITIZER_CALLS)
        skip();
    int status = run(sleeps_under_a_filter, "1");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

/* Frames of a process that is awake make system calls, or the test above could not fail. */
static void
plays_under_a_filter(void)
{
    fake_frontend_start(&fake);
    play(2);
    forbid_all();
    play(100000);
    _exit(0);
}

static void
an_awake_process_makes_system_calls(void **state)
{
    (void)state;
    if (SANITIZER_CALLS)
        skip();
    int status = run(plays_under_a_filter, "0");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_true(WIFSIGNALED(status));
}

static void
is_confined(void)
{
    struct sandbox_list list = {0};
    struct pp_sleep_file file;
    int status = 0;
    fall_asleep();
    EXPECT(open_page(&file) == 0);
    EXPECT(sandbox_read_list(PP_TEST_DOCS "/sandboxes.md", &list));
    sandbox_allow(&list, SYS_exit_group);
    sandbox_allow(&list, SYS_clone);
    sandbox_allow(&list, SYS_set_robust_list);
    sandbox_allow(&list, SYS_wait4);
    if (sandbox_enter(&list, SECCOMP_RET_KILL_PROCESS, 0))
        _exit(77);
    play(3);
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
    atomic_store(&file.page->order, PP_SLEEP_START);
    play(3);
    EXPECT(atomic_load(&file.page->state) == PP_SLEEP_REFUSED && !pp_session_active(fake.session));
}

static void
a_filter_that_came_later_lets_it_sleep(void **state)
{
    (void)state;
    if (SANITIZER_CALLS)
        skip();
    int status = run(is_confined, "1");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

static void
has_damaged_file(void)
{
    struct pp_sleep_file file, own;
    fall_asleep();
    EXPECT(open_page(&own) == 0);
    const char *path = file_path();
    char text[128] = "";
    int fd = open(path, O_RDWR | O_CLOEXEC);
    ssize_t len = read(fd, text, sizeof(text) - 1);
    EXPECT(len > 0);
    EXPECT(ftruncate(fd, 0) == 0);
    EXPECT(open_page(&file) == -EBADMSG);
    play(100);                                               /* its page is whole */
    EXPECT(pwrite(fd, text, (size_t)len - 1, 0) == len - 1); /* torn */
    EXPECT(open_page(&file) == -EBADMSG);
    EXPECT(pwrite(fd, text, (size_t)len, 0) == len);
    EXPECT(fchmod(fd, 0640) == 0 && open_page(&file) == -EPERM);
    EXPECT(fchmod(fd, 0600) == 0 && open_page(&file) == 0);
    pp_sleep_close(&file);
    EXPECT(rename(path, "run/passprobe/other") == 0 && symlink("other", path) == 0);
    EXPECT(open_page(&file) == -EBADMSG); /* a link */
    EXPECT(unlink(path) == 0 && mkfifo(path, 0600) == 0 && open_page(&file) == -EBADMSG);
    EXPECT(unlink(path) == 0);
    struct stat space;
    EXPECT(stat("/proc/self/ns/ipc", &space) == 0);
    int planted = shmget(IPC_PRIVATE, PP_SLEEP_PAGE_BYTES, IPC_CREAT | 0600);
    snprintf(text, sizeof(text), "passprobe asleep 1 segment %d number 7 namespace %llu\n", planted,
             (unsigned long long)space.st_ino);
    int other = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT(planted >= 0 && write(other, text, strlen(text)) == (ssize_t)strlen(text));
    EXPECT(open_page(&file) == -EBADMSG); /* another segment */
    EXPECT(shmctl(planted, IPC_RMID, NULL) == 0 && open_page(&file) == -ESRCH);
    close(other);
    close(fd);
    memset((void *)own.page, 0xff, sizeof(*own.page)); /* all of it, except that it wakes */
    play(2);
    EXPECT(threads() == 1);
    pp_sleep_close(&own);
    EXPECT(unlink("run/passprobe/other") == 0 && unlink(path) == 0);
}

static void
damaged_files_and_pages_do_no_harm(void **state)
{
    (void)state;
    assert_int_equal(run(has_damaged_file, "1"), 0);
    assert_removed();
}

/* Has this process a page, or any other segment of System V? */
static bool
has_page(void)
{
    char line[512];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    EXPECT(maps);
    while (fgets(line, sizeof(line), maps))
        found |= strstr(line, "/SYSV") != NULL;
    fclose(maps);
    return found;
}

static void
forks(void)
{
    int status = 0;
    fall_asleep();
    order(PP_SLEEP_START);
    pid_t pid = fork();
    if (pid == 0) {
        EXPECT(!pp_session_get() && !has_page());
        fake_frontend_swap(&fake);
        EXPECT(threads() == 0);
        _exit(0); /* the parent's file stays */
    }
    EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
    EXPECT(has_page() && access(file_path(), F_OK) == 0);
    play(3);
    EXPECT(threads() == 1);
}

static void
a_forked_child_does_not_obey(void **state)
{
    (void)state;
    assert_int_equal(run(forks, "1"), 0);
    read_table("data/frames.csv");
    assert_int_equal(table.rows, 1 + 2);
    assert_removed();
}

static void
executes(void)
{
    char path[PATH_MAX];
    struct pp_sleep_file file;
    fall_asleep();
    snprintf(path, sizeof(path), "%s", file_path());
    EXPECT(open_page(&file) == 0);
    pp_sleep_close(&file);
    execlp("mv", "mv", path, "run/passprobe/left", (char *)NULL);
    EXPECT(false);
}

static void
never_starts(void)
{
    fall_asleep();
    play(20);
}

static void
an_end_without_a_start_says_so(void **state)
{
    (void)state;
    assert_int_equal(run(never_starts, "1"), 0);
    assert_removed();
    assert_int_not_equal(access("data", F_OK), 0); /* without the command there is no session */
}

static void
is_killed(void)
{
    never_starts();
    EXPECT(rename(file_path(), "run/passprobe/left") == 0);
    raise(SIGKILL);
}

static void
replaces_file(void)
{
    struct pp_sleep_file file;
    char text[PP_CONTROL_NAME_MAX];
    EXPECT(rename("run/passprobe/left", file_path()) ==
           0); /* as if this process had the number of the other one */
    snprintf(text, sizeof(text), "%ld", (long)getpid());
    EXPECT(open_page(&file) == -ESRCH);
    fall_asleep();
    EXPECT(open_page(&file) == 0);
    pp_sleep_close(&file);
}

static void
assert_replaced(void (*leaves)(void), bool killed)
{
    char runtime[128];
    assert_int_equal(WIFSIGNALED(run(leaves, "1")), killed);
    assert_non_null(getcwd(runtime, sizeof(runtime) - 4));
    strcat(runtime, "/run");
    const char *env[] = {
        "PASSPROBE_OUTPUT", "data", "XDG_RUNTIME_DIR", runtime, "PASSPROBE_PAUSED", "1", NULL};
    assert_int_equal(in_child(replaces_file, env), 0);
    assert_removed();
}

static void
a_file_that_was_left_behind_is_replaced(void **state)
{
    (void)state;
    assert_replaced(is_killed, true);
    assert_replaced(executes, false); /* another program in the same process has no page either */
}

static void
has_no_page(void)
{
    char place[PATH_MAX];
    int fd = pp_control_place_find(environ, place);
    EXPECT(fd >= 0 && close(fd) == 0 && mkdir(file_path(), 0700) == 0);
    fake_frontend_start(&fake);
    EXPECT(threads() == 1 && listens() && pp_session_paused(fake.session) && !has_page());
    play(5);
}

static void
without_a_page_the_thread_begins_at_once(void **state)
{
    (void)state;
    assert_int_equal(run(has_no_page, "1"), 0);
    assert_int_equal(session_json_number("data/session.json", "counts", "not_recorded_frames"), 5);
}

/* Threads that end frames at the same time: one of them wakes the process. */
static void *
presents(void *arg)
{
    struct pp_timeline *timeline = arg;
    for (uint64_t now = 1; !atomic_load(&fake.session->control); now++)
        pp_timeline_end_frame(timeline,
                              &(struct pp_frame_times){.present_begin_ns = now, .present_end_ns = now});
    return NULL;
}

static void
has_threads(void)
{
    pthread_t thread[4];
    fall_asleep();
    for (unsigned i = 0; i < 4; i++) {
        const struct pp_timeline_info info = {.device = fake.device, .surface = "other"};
        EXPECT(pthread_create(&thread[i], NULL, presents, pp_timeline_create(fake.session, &info)) == 0);
    }
    order(PP_SLEEP_START);
    for (unsigned i = 0; i < 4; i++)
        EXPECT(pthread_join(thread[i], NULL) == 0);
    EXPECT(threads() == 1 && listens());
    play(3);
}

static void
one_of_several_threads_wakes_it(void **state)
{
    (void)state;
    assert_int_equal(run(has_threads, "1"), 0);
    assert_int_equal(session_json_number("data/session.json", "recording", "count"), 1);
    assert_removed();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_wakes_when_it_is_started),
        cmocka_unit_test(waits_are_no_frames_that_it_slept_through),
        cmocka_unit_test(it_wakes_and_stays_paused),
        cmocka_unit_test(it_makes_no_system_call),
        cmocka_unit_test(an_awake_process_makes_system_calls),
        cmocka_unit_test(a_filter_that_came_later_lets_it_sleep),
        cmocka_unit_test(damaged_files_and_pages_do_no_harm),
        cmocka_unit_test(a_forked_child_does_not_obey),
        cmocka_unit_test(an_end_without_a_start_says_so),
        cmocka_unit_test(a_file_that_was_left_behind_is_replaced),
        cmocka_unit_test(without_a_page_the_thread_begins_at_once),
        cmocka_unit_test(one_of_several_threads_wakes_it),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
