/** @file
 * A library to preload: as soon as the session PP_TEST_TAKE_SESSION has rows, a thread of the application
 * does with descriptors what PP_TEST_TAKE says: all    its own files get the numbers 512 to 575, by dup2() N
 * its own file gets the number N reopen it closes all regular files, sockets and folders from number 3 on,
 * then opens and closes 1,000 files, and keeps the last 64 of them open fork   it forks a child, which does
 * `all` and ends none   nothing Each own file is PP_TEST_TAKE_FOLDER/own-N and holds "MINE\n". At the end of
 * the process the library writes "kept" into PP_TEST_TAKE_FOLDER/result, if each number is still that file.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FIRST      512
#define TAKEN      64
#define ROWS_BYTES 200 /* larger than a header: there are rows */

static int number[TAKEN];
static unsigned numbers;
static atomic_bool done;

static void
nap(void)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static void
wait_for_rows(void)
{
    char path[4096];
    struct stat st;
    off_t header = 0;
    snprintf(path, sizeof(path), "%s/frames.csv", getenv("PP_TEST_TAKE_SESSION"));
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
name_own(char *path, size_t size, int fd)
{
    snprintf(path, size, "%s/own-%d", getenv("PP_TEST_TAKE_FOLDER"), fd);
}

/* Open an own file, by the name of the number that it will have. */
static int
open_own(int fd)
{
    char path[4096];
    name_own(path, sizeof(path), fd);
    int own = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (own < 0 || write(own, "MINE\n", 5) != 5 || lseek(own, 0, SEEK_SET) != 0)
        abort();
    return own;
}

static void
take(int fd)
{
    int own = open_own(fd);
    if (own != fd && (dup2(own, fd) != fd || close(own)))
        abort();
    number[numbers++] = fd;
}

static void
take_all(void)
{
    for (int fd = FIRST; fd < FIRST + TAKEN; fd++)
        take(fd);
}

static void
reopen(void)
{
    char path[4096], better[4096];
    struct stat st;
    for (int fd = 3; fd < 1024; fd++)
        if (fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISDIR(st.st_mode)))
            (void)close(fd);
    for (unsigned i = 0; i < 1000 - TAKEN; i++)
        if (close(open_own(0)))
            abort();
    for (unsigned i = 0; i < TAKEN; i++) {
        int own = open_own(0);
        name_own(path, sizeof(path), 0);
        name_own(better, sizeof(better), own);
        if (rename(path, better))
            abort();
        number[numbers++] = own;
    }
}

/* A child that the application forks after passprobe's start. */
static void
fork_child(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        take_all();
        _exit(0);
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
        abort();
}

static void *
run(void *data)
{
    const char *what = data;
    wait_for_rows();
    if (strcmp(what, "all") == 0)
        take_all();
    else if (strcmp(what, "reopen") == 0)
        reopen();
    else if (strcmp(what, "fork") == 0)
        fork_child();
    else if (strcmp(what, "none") != 0)
        take(atoi(what));
    atomic_store(&done, true);
    return NULL;
}

__attribute__((constructor)) static void
begin(void)
{
    pthread_t thread;
    char *what = getenv("PP_TEST_TAKE");
    const char *program = getenv("PP_TEST_TAKE_PROGRAM");
    if (!what || !program || strcmp(program, program_invocation_short_name) != 0)
        return;
    if (pthread_create(&thread, NULL, run, what) == 0)
        pthread_detach(thread);
}

/* Are the numbers still the own files, with their positions and bytes? */
static bool
are_kept(void)
{
    char path[4096], text[16] = "";
    struct stat named, held;
    for (unsigned i = 0; i < numbers; i++) {
        name_own(path, sizeof(path), number[i]);
        if (stat(path, &named) || fstat(number[i], &held) || named.st_ino != held.st_ino ||
            lseek(number[i], 0, SEEK_CUR) != 0 || read(number[i], text, sizeof(text)) != 5 ||
            memcmp(text, "MINE\n", 5) != 0) {
            fprintf(stderr, "take: number %d is not kept\n", number[i]);
            return false;
        }
    }
    return true;
}

__attribute__((destructor)) static void
end(void)
{
    char path[4096];
    if (!atomic_load(&done))
        return;
    snprintf(path, sizeof(path), "%s/result", getenv("PP_TEST_TAKE_FOLDER"));
    int fd = are_kept() ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (fd >= 0 && (write(fd, "kept", 4) != 4 || close(fd)))
        abort();
}
