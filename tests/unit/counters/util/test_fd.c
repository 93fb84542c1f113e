/** @file
 * Files are opened by name without waiting, and only if they are regular files. Parts of them are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "counters/util/fd.h"

static void
only_regular_files_are_opened(void **state)
{
    (void)state;
    char folder[] = "/tmp/passprobe-own-fd-XXXXXX";
    assert_non_null(mkdtemp(folder));
    int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(chdir(folder), 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int made = openat(dir, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    int bound = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(made >= 0 && bound >= 0);
    assert_int_equal(bind(bound, (const struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(mkfifoat(dir, "fifo", 0600), 0);
    assert_int_equal(mkdirat(dir, "folder", 0700), 0);
    assert_int_equal(symlinkat("file", dir, "to-file"), 0);
    assert_int_equal(symlinkat("fifo", dir, "to-fifo"), 0);
    assert_int_equal(symlinkat("/dev/zero", dir, "to-device"), 0);
    static const struct {
        const char *name;
        int flags, want;
    } row[] = {{"file", O_RDONLY, 0},
               {"file", O_RDWR, 0},
               {"file", O_RDWR | O_NOFOLLOW, 0},
               {"to-file", O_RDONLY, 0},
               {"to-file", O_RDONLY | O_NOFOLLOW, -ELOOP},
               {"fifo", O_RDONLY, -ENOTSUP},
               {"fifo", O_RDWR, -ENOTSUP},
               {"fifo", O_WRONLY, -ENOTSUP},
               {"to-fifo", O_RDONLY, -ENOTSUP},
               {"socket", O_RDONLY, -ENOTSUP},
               {"to-device", O_RDONLY, -ENOTSUP},
               {"folder", O_RDONLY, -EISDIR},
               {"none", O_RDONLY, -ENOENT},
               {"file/x", O_RDONLY, -ENOTDIR}};
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        int fd = pp_open_regular(dir, row[i].name, row[i].flags);
        assert_int_equal(fd < 0 ? fd : 0, row[i].want);
        if (fd >= 0) {
            assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
            close(fd);
        }
    }
    static const char *const files[] = {"file", "fifo", "socket", "to-file", "to-fifo", "to-device"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        assert_int_equal(unlinkat(dir, files[i], 0), 0);
    assert_int_equal(unlinkat(dir, "folder", AT_REMOVEDIR), 0);
    close(made);
    close(bound);
    close(dir);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void
parts_of_files_are_read(void **state)
{
    (void)state;
    char file[] = "/tmp/passprobe-read-at-XXXXXX", bytes[8] = "-------";
    int fd = mkstemp(file), ends[2];
    assert_true(fd >= 0);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(write(fd, "abcdef", 6), 6);
    assert_int_equal(pp_read_at(fd, bytes, 4, 1), 4);
    assert_string_equal(bytes, "bcde---");
    assert_int_equal(pp_read_at(fd, bytes, 4, 4), 2); /* the file ends */
    assert_string_equal(bytes, "efde---");
    assert_int_equal(pp_read_at(fd, bytes, 4, 6), 0);
    assert_int_equal(pp_read_at(fd, bytes, 0, 0), 0);
    assert_int_equal(lseek(fd, 0, SEEK_CUR), 6);
    close(fd);
    assert_int_equal(pp_read_at(fd, bytes, 4, 0), -EBADF);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pp_read_at(ends[0], bytes, 4, 0), -ESPIPE);
    close(ends[0]);
    close(ends[1]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_files_are_read),
        cmocka_unit_test(only_regular_files_are_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
