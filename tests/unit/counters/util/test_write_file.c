/** @file
 * Files are written as a whole, or not at all. write() is wrapped: it takes a few bytes, is interrupted, or
 * fails. */
#include "tests/lib/cmocka_test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/util/fd.h"

#define USUAL SIZE_MAX

static size_t takes = USUAL; /* bytes of a call */
static unsigned interrupts;  /* this many calls are interrupted first */
static int error;            /* not 0: calls fail */

ssize_t __real_write(int fd, const void *bytes, size_t len);
ssize_t __wrap_write(int fd, const void *bytes, size_t len);

ssize_t
__wrap_write(int fd, const void *bytes, size_t len)
{
    if (interrupts) {
        interrupts--;
        errno = EINTR;
        return -1;
    }
    if (error) {
        errno = error;
        return -1;
    }
    return __real_write(fd, bytes, len < takes ? len : takes);
}

static char folder[] = "/tmp/passprobe-write-XXXXXX";
static int dir_fd;

static int
enter(void **state)
{
    (void)state;
    dir_fd = mkdtemp(folder) ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    return dir_fd < 0 ? -1 : 0;
}

static int
leave(void **state)
{
    (void)state;
    (void)unlinkat(dir_fd, "file", 0);
    close(dir_fd);
    return rmdir(folder); /* nothing else is left in it */
}

static int
usual(void **state)
{
    (void)state;
    takes = USUAL;
    interrupts = 0;
    error = 0;
    return 0;
}

/* What the file holds. */
static const char *
content(void)
{
    static char text[64];
    int fd = openat(dir_fd, "file", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = '\0';
    return text;
}

static unsigned
entries(void)
{
    unsigned n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 2; /* . and .. */
}

static void
all_bytes_are_written(void **state)
{
    char got[8] = "";
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    takes = 2;
    interrupts = 3;
    assert_int_equal(pp_write_all(ends[1], "abcdefg", 7), 0);
    assert_int_equal(read(ends[0], got, sizeof(got)), 7);
    assert_string_equal(got, "abcdefg");
    takes = 0;
    assert_int_equal(pp_write_all(ends[1], "a", 1), -ENOSPC);
    error = EDQUOT;
    assert_int_equal(pp_write_all(ends[1], "a", 1), -EDQUOT);
    assert_int_equal(pp_write_all(ends[1], "", 0), 0);
    close(ends[0]);
    close(ends[1]);
}

static void
a_file_is_replaced_as_a_whole(void **state)
{
    (void)state;
    assert_int_equal(pp_write_file(dir_fd, "file", dir_fd, "one", 3), 0);
    assert_string_equal(content(), "one");
    takes = 1;
    interrupts = 1;
    assert_int_equal(pp_write_file(dir_fd, "file", dir_fd, "two, longer", 11), 0);
    assert_string_equal(content(), "two, longer");
    error = ENOSPC;
    assert_int_equal(pp_write_file(dir_fd, "file", dir_fd, "three", 5), -ENOSPC);
    assert_string_equal(content(), "two, longer");
    assert_int_equal(entries(), 1);
}

static void
a_folder_is_not_replaced(void **state)
{
    (void)state;
    assert_int_equal(mkdirat(dir_fd, "folder", 0777), 0);
    assert_int_equal(pp_write_file(dir_fd, "folder", dir_fd, "x", 1), -EISDIR);
    assert_int_equal(unlinkat(dir_fd, "folder", AT_REMOVEDIR), 0);
    assert_int_equal(pp_write_file(dir_fd, "no/file", dir_fd, "x", 1), -ENOENT);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(all_bytes_are_written, usual),
        cmocka_unit_test_setup(a_file_is_replaced_as_a_whole, usual),
        cmocka_unit_test_setup(a_folder_is_not_replaced, usual),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
