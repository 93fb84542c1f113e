/** @file
 * The folders of a lake: a session is there once, also if it is pushed several times, by several processes at
 * once, and if a push is killed at any call; links and other people's files are not followed. */
#include "tests/lib/cmocka_test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/push/lake_store.h"
#include "counters/util/array_size.h"

#define ID   "0123456789abcdef0123456789abcdef"
#define PART "day=2026-01-31/build=1%2F2"

static const char *const tables[] = {"frames", "passes", "sessions"};

static char top[] = "/tmp/passprobe-lake-XXXXXX";

static long kill_at; /* the process kills itself at this call that changes a folder; 0: never */
static long calls;
static void (*before_list)(void); /* called once, before a folder is listed; NULL: nothing */

static void
count_call(void)
{
    if (++calls == kill_at)
        (void)raise(SIGKILL);
}

int __real_renameat(int from_fd, const char *from, int to_fd, const char *to);
int __wrap_renameat(int from_fd, const char *from, int to_fd, const char *to);
int __real_mkdirat(int fd, const char *path, mode_t mode);
int __wrap_mkdirat(int fd, const char *path, mode_t mode);
int __real_unlinkat(int fd, const char *path, int flags);
int __wrap_unlinkat(int fd, const char *path, int flags);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);
DIR *__real_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd);

int
__wrap_renameat(int from_fd, const char *from, int to_fd, const char *to)
{
    count_call();
    return __real_renameat(from_fd, from, to_fd, to);
}

int
__wrap_mkdirat(int fd, const char *path, mode_t mode)
{
    count_call();
    return __real_mkdirat(fd, path, mode);
}

int
__wrap_unlinkat(int fd, const char *path, int flags)
{
    count_call();
    return __real_unlinkat(fd, path, flags);
}

int
__wrap_fsync(int fd)
{
    count_call();
    return __real_fsync(fd);
}

int
__wrap_flock(int fd, int operation)
{
    count_call();
    return __real_flock(fd, operation);
}

DIR *
__wrap_fdopendir(int fd)
{
    void (*call)(void) = before_list;
    before_list = NULL;
    if (call)
        call();
    return __real_fdopendir(fd);
}

/* Push a session whose files hold @p text. */
static int
push_in(const char *path, const char *content, const char *build, const char *text)
{
    struct pp_lake lake;
    struct pp_lake_entry entry;
    const struct pp_lake_session session = {
        .id = ID, .content = content, .day = "2026-01-31", .build = build};
    int rc = pp_lake_open(path, &lake);
    if (rc)
        return rc;
    rc = pp_lake_entry_begin(&lake, &entry);
    if (rc == 0) {
        for (size_t i = 0; i < PP_ARRAY_SIZE(tables); i++) {
            int fd = pp_lake_entry_file(&entry, tables[i]);
            assert_true(fd >= 0);
            assert_int_equal(write(fd, text, strlen(text)), strlen(text));
            close(fd);
        }
        rc = pp_lake_entry_publish(&entry, &session, tables, PP_ARRAY_SIZE(tables));
        pp_lake_entry_end(&entry);
    }
    pp_lake_close(&lake);
    return rc;
}

/* A path in a folder of the test. @return Static. */
static const char *
in(const char *folder, const char *name)
{
    static char path[2][512];
    static unsigned which;
    which = 1 - which;
    snprintf(path[which], sizeof(path[which]), "%s/%s%s%s", top, folder, *name ? "/" : "", name);
    return path[which];
}

