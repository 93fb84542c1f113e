/** @file
 * The session directory is made, reused, moved aside or refused. Files that passprobe did not write are never
 * changed. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "core/config/dir_content.h"
#include "core/config/session_dir.h"

static char root[] = "/tmp/passprobe-dir-XXXXXX";
static char error[512];
static char claimed_path[PATH_MAX];

static void
put_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void
put_file(const char *path)
{
    put_text(path, "{\n  \"revision\": 1,\n  \"passprobe\": \"0.1.0\"");
}

static bool
exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* Claim a directory as the command does, and move an older session away as at the first frame. */
static int
claim(const char *path)
{
    char name[NAME_MAX + 1];
    int parent = -1, fd = -1;
    int rc = pp_dir_parent(path, &parent, name);
    if (rc)
        return rc;
    rc = pp_dir_claim(parent, name, path, &fd, claimed_path, error);
    if (rc == 0)
        close(fd);
    close(parent);
    return rc;
}

/* A session with a frame in a directory. */
static void
put_session(const char *path, int frames)
{
    char name[256];
    snprintf(name, sizeof(name), "%s/session.json", path);
    put_file(name);
    snprintf(name, sizeof(name), "%s/frames.csv", path);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs("frame,api,device\r\n", file);
    for (int i = 0; i < frames; i++)
        fprintf(file, "%d,gl,0\r\n", i);
    assert_int_equal(fclose(file), 0);
}

static void
old_session_is_kept_as_dir_old(void **state)
{
    (void)state;
    struct pp_dir dir;
    for (int run = 0; run < 3; run++) {
        assert_int_equal(pp_dir_open("data", false, &dir, error), 0);
        assert_string_equal(dir.path, run ? "data.new" : "data");
        assert_int_equal(dir.parent_fd >= 0, run > 0);
        put_session(dir.path, run + 1);
        assert_int_equal(exists("data.old"), run > 1); /* nothing has moved yet */
        assert_true(exists("data/frames.csv"));
        if (run)
            assert_int_equal(pp_dir_open_replace_older(&dir, error), 0);
        assert_string_equal(dir.path, "data");
        assert_int_equal(dir.parent_fd, -1);
        assert_int_equal(exists("data.old"), run > 0);
        pp_dir_close(&dir);
    }
    assert_true(exists("data.old/frames.csv") && !exists("data.new"));
}

/* A process without a frame leaves the older session and PATH.old where they are. */
static void
a_session_without_frames_moves_nothing(void **state)
{
    (void)state;
    struct pp_dir dir;
    struct pp_dir second;
    assert_int_equal(pp_dir_open("good", false, &dir, error), 0);
    put_session("good", 1);
    pp_dir_close(&dir);
    assert_int_equal(pp_dir_open("good", false, &dir, error), 0);
    put_session("good.new", 0);
    assert_int_equal(pp_dir_discard(&dir), 0);
    pp_dir_close(&dir);
    assert_true(exists("good/frames.csv") && !exists("good.new") && !exists("good.old"));
    /* what a killed process left is used again, but not what a living one uses, or what has frames */
    assert_int_equal(mkdir("good.new", 0755), 0);
    assert_int_equal(chmod("good.new", 01755), 0); /* a session waits there */
    put_session("good.new", 0);
    assert_int_equal(pp_dir_open("good", false, &dir, error), 0);
    assert_string_equal(dir.path, "good.new");
    assert_int_equal(pp_dir_open("good", false, &second, error), 0);
    assert_non_null(strstr(second.path, "good."));
    assert_string_not_equal(second.path, dir.path);
    assert_int_equal(pp_dir_discard(&second), 0);
    pp_dir_close(&second);
    put_session("good.new", 1);
    pp_dir_close(&dir);
    /* a process was killed before its session with frames took the place: it takes it now */
    assert_int_equal(pp_dir_open("good", false, &dir, error), 0);
    assert_string_equal(dir.path, "good.new");
    assert_true(exists("good.old/frames.csv") && exists("good/frames.csv") && !exists("good.new/frames.csv"));
    assert_int_equal(pp_dir_discard(&dir), 0);
    pp_dir_close(&dir);
}

/* A session that the user named PATH.new is none that waits for its first frame: it is neither moved nor
 * deleted. */
