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
    fputs("frame,api,device\r\n", file);
    for (int i = 0; i < frames; i++)
        fprintf(file, "%d,gl,0\r\n", i);
    assert_int_equal(fclose(file), 0);
    if (bytes)
        assert_int_equal(truncate(path, bytes), 0);
    const struct timespec times[2] = {{.tv_sec = 2000000000 - age}, {.tv_sec = 2000000000 - age}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
}

/* The end of a name that passprobe chooses. */
#define CHOSEN "-20260131-235959"

static void
name_of(char *ret, size_t size, int i)
{
    snprintf(ret, size, "s%02d%s", i, CHOSEN);
}

static void
enter_folder(const char *name)
{
    assert_int_equal(mkdir(name, 0755), 0);
    assert_int_equal(chdir(name), 0);
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
    char name[64];
    for (int i = 0; i < 25; i++) {
        name_of(name, sizeof(name), i);
        put_session(name, i == 3 ? 0 : 2, i, 0);
    }
    put_session("thesis" CHOSEN, 2, 1000, 0);
    fclose(fopen("thesis" CHOSEN "/thesis.tex", "w"));
    put_session("running" CHOSEN, 2, 1000, 0);
    int fd = open("running" CHOSEN, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(symlink("s00" CHOSEN, "link" CHOSEN), 0);
    assert_int_equal(pp_place_prune("."), 5);
    for (int i = 0; i < 25; i++) {
        name_of(name, sizeof(name), i);
        assert_int_equal(exists(name), i < 20 && i != 3);
    }
    assert_true(exists("thesis" CHOSEN "/frames.csv") && exists("running" CHOSEN "/frames.csv") &&
                exists("link" CHOSEN));
    assert_int_equal(pp_place_prune("."), 0);
    put_session("large" CHOSEN, 2, 50, (off_t)8 << 30); /* a hole: it needs no space */
    assert_int_equal(pp_place_prune("."), 1);
    assert_false(exists("large" CHOSEN));
    close(fd);
}

/* The default folder may be a link to the home directory: sessions that the user named stay, and so does a
 * directory that another program wrote. */
static void
what_the_user_named_is_kept(void **state)
{
    (void)state;
    static const char *const kept[] = {"before",
                                       "race-20260131",
                                       "-20260131-235959",
                                       "race-20260131-235959.old",
                                       "race-20260131-235959.1.2.3",
                                       "race-2026013x-235959"};
    char name[64];
    enter_folder("named");
    for (int i = 0; i < 30; i++) {
        name_of(name, sizeof(name), i);
        put_session(name, 2, i, 0);
    }
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        put_session(kept[i], 2, 1000, 0);
    assert_int_equal(mkdir("other" CHOSEN, 0755), 0);
    FILE *file = fopen("other" CHOSEN "/labels.csv", "w");
    assert_non_null(file);
    fputs("image,label\n", file);
    assert_int_equal(fclose(file), 0);
    put_session("race" CHOSEN ".77.1", 2, 1000, 0);
    assert_int_equal(pp_place_prune("."), 12);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        assert_true(exists(kept[i]));
    assert_true(exists("other" CHOSEN "/labels.csv"));
    assert_false(exists("race" CHOSEN ".77.1"));
    assert_int_equal(chdir(".."), 0);
}

static bool without_locks;

int __real_flock(int fd, int operation); /* NOLINT: the linker's names */
int __wrap_flock(int fd, int operation); /* NOLINT */

int
__wrap_flock(int fd, int operation) /* NOLINT */
{
    if (!without_locks)
        return __real_flock(fd, operation);
    errno = ENOLCK;
    return -1;
}

/* Without locks it is not known whether a process still writes a session. */
static void
without_locks_nothing_is_deleted(void **state)
{
    (void)state;
    char name[64];
    enter_folder("no_locks");
    for (int i = 0; i < 22; i++) {
        name_of(name, sizeof(name), i);
        put_session(name, 2, i, 0);
    }
    without_locks = true;
    assert_int_equal(pp_place_prune("."), 0);
    without_locks = false;
    assert_int_equal(pp_place_prune("."), 3);
    assert_int_equal(chdir(".."), 0);
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
        cmocka_unit_test(names_are_expanded), cmocka_unit_test(old_sessions_are_deleted),
        cmocka_unit_test(what_the_user_named_is_kept), cmocka_unit_test(without_locks_nothing_is_deleted)};
    return cmocka_run_group_tests(tests, enter, leave);
}
