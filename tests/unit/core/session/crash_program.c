/** @file
 * A session of a dozen frames, in which the n-th thing that happens to its files goes wrong: see
 * tests/e2e/samples/test_crash.py. It replaces the C library's calls that change files (linked with
 * --wrap).
 *
 *   core_crash_program MODE N [confined|waits|late]
 *
 * MODE is what happens at the N-th such call, counted from 1: `kill` kills the process before it, `half` in
 * the midst of it, where it is a write, else after it; `full` makes it and all later writes fail, the first
 * in its midst, as on a full disk. With `confined` the application sets a seccomp filter after its third
 * frame, which kills the process at any call that docs/sandboxes.md does not list. With `waits` all frames
 * end with waits, with `late` all but the last six: while it is open whether the application presents, the
 * collector holds such frames and writes drafts of them. Exit status: 0 the end was
 * reached, 3 no session, 77 no seccomp. The number of calls goes to stdout. */
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "core/engine/session_private.h"
#include "tests/fake/clock.h"
#include "tests/fake/frontend.h"
#include "tests/fake/sandbox/filter.h"

#define FRAMES    12U
#define SECOND    UINT64_C(1100000000)
#define WAITS_MIN 4U /* waits after which the application counts as one that never presents */
#define PRESENTS  6U
#define STANDARD  2 /* the largest descriptor that is none of the session's */

static enum { KILL, HALF, FULL } mode;
static unsigned at;
static atomic_uint calls;

ssize_t __real_write(int fd, const void *bytes, size_t len);
ssize_t __real_pwrite(int fd, const void *bytes, size_t len, off_t offset);
int __real_ftruncate(int fd, off_t length);
int __real_renameat(int from_dir, const char *from, int to_dir, const char *to);
int __real_renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags);
int __real_unlinkat(int dir, const char *name, int flags);
int __real_openat(int dir, const char *name, int flags, mode_t bits);

ssize_t __wrap_write(int fd, const void *bytes, size_t len);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t len, off_t offset);
int __wrap_ftruncate(int fd, off_t length);
int __wrap_renameat(int from_dir, const char *from, int to_dir, const char *to);
int __wrap_renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags);
int __wrap_unlinkat(int dir, const char *name, int flags);
int __wrap_openat(int dir, const char *name, int flags, mode_t bits);

static void
die(void)
{
    (void)kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

/* Before a call. @return It is the one. */
static bool
is_it(void)
{
    bool it = atomic_fetch_add(&calls, 1) + 1 == at;
    if (it && mode == KILL)
        die();
    return it;
}

/* After a call. */
static int
done(bool it, int rc)
{
    if (it && mode == HALF)
        die();
    return rc;
}

/* How much of a write is done; the whole of it, but for the one. @return false: it fails, with errno. */
static bool
part_of(bool it, size_t *len)
{
    if (it)
        *len /= 2;
    else if (mode == FULL && atomic_load(&calls) > at)
        *len = 0;
    if (*len == 0)
        errno = ENOSPC;
    return *len > 0;
}

ssize_t
__wrap_write(int fd, const void *bytes, size_t len)
{
    if (fd <= STANDARD)
        return __real_write(fd, bytes, len);
    bool it = is_it();
    ssize_t got = part_of(it, &len) ? __real_write(fd, bytes, len) : -1;
    return done(it, 0) ? -1 : got;
}

ssize_t
__wrap_pwrite(int fd, const void *bytes, size_t len, off_t offset)
{
    bool it = is_it();
    ssize_t got = part_of(it, &len) ? __real_pwrite(fd, bytes, len, offset) : -1;
    return done(it, 0) ? -1 : got;
}

int
__wrap_ftruncate(int fd, off_t length)
{
    bool it = is_it();
    return done(it, __real_ftruncate(fd, length));
}

int
__wrap_renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    bool it = is_it();
    return done(it, __real_renameat(from_dir, from, to_dir, to));
}

int
__wrap_renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    bool it = is_it();
    return done(it, __real_renameat2(from_dir, from, to_dir, to, flags));
}

int
__wrap_unlinkat(int dir, const char *name, int flags)
{
    bool it = is_it();
    return done(it, __real_unlinkat(dir, name, flags));
}

int
__wrap_openat(int dir, const char *name, int flags, mode_t bits)
{
    bool it = (flags & O_CREAT) && is_it();
    return done(it, __real_openat(dir, name, flags, bits));
}

static void
confine(void)
{
    struct sandbox_list list;
    if (!sandbox_read_list(PP_TEST_DOCS "/sandboxes.md", &list))
        exit(4);
    sandbox_allow(&list, SYS_exit_group);
    sandbox_allow(&list, SYS_kill);
    sandbox_allow(&list, SYS_getpid);
    if (sandbox_enter(&list, SECCOMP_RET_KILL_PROCESS, 0))
        exit(77);
}

/* End the frame with a wait, which ends it only if the application never presents. */
static void
wait_for_gpu(struct fake_frontend *fake)
{
    uint64_t now = fake->now.ticks;
    fake_frontend_flush(fake);
    pp_timeline_end_frame(fake->timeline, &(struct pp_frame_times){.present_begin_ns = now,
                                                                   .present_end_ns = now + 10,
                                                                   .sync_ns = 5,
                                                                   .end = PP_END_WAIT,
                                                                   .waits_min = WAITS_MIN});
    fake->now.ticks = now + 10;
    fake->tracker.level = (uint8_t)pp_timeline_level(fake->timeline);
}

/* A frame of three passes, one of them in a region; the collector writes all that there is, and session.json.
 */
static void
frame(struct fake_frontend *fake, unsigned number, bool waits)
{
    struct pp_session *session = fake->session;
    if (number % 4 == 1)
        pp_user_counters_set(&session->user_counters,
                             number == 1   ? "first"
                             : number == 5 ? "second, \"late\""
                                           : "third",
                             number);
    fake_frontend_draw(fake, 1, 2 + number % 3, 3, 1000);
    pp_track_label(&fake->tracker, pp_session_label(session, 0, "scene, \"quoted\"\nof two lines"));
    fake_frontend_draw(fake, 2, 1, 6, 500);
    pp_track_label(&fake->tracker, 0);
    fake_frontend_draw(fake, 3, 1, 3, 200);
    if (number == 8)
        pp_annotate_mark("here");
    if (waits)
        wait_for_gpu(fake);
    else
        fake_frontend_swap(fake);
    fake_clock_pause(SECOND);
}

int
main(int argc, char **argv)
{
    struct fake_frontend fake;
    if (argc < 3)
        return 2;
    const char *how = argc > 3 ? argv[3] : "";
    bool confined = strcmp(how, "confined") == 0;
    unsigned waits = strcmp(how, "waits") == 0 ? FRAMES : strcmp(how, "late") == 0 ? FRAMES - PRESENTS : 0;
    mode = argv[1][0] == 'k' ? KILL : argv[1][0] == 'h' ? HALF : FULL;
    at = (unsigned)strtoul(argv[2], NULL, 10);
    fake_frontend_start(&fake);
    for (unsigned i = 0; i < FRAMES && pp_session_active(fake.session); i++) {
        if (i == 3 && confined)
            confine();
        frame(&fake, i, i < waits);
    }
    if (!confined) {
        printf("%u\n", atomic_load(&calls));
        fflush(stdout);
    }
    return 0;
}