static void
a_session_that_was_named_new_is_kept(void **state)
{
    (void)state;
    struct pp_dir dir;
    for (int frames = 0; frames < 2; frames++) {
        for (int named_new = 0; named_new < 2; named_new++) {
            assert_int_equal(pp_dir_open(named_new ? "base.new" : "base", false, &dir, error), 0);
            put_session(dir.path, named_new ? frames : 3);
            pp_dir_close(&dir);
        }
        assert_int_equal(pp_dir_open("base", false, &dir, error), 0);
        assert_string_not_equal(dir.path, "base.new");
        put_session(dir.path, 1);
        assert_int_equal(pp_dir_open_replace_older(&dir, error), 0);
        pp_dir_close(&dir);
        assert_int_equal(claim("base"), -EBUSY); /* the command takes another name */
        assert_true(exists("base.new/frames.csv"));
        assert_int_equal(system("rm -r base base.*"), 0);
    }
}

/* A command was killed between its two renames: PATH is free. PATH.new is the newest session and takes the
 * place, instead of being taken for an older one by the next run but one. */
static void
a_kill_between_two_renames_is_finished(void **state)
{
    (void)state;
    struct pp_dir dir;
    struct stat st;
    for (int run = 0; run < 2; run++) {
        assert_int_equal(pp_dir_open("half", false, &dir, error), 0);
        put_session(dir.path, 1);
        pp_dir_close(&dir);
    }
    assert_int_equal(rename("half", "half.old"), 0);
    put_text("half.new/draws.csv", "frame,pass,draw,draw_id,call\r\n"); /* by which it is known */
    assert_int_equal(claim("half"), 0);
    assert_string_equal(claimed_path, "half.new");
    assert_true(exists("half/draws.csv") && exists("half.old/frames.csv"));
    assert_int_equal(stat("half", &st), 0);
    assert_int_equal(st.st_mode & S_ISVTX, 0);
}

static void
second_session_goes_to_dir_pid(void **state)
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
    assert_true(second.next_to_requested);
    assert_true(exists("two/session.json"));
    assert_int_equal(claim("two"), -EBUSY);
    pp_dir_close(&first);
    pp_dir_close(&second);
}

static void
a_launched_application_keeps_a_finished_session(void **state)
{
    (void)state;
    struct pp_dir dir;
    assert_int_equal(pp_dir_open("kept", true, &dir, error), 0);
    put_file("kept/session.json");
    pp_dir_close(&dir);
    assert_int_equal(pp_dir_open("kept", true, &dir, error), 0);
    assert_true(dir.next_to_requested);
    assert_true(exists("kept/session.json"));
    pp_dir_close(&dir);
}

static void
foreign_files_are_kept(void **state)
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
    /* A session whose .old holds a foreign file: the session and the file are both kept. */
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

/* Other programs write files of these names, too: a directory with such a file is no session. */
static void
files_with_the_names_of_a_session_are_kept(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
    } row[] = {{"labels.csv", "image,label\n1,cat\n"},
               {"labels.csv", "frame,label,x,y\n"},
               {"labels.csv", "frame,depth,x,y\n"},
               {"frames.csv", "time,file\n"},
               {"session.json", "{\"windows\": [], \"tabs\": []}"},
               {"session.json", "x"}};
    struct pp_dir dir;
    char path[64];
    int parent = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        assert_int_equal(mkdir("set", 0777), 0);
        snprintf(path, sizeof(path), "set/%s", row[i].name);
        put_text(path, row[i].text);
        assert_int_equal(pp_dir_open("set", false, &dir, error), -EEXIST);
        assert_int_equal(claim("set"), -EEXIST);
        assert_int_equal(pp_dir_remove(parent, "set"), -ENOTEMPTY);
        assert_true(exists(path) && !exists("set.old"));
        assert_int_equal(unlink(path), 0);
        assert_int_equal(rmdir("set"), 0);
    }
    close(parent);
}

