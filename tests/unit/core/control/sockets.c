/** @file
 * The folder of the control sockets, and the files of the sockets: who may use them, what is replaced, and
 * what is left alone. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/config/control_place.h"
#include "core/control/connection.h"

static char root[] = "/tmp/passprobe-control-XXXXXX";

static int
enter(void **state)
{
    (void)state;
    return mkdtemp(root) && chmod(root, 0700) == 0 ? chdir(root) : -1;
}

static int
leave(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", root);
    return chdir("/") || system(command); // NOLINT(cert-env33-c): a folder of this test
}

static mode_t
mode_of(const char *path)
{
    struct stat about;
    assert_int_equal(lstat(path, &about), 0);
    return about.st_mode & 07777;
}

static void
names_are_processes(void **state)
{
    char name[PP_CONTROL_NAME_MAX];
    (void)state;
    pp_control_name(name, 4242, PP_CONTROL_SOCKET);
    assert_string_equal(name, "4242.sock");
    assert_int_equal(pp_control_name_pid(name, PP_CONTROL_SOCKET), 4242);
    assert_int_equal(pp_control_name_pid("0.sock", PP_CONTROL_SOCKET), 0);
    assert_int_equal(pp_control_name_pid("-3.sock", PP_CONTROL_SOCKET), 0);
    assert_int_equal(pp_control_name_pid("12", PP_CONTROL_SOCKET), 0);
    assert_int_equal(pp_control_name_pid("12.sock.new", PP_CONTROL_SOCKET), 0);
    assert_int_equal(pp_control_name_pid("4294967297.sock", PP_CONTROL_SOCKET), 0);
    assert_int_equal(pp_control_name_pid("99999999999999999999.sock", PP_CONTROL_SOCKET), 0);
    assert_int_equal(pp_control_name_pid(".passprobe-3", PP_CONTROL_SOCKET), 0);
}

/* The folder of the sockets in a runtime folder. */
static int
folder_in(const char *runtime, bool make)
{
    char variable[256], path[PATH_MAX];
    char *env[] = {runtime ? variable : NULL, NULL};
    snprintf(variable, sizeof(variable), "XDG_RUNTIME_DIR=%s", runtime ? runtime : "");
    return pp_control_place_open(env, 0, make, path);
}

static void
only_private_folders_are_used(void **state)
{
    char path[128];
    (void)state;
    assert_int_equal(folder_in(NULL, true), -ENOENT);
    assert_int_equal(folder_in("", true), -ENOENT);
    assert_int_equal(folder_in(".", true), -EINVAL);
    assert_int_equal(folder_in("/nonexistent/folder", true), -ENOENT);
    assert_int_equal(folder_in(root, false), -ENOENT); /* nothing is made */
    assert_int_equal(access("passprobe", F_OK), -1);
    /* a folder that others may enter */
    for (unsigned mode = 0755; mode != 0; mode = mode == 0755 ? 0701 : mode == 0701 ? 0740 : 0) {
        assert_int_equal(chmod(root, mode), 0);
        assert_int_equal(folder_in(root, true), -EPERM);
    }
    assert_int_equal(chmod(root, 0700), 0);
    assert_int_equal(access("passprobe", F_OK), -1);
    mode_t before = umask(0);
    int fd = folder_in(root, true);
    umask(before);
    assert_true(fd >= 0);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    close(fd);
    assert_int_equal(mode_of("passprobe"), 0700);
    fd = folder_in(root, true); /* again */
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(chmod("passprobe", 0770), 0);
    assert_int_equal(folder_in(root, true), -EPERM);
    /* a link, a file */
    assert_int_equal(chmod("passprobe", 0700), 0);
    assert_int_equal(rename("passprobe", "elsewhere"), 0);
    snprintf(path, sizeof(path), "%s/elsewhere", root);
    assert_int_equal(symlink(path, "passprobe"), 0);
    int rc = folder_in(root, true);
    assert_true(rc == -ELOOP || rc == -ENOTDIR);
    assert_int_equal(unlink("passprobe"), 0);
    close(open("passprobe", O_CREAT | O_WRONLY, 0700));
    assert_int_equal(folder_in(root, true), -ENOTDIR);
    assert_int_equal(unlink("passprobe"), 0);
}

