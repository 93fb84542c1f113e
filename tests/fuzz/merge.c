/** @file
 * Fuzz target: the sessions of two runs, merged as `record --runs-for` does. The input is split at its first
 * bytes 0xff: frames.csv, passes.csv and draws.csv of each run. The other reader
 * of CSV files must be able to read what was merged. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/merge/merge_run.h"
#include "cli/session/csv_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RUNS = 2, FILES = 3 };

/* A folder with a folder for each run, and one for the merged session. */
struct folders {
    char path[64];
    int fd[RUNS + 1];
};

static struct folders folders;

/* At the end of the process: remove the folders. */
static void
remove_folders(void)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -r %s", folders.path);
    (void)!system(command);
}

static int
make_folders(void)
{
    static const char *const name[] = {"a", "b", "out"};
    bool memory = access("/dev/shm", W_OK) == 0; /* many times as fast as a disk */
    snprintf(folders.path, sizeof(folders.path), "%s/passprobe-merge-XXXXXX", memory ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folders.path))
        return -errno;
    (void)atexit(remove_folders);
    int parent = open(folders.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i <= RUNS; i++) {
        if (mkdirat(parent, name[i], 0700))
            return -errno;
        folders.fd[i] = openat(parent, name[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    close(parent);
    return 0;
}

static void
write_file(int dir_fd, const char *name, const void *data, size_t size)
{
    int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
}

static bool
on_row(void *data, const struct pp_cell *cell, size_t cells)
{
    (void)data;
    for (size_t i = 0; i < cells; i++)
        if (strlen(cell[i].text) != cell[i].len)
            abort();
    return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char json[] = "{\"schema\":2,\"options\":{\"level\":\"draw\"},\"devices\":[]}";
    static const char *const file[] = {"frames.csv", "passes.csv", "draws.csv"};
    static const char *const place[RUNS] = {NULL};
    if (!*folders.path && make_folders())
        abort();
    for (int i = 0; i < RUNS * FILES; i++) {
        const uint8_t *end = size ? memchr(data, 0xff, size) : NULL;
        size_t len = end ? (size_t)(end - data) : size;
        write_file(folders.fd[i / FILES], file[i % FILES], data, len);
        data += len + (len < size);
        size -= len + (len < size);
    }
    for (int r = 0; r < RUNS; r++)
        write_file(folders.fd[r], "session.json", json, sizeof(json) - 1);
    const struct pp_merge_request request = {
        .dir_fd = folders.fd, .place = place, .runs = RUNS, .events = "e", .runs_for = "e", .wanted = RUNS};
    int rc = pp_merge(&request, folders.fd[RUNS]);
    if (rc && rc != -ENODATA)
        abort();
    const struct pp_csv_reader reader = {.header = on_row, .row = on_row};
    for (int i = 0; i < FILES && rc == 0; i++) {
        int read_rc = pp_csv_read(folders.fd[RUNS], file[i], &reader);
        if (read_rc && read_rc != -ENOENT)
            abort();
    }
    for (int i = 0; i < FILES; i++)
        (void)unlinkat(folders.fd[RUNS], file[i], 0);
    return 0;
}
