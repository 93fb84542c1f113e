/** @file
 * Files that are replaced as a whole (core/util/replace_file.h), while another process removes names. This
 * file replaces renameat2() (linked with --wrap) and removes a name just before the call. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/util/replace_file.h"

#define NAME  "session.json"
#define SPARE "session.json.new"

int __real_renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags);
int __wrap_renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags);

static char dir_path[] = "/tmp/passprobe-replace-XXXXXX";
static int dir_fd;
static const char *removed; /* the name to remove before the next call; NULL: none */

int
__wrap_renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    if (removed)
        assert_int_equal(unlinkat(dir_fd, removed, 0), 0);
    removed = NULL;
    return __real_renameat2(from_dir, from, to_dir, to, flags);
}

static void
check_content(const char *text)
{
    char got[64] = "";
    int fd = openat(dir_fd, NAME, O_RDONLY);
    assert_true(fd >= 0);
    assert_true(read(fd, got, sizeof(got) - 1) >= 0);
    close(fd);
    got[strcspn(got, "\n")] = '\0';
    assert_string_equal(got, text);
}

static void
spare_removed_before_exchange_is_no_error(void **state)
{
    (void)state;
    struct pp_replaced file;
    assert_int_equal(pp_replaced_begin(&file, dir_fd, NAME, SPARE, "one\n", 4), 0);
    assert_int_equal(pp_replaced_write(&file, "two\n", 4), 0);
    check_content("two");
    removed = SPARE;
    assert_int_equal(pp_replaced_write(&file, "three\n", 6), 0);
    check_content("three");
    assert_int_equal(pp_replaced_write(&file, "four\n", 5), 0);
    check_content("four");
    pp_replaced_end(&file);
    assert_int_equal(unlinkat(dir_fd, NAME, 0), 0);
}

static void
file_removed_before_exchange_is_reported(void **state)
{
    (void)state;
    struct pp_replaced file;
    assert_int_equal(pp_replaced_begin(&file, dir_fd, NAME, SPARE, "one\n", 4), 0);
    removed = NAME;
    assert_int_equal(pp_replaced_write(&file, "two\n", 4), -ENOENT);
    pp_replaced_end(&file);
    (void)unlinkat(dir_fd, SPARE, 0);
}

static int
enter(void **state)
{
    (void)state;
    if (!mkdtemp(dir_path))
        return -1;
    dir_fd = open(dir_path, O_RDONLY | O_DIRECTORY);
    return dir_fd < 0;
}

static int
leave(void **state)
{
    (void)state;
    close(dir_fd);
    return rmdir(dir_path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spare_removed_before_exchange_is_no_error),
        cmocka_unit_test(file_removed_before_exchange_is_reported),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