/* Sessions of all schemas are sessions. */
static void
files_of_each_schema_count_as_a_session(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
    } row[] = {
        {"frames.csv", "frame,api,device,surface\r\n"},    {"passes.csv", "frame,pass,pass_id,level\r\n"},
        {"draws.csv", "frame,pass,draw,draw_id,call\r\n"}, {"labels.csv", "frame,label,depth,passes\r\n"},
        {"labels.csv", "frame,depth,passes,draws\r\n"},    {"labels.csv", "frame,"}};
    char path[64];
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        assert_int_equal(mkdir("schema", 0777), 0);
        snprintf(path, sizeof(path), "schema/%s", row[i].name);
        put_text(path, row[i].text);
        int fd = open("schema", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_int_equal(pp_dir_look(fd), PP_DIR_SESSION);
        close(fd);
        assert_int_equal(unlink(path), 0);
        assert_int_equal(rmdir("schema"), 0);
    }
}

/* Make the folder of repeated runs with two sessions, the second of which has this file. */
static void
make_runs(const char *folder, const char *file, const char *text)
{
    char path[128];
    assert_int_equal(mkdir(folder, 0777), 0);
    snprintf(path, sizeof(path), "%s/runs.json", folder);
    put_text(path, "{\n \"passprobe\": \"1\"\n}");
    snprintf(path, sizeof(path), "%s/run1", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof(path), "%s/run2", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof(path), "%s/run2/%s", folder, file);
    put_text(path, text);
}

/* Repeated runs are moved to DIR.old, and deleted there, as a session is. */
static void
repeated_runs_make_room_as_a_session_does(void **state)
{
    (void)state;
    struct pp_dir dir;
    char place[PATH_MAX];
    int parent = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    make_runs("runs", "frames.csv", "frame,api,device\r\n0,gl,0\r\n");
    int fd = open("runs", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(pp_dir_look(fd), PP_DIR_RUNS);
    assert_true(pp_dir_has_frames(fd));
    close(fd);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pp_dir_open("runs", false, &dir, error), 0);
        assert_non_null(strstr(dir.path, "runs.new"));
        put_file("runs.new/session.json");
        assert_int_equal(pp_dir_open_replace_older(&dir, error), 0);
        pp_dir_close(&dir);
        assert_true(exists("runs/session.json") && !exists("runs/run2"));
        assert_int_equal(exists("runs.old/run2/frames.csv"), i == 0); /* then a session follows a session */
    }
    /* runs that a kill left in DIR.new: they take their place, or are deleted */
    for (int has_frames = 0; has_frames < 2; has_frames++) {
        make_runs("runs.new", "frames.csv", has_frames ? "frame,api,\r\n0\r\n" : "frame,api,\r\n");
        assert_int_equal(chmod("runs.new", 01755), 0);
        assert_int_equal(pp_dir_claim(parent, "runs", "runs", &fd, place, error), 0);
        assert_int_equal(exists("runs/run2/frames.csv"), has_frames);
        assert_int_equal(pp_dir_remove(parent, "runs.new"), 0);
        close(fd);
    }
    assert_true(exists("runs/run1"));
    assert_int_equal(pp_dir_remove(parent, "runs"), 0);
    assert_true(!exists("runs"));
    close(parent);
}

/* A folder with anything else in it is no folder of repeated runs, and stays. */
static void
folders_that_only_look_like_repeated_runs_are_kept(void **state)
{
    (void)state;
    static const char *const more[] = {"look/thesis.tex", "look/run1/thesis.tex", "look/run2/labels.csv"};
    struct pp_dir dir;
    int parent = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    make_runs("look", "session.json", "{\"passprobe\": \"1\"}");
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
        put_text(more[i], "image,label\n");
        assert_int_equal(pp_dir_open("look", false, &dir, error), -EEXIST);
        assert_int_equal(pp_dir_remove(parent, "look"), -ENOTEMPTY);
        assert_true(exists("look/run2/session.json"));
        assert_int_equal(unlink(more[i]), 0);
    }
    put_text("look/runs.json", "[\"of another program\"]");
    assert_int_equal(pp_dir_remove(parent, "look"), -ENOTEMPTY);
    assert_int_equal(unlink("look/runs.json"), 0); /* sessions alone are the user's folder */
    assert_int_equal(pp_dir_remove(parent, "look"), -ENOTEMPTY);
    assert_int_equal(mkdir("look/run3", 0777), 0);
    assert_int_equal(mkdir("look/run3/deeper", 0777), 0);
    put_text("look/runs.json", "{\"passprobe\": \"1\"}");
    assert_int_equal(pp_dir_remove(parent, "look"), -ENOTEMPTY);
    assert_true(exists("look/run2/session.json"));
    close(parent);
}

