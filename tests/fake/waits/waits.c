/** @file
 * See waits.h. */
#include "tests/fake/waits/waits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void
fake_wait(const char *call, unsigned *calls)
{
    const unsigned now = (*calls)++;
    const char *word = getenv("FAKE_WAITS");
    for (; word && *word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL) {
        char name[16];
        unsigned number = 0, ms = 0;
        if (sscanf(word, "%15[a-z]:%u:%u", name, &number, &ms) != 3)
            abort(); /* the test would show nothing */
        if (strcmp(name, call) != 0 || number != now)
            continue;
        const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
        nanosleep(&time, NULL);
    }
}
