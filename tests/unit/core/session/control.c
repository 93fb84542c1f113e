/** @file
 * The control socket of a whole session on the fake front end. Each case runs in a child process, which is
 * the application and, on its own thread or in the same one, a client. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/collect/collector.h"
#include "core/config/control_place.h"
#include "core/engine/session_private.h"
#include "counters/util/sandbox.h"
#include "tests/fake/frontend.h"
#include "tests/fake/sandbox/filter.h"
#include "tests/lib/session_json.h"
#include "tests/unit/core/session/session_child.h"

#define WAIT_MS 20000
#define CLIENTS 8U

static struct fake_frontend fake;
static char answer[16384];

/* End the case: cmocka's asserts do not work in a child process. */
#define EXPECT(what)                                                                                         \
    do {                                                                                                     \
        if (!(what)) {                                                                                       \
            fprintf(stderr, "%s:%d: %s; answer: %s\n", __FILE__, __LINE__, #what, answer);                   \
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

static int
socket_of(pid_t pid)
{
    char name[PP_CONTROL_NAME_MAX];
    int folder = pp_control_place_open(environ, 0, false, (char[PATH_MAX]){""});
    pp_control_name(name, pid, PP_CONTROL_SOCKET);
    int fd = folder < 0 ? folder : pp_control_connect(folder, name);
    if (folder >= 0)
        close(folder);
    return fd;
}

static int
connect_here(void)
{
    int fd = socket_of(getpid());
    EXPECT(fd >= 0);
    return fd;
}

static void
tell(int fd, const char *text)
{
    size_t len = strlen(text);
    EXPECT(send(fd, text, len, MSG_NOSIGNAL) == (ssize_t)len);
}

/* Read a line into `answer`, without its end. @return false: the connection is closed. */
static bool
listen_to(int fd)
{
    size_t len = 0;
    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        EXPECT(poll(&wait, 1, WAIT_MS) == 1);
        char byte = 0;
        ssize_t got = recv(fd, &byte, 1, 0);
        answer[len] = '\0';
        if (got <= 0 || byte == '\n')
            return got > 0;
        answer[len++] = byte;
        EXPECT(len < sizeof(answer));
    }
}

static const char *
ask(int fd, const char *command)
{
    tell(fd, command);
    tell(fd, "\n");
    EXPECT(listen_to(fd));
    return answer;
}

#define SAYS(text) (strstr(answer, text) != NULL)

static int
run(void (*program)(void), const char *option, const char *value)
{
    char runtime[128];
    const char *env[] = {"PASSPROBE_OUTPUT", "data", "XDG_RUNTIME_DIR", runtime, option, value, NULL};
    assert_int_equal(system("rm -rf data data.* run && mkdir -m 700 run"), 0); // NOLINT(cert-env33-c)
    assert_non_null(getcwd(runtime, sizeof(runtime) - 4));
    strcat(runtime, "/run");
    return in_child(program, env);
}

static bool
json_says(const char *text)
{
    static char json[1 << 16];
    int fd = open("data/session.json", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    ssize_t got = read(fd, json, sizeof(json) - 1);
    close(fd);
    json[got > 0 ? got : 0] = '\0';
    return strstr(json, text) != NULL;
}

static void
asks_status(void)
{
    char pid[32];
    fake_frontend_start(&fake);
    int fd = connect_here();
    ask(fd, "status");
    EXPECT(SAYS("{\"ok\": true, \"protocol\": 1, \"passprobe\": \""));
    EXPECT(SAYS("\"state\": \"recording\", \"ended\": null, \"level\": \"pass\""));
    EXPECT(SAYS("\"frames\": 0, ") && SAYS("\"interval\": null, \"ten_seconds\": null}"));
    snprintf(pid, sizeof(pid), "\"pid\": %ld, ", (long)getpid());
    EXPECT(SAYS(pid) && SAYS("/data.new\", ") == false && SAYS("/data\", "));
    play(10);
    while (!strstr(ask(fd, "status"), "\"frames\": 10, "))
        ;
    EXPECT(SAYS("\"next_frame\": 11, ") && SAYS("\"dropped_frames\": 0, "));
    EXPECT(SAYS("\"interval\": {\"surface\": \"window 1\", \"frames\": 10, "));
    EXPECT(SAYS(
        "\"gpu_busy_ns\": {\"mean\": 2000, \"p50\": 2000, \"p95\": 2000, \"p99\": 2000, \"max\": 2000}"));
    ask(fd, "statu");
    EXPECT(SAYS("{\"ok\": false, \"error\": \"unknown\", \"text\": \""));
    ask(fd, "level");
    EXPECT(SAYS("\"error\": \"argument\""));
    tell(fd, "\n\r\nstatus\nmark  \nstatus\n"); /* several at once; empty lines have no answer */
    EXPECT(listen_to(fd) && SAYS("\"ok\": true"));
    EXPECT(listen_to(fd) && SAYS("\"error\": \"argument\""));
    EXPECT(listen_to(fd) && SAYS("\"ok\": true"));
}

static void
status_is_answered(void **state)
{
    (void)state;
    assert_int_equal(run(asks_status, NULL, NULL), 0);
    read_table("data/frames.csv");
    assert_int_equal(table.rows, 1 + 10);
    assert_int_equal(rmdir("run/passprobe"), 0); /* the socket was removed */
}

/* A client that writes its command and ends its side gets the answer and then the end. */
static void
ends_its_side(void)
{
    fake_frontend_start(&fake);
    int fd = connect_here();
    tell(fd, "status\n");
    shutdown(fd, SHUT_WR);
    EXPECT(listen_to(fd) && SAYS("\"ok\": true"));
    EXPECT(!listen_to(fd));
}

static void
half_closed_connections_are_answered(void **state)
{
    (void)state;
    assert_int_equal(run(ends_its_side, NULL, NULL), 0);
}

/* Frames from the next one on: the open frame stays as it began. */
static void
stops_and_starts(void)
{
    fake_frontend_start(&fake);
    int fd = connect_here();
    play(5); /* 0 to 4; 5 is open */
    ask(fd, "stop");
    EXPECT(SAYS("\"state\": \"paused\""));
    play(5); /* 5 is recorded; 6 to 9 are not; 10 is open */
    unsigned begins = fake.begins;
    play(1);
    EXPECT(fake.begins == begins); /* no bracket */
    ask(fd, "stop");               /* again: nothing changes */
    ask(fd, "start");
    EXPECT(SAYS("\"state\": \"recording\""));
    play(3); /* 11 is not; 12 and 13 are */
    ask(fd, "toggle");
    EXPECT(SAYS("\"state\": \"paused\""));
    ask(fd, "toggle");
    EXPECT(SAYS("\"state\": \"recording\""));
    play(1);
}

static void
recording_stops_and_starts(void **state)
{
    static const unsigned expected[] = {0, 1, 2, 3, 4, 5, 12, 13, 14};
    (void)state;
    assert_int_equal(run(stops_and_starts, NULL, NULL), 0);
    read_table("data/frames.csv");
    assert_int_equal(table.rows, 1 + sizeof(expected) / sizeof(*expected));
    for (unsigned i = 0; i + 1 < table.rows; i++) {
        assert_int_equal(number(i, "frame"), expected[i]);
        assert_int_equal(number(i, "draws"), 2);
        assert_int_equal(number(i, "frame_time_ns"), 2010);
    }
    read_table("data/passes.csv");
    assert_int_equal(table.rows, 1 + sizeof(expected) / sizeof(*expected));
    assert_int_equal(session_json_number("data/session.json", "counts", "not_recorded_frames"), 6);
    assert_int_equal(session_json_number("data/session.json", "counts", "frames"), 9);
    assert_int_equal(session_json_number("data/session.json", "dropped", "frames"), 0);
    assert_int_equal(session_json_number("data/session.json", "recording", "count"), 4);
    assert_true(json_says("\"what\": \"stop\""));
}

static void
changes_level(void)
{
    fake_frontend_start(&fake);
    int fd = connect_here();
    play(2); /* 2 is open, at level pass */
    EXPECT(access("data/draws.csv", F_OK) != 0);
    ask(fd, "level draw");
    EXPECT(SAYS("\"level\": \"draw\""));
    EXPECT(access("data/draws.csv", F_OK) == 0);
    play(3); /* 2; 3 and 4 at level draw; 5 is open at it */
    ask(fd, "level frame");
    play(2); /* 5; 6 at level frame */
    ask(fd, "level draw");
    ask(fd, "level pass");
    play(2); /* 7 at frame, 8 at pass */
}

static void
the_level_changes(void **state)
{
    static const char *const level[] = {"pass", "pass",  "pass",  "draw", "draw",
                                        "draw", "frame", "frame", "pass"};
    (void)state;
    assert_int_equal(run(changes_level, NULL, NULL), 0);
    read_table("data/frames.csv");
    assert_int_equal(table.rows, 1 + 9);
    for (unsigned i = 0; i < 9; i++)
        assert_string_equal(at(i, "level"), level[i]);
    read_table("data/draws.csv");
    assert_int_equal(table.rows, 1 + 2 * 3);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(number(i, "frame"), 3 + i / 2);
    assert_int_equal(session_json_number("data/session.json", "counts", "draws"), 6);
    assert_int_equal(session_json_number("data/session.json", "recording", "count"), 4);
}

static void
sets_marks(void)
{
    fake_frontend_start(&fake);
    int fd = connect_here();
    play(1);
    ask(fd, "mark level \"2\", loaded");
    EXPECT(SAYS("\"marks\": 1, "));
    for (unsigned i = 1; i < PP_MAX_MARKS; i += 63) { /* 4095 is 65 times 63 */
        for (unsigned k = 0; k < 63; k++)
            tell(fd, "mark again\n");
        for (unsigned k = 0; k < 63; k++)
            EXPECT(listen_to(fd) && SAYS("\"ok\": true"));
    }
    ask(fd, "mark too many");
    EXPECT(SAYS("\"error\": \"too_many\"") && SAYS("as many marks"));
}

static void
marks_are_set(void **state)
{
    (void)state;
    assert_int_equal(run(sets_marks, NULL, NULL), 0);
    assert_true(json_says("\"label\": \"level \\\"2\\\", loaded\""));
}

static void
quits(void)
{
    fake_frontend_start(&fake);
    int fd = connect_here(), other = connect_here();
    ask(other, "watch 60000");
    EXPECT(SAYS("\"state\": \"recording\""));
    play(5);
    while (!strstr(ask(fd, "status"), "\"frames\": 5, "))
        ;
    ask(fd, "quit");
    EXPECT(SAYS("\"ok\": true") && SAYS("\"state\": \"ended\", \"ended\": \"the command quit"));
    char byte = 0; /* the other client has its last line already: the process could end now */
    EXPECT(recv(other, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 1);
    EXPECT(!listen_to(fd));
    EXPECT(listen_to(other) && SAYS("\"state\": \"ended\""));
    EXPECT(!listen_to(other));
    EXPECT(socket_of(getpid()) == -ENOENT);
    EXPECT(!pp_session_get());
}

static void
quit_ends_profiling(void **state)
{
    (void)state;
    assert_int_equal(run(quits, NULL, NULL), 0);
    read_table("data/frames.csv");
    assert_int_equal(table.rows, 1 + 5);
    assert_true(json_says("\"ended\": \"the command quit of the control socket\""));
}

/* Each frame is in one line of `watch`. */
static void
watches(void)
{
    unsigned frames = 0, lines = 0;
    fake_frontend_start(&fake);
    int fd = connect_here();
    ask(fd, "watch 100");
    EXPECT(SAYS("\"interval\": null"));
    while (frames < 40) {
        play(lines < 4 ? 10 : 0);
        EXPECT(listen_to(fd) && ++lines < 100);
        const char *figures = strstr(answer, "\"interval\": {");
        figures = figures ? strstr(figures, "\"frames\": ") : NULL;
        frames += figures ? (unsigned)strtoul(figures + strlen("\"frames\": "), NULL, 10) : 0;
    }
    EXPECT(frames == 40);
    ask(fd, "stop"); /* any command ends it */
    while (!SAYS("paused"))
        EXPECT(listen_to(fd));
    struct pollfd quiet = {.fd = fd, .events = POLLIN};
    EXPECT(poll(&quiet, 1, 300) == 0);
}

static void
status_is_watched(void **state)
{
    (void)state;
    assert_int_equal(run(watches, NULL, NULL), 0);
}

static void
connects_often(void)
{
    int fd[CLIENTS], more[CLIENTS];
    fake_frontend_start(&fake);
    for (unsigned i = 0; i < CLIENTS; i++) {
        fd[i] = connect_here();
        EXPECT(strstr(ask(fd[i], "status"), "\"ok\": true"));
    }
    for (unsigned i = 0; i < CLIENTS; i++)
        more[i] = connect_here();
    for (unsigned i = 0; i < CLIENTS; i++) {
        EXPECT(listen_to(more[i]) && SAYS("\"error\": \"too_many\"") && SAYS("connected"));
        EXPECT(!listen_to(more[i]));
    }
    close(fd[3]);
    for (unsigned tries = 0;; tries++) { /* until the collector notices */
        int again = connect_here();
        (void)send(again, "status\n", 7, MSG_NOSIGNAL);
        if (listen_to(again) && SAYS("\"ok\": true"))
            break;
        EXPECT(tries < 1000);
        close(again);
    }
    EXPECT(strstr(ask(fd[0], "status"), "\"ok\": true"));
}

static void
too_many_clients_are_refused(void **state)
{
    (void)state;
    assert_int_equal(run(connects_often, NULL, NULL), 0);
}

/* Clients that send rubbish, or vanish at any moment, and one that is answered meanwhile. SIGPIPE has its
 * default action, which would end the process. */
static void
sends_rubbish(void)
{
    char bytes[5000];
    uint32_t random = 12345;
    signal(SIGPIPE, SIG_DFL);
    fake_frontend_start(&fake);
    int good = connect_here();
    for (unsigned round = 0; round < 60; round++) {
        int fd = connect_here();
        size_t len = 0;
        for (; len < sizeof(bytes); len++) {
            random = random * 1664525U + 1013904223U;
            bytes[len] = (char)(random >> 24);
            if (round % 3 == 1)
                bytes[len] = "status\n"[len % 7];
            if (round % 3 == 2)
                bytes[len] = 'x';
        }
        (void)send(fd, bytes, len - round, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (round % 2)
            (void)recv(fd, bytes, round, MSG_DONTWAIT);
        if (round % 5 == 0)
            EXPECT(strstr(ask(good, "status"), "\"ok\": true"));
        play(1);
        close(fd);
        if (round % 7 == 0)
            EXPECT(strstr(ask(good, "status"), "\"ok\": true"));
    }
    int last = connect_here();
    memset(bytes, 'x', sizeof(bytes));
    EXPECT(send(last, bytes, sizeof(bytes), MSG_NOSIGNAL) == sizeof(bytes));
    tell(last, "\n");
    EXPECT(listen_to(last) && SAYS("\"error\": \"too_long\""));
    EXPECT(strstr(ask(last, "status"), "\"ok\": true"));
}

static void
rubbish_is_survived(void **state)
{
    (void)state;
    assert_int_equal(run(sends_rubbish, NULL, NULL), 0);
    read_table("data/frames.csv");
    assert_int_equal(table.rows, 1 + 60);
}

/* A client that writes and never reads. Its answers fill the socket, then no more of its commands are read.
 */
static void
reads_nothing(void)
{
    char bytes[7 * 100];
    unsigned long sent = 0, answers = 0;
    const int small = 4096;
    fake_frontend_start(&fake);
    int fd = connect_here(), good = connect_here();
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = "status\n"[i % 7];
    for (unsigned quiet = 0; quiet < 10;) {
        ssize_t got = send(fd, bytes + sent % 7, sizeof(bytes) - 7, MSG_NOSIGNAL | MSG_DONTWAIT);
        EXPECT(got > 0 || errno == EAGAIN);
        sent += got > 0 ? (unsigned long)got : 0;
        quiet = got > 0 ? 0 : quiet + 1;
        EXPECT(strstr(ask(good, "status"), "\"ok\": true"));
        play(1);
    }
    for (; answers < sent / 7; answers++)
        EXPECT(listen_to(fd) && SAYS("\"ok\": true"));
}

static void
slow_clients_delay_no_others(void **state)
{
    (void)state;
    assert_int_equal(run(reads_nothing, NULL, NULL), 0);
}

/* The socket of a process whose forked child lives longer: the child keeps no descriptor, and removes
 * nothing. */
static void
forks(void)
{
    int to_child[2];
    fake_frontend_start(&fake);
    int fd = connect_here();
    ask(fd, "status");
    EXPECT(pipe(to_child) == 0);
    pid_t child = fork();
    if (child == 0) {
        char byte = 0;
        close(fd);
        close(to_child[1]);
        exit(read(to_child[0], &byte, 1) == 1 ? 0 : 1); /* exit handlers run */
    }
    pid_t quick = fork();
    if (quick == 0)
        exit(0);
    int status = 0;
    EXPECT(waitpid(quick, &status, 0) == quick && status == 0);
    EXPECT(strstr(ask(fd, "status"), "\"ok\": true"));
    EXPECT(strstr(ask(fd, "quit"), "\"ok\": true"));
    EXPECT(!listen_to(fd)); /* the end comes although the child lives */
    EXPECT(socket_of(getpid()) == -ENOENT);
    EXPECT(write(to_child[1], "x", 1) == 1);
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

static void
forked_children_do_not_disturb(void **state)
{
    (void)state;
    assert_int_equal(run(forks, NULL, NULL), 0);
}

/* Is there a socket in the folder that is used without a runtime folder? @param tmp What TMPDIR is. */
static bool
elsewhere(const char *tmp)
{
    char path[PATH_MAX], name[PP_CONTROL_NAME_MAX];
    setenv("TMPDIR", tmp, 1);
    fake_frontend_start(&fake);
    play(5);
    int folder = pp_control_place_open(environ, 2, false, path);
    pp_control_name(name, getpid(), PP_CONTROL_SOCKET);
    return folder >= 0 && faccessat(folder, name, F_OK, 0) == 0;
}

static void
plays_elsewhere(void)
{
    char tmp[128];
    EXPECT(getcwd(tmp, sizeof(tmp)));
    EXPECT(elsewhere(tmp));
}

static void
plays_only(void)
{
    EXPECT(!elsewhere("/nonexistent"));
}

static void
no_socket_without_a_private_folder(void **state)
{
    static const char *const bad[] = {"", "run", "/tmp"}; /* the second one is not absolute */
    (void)state;
    if (access("/run/user", F_OK) == 0)
        skip(); /* a folder of this user may be there */
    assert_int_equal(chmod(".", 0700), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(run(plays_elsewhere, "XDG_RUNTIME_DIR", bad[i]), 0);
        assert_int_equal(run(plays_only, "XDG_RUNTIME_DIR", bad[i]), 0);
        read_table("data/frames.csv");
        assert_int_equal(table.rows, 1 + 5);
        assert_int_equal(rmdir("run"), 0); /* nothing is in it */
    }
}

/* The numbers of the control sockets' descriptors become files of the application: passprobe neither uses nor
 * closes them. @param least This many must be there. */
static void
take_the_numbers(unsigned least)
{
    static const char *const ours[] = {"socket:", "/status", "/run/passprobe"};
    bool taken[1024] = {false};
    unsigned count = 0;
    fake_frontend_start(&fake);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (int fd = 500; fd < 1024; fd++) { /* passprobe moves its descriptors above 512 */
        char path[64], file[512] = "";
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        if (readlink(path, file, sizeof(file) - 1) < 0)
            continue;
        for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
            taken[fd] |= strstr(file, ours[i]) != NULL;
        EXPECT(!taken[fd] || dup2(null, fd) == fd);
        count += taken[fd];
    }
    EXPECT(count >= least);
    play(5);
    struct pp_session *session = pp_session_get();
    atomic_store(&session->active, false); /* as at the end of the process */
    pp_collector_finish(session->collector);
    session->collector = NULL;
    for (int fd = 500; fd < 1024; fd++)
        EXPECT(!taken[fd] || fcntl(fd, F_GETFD) >= 0);
}

/* The collector has a table of its own: in the application's there is what the application's threads read. */
static void
takes_its_numbers(void)
{
    take_the_numbers(1);
}

/* A filter that the process was started with refuses such a table. */
static void
takes_shared_numbers(void)
{
    if (sandbox_refuse_tables())
        _exit(77);
    pp_sandbox_note_start();
    take_the_numbers(5); /* three of the sandbox, the folder, the socket */
}

static void
numbers_of_the_application_stay_open(void **state)
{
    (void)state;
    assert_int_equal(run(takes_its_numbers, NULL, NULL), 0);
    read_table("data/frames.csv");
    assert_int_equal(table.rows, 1 + 5);
    int status = run(takes_shared_numbers, NULL, NULL);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
    read_table("data/frames.csv");
    assert_int_equal(table.rows, 1 + 5);
}

/* Frames on one thread, and clients on two others. */
static void *
steers(void *arg)
{
    static const char *const command[] = {"stop", "start", "level draw", "level pass", "mark m", "status"};
    int fd = socket_of(getpid());
    for (unsigned i = 0; i < 60 && fd >= 0; i++) {
        char line[64], text[4096];
        snprintf(line, sizeof(line), "%s\n", command[(i + *(unsigned *)arg) % 6]);
        if (send(fd, line, strlen(line), MSG_NOSIGNAL) < 0 || recv(fd, text, sizeof(text), 0) <= 0)
            break;
    }
    if (fd >= 0)
        close(fd);
    return NULL;
}

static void
plays_while_steered(void)
{
    pthread_t thread[2];
    unsigned offset[2] = {0, 3};
    fake_frontend_start(&fake);
    for (unsigned i = 0; i < 2; i++)
        EXPECT(pthread_create(&thread[i], NULL, steers, &offset[i]) == 0);
    play(3000);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    play(1);
}

static void
threads_agree(void **state)
{
    (void)state;
    assert_int_equal(run(plays_while_steered, NULL, NULL), 0);
    long frames = session_json_number("data/session.json", "counts", "frames");
    long left_out = session_json_number("data/session.json", "counts", "not_recorded_frames");
    assert_int_equal(frames + left_out, 3001);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_is_answered),
        cmocka_unit_test(half_closed_connections_are_answered),
        cmocka_unit_test(recording_stops_and_starts),
        cmocka_unit_test(the_level_changes),
        cmocka_unit_test(marks_are_set),
        cmocka_unit_test(quit_ends_profiling),
        cmocka_unit_test(status_is_watched),
        cmocka_unit_test(too_many_clients_are_refused),
        cmocka_unit_test(rubbish_is_survived),
        cmocka_unit_test(slow_clients_delay_no_others),
        cmocka_unit_test(forked_children_do_not_disturb),
        cmocka_unit_test(numbers_of_the_application_stay_open),
        cmocka_unit_test(no_socket_without_a_private_folder),
        cmocka_unit_test(threads_agree),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
