/** @file
 * Refused calls of i915-perf; see perf_refusals.h. */
#include "tests/lab/i915/perf_refusals.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lab/report.h"

static struct {
    const char *call;
    unsigned long count; /* calls so far; guarded by lab_lock */
} calls[] = {{"OPEN", 0},       {"ENABLE", 0},        {"DISABLE", 0}, {"CONFIG", 0},
             {"ADD_CONFIG", 0}, {"REMOVE_CONFIG", 0}, {"QUERY", 0},   {"READ", 0}};

int
i915_perf_refusal(const char *call)
{
    char name[48];
    snprintf(name, sizeof(name), "LAB_PERF_%s_ERRNO", call);
    const char *value = getenv(name), *colon = value ? strchr(value, ':') : NULL;
    size_t i = 0;
    while (i < sizeof(calls) / sizeof(*calls) && strcmp(calls[i].call, call) != 0)
        i++;
    if (i == sizeof(calls) / sizeof(*calls)) {
        LAB_FAULT("i915-perf has no call %s", call);
        return 0;
    }
    unsigned long before = calls[i].count++;
    return value && (!colon || before >= strtoul(colon + 1, NULL, 10)) ? atoi(value) : 0;
}