static const char *
read_text(const char *path)
{
    static char text[256];
    FILE *file = fopen(path, "re");
    if (!file)
        return "";
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* Count the files that end in this text, below a folder. */
static size_t
count_files(const char *path, const char *tail)
{
    size_t found = 0;
    DIR *dir = opendir(path);
    const struct dirent *one = NULL;
    while (dir && (one = readdir(dir))) {
        char inner[1024];
        size_t len = strlen(one->d_name), tail_len = strlen(tail);
        if (strcmp(one->d_name, ".") == 0 || strcmp(one->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof(inner), "%s/%s", path, one->d_name);
        if (one->d_type == DT_DIR)
            found += count_files(inner, tail);
        else
            found += len >= tail_len && strcmp(one->d_name + len - tail_len, tail) == 0;
    }
    if (dir)
        closedir(dir);
    return found;
}

/* The lake has the session once, with this text, and nothing of a writer. */
static void
assert_once(const char *folder, const char *part, const char *text)
{
    char name[256];
    for (size_t i = 0; i < PP_ARRAY_SIZE(tables); i++) {
        snprintf(name, sizeof(name), "%s/%s/" ID ".csv.zst", tables[i], part);
        assert_string_equal(read_text(in(folder, name)), text);
    }
    assert_int_equal(count_files(in(folder, ""), ".csv.zst"), PP_ARRAY_SIZE(tables));
    assert_int_equal(count_files(in(folder, ".passprobe/writing"), ""), 0);
}

static void
a_session_is_there_once(void **state)
{
    (void)state;
    assert_int_equal(push_in(in("once", ""), "aa", "1/2", "x"), 0);
    assert_once("once", PART, "x");
    assert_int_equal(push_in(in("once", ""), "aa", "1/2", "x"), 1);
    assert_int_equal(push_in(in("once", ""), "aa", "other", "x"), 1); /* in no second folder */
    assert_int_equal(push_in(in("once", ""), "bb", "1/2", "y"), -EEXIST);
    assert_once("once", PART, "x");
    /* a session that was deleted can come back */
    assert_int_equal(unlink(in("once", "sessions/" PART "/" ID ".csv.zst")), 0);
    assert_int_equal(push_in(in("once", ""), "bb", "", "y"), 0);
    assert_once("once", "day=2026-01-31/build=__HIVE_DEFAULT_PARTITION__", "y");
}

static void
a_killed_push_leaves_nothing_twice(void **state)
{
    (void)state;
    bool whole = false;
    for (long at = 1; !whole; at++) {
        char folder[32];
        int status = 0;
        snprintf(folder, sizeof(folder), "killed%ld", at);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            calls = 0;
            kill_at = at;
            _exit(push_in(in(folder, ""), "aa", "1/2", "x") == 0 ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        whole = WIFEXITED(status);
        assert_true(whole ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGKILL);
        bool visible = count_files(in(folder, "sessions"), ".csv.zst") != 0;
        if (visible) /* then it is complete */
            assert_int_equal(count_files(in(folder, ""), ".csv.zst") -
                                 count_files(in(folder, ".passprobe"), ".csv.zst"),
                             PP_ARRAY_SIZE(tables));
        /* a killed push can be repeated, also with other content, as long as nothing was visible */
        const char *content = visible || at % 2 ? "aa" : "bb", *text = visible || at % 2 ? "x" : "y";
        assert_int_equal(push_in(in(folder, ""), content, at % 2 ? "1/2" : "3", text), visible ? 1 : 0);
        assert_once(folder, visible || at % 2 ? PART : "day=2026-01-31/build=3", text);
        assert_true(at < 500);
        assert_true(!whole || at > 20); /* it was killed at each of many calls */
    }
}

static void
pushes_at_once_leave_one(void **state)
{
    (void)state;
    enum { PUSHES = 8 };
    pid_t child[PUSHES];
    int done = 0, there = 0, refused = 0;
    for (int i = 0; i < PUSHES; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] == 0) {
            int rc = push_in(in("many", ""), i % 2 ? "aa" : "bb", i % 2 ? "1" : "2", i % 2 ? "x" : "y");
            if (rc < 0 && rc != -EEXIST)
                fprintf(stderr, "push: %s\n", strerror(-rc));
            _exit(rc == -EEXIST ? 2 : rc < 0 ? 3 : rc);
        }
    }
    for (int i = 0; i < PUSHES; i++) {
        int status = 0;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_true(WIFEXITED(status));
        done += WEXITSTATUS(status) == 0;
        there += WEXITSTATUS(status) == 1;
        refused += WEXITSTATUS(status) == 2;
    }
    assert_int_equal(done, 1);
    assert_int_equal(there, PUSHES / 2 - 1);
    assert_int_equal(refused, PUSHES / 2);
    assert_int_equal(count_files(in("many", ""), ".csv.zst"), PP_ARRAY_SIZE(tables));
}

static void
push_to_new_lake(void)
{
    assert_int_equal(push_in(in("race", ""), "aa", "1/2", "x"), 0);
}

/* A push makes the lake, and writes to it, while another one looks whether the folder is empty. */
static void
a_lake_that_appears_is_used(void **state)
{
    (void)state;
    before_list = push_to_new_lake;
    assert_int_equal(push_in(in("race", ""), "aa", "1/2", "x"), 1);
    assert_null(before_list);
}

static void
links_are_not_followed(void **state)
{
    (void)state;
    static const char *const planted[] = {
        "passes",    "passes/day=2026-01-31", "passes/" PART, ".passprobe/sessions", ".passprobe/writing",
        ".passprobe"};
    assert_int_equal(mkdir(in("outside", ""), 0755), 0);
    for (size_t i = 0; i < PP_ARRAY_SIZE(planted); i++) {
        char folder[32], path[600];
        snprintf(folder, sizeof(folder), "links%zu", i);
        assert_int_equal(push_in(in(folder, ""), "aa", "1/2", "x"), 0);
        assert_int_equal(unlink(in(folder, "sessions/" PART "/" ID ".csv.zst")), 0);
        snprintf(path, sizeof(path), "%s", in(folder, planted[i]));
        char moved[700];
        snprintf(moved, sizeof(moved), "%s.moved", path);
        assert_int_equal(rename(path, moved), 0);
        assert_int_equal(symlink(in("outside", ""), path), 0);
        assert_int_equal(push_in(in(folder, ""), "aa", "1/2", "x"), -ELOOP);
        assert_int_equal(count_files(in("outside", ""), ""), 0);
    }
    /* a link in place of a file is replaced; what it leads to stays */
    FILE *precious = fopen(in("outside", "precious"), "we");
    assert_non_null(precious);
    fputs("precious", precious);
    fclose(precious);
    assert_int_equal(push_in(in("file", ""), "aa", "1/2", "x"), 0);
    assert_int_equal(unlink(in("file", "sessions/" PART "/" ID ".csv.zst")), 0);
    assert_int_equal(symlink(in("outside", "precious"), in("file", "sessions/" PART "/" ID ".csv.zst")), 0);
    assert_int_equal(push_in(in("file", ""), "aa", "1/2", "x"), 0);
    assert_once("file", PART, "x");
    assert_string_equal(read_text(in("outside", "precious")), "precious");
}

static void
foreign_notes_and_folders_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "aa\n",
                                      "aa\nday=1\nbuild=../../..\n",
                                      "aa\n..\nbuild=1\n",
                                      "zz\nday=1\nbuild=1\n",
                                      "aa\nday=1/2\nbuild=1\n"};
    assert_int_equal(push_in(in("notes", ""), "aa", "1/2", "x"), 0);
    for (size_t i = 0; i < PP_ARRAY_SIZE(bad); i++) {
        FILE *note = fopen(in("notes", ".passprobe/sessions/" ID), "we");
        assert_non_null(note);
        fputs(bad[i], note);
        fclose(note);
        assert_int_equal(push_in(in("notes", ""), "aa", "1/2", "x"), -EBADMSG);
    }
    assert_int_equal(push_in("/etc/passwd", "aa", "1", "x"), -ENOTDIR);
    assert_int_equal(mkdir(in("home", ""), 0755), 0);
    FILE *file = fopen(in("home", "thesis.tex"), "we");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(push_in(in("home", ""), "aa", "1", "x"), -ENOTEMPTY);
    assert_int_equal(count_files(in("home", ""), ""), 1);
}

