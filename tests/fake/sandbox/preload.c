/** @file
 * A library to preload: it confines an application as a browser confines its processes, as soon as the
 * session has some rows, and watches one thread (PP_TEST_SANDBOX_THREAD, by its name). A system call of that
 * thread that docs/sandboxes.md does not list kills the application; other threads, such as the driver's,
 * continue. The filter asks a process of its own (SECCOMP_RET_USER_NOTIF), which shares the application's
 * descriptors and writes into the file PP_TEST_SANDBOX_LOG: "begun", and "call N" for each call that is not
 * listed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/fake/sandbox/filter.h"

#define ROWS_BYTES 200 /* larger than a header: there are rows */

/* Data of the watching process; shared with it. */
struct shared {
    atomic_int listener; /* -1: not yet */
    atomic_bool given_up;
};

static void
nap(void)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static void
put(int log, const char *text)
{
    (void)!write(log, text, strlen(text));
}

/* The thread of a name in this process; 0: none. */
static pid_t
find_thread(const char *name)
{
    char path[64], text[64];
    pid_t found = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry = tasks ? readdir(tasks) : NULL; entry && !found; entry = readdir(tasks)) {
        snprintf(path, sizeof(path), "/proc/self/task/%.16s/comm", entry->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
        if (fd >= 0)
            close(fd);
        text[got > 0 ? got : 0] = '\0';
        text[strcspn(text, "\n")] = '\0';
        if (strcmp(text, name) == 0)
            found = (pid_t)atoi(entry->d_name);
    }
    if (tasks)
        closedir(tasks);
    return found;
}

/* Wait until the session's frames.csv has rows. */
static void
wait_for_rows(const char *folder)
{
    char path[4096];
    struct stat st;
    off_t header = 0;
    snprintf(path, sizeof(path), "%s/frames.csv", folder);
    for (;; nap()) {
        if (stat(path, &st) || st.st_size == 0)
            continue;
        if (!header)
            header = st.st_size;
        if (st.st_size > header + ROWS_BYTES)
            return;
    }
}

static void
answer(int listener, int log, pid_t program, pid_t thread)
{
    struct seccomp_notif request;
    struct seccomp_notif_resp response = {.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    char text[64];
    memset(&request, 0, sizeof(request));
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request))
        return;
    if ((pid_t)request.pid == thread) {
        int length = snprintf(text, sizeof(text), "call %d\n", request.data.nr);
        (void)!write(log, text, (size_t)length);
        kill(program, SIGKILL);
    }
    response.id = request.id;
    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

/* The process that watches until no process with the filter is left. It calls no malloc, in which other
 * threads may have been when it was made. */
static void
watch(struct shared *shared, int log, pid_t program, pid_t thread)
{
    int listener = -1;
    while ((listener = atomic_load(&shared->listener)) < 0) {
        if (atomic_load(&shared->given_up))
            return;
        nap();
    }
    struct pollfd look = {.fd = listener, .events = POLLIN};
    for (;;) {
        if (poll(&look, 1, -1) < 0 && errno != EINTR)
            return;
        if (look.revents & POLLIN)
            answer(listener, log, program, thread);
        else if (look.revents & (POLLHUP | POLLERR | POLLNVAL))
            return;
    }
}

static void
confine(int log, pid_t thread, const struct sandbox_list *list)
{
    struct shared *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return;
    atomic_store(&shared->listener, -1);
    pid_t program = getpid();
    struct clone_args args = {.flags = CLONE_FILES, .exit_signal = 0};
    long child = syscall(SYS_clone3, &args, sizeof(args));
    if (child == 0) {
        watch(shared, log, program, thread);
        _exit(0);
    }
    long listener = child < 0
                        ? -1
                        : sandbox_enter(list, SECCOMP_RET_USER_NOTIF,
                                        SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_TSYNC_ESRCH);
    if (listener < 0) {
        atomic_store(&shared->given_up, true);
        put(log, "refused\n");
        return;
    }
    atomic_store(&shared->listener, (int)listener);
    put(log, "begun\n");
}

static void *
run(void *data)
{
    struct sandbox_list list;
    const char *folder = getenv("PP_TEST_SANDBOX_SESSION");
    const char *name = getenv("PP_TEST_SANDBOX_THREAD");
    pid_t thread = 0;
    int log = open(data, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (log < 0 || !folder || !name || !sandbox_read_list(getenv("PP_TEST_SANDBOX_LIST"), &list))
        abort(); /* the test is set up wrongly */
    wait_for_rows(folder);
    while (!(thread = find_thread(name)))
        nap();
    confine(log, thread, &list);
    return NULL;
}

/* Only in the application: the command in front of it has the variables, too. */
__attribute__((constructor)) static void
begin(void)
{
    pthread_t thread;
    const char *log = getenv("PP_TEST_SANDBOX_LOG");
    const char *program = getenv("PP_TEST_SANDBOX_PROGRAM");
    if (!log || !program || strcmp(program, program_invocation_short_name) != 0)
        return;
    if (pthread_create(&thread, NULL, run, (void *)(uintptr_t)log) == 0)
        pthread_detach(thread);
}