/* Without a usable runtime folder the sockets are in one of /tmp. */
static void
another_folder_is_used(void **state)
{
    char tmp[256], bad[] = "XDG_RUNTIME_DIR=not/absolute", path[PATH_MAX], want[PATH_MAX];
    char *env[] = {bad, tmp, NULL};
    (void)state;
    snprintf(tmp, sizeof(tmp), "TMPDIR=%s", root);
    pp_control_place(NULL, 2, path);
    snprintf(want, sizeof(want), "/tmp/passprobe-%u", (unsigned)geteuid());
    assert_string_equal(path, want);
    pp_control_place(env, 2, path);
    snprintf(want, sizeof(want), "%s/passprobe-%u", root, (unsigned)geteuid());
    assert_string_equal(path, want);
    assert_int_equal(pp_control_place_open(env, 2, false, path), -ENOENT); /* nothing is made */
    assert_int_equal(chmod(root, 0777), 0);                                /* others could rename it */
    assert_int_equal(pp_control_place_open(env, 2, true, path), -EPERM);
    assert_int_equal(chmod(root, 01777), 0);
    int fd = pp_control_place_open(env, 2, true, path);
    assert_true(fd >= 0);
    close(fd);
    assert_string_equal(path, want);
    assert_int_equal(chmod(want, 0755), 0); /* as another user's folder would be */
    assert_int_equal(pp_control_place_open(env, 2, true, path), -EPERM);
    assert_int_equal(rmdir(want), 0);
    assert_int_equal(symlink("/", want), 0);
    fd = pp_control_place_open(env, 2, true, path);
    assert_true(fd == -ELOOP || fd == -ENOTDIR);
    assert_int_equal(unlink(want), 0);
    assert_int_equal(chmod(root, 0700), 0);
    if (access("/run/user", F_OK) == 0)
        return; /* a folder of this user may be there */
    fd = pp_control_place_find(env, path);
    assert_true(fd >= 0);
    close(fd);
    assert_string_equal(path, want);
    assert_int_equal(rmdir(want), 0);
}

static int
folder(void)
{
    int fd = folder_in(root, true);
    assert_true(fd >= 0);
    return fd;
}

static void
a_socket_is_private_and_goes_away(void **state)
{
    struct pp_listener listener;
    (void)state;
    pp_listener_init(&listener);
    int folder_fd = folder();
    mode_t before = umask(0);
    assert_int_equal(pp_listener_open(&listener, folder_fd, "7.sock"), 0);
    umask(before);
    assert_int_equal(mode_of("passprobe/7.sock"), S_IRUSR | S_IWUSR);
    assert_int_equal(pp_listener_accept(&listener, true), -EAGAIN);
    int fd = folder();
    int client = pp_control_connect(fd, "7.sock");
    assert_true(client >= 0);
    int server = pp_listener_accept(&listener, true);
    assert_true(server >= 0);
    assert_true(fcntl(server, F_GETFD) & FD_CLOEXEC);
    assert_true(fcntl(server, F_GETFL) & O_NONBLOCK);
    close(server);
    close(client);
    assert_int_equal(pp_control_connect(fd, "8.sock"), -ENOENT);
    pp_listener_close(&listener);
    assert_int_equal(access("passprobe/7.sock", F_OK), -1);
    assert_int_equal(pp_listener_accept(&listener, true), -EBADF);
    pp_listener_close(&listener); /* once more does nothing */
    close(fd);
}

