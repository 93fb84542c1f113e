/** @file
 * The session directory: made, reused, moved aside, refused; nothing that is not ours is ever touched. */
#include "tests/core/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/dir.h"

static char root[] = "/tmp/passprobe-dir-XXXXXX";
static char error[512];

static void
put_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "x", 1), 1);
    close(fd);
}

static bool
exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static void
sessions_rotate(void **state)
{
    (void)state;
    struct pp_dir dir;
    for (int run = 0; run < 3; run++) {
        assert_int_equal(pp_dir_open("data", false, &dir, error), 0);
        assert_string_equal(dir.path, "data");
        put_file("data/session.json");
        put_file("data/frames.csv");
        assert_int_equal(exists("data.old"), run > 0);
        pp_dir_close(&dir);
    }
    assert_true(exists("data.old/frames.csv"));
}

static void
two_at_once(void **state)
{
    (void)state;
    struct pp_dir first;
    struct pp_dir second;
    char expected[64];
    assert_int_equal(pp_dir_open("two", false, &first, error), 0);
    put_file("two/session.json");
    assert_int_equal(pp_dir_open("two", false, &second, error), 0);
    snprintf(expected, sizeof(expected), "two.%ld", (long)getpid());
    assert_string_equal(second.path, expected);
    assert_true(second.beside);
    assert_true(exists("two/session.json"));
    assert_int_equal(pp_dir_make_room("two", error), -EBUSY);
    pp_dir_close(&first);
    pp_dir_close(&second);
}

static void
launched_keeps_finished(void **state)
{
    (void)state;
    struct pp_dir dir;
    assert_int_equal(pp_dir_open("kept", true, &dir, error), 0);
    put_file("kept/session.json");
    pp_dir_close(&dir);
    assert_int_equal(pp_dir_open("kept", true, &dir, error), 0);
    assert_true(dir.beside);
    assert_true(exists("kept/session.json"));
    pp_dir_close(&dir);
}

static void
strangers_are_left_alone(void **state)
{
    (void)state;
    struct pp_dir dir;
    put_file("file");
    assert_int_equal(pp_dir_open("file", false, &dir, error), -EEXIST);
    assert_non_null(strstr(error, "file: is not a directory"));
    assert_int_equal(symlink("nowhere", "link"), 0);
    assert_int_equal(pp_dir_open("link", false, &dir, error), -EEXIST);
    assert_non_null(strstr(error, "link: is a symbolic link"));
    assert_int_equal(mkdir("home", 0777), 0);
    put_file("home/thesis.tex");
    assert_int_equal(pp_dir_open("home", false, &dir, error), -EEXIST);
    assert_true(exists("home/thesis.tex"));
    /* A session whose .old holds a stranger's file: neither is lost. */
    assert_int_equal(pp_dir_open("mine", false, &dir, error), 0);
    put_file("mine/session.json");
    pp_dir_close(&dir);
    assert_int_equal(mkdir("mine.old", 0777), 0);
    put_file("mine.old/notes");
    assert_int_equal(pp_dir_open("mine", false, &dir, error), -ENOTEMPTY);
    assert_non_null(strstr(error, "mine.old"));
    assert_true(exists("mine/session.json") && exists("mine.old/notes"));
    assert_int_equal(pp_dir_open("no/such/parent", false, &dir, error), -ENOENT);
}

static int
enter(void **state)
{
    (void)state;
    return mkdtemp(root) && chdir(root) == 0 ? 0 : -1;
}

static int
leave(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof(command), "rm -rf '%s'", root);
    return chdir("/") || system(command);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_rotate),
        cmocka_unit_test(two_at_once),
        cmocka_unit_test(launched_keeps_finished),
        cmocka_unit_test(strangers_are_left_alone),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
