/** @file
 * An application that is faster than the collector: dropped frames are counted, and the files have the count
 * while the application runs. The case runs in a child process, because a process has one session. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/engine/clock.h"
#include "core/engine/session_private.h"
#include "tests/fake/frontend.h"
#include "tests/lib/session_json.h"
#include "tests/unit/core/session/session_child.h"

#define WINDOWS     4
#define PATIENCE_NS 60000000000ULL

/* Does one of the last whole rows of frames.csv have this frame number or a later one? */
static bool
has_row_from(const char *path, uint64_t number)
{
    char text[8192];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    off_t from = size > (off_t)sizeof(text) - 1 ? size - (off_t)sizeof(text) + 1 : 0;
    ssize_t len = fd < 0 ? 0 : pread(fd, text, sizeof(text) - 1, from);
    if (fd >= 0)
        close(fd);
    text[len > 0 ? len : 0] = '\0';
    for (const char *line = strchr(text, '\n'); line && strchr(line + 1, '\n'); line = strchr(line + 1, '\n'))
        if (strtoull(line + 1, NULL, 10) >= number)
            return true;
    return false;
}

static atomic_bool reported, done;

/* Draws frames as fast as possible. After passprobe has reported drops, draws slowly, so that some frames get
 * rows after the gap. */
static void *
window(void *name)
{
    struct fake_frontend fake;
    if (fake_frontend_init(&fake, pp_session_get(), name))
        return name;
    while (!atomic_load(&done)) {
        if (atomic_load(&reported))
            (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        fake_frontend_draw(&fake, 1, 16, 3, 10);
        fake_frontend_swap(&fake);
    }
    return NULL;
}

static void
wait_a_little(uint64_t until)
{
    if (pp_now_ns() > until)
        _exit(4);
    (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* Several windows leave the collector no time to catch up until session.json counts lost frames, and then
 * until there are rows after the lost frames. */
static void
outrun(void)
{
    static char name[WINDOWS][2] = {"a", "b", "c", "d"};
    pthread_t thread[WINDOWS];
    uint64_t until = pp_now_ns() + PATIENCE_NS;
    for (int i = 0; i < WINDOWS; i++)
        if (pthread_create(&thread[i], NULL, window, name[i]))
            exit(3);
    while (session_json_number("lag/session.json", "dropped", "frames") <= 0)
        wait_a_little(until);
    atomic_store(&reported, true);
    uint64_t behind = pp_session_frames(pp_session_get());
    while (!has_row_from("lag/frames.csv", behind))
        wait_a_little(until);
    atomic_store(&done, true);
    for (int i = 0; i < WINDOWS; i++) {
        void *failed = NULL;
        pthread_join(thread[i], &failed);
        if (failed)
            exit(3);
    }
}

/* Frame numbers that frames.csv lacks, up to its last row. */
static uint64_t
missing_frames(const char *path)
{
    char line[4096];
    uint64_t rows = 0;
    uint64_t last = 0;
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof(line), file));
    while (fgets(line, sizeof(line), file)) {
        uint64_t frame = strtoull(line, NULL, 10);
        last = frame > last ? frame : last; /* rows of windows come when they are complete */
        rows++;
    }
    fclose(file);
    assert_true(rows > 0);
    return last + 1 - rows;
}

static void
every_gap_is_counted(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "lag", "PASSPROBE_LEVEL", "draw", "PASSPROBE_QUIET", "1", NULL};
    assert_int_equal(in_child(outrun, env), 0);
    long drops = session_json_number("lag/session.json", "dropped", "frames");
    assert_true(drops > 0);
    /* Each window's last frame was open at the end; the last frames may be among the dropped ones. */
    assert_in_range(missing_frames("lag/frames.csv"), 1, drops + WINDOWS);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_gap_is_counted)};
    return cmocka_run_group_tests(tests, enter, leave);
}
