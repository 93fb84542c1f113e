/** @file
 * The command line, and the causes that need no graphics API; see planted.h. */
#include "tests/e2e/samples/planted/planted.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "passprobe/annotate.h"

#define AREA ((size_t)64 << 20)

static const char *const names[PLANTED_CAUSES] = {"draws",  "stream",  "pipelines", "uploads", "sleep",
                                                  "faults", "objects", "marks",     "polls"};

/* Take a cause of the command line. */
static bool
take(struct planted *it, const char *word)
{
    const size_t length = strcspn(word, "=");
    for (int cause = 0; cause < PLANTED_CAUSES; cause++)
        if (strlen(names[cause]) == length && strncmp(word, names[cause], length) == 0) {
            it->ms[cause] = word[length] ? (unsigned)atoi(word + length + 1) : PLANTED_MS;
            return true;
        }
    return false;
}

bool
planted_read(struct planted *it, int argc, char **argv)
{
    *it = (struct planted){.frames = argc > 1 ? (unsigned)atoi(argv[1]) : 0,
                           .number = argc > 2 ? (unsigned)atoi(argv[2]) : 0};
    bool right = it->frames > 0;
    for (int i = 3; i < argc; i++)
        right = right && take(it, argv[i]);
    if (!right)
        fprintf(stderr, "usage: %s FRAMES [N CAUSE[=MS]...]\n", argv[0]);
    return right;
}

unsigned
planted_ms(const struct planted *it, unsigned frame, enum planted_cause cause)
{
    if (cause == PLANTED_STREAM)
        return frame % PLANTED_PERIOD == it->number % PLANTED_PERIOD ? it->ms[cause] : 0;
    return frame == it->number ? it->ms[cause] : 0;
}

bool
planted_lasts(unsigned ms, unsigned long long *begin_ns)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    const unsigned long long now =
        (unsigned long long)time.tv_sec * 1000000000U + (unsigned long long)time.tv_nsec;
    *begin_ns = *begin_ns ? *begin_ns : now;
    return now - *begin_ns < ms * 1000000ULL;
}

/* Touch the pages of fresh memory. Huge pages would be few faults. */
static void
touch_memory(void)
{
    volatile char *area = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED)
        exit(1);
    madvise((void *)(uintptr_t)area, AREA, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < AREA; at += 4096)
        area[at] = 1;
    munmap((void *)(uintptr_t)area, AREA);
}

void
planted_begin(const struct planted *it, unsigned frame)
{
    const unsigned sleep_ms = planted_ms(it, frame, PLANTED_SLEEP);
    const unsigned faults_ms = planted_ms(it, frame, PLANTED_FAULTS);
    const unsigned objects_ms = planted_ms(it, frame, PLANTED_OBJECTS);
    const struct timespec length = {.tv_nsec = sleep_ms * 1000000L};
    unsigned long long faults = 0, objects = 0;
    pp_counter_set("objects", objects_ms ? 40 : 4);
    if (planted_ms(it, frame, PLANTED_MARKS))
        pp_mark("level begins");
    if (frame >= PLANTED_MARKED && planted_ms(it, frame - PLANTED_MARKED, PLANTED_MARKS))
        pp_mark("level ends");
    if (sleep_ms)
        nanosleep(&length, NULL);
    while (planted_lasts(faults_ms, &faults))
        touch_memory();
    while (planted_lasts(objects_ms, &objects))
        continue;
}