static void
builds_become_names_of_folders(void **state)
{
    (void)state;
    static const char *const row[][2] = {{"1234", "build=1234"},
                                         {"", "build=__HIVE_DEFAULT_PARTITION__"},
                                         {"../../etc", "build=..%2F..%2Fetc"},
                                         {"a b'\"\n=", "build=a%20b%27%22%0A%3D"},
                                         {"\xc3\xbc", "build=%C3%BC"}};
    char name[PP_LAKE_PARTITION], other[PP_LAKE_PARTITION], build[300];
    for (size_t i = 0; i < PP_ARRAY_SIZE(row); i++) {
        pp_lake_build_folder(row[i][0], name);
        assert_string_equal(name, row[i][1]);
    }
    memset(build, '/', sizeof(build));
    build[255] = '\0';
    pp_lake_build_folder(build, name);
    assert_true(strlen(name) <= 255);
    build[254] = '\0';
    pp_lake_build_folder(build, other);
    assert_string_not_equal(name, other);
}

static int
make_top(void **state)
{
    (void)state;
    return mkdtemp(top) ? 0 : -1;
}

static int
remove_top(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -r '%s'", top);
    return system(command); /* NOLINT(cert-env33-c): a fixed command */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_session_is_there_once),
                                       cmocka_unit_test(a_killed_push_leaves_nothing_twice),
                                       cmocka_unit_test(pushes_at_once_leave_one),
                                       cmocka_unit_test(a_lake_that_appears_is_used),
                                       cmocka_unit_test(links_are_not_followed),
                                       cmocka_unit_test(foreign_notes_and_folders_are_refused),
                                       cmocka_unit_test(builds_become_names_of_folders)};
    return cmocka_run_group_tests(tests, make_top, remove_top);
}