/* Without a free descriptor a directory cannot be read: then it does not count as empty. */
static void
a_directory_that_cannot_be_read_is_kept(void **state)
{
    (void)state;
    struct rlimit before;
    assert_int_equal(mkdir("unread", 0777), 0);
    put_text("unread/thesis.tex", "x");
    int fd = open("unread", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit none = {.rlim_cur = (rlim_t)fd, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    enum pp_dir_content content = pp_dir_look(fd);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(content, PP_DIR_FOREIGN);
    close(fd);
}

/* A directory of another user has a name that passprobe would take. */
static void
directories_of_other_users_are_kept(void **state)
{
    (void)state;
    struct pp_dir dir;
    char guessed[64];
    struct stat st;
    if (geteuid() != 0)
        skip(); /* only root can give a directory away */
    assert_int_equal(mkdir("theirs", 0777), 0);
    assert_int_equal(chown("theirs", 65534, 65534), 0);
    for (int keep = 0; keep < 2; keep++) {
        assert_int_equal(pp_dir_open("theirs", keep, &dir, error), -EEXIST);
        assert_non_null(strstr(error, "theirs: belongs to another user"));
    }
    put_file("theirs/session.json");
    assert_int_equal(claim("theirs"), -EEXIST);
    assert_true(exists("theirs/session.json") && !exists("theirs.old"));
    /* DIR.old */
    assert_int_equal(pp_dir_open("ours", false, &dir, error), 0);
    put_file("ours/session.json");
    pp_dir_close(&dir);
    assert_int_equal(rename("theirs", "ours.old"), 0);
    assert_int_equal(pp_dir_open("ours", false, &dir, error), -EPERM);
    assert_true(exists("ours.old/session.json"));
    /* DIR.PID, which others can guess: the next name is taken */
    snprintf(guessed, sizeof(guessed), "ours.%ld", (long)getpid());
    assert_int_equal(rename("ours.old", guessed), 0);
    assert_int_equal(pp_dir_open("ours", true, &dir, error), 0);
    snprintf(guessed, sizeof(guessed), "ours.%ld.1", (long)getpid());
    assert_string_equal(dir.path, guessed);
    pp_dir_close(&dir);
    assert_int_equal(stat(guessed, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0755); /* the umask is 0 here */
}

static long filesystem; /* 0: as it is */

int __real_fstatfs(int fd, struct statfs *about); /* NOLINT: the linker's names */
int __wrap_fstatfs(int fd, struct statfs *about); /* NOLINT */

int
__wrap_fstatfs(int fd, struct statfs *about) /* NOLINT */
{
    int rc = __real_fstatfs(fd, about);
    if (rc == 0 && filesystem)
        about->f_type = (__typeof__(about->f_type))filesystem;
    return rc;
}

/* On FAT, SMB and similar file systems all files belong to the user whom the mount names: a session is
 * written there, too. */
static void
filesystems_without_owners_are_written(void **state)
{
    (void)state;
    static const long with[] = {0xEF53 /* ext4 */, 0x6969 /* NFS */, 0x65735546 /* FUSE */,
                                0x01021994 /* tmpfs */};
    static const long without[] = {0x4d44,           0x2011BAB0,       0x7366746E,
                                   (long)0xFF534D42, (long)0xFE534D42, 0x786F4256};
    struct pp_dir dir;
    if (geteuid() != 0)
        skip(); /* only root can give a directory away */
    assert_int_equal(mkdir("fat", 0777), 0);
    assert_int_equal(chown("fat", 65534, 65534), 0);
    for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
        filesystem = with[i];
        assert_int_equal(pp_dir_open("fat", false, &dir, error), -EEXIST);
    }
    for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
        filesystem = without[i];
        assert_int_equal(pp_dir_open("fat", false, &dir, error), 0);
        assert_false(dir.next_to_requested);
        pp_dir_close(&dir);
    }
    filesystem = 0;
}

/* Every name is a link: its target does not change. */
static void
links_are_not_followed(void **state)
{
    (void)state;
    struct pp_dir dir;
    char guessed[64];
    int parent = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(mkdir("behind", 0777), 0);
    put_file("behind/session.json");
    assert_int_equal(symlink("behind", "linked"), 0);
    assert_int_equal(pp_dir_open("linked", false, &dir, error), -EEXIST);
    assert_int_equal(pp_dir_open("linked/", false, &dir, error), -EEXIST);
    assert_int_equal(claim("linked///"), -EEXIST);
    assert_int_equal(pp_dir_remove(parent, "linked"), -ENOTDIR);
    assert_int_equal(pp_dir_open("at", false, &dir, error), 0);
    put_file("at/session.json");
    pp_dir_close(&dir);
    assert_int_equal(symlink("behind", "at.old"), 0);
    assert_int_equal(pp_dir_open("at", false, &dir, error), -ENOTDIR);
    assert_non_null(strstr(error, "at.old: is not a directory"));
    snprintf(guessed, sizeof(guessed), "at.%ld", (long)getpid());
    assert_int_equal(symlink("behind", guessed), 0);
    assert_int_equal(pp_dir_open("at", true, &dir, error), 0);
    pp_dir_close(&dir);
    assert_true(exists("behind/session.json"));
    assert_int_equal(pp_dir_remove(parent, "behind"), 0);
    assert_false(exists("behind"));
    close(parent);
}

/* While a command holds a directory, empty or with a session, no other process takes or moves it. */
static void
a_claimed_directory_is_not_taken(void **state)
{
    (void)state;
    struct pp_dir dir;
    int fd = -1;
    int second = -1;
    int parent = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(pp_dir_claim(parent, "claimed", "claimed", &fd, claimed_path, error), 0);
    assert_true(pp_dir_is(parent, "claimed", fd));
    assert_int_equal(pp_dir_claim(parent, "claimed", "claimed", &second, claimed_path, error), -EBUSY);
    assert_int_equal(pp_dir_open("claimed", false, &dir, error), 0);
    assert_true(dir.next_to_requested);
    pp_dir_close(&dir);
    /* the application that the command started */
    assert_int_equal(pp_dir_open("claimed", true, &dir, error), 0);
    assert_false(dir.next_to_requested);
    put_file("claimed/session.json");
    pp_dir_close(&dir);
    assert_int_equal(claim("claimed"), -EBUSY);
    close(fd);
    bool moved = false;
    assert_int_equal(pp_dir_claim(parent, "claimed", "claimed", &fd, claimed_path, error), 0);
    assert_string_equal(claimed_path, "claimed.new");
    assert_int_equal(pp_dir_claim(parent, "claimed", "claimed", &second, claimed_path, error), -EBUSY);
    assert_int_equal(pp_dir_open("claimed", false, &dir, error), 0);
    assert_string_not_equal(dir.path, "claimed.new");
    assert_int_equal(pp_dir_discard(&dir), 0);
    pp_dir_close(&dir);
    assert_true(exists("claimed/session.json") && !exists("claimed.old"));
    assert_int_equal(pp_dir_replace_older(parent, "claimed.new", "claimed", "claimed", &moved, error), 0);
    assert_true(moved && exists("claimed.old/session.json") && !exists("claimed.new"));
    assert_true(pp_dir_is(parent, "claimed", fd));
    assert_int_equal(rename("claimed", "moved"), 0);
    assert_false(pp_dir_is(parent, "claimed", fd));
    close(fd);
    close(parent);
}

static int
enter(void **state)
{
    (void)state;
    umask(0);
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
        cmocka_unit_test(old_session_is_kept_as_dir_old),
        cmocka_unit_test(a_session_without_frames_moves_nothing),
        cmocka_unit_test(a_session_that_was_named_new_is_kept),
        cmocka_unit_test(a_kill_between_two_renames_is_finished),
        cmocka_unit_test(second_session_goes_to_dir_pid),
        cmocka_unit_test(a_launched_application_keeps_a_finished_session),
        cmocka_unit_test(foreign_files_are_kept),
        cmocka_unit_test(files_with_the_names_of_a_session_are_kept),
        cmocka_unit_test(files_of_each_schema_count_as_a_session),
        cmocka_unit_test(repeated_runs_make_room_as_a_session_does),
        cmocka_unit_test(folders_that_only_look_like_repeated_runs_are_kept),
        cmocka_unit_test(a_directory_that_cannot_be_read_is_kept),
        cmocka_unit_test(directories_of_other_users_are_kept),
        cmocka_unit_test(filesystems_without_owners_are_written),
        cmocka_unit_test(links_are_not_followed),
        cmocka_unit_test(a_claimed_directory_is_not_taken),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
