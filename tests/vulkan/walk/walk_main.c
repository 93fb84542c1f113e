/** @file
 * Names of the walk's cases, and its main(). The variable WALK_CASES names one case; without it, the walk
 * runs all cases that need no special driver. With WALK_JUST_EXIT, the application ends without destroying
 * the device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vulkan/walk/walk.h"

static void
by_semaphore(struct walk *walk)
{
    walk_cases_by_host(walk, false);
}

static void
by_event(struct walk *walk)
{
    walk_cases_by_host(walk, true);
}

static void
overlapped(struct walk *walk)
{
    walk_cases_unwaited(walk, 100);
}

static void
thousand(struct walk *walk)
{
    walk_cases_unwaited(walk, 1500);
}

static void
boundaries(struct walk *walk)
{
    walk_cases_boundaries(walk, "", 5);
}

static void
all(struct walk *walk)
{
    walk_all(walk, true);
}

static void
one_thread(struct walk *walk)
{
    walk_all(walk, false);
}

static void
boundary(struct walk *walk, const char *how)
{
    walk_cases_boundaries(walk, how, 5);
}

/** Names for the variable WALK_CASES. */
static const struct {
    const char *name;
    void (*run)(struct walk *walk);
} cases[] = {
    {"", all},
    {"one thread", one_thread},
    {"app queries", walk_cases_queries},
    {"unforeseen secondaries", walk_cases_unforeseen_secondaries},
    {"suspended", walk_cases_suspended},
    {"kept", walk_cases_kept},
    {"reset", walk_cases_reset},
    {"held", walk_cases_held},
    {"waits", walk_cases_waits},
    {"held overlapped", walk_cases_held_overlapped},
    {"by semaphore", by_semaphore},
    {"by event", by_event},
    {"varied", walk_cases_varied},
    {"submit2", walk_cases_submit2},
    {"many", walk_cases_many},
    {"ignored", walk_cases_ignored},
    {"indirect", walk_cases_indirect},
    {"limits", walk_cases_limits},
    {"times", walk_cases_times},
    {"meets", walk_cases_meets},
    {"nested", walk_cases_nested},
    {"refused", walk_cases_refused},
    {"states", walk_cases_states},
    {"resubmit", walk_cases_again},
    {"crossed", walk_cases_crossed},
    {"in flight", walk_cases_in_flight},
    {"lost", walk_cases_lost},
    {"instances", walk_cases_instances},
    {"views", walk_cases_views},
    {"group", walk_cases_group},
    {"unwaited", overlapped},
    {"thousand unwaited", thousand},
    {"boundaries", boundaries},
};

/** Cases with a further word after the name. */
static const struct {
    const char *prefix;
    void (*run)(struct walk *walk, const char *how);
} cases_with_how[] = {
    {"frame window ", walk_cases_frame_window},
    {"boundary ", boundary},
};

/** Cases that open their own devices. */
static const struct {
    const char *name;
    void (*run)(void);
} cases_of_devices[] = {
    {"two devices", walk_two},
    {"held devices", walk_held_devices},
    {"device group", walk_device_group},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/** Run a case on an open device. @return false: there is no such case. */
static bool
run_case(struct walk *walk, const char *name)
{
    for (size_t i = 0; i < COUNT(cases); i++)
        if (strcmp(cases[i].name, name) == 0)
            return cases[i].run(walk), true;
    for (size_t i = 0; i < COUNT(cases_with_how); i++) {
        size_t length = strlen(cases_with_how[i].prefix);
        if (strncmp(cases_with_how[i].prefix, name, length) == 0)
            return cases_with_how[i].run(walk, name + length), true;
    }
    return false;
}

int
main(void)
{
    struct walk walk;
    const char *name = getenv("WALK_CASES");
    if (!name)
        name = "";
    for (size_t i = 0; i < COUNT(cases_of_devices); i++)
        if (strcmp(cases_of_devices[i].name, name) == 0)
            return cases_of_devices[i].run(), 0;
    walk_open(&walk);
    if (!run_case(&walk, name)) {
        fprintf(stderr, "WALK_CASES=%s: no such case\n", name);
        return 2;
    }
    if (getenv("WALK_JUST_EXIT"))
        return 0; /* fences have been waited for after all submissions */
    walk_close(&walk);
    return 0;
}