static void
sockets_of_running_processes_stay(void **state)
{
    struct pp_listener first, second;
    (void)state;
    pp_listener_init(&first);
    pp_listener_init(&second);
    int folder_fd = folder();
    assert_int_equal(pp_listener_open(&first, folder_fd, "7.sock"), 0);
    int again = folder();
    assert_int_equal(pp_listener_open(&second, again, "7.sock"), -EADDRINUSE);
    int client = pp_listener_accept(&first, true); /* the look of the second one */
    assert_true(client >= 0);
    close(client);
    /* Another process has replaced the file: closing the first one does not remove it. */
    assert_int_equal(rename("passprobe/7.sock", "passprobe/6.sock"), 0);
    assert_int_equal(pp_listener_open(&second, again, "7.sock"), 0);
    pp_listener_close(&first);
    assert_int_equal(access("passprobe/7.sock", F_OK), 0);
    assert_int_equal(unlink("passprobe/6.sock"), 0);
    pp_listener_close(&second);
    assert_int_equal(access("passprobe/7.sock", F_OK), -1);
}

/* The socket of a killed process stays. */
static void
left_sockets_are_replaced(void **state)
{
    struct pp_listener listener;
    (void)state;
    int folder_fd = folder();
    pid_t pid = fork();
    if (pid == 0) {
        pp_listener_init(&listener);
        _exit(pp_listener_open(&listener, folder_fd, "7.sock"));
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(pp_control_connect(folder_fd, "7.sock"), -ECONNREFUSED);
    pp_listener_init(&listener);
    assert_int_equal(pp_listener_open(&listener, folder_fd, "7.sock"), 0);
    int fd = folder();
    int client = pp_control_connect(fd, "7.sock");
    assert_true(client >= 0);
    close(client);
    close(fd);
    pp_listener_close(&listener);
}

static void
other_files_are_left_alone(void **state)
{
    struct pp_listener listener;
    (void)state;
    pp_listener_init(&listener);
    int folder_fd = folder();
    close(open("passprobe/7.sock", O_CREAT | O_WRONLY, 0600));
    assert_int_equal(pp_listener_open(&listener, folder_fd, "7.sock"), -EEXIST);
    assert_int_equal(mode_of("passprobe/7.sock"), 0600);
    assert_int_equal(unlink("passprobe/7.sock"), 0);
    assert_int_equal(symlink("/tmp/elsewhere.sock", "passprobe/7.sock"), 0);
    assert_int_equal(pp_listener_open(&listener, folder_fd, "7.sock"), -EEXIST);
    assert_int_equal(unlink("passprobe/7.sock"), 0);
    char name[NAME_MAX + 2];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    assert_int_equal(pp_listener_open(&listener, folder_fd, name), -ENAMETOOLONG);
    close(folder_fd);
}

/* An application that closes all descriptors gets their numbers for its files. */
static void
descriptors_that_the_application_took_are_not_used(void **state)
{
    struct pp_listener listener;
    struct stat about;
    (void)state;
    pp_listener_init(&listener);
    int folder_fd = folder();
    assert_int_equal(pp_listener_open(&listener, folder_fd, "7.sock"), 0);
    int number = atomic_load(&listener.fd);
    int other = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(dup2(other, number), number);
    assert_int_equal(pp_listener_accept(&listener, true), -EBADF);
    pp_listener_close(&listener);
    assert_int_equal(fstat(number, &about), 0); /* not closed */
    assert_int_equal(access("passprobe/7.sock", F_OK), -1);
    close(number);
    close(other);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_processes),
        cmocka_unit_test(only_private_folders_are_used),
        cmocka_unit_test(another_folder_is_used),
        cmocka_unit_test(a_socket_is_private_and_goes_away),
        cmocka_unit_test(sockets_of_running_processes_stay),
        cmocka_unit_test(left_sockets_are_replaced),
        cmocka_unit_test(other_files_are_left_alone),
        cmocka_unit_test(descriptors_that_the_application_took_are_not_used),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
