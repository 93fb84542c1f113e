/** @file
 * Names of session directories, and what is deleted from the default folder. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/session_place.h"

static char root[] = "/tmp/passprobe-place-XXXXXX";

static void
names_are_expanded(void **state)
{
    (void)state;
    static const struct {
        const char *output, *program, *path;
    } row[] = {{"plain", "game", "plain"},
               {"a/%e/%p", "/opt/my game", "a/my_game/42"},
               {"%e-%t", "game", "game-20260131-235959"},
               {"100%%", "game", "100%"},
               {"%e", "C:\\games\\race.exe", "race.exe"},
               {"%e", "../..", "_."},
               {"%e", "", "unknown"},
               {"%e", "\033[1m", "_[1m"}};
    char path[PATH_MAX];
    assert_int_equal(setenv("TZ", "UTC", 1), 0);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        assert_true(pp_place_is_valid(row[i].output));
        assert_int_equal(pp_place_expand(row[i].output, row[i].program, 42, 1769903999, path), 0);
        assert_string_equal(path, row[i].path);
    }
    assert_int_equal(pp_place_expand("%x", "game", 42, 0, path), -EINVAL);
    assert_int_equal(pp_place_expand("50%", "game", 42, 0, path), -EINVAL);
    assert_false(pp_place_is_valid("%x") || pp_place_is_valid("50%"));
    assert_true(pp_place_is_template("a/%t") && !pp_place_is_template("100%%e"));
    char *const env[] = {(char[]){"HOME=/home/me"}, (char[]){"XDG_DATA_HOME=relative"}, NULL};
    assert_true(pp_place_default(env, path));
    assert_string_equal(path, "/home/me/.local/share/passprobe");
}

static void
put_session(const char *name, int frames, int age, off_t bytes)
{
    char path[256];
    assert_int_equal(mkdir(name, 0755), 0);
    snprintf(path, sizeof(path), "%s/frames.csv", name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("frame,api\r\n", file);
    for (int i = 0; i < frames; i++)
        fprintf(file, "%d,gl\r\n", i);
    assert_int_equal(fclose(file), 0);
    if (bytes)
        assert_int_equal(truncate(path, bytes), 0);
    const struct timespec times[2] = {{.tv_sec = 2000000000 - age}, {.tv_sec = 2000000000 - age}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
}

static bool
exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* The oldest go first, those without frames before them; what is in use or holds other files stays. */
static void
old_sessions_are_deleted(void **state)
{
    (void)state;
    char name[32];
    for (int i = 0; i < 25; i++) {
        snprintf(name, sizeof(name), "s%02d", i);
        put_session(name, i == 3 ? 0 : 2, i, 0);
    }
    put_session("thesis", 2, 1000, 0);
    fclose(fopen("thesis/thesis.tex", "w"));
    put_session("running", 2, 1000, 0);
    int fd = open("running", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(symlink("s00", "link"), 0);
    assert_int_equal(pp_place_prune("."), 5);
    for (int i = 0; i < 25; i++) {
        snprintf(name, sizeof(name), "s%02d", i);
        assert_int_equal(exists(name), i < 20 && i != 3);
    }
    assert_true(exists("thesis/frames.csv") && exists("running/frames.csv") && exists("link"));
    assert_int_equal(pp_place_prune("."), 0);
    put_session("large", 2, 50, (off_t)8 << 30); /* a hole: it needs no space */
    assert_int_equal(pp_place_prune("."), 1);
    assert_false(exists("large"));
    close(fd);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_expanded),
                                       cmocka_unit_test(old_sessions_are_deleted)};
    return cmocka_run_group_tests(tests, enter, leave);
}
